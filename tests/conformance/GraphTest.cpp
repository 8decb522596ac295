// Loops on the device, checkpoints and parallel sections; see kernels/graphs.py.
#include "tests/conformance/Harness.h"

#include <numeric>

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;
using Flag = sextant::Array<int32_t, 0>;

/// An array of one integer.
Flag flag(Run &run, int32_t value) {
  Flag made(run.device, {});
  made.write(std::span<const int32_t>(&value, 1));
  return made;
}
int32_t read(const Flag &flag) { return flag.read()[0]; }

void expectAll(const char *what, const Ints &got, const Ints &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    expectSame(what, i, got[i], expected[i]);
}

Ints numbers(Run &run, size_t count, uint32_t below) {
  Ints all(count);
  for (int32_t &value : all)
    value = int32_t(run.random() % below);
  return all;
}

void count(Run &run) {
  for (int32_t rounds : {1, 2, 3, 4, 31, 32, 33, 64, 100}) { // around the host's questions
    const Ints begin = numbers(run, 300, 1000);
    auto x = run.array(begin);
    Flag counter = flag(run, rounds);
    run.launch("count", x, counter);
    Ints expected = begin;
    for (int32_t &value : expected)
      value += rounds;
    expectAll("x", x.read(), expected);
    expectSame("counter", size_t(rounds), read(counter), 0);
  }
}

void nested(Run &run) {
  const Ints begin = numbers(run, 200, 50);
  auto x = run.array(begin);
  auto order = run.zeros<int32_t>(20);
  Flag outer = flag(run, 3), inner = flag(run, -1), third = flag(run, -1);
  run.launch("nested", x, order, outer, inner, third);
  std::vector<uint32_t> y(begin.begin(), begin.end());
  Ints steps;
  for (uint32_t &value : y)
    value += 100;
  for (int32_t o = 3; o > 0; --o) {
    for (int32_t i = 2 + o % 2; i > 0; --i) {
      for (size_t k = 0; k < y.size(); ++k)
        y[k] = 3 * y[k] + uint32_t(k);
      steps.push_back(10 * o + i);
    }
    for (uint32_t t = 40; t-- > 0;)
      for (uint32_t &value : y)
        value ^= t;
  }
  const auto all = int32_t(steps.size());
  steps.push_back(-all);
  for (uint32_t &value : y)
    value -= uint32_t(all);
  expectAll("order", order.read(), steps);
  expectAll("x", x.read(), Ints(y.begin(), y.end()));
}

void levels(Run &run) {
  const size_t vertices = 640;
  std::vector<Ints> near(vertices);
  // Two parts without a way from one to the other. A path makes many levels.
  for (size_t v = 1; v < 100; ++v) {
    near[v].push_back(int32_t(v - 1));
    near[v - 1].push_back(int32_t(v));
  }
  for (size_t e = 0; e < 700; ++e) {
    const size_t half = e % 2, size = vertices / 2 - 100;
    const size_t a = 100 + half * size + run.random() % size;
    const size_t b = half ? 100 + size + run.random() % size : 60 + run.random() % (size + 40);
    near[a].push_back(int32_t(b));
    near[b].push_back(int32_t(a));
  }
  Ints offsets = {0}, targets, expected(vertices, -1), level(vertices, -1);
  for (const Ints &list : near) {
    targets.insert(targets.end(), list.begin(), list.end());
    offsets.push_back(int32_t(targets.size()));
  }
  expected[0] = level[0] = 0;
  int32_t depth = 0, reached = 0;
  Ints seen(3);
  for (bool found = true; found; ++depth) {
    found = false;
    for (size_t v = 0; v < vertices; ++v)
      for (int32_t to : near[v])
        if (expected[v] == -1 && expected[size_t(to)] == depth) {
          expected[v] = depth + 1;
          found = true;
          ++seen[size_t(depth % 3)];
          ++reached;
        }
  }
  auto onDevice = run.array(level), from = run.array(offsets), to = run.array(targets);
  Flag go = flag(run, 1);
  int32_t gotDepth = 0, gotReached = 0;
  sextant::Vector<int32_t, 3> gotSeen;
  run.program.kernel("levels").callInto(
      run.device.defaultStream(), std::tie(gotDepth, gotSeen, gotReached), from, to, onDevice, go);
  expectAll("level", onDevice.read(), expected);
  expectSame("depth", 0, gotDepth, depth);
  expectSame("reached", 0, gotReached, reached);
  for (unsigned k = 0; k < 3; ++k)
    expectSame("seen", k, gotSeen[k], seen[k]);
}

void draws(Run &run) {
  const size_t rows = 6, columns = 64;
  auto x = run.zeros2<uint32_t>(rows, columns);
  Flag counter = flag(run, int32_t(rows));
  run.launch("draws", x, counter);
  const std::vector<uint32_t> all = x.read();
  // 384 of 2^32: two equal ones are a chance of 1 in 58,000.
  if (std::set<uint32_t>(all.begin(), all.end()).size() != all.size())
    throw Mismatch{"rounds of the loop draw equal numbers"};
}

