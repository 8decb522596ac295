// The parts of ELF that images have, for the loader, which maps those of CPUs, and for the
// packager, which cuts and counts all. Sources: System V gABI (chapters "Object Files" and "Program
// Loading and Dynamic Linking"), and what compilers add to it. Not every system has an <elf.h>;
// where there is one, its macros have the names in capitals.
#pragma once

#include <cstdint>

namespace sextant::abi::elf {

struct Header {
  unsigned char ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, phoff, shoff;
  uint32_t flags;
  uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct Segment {
  uint32_t type, flags;
  uint64_t offset, vaddr, paddr, filesz, memsz, align;
};

struct Section {
  uint32_t name, type;
  uint64_t flags, addr, offset, size;
  uint32_t link, info;
  uint64_t addralign, entsize;
};

struct Symbol {
  uint32_t name;
  uint8_t info, other;
  uint16_t shndx;
  uint64_t value, size;

  unsigned type() const { return info & 15; }
  unsigned binding() const { return info >> 4; }
};

struct Relocation {
  uint64_t offset, info;
  int64_t addend;

  uint32_t type() const { return static_cast<uint32_t>(info); }
  uint32_t symbol() const { return static_cast<uint32_t>(info >> 32); }
};

struct Dynamic {
  int64_t tag;
  uint64_t value;
};

static_assert(sizeof(Header) == 64 && sizeof(Segment) == 56 && sizeof(Section) == 64 &&
              sizeof(Symbol) == 24 && sizeof(Relocation) == 24 && sizeof(Dynamic) == 16);

// Header
inline constexpr unsigned char magic[] = {0x7f, 'E',           'L',
                                          'F',  /*64 bits*/ 2, /*low bytes first*/ 1};
inline constexpr uint16_t sharedObject = 3;
// Segment::type and flags
inline constexpr uint32_t ptLoad = 1, ptDynamic = 2, ptTls = 7, ptGnuEhFrame = 0x6474e550,
                          ptGnuRelro = 0x6474e552;
inline constexpr uint32_t pfX = 1, pfW = 2;
// Section::type and flags
inline constexpr uint32_t shtNull = 0, shtSymtab = 2, shtStrtab = 3, shtRela = 4, shtHash = 5,
                          shtDynamic = 6, shtNote = 7, shtNobits = 8, shtRel = 9, shtDynsym = 11,
                          shtRelr = 19, shtGnuHash = 0x6ffffff6;
inline constexpr uint64_t shfWrite = 1, shfAlloc = 2, shfExecinstr = 4;
// Symbol
inline constexpr uint16_t shnUndef = 0, shnAbs = 0xfff1;
inline constexpr unsigned stbWeak = 2, sttFunc = 2, sttTls = 6, sttGnuIfunc = 10;
// Dynamic::tag
inline constexpr int64_t dtNull = 0, dtPltrelsz = 2, dtHash = 4, dtStrtab = 5, dtSymtab = 6,
                         dtRela = 7, dtRelasz = 8, dtStrsz = 10, dtInit = 12, dtFini = 13,
                         dtRel = 17, dtJmprel = 23, dtInitArray = 25, dtFiniArray = 26,
                         dtPreinitArray = 32, dtRelr = 36, dtGnuHash = 0x6ffffef5;

} // namespace sextant::abi::elf
