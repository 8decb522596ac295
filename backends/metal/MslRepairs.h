// Repairs of what SPIRV-Cross cannot express in Metal. Each function repairs one thing, in the
// SPIR-V that SPIRV-Cross reads or in the text that it writes. tests/metal/RepairsTest.cpp has a
// test for each.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sextant {

/// Removes NoContraction, which keeps SPIRV-Tools from reassociating, but not from operations that
/// SpirvOptions::marksPrecise marks. SPIRV-Cross calls a helper function for all arithmetic with
/// it, and Metal's compiler does not reassociate by itself.
void allowContraction(std::vector<uint32_t> &words);

/// Gives operations of lanes copies of values that differ by the way that led here (OpPhi).
/// SPIRV-Cross would move an operation on such a value into the expression that uses it, a side of
/// `?:` for example, which some lanes skip. With other operands it does not (Msl.cpp).
void copyForLanes(std::vector<uint32_t> &words);

/// The helper function for precise products (SpirvOptions::marksPrecise) adds 0 to each, and so
/// loses the sign of one that is 0: it adds -0 instead.
void keepSigns(std::string &text);

/// Restores fences. SPIRV-Cross turns every memory barrier into one that threads wait at; Raise.cpp
/// marks fences by the flag for textures.
void restoreFences(std::string &text);

/// Turns stores to the variables that stand for atomic minima and maxima into these (metalMinimum):
/// `sextantMin0._m0[_5] = _7;`.
void restoreMinMax(std::string &text);

/// Writes the bodies of the functions that stand for instructions in the library's own words
/// (spirv::SpirvCode::instructions), a statement a line.
void writeInstructions(std::string &text, llvm::ArrayRef<std::string> instructions);

/// Takes the arrays from a table of addresses: a kernel's parameters with the indices below
/// `buffers` become references into a struct of pointers, which is buffer 0, and the values become
/// buffer 1. Metal has 31 indices, and SPIRV-Cross gives each array one.
void takeFromTable(std::string &text, unsigned buffers);

/// Defines `atomicAdd`, GLSL's name for additions of reals, if the text calls it.
void defineAtomicAdd(std::string &text);

} // namespace sextant
