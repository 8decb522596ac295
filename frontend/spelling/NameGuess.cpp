#include "frontend/spelling/NameGuess.h"

#include "frontend/spelling/EditDistance.h"

namespace sextant {

void NameGuess::consider(std::string_view candidate) {
  const size_t edits = editDistance(candidate, wanted);
  if (edits >= wanted.size() || edits > least || (edits == least && closest.empty()))
    return;
  if (edits == least && candidate >= closest)
    return;
  least = edits;
  closest = candidate;
}

} // namespace sextant
