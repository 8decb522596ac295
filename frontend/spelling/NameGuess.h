// "Did you mean": finds the known name that is closest to an unknown one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sextant {

/// Takes candidates one by one and keeps the closest: at most 2 edits away, 1 of a name of up to 4
/// letters, and fewer edits than the name has letters. Of equally close ones it keeps the first in
/// the alphabet, so that the answer does not depend on the order of a hash table.
class NameGuess {
public:
  explicit NameGuess(std::string_view wanted) : wanted(wanted), least(wanted.size() <= 4 ? 2 : 3) {}
  void consider(std::string_view candidate);
  /// Returns the closest candidate, or "" if none is close.
  const std::string &best() const { return closest; }

private:
  std::string_view wanted;
  std::string closest;
  size_t least;
};

} // namespace sextant
