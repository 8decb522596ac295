// Atoms: names, literals, f-strings, and what stands in brackets.
#include "frontend/syntax/Parser.h"

#include <algorithm>

namespace sextant {

using namespace ast;

bool Parser::atComprehension() const { return at("for") || (at("async") && next().is("for")); }

ExprPtr Parser::parseAtom() {
  const Token &first = token();
  uint32_t begin = first.begin;
  switch (first.kind) {
  case TokenKind::Int: {
    IntLit node{first.integer, first.tooBig};
    advance();
    return make(begin, node);
  }
  case TokenKind::Float: {
    FloatLit node{first.real, first.text};
    advance();
    return make(begin, node);
  }
  case TokenKind::Imaginary:
    advance();
    return opaque(begin, "an imaginary number");
  case TokenKind::String:
    return parseStringAtom();
  case TokenKind::Name:
    if (at("True") || at("False")) {
      BoolLit node{at("True")};
      advance();
      return make(begin, node);
    }
    if (accept("None"))
      return make(begin, NoneLit{});
    if (at("lambda")) // where Python wants parentheses; the error says so
      break;
    if (!isIdentifier(first))
      break;
    {
      Name node{first.text};
      advance();
      return make(begin, node);
    }
  case TokenKind::Operator:
    if (accept("..."))
      return make(begin, EllipsisLit{});
    if (at("("))
      return parseParenthesized();
    if (at("["))
      return parseList();
    if (at("{"))
      return parseBraces();
    break;
  default:
    break;
  }
  if (at("="))
    unexpected(Problem::ExpressionExpected, "an expression", "a comparison is written '=='");
  else
    unexpected(Problem::ExpressionExpected, "an expression");
  return broken();
}

/// `{x=}` shows the expression as it is written, and then its value. Returns the expression's end.
static uint32_t withoutEquals(std::string_view text, uint32_t begin, uint32_t end,
                              FormatString::Part &part) {
  const std::string_view written = text.substr(begin, end - begin);
  const size_t last = written.find_last_not_of(" \t");
  if (last == std::string_view::npos || last == 0 || written[last] != '=' ||
      std::string_view("=!<>").find(written[last - 1]) != std::string_view::npos)
    return end;
  part.text += written;
  if (!part.conversion && part.spec.empty())
    part.conversion = 'r';
  return begin + uint32_t(last);
}

/// Parses what stands between the braces of an f-string. Returns false if it is not understood;
/// nothing is reported, since most f-strings are the host's.
bool Parser::parseField(const FormatField &field, FormatString::Part &part) {
  const std::string_view text = file.text();
  uint32_t end = field.end;
  unsigned open = 0;
  if (end >= text.size() || text[end] != '}')
    return false;
  for (uint32_t i = field.begin; i < end; ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') // to the end of a string in it
      i = uint32_t(std::min<size_t>(text.find(c, i + 1), end));
    open += c == '(' || c == '[' || c == '{';
    open -= open && (c == ')' || c == ']' || c == '}');
    const bool isConversion = c == '!' && i + 1 < end && text[i + 1] != '=';
    if (open || (c != ':' && !isConversion))
      continue;
    std::string_view rest = text.substr(i + 1, end - i - 1);
    if (isConversion) {
      part.conversion = rest[0];
      if ((rest[0] != 's' && rest[0] != 'r') || (rest.size() > 1 && rest[1] != ':'))
        return false;
      rest.remove_prefix(std::min<size_t>(rest.size(), 2));
    }
    part.spec = std::string(rest);
    end = i;
  }
  end = withoutEquals(text, field.begin, end, part);
  if (text.substr(field.begin, end - field.begin).find_first_not_of(" \t") ==
      std::string_view::npos)
    return false;
  DiagnosticSink discarded;
  Parser inner(file, tokenizeField(file, field.begin, end, discarded), discarded);
  inner.functions = functions;
  inner.depth = depth;
  part.value = inner.parseExprList("an expression");
  named.insert(named.end(), inner.named.begin(), inner.named.end());
  return !discarded.hasErrors() && !inner.panic && inner.at(TokenKind::End);
}

ExprPtr Parser::parseStringAtom() {
  uint32_t begin = token().begin;
  StringLit plain;
  FormatString node;
  node.parts.emplace_back();
  for (; at(TokenKind::String); advance()) {
    plain.value += token().string;
    if (!token().unread.empty())
      plain.unread = token().unread;
    size_t from = 0;
    for (const FormatField &field : token().fields) {
      FormatString::Part &part = node.parts.back();
      part.text += token().string.substr(from, field.at - from);
      from = field.at;
      if (!parseField(field, part))
        plain.unread = "a place that is not understood";
      node.parts.emplace_back();
    }
    node.parts.back().text += token().string.substr(from);
  }
  if (!plain.unread.empty() || node.parts.size() == 1)
    return make(begin, std::move(plain));
  return make(begin, std::move(node));
}

ExprPtr Parser::parseParenthesized() {
  uint32_t begin = token().begin;
  advance();
  if (accept(")"))
    return make(begin, TupleExpr{});
  if (at("yield")) {
    ExprPtr value = parseYield();
    expect(")", Problem::ClosingBracketExpected, "to close the parenthesis");
    return value;
  }
  ExprPtr first = parseStarredOrExpr();
  if (atComprehension()) {
    skipToCloser();
    expect(")", Problem::ClosingBracketExpected, "to close the parenthesis");
    return opaque(begin, "a generator expression");
  }
  if (!at(",")) {
    expect(")", Problem::ClosingBracketExpected, "to close the parenthesis");
    if (!panic)
      first->at = range(begin); // a caret under (a + b) shows the parentheses too
    return first;
  }
  TupleExpr node;
  node.elements.push_back(std::move(first));
  while (accept(",") && !at(")") && !at(TokenKind::End))
    node.elements.push_back(parseStarredOrExpr());
  expect(")", Problem::ClosingBracketExpected, "to close the tuple",
         "elements are separated by ','");
  return make(begin, std::move(node));
}

/// A dictionary. Kernels have no use for sets, which are named only.
ExprPtr Parser::parseBraces() {
  const uint32_t begin = token().begin;
  const size_t start = position;
  DiagnosticSink discarded, *outer = sink;
  const unsigned errorsBefore = errors;
  sink = &discarded;
  advance();
  DictExpr node;
  bool isDict = true;
  while (isDict && !panic && !at("}") && !at(TokenKind::End)) {
    const bool isMore = accept("**");
    node.keys.push_back(isMore ? nullptr : parseExpr());
    isDict = isMore || accept(":");
    if (isDict)
      node.values.push_back(isMore ? parseOr() : parseExpr());
    if (!accept(","))
      break;
  }
  const bool isComprehension = atComprehension() && node.keys.size() == 1;
  const std::string what =
      std::string(isDict ? "a dictionary" : "a set") + (isComprehension ? " comprehension" : "");
  isDict &= !panic && (at("}") || (isComprehension && node.keys[0]));
  sink = outer;
  errors = errorsBefore;
  if (isDict && isComprehension)
    return parseComprehension(begin, std::move(node.keys[0]), std::move(node.values[0]));
  if (isDict) {
    advance();
    return make(begin, std::move(node));
  }
  panic = false;
  position = start;
  advance();
  skipToCloser();
  expect("}", Problem::ClosingBracketExpected, "to close the display");
  return opaque(begin, what);
}

/// The loops and the closer of a comprehension.
/// \param key of a dictionary's; null: a list's
ExprPtr Parser::parseComprehension(uint32_t begin, ExprPtr key, ExprPtr element) {
  const std::string what = key ? "dictionary" : "list";
  const char *closer = key ? "}" : "]";
  Comprehension comp{std::move(key), std::move(element), {}};
  unsigned targets = 0; // their height: forEachChild passes them over
  while (accept("for")) {
    CompFor loop;
    loop.target = parseTargetList();
    expect("in", Problem::InExpected, "after the variable of 'for'");
    loop.iterable = parseOr();
    while (accept("if"))
      loop.conditions.push_back(parseOr());
    targets = std::max(targets, loop.target->height);
    comp.loops.push_back(std::move(loop));
  }
  const bool isAsync = atComprehension();
  if (isAsync)
    skipToCloser();
  expect(closer, Problem::ClosingBracketExpected, "to close the " + what + " comprehension");
  if (isAsync)
    return opaque(begin, "an asynchronous " + what + " comprehension");
  ExprPtr made = make(begin, std::move(comp));
  made->height = std::max(made->height, targets + 1);
  return made;
}

ExprPtr Parser::parseList() {
  uint32_t begin = token().begin;
  advance();
  ListExpr node;
  while (!at("]") && !at(TokenKind::End)) {
    node.elements.push_back(parseStarredOrExpr());
    if (node.elements.size() == 1 && atComprehension())
      return parseComprehension(begin, nullptr, std::move(node.elements[0]));
    if (!accept(","))
      break;
  }
  expect("]", Problem::ClosingBracketExpected, "to close the list",
         "elements are separated by ','");
  return make(begin, std::move(node));
}

} // namespace sextant
