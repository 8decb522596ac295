// Number and string literals of the lexer.
#include "frontend/syntax/Lexer.h"

#include "loader/format/Text.h"

#include <charconv>
#include <limits>

namespace sextant {

namespace {

constexpr char misplacedUnderscore[] = "underscore in a number has to stand between two digits";

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWord(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

int digitValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return 99;
}

/// True if Python lets the word at `at` follow a number directly (`1if x else 2`).
bool keywordMayFollow(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && isWord(text[end]))
    ++end;
  std::string_view word = text.substr(at, end - at);
  for (std::string_view keyword : {"if", "else", "and", "or", "in", "is", "not", "for"})
    if (word == keyword)
      return true;
  return false;
}

/// Reads digits with single underscores between them. Returns false if an underscore is misplaced.
bool takeDigits(std::string_view text, size_t &at, int base, std::string &digits) {
  bool wellFormed = true, lastWasDigit = false;
  while (at < text.size()) {
    if (digitValue(text[at]) < base) {
      digits += text[at];
      lastWasDigit = true;
    } else if (text[at] == '_') {
      if (!lastWasDigit)
        wellFormed = false;
      lastWasDigit = false;
    } else {
      break;
    }
    ++at;
  }
  return wellFormed && lastWasDigit;
}

void toInteger(const std::string &digits, int base, Token &token) {
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), token.integer, base);
  if (error == std::errc::result_out_of_range) {
    token.integer = std::numeric_limits<uint64_t>::max();
    token.tooBig = true;
  }
}

/// Rounds to the nearest double. Out of range it gives inf or zero, as Python does.
double toReal(const std::string &digits) {
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::result_out_of_range)
    return value;
  // The decimal position of the first non-zero digit says which of the two.
  size_t exponentAt = digits.find_first_of("eE");
  std::string mantissa = digits.substr(0, exponentAt);
  size_t point = mantissa.find('.');
  size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string::npos)
    return 0;
  bool negativeExponent =
      exponentAt != std::string::npos && digits.find('-', exponentAt) != std::string::npos;
  if (exponentAt == std::string::npos)
    return point != std::string::npos && first > point ? 0
                                                       : std::numeric_limits<double>::infinity();
  return negativeExponent ? 0 : std::numeric_limits<double>::infinity();
}

/// Reads the digits after `0x`, `0o` or `0b`. Returns the first problem's message.
std::string lexBased(std::string_view text, size_t &at, int base, Token &token) {
  std::string digits, message;
  if (at < text.size() && text[at] == '_')
    ++at;
  if (!takeDigits(text, at, base, digits))
    message = digits.empty() ? "number has no digits after its base prefix" : misplacedUnderscore;
  toInteger(digits, base, token);
  return message;
}

/// `e` and digits, with a sign or without, if they stand here; false where they do not.
bool lexExponent(std::string_view text, size_t &at, std::string &digits, std::string &message) {
  if (at >= text.size() || (text[at] | 0x20) != 'e')
    return false;
  size_t next = at + 1;
  if (next < text.size() && (text[next] == '+' || text[next] == '-'))
    ++next;
  if (next >= text.size() || !isDigit(text[next]))
    return false;
  digits.append(text.substr(at, next - at));
  at = next;
  if (!takeDigits(text, at, 10, digits))
    message = misplacedUnderscore;
  return true;
}

std::string lexDecimal(std::string_view text, size_t &at, Token &token) {
  std::string digits, message;
  if (text[at] != '.' && !takeDigits(text, at, 10, digits))
    message = misplacedUnderscore;
  bool real = at < text.size() && text[at] == '.';
  if (real) {
    digits += text[at++];
    if (at < text.size() && (isDigit(text[at]) || text[at] == '_') &&
        !takeDigits(text, at, 10, digits))
      message = misplacedUnderscore;
  }
  real |= lexExponent(text, at, digits, message);
  bool imaginary = at < text.size() && (text[at] | 0x20) == 'j';
  if (real || imaginary) {
    token.kind = imaginary ? TokenKind::Imaginary : TokenKind::Float;
    token.real = toReal(digits);
    at += imaginary;
    return message;
  }
  if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos)
    message = "a decimal number cannot start with 0; an octal one is written 0o" +
              digits.substr(digits.find_first_not_of('0'));
  toInteger(digits, 10, token);
  return message;
}

} // namespace

