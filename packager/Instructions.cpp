// Which operands are told relative to what, and the encoder. decisions/0020 has the measurements.
#include "packager/Instructions.h"
#include "loader/format/Instructions.h"

#include <cstring>

namespace sextant::packager {

using namespace module::format;
using module::InstructionRules;
using module::OperandState;

namespace {

uint32_t wordAt(std::span<const std::byte> bytes, size_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof(word));
  return word;
}

void putNumber(std::vector<std::byte> &to, uint32_t value) {
  for (; value >= 128; value >>= 7)
    to.push_back(std::byte((value & 127) | 128));
  to.push_back(std::byte(value));
}

uint32_t storedOf(uint32_t difference) { return (difference << 1) ^ (0 - (difference >> 31)); }

constexpr OperandRule A = OperandRule::Absolute, R = OperandRule::Result,
                      F = OperandRule::FromResult, P = OperandRule::FromPrevious;

/// Opcodes of SPIR-V 1.6, section 3.52, by how their operands behave: types repeat from one
/// instruction to the next of the opcode, and so do constants and scopes; literals stand alone.
constexpr InstructionRow rows[] = {
    {12, 12, 6, {P, R, A, A, P, P}}, // OpExtInst
    {15, 15, 2, {A, P}},             // OpEntryPoint
    {16, 16, 2, {P, A}},             // OpExecutionMode
    {19, 20, 1, {R}},                // OpTypeVoid, OpTypeBool
    {21, 22, 2, {R, A}},             // OpTypeInt, OpTypeFloat
    {23, 23, 3, {R, F, A}},          // OpTypeVector
    {28, 28, 2, {R, F}},             // OpTypeArray
    {29, 29, 2, {R, P}},             // OpTypeRuntimeArray
    {30, 30, 2, {R, F}},             // OpTypeStruct
    {32, 32, 3, {R, A, P}},          // OpTypePointer
    {33, 33, 2, {R, F}},             // OpTypeFunction
    {41, 42, 2, {P, R}},             // OpConstantTrue, OpConstantFalse
    {43, 43, 3, {P, R, A}},          // OpConstant
    {50, 50, 3, {P, R, A}},          // OpSpecConstant
    {54, 54, 4, {P, R, A, P}},       // OpFunction
    {55, 55, 2, {P, R}},             // OpFunctionParameter
    {57, 57, 3, {P, R, P}},          // OpFunctionCall
    {59, 59, 3, {P, R, A}},          // OpVariable
    {61, 61, 4, {P, R, F, A}},       // OpLoad
    {62, 62, 3, {F, P, A}},          // OpStore
    {65, 65, 3, {P, R, P}},          // OpAccessChain
    {71, 71, 2, {P, A}},             // OpDecorate
    {72, 72, 1, {P}},                // OpMemberDecorate
    {80, 80, 3, {P, R, F}},          // OpCompositeConstruct
    {81, 81, 4, {P, R, F, P}},       // OpCompositeExtract
    {109, 127, 3, {P, R, F}},        // conversions, negations
    {128, 191, 4, {P, R, F, P}},     // arithmetic, comparisons
    {194, 205, 4, {P, R, F, P}},     // bits
    {227, 242, 4, {P, R, F, P}},     // atomics
    {245, 245, 4, {P, R, F, P}},     // OpPhi
    {246, 246, 3, {F, F, A}},        // OpLoopMerge
    {247, 247, 2, {F, A}},           // OpSelectionMerge
    {248, 248, 1, {R}},              // OpLabel
    {249, 250, 1, {F}},              // OpBranch, OpBranchConditional
    {254, 254, 1, {F}},              // OpReturnValue
};

} // namespace

bool isSpirv(std::span<const std::byte> image) {
  constexpr uint32_t magic = 0x07230203;
  if (image.size() < spirvHeaderBytes || image.size() % sizeof(uint32_t) != 0 ||
      wordAt(image, 0) != magic)
    return false;
  size_t at = spirvHeaderBytes;
  while (at < image.size()) {
    const size_t bytes = (wordAt(image, at) >> 16) * sizeof(uint32_t);
    if (bytes == 0 || bytes > image.size() - at)
      return false;
    at += bytes;
  }
  return true;
}

std::span<const InstructionRow> instructionRows() { return rows; }

std::vector<std::byte> encodeInstructions(std::span<const std::byte> instructions) {
  InstructionRules rules;
  rules.read(std::as_bytes(instructionRows()));
  OperandState state;
  std::vector<std::byte> encoded;
  for (size_t at = 0; at < instructions.size();) {
    const uint32_t head = wordAt(instructions, at);
    const uint32_t opcode = head & UINT16_MAX, count = head >> 16;
    putNumber(encoded, opcode);
    putNumber(encoded, count);
    for (uint32_t place = 0; place + 1 < count; ++place) {
      const uint32_t operand = wordAt(instructions, at + (place + 1) * sizeof(uint32_t));
      const OperandRule rule = rules.of(opcode, place);
      const uint32_t base = state.base(rule, opcode, place);
      putNumber(encoded, rule == OperandRule::Absolute     ? operand
                         : rule == OperandRule::FromResult ? storedOf(base - operand)
                                                           : storedOf(operand - base));
      state.step(rule, opcode, place, operand);
    }
    at += count * sizeof(uint32_t);
  }
  return encoded;
}

} // namespace sextant::packager
