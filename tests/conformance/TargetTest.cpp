// Code that differs by target is the code of the target that runs; see kernels/targets.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

void turned(Run &run) {
  const std::string &backend = run.column.backend;
  const bool isPortable = backend == "vulkan" || backend == "metal";
  constexpr size_t count = 256 * 33;
  std::vector<int32_t> numbers(count);
  for (int32_t &number : numbers)
    number = int32_t(run.random());
  auto x = run.array(numbers);
  auto out = run.zeros<int32_t>(count), told = run.zeros<int32_t>(5);
  run.launch("turned", x, out, told);

  const auto facts = told.read();
  const int32_t threads = backend == "cuda" ? 256 : 64;
  expectSame("kind", 0, facts[0], backend == "cpu" ? 1 : isPortable ? 2 : 3);
  expectSame("threads", 0, facts[1], threads);
  expectSame("lanes", 0, facts[3], int32_t(run.wave));
  expectSame("is a GPU", 0, facts[4], int32_t(backend != "cpu"));
  // The documented sizes (docs/language/targets.md), of which the kernel takes numbers for a half.
  const std::string &variant = run.column.variant;
  const uint64_t shared = run.device.info().shared_memory_bytes;
  if (backend == "vulkan")
    expectSame("room", 0, facts[2], shared >= 48 * 1024 ? 48 * 1024 / 8 : 32 * 1024 / 8);
  else if (backend != "cuda")
    expectSame("room", 0, facts[2], backend == "metal" ? 32 * 1024 / 8 : 64 * 1024 / 8);
  else if (variant.find("sm_90") != variant.npos)
    expectSame("room", 0, facts[2], 227 * 1024 / 8);

  const auto got = out.read();
  for (size_t i = 0; i < count; ++i) {
    const size_t first = i / size_t(threads) * size_t(threads);
    expectSame("out", i, got[i], numbers[first + size_t(threads) - 1 - (i - first)]);
  }
}

} // namespace

void addTargetCases(std::vector<Case> &cases) { cases.push_back({"targets", "turned", turned}); }

} // namespace conformance
