// Reads types of items. Whatever is not one of the kernel language's types, in the machine's byte
// order, comes out as an opaque one, which no kernel takes.
#include "Items.h"
#include "Signature.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace sextant::python {
namespace {

namespace nb = nanobind;

constexpr int mostDepth = 32; // as abi::structureOf

Item scalarOf(dlpack::TypeCode code, uint64_t bytes) {
  Item item;
  item.bytes = bytes;
  if (bytes <= 31) // DLPack has 8 bits for the number of bits
    item.scalar = {code, static_cast<uint8_t>(8 * bytes), 1};
  return item;
}

/// The bytes of a member, with all of its elements. Absent if 64 bits do not hold them.
std::optional<uint64_t> sizeOf(const ItemMember &member) {
  uint64_t bytes = member.item.bytes;
  for (int64_t extent : member.shape)
    if (extent < 0 || __builtin_mul_overflow(bytes, uint64_t(extent), &bytes))
      return std::nullopt;
  return bytes;
}

/// Parses a format. Formats are C strings, so that looking one character ahead is safe.
class FormatReader {
public:
  explicit FormatReader(const char *format) : at(format) {}

  /// Reads members until `end`, '\0' or '}'. Absent if there is one that no kernel has.
  std::optional<Item> members(char end, int depth) {
    Item all;
    uint64_t alignment = 1;
    while (true) {
      skipBlanks();
      if (*at == end)
        break;
      if (std::strchr("@=<>!^", *at) && *at) {
        order = *at++;
        continue;
      }
      ItemMember member;
      uint64_t align = 1;
      const bool isPadding = !readItem(member, align, depth);
      if (isUnknown || (isPadding && !member.item.bytes))
        return std::nullopt;
      const std::optional<uint64_t> bytes = sizeOf(member);
      if (order == '@') {
        all.bytes = roundedUp(all.bytes, align);
        alignment = std::max(alignment, align);
      }
      member.offset = all.bytes;
      if (!bytes || __builtin_add_overflow(all.bytes, *bytes, &all.bytes) || all.bytes >> 62)
        return std::nullopt;
      if (*at == ':') {
        const char *name = ++at;
        while (*at && *at != ':')
          ++at;
        if (!*at)
          return std::nullopt;
        member.name.assign(name, at++);
      } else if (isPadding) {
        continue;
      }
      all.members.push_back(std::move(member));
    }
    if (order == '@')
      all.bytes = roundedUp(all.bytes, alignment);
    largest = alignment;
    return all;
  }

private:
  const char *at;
  char order = '@';
  bool isUnknown = false;
  uint64_t largest = 1; ///< the alignment of the struct that was read last

