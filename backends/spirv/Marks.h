// Attributes by which a backend asks for another form of one op. Its last stage on tasks sets
// them, and emit() follows them.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace sextant::spirv::marks {

/// On a block index: the grid has one row, so it is the x of the block alone.
inline constexpr llvm::StringLiteral oneRow = "one_row";
/// On a barrier: no variable has to be coherent for it.
inline constexpr llvm::StringLiteral coherent = "coherent";
/// On a fence, an i32: memory semantics in place of all memory's.
inline constexpr llvm::StringLiteral semantics = "semantics";
/// On a volatile access of 32 bits: it is a relaxed atomic.
inline constexpr llvm::StringLiteral relaxedAtomic = "relaxed_atomic";
/// On a load from shared memory that is volatile: a fence follows it.
inline constexpr llvm::StringLiteral fenced = "fenced";
/// On an atomic operation on reals: it is a loop of compare-and-swaps.
inline constexpr llvm::StringLiteral loop = "loop";
/// On a store, a text: it goes through another variable of the same binding, whose name is the
/// text and the binding's number.
inline constexpr llvm::StringLiteral alias = "alias";

} // namespace sextant::spirv::marks
