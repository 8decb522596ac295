// The syntax tree of a kernel file: the Python subset that kernels may use, as written. Nothing is
// resolved or typed here. Names, attributes and string texts point into the SourceFile (or, for
// decoded strings, belong to the node), so the file has to outlive the tree.
//
// A node is a struct with a source range and a std::variant over its kinds; sema switches with
// std::visit or std::get_if. Code outside the subset at module level (`with`, numpy code …) is kept
// as an Opaque statement. The body of a function with a decorator is always parsed.
#pragma once

#include "frontend/syntax/Source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sextant {
class DiagnosticSink;
}

namespace sextant::ast {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

//===--- Expressions -------------------------------------------------------===//

/// An integer literal, exact. `tooBig` says that it does not fit 64 bits; the value is then all
/// ones. The lexer has not reported that; code that uses the value does. Literals are not negative:
/// `-1` is Unary Neg of 1.
struct IntLit {
  uint64_t value = 0;
  bool tooBig = false;
};
/// A real literal, rounded once to double. `text` has the digits as written (underscores included),
/// for code that rounds them otherwise.
struct FloatLit {
  double value = 0;
  std::string_view text;
};
/// A string without its quotes, escapes decoded; adjacent literals are joined.
struct StringLit {
  std::string value;
  std::string_view unread; ///< a part that kernels cannot have, which is not decoded; empty: none
};
/// `f"a {value:.3f}"`: texts and values in turn, beginning with a text, which may be empty.
struct FormatString {
  struct Part {
    std::string text;
    ExprPtr value;          ///< null after the last text
    char conversion = '\0'; ///< after '!': 's' or 'r'
    std::string spec;       ///< the part after ':', as written
  };
  std::vector<Part> parts;
};
struct BoolLit {
  bool value = false;
};
struct NoneLit {};
/// `...`
struct EllipsisLit {};
struct Name {
  std::string_view id;
};
struct Attribute {
  ExprPtr value;
  std::string_view name;
  SourceRange nameAt;
};
/// `name=value` in a call; an empty name is `**value`.
struct Keyword {
  std::string_view name;
  SourceRange at;
  ExprPtr value;
};
/// Positional arguments may be Starred.
struct Call {
  ExprPtr callee;
  std::vector<ExprPtr> args;
  std::vector<Keyword> keywords;
};
/// `value[index]`; `a[i, j]` has one TupleExpr as its index.
struct Subscript {
  ExprPtr value, index;
};
/// `lower:upper:step` inside a subscript; each may be null.
struct Slice {
  ExprPtr lower, upper, step;
};
/// `*value` in a call, tuple, list or assignment target.
struct Starred {
  ExprPtr value;
};

enum class UnaryOp : uint8_t { Neg, Plus, BitNot, Not };
struct Unary {
  UnaryOp op;
  ExprPtr operand;
};

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  MatMul,
  Shl,
  Shr,
  And,
  Or,
  Xor,
};
struct Binary {
  BinaryOp op;
  ExprPtr lhs, rhs;
  SourceRange opAt;
};

enum class CompareOp : uint8_t { Lt, Le, Gt, Ge, Eq, Ne, In, NotIn, Is, IsNot };
/// `first ops[0] rest[0] ops[1] rest[1] …`: at least one.
struct Compare {
  ExprPtr first;
  std::vector<CompareOp> ops;
  std::vector<ExprPtr> rest;
};

/// `(target := value)`: the target is a Name.
struct NamedExpr {
  ExprPtr target, value;
};

/// `a and b and c`, `a or b`: two operands or more.
struct BoolOp {
  bool isAnd = true;
  std::vector<ExprPtr> operands;
};
/// `whenTrue if condition else whenFalse`
struct IfExpr {
  ExprPtr condition, whenTrue, whenFalse;
};
struct TupleExpr {
  std::vector<ExprPtr> elements;
};
struct ListExpr {
  std::vector<ExprPtr> elements;
};
/// `{key: value, …}`. A null key: the value is a dictionary of more entries, `**value`.
struct DictExpr {
  std::vector<ExprPtr> keys, values;
};
/// `for target in iterable if c …` of a comprehension.
struct CompFor {
  ExprPtr target, iterable;
  std::vector<ExprPtr> conditions;
};
/// `[element for … for …]` or `{key: element for …}`, the last `for` innermost. Kernels can only
/// use it with compile-time values after `in` (`[f(i) for i in qd.static(range(n))]`).
struct Comprehension {
  ExprPtr key; ///< null in a list's
  ExprPtr element;
  std::vector<CompFor> loops;
};
/// Valid Python that kernels cannot use (lambda, set, generator, await …). `what`
/// names it for the error.
struct OpaqueExpr {
  std::string what;
};

struct Expr {
  SourceRange at;
  unsigned height = 1; ///< levels of the tree from here down; the parser keeps it below a limit
  std::variant<IntLit, FloatLit, StringLit, FormatString, BoolLit, NoneLit, EllipsisLit, Name,
               Attribute, Call, Subscript, Slice, Starred, Unary, Binary, Compare, BoolOp, IfExpr,
               NamedExpr, TupleExpr, ListExpr, DictExpr, Comprehension, OpaqueExpr>
      node;
};

//===--- Statements --------------------------------------------------------===//

