// The end of a process that no exception reaches: memory ran out, or LLVM gave up.
#pragma once

namespace sextant {

/// From now on, the functions below write what `--diagnostics=json` does. They do so anyway where
/// the process has that argument itself, and not in a file of arguments.
void endInJson();
/// Says so, and ends the process with status 1, from any thread. An exception would not do: LLVM's
/// code is compiled without them and keeps its locks, workers have nobody who catches it, and it
/// takes memory itself.
[[noreturn]] void endWithoutMemory();
/// Says that the compiler has a defect, and ends the process with status 2, from any thread.
[[noreturn]] void endWithDefect(const char *reason);

} // namespace sextant
