// Grids of more blocks than a row of some devices holds: each runs once, in increasing order.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

constexpr size_t blockDim = 8;

/// Two rows and a part of a third where rows have 65535 blocks. Simulators run fewer: they
/// have no rows.
size_t blocksFor(const Run &run) {
  const std::string_view backend = run.column.backend;
  return backend == "amdgpu" || backend == "metal" ? 301 : 2 * 65535 + 4001;
}

void number(Run &run) {
  const size_t n = blocksFor(run) * blockDim - 3; // the last block is not full
  auto out = run.zeros<int32_t>(n);
  run.launch("number", out);
  auto got = out.read();
  for (size_t i = 0; i < n; ++i)
    expectSame("out", i, got[i], int32_t(2 * i + 1)); // each iteration once
}

void chain(Run &run) {
  const size_t blocks = blocksFor(run);
  std::vector<uint32_t> values(blocks * blockDim);
  for (uint32_t &value : values)
    value = uint32_t(run.random() % 100);
  auto sums = run.zeros<uint32_t>(blocks);
  run.launch("chain", run.array(values), sums);
  auto got = sums.read();
  uint32_t expected = 0;
  for (size_t b = 0; b < blocks; ++b) {
    ++expected;
    for (size_t i = 0; i < blockDim; ++i)
      expected += values[b * blockDim + i];
    expectSame("sums", b, got[b], expected);
  }
}

} // namespace

void addGridCases(std::vector<Case> &cases) {
  cases.push_back({"large_grid", "every block once", number});
  cases.push_back({"large_grid", "blocks that wait for others", chain});
}

} // namespace conformance
