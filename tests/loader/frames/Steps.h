// A task, instruction by instruction: the processor stops before each one, and a visitor looks at
// the registers.
#pragma once

#include "loader/devices/cpu/Job.h"

#include <array>
#include <functional>

namespace sextant::test {

/// The registers of x86-64 by DWARF's numbers.
struct Registers {
  std::array<uint64_t, 16> general{};
  uint64_t pc = 0;
};

class Visitor {
public:
  virtual ~Visitor() = default;
  /// Called by a handler of signals or exceptions. Returns false to see no more.
  virtual bool visit(const Registers &registers) = 0;
};

/// Calls a function, and the visitor before each instruction of it and of what it calls.
void stepThrough(const std::function<void()> &call, Visitor &visitor);

/// Finds the caller of the function whose registers are given, as the system does it. Returns false
/// if it cannot.
using CallerOf = bool (*)(const Registers &registers, Registers &caller);
extern const CallerOf systemCallerOf; ///< null: the system does not look images up

} // namespace sextant::test
