// SPIR-V for compute from tasks of the simt dialect, as Vulkan takes it and as
// SPIRV-Cross turns it into MSL. The backends vulkan and metal share it. How arguments
// arrive is in docs/vulkan-abi.md.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sextant::spirv {

using Words = std::vector<uint32_t>;

struct SpirvOptions {
  /// Of the header: 0x00010300 is 1.3, what Vulkan 1.1 takes.
  uint32_t version = 0x00010300;
  /// Instructions that not every device has and this variant may use: see variantFeatures().
  std::vector<std::string> features;
  /// OpLine and names.
  bool lineInfo = false;
};

struct SpirvCode {
  Words words;
  /// Device features that the code needs, sorted; docs/vulkan-abi.md lists the words.
  std::vector<std::string> requirements;
};

/// Compares integers before they are widened (NarrowCompare.cpp), in a simplified module, which
/// is simplified again where there were any such comparisons.
mlir::LogicalResult narrowComparisons(mlir::ModuleOp module);
/// Rewrites what drivers of Vulkan compile wrongly (DriverFaults.cpp); simplification undoes it.
void avoidDriverFaults(mlir::ModuleOp module);

/// One entry point a task, named as it. None after an error on an op's location.
std::optional<SpirvCode> emit(mlir::ModuleOp module, const SpirvOptions &options);

/// All variant features, sorted.
llvm::ArrayRef<std::string> variantFeatures();
/// Sets of them, each sorted, that make code of their own for `module`: what it has a use for
/// at all, then what devices without the newer extension have of that.
std::vector<std::vector<std::string>> usefulFeatures(mlir::ModuleOp module);

/// Bytes of shared memory that the task's code takes.
uint64_t sharedBytes(mlir::func::FuncOp task, const SpirvOptions &options);

//===--- Tools (SPIRV-Tools) -----------------------------------------------===//

/// Shortens and simplifies; level 0 leaves the words alone.
llvm::Expected<Words> optimize(const Words &words, unsigned level);
/// The error says what breaks the rules of SPIR-V or of Vulkan 1.1.
llvm::Error validate(llvm::ArrayRef<uint32_t> words);
/// Assembly text.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint32_t> words);

} // namespace sextant::spirv
