// The services of launches and whole blocks to a kernel; see kernels/launches.py.
#include "tests/conformance/Harness.h"

#include <numeric>

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;

/// Extents of one, powers of two and their neighbours, primes; none at all.
void boxes(Run &run) {
  struct Box {
    int a, b, c;
  };
  for (Box box : {Box{1, -1, 8}, Box{3, 5, 2}, Box{7, 62, -8}, Box{2, 127, 8}, Box{1, 1001, 7},
                  Box{97, 1, 4}, Box{64, 14, 5}, Box{5, 3, -24}, Box{4, -2, 0}, Box{0, 5, 0}}) {
    const int rows = box.b + 2, columns = 9 - box.c;
    Ints wanted(8000, -1);
    for (int i = 0; i < box.a; ++i)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k < columns; ++k)
          wanted[size_t((i * rows + j) * columns + k)] = i * 1000000 + j * 1000 + k;
    auto out = run.array(Ints(8000, -1));
    run.launch("boxes", int32_t(box.a), int32_t(box.b), int32_t(box.c), out);
    expectSame("out", out.read(), wanted);
  }
}

void turned(Run &run) {
  for (auto [rows, columns] : {std::pair(1, 300), {300, 1}, {17, 33}, {64, 8}, {31, 127}}) {
    auto x = run.zeros2<int32_t>(size_t(rows), size_t(columns));
    run.launch("turned", x);
    Ints wanted;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        wanted.push_back(i * 1000 + j + 1000000 + 2000000 * (i - j));
    expectSame("x", x.read(), wanted);
  }
}

Ints numbers(Run &run, size_t count) {
  Ints values(count);
  for (int32_t &value : values)
    value = int32_t(run.random() % 2001) - 1000;
  return values;
}

void sums(Run &run) {
  for (size_t n : {1, 31, 128, 129, 1000, 4096}) {
    const Ints x = numbers(run, n);
    int32_t total = 7;
    for (int32_t value : x)
      total += value;
    auto onTotal = run.array(Ints{7, 8});
    auto real = run.array(std::vector<float>{7, 0});
    run.launch("sums", run.array(x), onTotal, real);
    expectSame("total", onTotal.read(), Ints{total, 8});
    expectSame("real", real.read(), std::vector<float>{float(total), 0}); // exact at every step
  }
}

void rowSums(Run &run) {
  for (auto [rows, columns] : {std::pair(1, 9), {64, 3}, {100, 17}, {257, 5}}) {
    std::vector<float> values(size_t(rows) * size_t(columns)), first;
    float count = 0, sum = 0.5f;
    for (size_t k = 0; k < values.size(); ++k) {
      values[k] = float(int(run.random() % 41) - 20); // sums are exact
      sum += values[k];
      count += values[k] > 3 ? 1.0f : 0.0f;
      if (k % size_t(columns) == 0)
        first.push_back(values[k]);
    }
    auto x = run.zeros2<float>(size_t(rows), size_t(columns));
    x.write(std::span<const float>(values));
    auto out = run.array(std::vector<float>{0, 0.5f});
    auto seen = run.zeros<float>(size_t(rows));
    run.launch("row_sums", x, 3.0f, out, seen);
    expectSame("out", out.read(), std::vector<float>{count, sum});
    expectSame("seen", seen.read(), first);
  }
}

void extremes(Run &run) {
  for (size_t n : {5, 256, 777}) {
    const Ints x = numbers(run, n);
    int32_t low = 500, bits = 0x5a5a;
    uint32_t high = 3, product = 1;
    for (int32_t value : x) {
      low = std::min(low, value);
      high = std::max(high, uint32_t(value));
      bits ^= value;
      product *= uint32_t(value | 1);
    }
    auto onLow = run.array(Ints{1, 2, 3, 500});
    auto onHigh = run.array(std::vector<uint32_t>{9, 3});
    auto onBits = run.array(Ints{0x5a5a, 1});
    run.launch("extremes", run.array(x), onLow, onHigh, onBits);
    expectSame("low", onLow.read(), Ints{1, 2, 3, low});
    expectSame("high", onHigh.read(), std::vector<uint32_t>{9, high});
    expectSame("bits", onBits.read(), Ints{bits, int32_t(product)});
  }
}

void realExtremes(Run &run) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> x(300, 2.5f);
  x[17] = nan;
  x[200] = -7.25f;
  x[290] = 11.5f;
  x[30] = -0.0f;
  auto out = run.array(std::vector<float>{100.0f, nan, -0.0f});
  run.launch("real_extremes", run.array(x), out);
  const auto got = out.read();
  expectSame("least", 0, got[0], -7.25f);
  expectSame("greatest", 0, got[1], 11.5f);
  expectSame("zero's sign", 0, std::bit_cast<uint32_t>(got[2]), 0x80000000u);
}

