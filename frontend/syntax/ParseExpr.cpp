// Expressions down to atoms, by recursive descent; binary operators by precedence climbing.
#include "frontend/syntax/Children.h"
#include "frontend/syntax/Parser.h"

#include <algorithm>
#include <array>

namespace sextant {

using namespace ast;

namespace {

constexpr unsigned maxDepth = 200;   // limit for recursion
constexpr unsigned maxHeight = 1000; // limit for a tree: later phases walk it recursively

struct BinaryRow {
  std::string_view text;
  BinaryOp op;
  int precedence;
};
constexpr std::array<BinaryRow, 12> binaryRows = {{
    {"|", BinaryOp::Or, 1},
    {"^", BinaryOp::Xor, 2},
    {"&", BinaryOp::And, 3},
    {"<<", BinaryOp::Shl, 4},
    {">>", BinaryOp::Shr, 4},
    {"+", BinaryOp::Add, 5},
    {"-", BinaryOp::Sub, 5},
    {"*", BinaryOp::Mul, 6},
    {"/", BinaryOp::Div, 6},
    {"//", BinaryOp::FloorDiv, 6},
    {"%", BinaryOp::Mod, 6},
    {"@", BinaryOp::MatMul, 6},
}};

/// The comparisons of one word.
struct CompareRow {
  std::string_view text;
  CompareOp op;
};
constexpr std::array<CompareRow, 7> compareRows = {{
    {"<", CompareOp::Lt},
    {"<=", CompareOp::Le},
    {">", CompareOp::Gt},
    {">=", CompareOp::Ge},
    {"==", CompareOp::Eq},
    {"!=", CompareOp::Ne},
    {"in", CompareOp::In},
}};

const BinaryRow *binaryRow(const Token &token) {
  if (token.kind != TokenKind::Operator)
    return nullptr;
  for (const BinaryRow &row : binaryRows)
    if (row.text == token.text)
      return &row;
  return nullptr;
}

/// Counts a level of recursion for as long as it lives.
struct DepthGuard {
  unsigned &depth;
  explicit DepthGuard(unsigned &depth) : depth(++depth) {}
  ~DepthGuard() { --depth; }
};

} // namespace

ExprPtr Parser::make(uint32_t begin, decltype(Expr::node) node, size_t operators) {
  auto expr = std::make_unique<Expr>();
  expr->at = range(begin);
  expr->node = std::move(node);
  unsigned below = 0;
  forEachChild(*expr, [&](const Expr &child) { below = std::max(below, child.height); });
  expr->height = below + unsigned(std::min<size_t>(operators, maxHeight + 1));
  if (expr->height <= maxHeight)
    return expr;
  error(expr->at, Problem::ExpressionTooLong,
        "this expression is longer than " + std::to_string(maxHeight) + " operations",
        "split it over several assignments");
  return broken();
}

ExprPtr Parser::opaque(uint32_t begin, std::string what) {
  return make(begin, OpaqueExpr{std::move(what)});
}

ExprPtr Parser::broken() {
  auto expr = std::make_unique<Expr>();
  expr->at = rangeOf(tokens[std::min(position, tokens.size() - 1)]);
  expr->node = OpaqueExpr{"an expression with a syntax error"};
  return expr;
}

void Parser::skipToCloser() {
  unsigned open = 0;
  while (!at(TokenKind::End) && !at(TokenKind::Newline)) {
    if (at("(") || at("[") || at("{"))
      ++open;
    else if ((at(")") || at("]") || at("}")) && open-- == 0)
      return;
    advance();
  }
}

//===--- Conditional, boolean, comparison ----------------------------------===//

ExprPtr Parser::parseExpr() {
  DepthGuard guard(depth);
  if (depth > maxDepth) {
    error(rangeOf(token()), Problem::NestingTooDeep,
          "expressions are nested more than " + std::to_string(maxDepth) + " deep",
          "split the expression over several assignments");
    return broken();
  }
  if (at("lambda"))
    return parseLambda();
  uint32_t begin = token().begin;
  ExprPtr value = parseOr();
  if (at(":="))
    return parseNamed(begin, std::move(value));
  if (!at("if"))
    return value;
  advance();
  ExprPtr condition = parseOr();
  expect("else", Problem::ElseExpected, "of the conditional expression",
         "write 'a if condition else b'");
  ExprPtr otherwise = parseExpr();
  return make(begin, IfExpr{std::move(condition), std::move(value), std::move(otherwise)});
}

ExprPtr Parser::parseNamed(uint32_t begin, ExprPtr target) {
  auto *name = std::get_if<Name>(&target->node);
  if (name)
    named.push_back(name->id);
  else
    error(target->at, Problem::NamedExpressionOfNoName, "':=' assigns a name, and nothing else",
          "assign this in a statement of its own");
  advance();
  ExprPtr value = parseExpr();
  if (!name) // readers of the tree rely on the name
    return opaque(begin, "an expression with a syntax error");
  return make(begin, NamedExpr{std::move(target), std::move(value)});
}

ExprPtr Parser::parseLambda() {
  uint32_t begin = token().begin;
  advance();
  unsigned open = 0;
  while (!at(TokenKind::End) && !at(TokenKind::Newline) && !(open == 0 && at(":"))) {
    if (at("(") || at("[") || at("{"))
      ++open;
    else if ((at(")") || at("]") || at("}")) && open-- == 0)
      break;
    advance();
  }
  expect(":", Problem::ColonExpected, "after the parameters of 'lambda'");
  parseExpr();
  return opaque(begin, "a lambda");
}

ExprPtr Parser::parseYield() {
  uint32_t begin = token().begin;
  advance();
  accept("from");
  if (!at(TokenKind::Newline) && !at(")") && !at("="))
    parseExprList("a value");
  return opaque(begin, "'yield'");
}

ExprPtr Parser::parseOr() { return parseBool("or", &Parser::parseAnd); }

ExprPtr Parser::parseAnd() { return parseBool("and", &Parser::parseNot); }

ExprPtr Parser::parseBool(std::string_view word, ExprPtr (Parser::*parseOperand)()) {
  uint32_t begin = token().begin;
  ExprPtr first = (this->*parseOperand)();
  if (!at(word))
    return first;
  BoolOp node;
  node.isAnd = word == "and";
  node.operands.push_back(std::move(first));
  while (accept(word))
    node.operands.push_back((this->*parseOperand)());
  const size_t operators = node.operands.size() - 1;
  return make(begin, std::move(node), operators);
}

ExprPtr Parser::parseNot() {
  if (!at("not"))
    return parseComparison();
  DepthGuard guard(depth);
  uint32_t begin = token().begin;
  if (depth > maxDepth)
    return parseExpr(); // reports it
  advance();
  return make(begin, Unary{UnaryOp::Not, parseNot()});
}

std::optional<CompareOp> Parser::acceptCompare() {
  for (const CompareRow &row : compareRows)
    if (accept(row.text))
      return row.op;
  if (accept("is"))
    return accept("not") ? CompareOp::IsNot : CompareOp::Is;
  if (!at("not") || !next().is("in"))
    return std::nullopt;
  advance();
  advance();
  return CompareOp::NotIn;
}

ExprPtr Parser::parseComparison() {
  uint32_t begin = token().begin;
  ExprPtr first = parseBinary(1);
  Compare node;
  while (const std::optional<CompareOp> op = acceptCompare()) {
    node.ops.push_back(*op);
    node.rest.push_back(parseBinary(1));
  }
  if (node.ops.empty())
    return first;
  const size_t operators = node.ops.size();
  node.first = std::move(first);
  return make(begin, std::move(node), operators);
}

//===--- Arithmetic --------------------------------------------------------===//

/// Replaces `&&` by a word, which stands apart from others.
static Fix wordFor(SourceRange at, const std::string &word) {
  const std::string_view text = at.file->text();
  const bool before = at.begin > 0 && text[at.begin - 1] != ' ';
  const bool after = at.end < text.size() && text[at.end] != ' ';
  return Fix("write '" + word + "'", {{at, (before ? " " : "") + word + (after ? " " : "")}});
}

ExprPtr Parser::parseBinary(int minimum) {
  uint32_t begin = token().begin;
  ExprPtr lhs = parseUnary();
  while (const BinaryRow *row = binaryRow(token())) {
    if (row->precedence < minimum)
      break;
    Token op = token();
    advance();
    if ((op.text == "&" || op.text == "|") && token().is(op.text) && token().begin == op.end)
      error({&file, op.begin, token().end}, Problem::OperatorNotPython,
            "Python has no '" + std::string(op.text) + std::string(op.text) + "'",
            wordFor({&file, op.begin, token().end}, op.text == "&" ? "and" : "or"));
    if ((op.text == "+" || op.text == "-") && token().is(op.text) && token().begin == op.end &&
        (next().kind == TokenKind::Newline || next().is(")")))
      error({&file, op.begin, token().end}, Problem::OperatorNotPython,
            "Python has no '" + std::string(op.text) + std::string(op.text) + "'",
            "write 'x " + std::string(op.text) + "= 1'");
    ExprPtr rhs = parseBinary(row->precedence + 1);
    lhs = make(begin, Binary{row->op, std::move(lhs), std::move(rhs), rangeOf(op)});
  }
  return lhs;
}

ExprPtr Parser::parseUnary() {
  UnaryOp op;
  if (at("-"))
    op = UnaryOp::Neg;
  else if (at("+"))
    op = UnaryOp::Plus;
  else if (at("~"))
    op = UnaryOp::BitNot;
  else
    return parsePower();
  DepthGuard guard(depth);
  uint32_t begin = token().begin;
  if (depth > maxDepth)
    return parseExpr(); // reports it
  advance();
  return make(begin, Unary{op, parseUnary()});
}

ExprPtr Parser::parsePower() {
  uint32_t begin = token().begin;
  if (at("await") && !next().is("=")) {
    advance();
    parsePostfix();
    return opaque(begin, "'await'");
  }
  ExprPtr base = parsePostfix();
  if (!at("**"))
    return base;
  DepthGuard guard(depth);
  if (depth > maxDepth)
    return parseExpr(); // reports it
  Token op = token();
  advance();
  ExprPtr exponent = parseUnary();
  return make(begin, Binary{BinaryOp::Pow, std::move(base), std::move(exponent), rangeOf(op)});
}

//===--- Calls, subscripts, attributes -------------------------------------===//

ExprPtr Parser::parsePostfix() {
  const uint32_t begin = token().begin;
  ExprPtr value = parseAtom();
  while (true) {
    if (at("("))
      value = parseCall(std::move(value));
    else if (at("["))
      value = parseSubscript(std::move(value));
    else if (!at(".") || !parseAttribute(value, begin))
      return value;
  }
}

ExprPtr Parser::parseFirstCall() {
  const uint32_t begin = token().begin;
  ExprPtr value = parseAtom();
  while (at("."))
    if (!parseAttribute(value, begin))
      return nullptr;
  return at("(") ? parseCall(std::move(value)) : nullptr;
}

bool Parser::parseAttribute(ExprPtr &value, uint32_t begin) {
  advance();
  if (!isIdentifier(token())) {
    unexpected(Problem::NameExpected, "a name after '.'");
    return false;
  }
  Attribute node;
  node.name = token().text;
  node.nameAt = rangeOf(token());
  advance();
  node.value = std::move(value);
  value = make(begin, std::move(node));
  return true;
}

ExprPtr Parser::parseCall(ExprPtr callee) {
  uint32_t begin = callee->at.begin;
  advance();
  Call node;
  while (!at(")") && !at(TokenKind::End)) {
    uint32_t from = token().begin;
    if (accept("**")) {
      node.keywords.push_back({{}, {}, parseExpr()});
      node.keywords.back().at = range(from);
    } else if (isIdentifier(token()) && next().is("=")) {
      Keyword keyword;
      keyword.name = token().text;
      for (const Keyword &earlier : node.keywords)
        if (earlier.name == keyword.name)
          error(rangeOf(token()), Problem::ArgumentTwice,
                "the keyword argument '" + std::string(keyword.name) + "' is given twice",
                "remove one of them");
      advance();
      advance();
      keyword.value = parseExpr();
      keyword.at = range(from);
      node.keywords.push_back(std::move(keyword));
    } else {
      bool starred = at("*");
      ExprPtr arg = parseStarredOrExpr();
      if (atComprehension()) {
        skipToCloser();
        arg = opaque(from, "a generator expression");
      }
      if (!panic && !starred && !node.keywords.empty())
        error(arg->at, Problem::PositionalAfterKeyword,
              "a positional argument cannot follow a keyword argument",
              "move it before the keyword arguments, or name it");
      node.args.push_back(std::move(arg));
    }
    if (!accept(","))
      break;
  }
  expect(")", Problem::ClosingBracketExpected, "to close the call",
         "arguments are separated by ','");
  node.callee = std::move(callee);
  return make(begin, std::move(node));
}

ExprPtr Parser::parseSubscript(ExprPtr value) {
  uint32_t begin = value->at.begin;
  advance();
  uint32_t from = token().begin;
  TupleExpr tuple;
  ExprPtr index;
  if (at("]")) {
    unexpected(Problem::ExpressionExpected, "an index between the brackets");
    return value;
  }
  index = parseSubscriptItem();
  if (at(",")) {
    tuple.elements.push_back(std::move(index));
    while (accept(",") && !at("]") && !at(TokenKind::End))
      tuple.elements.push_back(parseSubscriptItem());
    index = make(from, std::move(tuple));
  }
  expect("]", Problem::ClosingBracketExpected, "to close the subscript");
  return make(begin, Subscript{std::move(value), std::move(index)});
}

ExprPtr Parser::parseSubscriptItem() {
  uint32_t begin = token().begin;
  ExprPtr lower;
  if (!at(":"))
    lower = parseStarredOrExpr();
  if (!at(":"))
    return lower;
  advance();
  Slice node;
  node.lower = std::move(lower);
  if (!at(":") && !at("]") && !at(","))
    node.upper = parseExpr();
  if (accept(":") && !at("]") && !at(","))
    node.step = parseExpr();
  return make(begin, std::move(node));
}

ExprPtr Parser::parseStarredOrExpr() {
  if (!at("*"))
    return parseExpr();
  uint32_t begin = token().begin;
  advance();
  return make(begin, Starred{parseBinary(1)});
}

//===--- Lists without brackets --------------------------------------------===//

ExprPtr Parser::parseExprList(std::string_view what) {
  uint32_t begin = token().begin;
  if (at("yield"))
    return parseYield();
  if (at(TokenKind::Newline)) {
    unexpected(Problem::ExpressionExpected, std::string(what));
    return broken();
  }
  ExprPtr first = parseStarredOrExpr();
  if (!at(","))
    return first;
  TupleExpr node;
  node.elements.push_back(std::move(first));
  while (accept(",")) {
    if (at(TokenKind::Newline) || at("=") || at(":") || at(")") || at(";") || at(TokenKind::End))
      break;
    node.elements.push_back(parseStarredOrExpr());
  }
  return make(begin, std::move(node));
}

ExprPtr Parser::parseTargetList() {
  uint32_t begin = token().begin;
  auto one = [&]() -> ExprPtr { return at("*") ? parseStarredOrExpr() : parseBinary(1); };
  ExprPtr first = one();
  if (at(",")) {
    TupleExpr node;
    node.elements.push_back(std::move(first));
    while (accept(",") && !at("in") && !at(TokenKind::End))
      node.elements.push_back(one());
    first = make(begin, std::move(node));
  }
  if (!panic)
    checkTarget(*first, false);
  return first;
}

} // namespace sextant
