// Variant features: instructions that not every device has, and that loops or shuffles replace
// elsewhere. These functions say which of them a kernel can use, and for what.
#pragma once

#include "backends/spirv/Spirv.h"

namespace sextant::spirv {

/// Returns the feature by which a device performs the operation on a real in memory. Empty if it is
/// one instruction everywhere, or nowhere.
std::string atomicFeature(simt::AtomicRmwOp op);
/// True if it is one instruction under `options`, on memory that holds reals.
bool isNativeOnReals(simt::AtomicRmwOp op, const SpirvOptions &options);

inline bool hasFeature(const SpirvOptions &options, llvm::StringRef feature) {
  return llvm::is_contained(options.features, feature);
}

} // namespace sextant::spirv
