// After the System V ABI, edition 4.1, chapters 4 and 5, and what compilers add to it.
#include "packager/ElfParts.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace sextant::packager {

namespace {

struct FileHeader {
  unsigned char ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, programs, sections;
  uint32_t flags;
  uint16_t headerBytes, programBytes, programCount, sectionBytes, sectionCount, names;
};
static_assert(sizeof(FileHeader) == 64);

struct SectionHeader {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t alignment, entryBytes;
};
static_assert(sizeof(SectionHeader) == 64);

enum : uint32_t {
  Null = 0,
  SymbolTable = 2,
  StringTable = 3,
  RelocationsAddend = 4,
  HashTable = 5,
  Dynamic = 6,
  Note = 7,
  NoBits = 8,
  Relocations = 9,
  DynamicSymbols = 11,
  RelativeRelocations = 19,
  GnuHash = 0x6ffffff6,
};
constexpr uint64_t isWritable = 1, isAllocated = 2, isExecutable = 4;

struct Part {
  uint64_t begin, end;
  std::string_view kind;
};

std::string_view kindOf(const SectionHeader &section, std::string_view name) {
  auto begins = [&](std::string_view with) { return name.starts_with(with); };
  if (begins(".debug") || begins(".nv_debug") || begins(".line"))
    return "debug";
  if (begins(".eh_frame") || begins(".gcc_except"))
    return "unwinding";
  switch (section.type) {
  case SymbolTable:
  case StringTable:
  case HashTable:
  case DynamicSymbols:
  case GnuHash:
    return "symbols";
  case RelocationsAddend:
  case Relocations:
  case RelativeRelocations:
  case Dynamic:
    return "relocations";
  case Note:
    return "notes";
  default:
    break;
  }
  if (begins(".nv.info") || begins(".note") || begins(".comment") || begins(".nv.compat"))
    return "notes";
  if ((section.flags & isExecutable) != 0)
    return "code";
  if (begins(".nv.constant") || begins(".rodata"))
    return "constants";
  if ((section.flags & isAllocated) != 0)
    return (section.flags & isWritable) != 0 ? "data" : "constants";
  return "other";
}

} // namespace

std::map<std::string_view, uint64_t> elfParts(std::span<const std::byte> image) {
  FileHeader header{};
  if (image.size() < sizeof(header))
    return {};
  std::memcpy(&header, image.data(), sizeof(header));
  const bool isKnown = std::memcmp(header.ident,
                                   "\x7f"
                                   "ELF\x02\x01",
                                   6) == 0;
  const uint64_t tableBytes = uint64_t(header.sectionCount) * sizeof(SectionHeader);
  if (!isKnown || header.sectionBytes != sizeof(SectionHeader) || header.sections > image.size() ||
      tableBytes > image.size() - header.sections)
    return {};
  std::vector<SectionHeader> sections(header.sectionCount);
  if (!sections.empty())
    std::memcpy(sections.data(), image.data() + header.sections, tableBytes);

  auto clip = [&](uint64_t begin, uint64_t size) {
    begin = std::min<uint64_t>(begin, image.size());
    return std::pair(begin, begin + std::min<uint64_t>(size, image.size() - begin));
  };
  std::string_view names;
  if (header.names < sections.size()) {
    const auto [begin, end] = clip(sections[header.names].offset, sections[header.names].size);
    names = {reinterpret_cast<const char *>(image.data()) + begin, end - begin};
  }
  std::vector<Part> parts;
  auto add = [&](uint64_t begin, uint64_t size, std::string_view kind) {
    const auto [first, end] = clip(begin, size);
    if (first != end)
      parts.push_back({first, end, kind});
  };
  add(0, sizeof(header), "headers");
  add(header.programs, uint64_t(header.programBytes) * header.programCount, "headers");
  add(header.sections, tableBytes, "headers");
  for (const SectionHeader &section : sections) {
    if (section.type == Null || section.type == NoBits)
      continue;
    const std::string_view rest = names.substr(std::min<size_t>(section.name, names.size()));
    add(section.offset, section.size, kindOf(section, rest.substr(0, rest.find('\0'))));
  }

  // Each byte counts once, for the part that begins first.
  std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) {
    return std::tie(a.begin, a.end, a.kind) < std::tie(b.begin, b.end, b.kind);
  });
  std::map<std::string_view, uint64_t> bytes;
  uint64_t done = 0;
  auto count = [&](std::string_view kind, uint64_t end) {
    if (end > done) {
      bytes[kind] += end - done;
      done = end;
    }
  };
  for (const Part &part : parts) {
    count("padding", part.begin);
    count(part.kind, part.end);
  }
  count("padding", image.size());
  return bytes;
}

} // namespace sextant::packager
