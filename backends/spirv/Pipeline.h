// The pipelines of vulkan and metal share this: a job that holds SPIR-V.
#pragma once

#include "backends/common/Pipeline.h"
#include "backends/spirv/Spirv.h"

namespace sextant::spirv {

/// A compilation by way of SPIR-V.
struct SpirvJob : Job {
  using Job::Job;
  SpirvOptions how;
  std::vector<SpirvCode> modules; ///< one for all tasks, or one for each

  llvm::Expected<std::string> print(Form form) const override;
  llvm::Error verify(Form form) const override;
};

/// Collects updates at data-dependent places in tables of the block, which are larger in variants
/// for devices with more shared memory.
llvm::Error tallyAtomics(SpirvJob &job);
bool hasTallies(mlir::ModuleOp module);
/// Performs atomics at one place as one for the block. The code is the same for all wave sizes.
llvm::Error combineAtomics(SpirvJob &job);
/// Loads for several turns of a block before its updates.
llvm::Error loadAhead(SpirvJob &job);
llvm::Error vectorizeRows(SpirvJob &job);
/// True if vectorizeRows() finds loops, where arrays come by address.
bool hasRows(mlir::ModuleOp module);
/// The threads of a block that collects updates: fewer than CUDA's, since small devices have blocks
/// of 256 at most.
inline constexpr unsigned turnBlock = 256;

/// Joins accesses of neighbouring elements in device memory. Not of narrow integers, which are
/// carried in 32 bits.
llvm::Error vectorizeAccesses(SpirvJob &job);
/// Makes selects of short branches.
llvm::Error evaluateConditions(SpirvJob &job);

} // namespace sextant::spirv
