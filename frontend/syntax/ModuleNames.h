// The names at module level that a file binds and reads, only from its text.
#pragma once

#include "frontend/syntax/Ast.h"

#include <set>
#include <string>

namespace sextant {

struct ModuleNames {
  std::set<std::string> assigned; ///< at module level
  /// Names that a module constant must have to be of any use, besides those that the file assigns:
  /// functions and imports, and names that functions read and that are not their parameters, also
  /// in branches that are not taken.
  std::set<std::string> others;
  /// Modules that the file imports, at any depth of its host code. `from helpers import f` gives
  /// "helpers", and "helpers.f", which may be a module too.
  std::set<std::string> imports;

  bool contains(const std::string &name) const {
    return assigned.count(name) != 0 || others.count(name) != 0;
  }
  void add(const ModuleNames &more);
};

ModuleNames namesOf(const ast::Module &module);

} // namespace sextant
