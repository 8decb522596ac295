// Reads ELF as far as cutting needs it (ELF-64 object file format 1.5; System V ABI, chapter 4). A
// mistake here never damages an image: cuts only have to cover it.
#include "packager/Sections.h"

#include "loader/abi/Elf.h"
#include "packager/Instructions.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace sextant::packager {

namespace elf = abi::elf;

namespace {

/// Offsets in an image that is cut have 32 bits.
constexpr uint64_t maxImage = uint64_t(1) << 31;

/// The fields of a section header that matter here.
struct Section {
  std::string name;
  uint32_t type = 0, link = 0;
  uint64_t offset = 0, size = 0;
};

/// A range of the file, before gaps are filled and names are cut.
struct Range {
  uint64_t begin = 0, end = 0;
  std::string stream;
  bool isWords = false, hasNames = false;
};

class Elf {
public:
  explicit Elf(std::span<const std::byte> image) : image(image) {}

  template <class T> std::optional<T> at(uint64_t offset) const {
    if (offset > image.size() || sizeof(T) > image.size() - offset)
      return std::nullopt;
    T value;
    std::memcpy(&value, image.data() + offset, sizeof(T));
    return value;
  }
  std::string_view text(uint64_t begin, uint64_t end) const {
    return {reinterpret_cast<const char *>(image.data()) + begin, end - begin};
  }
  /// Returns the string at `offset` of a string table, or "" if there is none.
  std::string_view name(const Section &table, uint64_t offset) const {
    if (offset >= table.size)
      return {};
    const std::string_view rest = text(table.offset + offset, table.offset + table.size);
    return rest.substr(0, rest.find('\0'));
  }
  bool read();
  std::vector<Range> ranges() const;
  /// The names of functions, the longest first, so that no name is part of a later one.
  std::vector<std::string> functionNames() const;

private:
  std::span<const std::byte> image;
  uint64_t headers = 0, segments = 0;
  uint64_t headersBytes = 0, segmentsBytes = 0;
  std::vector<Section> sections;
};

/// Returns false if this is not an ELF file, or if its sections do not lie in it.
bool Elf::read() {
  const std::optional<elf::Header> header = at<elf::Header>(0);
  if (!header || std::memcmp(header->ident, elf::magic, sizeof(elf::magic)) != 0)
    return false;
  segments = header->phoff, headers = header->shoff;
  segmentsBytes = uint64_t(header->phentsize) * header->phnum;
  headersBytes = uint64_t(header->shentsize) * header->shnum;
  auto inside = [&](uint64_t offset, uint64_t size) {
    return offset <= image.size() && size <= image.size() - offset;
  };
  if (header->shentsize < sizeof(elf::Section) || !inside(headers, headersBytes) ||
      !inside(segments, segmentsBytes))
    return false;
  std::vector<uint32_t> nameOffsets;
  for (uint64_t i = 0; i < header->shnum; ++i) {
    const elf::Section from = *at<elf::Section>(headers + i * header->shentsize);
    Section section{{}, from.type, from.link, from.offset, from.size};
    nameOffsets.push_back(from.name);
    if (section.type == elf::shtNull || section.type == elf::shtNobits)
      section.size = 0;
    else if (!inside(section.offset, section.size))
      return false;
    sections.push_back(std::move(section));
  }
  if (header->shstrndx < sections.size())
    for (size_t i = 0; i < sections.size(); ++i)
      sections[i].name = name(sections[header->shstrndx], nameOffsets[i]);
  return true;
}

std::vector<std::string> Elf::functionNames() const {
  std::vector<std::string> names;
  for (const Section &table : sections) {
    if ((table.type != elf::shtSymtab && table.type != elf::shtDynsym) ||
        table.link >= sections.size())
      continue;
    for (uint64_t offset = 0; offset + sizeof(elf::Symbol) <= table.size;
         offset += sizeof(elf::Symbol))
      if (const elf::Symbol symbol = *at<elf::Symbol>(table.offset + offset);
          symbol.type() == elf::sttFunc)
        names.emplace_back(name(sections[table.link], symbol.name));
  }
  std::sort(names.begin(), names.end(), [](const std::string &a, const std::string &b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [](const std::string &name) { return name.size() < 4; });
  return names;
}

std::vector<Range> Elf::ranges() const {
  std::vector<Range> ranges = {
      {0, 64, "file header", true, false},
      {segments, segments + segmentsBytes, "segments", true, false},
      {headers, headers + headersBytes, "section headers", true, false},
  };
  const std::vector<std::string> names = functionNames();
  for (const Section &section : sections) {
    std::string kind = section.name;
    for (const std::string &name : names) // .text.scan_t0
      if (const size_t found = kind.find(name); found != std::string::npos)
        kind.replace(found, name.size(), "*");
    const bool isTable = section.type == elf::shtSymtab || section.type == elf::shtDynsym ||
                         section.type == elf::shtDynamic || section.type == elf::shtRel ||
                         section.type == elf::shtRela;
    ranges.push_back({section.offset, section.offset + section.size, std::move(kind),
                      isTable && section.size % 4 == 0,
                      section.type == elf::shtStrtab || section.type == elf::shtNote});
  }
  std::erase_if(ranges, [](const Range &range) { return range.begin == range.end; });
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
    return std::tie(a.begin, a.end, a.stream) < std::tie(b.begin, b.end, b.stream);
  });
  return ranges;
}

