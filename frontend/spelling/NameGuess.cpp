#include "frontend/spelling/NameGuess.h"

#include "frontend/spelling/EditDistance.h"

namespace sextant {

void NameGuess::consider(std::string_view candidate) {
  // Other names of so few letters are near by chance.
  if (wanted.size() <= 3 && !candidate.empty() && candidate[0] != wanted[0])
    return;
  const size_t edits = editDistance(candidate, wanted);
  if (edits >= wanted.size() || edits > least || (edits == least && closest.empty()))
    return;
  if (edits == least && candidate >= closest)
    return;
  least = edits;
  closest = candidate;
}

} // namespace sextant
