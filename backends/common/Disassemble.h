// Assembly text of linked ELF images.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace sextant {

/// The instruction set of an image.
struct InstructionSet {
  std::string triple, cpu, features; ///< as llc takes them
  std::optional<unsigned> dialect;   ///< dialect of the assembly; absent: the target's own
};

/// Returns the code of each exported function, one instruction on each line.
llvm::Expected<std::string> disassembleImage(llvm::ArrayRef<char> image,
                                             const InstructionSet &instructions);

} // namespace sextant
