// Frames as Windows on x86-64 describes them: UNWIND_INFO of each range of instructions.
//
// Windows expects one record for a function, with a prologue of at most 255 bytes, and recognises
// epilogues by their instructions. ELF's call frames change at any instruction. So each row of a
// function has a record of its own, without a prologue, that describes the frame as it is there.
// The first row, where nothing has been pushed, is the function to Windows, and the others are
// chained to it: so a jump between rows does not leave the function, as the end of an epilogue
// does.
//
// Every instruction of a function is exact, with one exception: after a pop, in the epilogue of a
// function with a frame pointer, a register's old place is below the stack pointer. Handlers of
// exceptions run there, but neither a pop nor what follows it up to the return makes one. Windows
// recognises such an epilogue by its instructions, unless vzeroupper stands before its return.
#pragma once

#include "loader/system/CallFrames.h"

namespace sextant::system {

/// RUNTIME_FUNCTION. Numbers are bytes from the image's first address.
struct UnwindFunction {
  uint32_t begin = 0, end = 0, record = 0;
};

struct UnwindRecords {
  std::vector<UnwindFunction> functions; ///< in ascending order
  std::vector<std::byte> records;        ///< UNWIND_INFO, each at a multiple of 4 bytes
};

/// Translates frames. Functions whose frames have no record are left out: those whose frame's
/// address depends on rax, or lies too far from a register that was saved.
/// \param place of the records, from the image's first address; a multiple of 4
UnwindRecords unwindRecords(std::span<const CallFrame> frames, uint64_t place);

} // namespace sextant::system
