// The reference of these tests: an interpreter of tasks that walks all threads of
// a block in step, one op after the other, by the dialect's description. It
// shares nothing with the backend.
#pragma once

#include "tests/cpu/Harness.h"

namespace cputest {

/// Runs task "task" of `text` over `grid` blocks on `args`.
void interpret(const std::string &text, unsigned wave, std::vector<Arg> &args, unsigned grid);

/// Compiles and interprets for each variant and requires equal arrays: of the
/// bytes, or within `ulps` where `floats` (4 or 8, the element's bytes) is given.
struct Tolerance {
  unsigned floatBytes = 0;
  double relative = 0;
};
void compare(const std::string &text, const std::vector<Variant> &variants,
             const std::vector<Arg> &args, unsigned grid, Tolerance tolerance = {});

/// For the kernels of a sweep, which differ in a type or an operator: every third variant, and
/// which ones depends on the kernel's text. All where SEXTANT_CPU_EVERY is set, as each night.
std::vector<Variant> inTurns(const std::vector<Variant> &variants, const std::string &text);

} // namespace cputest
