// Functions and classes with their decorators, parameters, and imports.
#include "frontend/syntax/Parser.h"

#include <algorithm>
#include <utility>

namespace sextant {

using namespace ast;

//===--- Functions ---------------------------------------------------------===//

/// Returns the mark of a kernel or function that the last name of a decorator is, or "".
std::string Parser::markNamed(std::string_view name, bool isAttribute) const {
  for (const char *mark : {"kernel", "func", "real_func", "pyfunc"})
    if (name == mark && (isAttribute || name == "kernel" || name == "func"))
      return mark;
  if (!isAttribute)
    for (auto &[alias, mark] : kernelAliases)
      if (name == alias)
        return mark;
  return {};
}

std::string Parser::markOf(const Expr &decorator) const {
  const Expr *expr = &decorator;
  if (auto *call = std::get_if<Call>(&expr->node))
    expr = call->callee.get();
  if (auto *attribute = std::get_if<Attribute>(&expr->node))
    return markNamed(attribute->name, true);
  auto *name = std::get_if<Name>(&expr->node);
  return name ? markNamed(name->id, false) : "";
}

bool Parser::isKernelDecorator(const Expr &decorator) const { return !markOf(decorator).empty(); }

StmtPtr Parser::parseDecorated() {
  uint32_t begin = token().begin;
  std::vector<ExprPtr> decorators;
  while (accept("@")) {
    decorators.push_back(parseExpr());
    if (!panic && !at(TokenKind::Newline))
      unexpected(Problem::EndOfLineExpected, "the end of the line after a decorator");
    if (panic)
      recover();
    else
      advance();
  }
  if (at("def"))
    return parseFunction(begin, std::move(decorators));
  if (at("class") && std::none_of(decorators.begin(), decorators.end(),
                                  [&](const ExprPtr &d) { return isKernelDecorator(*d); }))
    return parseClass(begin, std::move(decorators));
  if (at("class") || at("async")) {
    std::string_view kind = token().text;
    const Token &name = next(at("async") ? 2 : 1);
    StmtPtr stmt = skipStatement(begin);
    for (const ExprPtr &decorator : decorators)
      if (std::string mark = markOf(*decorator); stmt && !mark.empty())
        std::get<OpaqueStmt>(stmt->node)
            .marked.push_back({name.text, rangeOf(name), mark, "", {}, kind});
    return stmt;
  }
  return unexpected(Problem::DefinitionExpected, "'def' or 'class' after a decorator");
}

StmtPtr Parser::parseFunction(uint32_t begin, std::vector<ExprPtr> decorators) {
  bool isKernel = std::any_of(decorators.begin(), decorators.end(),
                              [&](const ExprPtr &d) { return isKernelDecorator(*d); });
  size_t start = position;
  // A function of the host's: understood if possible, silently opaque otherwise.
  DiagnosticSink discarded, *outer = sink;
  unsigned errorsBefore = errors;
  if (!isKernel)
    sink = &discarded;
  FunctionDef node;
  node.decorators = std::move(decorators);
  advance();
  if (isIdentifier(token())) {
    node.name = token().text;
    node.nameAt = rangeOf(token());
    advance();
  } else {
    unexpected(Problem::NameExpected, "a function name after 'def'");
  }
  if (at("[")) { // type parameters
    advance();
    skipToCloser();
    expect("]", Problem::ClosingBracketExpected, "to close the type parameters");
  }
  expect("(", Problem::ParametersExpected, "after the function's name");
  parseParameters(node.parameters);
  expect(")", Problem::ClosingBracketExpected, "to close the parameters",
         "parameters are separated by ','");
  if (accept("->"))
    node.returns = parseExpr();
  bool headerHolds = !panic;
  if (!isKernel && node.decorators.empty() && node.name != "__init__") { // which kernels may run
    node.bodyIsOpaque = true;
  } else {
    unsigned outerLoops = std::exchange(loops, 0);
    std::vector<std::string_view> outerNamed = std::exchange(named, {});
    ++functions;
    node.body = parseSuite("the head of 'def'");
    --functions;
    loops = outerLoops;
    node.named = std::exchange(named, std::move(outerNamed));
    node.bodyIsOpaque = !isKernel && (panic || discarded.hasErrors());
  }
  sink = outer;
  if (!isKernel) {
    errors = errorsBefore;
    if (panic || node.bodyIsOpaque) {
      panic = false;
      position = start;
      if (!headerHolds)
        return skipStatement(begin);
      node.body.clear();
      skipSuite();
      node.marked = findMarked(start, position);
    }
  }
  if (panic)
    return nullptr;
  return makeStmt(begin, std::move(node));
}

//===--- Classes -----------------------------------------------------------===//

/// Parses `class Name(bases):`. Returns false if it is not understood; nothing is reported.
bool Parser::parseClassHead(ClassDef &node) {
  DiagnosticSink discarded, *outer = sink;
  const unsigned errorsBefore = errors;
  sink = &discarded;
  advance();
  bool holds = isIdentifier(token());
  node.name = token().text;
  node.nameAt = rangeOf(token());
  advance();
  if (accept("[")) { // type parameters
    skipToCloser();
    accept("]");
  }
  if (accept("(")) {
    while (!panic && !at(")") && !at(TokenKind::End)) {
      const bool isKeyword = isIdentifier(token()) && next().is("=");
      if (isKeyword) {
        advance();
        advance();
      }
      ExprPtr base = parseStarredOrExpr();
      if (!isKeyword)
        node.bases.push_back(std::move(base));
      if (!accept(","))
        break;
    }
    holds &= accept(")");
  }
  holds &=
      !panic && at(":") && next().kind == TokenKind::Newline && next(2).kind == TokenKind::Indent;
  sink = outer;
  errors = errorsBefore;
  panic = false;
  return holds;
}

/// The statements of a class. Kernels and functions among them are parsed as such; the rest is the
/// host's.
Block Parser::parseClassBody() {
  Block body;
  advance(); // :
  advance(); // the end of the line
  advance(); // the indentation
  ++nesting;
  while (!at(TokenKind::Dedent) && !at(TokenKind::End)) {
    const size_t start = position;
    if (at("def") || at("@") || isHostStatement()) {
      parseStatement(body);
      continue;
    }
    DiagnosticSink discarded, *outer = sink;
    const unsigned errorsBefore = errors;
    const size_t known = body.size();
    sink = &discarded;
    parseStatement(body);
    sink = outer;
    errors = errorsBefore;
    if (!discarded.hasErrors())
      continue;
    body.resize(known);
    position = start;
    panic = false;
    if (StmtPtr skipped = skipStatement(token().begin))
      body.push_back(std::move(skipped));
  }
  --nesting;
  if (at(TokenKind::Dedent))
    advance();
  return body;
}

StmtPtr Parser::parseClass(uint32_t begin, std::vector<ExprPtr> decorators) {
  const size_t start = position;
  ClassDef node;
  node.decorators = std::move(decorators);
  if (!parseClassHead(node)) {
    position = start;
    return skipStatement(begin);
  }
  node.body = parseClassBody();
  return makeStmt(begin, std::move(node));
}

//===--- Parameters --------------------------------------------------------===//

void Parser::parseParameters(std::vector<Parameter> &out) {
  bool keywordOnly = false, sawDefault = false;
  while (!at(")") && !at(TokenKind::End)) {
    uint32_t begin = token().begin;
    Parameter parameter;
    if (accept("/")) {
      for (Parameter &earlier : out)
        earlier.kind = Parameter::PositionalOnly;
      if (!accept(","))
        break;
      continue;
    }
    if (accept("**"))
      parameter.kind = Parameter::KwArgs;
    else if (accept("*")) {
      parameter.kind = Parameter::VarArgs;
      keywordOnly = true;
      if (accept(","))
        continue;
    } else if (keywordOnly)
      parameter.kind = Parameter::KeywordOnly;
    if (!isIdentifier(token())) {
      unexpected(Problem::NameExpected, "a parameter name");
      return;
    }
    parameter.name = token().text;
    for (const Parameter &earlier : out)
      if (earlier.name == parameter.name)
        error(rangeOf(token()), Problem::ParameterTwice,
              "the parameter '" + std::string(parameter.name) + "' is named twice", "rename one");
    advance();
    if (accept(":"))
      parameter.annotation = parseStarredOrExpr();
    if (accept("=")) {
      parameter.defaultValue = parseExpr();
      sawDefault = true;
    } else if (sawDefault && parameter.kind == Parameter::Normal) {
      error(range(begin), Problem::ParameterWithoutDefault,
            "a parameter without a default follows one with a default",
            "give it a default too, or move it before the others");
    }
    parameter.at = range(begin);
    out.push_back(std::move(parameter));
    if (!accept(","))
      break;
  }
}

//===--- Imports -----------------------------------------------------------===//

StmtPtr Parser::parseImport() {
  uint32_t begin = token().begin;
  advance();
  Import node;
  do {
    ImportName name;
    uint32_t from = token().begin;
    do {
      if (!isIdentifier(token()))
        return unexpected(Problem::NameExpected, "a module name after 'import'");
      name.path += (name.path.empty() ? "" : ".") + std::string(token().text);
      advance();
    } while (accept("."));
    if (accept("as")) {
      name.alias = token().text;
      if (!isIdentifier(token()))
        unexpected(Problem::NameExpected, "a name after 'as'");
      advance();
    }
    name.at = range(from);
    node.names.push_back(std::move(name));
  } while (accept(","));
  return makeStmt(begin, std::move(node));
}

StmtPtr Parser::parseFromImport() {
  uint32_t begin = token().begin;
  advance();
  FromImport node;
  uint32_t moduleBegin = token().begin;
  while (at(".") || at("...")) {
    node.level += unsigned(token().text.size());
    advance();
  }
  while (isIdentifier(token())) {
    node.module += (node.module.empty() ? "" : ".") + std::string(token().text);
    advance();
    if (!accept("."))
      break;
  }
  if (node.level == 0 && node.module.empty())
    return unexpected(Problem::NameExpected, "a module name after 'from'");
  node.moduleAt = range(moduleBegin);
  if (!expect("import", Problem::ImportExpected, "after the module's name"))
    return nullptr;
  if (at("*")) {
    node.names.push_back({"*", {}, rangeOf(token())});
    advance();
    return makeStmt(begin, std::move(node));
  }
  bool parenthesized = accept("(");
  do {
    if (parenthesized && at(")") && !node.names.empty())
      break;
    ImportName name;
    uint32_t from = token().begin;
    if (!isIdentifier(token()))
      return unexpected(Problem::NameExpected, "a name to import");
    name.path = std::string(token().text);
    std::string_view bound = token().text;
    advance();
    if (accept("as")) {
      if (!isIdentifier(token()))
        unexpected(Problem::NameExpected, "a name after 'as'");
      name.alias = bound = token().text;
      advance();
    }
    name.at = range(from);
    if (name.path == "kernel" || name.path == "func" || name.path == "real_func" ||
        name.path == "pyfunc")
      kernelAliases.emplace_back(bound, name.path);
    node.names.push_back(std::move(name));
  } while (accept(","));
  if (parenthesized)
    expect(")", Problem::ClosingBracketExpected, "to close the imported names");
  return makeStmt(begin, std::move(node));
}

} // namespace sextant
