// Random kernels: a seed gives the text of a kernel and what to launch it with.
//
// Kernels are made to mean one thing everywhere: no division by zero, indices in bounds, threads
// that share memory only across barriers or by atomics that commute, collectives in uniform
// control flow. What slips through, the interpreter refuses.
#pragma once

#include "tests/fuzz/Interpreter.h"

namespace fuzz {

struct Program {
  std::string text; ///< without the imports: several programs share a file
  Launch launch;
};

/// The imports that every file of programs starts with.
extern const char *const fileHead;

/// `number` goes into the names of the kernel, its functions and fields. Without
/// `realRemainders`, no reals meet in `%` and `//`: lavapipe (Mesa 22.3) computes them wrongly
/// where the divisor is known when it compiles (docs/vulkan-abi.md), and any expression may be
/// known.
Program generate(uint64_t seed, unsigned number, bool realRemainders = true);

} // namespace fuzz
