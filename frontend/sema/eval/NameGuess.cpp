#include "frontend/sema/eval/NameGuess.h"

#include <algorithm>
#include <vector>

namespace sextant::sema {

namespace {
/// Letters to insert, leave out or replace (Levenshtein's distance).
unsigned editDistance(std::string_view a, std::string_view b) {
  std::vector<unsigned> row(b.size() + 1);
  for (unsigned j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (unsigned i = 1; i <= a.size(); ++i) {
    unsigned diagonal = row[0];
    row[0] = i;
    for (unsigned j = 1; j <= b.size(); ++j) {
      unsigned next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = row[j];
      row[j] = next;
    }
  }
  return row[b.size()];
}
} // namespace

void NameGuess::consider(std::string_view candidate) {
  unsigned edits = editDistance(candidate, wanted);
  if (edits >= wanted.size() || edits > least || (edits == least && closest.empty()))
    return;
  if (edits == least && candidate >= closest)
    return;
  least = edits;
  closest = candidate;
}

} // namespace sextant::sema
