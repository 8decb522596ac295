// The end of a process whose memory ran out.
#pragma once

namespace sextant {

/// Says so, and ends the process with status 1, from any thread. An exception would not do: LLVM's
/// code is compiled without them and keeps its locks, workers have nobody who catches it, and it
/// takes memory itself.
[[noreturn]] void endWithoutMemory();

} // namespace sextant