/// The reference of `collect` does a round as a whole.
void collect(Run &run) {
  const int32_t n = 100, rounds = 3;
  const Ints begin = numbers(run, n, 30);
  Ints expected = begin;
  for (int32_t r = 0; r < rounds; ++r)
    for (int32_t i = 0; i < n; ++i) {
      expected[size_t(i)] += i;
      if (expected[size_t(i)] % 3 == 0)
        expected[size_t(i)] += 1000;
    }
  for (int32_t &value : expected)
    --value;
  auto x = run.array(begin), used = run.zeros<int32_t>(1), log = run.zeros<int32_t>(4);
  auto out = run.zeros<int32_t>(3);
  Flag full = flag(run, 0), left = flag(run, rounds);
  const auto kernel = run.program.kernel("collect");
  const auto &stream = run.device.defaultStream();
  auto status = kernel.start(stream, x, out, used, full, left, log);
  Ints stops;
  while (status.yielded && stops.size() < 20) {
    stops.push_back(int32_t(status.checkpoint));
    if (status.checkpoint == 3)
      out = run.zeros<int32_t>(2 * out.size());
    full = flag(run, 0);
    // Other work, which uses the stream's memory, does not disturb.
    Flag other = flag(run, 2), a = flag(run, 0), b = flag(run, 0);
    auto y = run.array(begin), order = run.zeros<int32_t>(20);
    run.launch("nested", y, order, other, a, b);
    status = kernel.resume(stream, status.checkpoint, x, out, used, full, left, log);
  }
  expectAll("x", x.read(), expected);
  expectSame("rounds", 0, read(left), 0);
  // The log: rounds begun, COLLECT passed, SPREAD yielded, rounds ended. SPREAD runs again.
  expectAll("log", log.read(), {rounds, rounds, 1, rounds});
  size_t spreads = 0;
  for (int32_t stop : stops)
    spreads += stop == -7;
  expectSame("yields of SPREAD", 0, spreads, size_t(1));
  if (stops.size() < 2)
    throw Mismatch{"COLLECT never yielded"};
  try {
    kernel.resume(stream, 12, x, out, used, full, left, log);
    throw Mismatch{"a checkpoint that the kernel does not have was accepted"};
  } catch (const sextant::Error &) {
  }
  try {
    kernel(stream, x, out, used, full, left, log);
    throw Mismatch{"a launch that cannot tell of a yield was accepted"};
  } catch (const sextant::Error &) {
  }
}

void deep(Run &run) {
  auto x = run.zeros<int32_t>(5);
  Flag outer = flag(run, 3), first = flag(run, 0), inner = flag(run, 0), stop = flag(run, 0);
  const auto kernel = run.program.kernel("deep");
  const auto &stream = run.device.defaultStream();
  auto status = kernel.start(stream, x, outer, first, inner, stop);
  int32_t yields = 0;
  for (; status.yielded && yields < 20; ++yields) {
    expectSame("label", size_t(yields), status.checkpoint, int64_t(1));
    stop = flag(run, 0);
    status = kernel.resume(stream, status.checkpoint, x, outer, first, inner, stop);
  }
  // 9 passes of the checkpoint, of which one that yields runs again: of the counts 1 to 12 those
  // that 4 divides yield, and the last of these, 12, too.
  Ints counts = {3 * 2, 3 * 3, 0, 9, 1};
  int32_t tries = 0, stops = 0;
  for (int32_t passed = 0; passed < 9;) {
    ++tries;
    if (tries % 4 == 0)
      ++stops;
    else
      ++passed;
  }
  counts[2] = tries;
  expectAll("x", x.read(), counts);
  expectSame("yields", 0, yields, stops);
}

void sections(Run &run) {
  const size_t n = 256;
  const Ints begin = numbers(run, n, 9);
  auto a = run.array(begin), b = run.array(begin), c = run.array(begin);
  const int32_t rounds = 5;
  Flag counter = flag(run, rounds);
  run.launch("sections", a, b, c, counter);
  Ints x = begin, y = begin, z = begin;
  for (int32_t r = 0; r < rounds; ++r) {
    for (size_t i = 0; i < n; ++i) {
      x[i] = 2 * (x[i] + 1);
      y[i] += int32_t(i % 2) + 1;
    }
    for (size_t i = 0; i < n; ++i)
      z[i] += x[i] + y[n - 1 - i];
  }
  expectAll("a", a.read(), x);
  expectAll("b", b.read(), y);
  expectAll("c", c.read(), z);
}

void streams(Run &run) {
  const size_t n = 1000;
  const Ints begin = numbers(run, n, 9);
  auto a = run.array(begin), b = run.array(begin), c = run.zeros<int32_t>(n);
  run.launch("streams", a, b, c);
  Ints expected(n);
  for (size_t i = 0; i < n; ++i)
    expected[i] = 3 * (begin[i] + 7) + begin[n - 1 - i] - 5;
  expectAll("c", c.read(), expected);
}

void functions(Run &run) {
  const size_t n = 333;
  const Ints begin = numbers(run, n, 5);
  auto x = run.array(begin), y = run.zeros<int32_t>(n);
  Flag reach = flag(run, 0), go = flag(run, 0);
  run.launch("twice", x, y, reach, go);
  Ints expected = begin;
  for (int time = 0; time < 2; ++time)
    std::partial_sum(expected.begin(), expected.end(), expected.begin());
  expectAll("x", x.read(), expected);
}

} // namespace

void addGraphCases(std::vector<Case> &cases) {
  cases.push_back({"graphs", "a loop with a counter", count});
  cases.push_back({"graphs", "loops in a loop", nested});
  cases.push_back({"graphs", "a loop until nothing changes", levels});
  cases.push_back({"graphs", "random numbers of rounds", draws});
  cases.push_back({"graphs", "checkpoints and resumes", collect});
  cases.push_back({"graphs", "a checkpoint in nested loops", deep});
  cases.push_back({"graphs", "parallel sections", sections});
  cases.push_back({"graphs", "parallel streams", streams});
  cases.push_back({"graphs", "functions of the top level", functions});
}

} // namespace conformance
