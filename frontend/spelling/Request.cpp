#include "frontend/spelling/Request.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace sextant {

static std::string trim(const std::string &text) {
  size_t a = text.find_first_not_of(" \t"), b = text.find_last_not_of(" \t");
  return a == std::string::npos ? "" : text.substr(a, b - a + 1);
}

std::string primalOf(const std::string &kernel) {
  const bool isDerivative = kernel.ends_with(".grad") || kernel.ends_with(".dual");
  return isDerivative ? kernel.substr(0, kernel.size() - 5) : kernel;
}

Request parseRequest(const std::string &text) {
  Request request;
  request.text = text;
  size_t open = text.find('['), close = text.rfind(']');
  const size_t as = text.find(" as ", close == std::string::npos ? 0 : close);
  request.kernel = trim(text.substr(0, std::min(open, as)));
  if (as != std::string::npos) {
    request.instance = trim(text.substr(as + 4));
    const bool isName = std::all_of(request.instance.begin(), request.instance.end(),
                                    [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
                        !request.instance.empty() &&
                        !std::isdigit((unsigned char)request.instance[0]);
    if (!isName) {
      request.problem = "`" + request.instance + "` is not a valid name for an instance";
      return request;
    }
  }
  if (open == std::string::npos)
    return request;
  const size_t end = std::min(as, text.size());
  if (close == std::string::npos || !trim(text.substr(close + 1, end - close - 1)).empty()) {
    request.problem = "it does not end with `]`";
    return request;
  }
  std::string inner = text.substr(open + 1, close - open - 1), part;
  int depth = 0;
  auto finish = [&] {
    part = trim(part);
    if (part.empty())
      return;
    size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      request.problem = "`" + part + "` is not of the form parameter=value";
    else
      request.values.emplace_back(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
    part.clear();
  };
  char quote = 0; // in a text, nothing else counts
  for (char c : inner) {
    if (quote || c == '"' || c == '\'') {
      quote = !quote ? c : c == quote ? 0 : quote;
      part += c;
      continue;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0)
      finish();
    else
      part += c;
  }
  finish();
  return request;
}

static bool isWordLetter(char c) {
  return std::isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/// Writes a number of Python in the one form that it has here: decimal digits, and for reals the
/// shortest text. Returns what is not a number of 64 bits as it is.
static std::string canonicalNumber(const std::string &text) {
  std::string digits = text;
  std::erase(digits, '_');
  const char kind = digits.size() > 1 && digits[0] == '0' ? char(digits[1] | 0x20) : 0;
  const int base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
  const char *begin = digits.data() + (base == 10 ? 0 : 2), *end = digits.data() + digits.size();
  uint64_t integer = 0;
  if (const auto [at, error] = std::from_chars(begin, end, integer, base);
      at == end && error == std::errc())
    return std::to_string(integer);
  double real = 0;
  const auto [at, error] = std::from_chars(begin, end, real);
  if (base != 10 || at != end || error != std::errc() || digits.find_first_of(".eE") == digits.npos)
    return text;
  char shortest[32];
  digits.assign(shortest, std::to_chars(shortest, shortest + sizeof shortest, real).ptr);
  return digits + (digits.find_first_of(".e") == digits.npos ? ".0" : ""); // 1.0 is not 1
}

/// Returns the place after the number that begins at `at`.
static size_t afterNumber(const std::string &text, size_t at) {
  const bool isHex = text.compare(at, 2, "0x") == 0 || text.compare(at, 2, "0X") == 0;
  const auto isSign = [&](size_t i) { // exponents have one
    return (text[i] == '+' || text[i] == '-') && !isHex && (text[i - 1] | 0x20) == 'e';
  };
  size_t end = at + 1;
  while (end < text.size() && (isWordLetter(text[end]) || text[end] == '.' || isSign(end)))
    ++end;
  return end;
}

/// Writes an expression without the blanks that mean nothing, without `qd.` before names, and with
/// numbers in their one form.
static std::string canonicalExpression(const std::string &value) {
  std::string text;
  bool isApart = false; // blanks were left out
  char quote = 0;
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (!quote && (c == ' ' || c == '\t')) {
      isApart = true;
      continue;
    }
    const char before = text.empty() ? 0 : text.back();
    if (!quote && isApart && isWordLetter(before) && isWordLetter(c))
      text += ' ';
    const bool begins = isApart || (!isWordLetter(before) && before != '.');
    isApart = false;
    if (!quote && begins && value.compare(i, 3, "qd.") == 0) {
      i += 2;
      continue;
    }
    const auto isDigit = [&](size_t at) {
      return at < value.size() && std::isdigit((unsigned char)value[at]);
    };
    if (!quote && begins && isDigit(c == '.' ? i + 1 : i)) {
      const size_t end = afterNumber(value, i);
      text += canonicalNumber(value.substr(i, end - i));
      i = end - 1;
      continue;
    }
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    text += c;
  }
  return text;
}

static std::string canonicalValue(const std::string &value) {
  const std::string inner = value.size() < 2 ? "" : value.substr(1, value.size() - 2);
  if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'' &&
      inner.find_first_of("'\"\\") == inner.npos)
    return "\"" + inner + "\"";
  const std::string text = canonicalExpression(value);
  const bool hasPlus = text.size() > 1 && text[0] == '+' && std::isdigit((unsigned char)text[1]);
  return hasPlus ? text.substr(1) : text == "-0" ? "0" : text;
}

std::string canonicalText(const Request &request) {
  if (request.values.empty())
    return {};
  std::vector<std::string> values;
  for (const auto &[name, value] : request.values)
    values.push_back(name + "=" + canonicalValue(value));
  std::sort(values.begin(), values.end());
  std::string text = request.kernel;
  for (const std::string &value : values)
    text += (&value == values.data() ? "[" : ", ") + value;
  // It is part of a line. No value of Python has such characters outside of a text's escapes.
  std::erase_if(text, [](unsigned char c) { return c < ' '; });
  return text + "]";
}

std::string textOf(const Requests &requests) {
  std::string text;
  for (const auto &[instance, request] : requests)
    text += instance + "\t" + request + "\n";
  return text;
}

Requests parseRequests(std::string_view text) {
  Requests requests;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (const size_t tab = line.find('\t'); tab != line.npos)
      requests.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  return requests;
}

} // namespace sextant
