// The operators of reductions, scans and atomics as LLVM instructions.
#pragma once

#include "frontend/ir/SimtDialect.h"
#include "llvm/IR/IRBuilder.h"

namespace sextant {

/// `earlier` op `later`, on scalars.
llvm::Value *emitCombine(llvm::IRBuilderBase &b, simt::CombineKind kind, llvm::Value *earlier,
                         llvm::Value *later);
/// The identity: combined with any value, it yields that value.
llvm::Constant *combineIdentity(simt::CombineKind kind, llvm::Type *type);

} // namespace sextant
