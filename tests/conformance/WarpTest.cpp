// CUDA's operations on warps of 32 lanes, in subgroups of 32 lanes or more; see kernels/warps.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;

std::string narrow(unsigned wave) { return wave < 32 ? "a warp has 32 lanes" : ""; }

void shuffles(Run &run) {
  const int32_t n = 256;
  Ints x, by;
  std::vector<float> y;
  for (int32_t i = 0; i < n; ++i) {
    x.push_back(int32_t(run.random()));
    y.push_back(float(i) + 0.5f);
    // The lanes of a warp ask for one distance in half of the warps, else each for its own.
    by.push_back(int32_t(i / 32 % 2 ? i / 32 * 3 : int32_t(run.random() % 32)));
  }
  by[1] = 33; // five bits count
  by[2] = -1;
  auto out = run.zeros<int32_t>(4 * size_t(n));
  auto reals = run.zeros<float>(3 * size_t(n));
  run.launch("shuffles", run.array(x), run.array(y), run.array(by), out, reals);
  Ints expected;
  std::vector<float> expectedReals;
  for (int32_t i = 0; i < n; ++i) {
    const int32_t first = i & ~31, k = by[size_t(i)] & 31;
    const size_t at = size_t(first + k), below = size_t(i - k >= first ? i - k : i),
                 above = size_t(i + k < first + 32 ? i + k : i), other = size_t(i ^ k);
    for (size_t from : {at, below, above, other})
      expected.push_back(x[from]);
    for (size_t from : {at, below, above})
      expectedReals.push_back(y[from]);
  }
  expectSame("out", out.read(), expected);
  expectSame("reals", reals.read(), expectedReals);
}

void votes(Run &run) {
  Ints x; // for each warp: all, none, one, all but one, one value each, pairs, random ones
  for (int32_t i = 0; i < 32 * 8; ++i) {
    const int32_t lane = i % 32,
                  kinds[] = {
                      7, 0, lane == 5, lane != 31, lane + 1, lane / 2, int32_t(run.random() % 3),
                      -1};
    x.push_back(kinds[i / 32]);
  }
  auto out = run.zeros<int32_t>(6 * x.size());
  run.launch("votes", run.array(x), out);
  Ints expected;
  for (size_t i = 0; i < x.size(); ++i) {
    uint32_t ballot = 0, same = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      const int32_t value = x[(i & ~size_t(31)) + lane];
      ballot |= uint32_t(value != 0) << lane;
      same |= uint32_t(value == x[i]) << lane;
    }
    const Ints row{ballot == ~0u,   ballot != 0,   ballot == ~0u || ballot == 0,
                   int32_t(ballot), int32_t(same), same == ~0u ? -1 : 0};
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expectSame("out", out.read(), expected);
}

} // namespace

void addWarpCases(std::vector<Case> &cases) {
  cases.push_back({"warps", "shuffles", shuffles, narrow});
  cases.push_back({"warps", "votes", votes, narrow});
}

} // namespace conformance
