// Calls of atomics.
#include "frontend/sema/Casts.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Atomics.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"
#include "frontend/sema/values/Operators.h"

namespace sextant::sema {

using hir::Combine;
using hir::Type;

Value doAtomic(Context &cx, CallSite &site, Combine op, bool subtracts) {
  const Writing writing(cx, {site.nodes[1]});
  return atomicOn(cx, {op, subtracts}, *site.place, site.args[1], site.at, callName(site));
}

Value doAtomicCas(Context &cx, CallSite &site) {
  SourceRange at = site.at;
  const Place *place = site.place.get();
  const Value &expected = site.args[1], &desired = site.args[2];
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
