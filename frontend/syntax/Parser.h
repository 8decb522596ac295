// The parser's state and its functions. Parser.cpp has tokens, errors and recovery, ParseExpr.cpp
// and ParseAtom.cpp expressions, ParseStmt.cpp and ParseDefinition.cpp statements.
//
// After an error the parser panics: the current token then reads as End, so every loop and call
// falls through without further errors, until the statement with the error skips to the end of its
// line and goes on.
#pragma once

#include "frontend/syntax/Ast.h"
#include "frontend/syntax/Lexer.h"

#include <initializer_list>

namespace sextant {

/// After that many errors the rest of a file is skipped.
constexpr unsigned maxParseErrors = 40;

struct Callees; // HostCalls.cpp

class Parser {
public:
  Parser(const SourceFile &file, std::vector<Token> tokens, DiagnosticSink &sink)
      : file(file), tokens(std::move(tokens)), sink(&sink) {}

  std::unique_ptr<ast::Module> parseModule();

private:
  // Tokens.
  const Token &token() const;
  const Token &next(unsigned ahead = 1) const;
  bool at(std::string_view text) const { return token().is(text); }
  bool at(TokenKind kind) const { return token().kind == kind; }
  bool accept(std::string_view text);
  /// Reports an error if the token is another one: "expected ')' to close the call".
  bool expect(std::string_view text, Problem problem, std::string_view why, Fix fix = {});
  void advance();
  uint32_t lastEnd() const { return position ? tokens[position - 1].end : 0; }
  SourceRange range(uint32_t begin) const { return {&file, begin, std::max(begin, lastEnd())}; }
  SourceRange rangeOf(const Token &token) const { return {&file, token.begin, token.end}; }

  // Errors. Both return null, which callers return in place of a node.
  std::nullptr_t error(SourceRange where, Problem problem, std::string message, Fix fix = {});
  std::nullptr_t unexpected(Problem problem, std::string expected, Fix fix = {});
  /// Suggests a keyword for a name that begins a statement, where the next token does not fit.
  Fix misspelledKeyword() const;
  Fix assigned(SourceRange named) const;
  bool endsLine() const { return at(TokenKind::Newline) || at(TokenKind::End); }
  std::string describe(const Token &token) const;

  // Expressions.
  ast::ExprPtr parseExpr();                          // conditional, lambda, walrus
  ast::ExprPtr parseExprList(std::string_view what); // tuple without parentheses, starred
  ast::ExprPtr parseTargetList();                    // the targets of a for
  ast::ExprPtr parseOr();
  ast::ExprPtr parseAnd();
  /// "a or b or c", or with "and".
  ast::ExprPtr parseBool(std::string_view word, ast::ExprPtr (Parser::*parseOperand)());
  ast::ExprPtr parseNot();
  ast::ExprPtr parseComparison();
  std::optional<ast::CompareOp> acceptCompare();
  ast::ExprPtr parseBinary(int minimum);
  ast::ExprPtr parseUnary();
  ast::ExprPtr parsePower();
  ast::ExprPtr parsePostfix();
  /// `other.Solver(8)` of `other.Solver(8).step()`. Null for other expressions.
  ast::ExprPtr parseFirstCall();
  /// Adds `.name`. Returns false after an error.
  bool parseAttribute(ast::ExprPtr &value, uint32_t begin);
  ast::ExprPtr parseAtom();
  ast::ExprPtr parseNamed(uint32_t begin, ast::ExprPtr target); // target := value
  ast::ExprPtr parseLambda();
  ast::ExprPtr parseYield();
  ast::ExprPtr parseStringAtom();
  bool parseField(const FormatField &field, ast::FormatString::Part &part);
  ast::ExprPtr parseParenthesized();
  ast::ExprPtr parseList();
  ast::ExprPtr parseComprehension(uint32_t begin, ast::ExprPtr key, ast::ExprPtr element);
  ast::ExprPtr parseBraces();
  ast::ExprPtr parseStarredOrExpr();
  ast::ExprPtr parseCall(ast::ExprPtr callee);
  ast::ExprPtr parseSubscript(ast::ExprPtr value);
  ast::ExprPtr parseSubscriptItem();
  bool atComprehension() const;
  void skipToCloser(); // the closer of the bracket that the parser is in
  ast::ExprPtr opaque(uint32_t begin, std::string what);
  ast::ExprPtr broken();
  bool isIdentifier(const Token &token) const;
  /// \param operators of a chain: later phases descend link by link
  ast::ExprPtr make(uint32_t begin, decltype(ast::Expr::node) node, size_t operators = 1);

  // Statements.
  void parseStatement(ast::Block &out);
  void parseSimpleLine(ast::Block &out);
  ast::StmtPtr parseSimple();
  ast::StmtPtr parseExprStatement();
  ast::StmtPtr parseImport();
  ast::StmtPtr parseFromImport();
  ast::StmtPtr parseIf();
  ast::StmtPtr parseWhile();
  ast::StmtPtr parseFor();
  ast::StmtPtr parseWith();
  ast::StmtPtr parseDecorated();
  ast::StmtPtr parseFunction(uint32_t begin, std::vector<ast::ExprPtr> decorators);
  ast::StmtPtr parseClass(uint32_t begin, std::vector<ast::ExprPtr> decorators);
  bool parseClassHead(ast::ClassDef &node);
  ast::Block parseClassBody();
  void parseParameters(std::vector<ast::Parameter> &out);
  ast::Block parseSuite(std::string_view after);
  ast::StmtPtr skipStatement(uint32_t begin); // a whole statement with its blocks, kept opaque
  void skipSuite();
  void skipLine();
  void recover(); // out of panic, to the next line; a block there is parsed for its errors
  bool isHostStatement() const;
  bool isMatchStatement() const;
  void refuseInKernel();
  void checkTarget(const ast::Expr &target, bool augmented);
  bool isKernelDecorator(const ast::Expr &decorator) const;
  std::string markOf(const ast::Expr &decorator) const; // "kernel", "func" … or ""
  std::string markNamed(std::string_view name, bool isAttribute) const;
  /// Finds our functions among the tokens [from, to) of host code, in the block of `within`.
  std::vector<ast::MarkedDef> findMarked(size_t from, size_t to) const;
  Callees calleesOf(const ast::Module &module) const;
  /// Finds the calls of kernels in the whole file (HostCalls.cpp).
  void findHostCalls(ast::Module &module);
  ast::StmtPtr makeStmt(uint32_t begin, decltype(ast::Stmt::node) node);

  const SourceFile &file;
  std::vector<Token> tokens;
  DiagnosticSink *sink;
  size_t position = 0;
  bool panic = false;
  unsigned depth = 0;     // depth of expressions
  unsigned nesting = 0;   // depth of blocks and elifs
  unsigned functions = 0; // that the parser is in; 0: module level
  unsigned loops = 0;
  std::vector<std::string_view> named; // that `:=` assigns in the function that the parser is in
  unsigned errors = 0;
  /// `from quadrants import kernel as k` gives k and "kernel".
  std::vector<std::pair<std::string_view, std::string>> kernelAliases;
};

} // namespace sextant
