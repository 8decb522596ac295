// Atomics: on memory they are operations of the IR, on a thread's own locals plain ones.
#include "frontend/sema/Analyzer.h"

namespace sextant::sema {

using hir::AtomicOp;
using hir::Type;

/// Whether the operator leaves a truth value one.
static bool fitsBool(AtomicOp op) { return op != AtomicOp::Add && op != AtomicOp::Mul; }

/// `op` is a hir::AtomicOp, or -1 for subtraction. `what` names the call; empty for
/// an augmented assignment.
Value KernelAnalyzer::atomicOn(int op, const Place &place, const Value &value, SourceRange at,
                               const std::string &what) {
  bool negate = op == -1;
  AtomicOp kind = negate ? AtomicOp::Add : AtomicOp(op);
  std::string name = what.empty() ? "this augmented assignment" : "`" + what + "`";
  if (place.kind == Place::Whole)
    return error(at, name + " needs one element, not the whole of `" + place.array->name + "`",
                 "index it");
  if (place.kind == Place::Items)
    return error(at, name + " needs a place in memory or a variable to change, not a tuple",
                 "make it a vector, with `qd.Vector([...])`");
  if (place.kind == Place::Several) {
    Value cast = snapshot(castTo(value, place.element, at), at);
    std::vector<Value> old;
    for (size_t k = 0; k < place.parts.size() && !cast.isPoison(); ++k)
      old.push_back(atomicOn(op, place.parts[k], cast.items[k], at, what));
    for (const Value &item : old)
      if (item.isPoison())
        return item;
    return cast.isPoison() ? cast : Value::matrix(place.element.rows, 1, true, std::move(old));
  }
  bool bitwise = kind == AtomicOp::And || kind == AtomicOp::Or || kind == AtomicOp::Xor;
  ElementType element = place.element;
  Type type = element.type;
  if (bitwise && isFloat(type))
    return error(at, name + " is bitwise and needs integers, but the element is " + spell(type));
  Value operand = castTo(value, element, at);
  if (operand.isPoison())
    return operand;

  if (place.kind == Place::Local) {
    const VariablePtr &variable = place.variable;
    if (variable->alias || variable->readOnly || variable->value.isPoison())
      return variable->value.isPoison()
                 ? Value()
                 : error(at,
                         name + " needs a place in memory or a variable to change, not " +
                             describe(variable->value),
                         "name an element of an ndarray, a field or a SharedArray");
    Value old = snapshot(readPlace(place, at), at);
    Value result;
    switch (kind) {
    case AtomicOp::Add:
      result = binary(negate ? ast::BinaryOp::Sub : ast::BinaryOp::Add, old, operand, at);
      break;
    case AtomicOp::Mul:
      result = binary(ast::BinaryOp::Mul, old, operand, at);
      break;
    case AtomicOp::Min:
      result = minMax(true, old, operand, at);
      break;
    case AtomicOp::Max:
      result = minMax(false, old, operand, at);
      break;
    case AtomicOp::And:
      result = binary(ast::BinaryOp::And, old, operand, at);
      break;
    case AtomicOp::Or:
      result = binary(ast::BinaryOp::Or, old, operand, at);
      break;
    case AtomicOp::Xor:
      result = binary(ast::BinaryOp::Xor, old, operand, at);
      break;
    case AtomicOp::Exchange:
      result = operand;
      break;
    }
    writePlace(place, result, at);
    return old;
  }

  if (type == Type::Bool && !fitsBool(kind))
    return error(at, name + " needs a number, but the element is u1",
                 "use `&=`, `|=`, `^=` or `qd.atomic_exchange`, or make the array one of i32");
  ExprRef base = place.index;
  if (element.count() > 1)
    base = stable(Value::scalar(base), at).expr;
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
    ExprRef update = makeExpr(type, hir::Atomic{kind, place.buffer, take(index), take(e)}, at);
    old.push_back(temp(guarded(place.guard, std::move(update)), at, "old"));
  }
  if (!element.matrix)
    return old[0];
  return Value::matrix(element.rows, element.cols, element.vector, std::move(old));
}

Value KernelAnalyzer::doAtomic(CallSite &site) {
  if (isHost())
    return error(site.at, "atomics cannot be computed when kernels are built");
  auto place = evalPlace(*site.nodes[0], true);
  Value value = eval(*site.nodes[1]);
  if (!place || value.isPoison())
    return Value();
  return atomicOn(site.builtin->data, *place, value, site.at, callName(site));
}

Value KernelAnalyzer::doAtomicCas(CallSite &site) {
  SourceRange at = site.at;
  if (isHost())
    return error(at, "atomics cannot be computed when kernels are built");
  auto place = evalPlace(*site.nodes[0], true);
  Value expected = eval(*site.nodes[1]), desired = eval(*site.nodes[2]);
  if (!place || expected.isPoison() || desired.isPoison())
    return Value();
  if (place->kind == Place::Whole)
    return error(at, "`qd.atomic_cas` needs one element, not the whole array", "index it");
  if (place->kind == Place::Items)
    return error(at, "`qd.atomic_cas` needs a place in memory, not a tuple");
  ElementType element = place->element;
  Type type = element.type;
  if (isFloat(type))
    return error(at, "`qd.atomic_cas` compares integers, but the element is " + spell(type),
                 "keep the bits in an integer array, with `qd.bit_cast`");
  if (element.matrix)
    return error(at, "`qd.atomic_cas` takes a single element, not a vector",
                 "index its components");
  ExprRef e = convert(expected, type, at), d = convert(desired, type, at);
  if (!e || !d)
    return Value();
  if (place->kind == Place::Local) {
    Value old = snapshot(readPlace(*place, at), at);
    if (!old.isNumber())
      return error(at, "`qd.atomic_cas` needs a place in memory");
    ExprRef equal = makeBinary(hir::BinaryOp::Eq, toRuntime(old, at), e, Type::Bool, at);
    writePlace(*place, Value::scalar(makeSelect(equal, d, toRuntime(old, at), at)), at);
    return old;
  }
  ExprRef update =
      makeExpr(type, hir::AtomicCas{place->buffer, take(place->index), take(e), take(d)}, at);
  return temp(guarded(place->guard, std::move(update)), at, "old");
}

} // namespace sextant::sema
