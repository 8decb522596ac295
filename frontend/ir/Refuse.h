// Errors with a name, for code that reports them through MLIR: what a target cannot do, and what
// a pass finds. MLIR 19 has no room for the name beside an error's text, so its place holds it.
#pragma once

#include "frontend/problems/Problems.h"

#include "mlir/IR/Diagnostics.h"

namespace sextant::simt {

/// Begins an error at an operation or a place; `<<` adds its text.
mlir::InFlightDiagnostic refuse(mlir::Operation *op, Problem problem);
mlir::InFlightDiagnostic refuse(mlir::Location at, Problem problem);

/// The place and the problem that refuse() was told.
struct NamedPlace {
  mlir::Location at;
  Problem problem = Problem::Other; ///< the default is for errors of MLIR's own
};
NamedPlace namedPlace(mlir::Location of);

} // namespace sextant::simt
