// Atomics: on memory they are operations of the IR, on a thread's own locals plain ones.
#include "frontend/sema/Casts.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

using hir::Combine;
using hir::Type;

/// Whether the operator leaves a truth value one.
static bool fitsBool(Combine op) { return op != Combine::Add && op != Combine::Mul; }

Value atomicOn(Context &cx, AtomicUpdate update, const Place &place, const Value &value,
               SourceRange at, const std::string &what) {
  const auto [kind, negate] = update;
  std::string name = what.empty() ? "this augmented assignment" : "`" + what + "`";
  if (place.kind == Place::Whole)
    return error(cx, at, Problem::AtomicOnWholeArray,
                 name + " needs one element, not the whole of `" + place.array->name + "`",
                 "index it");
  if (place.kind == Place::Items)
    return error(cx, at, Problem::AtomicOnTuple,
                 name + " needs a place in memory or a variable to change, not a tuple",
                 "make it a vector, with `qd.Vector([...])`");
  if (place.kind == Place::Several) {
    warnLossy(cx, value, place.element.type, at);
    Value cast = snapshot(cx, castTo(cx, value, place.element, at), at);
    std::vector<Value> old;
    for (size_t k = 0; k < place.parts.size() && !cast.isPoison(); ++k)
      old.push_back(atomicOn(cx, update, place.parts[k], cast.items[k], at, what));
    for (const Value &item : old)
      if (item.isPoison())
        return item;
    return cast.isPoison() ? cast
                           : Value::matrix(place.element.rows, place.element.cols,
                                           place.element.vector, std::move(old));
  }
  if (place.structure)
    return error(cx, at, Problem::AtomicOnStruct,
                 name + " needs a number or a vector, not the struct `" + place.structure->name +
                     "`",
                 "name a member");
  bool bitwise = kind == Combine::And || kind == Combine::Or || kind == Combine::Xor;
  ElementType element = place.element;
  Type type = element.type;
  if (bitwise && isFloat(type))
    return error(cx, at, Problem::AtomicBitwiseOnReals,
                 name + " is bitwise and needs integers, but the element is " + spell(type));
  if (place.kind != Place::Local) // else the store to the variable warns
    warnLossy(cx, value, type, at);
  Value operand = castTo(cx, value, element, at);
  if (operand.isPoison())
    return operand;

  if (place.kind == Place::Local) {
    const VariablePtr &variable = place.variable;
    if (variable->alias || variable->readOnly || variable->value.isPoison())
      return variable->value.isPoison()
                 ? Value()
                 : error(cx, at, Problem::AtomicOnValue,
                         name + " needs a place in memory or a variable to change, not " +
                             describe(variable->value),
                         "name an element of an ndarray, a field or a SharedArray");
    Value old = snapshot(cx, readPlace(cx, place, at), at);
    Value result;
    switch (kind) {
    case Combine::Add:
      result = binary(cx, negate ? ast::BinaryOp::Sub : ast::BinaryOp::Add, old, operand, at);
      break;
    case Combine::Mul:
      result = binary(cx, ast::BinaryOp::Mul, old, operand, at);
      break;
    case Combine::Min:
      result = minMax(cx, true, old, operand, at);
      break;
    case Combine::Max:
      result = minMax(cx, false, old, operand, at);
      break;
    case Combine::And:
      result = binary(cx, ast::BinaryOp::And, old, operand, at);
      break;
    case Combine::Or:
      result = binary(cx, ast::BinaryOp::Or, old, operand, at);
      break;
    case Combine::Xor:
      result = binary(cx, ast::BinaryOp::Xor, old, operand, at);
      break;
    case Combine::Exchange:
      result = operand;
      break;
    }
    writePlace(cx, place, result, at);
    return old;
  }

  if (type == Type::Bool && !fitsBool(kind))
    return error(cx, at, Problem::AtomicArithmeticOnTruth,
                 name + " needs a number, but the element is u1",
                 "use `&=`, `|=`, `^=` or `qd.atomic_exchange`, or make the array one of i32");
  ExprRef base = place.index;
  if (element.count() > 1)
    base = stable(cx, Value::scalar(base), at).expr;
  std::vector<Value> old;
  for (unsigned k = 0; k < element.count(); ++k) {
    ExprRef e = element.matrix ? operand.items[k].expr : operand.expr;
    if (negate) {
      Exact constant = 0;
      e = constInt(*e, constant) && isInteger(type) ? makeInt(-constant, type, at)
                                                    : makeUnary(hir::UnaryOp::Neg, e, type, at);
    }
    ExprRef index =
        makeBinary(hir::BinaryOp::Add, base, makeInt(k, base->type, at), base->type, at);
    ExprRef update =
        makeExpr(type, hir::Atomic{kind, place.buffer, take(cx, index), take(cx, e)}, at);
    old.push_back(temp(cx, guarded(cx, place.guard, std::move(update)), at, "old"));
  }
  if (!element.matrix)
    return old[0];
  return Value::matrix(element.rows, element.cols, element.vector, std::move(old));
}

