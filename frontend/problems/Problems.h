// The names of what can be wrong with a kernel file, for a target or for all.
#pragma once

#include <cstdint>
#include <string>

namespace sextant {

/// What an error says is wrong: the rows of Problems.def.
enum class Problem : uint16_t {
#define PROBLEM(PHASE, NAME) NAME,
#include "frontend/problems/Problems.def"
};
/// Who finds it: Problems.def says what each means.
enum class Phase : uint8_t { Syntax, Sema, Target, Command };
Phase phaseOf(Problem problem);
/// Returns the problem's name in kebab-case: "range-step-zero". It does not change between
/// versions.
std::string problemName(Problem problem);
/// Returns the number of rows in Problems.def.
unsigned problemCount();

} // namespace sextant
