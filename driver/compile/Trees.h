// The kernel files of one module, and those that they import: each is read and parsed once.
#pragma once

#include "driver/compile/Units.h"
#include "frontend/syntax/Ast.h"

#include <filesystem>
#include <map>
#include <memory>

namespace sextant {

class Trees {
public:
  Trees(const Environment &environment, SourceFiles &files, DiagnosticSink &sink)
      : environment(environment), files(files), sink(sink) {}

  /// Returns the tree of a file on the command line. Throws Refusal.
  const ast::Module *named(const std::string &path) { return load(path); }
  /// Returns the tree of the user module `name` as `from` sees it, or null.
  const ast::Module *imported(std::string_view name, const ast::Module &from);
  /// Returns the tree of a module of the SIMT library, or null.
  const ast::Module *library(std::string_view name);
  /// The names that --const may set: those of the files on the command line and of all files that
  /// they import, even if no kernel that is built needs them; and of the names in `given`
  /// (`qd.algorithms.SORT_ITEMS`), those that the library assigns.
  ModuleNames names(const std::vector<const ast::Module *> &named,
                    const std::vector<std::string> &given);
  /// The text of an option as a file, for diagnostics.
  const SourceFile &option(std::string text);

  std::vector<FrontendResult::Source> sources; ///< in order of first use
  bool isBroken = false;                       ///< some file did not parse completely

private:
  bool isFile(const std::filesystem::path &path) const;
  /// Returns the file of the user module `name` as `from` sees it, or "": beside it; with dots in
  /// front, in its folder or one further up; without, also where the package of `from` lies, which
  /// is where folders have no `__init__.py` any more. A package is its `__init__.py`.
  std::string importPath(std::string_view name, const ast::Module &from) const;
  const ast::Module *load(const std::string &path);

  const Environment &environment;
  SourceFiles &files;
  DiagnosticSink &sink;
  std::map<std::string, std::unique_ptr<ast::Module>> trees, libraries;
};

} // namespace sextant
