// Statements.
#include "frontend/syntax/Children.h"
#include "frontend/syntax/Parser.h"

#include <algorithm>
#include <array>

namespace sextant {

using namespace ast;

namespace {

constexpr unsigned maxNesting = 500; // blocks
constexpr unsigned maxArms = 4000; // longest chain of 'elif': later phases go into it link by link

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

} // namespace

StmtPtr Parser::makeStmt(uint32_t begin, decltype(Stmt::node) node) {
  auto stmt = std::make_unique<Stmt>();
  stmt->at = range(begin);
  stmt->node = std::move(node);
  return stmt;
}

//===--- Modules and blocks ------------------------------------------------===//

std::unique_ptr<Module> Parser::parseModule() {
  auto module = std::make_unique<Module>();
  module->file = &file;
  while (!at(TokenKind::End) && errors < maxParseErrors)
    parseStatement(module->body);
  if (!errors)
    findHostCalls(*module);
  return module;
}

void Parser::parseStatement(Block &out) {
  size_t start = position;
  uint32_t begin = token().begin;
  if (at(TokenKind::Indent)) {
    sink->error(rangeOf(tokens[std::min(position + 1, tokens.size() - 1)]),
                Problem::IndentationUnexpected, "this line is indented, but no block starts here",
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
  } else if (at("with")) { // at module level it is skipped as host code
    stmt = parseWith();
  } else if (at("@")) {
    stmt = parseDecorated();
  } else if (at("def")) {
    stmt = parseFunction(begin, {});
  } else if (at("class")) {
    stmt = parseClass(begin, {});
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
    unexpected(Problem::ColonExpected, "':' after " + std::string(after),
               at("=")      ? Fix("a comparison is written '=='", {{rangeOf(token()), "=="}}, true)
               : endsLine() ? Fix("add ':'", {{{&file, lastEnd(), lastEnd()}, ":"}})
                            : Fix("add ':'"));
    return body;
  }
  advance();
  if (++nesting > maxNesting) {
    error(rangeOf(token()), Problem::NestingTooDeep,
          "blocks are nested more than " + std::to_string(maxNesting) + " deep",
          "move inner blocks into functions");
    --nesting;
    return body;
  }
  if (!at(TokenKind::Newline)) {
    parseSimpleLine(body);
  } else {
    advance();
    if (!at(TokenKind::Indent)) {
      error(rangeOf(token()), Problem::BlockMissing,
            "expected an indented block after " + std::string(after),
            "indent the statements that belong to it, or write 'pass'");
      // Nothing to skip: the statement begins right here.
      panic = false;
    } else {
      advance();
      while (!at(TokenKind::Dedent) && !at(TokenKind::End) && errors < maxParseErrors)
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
    unexpected(Problem::EndOfLineExpected, "the end of the statement",
               at("else") || at("elif") || at("except")
                   ? "its block has to stand at the same indentation, before this line"
                   : "write one statement a line");
}

//===--- Compound statements -----------------------------------------------===//

/// A chain of `elif` is read in one go. Its statements are then nested from its end on.
StmtPtr Parser::parseIf() {
  struct Arm {
    uint32_t begin;
    If node;
  };
  std::vector<Arm> arms;
  do {
    if (arms.size() > maxArms)
      return error(rangeOf(token()), Problem::ElifsTooMany,
                   "this chain has more than " + std::to_string(maxArms) + " 'elif'",
                   "look the value up in an array, or move some of the branches into a function");
    Arm arm{token().begin, {}};
    std::string name = "the condition of '" + std::string(token().text) + "'";
    advance();
    arm.node.condition = parseExpr();
    arm.node.then = parseSuite(name);
    if (panic)
      return nullptr;
    arms.push_back(std::move(arm));
  } while (at("elif"));
  if (accept("else")) {
    if (at("if"))
      return error(
          rangeOf(token()), Problem::ColonExpected,
          "expected ':' after 'else', found the keyword 'if'",
          Fix("write 'elif'", {{{&file, tokens[position - 1].begin, token().end}, "elif"}}));
    arms.back().node.otherwise = parseSuite("'else'");
  }
  StmtPtr chain;
  for (size_t k = arms.size(); k-- > 0;) {
    if (chain)
      arms[k].node.otherwise.push_back(std::move(chain));
    chain = makeStmt(arms[k].begin, std::move(arms[k].node));
  }
  return chain;
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
  Fix fix("write 'for i in range(n):'");
  if (at("of") || at("from") || at("=") || at(":"))
    fix = Fix(fix.text, {{rangeOf(token()), "in"}}, true);
  expect("in", Problem::InExpected, "after the variable of 'for'", std::move(fix));
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

StmtPtr Parser::parseWith() {
  uint32_t begin = token().begin;
  advance();
  With node;
  node.context = parseExpr();
  if (at("as") || at(","))
    return error(rangeOf(token()), Problem::WithNotOneCall,
                 "'with' of a kernel takes one call, and gives no name",
                 at("as") ? "leave 'as' and the name out" : "nest one 'with' in the other");
  node.body = parseSuite("the call after 'with'");
  return panic ? nullptr : makeStmt(begin, std::move(node));
}

//===--- Simple statements -------------------------------------------------===//

StmtPtr Parser::parseSimple() {
  uint32_t begin = token().begin;
  if (accept("pass"))
    return makeStmt(begin, Pass{});
  if (at("break") || at("continue")) {
    bool isBreak = at("break");
    if (loops == 0) // sema would say it again
      return error(rangeOf(token()), Problem::JumpOutsideLoop,
                   "'" + std::string(token().text) + "' outside a loop");
    advance();
    if (isBreak)
      return makeStmt(begin, Break{});
    return makeStmt(begin, Continue{});
  }
  if (at("return")) {
    if (functions == 0)
      error(rangeOf(token()), Problem::ReturnOutsideFunction, "'return' outside a function");
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
  if (at("else") || at("elif") || at("except") || at("finally"))
    return error(rangeOf(token()), Problem::BranchWithoutStatement,
                 "'" + std::string(token().text) + "' belongs to no statement before it",
                 "check the indentation of this line and of the block above");
  if (functions == 0 && (at("del") || at("global") || at("raise") || at("nonlocal"))) {
    OpaqueStmt node;
    node.keyword = std::string(token().text);
    while (!at(TokenKind::Newline) && !at(";") && !at(TokenKind::End))
      advance();
    return makeStmt(begin, std::move(node));
  }
  return parseExprStatement();
}

/// Makes `x := 1` a statement.
Fix Parser::assigned(SourceRange named) const {
  const size_t at = file.text().find(":=", named.begin);
  if (at == file.text().npos || at >= named.end)
    return "write '='";
  const auto begin = uint32_t(at);
  return Fix("write '='", {{{&file, begin, begin + 2}, "="}});
}

StmtPtr Parser::parseExprStatement() {
  uint32_t begin = token().begin;
  ExprPtr first = parseExprList("a statement");
  if (panic)
    return nullptr;
  if (std::holds_alternative<NamedExpr>(first->node) && file.text()[first->at.begin] != '(')
    error(first->at, Problem::NamedExpressionAsStatement,
          "':=' is part of an expression, and no statement by itself", assigned(first->at));
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
    if (auto *starred = std::get_if<Starred>(&target.node))
      return checkTarget(*starred->value, false);
    if (auto *elements = elementsOf(target)) {
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
  error(target.at, Problem::TargetNotAssignable, std::string("cannot assign to ") + what,
        "assign to a name, an element or an attribute");
}

} // namespace sextant
