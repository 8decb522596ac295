// NumPy's array files: a magic, a version, a header that is a Python literal
// dictionary, then the elements.
#include "driver/host/Npy.h"

#include "driver/Environment.h"
#include "loader/abi/ScalarType.h"

#include <array>
#include <cctype>
#include <limits>
#include <optional>

namespace sextant {
namespace {

/// How NumPy's files name a type. Of what NumPy has no type for they have plain bytes, as the
/// package ml_dtypes writes its bfloat16.
std::string descrOf(abi::ScalarType type) {
  const abi::ScalarFacts &facts = abi::factsOf(type);
  const bool isIeee = facts.digits == (facts.bytes == 2 ? 11 : facts.bytes == 4 ? 24 : 53);
  const char kind = facts.kind == abi::ScalarKind::Truth      ? 'b'
                    : facts.kind == abi::ScalarKind::Signed   ? 'i'
                    : facts.kind == abi::ScalarKind::Unsigned ? 'u'
                    : isIeee                                  ? 'f'
                                                              : 'V';
  return (facts.bytes == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(facts.bytes);
}

constexpr std::string_view magic = "\x93NUMPY";

/// Parses the header's dictionary: three known keys, with values of three known forms.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &name) : text(text), name(name) {}

  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;

  void parse() {
    bool seenDescr = false, seenOrder = false, seenShape = false;
    expect('{');
    while (!accept('}')) {
      std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[')
          fail("it holds records; only arrays of one plain type can be used");
        descr = string();
        seenDescr = true;
      } else if (key == "fortran_order") {
        fortranOrder = boolean();
        seenOrder = true;
      } else if (key == "shape") {
        tuple();
        seenShape = true;
      } else {
        fail("unknown header key '" + key + "'");
      }
      if (!accept(',') && peek() != '}')
        fail("its header is malformed");
    }
    if (peek() != 0)
      fail("its header is malformed");
    if (!seenDescr || !seenOrder || !seenShape)
      fail("its header lacks 'descr', 'fortran_order' or 'shape'");
  }

  [[noreturn]] void fail(const std::string &why) const {
    throw Refusal(Problem::RunArgumentWrong, "cannot use '" + name + "' as an array: " + why);
  }

private:
  std::string_view text;
  const std::string &name;
  size_t at = 0;

  char peek() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
      ++at;
    return at < text.size() ? text[at] : 0;
  }
  bool accept(char wanted) {
    if (peek() != wanted)
      return false;
    ++at;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted))
      fail("its header is malformed");
  }
  std::string string() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      fail("its header is malformed");
    size_t end = text.find(quote, ++at);
    if (end == std::string_view::npos)
      fail("its header is malformed");
    std::string value(text.substr(at, end - at));
    at = end + 1;
    return value;
  }
  bool boolean() {
    peek();
    for (std::string_view word : {std::string_view("True"), std::string_view("False")})
      if (text.substr(at).starts_with(word)) {
        at += word.size();
        return word == "True";
      }
    fail("its header is malformed");
  }
  void tuple() {
    expect('(');
    while (!accept(')')) {
      peek();
      size_t begin = at;
      int64_t value = 0;
      while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]))) {
        if (value > (std::numeric_limits<int64_t>::max() - 9) / 10)
          fail("its shape is too large");
        value = value * 10 + (text[at++] - '0');
      }
      if (at == begin)
        fail("its header is malformed");
      if (at < text.size() && text[at] == 'L') // written by Python 2
        ++at;
      shape.push_back(value);
      if (!accept(',') && peek() != ')')
        fail("its header is malformed");
    }
  }
};

uint64_t littleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t index = bytes.size(); index-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[index]);
  return value;
}

