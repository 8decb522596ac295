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

/// Joins accesses of neighbouring elements in device memory. Not of narrow integers, which are
/// carried in 32 bits.
llvm::Error vectorizeAccesses(SpirvJob &job);

} // namespace sextant::spirv
