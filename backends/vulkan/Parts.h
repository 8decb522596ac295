// A SPIR-V module that is added to: its head, which is all before the functions, and its functions.
#pragma once

#include "backends/spirv/Writer.h"

#include <map>

namespace sextant {

inline constexpr size_t spirvHeaderWords = 5, spirvBoundAt = 3;

using spirv::append;
using spirv::textWords;

/// Calls `visit` with each opcode and the words of its instruction.
template <class Visit> void eachInstruction(llvm::ArrayRef<uint32_t> words, Visit visit) {
  for (size_t at = 0, count; at < words.size(); at += count) {
    count = words[at] >> 16;
    visit(words[at] & 0xffff, words.slice(at, count));
  }
}

/// The head of a module, in which new types and constants are made once.
class ModuleHead {
public:
  /// Takes the words up to the first function, and leaves the others in `functions`.
  ModuleHead(llvm::ArrayRef<uint32_t> words, llvm::ArrayRef<uint32_t> &functions);

  uint32_t once(uint32_t op, llvm::ArrayRef<uint32_t> operands, size_t idAt = 0);
  uint32_t constant(uint32_t value) {
    return once(spv::OpConstant, {once(spv::OpTypeInt, {32, 0}), value}, 1);
  }
  void capability(uint32_t which) { append(capabilities, spv::OpCapability, {which}); }
  void extension(llvm::StringRef name) { append(extensions, spv::OpExtension, textWords(name)); }
  void name(uint32_t id, llvm::StringRef letters);
  uint32_t newId() { return header[spirvBoundAt]++; }
  /// True if the last call of `once` made something.
  bool isNew() const { return made; }

  /// The instructions, which may be changed in place.
  spirv::Words words;
  /// The whole module with these functions.
  spirv::Words with(llvm::ArrayRef<uint32_t> functions) const;

private:
  spirv::Words header, capabilities, extensions, names;
  std::map<spirv::Words, uint32_t> known;
  bool made = false;
};

} // namespace sextant
