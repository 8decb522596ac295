// Assembly text of linked ELF images.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace sextant {

/// What instructions an image holds.
struct InstructionSet {
  std::string triple, cpu, features; ///< as llc takes them
  std::optional<unsigned> dialect;   ///< of the assembly; none: the target's own
};

/// The code of each exported function, one instruction a line.
llvm::Expected<std::string> disassembleImage(llvm::ArrayRef<char> image,
                                             const InstructionSet &instructions);

} // namespace sextant
