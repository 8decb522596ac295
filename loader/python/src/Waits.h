// Waits that Ctrl-C ends.
#pragma once

#include "Common.h"

#include <chrono>
#include <functional>

namespace sextant::python {

/// Makes a call that may wait for long, without the interpreter's lock. Signals are handled
/// meanwhile: if a handler raises, as that of Ctrl-C does, the exception leaves the wait, and the
/// call goes on in a thread of its own.
/// \param kept what the call uses; it is let go, under the lock, when the call has returned
/// \param call owns no Python objects
void wait(std::shared_ptr<void> kept, std::function<sxt_status()> call);

/// Lets go of what calls that were left have used, if they have returned. Returns true if all have.
bool reapWaits();

/// Remembers that a wait for some work was brief. The next one for the same work is made by the
/// caller's own thread then, because handing it to another one would take longer.
class Brief {
public:
  /// Makes a wait, which is told whether it will be brief.
  /// \param work a number for all that the length of the work depends on, but not 0
  template <class Wait> void wait(uint64_t work, Wait wait) {
    const auto begin = std::chrono::steady_clock::now();
    wait(known == work);
    known = std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(1) ? work : 0;
  }

private:
  uint64_t known = 0;
};

} // namespace sextant::python
