// The state that all kernels of one run share: options, modules and their names, facts about
// functions, and what was reported already.
#pragma once

#include "frontend/sema/Builtin.h"
#include "frontend/sema/Sema.h"
#include "frontend/sema/Value.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace sextant::sema {

/// The item that a target gets when a value is unpacked. The second target of `a, *b, c = …` gets a
/// list of the items that are left.
struct Unpacked {
  size_t position, count;     ///< the target's position, and the number of targets
  std::optional<size_t> star; ///< position of the target with a star
  bool operator==(const Unpacked &) const = default;
};
Unpacked unpackedAt(const std::vector<ast::ExprPtr> &targets, size_t position);
/// Returns the item's place among `count` items; nullopt for that with a star, or if they do not
/// fit.
std::optional<size_t> placeAmong(size_t count, const Unpacked &which);
/// Returns the item, or the list of items; poison if they do not fit.
Value unpackedItem(const std::vector<Value> &items, const Unpacked &which);

/// One name that a module binds, resolved when a kernel uses it.
struct Definition {
  enum Kind : uint8_t { Expression, Function, Class, Import, FromImport, Host } kind = Host;
  const ast::Stmt *stmt = nullptr;
  const ast::Expr *value = nullptr; ///< Expression
  std::vector<Unpacked> path;       ///< Expression: where a tuple assignment unpacks it
  std::string importPath;           ///< Import: the bound module; FromImport: the source module
  std::string importName;           ///< FromImport
  unsigned level = 0;               ///< FromImport: leading dots
  SourceRange at;
  enum State : uint8_t { Fresh, Busy, Done } state = Fresh;
  sema::Value result;
  std::set<std::string> reads; ///< with SemaOptions::onReads: the constants that it depends on
  /// The error that was reported when it was resolved. Whoever uses the name later has it, too.
  std::optional<Diagnostic> failure;
  bool isUnseen = false; ///< the error so far went only to who keeps quiet
};

struct ModuleScope {
  const ast::Module *ast = nullptr;
  std::string library; ///< the namespace it implements; empty: a user's module
  std::map<std::string_view, Definition> names;
  std::vector<Definition> stars; ///< `from x import *`: asked for names that nothing else binds
  /// Values of expressions that several names have: `x = y = qd.field(…)` is one field.
  std::unordered_map<const ast::Expr *, Value> shared;
  /// The functions that compute the derivative of another one.
  struct OwnDerivatives {
    const ast::FunctionDef *adjoint = nullptr; ///< `grad_for`
    const ast::FunctionDef *tangent = nullptr; ///< `dual_for`
  };
  /// Those of each name; absent until a kernel's derivative is built.
  std::optional<std::unordered_map<std::string_view, OwnDerivatives>> derivatives;
};

/// Facts that the text of a function tells before it runs.
struct FunctionFacts {
  std::set<std::string_view> assigned;
  bool conditionalReturn = false; ///< a return inside control flow that is not qd.static
};

/// Collects the names that a block assigns, also in nested blocks.
void collectAssigned(const ast::Block &block, std::set<std::string_view> &names);
/// Returns the first target, in the order of the text, of an assignment to a name, or null.
const ast::Expr *firstAssignment(const ast::Block &block, std::string_view name);
/// Returns true if a call may change a variable that is the argument at this position, or the one
/// with this name if the name is not empty.
using MayChange =
    std::function<bool(const ast::Call &call, size_t position, std::string_view name)>;
/// Collects the names that a block passes to functions which take references, according to
/// `mayChange`.
void collectReferences(const ast::Block &block, const MayChange &mayChange,
                       std::set<std::string_view> &names);
void collectReferences(const ast::Expr &expr, const MayChange &mayChange,
                       std::set<std::string_view> &names);
void collectTargets(const ast::Expr &target, std::set<std::string_view> &names);
/// Returns true if the expression is written as `qd.static(…)`, under any alias.
bool looksStatic(const ast::Expr &expr);
/// Returns true if it is written only with literals, so that it does not depend on the build.
bool isLiteral(const ast::Expr &expr);

class Program {
public:
  Program(const ast::Module &main, const SemaOptions &options, DiagnosticSink &sink,
          BuiltinTable builtins);

  ModuleScope &scopeOf(const ast::Module &module, std::string library = {});
  /// Returns true if the file belongs to the library.
  bool isLibrary(const SourceFile *file) const { return libraryFiles.count(file) != 0; }
  const FunctionFacts &factsOf(const ast::FunctionDef &function);
  /// Parses the text of an override or an instantiation as an expression. Returns null if it fails.
  const ast::Expr *parseText(const std::string &text, std::string &problem);

  const SemaOptions &options;
  const BuiltinTable builtins;
  DiagnosticSink *sink; ///< replaced while host code is tried
  unsigned quiet = 0;   ///< how often it is replaced now: errors are not seen
  ModuleScope *main = nullptr;
  std::map<std::string, std::string, std::less<>> constants;
  std::set<std::string> reads; ///< with SemaOptions::onReads: the constants that were read
  std::set<std::string> warnedOnce;
  /// The types of tiles by size and type of their elements.
  std::map<std::pair<unsigned, hir::Type>, std::shared_ptr<const StructType>> tiles;
  /// The types of matrices of subgroups, by name.
  std::map<std::string, std::shared_ptr<const StructType>> matrices;
  std::set<std::pair<const void *, std::pair<uint32_t, std::string>>> reported;

private:
  std::unordered_map<const ast::Module *, std::unique_ptr<ModuleScope>> scopes;
  std::unordered_map<const ast::FunctionDef *, std::unique_ptr<FunctionFacts>> facts;
  std::set<const SourceFile *> libraryFiles;
  std::vector<std::pair<std::unique_ptr<SourceFile>, std::unique_ptr<ast::Module>>> texts;
};

} // namespace sextant::sema
