// Tells GDB and perf about CPU images.
//
// GDB's JIT interface (chapter "JIT Compilation Interface" of its manual) is a list of ELF files in
// memory, and a function at whose breakpoint GDB reads the list. GDB takes the addresses in such a
// file as they are, so the loader hands it a copy with the addresses in memory. Debug sections have
// absolute addresses where the relocations that the linker kept say so.
//
// perf's map has a line `start size name`, in hexadecimal, for each function in memory that belongs
// to no file.
#include "loader/devices/cpu/Debuggers.h"
#include "loader/Error.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

extern "C" {

// Names and layout are GDB's. The symbols are weak, since a JIT compiler in the same program has
// them too.
struct JitCode {
  JitCode *next, *previous;
  const char *image;
  uint64_t bytes;
};

struct JitDescriptor {
  uint32_t version, action;
  JitCode *relevant, *first;
};

[[gnu::weak, gnu::used, gnu::visibility("default")]] JitDescriptor __jit_debug_descriptor = {
    1, 0, nullptr, nullptr};

/// GDB sets a breakpoint here.
[[gnu::weak, gnu::used, gnu::noinline, gnu::visibility("default")]] void
__jit_debug_register_code() {
  asm volatile("nop" ::: "memory");
}
}

namespace sextant::loader {
namespace {

constexpr uint32_t registering = 1, unregistering = 2; // JitDescriptor::action

#if defined(__aarch64__)
constexpr uint32_t absoluteAddress = R_AARCH64_ABS64;
#else
constexpr uint32_t absoluteAddress = R_X86_64_64;
#endif

/// The sections of an ELF file whose table and contents lie inside the file.
class Sections {
public:
  static std::optional<Sections> read(std::span<const std::byte> file) {
    Elf64_Ehdr header;
    if (file.size() < sizeof header)
      return std::nullopt;
    std::memcpy(&header, file.data(), sizeof header);
    Sections sections;
    sections.tableOffset = header.e_shoff;
    const uint64_t bytes = uint64_t(header.e_shnum) * sizeof(Elf64_Shdr);
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > file.size() ||
        bytes > file.size() - header.e_shoff || header.e_shstrndx >= header.e_shnum)
      return std::nullopt;
    sections.table.resize(header.e_shnum);
    std::memcpy(sections.table.data(), file.data() + header.e_shoff, bytes);
    for (const Elf64_Shdr &section : sections.table)
      if (section.sh_type != SHT_NOBITS &&
          (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset))
        return std::nullopt;
    sections.names = header.e_shstrndx;
    return sections;
  }

  std::string_view nameOf(const Elf64_Shdr &section, std::span<const std::byte> file) const {
    return text(file, names, section.sh_name);
  }
  /// Returns the text at `offset` of the string section `index`, or "" if there is none.
  std::string_view text(std::span<const std::byte> file, uint32_t index, uint32_t offset) const {
    if (index >= table.size() || table[index].sh_type != SHT_STRTAB ||
        offset >= table[index].sh_size)
      return {};
    auto *begin = reinterpret_cast<const char *>(file.data()) + table[index].sh_offset + offset;
    return {begin, strnlen(begin, table[index].sh_size - offset)};
  }
  bool isLoaded(uint32_t index) const {
    return index < table.size() && (table[index].sh_flags & SHF_ALLOC);
  }

