#include "frontend/problems/Problems.h"

#include <algorithm>
#include <iterator>

namespace sextant {

static constexpr const char *problemNames[] = {
#define PROBLEM(PHASE, NAME) #NAME,
#include "frontend/problems/Problems.def"
};

static constexpr Phase phases[] = {
#define PROBLEM(PHASE, NAME) Phase::PHASE,
#include "frontend/problems/Problems.def"
};

/// "RangeStepZero" becomes "range-step-zero".
static std::string inKebabCase(const char *word) {
  std::string name;
  for (const char *letter = word; *letter; ++letter) {
    const bool isUpper = *letter >= 'A' && *letter <= 'Z';
    if (isUpper && !name.empty())
      name += '-';
    name += char(isUpper ? *letter - 'A' + 'a' : *letter);
  }
  return name;
}

Phase phaseOf(Problem problem) { return phases[unsigned(problem)]; }

bool isAboutOperands(Problem problem) {
  switch (problem) {
#define OPERANDS(NAME) case Problem::NAME:
#include "frontend/problems/Problems.def"
    return true;
  default:
    return false;
  }
}

unsigned problemCount() { return unsigned(std::size(problemNames)); }

std::string problemName(Problem problem) { return inKebabCase(problemNames[unsigned(problem)]); }

const std::vector<std::string> &warningNames() {
  static const std::vector<std::string> names = {
#define WARNING(NAME) inKebabCase(#NAME),
#include "frontend/problems/Problems.def"
  };
  return names;
}

const std::string &warningName(Warning warning) { return warningNames()[unsigned(warning)]; }

std::optional<Warning> warningNamed(std::string_view name) {
  const auto &names = warningNames();
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(Warning(found - names.begin()));
}

} // namespace sextant
