// The parser on tokens: errors, recovery, skipping host code, whole files.
#include "frontend/syntax/Parser.h"

#include <algorithm>
#include <array>

namespace sextant {

using namespace ast;

namespace {

constexpr std::array<std::string_view, 35> keywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

/// The statements that kernels cannot use, with a replacement for each.
struct HostRow {
  std::string_view keyword, reason, fix;
  Problem problem = Problem::StatementNotInKernels;
};
constexpr std::array<HostRow, 10> hostRows = {{
    {"class", "a class cannot be defined in a kernel", "move it to module level",
     Problem::DefinitionInsideFunction},
    {"try", "kernels have no exceptions", "test the condition with 'if'"},
    {"raise", "kernels have no exceptions", "use 'assert', or write an error code to an array"},
    {"del", "names cannot be deleted in a kernel", "remove this line"},
    {"global", "module constants are read-only in a kernel",
     "pass the value as an array or a field"},
    {"nonlocal", "a kernel has no enclosing function", "pass the value as an argument"},
    {"async", "kernels have no coroutines", "remove 'async'"},
    {"match", "'match' is not part of the kernel language", "write it as 'if' and 'elif'"},
    {"def", "a function cannot be defined inside a kernel",
     "define it at module level with @qd.func", Problem::DefinitionInsideFunction},
    {"@", "a function or class cannot be defined inside a kernel",
     "define it at module level with @qd.func", Problem::DefinitionInsideFunction},
}};

} // namespace

//===--- Tokens and errors -------------------------------------------------===//

const Token &Parser::token() const { return panic ? tokens.back() : tokens[position]; }

const Token &Parser::next(unsigned ahead) const {
  return panic ? tokens.back() : tokens[std::min(position + ahead, tokens.size() - 1)];
}

void Parser::advance() {
  if (!panic && position + 1 < tokens.size())
    ++position;
}

bool Parser::accept(std::string_view text) {
  if (!at(text))
    return false;
  advance();
  return true;
}

bool Parser::expect(std::string_view text, Problem problem, std::string_view why, Fix fix) {
  if (accept(text))
    return true;
  unexpected(problem, "'" + std::string(text) + "' " + std::string(why), std::move(fix));
  return false;
}

bool Parser::isIdentifier(const Token &token) const {
  return token.kind == TokenKind::Name &&
         std::find(keywords.begin(), keywords.end(), token.text) == keywords.end();
}

std::string Parser::describe(const Token &token) const {
  switch (token.kind) {
  case TokenKind::Newline:
    return "the end of the line";
  case TokenKind::Indent:
    return "an indented line";
  case TokenKind::Dedent:
    return "the end of the block";
  case TokenKind::End:
    return "the end of the file";
  case TokenKind::String:
    return "a string";
  case TokenKind::Name:
    if (!isIdentifier(token))
      return "the keyword '" + std::string(token.text) + "'";
    [[fallthrough]];
  default:
    if (token.begin == token.end) // a bracket that the lexer supplied
      return "the end of the expression";
    return "'" + std::string(token.text) + "'";
  }
}

std::nullptr_t Parser::error(SourceRange where, Problem problem, std::string message, Fix fix) {
  if (panic)
    return nullptr;
  panic = true;
  if (errors++ < maxParseErrors)
    sink->error(where, problem, std::move(message), std::move(fix));
  return nullptr;
}

std::nullptr_t Parser::unexpected(Problem problem, std::string expected, Fix fix) {
  if (panic)
    return nullptr;
  const Token &found = token();
  SourceRange where = rangeOf(found);
  // A missing token is missing after the last token, not on the next line.
  if (found.kind == TokenKind::Newline || found.kind == TokenKind::End ||
      found.kind == TokenKind::Dedent)
    where = {&file, lastEnd(), lastEnd()};
  if (Fix keyword = misspelledKeyword(); !keyword.text.empty())
    fix = std::move(keyword);
  return error(where, problem, "expected " + std::move(expected) + ", found " + describe(found),
               std::move(fix));
}

Fix Parser::misspelledKeyword() const {
  if (position < 1)
    return {};
  // `retrun x`, `whlie x:`, `esle:`
  const size_t first = position >= 2 && tokens[position - 1].is(":") ? position - 2 : position - 1;
  const Token &name = tokens[first];
  const bool beginsLine = first == 0 || tokens[first - 1].kind == TokenKind::Newline ||
                          tokens[first - 1].kind == TokenKind::Indent ||
                          tokens[first - 1].kind == TokenKind::Dedent;
  if (!beginsLine || !isIdentifier(name))
    return {};
  return nearestName(rangeOf(name), name.text,
                     {"assert", "break", "class", "continue", "def", "elif", "else", "for", "if",
                      "pass", "return", "while", "with"});
}

//===--- Skipping ----------------------------------------------------------===//

void Parser::skipLine() {
  while (!at(TokenKind::Newline) && !at(TokenKind::End))
    advance();
  if (at(TokenKind::Newline))
    advance();
}

void Parser::skipSuite() {
  skipLine();
  if (!at(TokenKind::Indent))
    return;
  unsigned open = 0;
  do {
    if (at(TokenKind::Indent))
      ++open;
    else if (at(TokenKind::Dedent))
      --open;
    advance();
  } while (open && !at(TokenKind::End));
}

StmtPtr Parser::skipStatement(uint32_t begin) {
  OpaqueStmt node;
  bool isBlock = at("if") || at("for") || at("while") || at("try") || at("async");
  bool isTry = at("try");
  node.keyword = std::string(token().text);
  size_t first = position;
  skipSuite();
  while (isBlock && (at("else") || at("elif") || (isTry && (at("except") || at("finally")))))
    skipSuite();
  // Collects the names that it may bind: `name =` and `name:` at the start of a line, and names
  // after def, class, as and import.
  for (size_t i = first; i < position; ++i) {
    const Token &here = tokens[i];
    if (!isIdentifier(here))
      continue;
    bool starts = i == first || tokens[i - 1].kind == TokenKind::Newline ||
                  tokens[i - 1].kind == TokenKind::Indent ||
                  tokens[i - 1].kind == TokenKind::Dedent;
    bool defines = i > first && (tokens[i - 1].is("def") || tokens[i - 1].is("class") ||
                                 tokens[i - 1].is("as") || tokens[i - 1].is("import"));
    if (defines ||
        (starts && i + 1 < tokens.size() && (tokens[i + 1].is("=") || tokens[i + 1].is(":"))))
      node.binds.push_back(here.text);
  }
  node.marked = findMarked(first, position);
  return makeStmt(begin, std::move(node));
}

std::vector<MarkedDef> Parser::findMarked(size_t from, size_t to) const {
  std::vector<MarkedDef> found;
  struct Header {
    std::string_view keyword, name;
  };
  std::vector<Header> around; // headers of the blocks that are open
  Header line;                // header of the last line at this level
  std::string mark;           // mark of the decorators just before
  for (size_t i = from; i < to; ++i) {
    const Token &here = tokens[i];
    if (here.kind == TokenKind::Indent) {
      around.push_back(line);
    } else if (here.kind == TokenKind::Dedent && !around.empty()) {
      around.pop_back();
    }
    bool starts = i == from || tokens[i - 1].kind == TokenKind::Newline ||
                  tokens[i - 1].kind == TokenKind::Indent ||
                  tokens[i - 1].kind == TokenKind::Dedent;
    if (!starts || here.kind == TokenKind::Newline || here.kind == TokenKind::Indent ||
        here.kind == TokenKind::Dedent)
      continue;
    if (here.is("@")) { // a dotted name, perhaps called
      size_t last = i + 1;
      while (last + 2 < to && tokens[last + 1].is("."))
        last += 2;
      if (std::string one = markNamed(tokens[last].text, last > i + 1); !one.empty())
        mark = one;
      continue;
    }
    bool isAsync = here.is("async") && i + 1 < to && tokens[i + 1].is("def");
    bool isNamed = here.is("def") || here.is("class") || isAsync;
    size_t at = i + (isAsync ? 2 : 1);
    line = {here.text, isNamed && at < to ? tokens[at].text : std::string_view()};
    if (isNamed && at < to && !mark.empty() && !around.empty())
      found.push_back({tokens[at].text, rangeOf(tokens[at]), mark,
                       std::string(around.back().keyword), around.back().name, here.text});
    mark.clear();
  }
  return found;
}

void Parser::recover() {
  panic = false;
  skipLine();
  if (!at(TokenKind::Indent))
    return;
  // Parses the block under a broken header for its errors.
  advance();
  Block ignored;
  ++nesting;
  ++loops; // a break in it may belong to the broken header
  while (!at(TokenKind::Dedent) && !at(TokenKind::End))
    parseStatement(ignored);
  --loops;
  --nesting;
  if (at(TokenKind::Dedent))
    advance();
}

bool Parser::isMatchStatement() const {
  // `match` is a name elsewhere. A statement has a ':' at the end of its line, and a block.
  if (!at("match") || next().is("=") || next().is(".") || next().is(","))
    return false;
  size_t i = position;
  while (tokens[i].kind != TokenKind::Newline && tokens[i].kind != TokenKind::End)
    ++i;
  return i > position + 1 && tokens[i - 1].is(":") && i + 1 < tokens.size() &&
         tokens[i + 1].kind == TokenKind::Indent;
}

bool Parser::isHostStatement() const {
  if (at("class"))
    return functions; // at module level it is parsed
  if (at("with"))
    return !functions; // in functions it is parsed
  if (at("try") || at("async") || at("del") || at("global") || at("nonlocal") || at("raise") ||
      isMatchStatement())
    return true;
  if (functions)
    return false;
  // At module level these are host code as well, and so is `type X = …`.
  return at("if") || at("for") || at("while") ||
         (at("type") && next().kind == TokenKind::Name && !next().is("in") && !next().is("is") &&
          !next().is("if") && !next().is("and") && !next().is("or") && !next().is("not"));
}

void Parser::refuseInKernel() {
  for (const HostRow &row : hostRows)
    if (at(row.keyword))
      error(rangeOf(token()), row.problem, std::string(row.reason), std::string(row.fix));
}

//===--- Files -------------------------------------------------------------===//

std::unique_ptr<Module> parse(const SourceFile &file, DiagnosticSink &sink) {
  auto nothing = [&] {
    auto module = std::make_unique<Module>();
    module->file = &file;
    return module;
  };
  if (file.text().size() > (64u << 20)) {
    sink.error({&file, 0, 0}, Problem::FileTooLarge, "the file is larger than 64 MiB", "split it");
    auto module = nothing();
    module->isBroken = true;
    return module;
  }
  // The lexer reads the whole file first. Its errors and the parser's are shown in the order of the
  // text.
  DiagnosticSink found;
  std::vector<Token> tokens = tokenize(file, found);
  bool isText = found.errorCount() < maxParseErrors; // otherwise it is not a kernel file at all
  auto module = isText ? Parser(file, std::move(tokens), found).parseModule() : nothing();
  std::vector<std::pair<uint32_t, size_t>> order;
  for (size_t i = 0; i < found.diagnostics().size(); ++i)
    order.emplace_back(found.diagnostics()[i].at.begin, i);
  std::sort(order.begin(), order.end());
  for (auto [at, i] : order)
    sink.report(found.diagnostics()[i]);
  module->isBroken = found.errorCount() != 0;
  return module;
}

} // namespace sextant