/// `import a.b as c`: path "a.b", alias "c" (empty: none).
struct ImportName {
  std::string path;
  std::string_view alias;
  SourceRange at;
};
struct Import {
  std::vector<ImportName> names;
};
/// `from ..a.b import x as y, *`: level counts the leading dots; a `*` has name "*".
struct FromImport {
  unsigned level = 0;
  std::string module;
  SourceRange moduleAt;
  std::vector<ImportName> names;
};

/// `a = b = value`: targets from left to right. A tuple target is a TupleExpr (or ListExpr).
struct Assign {
  std::vector<ExprPtr> targets;
  ExprPtr value;
};
/// `target: annotation = value`; value may be null.
struct AnnAssign {
  ExprPtr target, annotation, value;
};
/// `target op= value`
struct AugAssign {
  ExprPtr target;
  BinaryOp op;
  ExprPtr value;
};
/// `elif` is one If and nothing else in `otherwise`.
struct If {
  ExprPtr condition;
  Block then, otherwise;
};
struct While {
  ExprPtr condition;
  Block body, otherwise;
};
struct For {
  ExprPtr target, iterable;
  Block body, otherwise;
};
/// `with context: body`, in a function. There is no `as`.
struct With {
  ExprPtr context;
  Block body;
};
/// value may be null.
struct Return {
  ExprPtr value;
};
struct Break {};
struct Continue {};
struct Pass {};
/// message may be null.
struct Assert {
  ExprPtr condition, message;
};
/// A docstring is an ExprStmt of a StringLit.
struct ExprStmt {
  ExprPtr value;
};

struct Parameter {
  /// VarArgs is `*name`, KwArgs `**name`. A bare `*` or `/` only affects the kinds of other
  /// parameters.
  enum Kind : uint8_t { Normal, PositionalOnly, KeywordOnly, VarArgs, KwArgs } kind = Normal;
  std::string_view name;
  SourceRange at;
  ExprPtr annotation, defaultValue; ///< may be null
};
/// A kernel or function of ours within host code, which does not run. Sema says why it is not
/// built.
struct MarkedDef {
  std::string_view name;
  SourceRange at;
  std::string mark;            ///< "kernel", "func", "pyfunc" or "real_func"
  std::string within;          ///< the keyword of the statement around it: "class", "def", "if" …
  std::string_view withinName; ///< the class or function around it, or empty
  std::string_view kind;       ///< "def", "async" or "class"
};
/// `@decorators def name(parameters) -> returns: body`. Only functions with a decorator have their
/// body parsed. Others are host code: `bodyIsOpaque`.
struct FunctionDef {
  std::string_view name;
  SourceRange nameAt;
  std::vector<ExprPtr> decorators;
  std::vector<Parameter> parameters;
  ExprPtr returns; ///< may be null
  Block body;
  bool bodyIsOpaque = false;
  std::vector<MarkedDef> marked;       ///< in a body that is host code
  std::vector<std::string_view> named; ///< names that `:=` assigns in the body
};

/// `@decorators class name(bases): body`, at module level. The body has annotated members,
/// assignments, methods, and host code that is kept opaque.
struct ClassDef {
  std::string_view name;
  SourceRange nameAt;
  std::vector<ExprPtr> decorators;
  std::vector<ExprPtr> bases; ///< keyword arguments, such as `metaclass=…`, are left out
  Block body;
};

/// A statement outside the subset. `keyword` says which ("class", "try", "del", "global", … and,
/// at module level, "with"; "" for an expression that does not parse). `binds` has the names that
/// it may bind at its own level, if the parser can tell, so that sema can say why a name is
/// unknown.
struct OpaqueStmt {
  std::string keyword;
  std::vector<std::string_view> binds;
  std::vector<MarkedDef> marked;
};

struct Stmt {
  SourceRange at;
  std::variant<Import, FromImport, Assign, AnnAssign, AugAssign, If, While, For, With, Return,
               Break, Continue, Pass, Assert, ExprStmt, FunctionDef, ClassDef, OpaqueStmt>
      node;
};

/// A call of one of the file's kernels in host code, which does not run.
struct HostCall {
  ExprPtr call;                        ///< a Call of a Name
  std::vector<std::string_view> bound; ///< names that host code binds or changes where it stands
};

/// A call in host code that makes an object, of one of the file's classes; or perhaps makes one, of
/// something imported.
struct HostObject {
  ExprPtr call;                        ///< a Call of a Name, or of a member of an imported one
  std::string_view name;               ///< the name that it is assigned to, or empty
  std::vector<std::string_view> bound; ///< as of HostCall
};

/// A whole file.
struct Module {
  const SourceFile *file = nullptr;
  Block body;
  std::vector<HostCall> hostCalls;
  std::vector<HostObject> hostObjects;
  /// Members that host code assigns, `solver.dt = 0.1`, but for `self.dt` in an `__init__`.
  std::set<std::string_view> changedMembers;
  bool changesAnyMember =
      false;             ///< host code may assign members by names that the text does not have
  bool isBroken = false; ///< parsing reported errors: the tree lacks something
};

} // namespace sextant::ast

namespace sextant {

/// Parses a file. Errors go to the sink, several in one run. The tree holds whatever could be
/// understood, and is never null. Module-level host code outside the subset is not an error here,
/// if its brackets, strings and indentation are sound.
std::unique_ptr<ast::Module> parse(const SourceFile &file, DiagnosticSink &sink);

} // namespace sextant
