// Decodes instructions. Encoding them is packager/Instructions.cpp.
#include "loader/format/Instructions.h"

#include <algorithm>
#include <cstring>

namespace sextant::module {

using namespace format;

const char *InstructionRules::read(std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(InstructionRow) != 0)
    return "a template has a part of a row of operand rules";
  for (; !bytes.empty(); bytes = bytes.subspan(sizeof(InstructionRow))) {
    InstructionRow item;
    std::memcpy(&item, bytes.data(), sizeof(item));
    const bool isValid = item.first <= item.last && item.last < maxOpcode && item.ruleCount >= 1 &&
                         item.ruleCount <= std::size(item.rules) &&
                         std::all_of(
                             item.rules, item.rules + item.ruleCount,
                             [](OperandRule rule) { return rule <= OperandRule::FromPrevious; });
    if (!isValid)
      return "a template has operand rules that do not exist";
    Row row{item.ruleCount};
    std::copy_n(item.rules, item.ruleCount, row.rules);
    for (uint32_t opcode = item.first; opcode <= item.last; ++opcode) {
      if (rowOf[opcode] != 0)
        return "a template has two rows of operand rules for an opcode";
      rowOf[opcode] = static_cast<uint16_t>(rows.size());
    }
    rows.push_back(row);
  }
  return nullptr;
}

OperandRule InstructionRules::of(uint32_t opcode, uint32_t place) const {
  const Row &row = rows[opcode < maxOpcode ? rowOf[opcode] : 0];
  return row.rules[std::min<uint32_t>(place, row.count - 1u)];
}

static uint32_t slotOf(uint32_t opcode, uint32_t place) {
  return opcode * (maxPlace + 1) + std::min(place, maxPlace);
}

uint32_t OperandState::base(OperandRule rule, uint32_t opcode, uint32_t place) const {
  switch (rule) {
  case OperandRule::Absolute:
    return 0;
  case OperandRule::Result:
    return result + 1;
  case OperandRule::FromResult:
    return result;
  case OperandRule::FromPrevious:
    break;
  }
  return previous[slotOf(opcode, place)];
}

void OperandState::step(OperandRule rule, uint32_t opcode, uint32_t place, uint32_t operand) {
  if (rule == OperandRule::Result)
    result = operand;
  else if (rule == OperandRule::FromPrevious)
    previous[slotOf(opcode, place)] = operand;
}

namespace {

/// Reads numbers from the front of bytes.
struct Numbers {
  std::span<const std::byte> left;

  bool read(uint32_t &value) {
    value = 0;
    constexpr unsigned maxBytes = 5;
    for (unsigned i = 0; i < maxBytes && i < left.size(); ++i) {
      const auto byte = std::to_integer<uint32_t>(left[i]);
      value |= (byte & 127) << 7 * i;
      if (byte < 128) {
        left = left.subspan(i + 1);
        return true;
      }
    }
    return false;
  }
};

uint32_t differenceOf(uint32_t stored) { return (stored >> 1) ^ (0 - (stored & 1)); }

} // namespace

const char *decodeInstructions(const InstructionRules &rules, std::span<const std::byte> encoded,
                               std::span<std::byte> to) {
  constexpr const char *problem = "its instructions do not fill their image";
  Numbers numbers{encoded};
  OperandState state;
  auto put = [&](uint32_t word) {
    std::memcpy(to.data(), &word, sizeof(word));
    to = to.subspan(sizeof(word));
  };
  while (!numbers.left.empty()) {
    uint32_t opcode = 0, count = 0, stored = 0;
    if (!numbers.read(opcode) || !numbers.read(count) || opcode > UINT16_MAX || count == 0 ||
        count > UINT16_MAX || count > to.size() / sizeof(uint32_t))
      return problem;
    put(count << 16 | opcode);
    for (uint32_t place = 0; place + 1 < count; ++place) {
      if (!numbers.read(stored))
        return problem;
      const OperandRule rule = rules.of(opcode, place);
      const uint32_t base = state.base(rule, opcode, place);
      const uint32_t operand = rule == OperandRule::Absolute     ? stored
                               : rule == OperandRule::FromResult ? base - differenceOf(stored)
                                                                 : base + differenceOf(stored);
      state.step(rule, opcode, place, operand);
      put(operand);
    }
  }
  return to.empty() ? nullptr : problem;
}

} // namespace sextant::module
