#include "loader/abi/Structure.h"

#include <algorithm>
#include <charconv>

namespace sextant::abi {

//===--- Where members lie -------------------------------------------------===//

static uint64_t roundedUp(uint64_t bytes, unsigned unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// A member as a struct of its own.
static StructureLayout layoutOf(const StructureMember &member) {
  if (!member.inner.empty())
    return layoutOf(member.inner.front());
  StructureLayout layout;
  layout.smallest = layout.largest = sizeOf(member.dtype);
  layout.scalars = uint64_t(member.rows) * member.cols;
  layout.size = layout.scalars * layout.largest;
  layout.unit = member.dtype;
  return layout;
}

static ScalarType unsignedOf(unsigned bytes) {
  return bytes == 1   ? ScalarType::U8
         : bytes == 2 ? ScalarType::U16
         : bytes == 4 ? ScalarType::U32
                      : ScalarType::U64;
}

StructureLayout layoutOf(const Structure &type) {
  StructureLayout layout;
  for (const StructureMember &member : type.members) {
    const StructureLayout part = layoutOf(member);
    layout.offsets.push_back(roundedUp(layout.size, part.scalars ? part.largest : 1));
    if (part.scalars == 0)
      continue;
    layout.size = layout.offsets.back() + part.size;
    layout.smallest = std::min(layout.smallest, part.smallest);
    layout.largest = std::max(layout.largest, part.largest);
    layout.isMixed |= part.isMixed || (layout.scalars != 0 && layout.unit != part.unit);
    layout.unit = part.unit;
    layout.scalars += part.scalars;
  }
  if (layout.isMixed)
    layout.unit = unsignedOf(layout.smallest);
  layout.size = roundedUp(layout.size, layout.largest);
  return layout;
}

//===--- Text --------------------------------------------------------------===//

std::string textOf(const Structure &type) {
  std::string text = type.name + "{";
  for (const StructureMember &member : type.members) {
    text += (text.back() == '{' ? "" : ",") + member.name + ":";
    if (!member.inner.empty()) {
      text += textOf(member.inner.front());
      continue;
    }
    text += nameOf(member.dtype);
    if (member.rows != 1 || member.cols != 1)
      text += "x" + std::to_string(member.rows);
    if (member.cols != 1)
      text += "x" + std::to_string(member.cols);
  }
  return text + "}";
}

namespace {

class TextReader {
public:
  explicit TextReader(std::string_view text) : rest(text) {}

  std::optional<Structure> whole() {
    Structure type = structure(0);
    return isBad || !rest.empty() ? std::nullopt : std::optional(std::move(type));
  }

private:
  bool accept(char c) {
    const bool is = rest.starts_with(c);
    rest.remove_prefix(is);
    return is;
  }
  void expect(char c) { isBad |= !accept(c); }
  /// Up to the next mark.
  std::string_view word() {
    const std::string_view word = rest.substr(0, rest.find_first_of("{}:,"));
    isBad |= word.empty();
    rest.remove_prefix(word.size());
    return word;
  }
  /// `x3`, if there is one.
  unsigned extent(std::string_view &word) {
    if (!word.starts_with('x'))
      return 1;
    unsigned value = 0;
    const char *end = word.data() + word.size();
    const auto [to, problem] = std::from_chars(word.data() + 1, end, value);
    isBad |= problem != std::errc() || value < 1 || value > mostSide;
    word.remove_prefix(size_t(to - word.data()));
    return value;
  }
  Structure structure(unsigned depth) {
    Structure type{std::string(word()), {}};
    expect('{');
    isBad |= depth > deepest;
    if (accept('}'))
      return type;
    while (!isBad) {
      type.members.push_back(member(depth));
      if (accept('}'))
        break;
      expect(',');
    }
    return type;
  }
  StructureMember member(unsigned depth) {
    StructureMember member;
    member.name = word();
    expect(':');
    const std::string_view before = rest;
    std::string_view type = word();
    if (!isBad && rest.starts_with('{')) {
      rest = before;
      member.inner.push_back(structure(depth + 1));
      return member;
    }
    const size_t end = std::min(type.find('x'), type.size());
    const std::optional<ScalarType> dtype = scalarTypeOf(type.substr(0, end));
    isBad |= !dtype;
    member.dtype = dtype.value_or(ScalarType::F32);
    type.remove_prefix(end);
    member.rows = extent(type);
    member.cols = extent(type);
    isBad |= !type.empty();
    return member;
  }

  static constexpr unsigned deepest = 32, mostSide = 1024;
  std::string_view rest;
  bool isBad = false;
};

} // namespace

std::optional<Structure> structureOf(std::string_view text) { return TextReader(text).whole(); }

} // namespace sextant::abi