  std::vector<Elf64_Shdr> table;
  uint64_t tableOffset = 0;
  uint32_t names = 0;
};

bool isSymbolTable(const Elf64_Shdr &section) {
  return section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM;
}

/// Calls `visit` with each record of a section. Changes that it makes go back into `file`.
template <class Record, class Bytes, class Visit>
void forEachRecord(Bytes file, const Elf64_Shdr &section, Visit visit) {
  for (uint64_t at = 0; at + sizeof(Record) <= section.sh_size; at += sizeof(Record)) {
    auto *place = file.data() + section.sh_offset + at;
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
  Elf64_Ehdr header; // as it was checked: sections may lie over it
  std::memcpy(&header, file.data(), sizeof header);
  for (Elf64_Shdr &section : sections->table) {
    if (isSymbolTable(section)) {
      forEachRecord<Elf64_Sym>(file, section, [&](Elf64_Sym &symbol) {
        if (sections->isLoaded(symbol.st_shndx))
          symbol.st_value += base;
      });
    } else if (section.sh_type == SHT_RELA && !(section.sh_flags & SHF_ALLOC)) {
      if (section.sh_info < sections->table.size() && !sections->isLoaded(section.sh_info)) {
        const Elf64_Shdr target = sections->table[section.sh_info];
        std::byte *begin = file.data() + target.sh_offset;
        forEachRecord<Elf64_Rela>(file, section, [&](Elf64_Rela &entry) {
          uint64_t address = 0;
          if (ELF64_R_TYPE(entry.r_info) != absoluteAddress || target.sh_type == SHT_NOBITS ||
              target.sh_size < sizeof address || entry.r_offset > target.sh_size - sizeof address)
            return;
          std::memcpy(&address, begin + entry.r_offset, sizeof address);
          address += base;
          std::memcpy(begin + entry.r_offset, &address, sizeof address);
        });
      }
      section.sh_type = SHT_NULL; // done
    }
  }
  for (Elf64_Shdr &section : sections->table)
    if (section.sh_flags & SHF_ALLOC)
      section.sh_addr += base;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    std::byte *place = file.data() + header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    std::memcpy(&segment, place, sizeof segment);
    segment.p_vaddr += base;
    segment.p_paddr += base;
    std::memcpy(place, &segment, sizeof segment);
  }
  std::memcpy(file.data() + sections->tableOffset, sections->table.data(),
              sections->table.size() * sizeof(Elf64_Shdr));
  return true;
}

std::mutex &registry() {
  static std::mutex mutex;
  return mutex;
}

/// Moves the pages of executable segments to anonymous memory with the same contents.
void detachCode(std::span<const std::byte> image, uint64_t base) {
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || (segment.p_flags & PF_W))
      continue;
    const uint64_t begin = (base + segment.p_vaddr) / page * page;
    const uint64_t end = (base + segment.p_vaddr + segment.p_memsz + page - 1) / page * page;
    auto *memory = reinterpret_cast<std::byte *>(begin);
    const std::vector<std::byte> copy(memory, memory + (end - begin));
    if (mmap(memory, copy.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0) != memory)
      continue; // as it was
    std::memcpy(memory, copy.data(), copy.size());
    (void)mprotect(memory, copy.size(), PROT_READ | PROT_EXEC);
  }
}

} // namespace

bool hasDebugInfo(std::span<const std::byte> image) {
  std::optional<Sections> sections = Sections::read(image);
  if (sections)
    for (const Elf64_Shdr &section : sections->table)
      if (sections->nameOf(section, image) == ".debug_info")
        return true;
  return false;
}

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
  JitCode *first = __jit_debug_descriptor.first;
  made->list.next = first;
  if (first)
    first->previous = &made->list;
  __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = &made->list;
  __jit_debug_descriptor.action = registering;
  __jit_debug_register_code();
  entry = std::move(made);
}

GdbImage::~GdbImage() {
  if (!entry)
    return;
  std::lock_guard lock(registry());
  JitCode *next = entry->list.next, *previous = entry->list.previous;
  (previous ? previous->next : __jit_debug_descriptor.first) = next;
  if (next)
    next->previous = previous;
  __jit_debug_descriptor.relevant = &entry->list;
  __jit_debug_descriptor.action = unregistering;
  __jit_debug_register_code();
}

void tellPerf(std::span<const std::byte> image, uint64_t base) {
  const char *wish = environment("SEXTANT_PERF_MAP");
  std::optional<Sections> sections;
  if (!wish || std::string_view(wish) == "0" || !(sections = Sections::read(image)))
    return;
  detachCode(image, base);
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::lock_guard lock(registry());
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  std::FILE *stream = file < 0 ? nullptr : fdopen(file, "a");
  if (!stream) {
    if (file >= 0)
      close(file);
    return log(SXT_LOG_WARNING, "perf's map %s cannot be written", path.c_str());
  }
  for (const Elf64_Shdr &section : sections->table)
    if (section.sh_type == SHT_DYNSYM)
      forEachRecord<Elf64_Sym>(image, section, [&](Elf64_Sym &symbol) {
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size ||
            !sections->isLoaded(symbol.st_shndx))
          return;
        const std::string name(sections->text(image, section.sh_link, symbol.st_name));
        std::fprintf(stream, "%llx %llx %s\n",
                     static_cast<unsigned long long>(base + symbol.st_value),
                     static_cast<unsigned long long>(symbol.st_size), name.c_str());
      });
  std::fclose(stream);
}

} // namespace sextant::loader
