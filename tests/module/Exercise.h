// Uses a module, whatever it is, in every way that the loader and the command do. For
// damaged modules: nothing may crash, run away, or read outside the bytes.
#pragma once

#include "loader/format/Reader.h"
#include "loader/format/Select.h"
#include "packager/Contents.h"
#include "packager/Describe.h"
#include "packager/Diff.h"
#include "packager/Sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace sextant::test {

inline constexpr module::ReaderLimits exerciseLimits{.maxImageBytes = 1 << 22,
                                                     .maxRecordBytes = 1 << 18};

/// Holds for every module, or the program ends.
inline void always(bool condition) {
  if (!condition)
    std::abort();
}

inline void exerciseKernel(const module::Kernel &kernel) {
  for (const char *name : {"x86-64-v3", "sm_90", "gfx1100", "vulkan:1.3", "metal:3.1"}) {
    const auto known = module::factsOf(name);
    always(known.has_value());
    const module::DeviceFacts &device = *known;
    for (const module::SelectRules &rules :
         {module::SelectRules{}, module::SelectRules{.pin = "sm_90", .blocked = {"cuda"}}})
      (void)module::whyNone(device, kernel, module::select(device, kernel.variants, rules));
  }
  for (const module::Plan &plan : kernel.plans) {
    const module::BlockLayout layout = module::layoutOf(kernel.arguments, plan.hidden);
    const std::vector<int64_t> values(layout.params.size(), -3);
    for (const module::Task &task : plan.tasks)
      if (task.iterations)
        (void)module::evaluate(*task.iterations, values);
  }
}

/// Returns true if the module is sound.
inline bool exercise(std::span<const std::byte> bytes) {
  const auto reader = module::Reader::fromMemory(bytes, exerciseLimits);
  if (!reader.ok())
    return false;
  // Before verify, which brings packs into the cache.
  bool isSound = reader->info().ok();
  if (const auto info = reader->info(); info.ok())
    for (size_t i = 0; i < std::min<size_t>(info->attachments.size(), 4); ++i)
      isSound &= reader->attachment(info->attachments[i].name).ok();
  const uint32_t images = std::min(reader->imageCount(), 64u);
  for (uint32_t i = 0; i < images; ++i) {
    const auto image = reader->image(i);
    const auto info = reader->imageInfo(i);
    always(!image.ok() || (info.ok() && info->bytes == image->size()));
    isSound &= image.ok();
  }
  const uint32_t kernels = std::min(reader->kernelCount(), 64u);
  for (uint32_t i = 0; i < kernels; ++i) {
    const auto kernel = reader->kernel(i);
    isSound &= kernel.ok();
    if (!kernel.ok())
      continue;
    exerciseKernel(*kernel);
    const auto found = reader->findKernel(kernel->instance);
    isSound &= found.ok();
    always(!found.ok() || *reader->kernelInstance(*found) == kernel->instance);
  }
  (void)reader->findKernel("total").ok();
  const bool isVerified = reader->verify().ok();
  always(isSound || !isVerified);
  const bool isDescribed = packager::describeText(*reader).ok();
  always(isDescribed || !isVerified);
  (void)packager::describeJson(*reader).ok();
  (void)packager::extract(*reader, "total", "sm_90").ok();
  const auto changes = packager::diff(*reader, *reader);
  always(!isVerified || (changes.ok() && changes->changes.empty()));
  const auto sizes = packager::sizesOf(bytes, exerciseLimits);
  always(isVerified || !sizes.ok());
  if (reader->imageCount() <= 64) // all of them in memory
    if (const auto contents = packager::contentsOf(*reader); contents.ok()) {
      const bool isWritable = packager::builderOf(*contents).ok();
      always(isWritable || !isVerified);
    }
  return isVerified;
}

} // namespace sextant::test
