// Reads and checks the headers of ELF images: System V gABI, "ELF Header" and "Program Header".
#include "loader/devices/cpu/ElfLayout.h"
#include "loader/devices/cpu/HostElf.h"

#include <algorithm>
#include <cstring>

namespace sextant::loader {
namespace {

/// Far more than any image takes, and little enough that no sum of sizes overflows.
constexpr uint64_t mostBytes = uint64_t(1) << 32;

bool isInside(uint64_t begin, uint64_t bytes, uint64_t outerBegin, uint64_t outerBytes) {
  return begin >= outerBegin && bytes <= outerBytes && begin - outerBegin <= outerBytes - bytes;
}

bool isPowerOfTwo(uint64_t value) { return (value & (value - 1)) == 0; }

const char *addPart(const elf::Segment &segment, uint64_t fileBytes, ElfLayout &layout) {
  if (!isInside(segment.offset, segment.filesz, 0, fileBytes) || segment.memsz < segment.filesz)
    return "is cut short";
  if (!isInside(segment.vaddr, segment.memsz, 0, mostBytes) || segment.align > mostBytes)
    return "is too large";
  if (!isPowerOfTwo(segment.align))
    return "has an alignment that is not a power of two";
  const bool isWritten = (segment.flags & elf::pfW) != 0, isRun = (segment.flags & elf::pfX) != 0;
  if (isWritten && isRun)
    return "has memory that is written and run";
  if (segment.memsz == 0)
    return nullptr;
  layout.alignment = std::max(layout.alignment, segment.align);
  layout.parts.push_back({segment.vaddr, segment.memsz, segment.offset, segment.filesz,
                          isRun       ? system::Access::ReadExecute
                          : isWritten ? system::Access::ReadWrite
                                      : system::Access::Read});
  return nullptr;
}

/// The gABI asks for ascending addresses.
const char *checkPages(const std::vector<ElfPart> &parts, uint64_t page) {
  for (size_t i = 1; i < parts.size(); ++i) {
    const uint64_t end = parts[i - 1].begin + parts[i - 1].bytes, begin = parts[i].begin;
    if (begin < end)
      return "has segments that overlap";
    if (begin / page <= (end - 1) / page)
      return "was linked for smaller pages than this system has; compile it again";
  }
  return nullptr;
}

} // namespace

const ElfPart *ElfLayout::find(uint64_t begin, uint64_t bytes) const {
  for (const ElfPart &part : parts)
    if (isInside(begin, bytes, part.begin, part.bytes))
      return &part;
  return nullptr;
}

const char *readLayout(std::span<const std::byte> file, uint64_t page, ElfLayout &layout) {
  elf::Header header;
  if (file.size() < sizeof header ||
      std::memcmp(file.data(), elf::magic, 4) != 0) // the others are the class and the byte order
    return "is not an ELF file";
  std::memcpy(&header, file.data(), sizeof header);
  if (std::memcmp(header.ident, elf::magic, sizeof elf::magic) != 0 ||
      header.type != elf::sharedObject || header.machine != elf::hostMachine)
    return "is not a 64-bit shared object of this machine";
  const uint64_t table = uint64_t(header.phnum) * sizeof(elf::Segment);
  if (header.phentsize != sizeof(elf::Segment) || !isInside(header.phoff, table, 0, file.size()))
    return "is cut short";
  for (unsigned i = 0; i < header.phnum; ++i) {
    elf::Segment segment;
    std::memcpy(&segment, file.data() + header.phoff + i * sizeof segment, sizeof segment);
    const ElfRange range{segment.vaddr, segment.memsz};
    if (segment.type == elf::ptLoad) {
      if (const char *problem = addPart(segment, file.size(), layout))
        return problem;
    } else if (segment.type == elf::ptDynamic) {
      layout.dynamic = range;
    } else if (segment.type == elf::ptGnuRelro) {
      layout.relro = range;
    } else if (segment.type == elf::ptGnuEhFrame) {
      layout.frames = range;
    } else if (segment.type == elf::ptTls) {
      return "has variables of threads";
    }
  }
  if (const char *problem = checkPages(layout.parts, page))
    return problem;
  if (!layout.dynamic.bytes || !layout.find(layout.dynamic.begin, layout.dynamic.bytes))
    return "is not a shared object";
  if (layout.relro.bytes && !layout.find(layout.relro.begin, layout.relro.bytes))
    return "has segments that overlap";
  layout.alignment = std::max(layout.alignment, page);
  layout.all.begin = layout.parts.front().begin & ~(layout.alignment - 1);
  layout.all.bytes = layout.parts.back().begin + layout.parts.back().bytes - layout.all.begin;
  return nullptr;
}

system::FrameSections ElfLayout::frameSections(std::span<const std::byte> file) const {
  const ElfPart *part = find(frames.begin, frames.bytes);
  if (!part || frames.bytes == 0)
    return {};
  return {file.subspan(part->fileBegin, part->fileBytes), part->begin, frames.begin, all.begin,
          all.begin + all.bytes};
}

} // namespace sextant::loader
