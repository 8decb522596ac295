// Makes multiplications of divisions.
#include "frontend/hir/Division.h"

#include <algorithm>

namespace sextant::hir {

bool isOfLaunch(const Expr &expr) {
  bool all = std::holds_alternative<Const>(expr.node) ||
             std::holds_alternative<ParamRead>(expr.node) ||
             std::holds_alternative<Unary>(expr.node) ||
             std::holds_alternative<Binary>(expr.node) || std::holds_alternative<Cast>(expr.node);
  forEachOperand(expr, [&](const Expr &operand) { all = all && isOfLaunch(operand); });
  return all;
}

bool isLaunchable(const LaunchExpr &launch) {
  unsigned depth = 0, deepest = 0;
  for (const LaunchExpr::Item &item : launch.items) {
    if (item.op == LaunchExpr::Constant || item.op == LaunchExpr::Param)
      deepest = std::max(deepest, ++depth);
    else if (item.op != LaunchExpr::Neg)
      --depth;
  }
  return deepest <= abi::maxLaunchDepth;
}

/// The parameter of a value that launches compute for divisions by `divisor`.
static ExprRef valueFor(Draft &draft, HiddenBuffer::Role role, const LaunchExpr &divisor, Loc at) {
  std::vector<HiddenBuffer> &all = draft.kernel.hidden;
  size_t i = 0;
  while (i < all.size() && (all[i].role != role || !(all[i].divisor == divisor)))
    ++i;
  if (i == all.size()) {
    HiddenBuffer value;
    value.role = role;
    value.name = (role == HiddenBuffer::Shift ? "shift" : "multiplier") + std::to_string(i);
    value.type = Type::U32;
    value.divisor = divisor;
    draft.addHidden(std::move(value));
  }
  return makeParam(draft.paramOf(i), Type::U32, at);
}

ExprRef makeQuotient(Draft &draft, const ExprRef &number, const LaunchExpr &divisor, Loc at) {
  constexpr size_t longestName = 1024; // the divisor becomes a name in the module
  if (!isLaunchable(divisor) || abi::textOf(divisor).size() > longestName)
    return nullptr;
  const Type word = number->type;
  ExprRef twice = makeBinary(BinaryOp::Shl, number, makeInt(1, word, at), word, at);
  ExprRef upper = makeBinary(BinaryOp::MulHigh, twice,
                             valueFor(draft, HiddenBuffer::Multiplier, divisor, at), word, at);
  return makeBinary(BinaryOp::BitShr, upper, valueFor(draft, HiddenBuffer::Shift, divisor, at),
                    word, at);
}

} // namespace sextant::hir
