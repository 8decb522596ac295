// An array's elements have positions of their own: each step of a position keeps apart what its
// operands keep apart, since indices are inside of the array.
#include "frontend/gradients/Apart.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace sextant::gradients {

using namespace hir;

Indices::Indices(const std::vector<Block *> &tasks) : values(valuesSetOnce(tasks)) {
  for (Block *code : tasks)
    forEachStatement(*code, [&](Stmt &stmt) {
      if (auto *loop = std::get_if<For>(&stmt.node))
        counters.insert(loop->local);
    });
}

const Expr *Indices::resolve(const Expr *expr, const Times *times) const {
  while (auto *read = std::get_if<LocalRead>(&expr->node)) {
    const auto value = values.find(read->local);
    if (value == values.end() || (times && !times->isCurrent(read->local)))
      break;
    expr = value->second;
  }
  return expr;
}

std::optional<Indices::Sum> Indices::sumOf(const Expr &expr, const Times *times) const {
  unsigned terms = mostTerms;
  return sumOf(expr, times, terms);
}

std::optional<Indices::Sum> Indices::sumOf(const Expr &expr, const Times *times,
                                           unsigned &terms) const {
  if (terms == 0)
    return std::nullopt;
  --terms;
  if (auto *local = std::get_if<LocalRead>(&expr.node)) {
    const Expr &value = *resolve(&expr, times);
    if (&value != &expr)
      if (std::optional<Sum> sum = sumOf(value, times, terms))
        return sum;
    const bool isTerm =
        times && isInteger(expr.type) &&
        ((times->loop && times->loop->local == local->local) || times->isFixed(local->local));
    return isTerm ? std::optional(Sum{0, {}, {{local->local, 1}}}) : std::nullopt;
  }
  Exact constant = 0;
  if (constInt(expr, constant))
    return Sum{constant, {}, {}};
  if (auto *read = std::get_if<ParamRead>(&expr.node); read && isInteger(expr.type))
    return Sum{0, {{read->param, 1}}, {}};
  auto *binary = std::get_if<Binary>(&expr.node);
  if (!binary || (binary->op != BinaryOp::Add && binary->op != BinaryOp::Sub))
    return std::nullopt;
  std::optional<Sum> sum = sumOf(*binary->lhs, times, terms);
  const std::optional<Sum> other = sum ? sumOf(*binary->rhs, times, terms) : std::nullopt;
  if (!other)
    return std::nullopt;
  const Exact sign = binary->op == BinaryOp::Add ? 1 : -1;
  sum->constant += sign * other->constant;
  const auto add = [&](std::map<unsigned, Exact> &to, const std::map<unsigned, Exact> &terms) {
    for (const auto &[term, number] : terms)
      if ((to[term] += sign * number) == 0)
        to.erase(term);
  };
  add(sum->arguments, other->arguments);
  add(sum->locals, other->locals);
  return sum;
}

std::optional<bool> Indices::areSame(const Expr &a, const Expr &b, const Times *times) const {
  const Expr &left = *resolve(&a, times), &right = *resolve(&b, times);
  if (left.type != right.type)
    return std::nullopt;
  auto *cast = std::get_if<Cast>(&left.node), *other = std::get_if<Cast>(&right.node);
  if (cast && other) {
    const Type from = cast->operand->type;
    const bool keeps = isInteger(from) && bitWidth(from) <= bitWidth(left.type);
    return keeps ? areSame(*cast->operand, *other->operand, times) : std::nullopt;
  }
  const std::optional<Sum> from = sumOf(a, times), to = sumOf(b, times);
  if (!from || !to || from->arguments != to->arguments || from->locals != to->locals)
    return std::nullopt;
  const Exact distance = to->constant - from->constant;
  const bool isSame = distance % (Exact(1) << bitWidth(left.type)) == 0; // sums wrap
  const auto counter =
      times && times->loop ? from->locals.find(times->loop->local) : from->locals.end();
  const bool isCounted = counter != from->locals.end();
  const bool isOfThread =
      times && !times->isAlone && std::ranges::any_of(from->locals, [&](const auto &term) {
        return !times->counters.contains(term.first);
      });
  if (isOfThread && (!isSame || isCounted))
    return std::nullopt;
  if (!isCounted)
    return isSame;
  // Far from what wraps: no loop counts through all numbers of its type.
  const Exact step = times->loop->step, far = Exact(1) << 20;
  const bool isNear = bitWidth(left.type) >= 32 && distance <= far && distance >= -far &&
                      step <= far && step >= -far;
  if (!isNear || (counter->second != 1 && counter->second != -1))
    return std::nullopt;
  // They are equal if the first iteration is this far from the second.
  const Exact way = counter->second * distance;
  const bool isThere = way % step == 0 && (times->isLater ? way / step > 0 : way / step < 0);
  return isThere ? std::nullopt : std::optional(false);
}

