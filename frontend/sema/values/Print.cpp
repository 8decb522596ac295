#include "frontend/sema/values/Print.h"

#include <algorithm>
#include <charconv>

namespace sextant::sema {

/// Prints a real number almost as Python does.
static std::string shortest(double value) {
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string text(digits, end);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

/// Reads `[[fill]align][sign][0][width][.precision][type]`. False if it is something else.
static bool read(std::string_view spec, abi::NumberFormat &format) {
  auto isOneOf = [](char c, std::string_view of) { return of.find(c) != std::string_view::npos; };
  auto take = [&](std::string_view of, char &to) {
    if (spec.empty() || !isOneOf(spec[0], of))
      return false;
    to = spec[0];
    spec.remove_prefix(1);
    return true;
  };
  auto number = [&](int &to) {
    int digits = 0;
    for (to = 0; !spec.empty() && spec[0] >= '0' && spec[0] <= '9'; spec.remove_prefix(1), ++digits)
      to = std::min(10 * to + (spec[0] - '0'), 1000);
    return digits > 0 && to <= 99;
  };
  constexpr std::string_view aligns = "<>^=";
  const bool isFilled =
      spec.size() > 1 && isOneOf(spec[1], aligns) && spec[0] >= ' ' && spec[0] <= '~';
  if (isFilled) {
    format.fill = spec[0];
    spec.remove_prefix(1);
  }
  bool isAligned = take(aligns, format.align);
  take("+- ", format.sign);
  if (spec.size() > 1 && spec[0] == '0') {
    if (!isFilled)
      format.fill = '0';
    if (!isAligned)
      format.align = '=';
    spec.remove_prefix(1);
  }
  int width = 0;
  if (!spec.empty() && spec[0] >= '0' && spec[0] <= '9') {
    if (!number(width))
      return false;
    format.width = unsigned(width);
  }
  if (!spec.empty() && spec[0] == '.') {
    spec.remove_prefix(1);
    if (!number(format.precision))
      return false;
  }
  take("sdxXobeEfFgG%", format.type);
  return spec.empty();
}

std::optional<abi::NumberFormat> formatOf(Context &cx, const std::string &spec, SourceRange at) {
  abi::NumberFormat format;
  if (spec.empty())
    return std::nullopt;
  if (read(spec, format))
    return format;
  return error(
      cx, at, Problem::FormatNotSupported, "the format `" + spec + "` is not supported in kernels",
      "write fill, alignment, sign, width and precision up to 99, and one of d x X o b e f g %, "
      "as in `.3f`, `>8`, `08x`");
}

bool hasText(Context &cx, const Value &value, SourceRange at) {
  const bool isShown = value.isPoison() || value.isNumber() || value.kind == Value::Str ||
                       value.kind == Value::None || value.kind == Value::Type;
  if (value.isCompound() || value.kind == Value::Dict)
    return std::ranges::all_of(value.items,
                               [&](const Value &item) { return hasText(cx, item, at); });
  if (!isShown)
    error(cx, at, Problem::PrintOfNoText, describe(value) + " has no text",
          value.kind == Value::Array ? "print its elements" : "print numbers, or what holds them");
  return isShown;
}

std::string quoted(std::string_view text) {
  const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    constexpr std::string_view from = "\n\r\t\\", to = "nrt\\";
    if (const size_t escape = from.find(c); escape != from.npos)
      out += {'\\', to[escape]};
    else if (c == quote)
      out += {'\\', c};
    else
      out += c;
  }
  return out + quote;
}

std::string printed(const Value &value, const abi::NumberFormat *format) {
  const bool isInteger = value.kind == Value::Int || value.kind == Value::Bool;
  if (format && isInteger)
    return abi::formatted(*format, value.integer < 0,
                          uint64_t(value.integer < 0 ? -value.integer : value.integer));
  if (format && value.kind == Value::Float && (format->type != 's' || format->precision >= 0))
    return abi::formatted(*format, value.real, false);
  if (format && value.kind == Value::Str) {
    abi::NumberFormat text = *format;
    if (text.align == '-')
      text.align = '<';
    return abi::padded(text, '\0',
                       value.text.substr(0, format->precision < 0 ? std::string::npos
                                                                  : size_t(format->precision)));
  }
  if (format && value.isExact()) {
    const std::string text = printed(value);
    const bool isNegative = text.starts_with('-');
    return abi::padded(*format,
                       isNegative            ? '-'
                       : format->sign == '-' ? '\0'
                                             : format->sign,
                       text.substr(isNegative));
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
