#include "packager/ElfParts.h"

#include "loader/abi/Elf.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace sextant::packager {

namespace elf = abi::elf;

namespace {

struct Part {
  uint64_t begin, end;
  std::string_view kind;
};

std::string_view kindOf(const elf::Section &section, std::string_view name) {
  auto begins = [&](std::string_view with) { return name.starts_with(with); };
  if (begins(".debug") || begins(".nv_debug") || begins(".line"))
    return "debug";
  if (begins(".eh_frame") || begins(".gcc_except"))
    return "unwinding";
  switch (section.type) {
  case elf::shtSymtab:
  case elf::shtStrtab:
  case elf::shtHash:
  case elf::shtDynsym:
  case elf::shtGnuHash:
    return "symbols";
  case elf::shtRela:
  case elf::shtRel:
  case elf::shtRelr:
  case elf::shtDynamic:
    return "relocations";
  case elf::shtNote:
    return "notes";
  default:
    break;
  }
  if (begins(".nv.info") || begins(".note") || begins(".comment") || begins(".nv.compat"))
    return "notes";
  if ((section.flags & elf::shfExecinstr) != 0)
    return "code";
  if (begins(".nv.constant") || begins(".rodata"))
    return "constants";
  if ((section.flags & elf::shfAlloc) != 0)
    return (section.flags & elf::shfWrite) != 0 ? "data" : "constants";
  return "other";
}

} // namespace

std::map<std::string_view, uint64_t> elfParts(std::span<const std::byte> image) {
  elf::Header header{};
  if (image.size() < sizeof(header))
    return {};
  std::memcpy(&header, image.data(), sizeof(header));
  const bool isKnown = std::memcmp(header.ident, elf::magic, sizeof(elf::magic)) == 0;
  const uint64_t tableBytes = uint64_t(header.shnum) * sizeof(elf::Section);
  if (!isKnown || header.shentsize != sizeof(elf::Section) || header.shoff > image.size() ||
      tableBytes > image.size() - header.shoff)
    return {};
  std::vector<elf::Section> sections(header.shnum);
  if (!sections.empty())
    std::memcpy(sections.data(), image.data() + header.shoff, tableBytes);

  auto clip = [&](uint64_t begin, uint64_t size) {
    begin = std::min<uint64_t>(begin, image.size());
    return std::pair(begin, begin + std::min<uint64_t>(size, image.size() - begin));
  };
  std::string_view names;
  if (header.shstrndx < sections.size()) {
    const auto [begin, end] =
        clip(sections[header.shstrndx].offset, sections[header.shstrndx].size);
    names = {reinterpret_cast<const char *>(image.data()) + begin, end - begin};
  }
  std::vector<Part> parts;
  auto add = [&](uint64_t begin, uint64_t size, std::string_view kind) {
    const auto [first, end] = clip(begin, size);
    if (first != end)
      parts.push_back({first, end, kind});
  };
  add(0, sizeof(header), "headers");
  add(header.phoff, uint64_t(header.phentsize) * header.phnum, "headers");
  add(header.shoff, tableBytes, "headers");
  for (const elf::Section &section : sections) {
    if (section.type == elf::shtNull || section.type == elf::shtNobits)
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
