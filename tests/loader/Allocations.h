// Counts what the loader allocates: malloc and its like are the test program's own.
#pragma once

#include <cstddef>

namespace sextant::test {

/// Allocations that the loader asks for from now on, on any thread, itself or through the
/// libraries that it calls. What a driver's stand-in allocates when the loader calls it is
/// none of them.
void countAllocations();
/// Ends counting.
size_t allocationsCounted();

} // namespace sextant::test