  static uint64_t roundedUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }
  void skipBlanks() {
    while (*at == ' ' || *at == '\t' || *at == '\n')
      ++at;
  }
  bool number(int64_t &value) {
    const char *begin = at;
    for (value = 0; *at >= '0' && *at <= '9'; ++at)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(*at - '0'), &value))
        return false;
    return at != begin;
  }
  bool readShape(std::vector<int64_t> &shape) {
    ++at;
    while (true) {
      int64_t extent = 0;
      skipBlanks();
      if (!number(extent))
        return false;
      shape.push_back(extent);
      skipBlanks();
      if (*at == ')')
        return ++at, true;
      if (*at++ != ',')
        return false;
    }
  }

  /// Reads one item without its name. Returns false if it is padding.
  bool readItem(ItemMember &member, uint64_t &align, int depth) {
    int64_t count = 1;
    if (*at == '(' && !readShape(member.shape))
      return isUnknown = true;
    skipBlanks();
    const bool isCounted = *at >= '0' && *at <= '9';
    if (isCounted && !number(count))
      return isUnknown = true;
    if (*at == 'x') {
      ++at;
      member.item = scalarOf(dlpack::Opaque, uint64_t(count));
      return false;
    }
    if (isCounted && count != 1)
      member.shape.push_back(count);
    if (at[0] == 'T' && at[1] == '{') {
      at += 2;
      const char outside = order;
      std::optional<Item> inner;
      if (depth < mostDepth)
        inner = members('}', depth + 1);
      if (!inner || inner->members.empty())
        return isUnknown = true;
      ++at;
      order = outside;
      member.item = std::move(*inner);
      align = largest;
      return true;
    }
    member.item = scalar(*at);
    isUnknown = member.item.bytes == 0;
    align = member.item.bytes;
    if (!isUnknown)
      ++at;
    return true;
  }

  /// The scalar of a letter of the struct module; without bytes if kernels have none like it.
  Item scalar(char letter) const {
    struct Row {
      char letter;
      dlpack::TypeCode code;
      uint64_t bytes, nativeBytes; ///< 0: there is none
    };
    static constexpr Row rows[] = {
        {'?', dlpack::Bool, 1, 1},
        {'b', dlpack::Int, 1, 1},
        {'B', dlpack::UInt, 1, 1},
        {'h', dlpack::Int, 2, 2},
        {'H', dlpack::UInt, 2, 2},
        {'i', dlpack::Int, 4, 4},
        {'I', dlpack::UInt, 4, 4},
        {'l', dlpack::Int, 4, sizeof(long)},
        {'L', dlpack::UInt, 4, sizeof(long)},
        {'q', dlpack::Int, 8, 8},
        {'Q', dlpack::UInt, 8, 8},
        {'n', dlpack::Int, 0, sizeof(size_t)},
        {'N', dlpack::UInt, 0, sizeof(size_t)},
        {'e', dlpack::Float, 2, 2},
        {'f', dlpack::Float, 4, 4},
        {'d', dlpack::Float, 8, 8},
    };
    const bool isNative = order == '@' || order == '^', isForeign = order == '>' || order == '!';
    for (const Row &row : rows)
      if (const uint64_t bytes = isNative ? row.nativeBytes : row.bytes;
          row.letter == letter && bytes && (bytes == 1 || !isForeign))
        return scalarOf(row.code, bytes);
    return Item();
  }
};

Item opaque(uint64_t bytes) {
  Item item;
  item.bytes = bytes;
  return item;
}

/// The text of a Python string, or an empty one.
std::string_view wordOf(nb::handle word) {
  Py_ssize_t size = 0;
  const char *text =
      PyUnicode_Check(word.ptr()) ? PyUnicode_AsUTF8AndSize(word.ptr(), &size) : nullptr;
  if (!text) {
    PyErr_Clear();
    return {};
  }
  return {text, size_t(size)};
}

/// Adds a member of a `descr`. Returns false if no kernel has one like it.
bool addMember(nb::handle entry, int depth, Item &to);

std::optional<Item> itemOfList(nb::handle descr, int depth) {
  Item all;
  if (!PyList_Check(descr.ptr()) || depth > mostDepth)
    return std::nullopt;
  for (nb::handle entry : nb::borrow<nb::list>(descr))
    if (!addMember(entry, depth, all))
      return std::nullopt;
  return all;
}

bool addMember(nb::handle entry, int depth, Item &to) {
  if (!PyTuple_Check(entry.ptr()))
    return false;
  const auto parts = nb::borrow<nb::tuple>(entry);
  if (parts.size() < 2 || parts.size() > 3)
    return false;
  ItemMember member;
  nb::object name = parts[0];
  if (PyTuple_Check(name.ptr()) && nb::len(name) == 2) // a title and the name
    name = name[1];
  member.name = wordOf(name);
  const nb::object type = parts[1];
  if (std::optional<Item> inner = itemOfList(type, depth + 1))
    member.item = std::move(*inner);
  else
    member.item = itemOfTypestr(wordOf(type));
  if (parts.size() == 3) {
    const nb::object shape = parts[2];
    if (!PyTuple_Check(shape.ptr()))
      return false;
    for (nb::handle extent : nb::borrow<nb::tuple>(shape)) {
      const Py_ssize_t value = PyLong_Check(extent.ptr()) ? PyLong_AsSsize_t(extent.ptr()) : -1;
      if (value < 0)
        return PyErr_Clear(), false;
      member.shape.push_back(value);
    }
  }
  const std::optional<uint64_t> bytes = sizeOf(member);
  member.offset = to.bytes;
  if (!member.item.bytes || !bytes || __builtin_add_overflow(to.bytes, *bytes, &to.bytes))
    return false;
  if (!member.name.empty()) // else it is padding
    to.members.push_back(std::move(member));
  return true;
}

