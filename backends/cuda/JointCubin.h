// Cuts a cubin that ptxas made of several small PTX texts into those that it makes of each text:
// the same bytes. A run of ptxas for each would mostly start ptxas.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"

#include <optional>
#include <string>
#include <vector>

namespace sextant {

class JointCubin {
public:
  /// Returns nothing if the cubin has parts of an unknown kind that belong to no entry. The object
  /// refers to `bytes`.
  static std::optional<JointCubin> read(llvm::ArrayRef<char> bytes);

  /// The entries with parts of an unknown kind, such as relocations of their code. cut() needs a
  /// cubin without them.
  llvm::ArrayRef<llvm::StringRef> unknown() const { return strange; }

  /// Returns the cubin of some of the entries, which were one PTX text.
  llvm::SmallVector<char, 0> cut(llvm::ArrayRef<llvm::StringRef> kept) const;

private:
  struct Section {
    llvm::StringRef name;
    llvm::ELF::Elf64_Shdr header;
    llvm::StringRef bytes;
  };
  struct Symbol {
    llvm::StringRef name;
    llvm::ELF::Elf64_Sym row;
  };
  struct Cut;

  bool readSections(llvm::StringRef bytes);
  bool readSymbols();
  bool findStrange();
  const Section &section(llvm::StringRef name) const;
  llvm::StringRef ownerOf(llvm::StringRef name) const;

  llvm::ELF::Elf64_Ehdr header;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  std::vector<llvm::ELF::Elf64_Phdr> segments;
  llvm::SmallVector<llvm::StringRef> entries, strange; ///< in the cubin's order
};

} // namespace sextant
