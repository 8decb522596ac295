// An image put together by hand, with the structures of the system's <elf.h>: the loader has its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace sextant::test {

#if defined(__aarch64__)
constexpr uint16_t machine = EM_AARCH64;
constexpr uint32_t absolute = R_AARCH64_ABS64, data = R_AARCH64_GLOB_DAT,
                   function = R_AARCH64_JUMP_SLOT, relative = R_AARCH64_RELATIVE,
                   indirect = R_AARCH64_IRELATIVE;
constexpr uint8_t returns42[] = {0x40, 0x05, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6}; // mov w0, 42; ret
#else
constexpr uint16_t machine = EM_X86_64;
constexpr uint32_t absolute = R_X86_64_64, data = R_X86_64_GLOB_DAT, function = R_X86_64_JUMP_SLOT,
                   relative = R_X86_64_RELATIVE, indirect = R_X86_64_IRELATIVE;
constexpr uint8_t returns42[] = {0xb8, 0x2a, 0, 0, 0, 0xc3}; // mov eax, 42; ret
#endif

/// Three segments in pages of 64 KiB: what is read, what runs, what is written. The code is the
/// function "task".
struct Draft {
  // Places in the file. Those in memory are 0x10000 higher for what runs, 0x20000 for what is
  // written.
  static constexpr uint64_t programs = 0x40, symbols = 0x200, names = 0x300, gnuHash = 0x340,
                            sysvHash = 0x3a0, relocations = 0x400, calls = 0x600, code = 0x700,
                            written = 0x800, slots = 0x900, end = 0xa00;
  static constexpr uint64_t codeAddress = 0x10000 + code, dynamicAddress = 0x20000 + written,
                            slotsAddress = 0x20000 + slots;
  enum Program { Read, Run, Write, Dynamic, Extra, programCount };

  Draft() : bytes(end) {
    auto &header = at<Elf64_Ehdr>(0);
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = machine;
    header.e_phoff = programs;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = programCount;
    program(Read) = {PT_LOAD, PF_R, 0, 0, 0, code, code, 0x10000};
    program(Run) = {PT_LOAD, PF_R | PF_X, code, codeAddress, 0, 0x100, 0x100, 0x10000};
    program(Write) = {PT_LOAD, PF_R | PF_W,   written, dynamicAddress,
                      0,       end - written, 0x1000,  0x10000};
    program(Dynamic) = {PT_DYNAMIC, PF_R | PF_W, written, dynamicAddress, 0, 0x100, 0x100, 8};
    program(Extra) = {PT_NULL, 0, 0, 0, 0, 0, 0, 0};
    std::memcpy(&bytes[code], returns42, sizeof returns42);
    const char text[] = "\0task\0elsewhere\0perhaps\0constant";
    std::memcpy(&bytes[names], text, sizeof text);
    symbol(1) = {6, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0};
    symbol(2) = {16, ELF64_ST_INFO(STB_WEAK, STT_FUNC), 0, SHN_UNDEF, 0, 0};
    symbol(3) = {24, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, SHN_ABS, 0x5555, 0};
    symbol(4) = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, codeAddress, sizeof returns42};
    // GNU's table: one bucket, which begins at symbol 3, no useful filter. The value of a symbol
    // has its lowest bit set in the last one of a bucket.
    const uint32_t gnu[] = {1, 3, 1, 0, ~0u, ~0u, 3, 0x10, 0x21};
    std::memcpy(&bytes[gnuHash], gnu, sizeof gnu);
    const uint32_t sysv[] = {1, 5, 4, 0, 0, 0, 0, 3};
    std::memcpy(&bytes[sysvHash], sysv, sizeof sysv);
    dynamics = {{DT_SYMTAB, {symbols}},
                {DT_STRTAB, {names}},
                {DT_STRSZ, {sizeof text}},
                {DT_GNU_HASH, {gnuHash}}};
  }

  template <class T> T &at(uint64_t place) { return reinterpret_cast<T &>(bytes[place]); }
  Elf64_Phdr &program(unsigned number) {
    return at<Elf64_Phdr>(programs + number * sizeof(Elf64_Phdr));
  }
  Elf64_Sym &symbol(unsigned number) { return at<Elf64_Sym>(symbols + number * sizeof(Elf64_Sym)); }
  /// Relocates slot `slot`.
  void relocate(unsigned slot, uint32_t type, uint32_t symbol, int64_t addend) {
    at<Elf64_Rela>(relocations + count++ * sizeof(Elf64_Rela)) = {
        slotsAddress + 8 * slot, ELF64_R_INFO(uint64_t(symbol), type), addend};
  }

  /// The image's bytes.
  std::vector<std::byte> done() {
    std::vector<Elf64_Dyn> all = dynamics;
    if (count) {
      all.push_back({DT_RELA, {relocations}});
      all.push_back({DT_RELASZ, {count * sizeof(Elf64_Rela)}});
    }
    std::memcpy(&bytes[written], all.data(), all.size() * sizeof(Elf64_Dyn));
    const auto *first = reinterpret_cast<const std::byte *>(bytes.data());
    return {first, first + bytes.size()};
  }

  std::vector<Elf64_Dyn> dynamics;
  std::vector<unsigned char> bytes;
  uint64_t count = 0; ///< number of relocations
};

} // namespace sextant::test
