// The parts of images' ELF that differ between processors: the machine, and the kinds of
// relocations. Sources: the System V ABI's supplement for x86-64, and ELF for the Arm 64-bit
// Architecture.
#pragma once

#include "loader/abi/Elf.h"

namespace sextant::loader::elf {

using namespace abi::elf;

// The value of a relocation is that of its symbol, or the image's address for `relative`, plus the
// addend.
#if defined(__aarch64__)
inline constexpr uint16_t hostMachine = 183;
inline constexpr uint32_t absolute = 257, data = 1025, function = 1026, relative = 1027;
#else
inline constexpr uint16_t hostMachine = 62;
inline constexpr uint32_t absolute = 1, data = 6, function = 7, relative = 8;
#endif

} // namespace sextant::loader::elf
