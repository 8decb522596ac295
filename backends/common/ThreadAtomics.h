// Atomic operations for the one-thread-per-lane emitter.
#pragma once

#include "backends/common/ThreadTarget.h"

namespace sextant {

/// Both return the old element. Relaxed order; device scope in global memory.
llvm::Value *emitAtomicRmw(llvm::IRBuilder<> &b, const ThreadTarget &target, simt::CombineKind kind,
                           simt::Space space, llvm::Value *pointer, llvm::Value *value);
llvm::Value *emitAtomicCas(llvm::IRBuilder<> &b, const ThreadTarget &target, simt::Space space,
                           llvm::Value *pointer, llvm::Value *expected, llvm::Value *desired);

} // namespace sextant