/// Appends the bytes of a string table or note, cut around function names. The bytes after the name
/// of AMD's target are the same in all images of the target.
void cutNames(const Elf &elf, const Range &range, const std::vector<std::string> &names,
              std::vector<std::pair<std::string, uint32_t>> &seen, std::vector<Cut> &cuts) {
  const std::string_view text = elf.text(range.begin, range.end);
  bool starts = true;
  auto push = [&](Cut cut) {
    cut.startsSection = std::exchange(starts, false);
    cuts.push_back(std::move(cut));
  };
  size_t done = 0;
  std::string stream = range.stream;
  auto flush = [&](size_t end) {
    if (end != done || starts)
      push({Cut::Bytes, end - done, stream});
    done = end;
  };
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("amdhsa.target")) {
      flush(i);
      stream = range.stream + " target";
    }
    const auto name = std::find_if(names.begin(), names.end(), [&](const std::string &known) {
      return text.substr(i).starts_with(known);
    });
    if (name == names.end()) {
      ++i;
      continue;
    }
    flush(i);
    const auto known = std::find_if(seen.begin(), seen.end(),
                                    [&](const auto &entry) { return entry.first == *name; });
    if (known != seen.end()) {
      push({Cut::Repeat, name->size(), {}, known->second});
    } else {
      seen.emplace_back(*name, static_cast<uint32_t>(cuts.size()));
      push({Cut::Bytes, name->size(), "names"});
    }
    done = i += name->size();
  }
  if (done != text.size())
    flush(text.size());
}

} // namespace

bool hasCuts(std::span<const std::byte> image) {
  return image.size() < maxImage && (Elf(image).read() || isSpirv(image));
}

std::vector<Cut> cutImage(std::span<const std::byte> image) {
  if (image.size() < maxImage && isSpirv(image))
    return {{Cut::Bytes, spirvHeaderBytes, "spirv header", 0, true},
            {Cut::Instructions, image.size() - spirvHeaderBytes, "spirv", 0, true}};
  Elf elf(image);
  if (image.size() >= maxImage || !elf.read())
    return {{Cut::Bytes, image.size(), "image", 0, true}};
  const std::vector<std::string> names = elf.functionNames();
  std::vector<std::pair<std::string, uint32_t>> seen;
  std::vector<Cut> cuts;
  uint64_t at = 0;
  for (const Range &range : elf.ranges()) {
    if (range.begin < at) // overlaps the one before it
      continue;
    cuts.push_back({Cut::Padding, range.begin - at, "padding"});
    at = range.end;
    if (range.hasNames)
      cutNames(elf, range, names, seen, cuts);
    else
      cuts.push_back({range.isWords ? Cut::Words : Cut::Bytes, range.end - range.begin,
                      range.stream, 0, true});
  }
  cuts.push_back({Cut::Padding, image.size() - at, "padding"});
  return cuts;
}

} // namespace sextant::packager
