// Source lines for debuggers and profilers: LLVM locations from MLIR's, with the
// functions that were inlined.
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// How much a module tells debuggers.
enum class DebugDetail {
  None,
  Lines,     ///< and the functions that were inlined
  Variables, ///< of code that is not optimised, and types
};

/// Line tables of one module; does nothing where the detail is None.
class DebugLines {
public:
  /// The function that code is of, as it was written.
  struct Scope {
    llvm::DILocalScope *scope = nullptr;
    llvm::DILocation *inlinedAt = nullptr; ///< null: the task itself
  };

  DebugLines(llvm::Module &module, DebugDetail detail);

  /// Starts a function that stands at `at`.
  void begin(llvm::Function &function, mlir::Location at);
  /// Gives what `builder` makes from now on the line of `at`, where known.
  void set(llvm::IRBuilderBase &builder, mlir::Location at);
  /// Call once, when the module is complete.
  void finish();

  bool hasVariables() const { return detail == DebugDetail::Variables && task; }
  /// The scope of code or of a variable at `at`.
  Scope scopeOf(mlir::Location at);
  /// The task's own scope, around the variables that its author wrote.
  Scope taskScope() const { return {task, nullptr}; }
  /// The place of `at` in its scope.
  llvm::DILocation *place(mlir::Location at);
  llvm::DIFile *fileOf(mlir::Location at);
  unsigned lineOf(mlir::Location at);
  llvm::DIBuilder &di() { return *builder; }

private:
  llvm::DIFile *file(llvm::StringRef path);
  llvm::DISubprogram *inlinedFunction(mlir::StringAttr name, mlir::Location at);

  DebugDetail detail;
  std::unique_ptr<llvm::DIBuilder> builder; ///< null: disabled
  llvm::DICompileUnit *unit = nullptr;
  llvm::DISubprogram *task = nullptr; ///< of the function at hand
  llvm::DILocalScope *body = nullptr;
  /// Functions that were inlined, by name and place; and their calls in the task at hand.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, llvm::DISubprogram *> functions;
  llvm::DenseMap<mlir::Attribute, llvm::DILocation *> calls;
};

} // namespace sextant
