#include "frontend/sema/values/Print.h"

#include <charconv>

namespace sextant::sema {

/// Prints a real number almost as Python does.
static std::string shortest(double value) {
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string text(digits, end);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string printed(const Value &value) {
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
