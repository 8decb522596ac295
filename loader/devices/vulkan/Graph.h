// Graphs on Vulkan: a secondary command buffer that streams run.
#pragma once

#include "loader/devices/vulkan/Stream.h"

namespace sextant::loader::vulkan {

class VulkanGraph : public DeviceGraph {
public:
  VulkanGraph(Context &context, std::span<const GraphStep> steps)
      : context(context), steps(steps.begin(), steps.end()) {}

  sxt_status record() { return VulkanStream::recordGraph(context, steps, recorded); }
  /// Runs that are queued keep the old recording; the next run records anew.
  sxt_status change(size_t index, const GraphStep &step) override {
    steps[index] = step;
    recorded.reset();
    return SXT_OK;
  }
  sxt_status run(DeviceStream &stream) override {
    if (!recorded)
      SXT_TRY(record());
    return static_cast<VulkanStream &>(stream).runGraph(recorded, last);
  }

private:
  Context &context;
  std::vector<GraphStep> steps;
  std::shared_ptr<Batch> recorded;
  Point last; ///< the end of the last run
};

} // namespace sextant::loader::vulkan
