// Names at module level, by the text alone: which a file binds, and which it reads.
#pragma once

#include "frontend/syntax/Ast.h"

#include <set>
#include <string>

namespace sextant {

struct ModuleNames {
  std::set<std::string> assigned; ///< at module level
  /// What else a module constant may be called to be of use: functions and imports, and names that
  /// functions read and that are not their parameters, in branches that are not taken too.
  std::set<std::string> others;
  /// Modules that the file imports at any depth of its host code, as `from helpers import f` names
  /// them: "helpers", and "helpers.f", which may be a module too.
  std::set<std::string> imports;

  bool contains(const std::string &name) const {
    return assigned.count(name) != 0 || others.count(name) != 0;
  }
  void add(const ModuleNames &more);
};

ModuleNames namesOf(const ast::Module &module);

} // namespace sextant
