// Between which numbers a real is, as far as the operations before it tell.
#pragma once

#include "mlir/IR/Value.h"

#include <limits>

namespace sextant::simt {

struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool mayBeNan = true;
};

/// The bounds of a value of f32 or f64. They hold whatever rounding the operations do.
Bounds boundsOf(mlir::Value real);

} // namespace sextant::simt