const Binary *Indices::stepOf(const Expr &expr, const Times *times) const {
  auto *binary = std::get_if<Binary>(&resolve(&expr, times)->node);
  return binary && binary->isPosition ? binary : nullptr;
}

/// The element that a component is of.
const Expr *Indices::elementOf(const Expr *component, const Times *times) const {
  auto *sum = std::get_if<Binary>(&resolve(component, times)->node);
  const bool isComponent = sum && !sum->isPosition && sum->op == BinaryOp::Add;
  return isComponent && stepOf(*sum->lhs, times) ? &*sum->lhs : component;
}

bool Indices::areOtherComponents(const Expr &a, const Expr &b, const Times *times) const {
  // An element's place times their count, plus the component's number: of vectors, and of the last
  // axis where its extent is known.
  const auto read = [&](const Expr &expr, Exact &count, Exact &number) {
    const Expr *place = &expr;
    auto *sum = std::get_if<Binary>(&resolve(&expr, times)->node);
    if (sum && sum->op == BinaryOp::Add) {
      if (!constInt(*sum->rhs, number))
        return false;
      place = &*sum->lhs;
    }
    const Binary *product = stepOf(*place, times);
    return product && product->op == BinaryOp::Mul && constInt(*product->rhs, count) &&
           number >= 0 && number < count;
  };
  Exact count = 0, others = 0, number = 0, other = 0;
  return read(a, count, number) && read(b, others, other) && count == others && number != other;
}

bool Indices::areApart(const Expr &a, const Expr &b, const Times *times) const {
  return areOtherComponents(a, b, times) || arePlacesApart(a, b, times);
}

bool Indices::isOfLoops(const Expr &expr, const Times *times, unsigned &terms) const {
  if (terms == 0)
    return false;
  --terms;
  const Expr &value = *resolve(&expr, times);
  Exact constant = 0;
  if (auto *cast = std::get_if<Cast>(&value.node))
    return isOfLoops(*cast->operand, times, terms);
  if (auto *binary = std::get_if<Binary>(&value.node))
    return isOfLoops(*binary->lhs, times, terms) && isOfLoops(*binary->rhs, times, terms);
  auto *read = std::get_if<LocalRead>(&value.node);
  return constInt(value, constant) || std::holds_alternative<ParamRead>(value.node) ||
         (read && counters.contains(read->local));
}

bool Indices::areOfThread(const Expr &a, const Expr &b, const Times *times) const {
  unsigned terms = mostTerms;
  if (areSame(a, b, times).value_or(false) ||
      (isOfLoops(a, times, terms) && isOfLoops(b, times, terms)))
    return true;
  const Binary *left = stepOf(a, times), *right = stepOf(b, times);
  return left && right && left->op == right->op && areOfThread(*left->lhs, *right->lhs, times) &&
         areOfThread(*left->rhs, *right->rhs, times);
}

bool Indices::arePlacesApart(const Expr &a, const Expr &b, const Times *times) const {
  if (const std::optional<bool> same = areSame(a, b, times))
    return !*same;
  const Binary *left = stepOf(*elementOf(&a, times), times),
               *right = stepOf(*elementOf(&b, times), times);
  if (!left || !right)
    return false;
  if (left->op == BinaryOp::Add && right->op == BinaryOp::Mul) // that adds 0
    return stepOf(*left->lhs, times) && arePlacesApart(*left->lhs, b, times);
  if (left->op == BinaryOp::Mul && right->op == BinaryOp::Add)
    return stepOf(*right->lhs, times) && arePlacesApart(a, *right->lhs, times);
  if (left->op != right->op)
    return false;
  const bool isSame = areSame(*left->rhs, *right->rhs, times).value_or(false);
  if (left->op == BinaryOp::Mul)
    return isSame && arePlacesApart(*left->lhs, *right->lhs, times);
  if (left->op != BinaryOp::Add)
    return false;
  if (isSame) // a member's place in a struct, too
    return arePlacesApart(*left->lhs, *right->lhs, times);
  // A sum over axes has products. That of an index and the begin of a slice has none, and slices
  // may overlap.
  const auto isOverAxes = [&](const Binary &sum) {
    const Binary *last = stepOf(*sum.rhs, times);
    return stepOf(*sum.lhs, times) || (last && last->op == BinaryOp::Mul);
  };
  const auto areApartBy = [&](const ExprPtr Binary::*axis, const ExprPtr Binary::*other) {
    return arePlacesApart(*(left->*axis), *(right->*axis), times) &&
           (!times || times->isAlone || areOfThread(*(left->*other), *(right->*other), times));
  };
  return isOverAxes(*left) && isOverAxes(*right) &&
         (areApartBy(&Binary::lhs, &Binary::rhs) || areApartBy(&Binary::rhs, &Binary::lhs));
}

} // namespace sextant::gradients
