// `print`: what it writes of numbers, vectors and texts, as Python would.
#include "tests/fuzz/Machine.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace fuzz {

/// The fewest digits that mean the number, as Python's repr.
static std::string shortest(Scalar type, double value) {
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[64];
  int digits = 0;
  for (; digits < 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits, value);
    const double back =
        type == Scalar::F32 ? double(std::strtof(text, nullptr)) : std::strtod(text, nullptr);
    if (back == value)
      break;
  }
  const int exponent = std::atoi(std::string(text).substr(std::string(text).find('e') + 1).c_str());
  if (exponent < -4 || exponent >= 16)
    return text;
  // A point, and a digit after it. What the digits leave out is zeros.
  const double written = std::strtod(text, nullptr);
  std::snprintf(text, sizeof text, "%.*f", std::max(1, digits - exponent), written);
  return text;
}

/// A number by a format: sign, zeros, width, precision and type, and `<` or `>`.
static std::string byFormat(Scalar type, Bits bits, std::string spec) {
  std::string align;
  if (!spec.empty() && (spec[0] == '<' || spec[0] == '>')) {
    align = spec.substr(0, 1);
    spec.erase(0, 1);
  }
  std::string text;
  char buffer[128];
  const char kind = spec.empty() ? ' ' : spec.back();
  if (kind == 'f' || kind == 'e') {
    const double value = isReal(type)     ? toDouble(type, bits)
                         : isSigned(type) ? double(int64_t(bits))
                                          : double(bits);
    if (!std::isfinite(value))
      throw Unspecified("a format of what is not finite");
    std::snprintf(buffer, sizeof buffer, ("%" + spec).c_str(), value);
    return buffer;
  }
  if (isReal(type))
    throw Unsupported("this format of a real");
  const bool isNegative = isSigned(type) && int64_t(bits) < 0;
  const unsigned long long size = isNegative ? 0 - bits : bits;
  bool plus = false;
  size_t at = 0;
  if (at < spec.size() && spec[at] == '+')
    plus = ++at != 0;
  const bool zeros = at < spec.size() && spec[at] == '0';
  const auto width = size_t(std::atoi(spec.c_str() + at));
  std::snprintf(buffer, sizeof buffer, kind == 'x' ? "%llx" : "%llu", size);
  const std::string sign = isNegative ? "-" : plus ? "+" : "", digits = buffer;
  const size_t used = sign.size() + digits.size();
  const std::string fill(width > used ? width - used : 0, zeros ? '0' : ' ');
  return zeros ? sign + fill + digits : align == "<" ? sign + digits + fill : fill + sign + digits;
}

/// A value's text in each thread.
std::vector<std::string> Machine::textsOf(const Val &value, const std::string &format,
                                          const Mask &mask) {
  std::vector<std::string> texts(lanes);
  if (value.isTree()) {
    if (value.kind == Val::Record)
      throw Unsupported("the text of a record");
    for (size_t i = 0; i < value.items.size(); ++i) {
      const std::vector<std::string> item = textsOf(value.items[i], format, mask);
      for (unsigned lane = 0; lane < lanes; ++lane)
        texts[lane] += (i ? ", " : "") + item[lane];
    }
    for (std::string &text : texts)
      text = value.isVector ? "[" + text + "]" : "(" + text + ")";
    return texts;
  }
  if (value.kind == Val::Text) {
    texts.assign(lanes, value.path);
    return texts;
  }
  if (!value.isNumber() || value.kind == Val::Real)
    throw Unsupported("the text of this value");
  const Val number = runtime(value);
  usable(number, mask);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    const Bits bits = number.bits[lane];
    if (isNan(number.type, bits) || number.type == Scalar::F16)
      throw Unspecified("the text of a NaN or of an f16");
    if (number.type == Scalar::U1 && format.empty())
      texts[lane] = bits ? "True" : "False";
    else if (!format.empty() || !isReal(number.type))
      texts[lane] = byFormat(number.type, bits, format);
    else
      texts[lane] = shortest(number.type, toDouble(number.type, bits));
  }
  return texts;
}

void Machine::print(const ast::Call &node, const Mask &mask) {
  std::string separator = " ", end = "\n";
  for (const ast::Keyword &keyword : node.keywords) {
    const Val text = eval(*keyword.value, mask);
    if (text.kind != Val::Text || (keyword.name != "sep" && keyword.name != "end"))
      throw Unsupported("this option of print");
    (keyword.name == "sep" ? separator : end) = text.path;
  }
  std::vector<std::string> lines(lanes);
  const auto append = [&](const std::vector<std::string> &texts) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      lines[lane] += texts[lane];
  };
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (i)
      append(std::vector<std::string>(lanes, separator));
    const auto *format = std::get_if<ast::FormatString>(&node.args[i]->node);
    if (!format) {
      append(textsOf(eval(*node.args[i], mask), "", mask));
      continue;
    }
    for (const ast::FormatString::Part &part : format->parts) {
      append(std::vector<std::string>(lanes, part.text));
      if (part.value)
        append(textsOf(eval(*part.value, mask), part.spec, mask));
    }
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane])
      launch.prints.push_back(lines[lane] + end);
  if (launch.prints.size() > 5000)
    throw Unspecified("more prints than a stream may hold");
}

} // namespace fuzz
