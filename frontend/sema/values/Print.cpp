#include "frontend/sema/values/Print.h"

#include <charconv>
#include <cstdio>

namespace sextant::sema {

/// Prints a real number almost as Python does.
static std::string shortest(double value) {
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string text(digits, end);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::optional<unsigned> digitsOf(Context &cx, const ast::FormatString::Part &part) {
  const std::string &spec = part.spec;
  if (spec.empty())
    return std::nullopt;
  if (spec.size() == 3 && spec[0] == '.' && spec[1] >= '0' && spec[1] <= '9' && spec[2] == 'f')
    return unsigned(spec[1] - '0');
  error(cx, part.value->at, Problem::FormatNotSupported,
        "the format `" + spec + "` is not supported in kernels",
        "write `.3f`, or another number of digits up to 9");
  return std::nullopt;
}

std::string printed(const Value &value, std::optional<unsigned> digits) {
  if (digits && value.isExact()) {
    char text[400];
    const double number = value.kind == Value::Float ? value.real : double(value.integer);
    std::snprintf(text, sizeof text, "%.*f", int(*digits), number);
    return text;
  }
  switch (value.kind) {
  case Value::Int:
    return spell(value.integer);
  case Value::Bool:
    return value.integer ? "True" : "False";
  case Value::Float:
    return shortest(value.real);
  case Value::Str:
    return value.text;
  case Value::None:
    return "None";
  case Value::Type:
    return spell(value.type);
  default:
    return "(" + describe(value) + ")";
  }
}

} // namespace sextant::sema
