// An array's elements have positions of their own: each step of a position keeps apart what its
// operands keep apart, since indices are inside of the array.
#include "frontend/gradients/Apart.h"
#include "frontend/gradients/Walk.h"

#include <optional>
#include <vector>

namespace sextant::gradients {

using namespace hir;

Indices::Indices(const std::vector<Block *> &tasks) : values(valuesSetOnce(tasks)) {}

const Expr *Indices::resolve(const Expr *expr) const {
  while (auto *read = std::get_if<LocalRead>(&expr->node)) {
    const auto value = values.find(read->local);
    if (value == values.end())
      break;
    expr = value->second;
  }
  return expr;
}

std::optional<Indices::Sum> Indices::sumOf(const Expr &expr) const {
  const Expr &value = *resolve(&expr);
  Exact constant = 0;
  if (constInt(value, constant))
    return Sum{constant, {}};
  if (auto *read = std::get_if<ParamRead>(&value.node); read && isInteger(value.type))
    return Sum{0, {{read->param, 1}}};
  auto *binary = std::get_if<Binary>(&value.node);
  if (!binary || (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub))
    return std::nullopt;
  std::optional<Sum> sum = sumOf(*binary->lhs);
  const std::optional<Sum> other = sumOf(*binary->rhs);
  if (!sum || !other)
    return std::nullopt;
  const Exact sign = binary->op == BinaryOp::Add ? 1 : -1;
  sum->constant += sign * other->constant;
  for (const auto &[param, times] : other->arguments)
    if ((sum->arguments[param] += sign * times) == 0)
      sum->arguments.erase(param);
  return sum;
}

std::optional<bool> Indices::areSame(const Expr &a, const Expr &b) const {
  const Expr &left = *resolve(&a), &right = *resolve(&b);
  if (left.type != right.type)
    return std::nullopt;
  auto *cast = std::get_if<Cast>(&left.node), *other = std::get_if<Cast>(&right.node);
  if (cast && other) {
    const Type from = cast->operand->type;
    const bool keeps = isInteger(from) && bitWidth(from) <= bitWidth(left.type);
    return keeps ? areSame(*cast->operand, *other->operand) : std::nullopt;
  }
  const std::optional<Sum> from = sumOf(left), to = sumOf(right);
  const Exact distance = from && to ? to->constant - from->constant : 0;
  const Exact most = maxOf(Type::I32); // sums may wrap
  if (!from || !to || from->arguments != to->arguments || distance > most || distance < -most)
    return std::nullopt;
  return distance == 0;
}

const Binary *Indices::stepOf(const Expr &expr) const {
  auto *binary = std::get_if<Binary>(&resolve(&expr)->node);
  return binary && binary->isPosition ? binary : nullptr;
}

/// The element that a component is of.
const Expr *Indices::elementOf(const Expr *component) const {
  auto *sum = std::get_if<Binary>(&resolve(component)->node);
  const bool isComponent = sum && !sum->isPosition && sum->op == BinaryOp::Add;
  return isComponent && stepOf(*sum->lhs) ? &*sum->lhs : component;
}

bool Indices::areApart(const Expr &a, const Expr &b) const {
  if (const std::optional<bool> same = areSame(a, b))
    return !*same;
  const Binary *left = stepOf(*elementOf(&a)), *right = stepOf(*elementOf(&b));
  if (!left || !right)
    return false;
  if (left->op == BinaryOp::Add && right->op == BinaryOp::Mul) // that adds 0
    return stepOf(*left->lhs) && areApart(*left->lhs, b);
  if (left->op == BinaryOp::Mul && right->op == BinaryOp::Add)
    return areApart(b, a);
  if (left->op != right->op)
    return false;
  const bool isSame = areSame(*left->rhs, *right->rhs).value_or(false);
  if (left->op == BinaryOp::Mul)
    return isSame && areApart(*left->lhs, *right->lhs);
  if (left->op != BinaryOp::Add)
    return false;
  if (isSame) // a member's place in a struct, too
    return areApart(*left->lhs, *right->lhs);
  // A sum over axes has products. That of an index and the begin of a slice has none, and slices
  // may overlap.
  const auto isOverAxes = [&](const Binary &sum) {
    const Binary *last = stepOf(*sum.rhs);
    return stepOf(*sum.lhs) || (last && last->op == BinaryOp::Mul);
  };
  return isOverAxes(*left) && isOverAxes(*right) &&
         (areApart(*left->lhs, *right->lhs) || areApart(*left->rhs, *right->rhs));
}

} // namespace sextant::gradients
