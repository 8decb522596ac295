// Relocates ELF images and finds their symbols: System V gABI, "Dynamic Section"; the values of
// relocations by the psABI for x86-64 and by ELF for the Arm 64-bit Architecture. The hash table of
// GNU is only read for the number of symbols: images have few.
//
// Addresses and sizes in an image may be anything, so each access asks the layout first.
#include "loader/devices/cpu/ElfDynamic.h"
#include "loader/devices/cpu/HostElf.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader {

static sxt_status failDamaged() {
  return fail(SXT_ERROR_BAD_MODULE, "the CPU image has a damaged dynamic section");
}

template <class Value> bool ElfDynamic::load(uint64_t address, Value &value) const {
  if (!layout->find(address, sizeof value))
    return false;
  std::memcpy(&value, memory + address, sizeof value);
  return true;
}

sxt_status ElfDynamic::read(const ElfLayout &ofImage, std::byte *base) {
  layout = &ofImage;
  memory = base;
  const ElfRange &section = layout->dynamic;
  for (uint64_t at = 0; at + sizeof(elf::Dynamic) <= section.bytes; at += sizeof(elf::Dynamic)) {
    elf::Dynamic entry;
    if (!load(section.begin + at, entry))
      return failDamaged();
    switch (entry.tag) {
    case elf::dtNull:
      return SXT_OK;
    case elf::dtHash:
      hash = entry.value;
      break;
    case elf::dtGnuHash:
      gnuHash = entry.value;
      break;
    case elf::dtSymtab:
      symbols = entry.value;
      break;
    case elf::dtStrtab:
      texts.begin = entry.value;
      break;
    case elf::dtStrsz:
      texts.bytes = entry.value;
      break;
    case elf::dtRela:
      relocations.begin = entry.value;
      break;
    case elf::dtRelasz:
      relocations.bytes = entry.value;
      break;
    case elf::dtJmprel:
      functions.begin = entry.value;
      break;
    case elf::dtPltrelsz:
      functions.bytes = entry.value;
      break;
    case elf::dtRel:
    case elf::dtRelr:
      return fail(SXT_ERROR_BAD_MODULE, "the CPU image has relocations without addends");
    case elf::dtInit:
    case elf::dtFini:
    case elf::dtInitArray:
    case elf::dtFiniArray:
    case elf::dtPreinitArray:
      return fail(SXT_ERROR_BAD_MODULE, "the CPU image has code that runs when it is loaded");
    default:
      break;
    }
  }
  return SXT_OK;
}

/// Returns a text of the table of names, or null if it does not end there.
const char *ElfDynamic::text(uint32_t offset) const {
  if (!layout->find(texts.begin, texts.bytes) || offset >= texts.bytes)
    return nullptr;
  auto *begin = reinterpret_cast<const char *>(memory + texts.begin + offset);
  return std::memchr(begin, 0, texts.bytes - offset) ? begin : nullptr;
}

//===--- Relocations -------------------------------------------------------===//

sxt_status ElfDynamic::relocate(void *(*resolve)(const char *name)) const {
  SXT_TRY(relocate(relocations, resolve));
  return relocate(functions, resolve);
}

sxt_status ElfDynamic::relocate(const Table &table, void *(*resolve)(const char *name)) const {
  for (uint64_t at = 0; at < table.bytes; at += sizeof(elf::Relocation)) {
    elf::Relocation entry;
    if (!load(table.begin + at, entry))
      return failDamaged();
    const uint32_t type = entry.type();
    const ElfPart *part = layout->find(entry.offset, sizeof(uint64_t));
    if (!part || part->access != system::Access::ReadWrite)
      return fail(SXT_ERROR_BAD_MODULE, "the CPU image has a relocation outside of its data");
    uint64_t value = 0;
    if (type == elf::relative)
      value = reinterpret_cast<uintptr_t>(memory);
    else if (type == elf::absolute || type == elf::data || type == elf::function)
      SXT_TRY(valueOf(entry.symbol(), resolve, value));
    else
      return fail(SXT_ERROR_BAD_MODULE, "the CPU image has a relocation of the unknown type %u",
                  type);
    value += static_cast<uint64_t>(entry.addend);
    std::memcpy(memory + entry.offset, &value, sizeof value);
  }
  return SXT_OK;
}

sxt_status ElfDynamic::valueOf(uint32_t number, void *(*resolve)(const char *name),
                               uint64_t &value) const {
  elf::Symbol symbol;
  const char *name = nullptr;
  if (!load(symbols + number * sizeof symbol, symbol) || !(name = text(symbol.name)))
    return failDamaged();
  if (symbol.type() == elf::sttTls || symbol.type() == elf::sttGnuIfunc)
    return fail(SXT_ERROR_BAD_MODULE, "the CPU image has a symbol '%s' of the unknown type %u",
                name, symbol.type());
  value = symbol.value;
  if (symbol.shndx == elf::shnUndef) {
    value = reinterpret_cast<uintptr_t>(resolve(name));
    if (!value && symbol.binding() != elf::stbWeak)
      return fail(SXT_ERROR_UNSUPPORTED,
                  "the CPU image calls '%s', which this system lacks: compile it again", name);
  } else if (symbol.shndx != elf::shnAbs) {
    value += reinterpret_cast<uintptr_t>(memory);
  }
  return SXT_OK;
}

//===--- Symbols -----------------------------------------------------------===//

uint64_t ElfDynamic::countOfSymbols() const {
  uint32_t words[3] = {}; // the first words of DT_HASH: buckets, symbols
  if (hash)
    return load(hash, words) ? words[1] : 0;
  // DT_GNU_HASH has: buckets, the first symbol in them, words of the filter, a shift; then the
  // filter, the buckets, and a word for each symbol, with a bit in the last one of a bucket.
  uint32_t last = 0, word = 0;
  if (!gnuHash || !load(gnuHash, words))
    return 0;
  const uint64_t buckets = gnuHash + 16 + words[2] * uint64_t(8);
  for (uint32_t i = 0; i < words[0]; ++i) {
    if (!load(buckets + i * uint64_t(4), word))
      return 0;
    last = std::max(last, word);
  }
  if (last < words[1])
    return words[1];
  const uint64_t chains = buckets + words[0] * uint64_t(4);
  do
    if (!load(chains + (last - words[1]) * uint64_t(4), word))
      return 0;
  while (++last, !(word & 1));
  return last;
}

void *ElfDynamic::find(std::string_view name) const {
  const uint64_t count = countOfSymbols();
  elf::Symbol symbol;
  for (uint64_t i = 0; i < count && load(symbols + i * sizeof symbol, symbol); ++i) {
    const char *own = text(symbol.name);
    if (symbol.shndx == elf::shnUndef || symbol.type() != elf::sttFunc || !own || name != own)
      continue;
    const ElfPart *part = layout->find(symbol.value, 1);
    return part && part->access == system::Access::ReadExecute ? memory + symbol.value : nullptr;
  }
  return nullptr;
}

} // namespace sextant::loader
