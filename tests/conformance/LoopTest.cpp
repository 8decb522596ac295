// Parallel loops over ranges that are known at run time, and kernels that return early; see
// kernels/loops.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

struct Range {
  int begin, end, step;
};
constexpr Range ranges[] = {{0, 1000, 7},   {3, 900, 1},    {999, -1, -1}, {998, 5, -13},
                            {10, 10, 3},    {10, 5, 2},     {5, 10, -2},   {0, 1000, 2000},
                            {999, 0, -999}, {127, 900, 128}};

std::vector<int32_t> expected(const Range &range) {
  std::vector<int32_t> out(1000);
  for (int i = range.begin; range.step > 0 ? i < range.end : i > range.end; i += range.step)
    out[size_t(i)] += i + 1;
  return out;
}

void steps(Run &run) {
  for (const Range &range : ranges) {
    auto out = run.zeros<int32_t>(1000), other = run.zeros<int32_t>(1000);
    run.launch("steps", int32_t(range.begin), int32_t(range.end), int32_t(range.step), out);
    expectSame("arguments", out.read(), expected(range));
    auto bounds = run.array(std::vector<int32_t>{range.begin, range.end, range.step});
    run.launch("steps_in_memory", bounds, other);
    expectSame("memory", other.read(), expected(range));
  }
}

void zeroStep(Run &run) {
  auto out = run.zeros<int32_t>(1000);
  bool refused = false;
  try {
    run.launch("steps", int32_t(0), int32_t(10), int32_t(0), out);
  } catch (const sextant::Error &error) {
    refused = std::string(error.what()).find("the step of a parallel loop") != std::string::npos;
  }
  if (!refused)
    throw Mismatch{"a step of 0 was launched"};
  auto bounds = run.array(std::vector<int32_t>{0, 10, 0});
  run.launch("steps_in_memory", bounds, out);
  expectSame("out", out.read(), std::vector<int32_t>(1000));
}

void wideSteps(Run &run) {
  const int64_t far = int64_t(1) << 40;
  auto out = run.zeros<int32_t>(300);
  run.launch("wide_steps", far + 299, far - 1, int64_t(-3), far, out);
  run.launch("wide_steps", far, far + 1, int64_t(1) << 33, far, out);
  auto got = out.read();
  for (size_t i = 0; i < 300; ++i)
    expectSame("out", i, got[i], int32_t((299 - i) % 3 == 0) + int32_t(i == 0));
}

void serialSteps(Run &run) {
  auto out = run.zeros<int32_t>(20);
  auto bounds = run.array(std::vector<int32_t>{19, 3, -5});
  run.launch("serial_steps", bounds, out);
  std::vector<int32_t> wanted(20);
  for (int i = 19; i > 3; i -= 5) {
    wanted[size_t(i)] += wanted[0] + 1;
    ++wanted[0];
  }
  expectSame("out", out.read(), wanted);
}

void rounds(Run &run) {
  for (int n : {64, 6400, 0, -64, 100, 63}) {
    const size_t size = 6400;
    auto values = small<int32_t>(run, size);
    auto out = run.zeros<int32_t>(size), sums = run.zeros<int32_t>(size / 64);
    auto bound = run.array(std::vector<int32_t>{n});
    auto source = run.array(values);
    run.launch("rounds", bound, source, out, sums);
    auto got = out.read(), totals = sums.read();
    // A bound that cuts a block runs nothing.
    size_t done = n > 0 && n % 64 == 0 ? size_t(n) : 0;
    for (size_t b = 0; b < size / 64; ++b) {
      int32_t total = 0;
      for (size_t t = 0; t < 64; ++t) {
        size_t i = b * 64 + t;
        expectSame("out", i, got[i], i < done ? values[b * 64 + 63 - t] : 0);
        total += values[i];
      }
      expectSame("sum", b, totals[b], b * 64 < done ? total : 0);
    }
  }
}

void early(Run &run) {
  auto stream = run.device.defaultStream();
  struct Row {
    int n, flag, result, flagAfter;
  };
  // Nothing returns; the first return; the one in the loop, at once and after two rounds.
  for (Row row : {Row{5, 3, 30, 0}, Row{0, 3, 10, 3}, Row{2, 7, 20, 7}, Row{2, 9, 20, 7}}) {
    auto out = run.zeros<int32_t>(192);
    auto flags = run.array(std::vector<int32_t>{row.flag, 150, 128});
    int32_t result = run.program.kernel("early").call<int32_t>(stream, int32_t(row.n), flags, out);
    expectSame("result", 0, result, row.result);
    auto got = out.read();
    bool ran = row.result != 10, whole = row.result == 30;
    for (size_t i = 0; i < got.size(); ++i) {
      int32_t wanted = 1 + (ran && i < 150 ? row.n : 0);
      if (whole)
        wanted = (i == 0 ? 100 : wanted) + (i < 128 ? 1000 : 0);
      expectSame("out", i, got[i], wanted);
    }
    expectSame("flag", 0, flags.read()[0], row.flagAfter);
  }
}

void twoFields(Run &run) {
  auto out = run.zeros<float>(12);
  run.launch("two_fields", out);
  run.launch("two_fields", out);
  auto got = out.read();
  for (size_t i = 0; i < 6; ++i) {
    expectSame("left", i, got[i], float(2 * (i + 1)));
    expectSame("right", i, got[6 + i], 1.0f);
  }
}

} // namespace

void addLoopCases(std::vector<Case> &cases) {
  cases.push_back({"loops", "steps", steps});
  cases.push_back({"loops", "a step of 0", zeroStep});
  cases.push_back({"loops", "64-bit steps", wideSteps});
  cases.push_back({"loops", "serial steps", serialSteps});
  cases.push_back({"loops", "barriers in rounds", rounds});
  cases.push_back({"loops", "early return", early});
  cases.push_back({"loops", "fields of one name", twoFields});
}

} // namespace conformance
