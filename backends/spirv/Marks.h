// Attributes by which a backend asks for another form of an op. Its last stage on tasks sets them,
// and emit() obeys them.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace sextant::spirv::marks {

/// On a block index: the grid has one row, so the index is the block's x.
inline constexpr llvm::StringLiteral oneRow = "one_row";
/// On a barrier: it makes no variable coherent.
inline constexpr llvm::StringLiteral coherent = "coherent";
/// On a fence, an i32: its memory semantics, in place of those of all memory.
inline constexpr llvm::StringLiteral semantics = "semantics";
/// On a volatile access of 32 bits: it becomes a relaxed atomic.
inline constexpr llvm::StringLiteral relaxedAtomic = "relaxed_atomic";
/// On a volatile load from shared memory: a fence follows it.
inline constexpr llvm::StringLiteral fenced = "fenced";
/// On an atomic operation on reals: it becomes a loop of compare-and-swaps.
inline constexpr llvm::StringLiteral loop = "loop";
/// On a store, a text: the store goes through another variable of the same binding, whose name is
/// the text and the binding's number.
inline constexpr llvm::StringLiteral alias = "alias";

} // namespace sextant::spirv::marks
