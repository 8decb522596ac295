// Source lines for debuggers and profilers: LLVM locations from MLIR's, with the
// functions that were inlined.
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// The amount of debug information in a module.
enum class DebugDetail {
  None,
  Lines,     ///< and the functions that were inlined
  Variables, ///< and types, for code that is not optimised
};

/// The line tables of one module. Does nothing if the detail is None.
class DebugLines {
public:
  /// The function that code belongs to, as it was written.
  struct Scope {
    llvm::DILocalScope *scope = nullptr;
    llvm::DILocation *inlinedAt = nullptr; ///< null: the task itself
  };

  DebugLines(llvm::Module &module, DebugDetail detail);

  /// Begins a function whose source is at `at`.
  void begin(llvm::Function &function, mlir::Location at);
  /// Sets the line of everything that `builder` makes from now on to that of `at`, if known.
  void set(llvm::IRBuilderBase &builder, mlir::Location at);
  /// Call once, when the module is complete.
  void finish();

  bool hasVariables() const { return detail == DebugDetail::Variables && task; }
  /// The scope of code or of a variable at `at`.
  Scope scopeOf(mlir::Location at);
  /// The task's own scope, around the variables that its author wrote.
  Scope taskScope() const { return {task, nullptr}; }
  /// The location of `at` in its scope.
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
  llvm::DISubprogram *task = nullptr; ///< the current function's
  llvm::DILocalScope *body = nullptr;
  /// The functions that were inlined, by name and place, and their calls in the current task.
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Attribute>, llvm::DISubprogram *> functions;
  llvm::DenseMap<mlir::Attribute, llvm::DILocation *> calls;
};

} // namespace sextant
