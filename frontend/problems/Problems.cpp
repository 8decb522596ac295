#include "frontend/problems/Problems.h"

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

Phase phaseOf(Problem problem) { return phases[unsigned(problem)]; }

unsigned problemCount() { return unsigned(std::size(problemNames)); }

std::string problemName(Problem problem) {
  std::string name;
  for (const char *letter = problemNames[unsigned(problem)]; *letter; ++letter) {
    const bool isUpper = *letter >= 'A' && *letter <= 'Z';
    if (isUpper && !name.empty())
      name += '-';
    name += char(isUpper ? *letter - 'A' + 'a' : *letter);
  }
  return name;
}

} // namespace sextant
