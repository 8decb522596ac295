// Tells GDB and perf about CPU images.
//
// GDB's JIT interface is a list of ELF files in memory, and a function at whose breakpoint GDB
// reads the list. GDB takes the addresses in such a file as they are, so the loader hands it a copy
// with the addresses in memory. Debug sections have absolute addresses where the relocations that
// the linker kept say so. Call frames count from their own place, and follow their section.
//
// perf's map has a line `start size name`, in hexadecimal, for each function in memory that belongs
// to no file.
#include "loader/devices/cpu/Debuggers.h"
#include "loader/Error.h"
#include "loader/devices/cpu/GdbInterface.h"
#include "loader/devices/cpu/HostElf.h"
#include "loader/format/Text.h"
#include "loader/system/Environment.h"
#include "loader/system/File.h"

#include <cinttypes>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

extern "C" {

// The symbols are weak, since a JIT compiler in the same program has them too.
[[gnu::weak, gnu::used, gnu::visibility("default")]] JitDescriptor __jit_debug_descriptor = {
    1, 0, nullptr, nullptr};

[[gnu::weak, gnu::used, gnu::noinline, gnu::visibility("default")]] void
__jit_debug_register_code() {
  asm volatile("nop" ::: "memory");
}
}

namespace sextant::loader {
namespace {

constexpr uint32_t registering = 1, unregistering = 2; // JitDescriptor::action

// In objects for Windows, GNU's assembler (2.40) gets the place of a weak symbol wrong where an
// instruction names it, but not in data: these are read each time, so no instruction names the
// symbols.
JitDescriptor *volatile const descriptor = &__jit_debug_descriptor;
void (*volatile const tellGdb)() = __jit_debug_register_code;

/// The sections of an ELF file whose table and contents lie inside the file.
class Sections {
public:
  static std::optional<Sections> read(std::span<const std::byte> file) {
    elf::Header header;
    if (file.size() < sizeof header)
      return std::nullopt;
    std::memcpy(&header, file.data(), sizeof header);
    Sections sections;
    sections.tableOffset = header.shoff;
    const uint64_t bytes = uint64_t(header.shnum) * sizeof(elf::Section);
    if (header.shentsize != sizeof(elf::Section) || header.shoff > file.size() ||
        bytes > file.size() - header.shoff || header.shstrndx >= header.shnum)
      return std::nullopt;
    sections.table.resize(header.shnum);
    std::memcpy(sections.table.data(), file.data() + header.shoff, bytes);
    for (const elf::Section &section : sections.table)
      if (section.type != elf::shtNobits &&
          (section.offset > file.size() || section.size > file.size() - section.offset))
        return std::nullopt;
    return sections;
  }

  /// Returns the text at `offset` of the string section `index`, or "" if there is none.
  std::string_view text(std::span<const std::byte> file, uint32_t index, uint32_t offset) const {
    if (index >= table.size() || table[index].type != elf::shtStrtab || offset >= table[index].size)
      return {};
    auto *begin = reinterpret_cast<const char *>(file.data()) + table[index].offset + offset;
    return {begin, strnlen(begin, table[index].size - offset)};
  }
  bool isLoaded(uint32_t index) const {
    return index < table.size() && (table[index].flags & elf::shfAlloc);
  }

