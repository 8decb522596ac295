// The functions of the language that sema knows, and calls of them. builtins/ has their rows.
#pragma once

#include "frontend/sema/Value.h"

#include <span>

namespace sextant::sema {

struct Context;
struct CallSite;
struct Place;

/// A parameter of a builtin.
struct Parameter {
  std::string_view name;
  std::string_view takes; ///< "word", "lane", …; see Operations.def
  bool isOptional = false;
  int least = 0, most = -1; ///< the range of an integer, or of a matrix's rows
  bool hasRange() const { return least <= most; }
};

/// A function of the language: a row of Operations.def.
struct Builtin {
  const char *name;       ///< "qd.sqrt", "subgroup.shuffle", "py.min"
  const char *parameters; ///< "value: word, index: lane, dtype?: type"; "*" takes any number
  Value (*handler)(Context &, CallSite &) = nullptr;
  /// Tests that each parameter takes its argument, and fills in the operands. Returns false after
  /// an error. Null: the handler evaluates its arguments itself.
  bool (*check)(Context &, CallSite &) = nullptr;
  bool isMethod = false;         ///< it belongs to its first argument: a vector, matrix or number
  bool isOnDevice = false;       ///< it has no meaning when kernels are built
  const char *current = nullptr; ///< an old name: the row that it stands for

  bool isLazy() const { return !check; }
};

/// Returns the parameters of a row. The row must not take any number of them.
std::vector<Parameter> parametersOf(const Builtin &builtin);
/// The parameters' names, for suggestions.
std::vector<std::string_view> namesOf(const std::vector<Parameter> &parameters);
/// The name of a method, as "norm".
std::string_view methodName(const Builtin &builtin);

/// All functions of the language, by name.
class BuiltinTable {
public:
  explicit BuiltinTable(std::span<const Builtin> rows) : rows(rows) {}

  /// Returns null if there is none.
  const Builtin *find(std::string_view name) const;
  /// Returns the method of vectors, matrices or numbers with this name, or null.
  const Builtin *method(std::string_view name) const;
  /// The methods of vectors and matrices, or those of numbers.
  std::vector<std::string_view> methodNames(bool isNumber) const;
  /// The names that begin with `prefix`, as "py.", without it and without a further dot; for all
  /// namespaces, the last parts of all names.
  std::vector<std::string_view> names(std::string_view prefix = "") const;

private:
  std::span<const Builtin> rows;
};

struct CallSite {
  const ast::Call *node = nullptr;
  SourceRange at;
  const Builtin *builtin = nullptr;
  std::string_view name; ///< as the call spells it; it may be an old one
  std::vector<Parameter> parameters;
  std::vector<Value> args; ///< one for each parameter; Poison if `given` is false
  std::vector<bool> given;
  std::vector<const ast::Expr *> nodes; ///< one for each parameter; null for a method's object
  std::vector<ExprRef> operands;        ///< the arguments, converted as the parameters ask
  std::shared_ptr<Place> place;         ///< the argument of the parameter that takes a place
  unsigned log2Size = 0;                ///< the size of the tile that the call asks for

  Exact integer(size_t k) const { return args[k].integer; }
  hir::Type dtype(size_t k) const { return args[k].type.element.type; }
};

} // namespace sextant::sema
