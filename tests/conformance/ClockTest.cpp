// The clock goes on, and is read as often as the kernel says; see kernels/clocks.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

void clocks(Run &run) {
  // Long enough for a clock of 100 MHz to go on. In simulators instructions are its ticks.
  const std::vector<int32_t> rounds{0, 200, 200, 200};
  auto out = run.zeros<int64_t>(3 * rounds.size());
  run.launch("clocks", run.array(rounds), out, run.zeros<int32_t>(rounds.size()));
  const std::vector<int64_t> got = out.read();
  for (size_t i = 0; i < rounds.size(); ++i) {
    expectSame("in order", i, got[3 * i], int64_t(1));
    // A read that were taken out of the loop, or merged with the first, would be 0.
    expectSame("goes on in the loop", i, got[3 * i + 1] > 0, rounds[i] > 0);
    expectSame("is read again", i, got[3 * i + 2] >= got[3 * i + 1], true);
  }
}

} // namespace

void addClockCases(std::vector<Case> &cases) { cases.push_back({"clocks", "clocks", clocks}); }

} // namespace conformance