std::string lexNumber(std::string_view text, uint32_t start, Token &token) {
  size_t at = start;
  token.kind = TokenKind::Int;
  char marker = start + 1 < text.size() ? char(text[start + 1] | 0x20) : '\0';
  int base = text[start] != '0' ? 10
             : marker == 'x'    ? 16
             : marker == 'o'    ? 8
             : marker == 'b'    ? 2
                                : 10;
  if (base != 10)
    at += 2;
  std::string message = base == 10 ? lexDecimal(text, at, token) : lexBased(text, at, base, token);
  if (at < text.size() && isWord(text[at]) && !keywordMayFollow(text, at)) {
    size_t from = at;
    while (at < text.size() && isWord(text[at]))
      ++at;
    if (message.empty())
      message = "'" + std::string(text.substr(from, at - from)) + "' cannot follow a number";
  }
  token.begin = start;
  token.end = uint32_t(at);
  token.text = text.substr(start, at - start);
  return message;
}

//===--- Strings -----------------------------------------------------------===//

size_t stringPrefixLength(std::string_view text, uint32_t at) {
  size_t length = 0;
  for (; length < 3 && at + length < text.size(); ++length) {
    char c = text[at + length];
    if (c == '"' || c == '\'')
      return length;
    if (std::string_view("rRbBuUfFtT").find(c) == std::string_view::npos)
      return std::string_view::npos;
  }
  return std::string_view::npos;
}

namespace {

void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += char(code);
  } else if (code < 0x800) {
    out += char(0xC0 | code >> 6);
    out += char(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += char(0xE0 | code >> 12);
    out += char(0x80 | (code >> 6 & 0x3F));
    out += char(0x80 | (code & 0x3F));
  } else {
    out += char(0xF0 | code >> 18);
    out += char(0x80 | (code >> 12 & 0x3F));
    out += char(0x80 | (code >> 6 & 0x3F));
    out += char(0x80 | (code & 0x3F));
  }
}

/// Decodes the escape whose backslash is at `at`. Returns the offset after it.
size_t decodeEscape(std::string_view text, size_t at, Token &token) {
  char c = at + 1 < text.size() ? text[at + 1] : '\0';
  static constexpr std::string_view from = "abfnrtv\\'\"", to = "\a\b\f\n\r\t\v\\'\"";
  if (size_t simple = from.find(c); simple != std::string_view::npos) {
    token.string += to[simple];
    return at + 2;
  }
  if (c == '\n')
    return at + 2;
  if (c == '\r')
    return at + (at + 2 < text.size() && text[at + 2] == '\n' ? 3 : 2);
  if (c >= '0' && c <= '7') {
    uint32_t code = 0;
    size_t i = at + 1;
    for (; i < at + 4 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++i)
      code = code * 8 + unsigned(text[i] - '0');
    appendUtf8(token.string, code);
    return i;
  }
  size_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  uint32_t code = 0;
  size_t count = 0;
  while (count < wanted && at + 2 + count < text.size() && digitValue(text[at + 2 + count]) < 16)
    code = code * 16 + unsigned(digitValue(text[at + 2 + count++]));
  if (wanted && count == wanted && code < 0x110000 && (code < 0xD800 || code > 0xDFFF)) {
    appendUtf8(token.string, code);
    return at + 2 + wanted;
  }
  if (wanted || c == 'N') // Python decides
    token.unread = c == 'N' ? "a character by its name" : "an escape without its digits";
  token.string += '\\';
  return at + 1;
}

