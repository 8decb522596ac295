// Events of a stream, and the time between two.
#include "loader/devices/vulkan/Stream.h"

namespace sextant::loader::vulkan {

sxt_status VulkanEvent::query() {
  Recording at = recorded();
  if (!at.timeline)
    return SXT_OK;
  context.flushAll();
  bool done = false;
  SXT_TRY(at.timeline->poll(at.number, done));
  return done ? SXT_OK : SXT_ERROR_NOT_READY;
}

sxt_status VulkanEvent::synchronize() {
  Recording at = recorded();
  if (!at.timeline)
    return SXT_OK;
  Waiting waiting(context);
  return at.timeline->wait(at.number);
}

sxt_status VulkanEvent::timeOf(const Recording &at, uint64_t &ticks) {
  if (!at.stamp)
    return fail(SXT_ERROR_UNSUPPORTED, "the queues of %s have no clock", context.name().c_str());
  return check(context.vk.GetQueryPoolResults(context.device, at.stamp->pool, at.stamp->index, 1,
                                              sizeof ticks, &ticks, sizeof ticks,
                                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
}

sxt_status VulkanEvent::elapsedSince(DeviceEvent &begin, double &milliseconds) {
  uint64_t first = 0, second = 0;
  SXT_TRY(timeOf(static_cast<VulkanEvent &>(begin).recorded(), first));
  SXT_TRY(timeOf(recorded(), second));
  const uint32_t bits = context.abilities.timestampBits;
  uint64_t ticks = (second - first) & (bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
  milliseconds = static_cast<double>(ticks) *
                 static_cast<double>(context.abilities.properties.limits.timestampPeriod) / 1e6;
  return SXT_OK;
}

} // namespace sextant::loader::vulkan