/// Converts column-major to row-major.
std::string toRowMajor(std::string_view bytes, const std::vector<int64_t> &shape, unsigned size) {
  std::string result(bytes.size(), '\0');
  std::vector<int64_t> index(shape.size(), 0);
  for (size_t element = 0; element * size < bytes.size(); ++element) {
    uint64_t source = 0, stride = 1;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      source += index[axis] * stride;
      stride *= shape[axis];
    }
    result.replace(element * size, size, bytes.substr(source * size, size));
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
  return result;
}

} // namespace

unsigned elementSize(std::string_view type) {
  const std::optional<abi::ScalarType> known = abi::scalarTypeOf(type);
  return known ? abi::sizeOf(*known) : 0;
}

uint64_t elementCount(const std::vector<int64_t> &shape, unsigned elementSize) {
  uint64_t count = 1;
  const uint64_t limit = uint64_t(1) << 46;
  for (int64_t extent : shape)
    if (extent == 0)
      return 0;
  for (int64_t extent : shape) {
    if (extent < 0 || static_cast<uint64_t>(extent) > limit / elementSize / count)
      throw Refusal(Problem::RunArgumentWrong, "the array's shape is too large for memory");
    count *= extent;
  }
  return count;
}

uint64_t HostArray::count() const { return elementCount(shape, elementSize(type)); }

HostArray parseNpy(std::string_view bytes, const std::string &name, std::string_view wanted) {
  HeaderParser fallback("", name);
  if (!bytes.starts_with(magic))
    fallback.fail("it is not a .npy file");
  if (bytes.size() < 10)
    fallback.fail("it is truncated");
  unsigned major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3)
    fallback.fail(".npy version " + std::to_string(major) + " is not known");
  size_t lengthSize = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + lengthSize)
    fallback.fail("it is truncated");
  uint64_t length = littleEndian(bytes.substr(8, lengthSize));
  size_t headerAt = 8 + lengthSize;
  if (length > bytes.size() - headerAt)
    fallback.fail("it is truncated");

  HeaderParser header(bytes.substr(headerAt, length), name);
  header.parse();
  std::optional<abi::ScalarType> type;
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number) {
    const std::string known = descrOf(abi::ScalarType(number));
    // A single byte has no byte order, so any mark will do.
    const bool isKnown = header.descr == known || (known[0] == '|' && header.descr.size() == 3 &&
                                                   header.descr.substr(1) == known.substr(1));
    if (isKnown && (!type || abi::nameOf(abi::ScalarType(number)) == wanted))
      type = abi::ScalarType(number);
  }
  if (header.descr == "<f1") // so ml_dtypes writes its float8_e5m2
    type = abi::ScalarType::F8E5M2;
  if (!type)
    header.fail(header.descr.starts_with(">")
                    ? "it is big-endian ('" + header.descr + "')"
                    : "element type '" + header.descr + "' does not exist in the kernel language");
  HostArray array;
  array.type = abi::nameOf(*type);
  array.shape = header.shape;
  uint64_t size = elementCount(array.shape, abi::sizeOf(*type)) * abi::sizeOf(*type);
  std::string_view data = bytes.substr(headerAt + length);
  if (data.size() != size)
    header.fail("its shape needs " + std::to_string(size) + " bytes of elements, but it holds " +
                std::to_string(data.size()));
  array.bytes = header.fortranOrder && array.shape.size() > 1
                    ? toRowMajor(data, array.shape, abi::sizeOf(*type))
                    : std::string(data);
  return array;
}

std::string formatNpy(const HostArray &array) {
  const std::string descr = descrOf(*abi::scalarTypeOf(array.type));
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (size_t axis = 0; axis < array.shape.size(); ++axis)
    header += (axis ? " " : "") + std::to_string(array.shape[axis]) + ",";
  if (array.shape.size() > 1)
    header.pop_back();
  header += "), }";
  // The elements begin at a multiple of 64 bytes, and the header ends in a newline.
  while ((magic.size() + 4 + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';
  std::string bytes(magic);
  bytes +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return bytes + header + array.bytes;
}

} // namespace sextant
