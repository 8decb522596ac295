// Uses a module, whatever it is, in every way that the loader and the command do. For
// damaged modules: nothing may crash, run away, or read outside the bytes.
#pragma once

#include "loader/format/Reader.h"
#include "loader/format/Select.h"
#include "packager/Describe.h"

#include <cstddef>

namespace sextant::test {

/// Whether the module is sound.
inline bool exercise(std::span<const std::byte> bytes) {
  const auto reader = module::Reader::fromMemory(bytes, {.maxImageBytes = 1 << 22});
  if (!reader.ok())
    return false;
  const bool isSound = reader->verify().ok();
  (void)packager::describeText(*reader).ok();
  (void)packager::describeJson(*reader).ok();
  (void)packager::extract(*reader, "total", "sm_90").ok();
  (void)packager::diff(*reader, *reader).ok();
  const uint32_t kernels = reader->kernelCount() < 64 ? reader->kernelCount() : 64;
  for (uint32_t i = 0; i < kernels; ++i) {
    const auto kernel = reader->kernel(i);
    if (!kernel.ok())
      continue;
    const module::DeviceFacts device = *module::factsOf("sm_90");
    (void)module::whyNone(device, *kernel, module::select(device, kernel->variants));
    for (const module::Plan &plan : kernel->plans) {
      const module::BlockLayout layout = module::layoutOf(kernel->arguments, plan.hidden);
      const std::vector<int64_t> values(layout.params.size(), -3);
      for (const module::Task &task : plan.tasks)
        if (task.iterations)
          (void)module::evaluate(*task.iterations, values);
    }
  }
  return isSound;
}

} // namespace sextant::test