void seldom(Run &run) {
  for (size_t n : {40, 640, 1000}) {
    const Ints x = numbers(run, n);
    Ints wanted(3);
    for (int32_t value : x) {
      ++wanted[value > 0 ? 0 : 2];
      if (value > 0 && value % 2 == 1)
        wanted[1] += value;
    }
    auto counts = run.zeros<int32_t>(3);
    run.launch("seldom", run.array(x), counts, run.zeros<int32_t>(0));
    expectSame("counts", counts.read(), wanted);
  }
}

void inOrder(Run &run) {
  auto x = run.zeros<int32_t>(1);
  auto out = run.array(Ints{10, 1, 0, 0, 0, 0});
  run.launch("in_order", x, out);
  Ints wanted{107, 4};
  for (int block = 0; block < 4; ++block) {
    int32_t sum = 0;
    for (int t = 0; t < 64; ++t)
      sum += 40 + block * 64 + t;
    wanted.push_back(sum);
  }
  expectSame("out", out.read(), wanted);
}

/// Negative numbers, so that a lane that is not there shows in extremes; sums are n (n + 1) / 2.
void oddBlocks(Run &run) {
  for (const int32_t n : {1, 2, 47, 97, 300, 1025}) {
    Ints x, wanted{-n * (n + 1) / 2, -n, -1, 0, -n * (n + 1) / 2, 0};
    for (int32_t i = 1; i <= n; ++i) {
      x.push_back(-i);
      wanted[3] |= -i & 0x7f0;
      wanted[5] ^= -i;
    }
    auto out = run.array(Ints{0, 5, -9000, 0, 0, 0});
    run.launch("odd_blocks", run.array(x), out);
    expectSame("n " + std::to_string(n), out.read(), wanted);
  }
}

void oneThread(Run &run) {
  Ints x(200);
  for (int32_t i = 0; i < 200; ++i)
    x[size_t(i)] = 1000 - i;
  // The least of the others is 801, or 802 without the last one.
  for (const int32_t who : {0, 1, 31, 32, 63, 64, 127, 128, 199}) {
    auto out = run.array(Ints{7, 100000});
    auto real = run.array(std::vector<float>{0.5f, -1.0f});
    run.launch("one_thread", run.array(x), who, out, real);
    expectSame("out", out.read(), Ints{1007 - who, who == 199 ? 802 : 801});
    expectSame("real", real.read(), std::vector<float>{float(who) - 999.5f, float(1000 - who)});
  }
}

/// The greatest of only NaNs is NaN. Memory that is a number keeps it.
void onlyNans(Run &run) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const size_t n : {1, 64, 300}) {
    std::vector<float> x(n, nan);
    auto out = run.array(std::vector<float>{nan, -3.0f, 4.0f});
    run.launch("real_extremes", run.array(x), out);
    const auto got = out.read();
    if (!std::isnan(got[0]))
      throw Mismatch{"the least of NaNs is " + std::to_string(got[0])};
    expectSame("greatest", 1, got[1], -3.0f);
    x[n / 2] = 5.0f; // one lane of all has one
    run.launch("real_extremes", run.array(x), out);
    expectSame("out", out.read(), std::vector<float>{5, 5, 4});
  }
}

void wideTotals(Run &run) {
  for (const int32_t n : {1, 129, 1000}) {
    Ints x;
    for (int32_t i = 0; i < n; ++i)
      x.push_back(i - n); // -n to -1: the greatest as u64 is -1
    const int64_t sum = -int64_t(n) * (n + 1) / 2;
    auto sums = run.array(std::vector<int64_t>{3});
    auto most = run.array(std::vector<uint64_t>{1, 2});
    auto real = run.array(std::vector<double>{0.25});
    run.launch("wide_totals", run.array(x), sums, most, real);
    expectSame("sums", sums.read(), std::vector<int64_t>{3 + sum * (int64_t(1) << 32)});
    expectSame("most", most.read(), std::vector<uint64_t>{1, ~uint64_t(0)});
    expectSame("real", real.read(), std::vector<double>{0.25 + double(sum) / 2});
  }
}

