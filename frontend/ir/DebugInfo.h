// What debuggers are told about a kernel's source beyond its lines: the functions that were
// inlined, by locations, and the kernel's arguments, by an attribute of the task. Variables
// are ops, `simt.debug_value`.
#pragma once

#include "frontend/ir/SimtDialect.h"

namespace sextant::simt {

/// A call that was inlined.
struct InlinedCall {
  llvm::StringRef function;
  mlir::Location defined; ///< where the function is
  uint32_t number = 0;    ///< distinct in the kernel
};

/// What stands as the caller in a CallSiteLoc of code that `call` inlined at `at`.
mlir::Location callerLocation(const InlinedCall &call, mlir::Location at);
/// The call that such a location is about; none: some other location.
std::optional<InlinedCall> getInlinedCall(mlir::Location caller);
/// Where it was called.
mlir::Location callPlace(mlir::Location caller);

/// An argument of the kernel, or a buffer that stands behind them, as its author knows it.
struct ShownArgument {
  /// An extent that follows the buffer's address in the argument block.
  static constexpr int64_t inBlock = -1;

  std::string name; ///< empty: not of the source
  mlir::Type type;  ///< of scalars, with their sign
  bool isBuffer = false;
  llvm::SmallVector<int64_t> shape = {}; ///< buffers
  unsigned rows = 1, cols = 1;           ///< of a matrix, or of a buffer's element
};

/// The whole argument block of `task`, in its order; none unless built for debuggers.
void setShownArguments(mlir::func::FuncOp task, llvm::ArrayRef<ShownArgument> arguments);
llvm::SmallVector<ShownArgument> getShownArguments(mlir::func::FuncOp task);

/// Which parameter of its inlined function a variable is, from 1; 0: none.
void setParameter(DebugValueOp op, unsigned number);
unsigned getParameter(DebugValueOp op);

/// Drops every variable.
void dropVariables(mlir::ModuleOp module);

} // namespace sextant::simt
