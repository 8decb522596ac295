// Slices of vectors, matrices and tuples: `m[:, 2]`, `v[1:3]`, with bounds that are known when
// kernels are built. (Those of arrays belong to tiles, Tiles.h.)
#pragma once

#include "frontend/sema/Context.h"

namespace sextant::sema {

/// The components that an index with slices picks, row by row.
struct Picked {
  std::vector<std::vector<Value>> indices; ///< for each component, an index for each axis
  unsigned rows = 0, cols = 1;
  bool vector = true; ///< one axis is left
};
/// True if an index is a slice.
bool hasSlice(const std::vector<Value> &index);
/// Returns nullopt after an error. \param extents of the axes, one or two
std::optional<Picked> pick(Context &cx, const std::vector<Value> &index,
                           const std::vector<unsigned> &extents, SourceRange at);

} // namespace sextant::sema
