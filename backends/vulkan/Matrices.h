// Cooperative matrices (SPV_KHR_cooperative_matrix). The library asks for a product by
// simt.instruction, whose words are
//
//     OpCooperativeMatrixMulAddKHR OPERANDS SUMS MxNxK ROWSxCOLUMNS
//
// with types of the language, as `f16 f32 16x16x16 2x4`, for a product of so many rows of matrices
// by as many columns. Its operands are the lane's components of the matrices on the left, of those
// on the right, packed in words of 32 bits, and of the sums, row by row; its results are the new
// sums.
//
// SPIRV-Tools of 2023 do not know the extension. So the code goes through them with functions
// that stand for the instructions (spirv::SpirvCode::instructions); their bodies are written last.
#pragma once

#include "backends/spirv/Spirv.h"

namespace sextant {

/// Writes the bodies of the functions, and what they need: types, capabilities, extensions. The
/// words have the Vulkan memory model.
spirv::Words writeMatrices(const spirv::Words &words, llvm::ArrayRef<std::string> instructions);
/// Returns the words with the older SPV_NV_cooperative_matrix, which SPIRV-Tools know, in place of
/// that extension. Words without it stay as they are.
spirv::Words withOlderMatrices(llvm::ArrayRef<uint32_t> words);
/// Puts the right names back in the assembly of withOlderMatrices().
std::string withNewerNames(std::string text);

} // namespace sextant