  std::vector<elf::Section> table;
  uint64_t tableOffset = 0;
};

bool isSymbolTable(const elf::Section &section) {
  return section.type == elf::shtSymtab || section.type == elf::shtDynsym;
}

/// Calls `visit` with each record of a section. Changes that it makes go back into `file`.
template <class Record, class Bytes, class Visit>
void forEachRecord(Bytes file, const elf::Section &section, Visit visit) {
  for (uint64_t at = 0; at + sizeof(Record) <= section.size; at += sizeof(Record)) {
    auto *place = file.data() + section.offset + at;
    Record record;
    std::memcpy(&record, place, sizeof record);
    visit(record);
    if constexpr (!std::is_const_v<std::remove_pointer_t<decltype(place)>>)
      std::memcpy(place, &record, sizeof record);
  }
}

/// Gives the copy of an image the addresses that it has in memory.
bool relocate(std::span<std::byte> file, uint64_t base) {
  std::optional<Sections> sections = Sections::read(file);
  if (!sections)
    return false;
  elf::Header header; // as it was checked: sections may lie over it
  std::memcpy(&header, file.data(), sizeof header);
  for (elf::Section &section : sections->table) {
    if (isSymbolTable(section)) {
      forEachRecord<elf::Symbol>(file, section, [&](elf::Symbol &symbol) {
        if (sections->isLoaded(symbol.shndx))
          symbol.value += base;
      });
    } else if (section.type == elf::shtRela && !(section.flags & elf::shfAlloc)) {
      if (section.info < sections->table.size() && !sections->isLoaded(section.info)) {
        const elf::Section target = sections->table[section.info];
        std::byte *begin = file.data() + target.offset;
        forEachRecord<elf::Relocation>(file, section, [&](elf::Relocation &entry) {
          uint64_t address = 0;
          if (entry.type() != elf::absolute || target.type == elf::shtNobits ||
              target.size < sizeof address || entry.offset > target.size - sizeof address)
            return;
          std::memcpy(&address, begin + entry.offset, sizeof address);
          address += base;
          std::memcpy(begin + entry.offset, &address, sizeof address);
        });
      }
      section.type = elf::shtNull; // done
    }
  }
  for (elf::Section &section : sections->table)
    if (section.flags & elf::shfAlloc)
      section.addr += base;
  for (unsigned i = 0; i < header.phnum; ++i) {
    std::byte *place = file.data() + header.phoff + i * sizeof(elf::Segment);
    elf::Segment segment;
    std::memcpy(&segment, place, sizeof segment);
    segment.vaddr += base;
    segment.paddr += base;
    std::memcpy(place, &segment, sizeof segment);
  }
  std::memcpy(file.data() + sections->tableOffset, sections->table.data(),
              sections->table.size() * sizeof(elf::Section));
  return true;
}

std::mutex &registry() {
  static std::mutex mutex;
  return mutex;
}

} // namespace

struct GdbImage::Entry {
  std::vector<std::byte> file;
  JitCode list = {};
};

GdbImage::GdbImage(std::span<const std::byte> image, uint64_t base) {
  auto made = std::make_unique<Entry>();
  made->file.assign(image.begin(), image.end());
  if (!relocate(made->file, base))
    return;
  made->list.image = reinterpret_cast<const char *>(made->file.data());
  made->list.bytes = made->file.size();
  std::lock_guard lock(registry());
  JitCode *first = descriptor->first;
  made->list.next = first;
  if (first)
    first->previous = &made->list;
  descriptor->first = descriptor->relevant = &made->list;
  descriptor->action = registering;
  tellGdb();
  entry = std::move(made);
}

GdbImage::~GdbImage() {
  if (!entry)
    return;
  std::lock_guard lock(registry());
  JitCode *next = entry->list.next, *previous = entry->list.previous;
  (previous ? previous->next : descriptor->first) = next;
  if (next)
    next->previous = previous;
  descriptor->relevant = &entry->list;
  descriptor->action = unregistering;
  tellGdb();
}

void tellPerf(std::span<const std::byte> image, uint64_t base) {
  const char *wish = system::environment("SEXTANT_PERF_MAP");
  std::optional<Sections> sections;
  if (!wish || std::string_view(wish) == "0" || !(sections = Sections::read(image)))
    return;
  const std::string path = system::perfMap();
  if (path.empty())
    return log(SXT_LOG_WARNING, "SEXTANT_PERF_MAP is ignored: this system has no perf");
  std::string lines;
  for (const elf::Section &section : sections->table)
    if (section.type == elf::shtDynsym)
      forEachRecord<elf::Symbol>(image, section, [&](elf::Symbol &symbol) {
        if (symbol.type() != elf::sttFunc || !symbol.size || !sections->isLoaded(symbol.shndx))
          return;
        const std::string name(sections->text(image, section.link, symbol.name));
        lines += module::message("%" PRIx64 " %" PRIx64 " %s\n", base + symbol.value, symbol.size,
                                 name.c_str());
      });
  std::lock_guard lock(registry());
  const std::string why = system::appendToFile(path, lines);
  if (!why.empty())
    log(SXT_LOG_WARNING, "perf's map %s cannot be written: %s", path.c_str(), why.c_str());
}

} // namespace sextant::loader
