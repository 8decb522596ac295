// Waits that Ctrl-C ends.
#pragma once

#include "Common.h"

#include <functional>

namespace sextant::python {

/// Makes a call that may wait for long, without the interpreter's lock. Signals are handled
/// meanwhile: if a handler raises, as that of Ctrl-C does, the exception leaves the wait, and the
/// call goes on in a thread of its own.
/// \param kept what the call uses; it is let go, under the lock, when the call has returned
/// \param call owns no Python objects
void wait(std::shared_ptr<void> kept, std::function<sxt_status()> call);

/// Lets go of what calls that were left have used, if they have returned.
void reapWaits();

} // namespace sextant::python
