// The names of what can be wrong with a kernel file, for a target or for all, and of warnings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

/// The mistake that an error reports: a row of Problems.def.
enum class Problem : uint16_t {
#define PROBLEM(PHASE, NAME) NAME,
#include "frontend/problems/Problems.def"
};
/// The part of the compiler that finds a problem. Problems.def says what each one means.
enum class Phase : uint8_t { Syntax, Sema, Target, Command };
Phase phaseOf(Problem problem);
/// Returns the problem's name in kebab-case: "range-step-zero". It does not change within
/// a version; before 1.0, CHANGELOG.md says which names a version replaces.
std::string problemName(Problem problem);
/// True if the places where the operands are declared help to understand it.
bool isAboutOperands(Problem problem);
/// Returns the number of problems.
unsigned problemCount();

/// A kind of warning that `-W…` can leave out: the rows of Problems.def.
enum class Warning : uint8_t {
#define WARNING(NAME) NAME,
#include "frontend/problems/Problems.def"
};
/// The names in kebab-case, sorted: "lossy-store". They do not change between versions.
const std::vector<std::string> &warningNames();
const std::string &warningName(Warning warning);
/// Returns the warning of this name, if there is one.
std::optional<Warning> warningNamed(std::string_view name);

} // namespace sextant
