#include "frontend/spelling/EditDistance.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sextant {

size_t editDistance(std::string_view left, std::string_view right) {
  // row[j] is the distance from the part of `left` seen so far to the first j bytes of `right`.
  std::vector<size_t> row(right.size() + 1), above(row.size()), aboveThat(row.size());
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= left.size(); ++i) {
    aboveThat.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replaced = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], aboveThat[j - 2] + 1);
    }
  }
  return row.back();
}

} // namespace sextant
