// A function of the language that sema knows, and a call of it. builtins/ has the table of them.
#pragma once

#include "frontend/sema/Value.h"

namespace sextant::sema {

struct Context;
struct CallSite;

/// A parameter of a builtin.
struct Parameter {
  std::string_view name;
  std::string_view takes; ///< "word", "lane", …; see Operations.def
  bool isOptional = false;
};

/// A function of the language: a row of Operations.def.
struct Builtin {
  const char *name;       ///< "qd.sqrt", "subgroup.shuffle", "py.min"
  const char *parameters; ///< "value: word, index: lane, dtype?: type"; "*" takes any number
  Value (*handler)(Context &, CallSite &) = nullptr;
  bool isLazy = false;           ///< the handler evaluates its arguments itself
  bool isOnDevice = false;       ///< it has no meaning when kernels are built
  const char *current = nullptr; ///< an old name: the row that it stands for
};

struct CallSite {
  const ast::Call *node = nullptr;
  SourceRange at;
  const Builtin *builtin = nullptr;
  std::string_view name;   ///< as the call spells it; it may be an old one
  std::vector<Value> args; ///< by parameter; Poison if `given` is false
  std::vector<bool> given;
  std::vector<const ast::Expr *> nodes; ///< by parameter
  std::vector<ExprRef> operands; ///< by parameter: the argument, converted as the parameter asks
  unsigned log2Size = 0;         ///< of the tile that the call asks for
};

} // namespace sextant::sema
