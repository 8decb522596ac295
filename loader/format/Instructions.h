// The instructions of SPIR-V modules as split packs store them: Format.h's InstructionRow.
#pragma once

#include "loader/format/Format.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace sextant::module {

/// The rules of one piece's rows, ready to use.
class InstructionRules {
public:
  /// Reads rows. Returns why they are invalid, or null.
  const char *read(std::span<const std::byte> rows);

  /// Returns the rule of the operand in that place, from 0.
  format::OperandRule of(uint32_t opcode, uint32_t place) const;

private:
  struct Row {
    uint8_t count = 1;
    format::OperandRule rules[7] = {format::OperandRule::Absolute};
  };
  std::vector<Row> rows = {Row{}};                    ///< the first is that of other opcodes
  std::array<uint16_t, format::maxOpcode> rowOf = {}; ///< the row of each opcode
};

/// The state that operands are relative to. Encoders and decoders step through the same states.
class OperandState {
public:
  /// Returns what the difference of an operand is taken from.
  uint32_t base(format::OperandRule rule, uint32_t opcode, uint32_t place) const;
  /// Takes note of an operand.
  void step(format::OperandRule rule, uint32_t opcode, uint32_t place, uint32_t operand);

private:
  uint32_t result = 0;
  std::vector<uint32_t> previous =
      std::vector<uint32_t>(format::maxOpcode * (format::maxPlace + 1));
};

/// Writes the instructions that `encoded` stores, which fill `to`. Returns why they do not, or
/// null. Work and memory are linear in both.
const char *decodeInstructions(const InstructionRules &rules, std::span<const std::byte> encoded,
                               std::span<std::byte> to);

} // namespace sextant::module
