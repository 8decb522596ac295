// Loops that are recorded by a few snapshots, and where these are taken.
#pragma once

#include "sextant/recording/copies.hpp"

#include <functional>

namespace sextant::recording {

/// The most steps that go backwards with so many snapshots, none of which is run more than
/// `repeats` times on the way: C(snapshots + repeats, snapshots), or a large number. Griewank and
/// Walther, Algorithm 799: Revolve, ACM TOMS 26, 2000.
inline int64_t reach(int64_t snapshots, int64_t repeats) {
  constexpr int64_t large = int64_t(1) << 40;
  int64_t steps = 1;
  for (int64_t i = 1; i <= snapshots && steps < large; ++i)
    steps = steps * (repeats + i) / i;
  return std::min(steps, large);
}

/// The number of steps after which the next snapshot is taken, so that `steps` of them go backwards
/// with the fewest run again. There is a snapshot at their begin, and there are others to take.
/// \param snapshots with that at the begin; more than 1
inline int64_t stepsToSnapshot(int64_t steps, int64_t snapshots) {
  int64_t repeats = 1;
  while (reach(snapshots, repeats) < steps)
    ++repeats;
  return std::min(reach(snapshots, repeats - 1), steps - reach(snapshots - 1, repeats - 1));
}

/// A loop that is recorded by snapshots of what its steps change.
struct Loop {
  struct Snapshot {
    int64_t unit;
    Copies copies; ///< one for each range of `state`
  };
  std::function<sxt_status(int64_t)> step; ///< runs a step
  int64_t steps = 0, every = 1;            ///< a unit is `every` steps
  size_t most = 1;                         ///< snapshots at a time
  std::vector<Range> state;                ///< in the order in which steps first wrote it
  Ranges used;                             ///< all memory of the steps
  std::vector<Snapshot> snapshots;         ///< the first one is at unit 0
  std::set<sxt_stream *> streams;

  int64_t units() const { return (steps + every - 1) / every; }
  bool hasState(const Range &range) const {
    return std::any_of(state.begin(), state.end(),
                       [&](const Range &one) { return one.contains(range); });
  }
};

} // namespace sextant::recording