void numbered(Run &run) {
  for (const size_t n : {1, 100, 515}) {
    auto count = run.array(Ints{40});
    auto number = run.zeros<int32_t>(n);
    run.launch("numbered", run.zeros<int32_t>(n), count, number);
    expectSame("count", count.read(), Ints{40 + int32_t(n)});
    Ints got = number.read(), wanted(n);
    std::sort(got.begin(), got.end());
    std::iota(wanted.begin(), wanted.end(), 40);
    expectSame("numbers", got, wanted);
  }
}

void withLanes(Run &run) {
  constexpr int32_t n = 128 * 3;
  const int32_t wave = int32_t(run.wave);
  Ints x(n), tops(n);
  int32_t second = 0;
  for (int32_t i = 0; i < n; ++i) {
    x[size_t(i)] = i;
    tops[size_t(i)] = i / wave * wave + wave - 1;
    second += (i ^ 1) * (i % 7);
  }
  auto total = run.zeros<int32_t>(2), onTops = run.zeros<int32_t>(n);
  run.launch("with_lanes", run.array(x), total, onTops);
  expectSame("total", total.read(), Ints{n * (n - 1) / 2, second});
  expectSame("tops", onTops.read(), tops);
}

void both(Run &run) {
  for (const int32_t n : {1, 257, 1100}) {
    Ints keys, wanted(9);
    int32_t sum = 0;
    for (int32_t i = 0; i < n; ++i) {
      keys.push_back(i * i % 9); // 0, 1, 4 or 7
      wanted[size_t(keys.back())] += 1001;
      sum += keys.back();
    }
    auto bins = run.zeros<int32_t>(9), total = run.array(Ints{1, 2});
    run.launch("both", run.array(keys), bins, total);
    expectSame("bins", bins.read(), wanted);
    expectSame("total", total.read(), Ints{1 + sum, 2 + sum});
  }
}

/// Thread i adds i % 5, one less, down to 1: five neighbours add 0, 1, 3, 6 and 10.
void rounds(Run &run) {
  for (const int32_t groups : {1, 7, 60}) {
    Ints x;
    for (int32_t i = 0; i < 5 * groups; ++i)
      x.push_back(i % 5);
    auto out = run.array(std::vector<float>{100, 0});
    auto seen = run.array(Ints(x.size(), 9));
    run.launch("rounds", run.array(x), out, seen);
    const float others = 0.5f * float((5 * groups + 1) / 3);
    expectSame("out", out.read(), std::vector<float>{100 + 20 * float(groups), others});
    expectSame("seen", seen.read(), Ints(x.size(), 0));
  }
}

void scaled(Run &run) {
  std::vector<float> x(256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) - 100;
  auto y = run.zeros<float>(x.size());
  run.launch("scaled", run.array(x), y, 64.0f);
  std::vector<float> wanted; // all of it is exact: t is 1.25
  for (float value : x)
    wanted.push_back(value * 1.25f + 2.5f + 1.0f / 256);
  expectSame("y", y.read(), wanted);
}

void waits(Run &run) {
  constexpr int blocks = 40;
  auto flags = run.zeros<int32_t>(blocks), out = run.zeros<int32_t>(32 * blocks);
  run.launch("waits", flags, out);
  Ints wanted(32 * blocks);
  for (int block = 0; block < blocks; ++block)
    wanted[size_t(block)] = block * (block + 1) / 2;
  expectSame("out", out.read(), wanted);
}

} // namespace

void addLaunchesCases(std::vector<Case> &cases) {
  cases.push_back({"launches", "indices of ndrange", boxes});
  cases.push_back({"launches", "loops over one array", turned});
  cases.push_back({"launches", "sums of a grid", sums});
  cases.push_back({"launches", "sums in loops", rowSums});
  cases.push_back({"launches", "extremes of a grid", extremes});
  cases.push_back({"launches", "extremes of reals", realExtremes});
  cases.push_back({"launches", "atomics that few threads reach", seldom});
  cases.push_back({"launches", "atomics of one thread in order", inOrder});
  cases.push_back({"launches", "atomics in blocks of any size", oddBlocks});
  cases.push_back({"launches", "atomics of one thread", oneThread});
  cases.push_back({"launches", "extremes of NaNs", onlyNans});
  cases.push_back({"launches", "sums of 64 bits", wideTotals});
  cases.push_back({"launches", "old values of one place", numbered});
  cases.push_back({"launches", "a sum beside operations on lanes", withLanes});
  cases.push_back({"launches", "a sum beside counts of keys", both});
  cases.push_back({"launches", "sums in rounds that lanes leave", rounds});
  cases.push_back({"launches", "values of arguments", scaled});
  cases.push_back({"launches_wait", "a chain of waits", waits});
}

} // namespace conformance
