// If a device can still be used. It cannot once it counts as lost, nor in the child of a fork,
// which has none of the threads that the driver started in the parent. The loader does not call the
// driver for such a device any more: memory, code and queues stay with the process, because the
// driver may not return from releasing them.
#pragma once

#include "loader/Error.h"
#include "loader/system/Fork.h"

#include <atomic>

namespace sextant::loader {

/// Tells if the process was forked since the object was made.
class Birth {
public:
  bool isOfParent() const { return system::forks() != forks; }

private:
  uint32_t forks = system::forks();
};

/// Why drivers, and their devices, are of no use in the child of a fork.
inline constexpr const char *driverStays =
    "its driver does not work in the child of a fork: open devices after the fork only, or start a "
    "new program";

class Presence {
public:
  bool isGone() const { return lost.load(std::memory_order_relaxed) || birth.isOfParent(); }
  /// Null, or driverStays.
  const char *whyOfParent() const { return birth.isOfParent() ? driverStays : nullptr; }
  /// The device counts as lost from now on.
  void lose() { lost.store(true, std::memory_order_relaxed); }
  /// Fails if the device is gone.
  sxt_status check(const char *device) const {
    if (!isGone()) [[likely]]
      return SXT_OK;
    const char *why = whyOfParent();
    return fail(SXT_ERROR_DEVICE, "%s is lost: %s", device,
                why ? why : "an earlier wait for it said so");
  }

private:
  std::atomic<bool> lost{false};
  Birth birth;
};

} // namespace sextant::loader
