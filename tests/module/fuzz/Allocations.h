// The memory that operator new was asked for. Linked where memory is asserted: a fixed bound holds
// for a file of some size, whatever it says.
#pragma once

#include <cstddef>

namespace sextant::test {

struct Allocations {
  size_t live = 0;    ///< bytes now
  size_t peak = 0;    ///< most at a time
  size_t largest = 0; ///< bytes of one request
};
Allocations allocations();
/// From now on: peak is what lives now, largest is 0.
void resetAllocations();

} // namespace sextant::test
