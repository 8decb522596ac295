// Parses, fills and prints arrays given as text.
#include "driver/host/ArraySpec.h"

#include "driver/Environment.h"
#include "frontend/spelling/Suggestion.h"
#include "frontend/spelling/Texts.h"
#include "loader/abi/SmallReal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace sextant {
namespace {

//===--- Elements ----------------------------------------------------------===//

template <class T> std::string bytesOf(T value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof value);
}
template <class T> T valueOf(const char *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// The type that the array texts call `name`: known to be one.
abi::ScalarType typeOf(const std::string &name) { return *abi::scalarTypeOf(name); }

bool isFloat(const std::string &type) {
  return abi::factsOf(typeOf(type)).kind == abi::ScalarKind::Real;
}

/// A number that was read or counted. It is exact as an integer if it is one.
struct Number {
  bool integral = true;
  bool negative = false;
  uint64_t magnitude = 0;
  double real = 0;
};

Number integer(int64_t value) {
  return {true, value < 0,
          value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value),
          static_cast<double>(value)};
}

[[noreturn]] void refuseNumber(const std::string &text, const std::string &type,
                               const std::string &name) {
  throw Refusal(Problem::RunArgumentWrong,
                name + ": '" + text + "' is not a value of type " + type);
}

std::optional<Number> parseNumber(std::string_view text) {
  Number number;
  if (text == "true" || text == "True")
    return integer(1);
  if (text == "false" || text == "False")
    return integer(0);
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) {
    number.negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  if (digits.empty() || digits[0] == '-' || digits[0] == '+')
    return std::nullopt;
  int base = 10;
  std::string_view body = digits;
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    base = 16;
    body.remove_prefix(2);
  }
  auto [end, code] =
      std::from_chars(body.data(), body.data() + body.size(), number.magnitude, base);
  if (code == std::errc() && end == body.data() + body.size()) {
    number.real = static_cast<double>(number.magnitude);
    if (number.negative)
      number.real = -number.real;
    return number;
  }
  auto [realEnd, realCode] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number.real);
  if (realCode != std::errc() || realEnd != digits.data() + digits.size())
    return std::nullopt;
  number.integral = false;
  if (number.negative)
    number.real = -number.real;
  return number;
}

