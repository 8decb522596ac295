// The lexer: indentation, line joining, comments, names and operators. Literals.cpp has numbers and
// strings.
#include "frontend/syntax/Lexer.h"

#include "loader/format/Text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sextant {

namespace {

constexpr unsigned maxIndent = 100;   // as Python
constexpr unsigned maxBrackets = 200; // as Python
constexpr unsigned maxErrors = 40;

bool isNameStart(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}
bool isNameByte(unsigned char c) { return isNameStart(c) || (c >= '0' && c <= '9'); }

/// True if Unicode has the character for what is not shown: blanks, joiners, marks of directions
/// and of byte orders, controls (categories Cc, Cf, Zl, Zp, Zs).
bool isBlank(uint32_t code) {
  static constexpr std::pair<uint32_t, uint32_t> ranges[] = {
      {0x80, 0xA0},     {0xAD, 0xAD},     {0x600, 0x605},   {0x61C, 0x61C},   {0x6DD, 0x6DD},
      {0x70F, 0x70F},   {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F}, {0x2028, 0x202F},
      {0x205F, 0x206F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0001, 0xE007F}};
  return std::ranges::any_of(
      ranges, [&](const auto &range) { return code >= range.first && code <= range.second; });
}

/// Longest first.
constexpr std::array<std::string_view, 47> operators = {
    "...", "**=", "//=", ">>=", "<<=", "**", "//", ">>", "<<", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
    "+",   "-",   "*",   "/",   "%",   "&",  "|",  "^",  "~",  "<",  ">",  "=",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "@"};

/// Words that begin a statement and cannot stand inside brackets. If a line begins with one, an
/// earlier bracket was left open.
bool startsStatementOnly(std::string_view word) {
  static constexpr std::array<std::string_view, 12> words = {
      "def",   "class", "return", "while", "import", "pass",
      "break", "raise", "del",    "try",   "global", "continue"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Lexer {
public:
  Lexer(const SourceFile &file, DiagnosticSink &sink) : file(file), sink(sink), text(file.text()) {}

  std::vector<Token> run() {
    if (text.starts_with("\xEF\xBB\xBF"))
      at = 3;
    atLineStart = true;
    while (at < text.size() && errors < maxErrors)
      step();
    if (!brackets.empty())
      reportOpenBracket();
    if (!tokens.empty() && tokens.back().kind != TokenKind::Newline &&
        tokens.back().kind != TokenKind::Dedent)
      push(TokenKind::Newline, at, at);
    while (indents.size() > 1) {
      indents.pop_back();
      push(TokenKind::Dedent, at, at);
    }
    push(TokenKind::End, at, at);
    return std::move(tokens);
  }

  std::vector<Token> runField(uint32_t begin, uint32_t end) {
    text = text.substr(0, end);
    at = begin;
    atLineStart = false;
    while (at < text.size() && errors < maxErrors)
      step();
    if (!brackets.empty())
      reportOpenBracket();
    push(TokenKind::End, at, at);
    return std::move(tokens);
  }

private:
  struct Indent {
    unsigned column = 0;    ///< tabs to the next multiple of eight
    unsigned altColumn = 0; ///< tabs as one: both have to agree, so that tabs and spaces do not mix
  };
  struct Bracket {
    char close;
    uint32_t at;
  };

  void error(uint32_t begin, uint32_t end, Problem problem, std::string message, Fix fix = {}) {
    if (errors++ < maxErrors)
      sink.error({&file, begin, end}, problem, std::move(message), std::move(fix));
  }

  void push(TokenKind kind, uint32_t begin, uint32_t end) {
    Token token;
    token.kind = kind;
    token.begin = begin;
    token.end = end;
    token.text = text.substr(begin, end - begin);
    tokens.push_back(std::move(token));
  }

  /// Adds a closing bracket that the text lacks, since the parser may rely on pairs.
  void pushCloser(char closer, uint32_t where) {
    static constexpr std::string_view closers = ")]}";
    Token token;
    token.kind = TokenKind::Operator;
    token.begin = token.end = where;
    token.text = closers.substr(closers.find(closer), 1);
    tokens.push_back(std::move(token));
  }

  void reportOpenBracket() {
    Bracket open = brackets.back();
    error(open.at, open.at + 1, Problem::BracketNotClosed,
          std::string("'") + text[open.at] + "' is never closed",
          std::string("add the missing '") + open.close + "'");
    for (; !brackets.empty(); brackets.pop_back())
      pushCloser(brackets.back().close, at);
  }

  bool lineEndAt(size_t i) const { return text[i] == '\n' || text[i] == '\r'; }
  void skipLineEnd() {
    at += text.substr(at, 2) == "\r\n" ? 2 : 1;
    atLineStart = true;
  }

  void step() {
    if (atLineStart && brackets.empty())
      if (!lineStart())
        return;
    if (atLineStart && startsStatement()) {
      reportOpenBracket();
      push(TokenKind::Newline, at, at);
      while (at > 0 && !lineEndAt(at - 1)) // so that the indentation is measured
        --at;
      return;
    }
    atLineStart = false;
    char c = text[at];
    if (c == ' ' || c == '\t' || c == '\f') {
      // Inside brackets, `lineStart` stays set until the line's first token.
      atLineStart = !brackets.empty() && lineStartHolds();
      ++at;
    } else if (lineEndAt(at)) {
      if (brackets.empty())
        push(TokenKind::Newline, at, at + 1);
      skipLineEnd();
    } else if (c == '#') {
      skipComment();
    } else if (c == '\\') {
      joinLine();
    } else if (stringPrefixLength(text, at) != std::string_view::npos) {
      string();
    } else if (isNameStart(static_cast<unsigned char>(c))) {
      name();
    } else if ((c >= '0' && c <= '9') ||
               (c == '.' && at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '9')) {
      number();
    } else {
      punctuation();
    }
  }

  /// True if only blanks lie between the line's start and here.
  bool lineStartHolds() const {
    size_t i = at;
    while (i > 0 && (text[i - 1] == ' ' || text[i - 1] == '\t' || text[i - 1] == '\f'))
      --i;
    return i > 0 && lineEndAt(i - 1);
  }

  /// Inside brackets, at the first token of a line: true if a statement begins here.
  bool startsStatement() const {
    if (brackets.empty())
      return false;
    size_t end = at;
    while (end < text.size() && isNameByte(static_cast<unsigned char>(text[end])))
      ++end;
    return startsStatementOnly(text.substr(at, end - at));
  }

  /// Measures the indentation of a line. Returns false if the line was blank.
  bool lineStart() {
    Indent indent;
    uint32_t begin = at;
    for (; at < text.size(); ++at) {
      if (text[at] == ' ')
        ++indent.column, ++indent.altColumn;
      else if (text[at] == '\t')
        indent.column = (indent.column / 8 + 1) * 8, ++indent.altColumn;
      else if (text[at] == '\f')
        indent = {};
      else
        break;
    }
    if (at >= text.size())
      return false;
    if (lineEndAt(at)) {
      skipLineEnd();
      return false;
    }
    if (text[at] == '#') {
      skipComment();
      if (at < text.size())
        skipLineEnd();
      return false;
    }
    // A joined blank line does not change the indentation.
    atLineStart = false;
    const Indent &top = indents.back();
    if (indent.column == top.column) {
      if (indent.altColumn != top.altColumn)
        reportTabs(begin);
      return true;
    }
    if (indent.column > top.column) {
      if (indent.altColumn <= top.altColumn)
        reportTabs(begin);
      if (indents.size() >= maxIndent) {
        error(begin, at, Problem::NestingTooDeep,
              "blocks are nested more than " + std::to_string(maxIndent) + " deep",
              "move inner blocks into functions");
        return true;
      }
      indents.push_back(indent);
      push(TokenKind::Indent, begin, at);
      return true;
    }
    while (indents.size() > 1 && indents.back().column > indent.column) {
      indents.pop_back();
      push(TokenKind::Dedent, at, at);
    }
    if (indents.back().column != indent.column)
      error(begin, at, Problem::IndentationUnmatched,
            "this line's indentation matches no block around it",
            "indent it as far as the block that it belongs to");
    else if (indents.back().altColumn != indent.altColumn)
      reportTabs(begin);
    return true;
  }

  /// Once for a file: lines after the first are often the right ones.
  void reportTabs(uint32_t begin) {
    if (std::exchange(hasReportedTabs, true))
      return;
    error(begin, at, Problem::TabsAndSpacesMixed,
          "tabs and spaces are mixed so that the indentation depends on the tab width",
          "indent with spaces only");
  }

  void skipComment() {
    while (at < text.size() && !lineEndAt(at)) {
      size_t length = module::utf8Length(text.substr(at));
      if (length == 0)
        notUtf8();
      at += uint32_t(std::max<size_t>(length, 1));
    }
  }

  void notUtf8() {
    error(at, at + 1, Problem::TextNotUtf8, "this byte is not UTF-8 text",
          "save the file as UTF-8");
  }

  void joinLine() {
    uint32_t begin = at++;
    if (at < text.size() && lineEndAt(at)) {
      skipLineEnd();
      atLineStart = false;
      return;
    }
    error(begin, begin + 1, Problem::BackslashNotLast,
          "a backslash joins lines only as the last character of its line",
          "remove it, or what follows it on the line");
  }

  void string() {
    Token token;
    std::vector<LexProblem> problems;
    lexString(text, at, token, problems);
    for (LexProblem &problem : problems)
      error(problem.begin, problem.end, problem.problem, std::move(problem.message),
            std::move(problem.fix));
    at = token.end;
    tokens.push_back(std::move(token));
  }

  void number() {
    Token token;
    std::string problem = lexNumber(text, at, token);
    if (!problem.empty())
      error(token.begin, token.end, Problem::NumberMalformed, std::move(problem));
    at = token.end;
    tokens.push_back(std::move(token));
  }

  void name() {
    uint32_t begin = at;
    while (at < text.size() && isNameByte(static_cast<unsigned char>(text[at]))) {
      size_t length = module::utf8Length(text.substr(at));
      if (length == 0)
        notUtf8();
      if (length > 1 && isBlank(module::codePoint(text.substr(at, length)))) {
        if (at == begin)
          blank(uint32_t(length));
        break;
      }
      at += uint32_t(std::max<size_t>(length, 1));
    }
    if (at > begin)
      push(TokenKind::Name, begin, at);
  }

  /// Reports a character that an editor does not show, and goes on after it.
  void blank(uint32_t length) {
    const std::string shown = module::isObeyed(module::codePoint(text.substr(at, length)))
                                  ? "a control character"
                                  : "a blank or a mark that is not shown";
    error(at, at + length, Problem::CharacterNotPython, shown + " is not part of any Python token",
          "remove it, or write a space");
    at += length;
  }

  void punctuation() {
    for (std::string_view op : operators) {
      if (text.substr(at, op.size()) != op)
        continue;
      uint32_t begin = at;
      at += uint32_t(op.size());
      if (op == "(" || op == "[" || op == "{")
        open(begin, op == "(" ? ')' : op == "[" ? ']' : '}');
      else if ((op == ")" || op == "]" || op == "}") && !close(begin, op[0]))
        return;
      push(TokenKind::Operator, begin, at);
      return;
    }
    unsigned char c = text[at];
    std::string shown;
    if (c < 0x20 || c == 0x7F) {
      static const char hex[] = "0123456789abcdef";
      shown = std::string("control character 0x") + hex[c >> 4] + hex[c & 15];
    } else {
      shown = std::string("'") + char(c) + "'";
    }
    error(at, at + 1, Problem::CharacterNotPython, shown + " is not part of any Python token",
          c == '!'   ? "negation is written 'not', and 'not equal' '!='"
          : c == '?' ? "a conditional expression is written 'a if condition else b'"
                     : "remove it");
    ++at;
  }

  void open(uint32_t begin, char closer) {
    if (brackets.size() == maxBrackets)
      error(begin, begin + 1, Problem::NestingTooDeep,
            "brackets are nested more than " + std::to_string(maxBrackets) + " deep",
            "split the expression over several assignments");
    brackets.push_back({closer, begin});
  }

  /// Returns false if the bracket closes nothing; it is then dropped.
  bool close(uint32_t begin, char closer) {
    auto matching = std::find_if(brackets.rbegin(), brackets.rend(),
                                 [&](const Bracket &b) { return b.close == closer; });
    if (matching == brackets.rend()) {
      error(begin, begin + 1, Problem::BracketClosesNothing,
            std::string("'") + closer + "' closes nothing",
            Fix("remove it", {{{&file, begin, begin + 1}, ""}}, true));
      return false;
    }
    // Closes inner brackets that were left open, so that the parser sees pairs.
    while (brackets.back().close != closer) {
      Bracket inner = brackets.back();
      brackets.pop_back();
      error(inner.at, inner.at + 1, Problem::BracketsMismatched,
            std::string("'") + text[inner.at] + "' is closed by '" + closer + "'",
            Fix(std::string("add the missing '") + inner.close + "'",
                {{{&file, begin, begin}, std::string(1, inner.close)}}, true));
      pushCloser(inner.close, begin);
    }
    brackets.pop_back();
    return true;
  }

  const SourceFile &file;
  DiagnosticSink &sink;
  std::string_view text;
  uint32_t at = 0;
  bool atLineStart = true;
  unsigned errors = 0;
  bool hasReportedTabs = false;
  std::vector<Indent> indents = {Indent{}};
  std::vector<Bracket> brackets;
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> tokenize(const SourceFile &file, DiagnosticSink &sink) {
  return Lexer(file, sink).run();
}

std::vector<Token> tokenizeField(const SourceFile &file, uint32_t begin, uint32_t end,
                                 DiagnosticSink &sink) {
  return Lexer(file, sink).runField(begin, end);
}

static void collectEdits(const SourceFile &file, const std::vector<Token> &tokens,
                         std::string_view name, const std::string &text, std::vector<Edit> &edits) {
  unsigned nesting = 0;
  for (size_t k = 0; k < tokens.size(); ++k) {
    const Token &token = tokens[k];
    for (const FormatField &field : token.fields) {
      DiagnosticSink quiet;
      collectEdits(file, tokenizeField(file, field.begin, field.end, quiet), name, text, edits);
    }
    if (token.is("(") || token.is("[") || token.is("{"))
      ++nesting;
    else if (nesting > 0 && (token.is(")") || token.is("]") || token.is("}")))
      --nesting;
    const bool isMember = k > 0 && tokens[k - 1].is(".");
    const bool isKeyword = nesting > 0 && k + 1 < tokens.size() && tokens[k + 1].is("=");
    if (token.kind == TokenKind::Name && token.text == name && !isMember && !isKeyword)
      edits.push_back({{&file, token.begin, token.end}, text});
  }
}

std::vector<Edit> renamed(const SourceFile &file, std::string_view name, const std::string &text) {
  DiagnosticSink quiet; // whoever parsed the file reported its errors
  std::vector<Edit> edits;
  collectEdits(file, tokenize(file, quiet), name, text, edits);
  return edits;
}

} // namespace sextant
