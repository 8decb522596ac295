// Facts for debuggers beside source lines. Locations hold the functions that were inlined. An
// attribute of the task holds the kernel's arguments. Variables are ops, `simt.debug_value`.
#pragma once

#include "frontend/ir/SimtDialect.h"

namespace sextant::simt {

/// A call that was inlined.
struct InlinedCall {
  llvm::StringRef function;
  mlir::Location defined; ///< where the function is
  uint32_t number = 0;    ///< distinct in the kernel
};

/// Returns the caller part of a CallSiteLoc, for code that `call` inlined at `at`.
mlir::Location callerLocation(const InlinedCall &call, mlir::Location at);
/// Returns the call of such a location, or nothing for another location.
std::optional<InlinedCall> getInlinedCall(mlir::Location caller);
/// Returns the place of the call.
mlir::Location callPlace(mlir::Location caller);

/// An argument of the kernel, or a buffer after the arguments, as the source names it.
struct ShownArgument {
  /// An extent that follows the buffer's address in the argument block, of 4 bytes or of 8.
  static constexpr int64_t inBlock = -1, wideInBlock = -2;

  std::string name; ///< empty if the source does not name it
  mlir::Type type;  ///< type of scalars, with their sign
  bool isBuffer = false;
  llvm::SmallVector<int64_t> shape = {}; ///< buffers
  unsigned rows = 1, cols = 1;           ///< extents of a matrix, or of a buffer's element
};

/// The whole argument block of `task`, in its order. Only builds for debuggers have it.
void setShownArguments(mlir::func::FuncOp task, llvm::ArrayRef<ShownArgument> arguments);
llvm::SmallVector<ShownArgument> getShownArguments(mlir::func::FuncOp task);

/// The number of the parameter of the inlined function that a variable is, from 1. 0: it is not
/// one.
void setParameter(DebugValueOp op, unsigned number);
unsigned getParameter(DebugValueOp op);

/// Drops every variable.
void dropVariables(mlir::ModuleOp module);

} // namespace sextant::simt
