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

/// Whether the device's own reduction or scan is used, under `options`.
bool isNativeReduce(simt::ReduceOp op, const SpirvOptions &options);
bool isNativeScan(simt::ScanOp op, const SpirvOptions &options);

/// Compares integers before they are widened (NarrowCompare.cpp), in a simplified module; whether
/// there were any such comparisons.
bool narrowComparisons(mlir::ModuleOp module);

/// Rewrites what drivers of Vulkan compile wrongly (DriverFaults.cpp); simplification undoes it.
void avoidDriverFaults(mlir::ModuleOp module);

inline bool hasFeature(const SpirvOptions &options, llvm::StringRef feature) {
  return llvm::is_contained(options.features, feature);
}

} // namespace sextant::spirv
