// Source lines for debuggers and profilers: LLVM locations from MLIR's.
#pragma once

#include "mlir/IR/Location.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// Line tables of one module; does nothing when made with `enabled` false.
class DebugLines {
public:
  DebugLines(llvm::Module &module, bool enabled);

  /// Starts a function that stands at `at`.
  void begin(llvm::Function &function, mlir::Location at);
  /// Gives what `builder` makes from now on the line of `at`, where known.
  void set(llvm::IRBuilderBase &builder, mlir::Location at);
  /// Call once, when the module is complete.
  void finish();

private:
  llvm::DIFile *file(llvm::StringRef path);

  std::unique_ptr<llvm::DIBuilder> builder; ///< null: disabled
  llvm::DICompileUnit *unit = nullptr;
  llvm::DISubprogram *scope = nullptr;
};

} // namespace sextant
