// Kernels with several implementations, each of them; see kernels/implementations.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;

constexpr size_t rows = 37, columns = 192; // a multiple of all wave sizes

/// Runs the implementation that a pin chooses. The empty pin lets the rule choose.
void sumRows(Run &run, const char *implementation, int number) {
  const std::string pin =
      run.column.variant + (*implementation ? "+implementation=" : "") + implementation;
  const sextant::Program program(run.module, run.device, pin, run.column.wave);
  Ints x(rows * columns);
  for (int32_t &value : x)
    value = int32_t(run.random()); // sums wrap
  sextant::Array<int32_t, 2> onX(run.device, {int64_t(rows), int64_t(columns)});
  onX.write(x);
  auto partial = run.zeros<int32_t>(rows), sums = run.zeros<int32_t>(rows),
       ran = run.zeros<int32_t>(rows);
  program.kernel("row_sums")(run.device.defaultStream(), onX, partial, sums, ran, -3);
  Ints expected(rows);
  for (size_t i = 0; i < rows; ++i) {
    uint32_t sum = 0;
    for (size_t j = 0; j < columns; ++j)
      sum += uint32_t(x[i * columns + j]);
    expected[i] = int32_t(sum * uint32_t(-3));
  }
  expectSame("sums", sums.read(), expected);
  expectSame("ran", ran.read(), Ints(rows, number));
}

void byWave(Run &run) {
  constexpr size_t n = 300;
  auto sums = run.zeros<int32_t>(n), small = run.zeros<int32_t>(n), large = run.zeros<int32_t>(n);
  // A build for only wide waves has no use of `small`: the kernel does not take it then.
  size_t number = 0;
  sxt_kernel_info info{};
  info.struct_size = sizeof info;
  sextant::check(sxt_module_find_kernel(run.module.get(), "by_wave", &number));
  sextant::check(sxt_module_kernel(run.module.get(), number, &info));
  if (info.argument_count == 3)
    run.launch("by_wave", sums, small, large);
  else
    run.launch("by_wave", sums, large);
  Ints expected(n), expectedSmall(n), expectedLarge(n);
  for (size_t i = 0; i < n; ++i) {
    expected[i] = int32_t(i) + 3;
    (run.wave <= 16 ? expectedSmall : expectedLarge)[i] = int32_t(i) + (run.wave <= 16 ? 1 : 2);
  }
  expectSame("sums", sums.read(), expected);
  expectSame("small", small.read(), expectedSmall);
  expectSame("large", large.read(), expectedLarge);
}

} // namespace

void addImplementationCases(std::vector<Case> &cases) {
  auto add = [&](const char *name, const char *implementation, int number) {
    cases.push_back(
        {"implementations", name, [=](Run &run) { sumRows(run, implementation, number); }});
  };
  add("the first of several implementations", "", 1);
  add("another implementation, by subgroups", "by_subgroups", 2);
  add("another implementation, by atomics", "by_atomics", 3);
  cases.push_back({"implementations", "members that some wave sizes use", byWave});
}

} // namespace conformance
