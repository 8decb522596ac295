// What the pipelines of vulkan and metal share: a job that holds SPIR-V.
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

} // namespace sextant::spirv
