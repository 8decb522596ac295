// Atomics: on memory they are operations of the IR, on a thread's own locals plain ones.
#include "frontend/sema/eval/Atomics.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

using hir::Combine;
using hir::Type;

/// True if the operator leaves a truth value one.
static bool fitsBool(Combine op) { return op != Combine::Add && op != Combine::Mul; }

/// Each component on its own.
static Value atomicOnSeveral(Context &cx, AtomicUpdate update, const Place &place,
                             const Value &value, SourceRange at, const std::string &what) {
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

/// The new value of a thread's own local.
static Value updated(Context &cx, AtomicUpdate update, const Value &old, const Value &operand,
                     SourceRange at) {
  switch (update.op) {
  case Combine::Add:
    return binary(cx, update.subtracts ? ast::BinaryOp::Sub : ast::BinaryOp::Add, old, operand, at);
  case Combine::Mul:
    return binary(cx, ast::BinaryOp::Mul, old, operand, at);
  case Combine::Min:
    return minMax(cx, true, old, operand, at);
  case Combine::Max:
    return minMax(cx, false, old, operand, at);
  case Combine::And:
    return binary(cx, ast::BinaryOp::And, old, operand, at);
  case Combine::Or:
    return binary(cx, ast::BinaryOp::Or, old, operand, at);
  case Combine::Xor:
    return binary(cx, ast::BinaryOp::Xor, old, operand, at);
  case Combine::Exchange:
    return operand;
  }
  return Value();
}

static Value atomicOnLocal(Context &cx, AtomicUpdate update, const Place &place,
                           const Value &operand, SourceRange at, const std::string &name) {
  const VariablePtr &variable = place.variable;
  if (variable->value.isPoison())
    return Value();
  if (variable->alias || variable->readOnly)
    return error(cx, at, Problem::AtomicOnValue,
                 name + " needs a place in memory or a variable to change, not " +
                     describe(variable->value),
                 "name an element of an ndarray, a field or a SharedArray");
  Value old = snapshot(cx, readPlace(cx, place, at), at);
  writePlace(cx, place, updated(cx, update, old, operand, at), at);
  return old;
}

static Value atomicOnMemory(Context &cx, AtomicUpdate update, const Place &place,
                            const Value &operand, SourceRange at, const std::string &name) {
  const ElementType &element = place.element;
  const Type type = element.type;
  if (type == Type::Bool && !fitsBool(update.op))
    return error(cx, at, Problem::AtomicArithmeticOnTruth,
                 name + " needs a number, but the element is u1",
                 "use `&=`, `|=`, `^=` or `qd.atomic_exchange`, or make the array one of i32");
  ExprRef base = place.index;
  if (element.count() > 1)
    base = stable(cx, Value::scalar(base), at).expr;
  std::vector<Value> old;
  for (unsigned k = 0; k < element.count(); ++k) {
    ExprRef e = element.matrix ? operand.items[k].expr : operand.expr;
    if (update.subtracts) {
      Exact constant = 0;
      e = constInt(*e, constant) && isInteger(type) ? makeInt(-constant, type, at)
                                                    : makeUnary(hir::UnaryOp::Neg, e, type, at);
    }
    ExprRef index =
        makeBinary(hir::BinaryOp::Add, base, makeInt(k, base->type, at), base->type, at);
    ExprRef atomic =
        makeExpr(type, hir::Atomic{update.op, place.buffer, take(cx, index), take(cx, e)}, at);
    old.push_back(temp(cx, guarded(cx, place.guard, std::move(atomic)), at, "old"));
  }
  if (!element.matrix)
    return old[0];
  return Value::matrix(element.rows, element.cols, element.vector, std::move(old));
}

Value atomicOn(Context &cx, AtomicUpdate update, const Place &place, const Value &value,
               SourceRange at, const std::string &what) {
  const std::string name = what.empty() ? "this augmented assignment" : "`" + what + "`";
  if (place.kind == Place::Whole)
    return error(cx, at, Problem::AtomicOnWholeArray,
                 name + " needs one element, not the whole of `" + place.array->name + "`",
                 "index it");
  if (place.kind == Place::Items)
    return error(cx, at, Problem::AtomicOnTuple,
                 name + " needs a place in memory or a variable to change, not a tuple",
                 "make it a vector, with `qd.Vector([...])`");
  if (place.kind == Place::Several)
    return atomicOnSeveral(cx, update, place, value, at, what);
  if (place.structure)
    return error(cx, at, Problem::AtomicOnStruct,
                 name + " needs a number or a vector, not the struct `" + place.structure->name +
                     "`",
                 "name a member");
  const Type type = place.element.type;
  const bool isBitwise =
      update.op == Combine::And || update.op == Combine::Or || update.op == Combine::Xor;
  if (isBitwise && isFloat(type))
    return error(cx, at, Problem::AtomicBitwiseOnReals,
                 name + " is bitwise and needs integers, but the element is " + spell(type));
  if (place.kind != Place::Local) // else the store to the variable warns
    warnLossy(cx, value, type, at);
  Value operand = castTo(cx, value, place.element, at);
  if (operand.isPoison())
    return operand;
  return place.kind == Place::Local ? atomicOnLocal(cx, update, place, operand, at, name)
                                    : atomicOnMemory(cx, update, place, operand, at, name);
}

} // namespace sextant::sema
