// The opcodes of SPIR-V that the loader knows (SPIR-V 1.6, section 3.3).
#pragma once

#include <cstdint>

namespace sextant::loader::vulkan {

enum Opcode : uint32_t {
  OpNop = 0,
  OpUndef = 1,
  OpName = 5,
  OpMemberName = 6,
  OpString = 7,
  OpLine = 8,
  OpExtension = 10,
  OpExtInstImport = 11,
  OpExtInst = 12,
  OpMemoryModel = 14,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpFirstType = 19,
  OpTypeVoid = 19,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypeRuntimeArray = 29,
  OpTypeStruct = 30,
  OpTypePointer = 32,
  OpTypeFunction = 33,
  OpLastType = 38,
  OpFirstConstant = 41,
  OpConstant = 43,
  OpLastConstant = 52,
  OpFunction = 54,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpVariable = 59,
  OpLoad = 61,
  OpStore = 62,
  OpAccessChain = 65,
  OpDecorate = 71,
  OpMemberDecorate = 72,
  OpFirstGroup = 73, ///< the first that groups decorations
  OpLastGroup = 75,
  OpVectorShuffle = 79,
  OpCompositeExtract = 81,
  OpCompositeInsert = 82,
  OpUConvert = 113,
  OpSConvert = 114,
  OpFConvert = 115,
  OpBitcast = 124,
  OpIAdd = 128,
  OpIMul = 132,
  OpShiftRightLogical = 194,
  OpMemoryBarrier = 225,
  OpLoopMerge = 246,
  OpSelectionMerge = 247,
  OpLabel = 248,
  OpBranchConditional = 250,
  OpReturn = 253,
  OpBallotBitCount = 342,
  OpFirstReduction = 349, ///< OpGroupNonUniformIAdd
  OpLastReduction = 364,  ///< OpGroupNonUniformLogicalXor
  OpTypeCooperativeMatrixKHR = 4456,
  OpCooperativeMatrixLoadKHR = 4457,
};

} // namespace sextant::loader::vulkan
