#include "frontend/ir/Refuse.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

using namespace mlir;

namespace sextant::simt {

InFlightDiagnostic refuse(Location at, Problem problem) {
  const IntegerAttr name = Builder(at.getContext()).getI32IntegerAttr(int32_t(problem));
  return emitError(FusedLoc::get(at.getContext(), at, name));
}

InFlightDiagnostic refuse(Operation *op, Problem problem) { return refuse(op->getLoc(), problem); }

NamedPlace namedPlace(Location of) {
  if (auto named = dyn_cast<FusedLocWith<IntegerAttr>>(of))
    return {named.getLocations().front(), Problem(named.getMetadata().getInt())};
  return {of};
}

} // namespace sextant::simt