bool isRaw(const Item &item, uint64_t bytes) {
  return item.members.empty() && item.scalar.code == dlpack::Opaque &&
         item.scalar.bits == 8 * bytes;
}

bool isSame(dlpack::DataType a, dlpack::DataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

} // namespace

Item itemOfFormat(const char *format, uint64_t bytes) {
  std::optional<Item> read = FormatReader(format ? format : "B").members('\0', 0);
  if (!read || read->bytes > bytes)
    return opaque(bytes);
  if (read->members.size() == 1 && read->members[0].name.empty() &&
      read->members[0].shape.empty() && read->members[0].offset == 0) {
    Item item = std::move(read->members[0].item);
    if (item.members.empty() && item.bytes != bytes)
      return opaque(bytes);
    item.bytes = bytes; // structs may end in padding that no format tells
    return item;
  }
  return opaque(bytes);
}

Item itemOfTypestr(std::string_view typestr) {
  if (typestr.size() < 3)
    return opaque(0);
  uint64_t bytes = 0;
  for (char digit : typestr.substr(2)) {
    if (digit < '0' || digit > '9' || bytes > UINT32_MAX)
      return opaque(0);
    bytes = 10 * bytes + uint64_t(digit - '0');
  }
  const char order = typestr[0], kind = typestr[1];
  const bool isOurs = order == '<' || (order == '|' && (bytes == 1 || kind == 'V'));
  if (!isOurs)
    return opaque(bytes);
  if (kind == 'f' && bytes == 1) // ml_dtypes' float8_e5m2; its other types of a byte are raw
    return scalarOf(dlpack::Float8E5M2, bytes);
  constexpr std::pair<char, dlpack::TypeCode> kinds[] = {
      {'b', dlpack::Bool},  {'i', dlpack::Int},     {'u', dlpack::UInt},
      {'f', dlpack::Float}, {'c', dlpack::Complex}, {'V', dlpack::Opaque}};
  for (const auto &[known, code] : kinds)
    if (kind == known)
      return scalarOf(code, bytes);
  return opaque(bytes);
}

Item itemOfDescr(nb::handle descr) { return itemOfList(descr, 0).value_or(Item()); }

bool matches(const Item &item, const abi::Structure &type) {
  const abi::StructureLayout layout = abi::layoutOf(type);
  if (item.bytes != layout.size || item.members.size() != type.members.size())
    return false;
  for (size_t i = 0; i < type.members.size(); ++i) {
    const ItemMember &given = item.members[i];
    const abi::StructureMember &wanted = type.members[i];
    std::vector<int64_t> shape;
    if (wanted.cols != 1)
      shape = {wanted.rows, wanted.cols};
    else if (wanted.rows != 1)
      shape = {wanted.rows};
    if (given.name != wanted.name || given.offset != layout.offsets[i] || given.shape != shape)
      return false;
    if (!wanted.inner.empty()) {
      if (!matches(given.item, wanted.inner[0]))
        return false;
      continue;
    }
    const dlpack::DataType scalar = inDlpack(static_cast<sxt_dtype>(wanted.dtype));
    const bool isRawReal = isRawInNumpy(scalar) && isRaw(given.item, scalar.bits / 8u);
    if (!given.item.members.empty() || (!isSame(given.item.scalar, scalar) && !isRawReal))
      return false;
  }
  return true;
}

} // namespace sextant::python
