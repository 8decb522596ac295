// A function of the language that sema knows, and a call of it. builtins/ has the table of them.
#pragma once

#include "frontend/sema/Value.h"

namespace sextant::sema {

struct Context;
struct CallSite;
struct Place;

/// A parameter of a builtin.
struct Parameter {
  std::string_view name;
  std::string_view takes; ///< "word", "lane", …; see Operations.def
  bool isOptional = false;
  int least = 0, most = -1; ///< of an integer, or of the rows of a matrix
  bool hasRange() const { return least <= most; }
};

/// A function of the language: a row of Operations.def.
struct Builtin {
  const char *name;       ///< "qd.sqrt", "subgroup.shuffle", "py.min"
  const char *parameters; ///< "value: word, index: lane, dtype?: type"; "*" takes any number
  Value (*handler)(Context &, CallSite &) = nullptr;
  bool isMethod = false;         ///< of vectors, matrices or numbers, which are its first argument
  bool isLazy = false;           ///< the handler evaluates its arguments itself
  bool isOnDevice = false;       ///< it has no meaning when kernels are built
  const char *current = nullptr; ///< an old name: the row that it stands for
};

struct CallSite {
  const ast::Call *node = nullptr;
  SourceRange at;
  const Builtin *builtin = nullptr;
  std::string_view name; ///< as the call spells it; it may be an old one
  std::vector<Parameter> parameters;
  std::vector<Value> args; ///< by parameter: what it takes; Poison if `given` is false
  std::vector<bool> given;
  std::vector<const ast::Expr *> nodes; ///< by parameter; null for what a method is called on
  std::vector<ExprRef> operands; ///< by parameter: the argument, converted as the parameter asks
  std::shared_ptr<Place> place;  ///< of the parameter that takes one
  unsigned log2Size = 0;         ///< of the tile that the call asks for

  Exact integer(size_t k) const { return args[k].integer; }
  hir::Type dtype(size_t k) const { return args[k].type.element.type; }
};

} // namespace sextant::sema
