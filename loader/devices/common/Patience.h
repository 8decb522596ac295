// A wait for a device that may never answer: a driver need not report that a device is lost. The
// wait goes in slices, so that the loader can ask the driver in between and can stop when the
// user's limit is reached.
#pragma once

#include <chrono>

namespace sextant::loader {

class Patience {
public:
  using Clock = std::chrono::steady_clock;

  /// The limit of SEXTANT_WAIT_LIMIT; zero: no limit.
  static Clock::duration limit();
  static bool isLimited() { return limit() != Clock::duration::zero(); }

  /// How long to wait before the next look.
  Clock::duration slice() const { return longest; }
  /// True while a thread should look again and again, and not sleep.
  bool isFresh() const { return Clock::now() - begin < std::chrono::milliseconds(1); }
  /// True if the wait has reached its limit.
  bool isOver() const;
  /// True if it is time to ask the driver for the device: after the first slice, whenever the wait
  /// has doubled since, and at least once a minute.
  bool shouldAsk();

private:
  static constexpr Clock::duration longest = std::chrono::milliseconds(100);
  Clock::time_point begin = Clock::now();
  Clock::duration next = longest;
};

} // namespace sextant::loader
