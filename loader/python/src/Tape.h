// Tapes: the launches of a thread while it is in a `with sextant.Tape():`.
#pragma once

#include "Array.h"
#include "Program.h"

namespace sextant::python {

/// One launch, for the tape that records the thread's launches, if there is one. It lies around the
/// launch itself.
class Recorded {
public:
  Recorded(Kernel &kernel, Arguments &arguments, Stream &stream);
  /// The launch was queued. Touches no Python object.
  void done();
};

/// An array of this package is going to be written, by work in the stream.
void recordWrite(const Array &array, Stream &stream);
/// Refuses work that tapes do not record, if one records now.
/// \param what it is: "a graph"
void refuseRecording(const char *what);

} // namespace sextant::python
