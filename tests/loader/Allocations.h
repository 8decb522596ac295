// Counts what the loader allocates: malloc and its like are the test program's own.
#pragma once

#include <cstddef>

namespace sextant::test {

/// Allocations that the loader asks for from now on, on any thread, itself or through the
/// libraries that it calls. Allocations of a driver's stand-in when the loader calls it do
/// not count.
void countAllocations();
/// Ends counting.
size_t allocationsCounted();

} // namespace sextant::test
