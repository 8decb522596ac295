#include "frontend/spelling/EditDistance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sextant {

size_t editDistance(std::string_view left, std::string_view right) {
  // row[j] is the distance from the part of `left` seen so far to the first j bytes of `right`.
  std::vector<size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t above = row[j];
      const size_t replaced = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row.back();
}

} // namespace sextant
