// Comparisons, truth, and what chooses by it.
#include "tests/fuzz/Machine.h"

namespace fuzz {

Mask Machine::truth(const Val &value, const Mask &mask) {
  if (value.isConst()) {
    const bool on = value.kind == Val::Real ? value.real != 0 : value.integer != 0;
    return on ? mask : Mask(lanes, 0);
  }
  if (value.kind != Val::Lanes)
    throw Unsupported("the truth of no number");
  usable(value, mask);
  Mask result(lanes, 0);
  for (unsigned lane = 0; lane < lanes; ++lane)
    result[lane] = mask[lane] && convert(value.type, Scalar::U1, value.bits[lane]);
  return result;
}

Val Machine::relate(ast::CompareOp op, const Val &first, const Val &second, const Mask &mask) {
  if (first.isVector || second.isVector) {
    Val result = first.isVector ? first : second;
    if (first.isVector && second.isVector && !sameShape(first, second))
      throw Unsupported("vectors of different sizes");
    for (size_t i = 0; i < result.items.size(); ++i)
      result.items[i] = relate(op, first.isVector ? first.items[i] : first,
                               second.isVector ? second.items[i] : second, mask);
    return result;
  }
  if (op > ast::CompareOp::Ne)
    throw Unsupported("this comparison");
  const auto relation = Relation(op); // in the same order
  if (first.isConst() && second.isConst()) {
    Val result = constant(0);
    result.kind = Val::Bool;
    if (first.kind == Val::Real || second.kind == Val::Real)
      throw Unsupported("a comparison of real constants");
    const __int128 a = first.integer, b = second.integer;
    result.integer = relation == Relation::Lt   ? a < b
                     : relation == Relation::Le ? a <= b
                     : relation == Relation::Gt ? a > b
                     : relation == Relation::Ge ? a >= b
                     : relation == Relation::Eq ? a == b
                                                : a != b;
    return result;
  }
  const Scalar type = promote(typeOf(first), typeOf(second));
  const Val a = cast(runtime(first), type, mask), b = cast(runtime(second), type, mask);
  usable(a, mask);
  usable(b, mask);
  Val result = lanesOf(Scalar::U1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane])
      result.bits[lane] = compare(relation, type, a.bits[lane], b.bits[lane]);
  return result;
}

/// Each operand is evaluated once, and those after a false comparison not at all.
Val Machine::comparison(const ast::Compare &node, const Mask &mask) {
  Val left = eval(*node.first, mask);
  Val all;
  Mask live = mask;
  for (size_t i = 0; i < node.ops.size(); ++i) {
    Val right = eval(*node.rest[i], live);
    const Val holds = relate(node.ops[i], left, right, live);
    if (node.ops.size() == 1)
      return holds;
    live = truth(holds, live);
    left = std::move(right);
  }
  all = lanesOf(Scalar::U1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    all.bits[lane] = live[lane];
  return all;
}

/// Lane by lane one of two values, in their common type.
Val Machine::select(const Val &condition, const Val &a, const Val &b, const Mask &mask) {
  if (a.isTree() || b.isTree()) {
    Val result = a.isTree() ? a : b;
    const bool fills = a.isNumber() || b.isNumber();
    if (fills ? !result.isVector : !sameShape(a, b))
      throw Unsupported("a choice between other shapes");
    if (condition.isTree() && !sameShape(condition, result))
      throw Unsupported("a choice by another shape");
    for (size_t i = 0; i < result.items.size(); ++i)
      result.items[i] = select(condition.isTree() ? condition.items[i] : condition,
                               a.isTree() ? a.items[i] : a, b.isTree() ? b.items[i] : b, mask);
    return result;
  }
  const Mask yes = truth(condition, mask);
  const Scalar type = promote(typeOf(a), typeOf(b));
  Mask no = mask;
  for (unsigned lane = 0; lane < lanes; ++lane)
    no[lane] = mask[lane] && !yes[lane];
  const Val x = cast(a, type, yes), y = cast(b, type, no);
  Val result = lanesOf(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    const Val &from = yes[lane] ? x : y;
    result.bits[lane] = from.bits[lane];
    result.taint[lane] = from.taint[lane];
  }
  return result;
}

/// Short-circuit; yields an operand.
Val Machine::boolOp(const ast::BoolOp &node, const Mask &mask) {
  Val result = eval(*node.operands[0], mask);
  for (size_t i = 1; i < node.operands.size(); ++i) {
    const Mask yes = truth(result, mask);
    Mask live(lanes, 0);
    for (unsigned lane = 0; lane < lanes; ++lane)
      live[lane] = mask[lane] && bool(yes[lane]) == node.isAnd;
    const Val next = eval(*node.operands[i], live);
    Val goesOn = lanesOf(Scalar::U1);
    for (unsigned lane = 0; lane < lanes; ++lane)
      goesOn.bits[lane] = live[lane];
    result = select(goesOn, next, result, mask);
  }
  return result;
}

Val Machine::ifExpr(const ast::IfExpr &node, const Mask &mask) {
  const Val condition = eval(*node.condition, mask);
  if (condition.isConst())
    return eval(condition.integer || (condition.kind == Val::Real && condition.real != 0)
                    ? *node.whenTrue
                    : *node.whenFalse,
                mask);
  const Mask yes = truth(condition, mask);
  Mask no = mask;
  for (unsigned lane = 0; lane < lanes; ++lane)
    no[lane] = mask[lane] && !yes[lane];
  const Val a = eval(*node.whenTrue, yes), b = eval(*node.whenFalse, no);
  Val flag = lanesOf(Scalar::U1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    flag.bits[lane] = yes[lane];
  return select(flag, a, b, mask);
}

} // namespace fuzz
