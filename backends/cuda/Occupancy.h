// How full a task leaves a multiprocessor, by the rules that NVIDIA publishes for its occupancy
// calculator.
#pragma once

namespace sextant {

/// The resources of a multiprocessor that a block of a task takes.
struct BlockNeeds {
  unsigned threads;
  int registers;   ///< a thread
  int sharedBytes; ///< static and with the launch
};

/// Returns how many warps of such blocks a multiprocessor of that capability (10 × major + minor)
/// holds at a time; -1 if a number is unknown. 0: a block does not fit.
int residentWarps(unsigned capability, const BlockNeeds &block);

} // namespace sextant
