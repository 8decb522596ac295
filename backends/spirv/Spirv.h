// Makes SPIR-V for compute from tasks of the simt dialect. Vulkan takes it as it is; SPIRV-Cross
// turns it into MSL. The backends vulkan and metal share it. docs/vulkan-abi.md says how arguments
// arrive.
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
  /// The header's version: 0x00010300 is 1.3, which Vulkan 1.1 accepts.
  uint32_t version = 0x00010300;
  /// Instructions that not every device has and that this variant may use: see variantFeatures().
  std::vector<std::string> features;
  /// Buffers may have more elements than 32 bits count, as in Metal: indices stay as wide as they
  /// are. No binding of Vulkan is so large.
  bool wideIndices = false;
  /// Emit OpLine and names.
  bool lineInfo = false;
  /// Tell operations that are simt::isPrecise() from others: they are RelaxedPrecision, too, which
  /// the backend takes away again (NoContraction is on all operations of reals).
  bool marksPrecise = false;
};

struct SpirvCode {
  Words words;
  /// The device features that the code needs, sorted. docs/vulkan-abi.md lists the words.
  std::vector<std::string> requirements;
  /// The instructions in the target's own words (simt.instruction). Each stands for the body
  /// of a function whose name is `instructionName` and its number here. The function's parameters
  /// are pointers to the results, `r0, r1, …`, and the operands, `a0, a1, …`.
  std::vector<std::string> instructions;
};
inline constexpr llvm::StringLiteral instructionName = "sextantInstruction";

/// Compares integers before they are widened (NarrowCompare.cpp). The module is simplified; if
/// there were such comparisons, it is simplified again.
mlir::LogicalResult narrowComparisons(mlir::ModuleOp module);
/// Rewrites code that Vulkan drivers compile wrongly (DriverFaults.cpp). Simplification would undo
/// it.
void avoidDriverFaults(mlir::ModuleOp module);

/// Emits one entry point for each task, with the task's name. Absent after an error on an op's
/// location.
std::optional<SpirvCode> emit(mlir::ModuleOp module, const SpirvOptions &options);

/// All variant features, sorted.
llvm::ArrayRef<std::string> variantFeatures();
/// The sets of features, each sorted, that give `module` different code: first all that it can use,
/// then those that devices without the newer extension have.
std::vector<std::vector<std::string>> usefulFeatures(mlir::ModuleOp module);

/// The shared memory that common devices have for a block, in bytes.
inline constexpr uint64_t usualShared = 32 * 1024;
/// The shared memory that the task's code takes, in bytes.
uint64_t sharedBytes(mlir::func::FuncOp task, const SpirvOptions &options);

//===--- Tools (SPIRV-Tools) -----------------------------------------------===//

/// Shortens and simplifies the words. Level 0 leaves them alone.
llvm::Expected<Words> optimize(const Words &words, unsigned level);
/// Validates the words. The error says which rule of SPIR-V or of Vulkan 1.1 they break.
llvm::Error validate(llvm::ArrayRef<uint32_t> words);
/// Assembly text.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint32_t> words);

} // namespace sextant::spirv
