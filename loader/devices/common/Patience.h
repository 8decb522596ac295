// A wait for a device that may never answer: a driver need not say that the device is lost.
// Waits go in slices, so that a driver can be asked in between, and end where the user says so.
#pragma once

#include <chrono>

namespace sextant::loader {

class Patience {
public:
  using Clock = std::chrono::steady_clock;

  /// What SEXTANT_WAIT_LIMIT lets a wait take; zero: as long as it takes.
  static Clock::duration limit();
  static bool isLimited() { return limit() != Clock::duration::zero(); }

  /// How long to wait before looking up again.
  Clock::duration slice() const { return longest; }
  /// Whether the wait has taken all of its time.
  bool isOver() const;
  /// Whether to ask the driver if the device is there: after the first slice, whenever the wait
  /// has doubled since, and at least once a minute.
  bool shouldAsk();

private:
  static constexpr Clock::duration longest = std::chrono::milliseconds(100);
  Clock::time_point begin = Clock::now();
  Clock::duration next = longest;
};

} // namespace sextant::loader
