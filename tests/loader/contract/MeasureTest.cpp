// Kernels with several implementations: which of them runs, before and after it is measured.
#include "tests/loader/contract/Contract.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace sextant;
using namespace sextant::test;

namespace {

constexpr const char *byCopy = "+implementation=reverse_by_copy";

using Ints = std::vector<int>;

/// The arguments of `reverse`.
struct Reversal {
  static constexpr int count = 1000;
  Array<int> x, scratch, out, ran;

  explicit Reversal(const Device &device)
      : x(device, std::span<const int>(iota(count))), scratch(device, count), out(device, count),
        ran(device, 2) {
    ran.clear();
  }
  void launch(const Program &program, const Stream &stream) {
    scratch.clear();
    out.clear();
    program.kernel("reverse")(stream, x, scratch, out, ran);
    Ints expected = iota(count);
    std::reverse(expected.begin(), expected.end());
    CHECK(out.read() == expected);
  }
};

} // namespace

TEST_CASE("a kernel with several implementations runs the first that is registered", "[runs]") {
  Fixture f;
  Reversal reversal(f.device);
  CHECK(!mentions(f.program.kernel("reverse").variant(), "implementation"));
  reversal.launch(f.program, f.stream);
  CHECK(reversal.ran.read() == Ints{1, 0});
  CHECK(mentions(f.program.explain("reverse"), byCopy));
}

TEST_CASE("a pin chooses the implementation", "[runs]") {
  Fixture f;
  Reversal reversal(f.device);
  const Program pinned(f.module, f.device, byCopy);
  CHECK(mentions(pinned.kernel("reverse").variant(), byCopy));
  reversal.launch(pinned, f.stream);
  CHECK(reversal.ran.read() == Ints{0, 1});
}

TEST_CASE("implementations are measured, and the fastest stays", "[runs]") {
  Fixture f;
  Reversal reversal(f.device);
  const std::vector<sxt_measurement> measured = f.program.measure(
      "reverse", f.stream, reversal.x, reversal.scratch, reversal.out, reversal.ran);
  Ints before = reversal.ran.read();
  CHECK(before[0] > 0); // both took part
  CHECK(before[1] > 0);
  std::string fastest;
  size_t alternatives = 0;
  for (const sxt_measurement &one : measured) {
    CHECK(one.samples > 0);
    alternatives += mentions(one.target, byCopy);
    if (one.fastest)
      fastest = one.target;
  }
  CHECK(alternatives * 2 == measured.size());
  CHECK(f.program.kernel("reverse").variant() == fastest);
  const bool isCopy = mentions(fastest, byCopy);
  reversal.launch(f.program, f.stream);
  ++before[isCopy ? 1 : 0];
  CHECK(reversal.ran.read() == before);
}
