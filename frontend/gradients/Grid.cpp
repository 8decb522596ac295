// Reads the indices of an element off the position that sema makes of them: ((i * n) + j) * m + k
// for an element x[i, j, k], and that times the components of an element.
#include "frontend/gradients/Grid.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>

namespace sextant::gradients {

using namespace hir;

Grid::Grid(Block &code, const std::vector<unsigned> &axes) : values(valuesSetOnce({&code})) {
  for (unsigned local : axes)
    locals.push_back(values.contains(local) ? std::optional(local) : std::nullopt);
}

/// The block's number times its threads, plus the thread's number in it.
static bool isThread(const Expr &expr) {
  const auto isId = [](const Expr &each, Id id) {
    auto *read = std::get_if<ReadId>(&each.node);
    return read && read->id == id;
  };
  auto *sum = std::get_if<Binary>(&expr.node);
  auto *blocks = sum && sum->op == BinaryOp::Add ? std::get_if<Binary>(&sum->lhs->node) : nullptr;
  return blocks && isId(*sum->rhs, Id::ThreadIdx) && blocks->op == BinaryOp::Mul &&
         isId(*blocks->lhs, Id::BlockIdx) &&
         (isId(*blocks->rhs, Id::BlockDim) || asConst(*blocks->rhs));
}

std::optional<unsigned> Grid::axisOf(const Expr &expr) const {
  if (isThread(expr))
    return unsigned(locals.size());
  auto *read = std::get_if<LocalRead>(&expr.node);
  const auto found =
      read ? std::find(locals.begin(), locals.end(), std::optional(read->local)) : locals.end();
  return found == locals.end() ? std::nullopt : std::optional(unsigned(found - locals.begin()));
}

const Expr &Grid::resolve(const Expr &expr) const {
  const Expr *value = &expr;
  while (!axisOf(*value)) {
    auto *read = std::get_if<LocalRead>(&value->node);
    const auto found = read ? values.find(read->local) : values.end();
    if (found == values.end())
      break;
    value = found->second;
  }
  return *value;
}

/// Larger ones may wrap within a grid.
static constexpr Exact mostScale = 64;

std::optional<Index> Grid::affine(const Expr &expr, unsigned &terms) const {
  std::optional<Index> index = sumOf(expr, terms);
  if (!index || index->scale > mostScale || index->scale < -mostScale ||
      index->offset > maxOf(Type::I32) || index->offset < -maxOf(Type::I32))
    return std::nullopt;
  return index;
}

std::optional<Index> Grid::sumOf(const Expr &expr, unsigned &terms) const {
  if (terms == 0)
    return std::nullopt;
  --terms;
  const Expr &value = resolve(expr);
  Exact number = 0;
  if (constInt(value, number))
    return Index{{}, 0, number};
  if (const auto axis = axisOf(value))
    return Index{axis, 1, 0};
  if (auto *cast = std::get_if<Cast>(&value.node)) // grids have less than 2^31 threads
    return isInteger(value.type) && isInteger(cast->operand->type) &&
                   bitWidth(value.type) >= bitWidth(cast->operand->type)
               ? affine(*cast->operand, terms)
               : std::nullopt;
  auto *binary = std::get_if<Binary>(&value.node);
  if (!binary || !isInteger(value.type))
    return std::nullopt;
  const std::optional<Index> left = affine(*binary->lhs, terms);
  const std::optional<Index> right = left ? affine(*binary->rhs, terms) : std::nullopt;
  if (!right)
    return std::nullopt;
  const bool isSum = binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub;
  if (binary->op == BinaryOp::Mul && !right->axis)
    return Index{left->axis, left->scale * right->offset, left->offset * right->offset};
  if (binary->op == BinaryOp::Mul && !left->axis)
    return Index{right->axis, right->scale * left->offset, right->offset * left->offset};
  if (!isSum || (left->axis && right->axis))
    return std::nullopt;
  const Exact sign = binary->op == BinaryOp::Add ? 1 : -1;
  return Index{left->axis ? left->axis : right->axis, left->scale + sign * right->scale,
               left->offset + sign * right->offset};
}

Index Grid::indexOf(const Expr &expr) const {
  unsigned terms = mostTerms;
  const std::optional<Index> index = affine(expr, terms);
  return index && (!index->axis || index->scale != 0) ? *index : Index{{}, 0, 0, &resolve(expr)};
}

std::optional<Element> Grid::elementOf(const Expr &index) const {
  const auto step = [](const Expr &expr, BinaryOp op, bool isPosition) {
    auto *binary = std::get_if<Binary>(&expr.node);
    return binary && binary->op == op && binary->isPosition == isPosition ? binary : nullptr;
  };
  Element element;
  const Expr *place = &resolve(index);
  const auto isPosition = [&](const Expr &expr) {
    return step(expr, BinaryOp::Mul, true) || step(expr, BinaryOp::Add, true);
  };
  Exact number = 0;
  if (auto *sum = step(*place, BinaryOp::Add, false))
    if (constInt(*sum->rhs, number) && number > 0 && isPosition(resolve(*sum->lhs))) {
      element.component = number;
      place = &resolve(*sum->lhs);
    }
  const auto components = [&](const Expr &expr) { // how many an element has
    auto *product = step(expr, BinaryOp::Mul, true);
    return product && constInt(*product->rhs, element.components) ? product : nullptr;
  };
  if (auto *sum = step(*place, BinaryOp::Add, true)) // a member of a struct
    if (constInt(*sum->rhs, number) && number > 0 && components(resolve(*sum->lhs))) {
      element.component += number;
      place = &resolve(*sum->lhs);
    }
  if (auto *product = components(*place))
    place = &resolve(*product->lhs);
  if (element.component >= element.components && element.component > 0)
    return std::nullopt;
  while (auto *sum = step(*place, BinaryOp::Add, true)) {
    auto *product = step(resolve(*sum->lhs), BinaryOp::Mul, true);
    if (!product) // the begin of a slice
      return std::nullopt;
    element.indices.insert(element.indices.begin(), indexOf(*sum->rhs));
    element.extents.insert(element.extents.begin(), &resolve(*product->rhs));
    place = &resolve(*product->lhs);
  }
  if (step(*place, BinaryOp::Mul, true))
    return std::nullopt;
  element.indices.insert(element.indices.begin(), indexOf(*place));
  return element;
}

bool Grid::isSameValue(const Expr &a, const Expr &b) {
  Exact left = 0, right = 0;
  if (constInt(a, left) && constInt(b, right))
    return left == right;
  if (auto *one = std::get_if<Cast>(&a.node)) {
    auto *other = std::get_if<Cast>(&b.node);
    return other && a.type == b.type && isSameValue(*one->operand, *other->operand);
  }
  if (auto *one = std::get_if<Binary>(&a.node)) {
    auto *other = std::get_if<Binary>(&b.node);
    return other && a.type == b.type && one->op == other->op &&
           isSameValue(*one->lhs, *other->lhs) && isSameValue(*one->rhs, *other->rhs);
  }
  auto *one = std::get_if<ParamRead>(&a.node), *other = std::get_if<ParamRead>(&b.node);
  return one && other && one->param == other->param;
}

bool Grid::haveSameShape(const Element &a, const Element &b) const {
  return a.components == b.components &&
         std::equal(a.extents.begin(), a.extents.end(), b.extents.begin(), b.extents.end(),
                    [](const Expr *one, const Expr *other) { return isSameValue(*one, *other); });
}

bool Grid::areApart(const Expr &a, const Expr &b) const {
  const std::optional<Element> left = elementOf(a), right = elementOf(b);
  if (!left || !right || !haveSameShape(*left, *right))
    return false;
  bool areApart = left->component != right->component;
  for (size_t k = 0; k < left->indices.size(); ++k) {
    const Index &one = left->indices[k], &other = right->indices[k];
    areApart |= !one.other && !other.other && one.axis == other.axis && one.scale == other.scale &&
                one.offset != other.offset;
  }
  return areApart;
}

} // namespace sextant::gradients
