#include "loader/abi/NumberFormat.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sextant::abi {

namespace {

/// The fewest digits that mean the number, as Python writes them. It is finite and not negative.
std::string shortest(double value, bool isSingle) {
  char text[32];
  int digits = 0;
  do
    std::snprintf(text, sizeof text, "%.*e", digits, value);
  while (digits++ < 16 &&
         (isSingle ? double(std::strtof(text, nullptr)) : std::strtod(text, nullptr)) != value);
  const char *digit = text, *e = std::strchr(text, 'e');
  const int exponent = std::atoi(e + 1);
  if (exponent < -4 || exponent >= 16)
    return text;
  // Places left of the point are not negative, those right of it are; both have a digit.
  std::string to;
  for (int place = exponent < 0 ? 0 : exponent; place >= -1 || digit < e; --place) {
    if (place == -1)
      to += '.';
    if (*digit == '.')
      ++digit;
    to += place <= exponent && digit < e ? *digit++ : '0';
  }
  return to;
}

char signOf(const NumberFormat &format, bool isNegative) {
  return isNegative ? '-' : format.sign == '-' ? '\0' : format.sign;
}

} // namespace

std::string textOf(const NumberFormat &format) {
  std::string text = {format.fill, format.align, format.sign, format.type};
  auto add = [&](unsigned number) {
    text += {char('0' + number / 10 % 10), char('0' + number % 10)};
  };
  add(format.width);
  if (format.precision < 0)
    text += "-1";
  else
    add(unsigned(format.precision));
  return text;
}

NumberFormat readFormat(std::string_view text) {
  NumberFormat format;
  if (text.size() < formatCharacters)
    return format;
  auto number = [&](size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  format.fill = text[0];
  format.align = text[1];
  format.sign = text[2];
  format.type = text[3];
  if (const int width = number(4); width >= 0 && width <= 99)
    format.width = unsigned(width);
  if (const int precision = number(6); precision >= 0 && precision <= 99)
    format.precision = precision;
  return format;
}

std::string padded(const NumberFormat &format, char sign, const std::string &text) {
  const size_t size = text.size() + (sign != 0);
  const size_t pad = format.width > size ? format.width - size : 0;
  const size_t left = format.align == '<' ? 0 : format.align == '^' ? pad / 2 : pad;
  std::string to;
  if (format.align != '=')
    to.append(left, format.fill);
  if (sign)
    to += sign;
  if (format.align == '=')
    to.append(left, format.fill);
  to += text;
  to.append(pad - left, format.fill);
  return to;
}

std::string formatted(const NumberFormat &format, double value, bool isSingle) {
  const double size = std::fabs(value);
  std::string text;
  if (!std::isfinite(value)) {
    text = std::isnan(value) ? "nan" : "inf";
    if (format.type >= 'A' && format.type <= 'Z')
      for (char &c : text)
        c = char(c - 'a' + 'A');
  } else if (!format.isReal() && format.precision < 0) {
    text = shortest(size, isSingle);
  } else {
    const char how[] = {'%', '.', '*', format.isReal() && format.type != '%' ? format.type : 'f',
                        '\0'};
    char digits[500]; // all of the largest number, and 99 after the point
    std::snprintf(digits, sizeof digits, how, format.precision < 0 ? 6 : format.precision,
                  format.type == '%' ? 100 * size : size);
    text = digits;
  }
  if (format.type == '%')
    text += '%';
  return padded(format, signOf(format, std::signbit(value) && !std::isnan(value)), text);
}

std::string formatted(const NumberFormat &format, bool isNegative, uint64_t magnitude) {
  if (format.isReal())
    return formatted(format, isNegative ? -double(magnitude) : double(magnitude), false);
  const unsigned base = format.type == 'x' || format.type == 'X' ? 16
                        : format.type == 'o'                     ? 8
                        : format.type == 'b'                     ? 2
                                                                 : 10;
  std::string text;
  do
    text.insert(text.begin(),
                (format.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[magnitude % base]);
  while (magnitude /= base);
  if (format.precision > 0 && text.size() < size_t(format.precision))
    text.insert(0, size_t(format.precision) - text.size(), '0');
  return padded(format, signOf(format, isNegative), text);
}

} // namespace sextant::abi