/// Returns the bytes of `number` as `type`; empty if it does not fit.
std::optional<std::string> encode(const Number &number, const std::string &type) {
  if (type == "f64")
    return bytesOf(number.real);
  if (type == "f32")
    return bytesOf(static_cast<float>(number.real));
  if (isFloat(type)) // the lower bytes are the first ones
    return bytesOf(abi::roundTo(typeOf(type), number.real)).substr(0, elementSize(type));
  if (!number.integral)
    return std::nullopt;
  unsigned bits = type == "u1" ? 1 : elementSize(type) * 8;
  bool isSigned = type[0] == 'i';
  uint64_t limit = isSigned ? uint64_t(1) << (bits - 1)
                            : (bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
  if (number.negative ? (number.magnitude != 0 && (!isSigned || number.magnitude > limit))
                      : number.magnitude > limit - (isSigned ? 1 : 0))
    return std::nullopt;
  uint64_t value = number.negative ? 0 - number.magnitude : number.magnitude;
  return bytesOf(value).substr(0, elementSize(type));
}

//===--- Specs -------------------------------------------------------------===//

/// splitmix64, so that the same seed gives the same arrays everywhere.
uint64_t nextRandom(uint64_t &state) {
  uint64_t value = state += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

struct Spec {
  std::string kind;
  std::vector<std::string> numbers;
  std::string type;
  std::vector<int64_t> extents;
};

std::optional<Spec> splitSpec(const std::string &text, const WantedArray &wanted) {
  const std::string &name = wanted.name;
  size_t bracket = text.find('[');
  std::string head = text.substr(0, bracket);
  std::vector<std::string> words = split(head, ':');
  Spec spec;
  spec.kind = words[0];
  static const std::vector<std::string> kinds{"zeros", "iota", "random", "bits", "const"};
  if (std::find(kinds.begin(), kinds.end(), spec.kind) == kinds.end())
    return std::nullopt;
  if (words.size() > 1 && elementSize(words.back())) {
    spec.type = words.back();
    words.pop_back();
  }
  spec.numbers.assign(words.begin() + 1, words.end());
  size_t most = spec.kind == "zeros" ? 0 : spec.kind == "iota" ? 2 : 1;
  size_t least = spec.kind == "const" ? 1 : 0;
  if (spec.numbers.size() > most || spec.numbers.size() < least)
    throw Refusal(Problem::RunArgumentWrong, name + ": '" + text + "' does not say an array",
                  std::string("write ") + arraySpecExamples);
  if (wanted.ndim == 0 && (bracket == std::string::npos || text.substr(bracket) == "[]"))
    return spec;
  if (bracket == std::string::npos || text.back() != ']')
    throw Refusal(Problem::RunArgumentWrong, name + ": '" + text + "' lacks its extents",
                  "write them as in '" + head + "[1024]'");
  std::string list = text.substr(bracket + 1, text.size() - bracket - 2);
  for (size_t begin = 0; begin <= list.size();) {
    size_t end = std::min(list.find_first_of(",x", begin), list.size());
    std::string extent = list.substr(begin, end - begin);
    extent.erase(std::remove(extent.begin(), extent.end(), ' '), extent.end());
    int64_t value = 0;
    auto [stop, code] = std::from_chars(extent.data(), extent.data() + extent.size(), value);
    const bool isNumber = stop == extent.data() + extent.size() && value >= 0;
    if (code == std::errc::result_out_of_range ||
        (isNumber && value > std::numeric_limits<int32_t>::max()))
      throw Refusal(Problem::RunArgumentWrong,
                    name + ": the extent " + extent + " of '" + text +
                        "' is larger than 2147483647",
                    "extents are i32; an array of several dimensions may have more elements");
    if (code != std::errc() || !isNumber)
      throw Refusal(Problem::RunArgumentWrong,
                    name + ": '" + extent + "' is not an extent, in '" + text + "'");
    spec.extents.push_back(value);
    begin = end + 1;
  }
  return spec;
}

std::vector<std::string> typeNames() {
  std::vector<std::string> names;
  for (unsigned type = 1; type < abi::scalarTypeEnd; ++type)
    names.emplace_back(abi::nameOf(abi::ScalarType(type)));
  return names;
}

Number parameter(const Spec &spec, size_t index, int64_t otherwise, const std::string &name) {
  if (index >= spec.numbers.size())
    return integer(otherwise);
  std::optional<Number> number = parseNumber(spec.numbers[index]);
  if (!number)
    throw Refusal(Problem::RunArgumentWrong,
                  name + ": '" + spec.numbers[index] + "' is neither a number nor a type",
                  suggestion(spec.numbers[index], typeNames()));
  return *number;
}

std::string fill(const Spec &spec, const std::string &type, uint64_t count,
                 const std::string &name) {
  unsigned size = elementSize(type);
  requireMemory(count * size, Problem::RunArgumentWrong, name);
  std::string bytes(count * size, '\0');
  auto put = [&](uint64_t index, const Number &number) {
    std::optional<std::string> element = encode(number, type);
    if (!element)
      throw Refusal(Problem::RunArgumentWrong, name + ": element " + std::to_string(index) +
                                                   " of '" + spec.kind +
                                                   "' is not a value of type " + type);
    bytes.replace(index * size, size, *element);
  };
  auto putWrapped = [&](uint64_t index, uint64_t value) {
    if (type == "u1")
      value &= 1;
    bytes.replace(index * size, size, bytesOf(value).substr(0, size));
  };
  auto firstState = [&] {
    return parameter(spec, 0, 1, name).magnitude * 0x2545f4914f6cdd1d + 0x1234567;
  };
  if (spec.kind == "iota") {
    Number start = parameter(spec, 0, 0, name), step = parameter(spec, 1, 1, name);
    bool integral = start.integral && step.integral;
    for (uint64_t index = 0; index < count; ++index) {
      double real = start.real + static_cast<double>(index) * step.real;
      // Counting wraps as the language's integers do, so that any length fits any type.
      if (integral && !isFloat(type)) {
        uint64_t first = start.negative ? 0 - start.magnitude : start.magnitude;
        uint64_t each = step.negative ? 0 - step.magnitude : step.magnitude;
        putWrapped(index, first + index * each);
      } else {
        put(index, {false, false, 0, real});
      }
    }
  } else if (spec.kind == "const") {
    Number value = parameter(spec, 0, 0, name);
    for (uint64_t index = 0; index < count; ++index)
      put(index, value);
  } else if (spec.kind == "bits") {
    uint64_t state = firstState();
    for (uint64_t index = 0; index < count; ++index)
      putWrapped(index, nextRandom(state));
  } else if (spec.kind == "random") {
    uint64_t state = firstState();
    const uint64_t range = type == "u1" ? 2 : 100;
    for (uint64_t index = 0; index < count; ++index) {
      const uint64_t bits = nextRandom(state);
      // The type holds that many bits exactly.
      const unsigned keep = abi::factsOf(typeOf(type)).digits;
      if (isFloat(type))
        put(index, {false, false, 0,
                    std::ldexp(static_cast<double>(bits >> (64 - keep)), -static_cast<int>(keep))});
      else
        put(index, integer(static_cast<int64_t>((bits >> 32) % range)));
    }
  }
  return bytes;
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t axis = 0; axis < shape.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  return text + "]";
}

} // namespace

std::optional<HostArray> parseArraySpec(const std::string &text, const WantedArray &wanted) {
  std::optional<Spec> spec = splitSpec(text, wanted);
  if (!spec)
    return std::nullopt;
  if (!spec->type.empty() && spec->type != wanted.type)
    throw Refusal(Problem::RunArgumentWrong, wanted.name + ": the kernel takes elements of " +
                                                 wanted.type + ", not " + spec->type);
  if (spec->extents.size() != wanted.ndim)
    throw Refusal(Problem::RunArgumentWrong, wanted.name + ": the kernel takes " +
                                                 countText(wanted.ndim, "extent") + ", '" + text +
                                                 "' has " + std::to_string(spec->extents.size()));
  HostArray array;
  array.type = wanted.type;
  array.shape = spec->extents;
  array.shape.insert(array.shape.end(), wanted.elementShape.begin(), wanted.elementShape.end());
  array.bytes = fill(*spec, wanted.type, array.count(), wanted.name);
  return array;
}

void checkArray(const HostArray &array, const WantedArray &wanted) {
  if (array.type != wanted.type)
    throw Refusal(Problem::RunArgumentWrong, wanted.name + ": the kernel takes elements of " +
                                                 wanted.type + ", the file holds " + array.type);
  bool fits = array.shape.size() == wanted.ndim + wanted.elementShape.size() &&
              std::equal(wanted.elementShape.begin(), wanted.elementShape.end(),
                         array.shape.begin() + wanted.ndim);
  if (!fits)
    throw Refusal(Problem::RunArgumentWrong,
                  wanted.name + ": the kernel takes " + std::to_string(wanted.ndim) + " extents" +
                      (wanted.elementShape.empty()
                           ? std::string()
                           : " and elements of shape " + shapeText(wanted.elementShape)) +
                      ", the file has shape " + shapeText(array.shape));
}

std::string encodeScalar(const std::string &text, const std::string &type,
                         const std::string &name) {
  std::optional<Number> number = parseNumber(text);
  if (!number)
    refuseNumber(text, type, name);
  std::optional<std::string> bytes = encode(*number, type);
  if (!bytes)
    refuseNumber(text, type, name);
  return *bytes;
}

std::string encodeMatrix(const std::string &text, const std::string &type, size_t count,
                         const std::string &name) {
  std::string bytes, word;
  size_t found = 0;
  auto flush = [&] {
    if (word.empty())
      return;
    bytes += encodeScalar(word, type, name);
    word.clear();
    ++found;
  };
  for (char letter : text) {
    if (letter == ',' || letter == '[' || letter == ']' || letter == ' ')
      flush();
    else
      word += letter;
  }
  flush();
  if (found != count)
    throw Refusal(Problem::RunArgumentWrong, name + ": the kernel takes " + std::to_string(count) +
                                                 " numbers, not " + std::to_string(found));
  return bytes;
}

std::string formatElement(const char *bytes, const std::string &type) {
  if (type == "u1")
    return *bytes ? "true" : "false";
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, elementSize(type));
  if (isFloat(type)) {
    char text[64];
    std::to_chars_result result =
        type == "f64" ? std::to_chars(text, text + sizeof text, valueOf<double>(bytes))
        : type == "f32"
            ? std::to_chars(text, text + sizeof text, valueOf<float>(bytes))
            : std::to_chars(text, text + sizeof text, abi::numberOf(typeOf(type), uint16_t(bits)));
    const std::string shown(text, result.ptr);
    return shown.starts_with("-nan") ? "nan" : shown;
  }
  const unsigned unused = 64 - 8 * elementSize(type);
  return type[0] == 'u' ? std::to_string(bits)
                        : std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

namespace {
void formatAxis(const HostArray &array, size_t axis, uint64_t first, uint64_t stride, bool shorten,
                std::string &text) {
  if (axis == array.shape.size()) {
    text += formatElement(array.bytes.data() + first * elementSize(array.type), array.type);
    return;
  }
  const int64_t edge = 8, extent = array.shape[axis];
  uint64_t inner = extent ? stride / extent : 0;
  text += '[';
  for (int64_t index = 0; index < extent; ++index) {
    if (index)
      text += ", ";
    if (shorten && extent > 2 * edge && index == edge) {
      text += "…, ";
      index = extent - edge;
    }
    formatAxis(array, axis + 1, first + index * inner, inner, shorten, text);
  }
  text += ']';
}
} // namespace

std::string formatArray(const HostArray &array) {
  std::string text;
  uint64_t count = array.count();
  formatAxis(array, 0, 0, count, count > 64, text);
  return text;
}

} // namespace sextant
