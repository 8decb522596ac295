// Variant features: instructions that not every device has, for which the others get loops
// or shuffles. Which of them a kernel has a use for, and what each is good for.
#pragma once

#include "backends/spirv/Spirv.h"

namespace sextant::spirv {

/// The feature by which a device performs the operation on a real in memory; empty: it is
/// one instruction everywhere, or nowhere.
std::string atomicFeature(simt::AtomicRmwOp op);
/// Whether it is one instruction under `options`, on memory that holds reals.
bool isNativeOnReals(simt::AtomicRmwOp op, const SpirvOptions &options);

inline bool hasFeature(const SpirvOptions &options, llvm::StringRef feature) {
  return llvm::is_contained(options.features, feature);
}

} // namespace sextant::spirv
