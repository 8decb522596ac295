// Call frame information as ELF images have it, read for systems with tables of their own.
#pragma once

#include "loader/system/Frames.h"

#include <array>
#include <vector>

namespace sextant::system {

/// How a function's caller is found while the processor is at some of its instructions. Registers
/// have the numbers of DWARF on x86-64.
struct CallFrameRow {
  uint32_t begin = 0, end = 0; ///< the instructions, from the image's first address
  /// The frame's address, where the caller's stack pointer points, is a register plus an offset.
  /// The return address lies 8 bytes below it.
  uint64_t base = 0;
  int64_t offset = 0;
  /// Where a register was saved, from the frame's address. 0: it was not.
  std::array<int64_t, 16> saved{};

  bool hasRulesOf(const CallFrameRow &other) const {
    return base == other.base && offset == other.offset && saved == other.saved;
  }
};

/// The rows of one function, which cover it in ascending order.
using CallFrame = std::vector<CallFrameRow>;

/// Reads the frames of functions in ascending order, and believes none of the bytes. Functions that
/// use more of DWARF than LLVM does for code for x86-64 without exceptions are left out.
std::vector<CallFrame> readCallFrames(const FrameSections &sections);

} // namespace sextant::system