/// Skips a replacement field of an f-string, from after its '{' to after its '}'. Strings in it may
/// reuse the outer quotes (Python 3.12). Such a quote opens a string if the same line closes it
/// again before another '}'.
size_t skipField(std::string_view text, size_t at, std::string_view quote) {
  bool triple = quote.size() == 3;
  unsigned braces = 1;
  while (at < text.size()) {
    char c = text[at];
    if (!triple && (c == '\n' || c == '\r'))
      return at; // the caller reports the string as not closed
    if (c == '{') {
      ++braces;
    } else if (c == '}') {
      if (--braces == 0)
        return at + 1;
    } else if (c == '"' || c == '\'') {
      size_t close = at + 1;
      while (close < text.size() && text[close] != c && text[close] != '\n')
        close += text[close] == '\\' ? 2 : 1;
      if (close >= text.size() || text[close] != c)
        return at;
      if (text.substr(at, quote.size()) == quote) {
        size_t brace = text.find_first_of("}\n", close);
        if (brace == std::string_view::npos || text[brace] == '\n')
          return at;
      }
      at = close;
    }
    ++at;
  }
  return at;
}

} // namespace

void lexString(std::string_view text, uint32_t start, Token &token,
               std::vector<LexProblem> &problems) {
  size_t prefix = stringPrefixLength(text, start);
  bool raw = false, format = false;
  for (char c : text.substr(start, prefix)) {
    raw |= (c | 0x20) == 'r';
    format |= (c | 0x20) == 'f' || (c | 0x20) == 't';
    if ((c | 0x20) == 'b' || (c | 0x20) == 't')
      token.unread = (c | 0x20) == 'b' ? "a string of bytes" : "a template string";
  }
  size_t at = start + prefix;
  bool triple = text.size() >= at + 3 && text[at + 1] == text[at] && text[at + 2] == text[at];
  std::string_view quote = text.substr(at, triple ? 3 : 1);
  at += quote.size();
  token.kind = TokenKind::String;
  token.isFormat = format;
  bool closed = false;
  while (at < text.size()) {
    if (text.substr(at, quote.size()) == quote) {
      at += quote.size();
      closed = true;
      break;
    }
    char c = text[at];
    if (!triple && (c == '\n' || c == '\r'))
      break;
    if (c == '\\' && at + 1 < text.size()) {
      if (!raw) {
        at = decodeEscape(text, at, token);
        continue;
      }
      size_t length = text.substr(at + 1, 2) == "\r\n" ? 3 : 2;
      token.string.append(text.substr(at, length));
      at += length;
      continue;
    }
    if (format && c == '{') {
      if (text.substr(at, 2) == "{{") {
        token.string += '{';
        at += 2;
        continue;
      }
      FormatField field{uint32_t(at + 1), 0, token.string.size()};
      at = skipField(text, at + 1, quote);
      field.end = std::max(field.begin, uint32_t(at - 1));
      token.fields.push_back(field);
      continue;
    }
    if (format && text.substr(at, 2) == "}}")
      ++at; // one of them stands for both
    size_t length = module::utf8Length(text.substr(at));
    if (length == 0) {
      problems.push_back({uint32_t(at), uint32_t(at + 1), Problem::TextNotUtf8,
                          "this byte is not UTF-8 text", "save the file as UTF-8"});
      ++at;
      continue;
    }
    token.string.append(text.substr(at, length));
    at += length;
  }
  token.begin = start;
  token.end = uint32_t(at);
  token.text = text.substr(start, at - start);
  if (!closed)
    problems.push_back({start, uint32_t(start + prefix + quote.size()), Problem::StringNotClosed,
                        triple ? "this string is not closed before the end of the file"
                               : "this string is not closed before the end of its line",
                        "close it with " + std::string(quote)});
}

} // namespace sextant
