// Statements: what kernels may hold is parsed, host code around them is skipped.
#include "frontend/syntax/Parser.h"

#include <algorithm>
#include <array>

namespace sextant {

using namespace ast;

namespace {

constexpr unsigned maxNesting = 500; // blocks and elifs
constexpr unsigned maxErrors = 40;   // then the rest of the file is left alone

constexpr std::array<std::string_view, 35> keywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

struct AugRow {
  std::string_view text;
  BinaryOp op;
};
constexpr std::array<AugRow, 13> augRows = {{
    {"+=", BinaryOp::Add},
    {"-=", BinaryOp::Sub},
    {"*=", BinaryOp::Mul},
    {"/=", BinaryOp::Div},
    {"//=", BinaryOp::FloorDiv},
    {"%=", BinaryOp::Mod},
    {"**=", BinaryOp::Pow},
    {"@=", BinaryOp::MatMul},
    {"<<=", BinaryOp::Shl},
    {">>=", BinaryOp::Shr},
    {"&=", BinaryOp::And},
    {"|=", BinaryOp::Or},
    {"^=", BinaryOp::Xor},
}};

/// The statements that kernels cannot use, and what to do instead.
struct HostRow {
  std::string_view keyword, reason, fix;
};
constexpr std::array<HostRow, 11> hostRows = {{
    {"class", "a class cannot be defined in a kernel", "move it to module level"},
    {"try", "kernels have no exceptions", "test the condition with 'if'"},
    {"raise", "kernels have no exceptions", "use 'assert', or write an error code to an array"},
    {"with", "kernels have no context managers", "write the statements without 'with'"},
    {"del", "names cannot be deleted in a kernel", "remove this line"},
    {"global", "module constants are read-only in a kernel",
     "pass the value as an array or a field"},
    {"nonlocal", "a kernel has no enclosing function", "pass the value as an argument"},
    {"async", "kernels have no coroutines", "remove 'async'"},
    {"match", "'match' is not part of the kernel language", "write it as 'if' and 'elif'"},
    {"def", "a function cannot be defined inside a kernel",
     "define it at module level with @qd.func"},
    {"@", "a function or class cannot be defined inside a kernel",
     "define it at module level with @qd.func"},
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

bool Parser::expect(std::string_view text, std::string_view why, std::string fix) {
  if (accept(text))
    return true;
  unexpected("'" + std::string(text) + "' " + std::string(why), std::move(fix));
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

void Parser::error(SourceRange where, std::string message, std::string fix) {
  if (panic)
    return;
  panic = true;
  if (errors++ < maxErrors)
    sink->error(where, std::move(message), std::move(fix));
}

void Parser::unexpected(std::string expected, std::string fix) {
  if (panic)
    return;
  const Token &found = token();
  SourceRange where = rangeOf(found);
  // What is missing is missing after the last token, not on the next line.
  if (found.kind == TokenKind::Newline || found.kind == TokenKind::End ||
      found.kind == TokenKind::Dedent)
    where = {&file, lastEnd(), lastEnd()};
  error(where, "expected " + std::move(expected) + ", found " + describe(found), std::move(fix));
}

StmtPtr Parser::makeStmt(uint32_t begin, decltype(Stmt::node) node) {
  auto stmt = std::make_unique<Stmt>();
  stmt->at = range(begin);
  stmt->node = std::move(node);
  return stmt;
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
  // The names that it may bind: `name =` and `name:` at the start of a line, and after
  // def, class, as and import.
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
  return makeStmt(begin, std::move(node));
}

void Parser::recover() {
  panic = false;
  skipLine();
  if (!at(TokenKind::Indent))
    return;
  // The block under a broken header: for the errors in it.
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
  // `match` is a name elsewhere: a statement has its ':' at the end of the line and a block.
  if (!at("match") || next().is("=") || next().is(".") || next().is(","))
    return false;
  size_t i = position;
  while (tokens[i].kind != TokenKind::Newline && tokens[i].kind != TokenKind::End)
    ++i;
  return i > position + 1 && tokens[i - 1].is(":") && i + 1 < tokens.size() &&
         tokens[i + 1].kind == TokenKind::Indent;
}

bool Parser::isHostStatement() const {
  if (at("class") || at("try") || at("with") || at("async") || at("del") || at("global") ||
      at("nonlocal") || at("raise") || isMatchStatement())
    return true;
  if (functions)
    return false;
  // At module level these are host code as well; so is `type X = …`.
  return at("if") || at("for") || at("while") ||
         (at("type") && next().kind == TokenKind::Name && !next().is("in") && !next().is("is") &&
          !next().is("if") && !next().is("and") && !next().is("or") && !next().is("not"));
}

void Parser::refuseInKernel() {
  for (const HostRow &row : hostRows)
    if (at(row.keyword))
      error(rangeOf(token()), std::string(row.reason), std::string(row.fix));
}

//===--- Modules and blocks ------------------------------------------------===//

std::unique_ptr<Module> Parser::parseModule() {
  auto module = std::make_unique<Module>();
  module->file = &file;
  while (!at(TokenKind::End) && errors < maxErrors)
    parseStatement(module->body);
  return module;
}

void Parser::parseStatement(Block &out) {
  size_t start = position;
  uint32_t begin = token().begin;
  if (at(TokenKind::Indent)) {
    sink->error(rangeOf(tokens[std::min(position + 1, tokens.size() - 1)]),
                "this line is indented, but no block starts here",
                "indent it as the line before it");
    ++errors;
    advance();
    while (!at(TokenKind::Dedent) && !at(TokenKind::End))
      parseStatement(out);
    if (at(TokenKind::Dedent))
      advance();
    return;
  }
  if (at(TokenKind::Newline) || at(TokenKind::Dedent)) {
    advance();
    return;
  }
  StmtPtr stmt;
  if (isHostStatement()) {
    if (functions) {
      refuseInKernel();
      panic = false;
      skipStatement(begin);
      return;
    }
    stmt = skipStatement(begin);
  } else if (functions && (at("def") || at("@"))) {
    refuseInKernel();
    panic = false;
    while (at("@"))
      skipLine();
    skipStatement(begin);
    return;
  } else if (at("if")) {
    stmt = parseIf();
  } else if (at("while")) {
    stmt = parseWhile();
  } else if (at("for")) {
    stmt = parseFor();
  } else if (at("@")) {
    stmt = parseDecorated();
  } else if (at("def")) {
    stmt = parseFunction(begin, {});
  } else {
    parseSimpleLine(out);
    if (panic)
      recover();
    return;
  }
  if (stmt)
    out.push_back(std::move(stmt));
  if (panic)
    recover();
  if (position == start && !at(TokenKind::End))
    advance();
}

Block Parser::parseSuite(std::string_view after) {
  Block body;
  if (panic)
    return body;
  if (!at(":")) {
    unexpected("':' after " + std::string(after),
               at("=") ? "a comparison is written '=='" : "add ':'");
    return body;
  }
  advance();
  if (++nesting > maxNesting) {
    error(rangeOf(token()), "blocks are nested more than " + std::to_string(maxNesting) + " deep",
          "move inner blocks into functions");
    --nesting;
    return body;
  }
  if (!at(TokenKind::Newline)) {
    parseSimpleLine(body);
  } else {
    advance();
    if (!at(TokenKind::Indent)) {
      error(rangeOf(token()), "expected an indented block after " + std::string(after),
            "indent the statements that belong to it, or write 'pass'");
      // Nothing to skip: the statement here stands where it stands.
      panic = false;
    } else {
      advance();
      while (!at(TokenKind::Dedent) && !at(TokenKind::End) && errors < maxErrors)
        parseStatement(body);
      if (at(TokenKind::Dedent))
        advance();
    }
  }
  --nesting;
  return body;
}

void Parser::parseSimpleLine(Block &out) {
  while (true) {
    if (functions && isHostStatement()) {
      refuseInKernel();
      return;
    }
    if (StmtPtr stmt = parseSimple())
      out.push_back(std::move(stmt));
    if (panic)
      return;
    if (accept(";") && !at(TokenKind::Newline))
      continue;
    break;
  }
  if (at(TokenKind::Newline))
    advance();
  else if (!at(TokenKind::End))
    unexpected("the end of the statement",
               at("else") || at("elif") || at("except")
                   ? "its block has to stand at the same indentation, before this line"
                   : "write one statement a line");
}

//===--- Compound statements -----------------------------------------------===//

StmtPtr Parser::parseIf() {
  uint32_t begin = token().begin;
  std::string name = "the condition of '" + std::string(token().text) + "'";
  advance();
  If node;
  node.condition = parseExpr();
  node.then = parseSuite(name);
  if (panic)
    return nullptr;
  if (at("elif")) {
    if (++nesting > maxNesting)
      error(rangeOf(token()),
            "more than " + std::to_string(maxNesting) + " 'elif' and blocks are nested",
            "move some of them into a function");
    else if (StmtPtr other = parseIf())
      node.otherwise.push_back(std::move(other));
    --nesting;
  } else if (at("else")) {
    advance();
    if (at("if")) {
      error(rangeOf(token()), "expected ':' after 'else', found the keyword 'if'", "write 'elif'");
      return nullptr;
    }
    node.otherwise = parseSuite("'else'");
  }
  return makeStmt(begin, std::move(node));
}

StmtPtr Parser::parseWhile() {
  uint32_t begin = token().begin;
  advance();
  While node;
  node.condition = parseExpr();
  ++loops;
  node.body = parseSuite("the condition of 'while'");
  --loops;
  if (panic)
    return nullptr;
  if (accept("else"))
    node.otherwise = parseSuite("'else'");
  return makeStmt(begin, std::move(node));
}

StmtPtr Parser::parseFor() {
  uint32_t begin = token().begin;
  advance();
  For node;
  node.target = parseTargetList();
  expect("in", "after the variable of 'for'", "write 'for i in range(n):'");
  node.iterable = parseExprList("what the loop runs over");
  ++loops;
  node.body = parseSuite("the head of 'for'");
  --loops;
  if (panic)
    return nullptr;
  if (accept("else"))
    node.otherwise = parseSuite("'else'");
  return makeStmt(begin, std::move(node));
}

bool Parser::isKernelDecorator(const Expr &decorator) const {
  const Expr *expr = &decorator;
  if (auto *call = std::get_if<Call>(&expr->node))
    expr = call->callee.get();
  if (auto *attribute = std::get_if<Attribute>(&expr->node))
    return attribute->name == "kernel" || attribute->name == "func" ||
           attribute->name == "real_func" || attribute->name == "pyfunc";
  auto *name = std::get_if<Name>(&expr->node);
  return name &&
         (name->id == "kernel" || name->id == "func" ||
          std::find(kernelAliases.begin(), kernelAliases.end(), name->id) != kernelAliases.end());
}

StmtPtr Parser::parseDecorated() {
  uint32_t begin = token().begin;
  std::vector<ExprPtr> decorators;
  while (accept("@")) {
    decorators.push_back(parseExpr());
    if (!panic && !at(TokenKind::Newline))
      unexpected("the end of the line after a decorator");
    if (panic)
      recover();
    else
      advance();
  }
  if (at("def"))
    return parseFunction(begin, std::move(decorators));
  if (at("class") || at("async"))
    return skipStatement(begin);
  unexpected("'def' or 'class' after a decorator");
  return nullptr;
}

StmtPtr Parser::parseFunction(uint32_t begin, std::vector<ExprPtr> decorators) {
  bool isKernel = std::any_of(decorators.begin(), decorators.end(),
                              [&](const ExprPtr &d) { return isKernelDecorator(*d); });
  size_t start = position;
  // A function that is not ours: understood if possible, silently opaque otherwise.
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
    unexpected("a function name after 'def'");
  }
  if (at("[")) { // type parameters
    advance();
    skipToCloser();
    expect("]", "to close the type parameters");
  }
  expect("(", "after the function's name");
  parseParameters(node.parameters);
  expect(")", "to close the parameters", "parameters are separated by ','");
  if (accept("->"))
    node.returns = parseExpr();
  bool headerHolds = !panic;
  if (!isKernel && node.decorators.empty()) {
    node.bodyIsOpaque = true;
  } else {
    unsigned outerLoops = loops;
    loops = 0;
    ++functions;
    node.body = parseSuite("the head of 'def'");
    --functions;
    loops = outerLoops;
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
    }
  }
  if (panic)
    return nullptr;
  return makeStmt(begin, std::move(node));
}

void Parser::parseParameters(std::vector<Parameter> &out) {
  bool keywordOnly = false, sawDefault = false;
  while (!at(")") && !at(TokenKind::End)) {
    uint32_t begin = token().begin;
    Parameter parameter;
    if (accept("/")) {
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
      unexpected("a parameter name");
      return;
    }
    parameter.name = token().text;
    for (const Parameter &earlier : out)
      if (earlier.name == parameter.name)
        error(rangeOf(token()),
              "the parameter '" + std::string(parameter.name) + "' is named twice", "rename one");
    advance();
    if (accept(":"))
      parameter.annotation = parseStarredOrExpr();
    if (accept("=")) {
      parameter.defaultValue = parseExpr();
      sawDefault = true;
    } else if (sawDefault && parameter.kind == Parameter::Normal) {
      error(range(begin), "a parameter without a default follows one with a default",
            "give it a default too, or move it before the others");
    }
    parameter.at = range(begin);
    out.push_back(std::move(parameter));
    if (!accept(","))
      break;
  }
}

//===--- Simple statements -------------------------------------------------===//

StmtPtr Parser::parseSimple() {
  uint32_t begin = token().begin;
  if (accept("pass"))
    return makeStmt(begin, Pass{});
  if (at("break") || at("continue")) {
    bool isBreak = at("break");
    if (loops == 0)
      error(rangeOf(token()), "'" + std::string(token().text) + "' outside a loop");
    advance();
    if (isBreak)
      return makeStmt(begin, Break{});
    return makeStmt(begin, Continue{});
  }
  if (at("return")) {
    if (functions == 0)
      error(rangeOf(token()), "'return' outside a function");
    advance();
    Return node;
    if (!at(TokenKind::Newline) && !at(";") && !at(TokenKind::End))
      node.value = parseExprList("a value to return");
    return makeStmt(begin, std::move(node));
  }
  if (accept("assert")) {
    Assert node;
    node.condition = parseExpr();
    if (accept(","))
      node.message = parseExpr();
    return makeStmt(begin, std::move(node));
  }
  if (at("import"))
    return parseImport();
  if (at("from"))
    return parseFromImport();
  if (at("else") || at("elif") || at("except") || at("finally")) {
    error(rangeOf(token()), "'" + std::string(token().text) + "' belongs to no statement before it",
          "check the indentation of this line and of the block above");
    return nullptr;
  }
  if (functions == 0 && (at("del") || at("global") || at("raise") || at("nonlocal"))) {
    OpaqueStmt node;
    node.keyword = std::string(token().text);
    while (!at(TokenKind::Newline) && !at(";") && !at(TokenKind::End))
      advance();
    return makeStmt(begin, std::move(node));
  }
  return parseExprStatement();
}

StmtPtr Parser::parseExprStatement() {
  uint32_t begin = token().begin;
  ExprPtr first = parseExprList("a statement");
  if (panic)
    return nullptr;
  if (at(":")) {
    checkTarget(*first, true);
    advance();
    AnnAssign node;
    node.target = std::move(first);
    node.annotation = parseExpr();
    if (accept("="))
      node.value = parseExprList("a value to assign");
    return panic ? nullptr : makeStmt(begin, std::move(node));
  }
  for (const AugRow &row : augRows) {
    if (!at(row.text))
      continue;
    checkTarget(*first, true);
    advance();
    AugAssign node;
    node.target = std::move(first);
    node.op = row.op;
    node.value = parseExprList("a value after '" + std::string(row.text) + "'");
    return panic ? nullptr : makeStmt(begin, std::move(node));
  }
  if (!at("="))
    return makeStmt(begin, ExprStmt{std::move(first)});
  Assign node;
  ExprPtr last = std::move(first);
  while (at("=")) {
    checkTarget(*last, false);
    node.targets.push_back(std::move(last));
    advance();
    last = parseExprList("a value to assign");
  }
  node.value = std::move(last);
  return panic ? nullptr : makeStmt(begin, std::move(node));
}

void Parser::checkTarget(const Expr &target, bool augmented) {
  if (std::holds_alternative<Name>(target.node) || std::holds_alternative<Attribute>(target.node) ||
      std::holds_alternative<Subscript>(target.node))
    return;
  if (!augmented) {
    const std::vector<ExprPtr> *elements = nullptr;
    if (auto *tuple = std::get_if<TupleExpr>(&target.node))
      elements = &tuple->elements;
    else if (auto *list = std::get_if<ListExpr>(&target.node))
      elements = &list->elements;
    else if (auto *starred = std::get_if<Starred>(&target.node))
      return checkTarget(*starred->value, false);
    if (elements) {
      for (const ExprPtr &element : *elements)
        checkTarget(*element, false);
      return;
    }
  }
  const char *what = std::holds_alternative<Call>(target.node)        ? "a call"
                     : std::holds_alternative<Compare>(target.node)   ? "a comparison"
                     : std::holds_alternative<TupleExpr>(target.node) ? "a tuple here"
                     : target.height > 1                              ? "an expression"
                                                                      : "a constant";
  error(target.at, std::string("cannot assign to ") + what,
        "assign to a name, an element or an attribute");
}

StmtPtr Parser::parseImport() {
  uint32_t begin = token().begin;
  advance();
  Import node;
  do {
    ImportName name;
    uint32_t from = token().begin;
    do {
      if (!isIdentifier(token())) {
        unexpected("a module name after 'import'");
        return nullptr;
      }
      name.path += (name.path.empty() ? "" : ".") + std::string(token().text);
      advance();
    } while (accept("."));
    if (accept("as")) {
      name.alias = token().text;
      if (!isIdentifier(token()))
        unexpected("a name after 'as'");
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
  if (node.level == 0 && node.module.empty()) {
    unexpected("a module name after 'from'");
    return nullptr;
  }
  node.moduleAt = range(moduleBegin);
  if (!expect("import", "after the module's name"))
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
    if (!isIdentifier(token())) {
      unexpected("a name to import");
      return nullptr;
    }
    name.path = std::string(token().text);
    std::string_view bound = token().text;
    advance();
    if (accept("as")) {
      if (!isIdentifier(token()))
        unexpected("a name after 'as'");
      name.alias = bound = token().text;
      advance();
    }
    name.at = range(from);
    if (name.path == "kernel" || name.path == "func")
      kernelAliases.push_back(bound);
    node.names.push_back(std::move(name));
  } while (accept(","));
  if (parenthesized)
    expect(")", "to close the imported names");
  return makeStmt(begin, std::move(node));
}

std::unique_ptr<Module> parse(const SourceFile &file, DiagnosticSink &sink) {
  auto nothing = [&] {
    auto module = std::make_unique<Module>();
    module->file = &file;
    return module;
  };
  if (file.text().size() > (64u << 20)) {
    sink.error({&file, 0, 0}, "the file is larger than 64 MiB", "split it");
    return nothing();
  }
  // The lexer goes over the whole file first; its errors and the parser's are shown in the
  // order of the text.
  DiagnosticSink found;
  std::vector<Token> tokens = tokenize(file, found);
  bool isText = found.errorCount() < maxErrors; // otherwise it is no kernel file at all
  auto module = isText ? Parser(file, std::move(tokens), found).parseModule() : nothing();
  std::vector<Diagnostic> sorted = found.diagnostics();
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic &a, const Diagnostic &b) {
    return a.at.begin < b.at.begin;
  });
  for (Diagnostic &diagnostic : sorted)
    sink.report(std::move(diagnostic));
  return module;
}

} // namespace sextant
