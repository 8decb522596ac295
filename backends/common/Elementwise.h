// LLVM code for ops that work on each value by itself: `arith`, and the ops of `math` that are LLVM
// intrinsics everywhere. The operands may be scalars or, for a target that runs lanes as vectors,
// vectors of one length.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// The LLVM type of a scalar.
llvm::Type *scalarType(mlir::Type type, llvm::LLVMContext &context);

/// The constant's value as a scalar.
llvm::Constant *constantValue(mlir::Attribute value, llvm::LLVMContext &context);

/// Returns the result of `op` on `operands`, or null if this file does not handle `op`. If the
/// dialect leaves a result unspecified (a division by zero, a shift past the width, a conversion
/// out of range), it is some value, never undefined behaviour.
llvm::Value *emitElementwise(mlir::Operation &op, llvm::ArrayRef<llvm::Value *> operands,
                             llvm::IRBuilderBase &builder);

} // namespace sextant
