// What SPIRV-Cross cannot say in Metal, repaired: each function mends one thing, in the SPIR-V
// that SPIRV-Cross reads or in the text that it writes. tests/metal/RepairsTest.cpp has a test
// for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sextant {

/// Removes NoContraction, which keeps SPIRV-Tools from reassociating. SPIRV-Cross would call a
/// helper function for all arithmetic that has it: Metal's compiler does not reassociate by
/// itself.
void allowContraction(std::vector<uint32_t> &words);

/// Makes fences of the barriers that are marked as fences by the flag for textures
/// (Raise.cpp): SPIRV-Cross turns every memory barrier into one that threads wait at.
void restoreFences(std::string &text);

/// Makes atomic minima and maxima of the stores to the variables that stand for them
/// (metalMinimum): `sextantMin0._m0[_5] = _7;`.
void restoreMinMax(std::string &text);

/// Defines `atomicAdd`, GLSL's name for additions of reals, where the text calls it.
void defineAtomicAdd(std::string &text);

} // namespace sextant
