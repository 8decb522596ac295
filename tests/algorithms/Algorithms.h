// Shared by the tests of algorithms: sizes, arrays with room past the end, comparisons of
// fronts.
#pragma once

#include "tests/conformance/Harness.h"

namespace conformance {

void addSortCases(std::vector<Case> &cases);
void addMoreAlgorithms(std::vector<Case> &cases);

/// Sizes around the edges of subgroups, blocks and tiles, up to `most`. Stand-ins for GPUs get
/// fewer ones; the CPU also gets one of more tiles than a block folds at once.
inline std::vector<size_t> sizes(const Run &run, size_t tile, size_t most = size_t(1) << 24) {
  const size_t wave = run.wave;
  const bool isSlow = run.column.backend != "cpu";
  std::vector<size_t> all = {0, 1, wave + 1, 256, 257, tile, tile + 1, 2 * tile + 77};
  if (!isSlow)
    all.insert(all.end(), {2, wave - 1, wave, 255, 300, tile - 1, 5 * tile, 69999});
  if (run.column.backend == "cpu" && run.wave == 8)
    all.push_back(tile * tile + 2 * tile + 5);
  std::erase_if(all, [&](size_t n) { return n > most; });
  return all;
}

/// An array with room past the end, where nothing may read: it has elements that would show.
template <class T> sextant::Array<T> padded(const Run &run, std::vector<T> values) {
  values.resize(values.size() + 4, T(113));
  return run.array(values);
}

/// `got` begins with the expected elements, and all others are `untouched`.
template <class T>
void expectFront(const std::string &what, const std::vector<T> &got, const std::vector<T> &expected,
                 T untouched) {
  for (size_t i = 0; i < got.size(); ++i)
    if (const T wanted = i < expected.size() ? expected[i] : untouched; !same(got[i], wanted))
      throw Mismatch{what + " of " + std::to_string(expected.size()) + ": [" + std::to_string(i) +
                     "] is " + show(got[i]) + ", expected " + show(wanted)};
}

} // namespace conformance
