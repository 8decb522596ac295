// The tokens of a kernel file, as Python defines them. Indentation becomes Indent and Dedent, a
// logical line ends with Newline, and text inside brackets is one line.
#pragma once

#include "frontend/syntax/Diagnostics.h"
#include "frontend/syntax/Source.h"

#include <string>
#include <string_view>
#include <vector>

namespace sextant {

enum class TokenKind : uint8_t {
  Name, ///< identifiers and keywords alike; the parser tells them apart by text
  Int,
  Float,
  Imaginary,
  String,
  Operator, ///< also brackets and punctuation
  Newline,
  Indent,
  Dedent,
  End,
};

/// The part between the braces of an f-string.
struct FormatField {
  uint32_t begin = 0, end = 0; ///< in the file
  size_t at = 0;               ///< in Token::string
};

struct Token {
  TokenKind kind = TokenKind::End;
  bool tooBig = false;   ///< Int: past 64 bits
  bool isFormat = false; ///< String: an f-string
  uint32_t begin = 0, end = 0;
  uint64_t integer = 0;
  double real = 0;
  std::string_view text;           ///< as written
  std::string_view unread;         ///< String: as ast::StringLit has it
  std::string string;              ///< String: decoded; of an f-string, what is not in its fields
  std::vector<FormatField> fields; ///< fields of an f-string, in order

  bool is(std::string_view what) const {
    return (kind == TokenKind::Name || kind == TokenKind::Operator) && text == what;
  }
};

/// Splits a file into tokens. The last one is End, and Indents and Dedents match. Errors go to the
/// sink, and the text after them is still split.
std::vector<Token> tokenize(const SourceFile &file, DiagnosticSink &sink);

/// The same for a field of an f-string, without indentation.
std::vector<Token> tokenizeField(const SourceFile &file, uint32_t begin, uint32_t end,
                                 DiagnosticSink &sink);

/// Returns the edits that give a name another text wherever a file reads or binds it, also in
/// f-strings. Members and keywords of calls are other names.
std::vector<Edit> renamed(const SourceFile &file, std::string_view name, const std::string &text);

/// Reads the number at `at` (which starts with a digit, or a '.' and a digit). Returns a non-empty
/// message if it is not a number; token.end is set anyway.
std::string lexNumber(std::string_view text, uint32_t at, Token &token);

/// Returns the length of a string prefix with its quote at `at` (`r"`, `'`, `Rb'''` …) without the
/// quote itself, or npos if no string begins here.
size_t stringPrefixLength(std::string_view text, uint32_t at);

/// A problem in a literal, and its place.
struct LexProblem {
  uint32_t begin = 0, end = 0;
  Problem problem = Problem::Other;
  std::string message, fix;
};

/// Reads the string at `at`, prefix included. Appends problems.
void lexString(std::string_view text, uint32_t at, Token &token, std::vector<LexProblem> &problems);

} // namespace sextant
