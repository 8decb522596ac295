// The operands that are relative to others, and the encoder. decisions/0020 has the measurements.
#include "packager/Instructions.h"
#include "loader/format/Instructions.h"
#include "packager/Bytes.h"

#include <string_view>

namespace sextant::packager {

using namespace module::format;
using module::InstructionRules;
using module::OperandState;

namespace {

void putNumber(std::vector<std::byte> &to, uint32_t value) {
  for (; value >= 128; value >>= 7)
    to.push_back(std::byte((value & 127) | 128));
  to.push_back(std::byte(value));
}

uint32_t storedOf(uint32_t difference) { return (difference << 1) ^ (0 - (difference >> 31)); }

/// A row of rules, a letter each: absolute, result, from the result, from the previous one.
constexpr InstructionRow row(uint16_t first, uint16_t last, std::string_view letters) {
  InstructionRow made{first, last, static_cast<uint8_t>(letters.size()), {}};
  for (size_t i = 0; i < letters.size(); ++i)
    made.rules[i] = letters[i] == 'a'   ? OperandRule::Absolute
                    : letters[i] == 'r' ? OperandRule::Result
                    : letters[i] == 'f' ? OperandRule::FromResult
                                        : OperandRule::FromPrevious;
  return made;
}

/// Opcodes of SPIR-V 1.6, section 3.52, by how their operands behave: types repeat from one
/// instruction to the next of the opcode, and so do constants and scopes; literals stand alone.
constexpr InstructionRow rows[] = {
    row(12, 12, "praapp"), // OpExtInst
    row(15, 15, "ap"),     // OpEntryPoint
    row(16, 16, "pa"),     // OpExecutionMode
    row(19, 20, "r"),      // OpTypeVoid, OpTypeBool
    row(21, 22, "ra"),     // OpTypeInt, OpTypeFloat
    row(23, 23, "rfa"),    // OpTypeVector
    row(28, 28, "rf"),     // OpTypeArray
    row(29, 29, "rp"),     // OpTypeRuntimeArray
    row(30, 30, "rf"),     // OpTypeStruct
    row(32, 32, "rap"),    // OpTypePointer
    row(33, 33, "rf"),     // OpTypeFunction
    row(41, 42, "pr"),     // OpConstantTrue, OpConstantFalse
    row(43, 43, "pra"),    // OpConstant
    row(50, 50, "pra"),    // OpSpecConstant
    row(54, 54, "prap"),   // OpFunction
    row(55, 55, "pr"),     // OpFunctionParameter
    row(57, 57, "prp"),    // OpFunctionCall
    row(59, 59, "pra"),    // OpVariable
    row(61, 61, "prfa"),   // OpLoad
    row(62, 62, "fpa"),    // OpStore
    row(65, 65, "prp"),    // OpAccessChain
    row(71, 71, "pa"),     // OpDecorate
    row(72, 72, "p"),      // OpMemberDecorate
    row(80, 80, "prf"),    // OpCompositeConstruct
    row(81, 81, "prfp"),   // OpCompositeExtract
    row(109, 127, "prf"),  // conversions, negations
    row(128, 191, "prfp"), // arithmetic, comparisons
    row(194, 205, "prfp"), // bits
    row(227, 242, "prfp"), // atomics
    row(245, 245, "prfp"), // OpPhi
    row(246, 246, "ffa"),  // OpLoopMerge
    row(247, 247, "fa"),   // OpSelectionMerge
    row(248, 248, "r"),    // OpLabel
    row(249, 250, "f"),    // OpBranch, OpBranchConditional
    row(254, 254, "f"),    // OpReturnValue
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