static Value atomicCall(Context &cx, CallSite &site, AtomicUpdate update) {
  if (cx.isHost())
    return error(cx, site.at, Problem::AtomicOnHost,
                 "atomics cannot be computed when kernels are built");
  auto place = evalPlace(cx, *site.nodes[0], true);
  Value value = eval(cx, *site.nodes[1]);
  if (!place || value.isPoison())
    return Value();
  const Writing writing(cx, {site.nodes[1]});
  return atomicOn(cx, update, *place, value, site.at, callName(site));
}

Value doAtomic(Context &cx, CallSite &site, Combine op) { return atomicCall(cx, site, {op}); }

Value doAtomicSub(Context &cx, CallSite &site) {
  return atomicCall(cx, site, {Combine::Add, /*subtracts=*/true});
}

Value doAtomicCas(Context &cx, CallSite &site) {
  SourceRange at = site.at;
  if (cx.isHost())
    return error(cx, at, Problem::AtomicOnHost,
                 "atomics cannot be computed when kernels are built");
  auto place = evalPlace(cx, *site.nodes[0], true);
  Value expected = eval(cx, *site.nodes[1]), desired = eval(cx, *site.nodes[2]);
  if (!place || expected.isPoison() || desired.isPoison())
    return Value();
  if (place->kind == Place::Whole)
    return error(cx, at, Problem::AtomicCasOnWholeArray,
                 "`qd.atomic_cas` needs one element, not the whole array", "index it");
  if (place->kind == Place::Items)
    return error(cx, at, Problem::AtomicCasOnTuple,
                 "`qd.atomic_cas` needs a place in memory, not a tuple");
  if (place->structure)
    return error(cx, at, Problem::AtomicOnStruct,
                 "`qd.atomic_cas` takes a single element, not the struct `" +
                     place->structure->name + "`",
                 "name a member");
  ElementType element = place->element;
  Type type = element.type;
  if (isFloat(type))
    return error(cx, at, Problem::AtomicCasOnReals,
                 "`qd.atomic_cas` compares integers, but the element is " + spell(type),
                 "keep the bits in an integer array, with `qd.bit_cast`");
  if (element.matrix)
    return error(cx, at, Problem::AtomicCasOnVector,
                 "`qd.atomic_cas` takes a single element, not a vector", "index its components");
  for (const auto &[value, node] :
       {std::pair(&expected, site.nodes[1]), {&desired, site.nodes[2]}}) {
    const Writing writing(cx, {node});
    warnLossy(cx, *value, type, at);
  }
  ExprRef e = convert(cx, expected, type, at), d = convert(cx, desired, type, at);
  if (!e || !d)
    return Value();
  if (place->kind == Place::Local) {
    Value old = snapshot(cx, readPlace(cx, *place, at), at);
    if (!old.isNumber())
      return error(cx, at, Problem::AtomicCasOnValue, "`qd.atomic_cas` needs a place in memory");
    ExprRef equal = makeBinary(hir::BinaryOp::Eq, toRuntime(cx, old, at), e, Type::Bool, at);
    writePlace(cx, *place, Value::scalar(makeSelect(equal, d, toRuntime(cx, old, at), at)), at);
    return old;
  }
  ExprRef update = makeExpr(
      type, hir::AtomicCas{place->buffer, take(cx, place->index), take(cx, e), take(cx, d)}, at);
  return temp(cx, guarded(cx, place->guard, std::move(update)), at, "old");
}

} // namespace sextant::sema
