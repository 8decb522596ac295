// The dynamic section of an ELF image in memory: its relocations and its symbols.
#pragma once

#include "loader/Error.h"
#include "loader/devices/cpu/ElfLayout.h"

#include <string_view>

namespace sextant::loader {

class ElfDynamic {
public:
  /// Reads the section. `layout` is of an image whose address 0 is `memory` (below what is mapped
  /// if the image begins elsewhere). Both outlive this object.
  sxt_status read(const ElfLayout &layout, std::byte *memory);
  /// Gives what depends on the image's place its values, in parts that are writable. `resolve`
  /// returns the address of a function that the image lacks, or null.
  sxt_status relocate(void *(*resolve)(const char *name)) const;
  /// Returns the address of a function that the image defines, or null. May be called by several
  /// threads at once.
  void *find(std::string_view name) const;

private:
  struct Table {
    uint64_t begin = 0, bytes = 0;
  };

  template <class Value> bool load(uint64_t address, Value &value) const;
  const char *text(uint32_t offset) const;
  uint64_t countOfSymbols() const;
  sxt_status relocate(const Table &table, void *(*resolve)(const char *name)) const;
  sxt_status valueOf(uint32_t number, void *(*resolve)(const char *name), uint64_t &value) const;

  const ElfLayout *layout = nullptr;
  std::byte *memory = nullptr;
  Table relocations, functions, texts;
  uint64_t symbols = 0, hash = 0, gnuHash = 0;
};

} // namespace sextant::loader
