// The operators of reductions, scans and atomics, on scalars or vectors, and over the lanes of a
// vector.
#pragma once

#include "backends/cpu/LaneBuilder.h"

namespace sextant::cpu {

llvm::Value *combine(simt::CombineKind kind, llvm::Value *a, llvm::Value *c, mlir::Type type,
                     LaneBuilder &b);
/// With `asSeen`, the value that the language shows as the operator's identity. Otherwise the value
/// that changes no other value, not even -0 or NaN.
llvm::Constant *identityOf(simt::CombineKind kind, mlir::Type type, bool asSeen, LaneBuilder &b);

/// Folds all lanes into one value.
llvm::Value *reduceAll(simt::CombineKind kind, llvm::Value *value, mlir::Type type, LaneBuilder &b);
/// Gives each lane the value of its tile of `size` lanes.
llvm::Value *reduceTile(simt::CombineKind kind, llvm::Value *value, mlir::Type type, unsigned size,
                        LaneBuilder &b);
/// Gives each lane the value of the lanes of its tile up to it; `exclusive`: before it.
llvm::Value *scanTile(simt::CombineKind kind, llvm::Value *value, mlir::Type type, unsigned size,
                      bool exclusive, LaneBuilder &b);

} // namespace sextant::cpu
