// Kernels on AMD devices: every shuffle with every kind of lane index, reductions and scans of
// unusual reals, what LLVM 19 would compile wrongly, and reads at the end of memory. The expected
// values are worked out lane by lane here.
//
//   sextant-amdgpu-run MODULES [VARIANT]   for the device of SEXTANT_DEVICE, at every wave size
//   that
//                                          it has; VARIANT: with this code of those that it can run
#define SEXTANT_THROWS
#include "sextant/sextant.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <sstream>

using namespace sextant;

namespace {

struct Failure {
  std::string message;
};

template <class T>
void expectSame(const std::string &what, size_t index, const T &got, const T &expected) {
  if (std::memcmp(&got, &expected, sizeof got) == 0)
    return;
  std::ostringstream text;
  text << what << "[" << index << "] is " << got << ", expected " << expected;
  throw Failure{text.str()};
}

/// One module on one device at one wave size.
struct Run {
  const Device &device;
  const Program &program;
  unsigned wave;
  std::mt19937_64 random{12345};

  template <class... Args> void launch(const char *kernel, const Args &...args) const {
    program.kernel(kernel)(device.defaultStream(), args...);
  }
  template <class T> Array<T> array(const std::vector<T> &values) const {
    return Array<T>(device, std::span<const T>(values));
  }
  template <class T> Array<T, 2> rows(size_t count, size_t length) const {
    Array<T, 2> result(device, {int64_t(count), int64_t(length)});
    result.clear();
    return result;
  }
  template <class T> std::vector<T> anyBits(size_t count) {
    std::vector<T> values(count);
    for (T &value : values)
      value = T(random());
    return values;
  }
};

//===--- Shuffles ----------------------------------------------------------===//

constexpr size_t count = 384; // three blocks of 128
const char *const kindNames[] = {"xor", "up", "down", "index", "broadcast"};

/// The lane that a shuffle reads, or -1 where its value is unspecified.
int sourceLane(unsigned kind, unsigned lane, unsigned operand, unsigned wave) {
  const unsigned from = kind == 0   ? lane ^ operand
                        : kind == 1 ? lane - operand
                        : kind == 2 ? lane + operand
                                    : operand;
  return from < wave ? int(from) : -1;
}

template <class T>
void expectMoved(const char *what, unsigned kind, const std::vector<T> &src, const T *row,
                 unsigned wave, const std::function<unsigned(size_t)> &operand) {
  for (size_t i = 0; i < src.size(); ++i) {
    const int from = sourceLane(kind, i % wave, operand(i), wave);
    if (from >= 0)
      expectSame(std::string(what) + " " + kindNames[kind] + " by " + std::to_string(operand(i)), i,
                 row[i], src[i / wave * wave + from]);
  }
}

/// Runs `divergent`, or `crowded`, which also shows what it left in shared memory.
template <class T> void divergentLanes(Run &run, bool crowded) {
  const auto src = run.anyBits<T>(count);
  std::vector<int32_t> lanes(count);
  for (int32_t &lane : lanes)
    lane = int32_t(run.random() % run.wave);
  auto source = run.array(src);
  auto operands = run.array(lanes);
  auto out = run.rows<T>(8, count);
  run.launch(crowded ? "crowded" : "divergent", source, operands, out);
  const auto got = out.read();
  for (unsigned kind = 0; kind < 4; ++kind)
    expectMoved("divergent", kind, src, &got[kind * count], run.wave,
                [&](size_t i) { return unsigned(lanes[i]); });
  for (size_t row = 4; crowded && row < 8; ++row)
    for (size_t i = 0; i < count; ++i)
      expectSame("shared memory", i, got[row * count + i], T(i % 128 * 7 + row - 4));
}

template <class T> void uniformLane(Run &run) {
  const auto src = run.anyBits<T>(count);
  auto source = run.array(src);
  for (unsigned lane = 0; lane < run.wave; ++lane) {
    auto out = run.rows<T>(5, count);
    run.launch("uniform", source, int32_t(lane), out);
    const auto got = out.read();
    for (unsigned kind = 0; kind < 5; ++kind)
      expectMoved("uniform", kind, src, &got[kind * count], run.wave, [&](size_t) { return lane; });
  }
}

template <class T> void constantLanes(Run &run, unsigned kind) {
  const auto src = run.anyBits<T>(count);
  auto source = run.array(src);
  auto out = run.rows<T>(run.wave, count);
  run.launch("constants", source, out);
  const auto got = out.read();
  for (unsigned lane = 0; lane < run.wave; ++lane)
    expectMoved("constant", kind, src, &got[lane * count], run.wave, [&](size_t) { return lane; });
}

template <class T> void resultOfSomeLanes(Run &run, unsigned kind) {
  auto src = run.anyBits<T>(count);
  auto source = run.array(src);
  unsigned steps = run.wave == 64 ? 6 : 5;
  auto out = run.rows<T>(steps, count);
  run.launch("partly", source, out);
  const auto got = out.read();
  for (unsigned step = 0; step < steps; ++step)
    for (size_t i = 0; i < count; ++i) {
      const int from = sourceLane(kind, i % run.wave, 1u << step, run.wave);
      T expected = 0;
      if (i % run.wave % 5 == 1) {
        if (from < 0)
          continue;
        expected = T(std::make_unsigned_t<T>(src[i / run.wave * run.wave + from]) * 3);
      }
      expectSame(std::string("partly ") + kindNames[kind], i, got[step * count + i], expected);
    }
}

template <class T> void patterns(Run &run) {
  const auto src = run.anyBits<T>(count);
  auto source = run.array(src);
  auto out = run.rows<T>(7, count);
  run.launch("patterns", source, out);
  const auto got = out.read();
  for (size_t i = 0; i < count; ++i) {
    const size_t lane = i % run.wave, row = lane / 16 * 16;
    const size_t from[] = {
        lane ^ 11,    lane / 4 * 4 + 3 - lane % 4, lane / 4 * 4 + 2, row + (lane + 11) % 16,
        lane / 8 * 8, (row ^ 16) + lane * 7 % 16,  (lane + 1) % 32};
    for (size_t k = 0; k < 7; ++k)
      expectSame("pattern " + std::to_string(k), i, got[k * count + i], src[i - lane + from[k]]);
  }
}

//===--- Reductions and scans of reals -------------------------------------===//

/// Zeros, infinities, NaNs of all kinds and small integers, whose sums are exact; some tiles
/// hold nothing but -0, or nothing but NaNs.
template <class T> std::vector<T> edgeValues(Run &run) {
  using limits = std::numeric_limits<T>;
  const T special[] = {T(-0.0),
                       T(1),
                       T(-3),
                       T(5),
                       T(0),
                       limits::infinity(),
                       -limits::infinity(),
                       limits::quiet_NaN(),
                       -limits::quiet_NaN(),
                       limits::signaling_NaN()};
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) {
    switch (i / 32 % 4) {
    case 0:
      values[i] = special[0];
      break;
    case 1:
      values[i] = special[7 + run.random() % 3];
      break;
    case 2:
      values[i] = special[run.random() % 5];
      break;
    default:
      values[i] = special[run.random() % 10];
    }
  }
  return values;
}

template <class T>
void expectReal(const std::string &what, size_t index, T got, T expected, bool withSign) {
  const bool same =
      std::isnan(expected)
          ? std::isnan(got)
          : got == expected && (!withSign || std::signbit(got) == std::signbit(expected));
  if (!same)
    expectSame(what, index, got, expected);
}

template <class T> void edges(Run &run) {
  const auto src = edgeValues<T>(run);
  const unsigned sizes = run.wave == 64 ? 7 : 6;
  auto source = run.array(src);
  auto out = run.rows<T>(9 * sizes, count);
  run.launch("edges", source, out);
  const auto got = out.read();
  const T infinity = std::numeric_limits<T>::infinity();
  auto add = [](T a, T b) { return a + b; };
  auto least = [](T a, T b) { return std::isnan(a) || b < a ? b : a; };
  auto greatest = [](T a, T b) { return std::isnan(a) || b > a ? b : a; };
  for (unsigned k = 0; k < sizes; ++k)
    for (size_t i = 0; i < count; ++i) {
      const size_t first = i >> k << k;
      const size_t ends[] = {first + (size_t(1) << k), i + 1, i};
      for (unsigned form = 0; form < 3; ++form) {
        // None are 0, or infinities; the sum of nothing but -0 is -0.
        auto expect = [&](unsigned row, T none, auto op) {
          T expected = first == ends[form] ? none : src[first];
          for (size_t j = first + 1; j < ends[form]; ++j)
            expected = op(expected, src[j]);
          row += 9 * k + 3 * form;
          expectReal("row " + std::to_string(row), i, got[row * count + i], expected, none == 0);
        };
        expect(0, T(0), add);
        expect(1, infinity, least);
        expect(2, -infinity, greatest);
      }
    }
}

/// Every element meets every other.
template <class T> void atomicEdges(Run &run) {
  const auto edge = edgeValues<T>(run);
  const size_t rows = 6;
  std::vector<T> src(count), before(rows * count);
  for (size_t i = 0; i < count; ++i) {
    src[i] = edge[i];
    for (size_t row = 0; row < rows; ++row)
      before[row * count + i] = edge[run.random() % count];
  }
  auto source = run.array(src);
  Array<T, 2> cells(run.device, {int64_t(rows), int64_t(count)});
  cells.write(std::span<const T>(before));
  auto old = run.rows<T>(4, count);
  run.launch("atomic_edges", source, cells, old);
  const auto after = cells.read();
  const auto gotOld = old.read();
  auto least = [](T a, T b) { return std::isnan(a) || b < a ? b : a; };
  auto greatest = [](T a, T b) { return std::isnan(a) || b > a ? b : a; };
  for (size_t i = 0; i < count; ++i)
    for (size_t row = 0; row < rows; ++row) {
      const size_t at = row * count + i;
      auto op = [&](T a, T b) { return row % 2 == 0 ? least(a, b) : greatest(a, b); };
      const std::string what = "row " + std::to_string(row);
      T expected = before[at];
      if (row < 4) {
        expectReal("old, " + what, i, gotOld[at], expected, true);
        expected = op(expected, src[i]);
      } else if (i < count / 32) {
        for (size_t j = 32 * i; j < 32 * i + 32; ++j)
          expected = op(expected, src[j]);
      }
      expectReal(what, i, after[at], expected, false);
    }
}

//===--- Miscompiles -------------------------------------------------------===//

void divide(Run &run) {
  std::vector<int8_t> a;
  std::vector<int16_t> b;
  for (int x : {-128, -127, -3, -1, 0, 1, 2, 77, 127})
    for (int y : {-32768, -32767, -255, -7, -1, 1, 2, 9, 32767}) {
      a.push_back(int8_t(x));
      b.push_back(int16_t(y));
    }
  auto da = run.array(a);
  auto db = run.array(b);
  auto narrow = run.array(std::vector<uint32_t>(a.size()));
  auto wide = run.array(std::vector<uint64_t>(a.size()));
  run.launch("quotients", da, db, narrow, wide);
  const auto nq = narrow.read();
  const auto wq = wide.read();
  run.launch("remainders", da, db, narrow, wide);
  const auto nr = narrow.read();
  const auto wr = wide.read();
  for (size_t i = 0; i < a.size(); ++i) {
    const auto x = uint32_t(int32_t(a[i])), y = uint32_t(int32_t(b[i]));
    const auto wx = uint64_t(int64_t(a[i])), wy = uint64_t(int64_t(b[i]));
    expectSame("u32 quotient", i, nq[i], x / y);
    expectSame("u32 remainder", i, nr[i], x % y);
    expectSame("u64 quotient", i, wq[i], wx / wy);
    expectSame("u64 remainder", i, wr[i], wx % wy);
  }
}

void leave(Run &run) {
  // Runs of positive numbers that end in a zero.
  std::vector<int32_t> table(1024, 3), start(256);
  for (size_t at = 0; at < table.size(); at += 1 + run.random() % 9)
    table[at] = 0;
  table.back() = 0;
  for (int32_t &value : start)
    value = int32_t(run.random() % table.size());
  auto tables = run.array(table);
  auto starts = run.array(start);
  auto out = run.rows<int32_t>(4, start.size());
  run.launch("leave", tables, starts, out);
  const auto got = out.read();
  for (size_t i = 0; i < start.size(); ++i) {
    int32_t counter = 0;
    uint32_t weight = 5;
    uint64_t wide = 1;
    while (table[size_t(start[i] + counter)] > 0) {
      weight = weight * 3 + uint32_t(++counter);
      wide = wide * 5 + 1;
    }
    expectSame("counter", i, got[i], counter);
    expectSame("weight", i, got[start.size() + i], int32_t(weight));
    expectSame("steps", i, got[2 * start.size() + i], counter);
    expectSame("wide", i, got[3 * start.size() + i], int32_t(int64_t(wide) >> 20));
  }
}

void highHalf(Run &run) {
  const size_t size = 256, n = 200;
  const auto y = run.anyBits<int64_t>(size);
  auto values = run.array(y);
  auto out = run.rows<int64_t>(2, size);
  run.launch("high_half", values, int32_t(n), out);
  const auto got = out.read();
  for (size_t i = 0; i < n; ++i) {
    expectSame("high half", i, got[i], (int64_t(i) ^ -5) | y[i]);
    expectSame("low half", i, got[size + i], ~(int64_t(i) << 32) | y[i]);
  }
}

void zeroSign(Run &run) {
  const std::vector<float> x = {0.0f, -0.0f, 1.5f, -2.0f};
  auto values = run.array(x);
  auto out = run.rows<float>(4, x.size());
  run.launch("zero_sign", values, out);
  const auto got = out.read();
  for (size_t i = 0; i < x.size(); ++i) {
    const volatile float zero = 0.0f;
    const float n = zero - x[i];
    const float expected[] = {n - x[i], n * x[i], n + n, 1.0f / n};
    for (size_t row = 0; row < 4; ++row)
      expectSame("row " + std::to_string(row), i, got[row * x.size() + i], expected[row]);
  }
}

void sunk(Run &run) {
  const auto x = run.anyBits<int32_t>(256);
  auto values = run.array(x);
  auto out = run.array(std::vector<int32_t>(x.size(), 7));
  run.launch("sunk", values, out);
  const auto got = out.read();
  for (size_t i = 0; i < x.size(); ++i) {
    uint32_t sum = 7;
    if (i % run.wave == 0) {
      sum = 0;
      for (size_t lane = 0; lane < run.wave; ++lane)
        sum += uint32_t(x[i + lane]);
    }
    expectSame("sum", i, got[i], int32_t(sum));
  }
}

void turns(Run &run) {
  auto out = run.array(std::vector<int32_t>(128));
  run.launch("turns", out);
  const auto got = out.read();
  for (size_t i = 0; i < got.size(); ++i)
    expectSame("out", i, got[i], int32_t(64));
}

void publish(Run &run) {
  const auto x = run.anyBits<int32_t>(256);
  auto values = run.array(x);
  auto out = run.array(std::vector<int32_t>(x.size()));
  run.launch("publish", values, out);
  const auto got = out.read();
  for (size_t i = 0; i < x.size(); ++i)
    expectSame("published", i, got[i], x[i / 32 * 32 + 5]);
}

void meet(Run &run) {
  const int32_t n = 0, m = 1;
  auto x = run.array(std::vector<int32_t>{7, 9});
  auto counts = run.array(std::vector<int32_t>(8));
  auto out = run.array(std::vector<int32_t>(128));
  run.launch("meet", x, n, m, counts, out);
  const int32_t expected[] = {64, 64 * 4, 0, 0, 64, 0, 0, 0};
  const auto counted = counts.read(), got = out.read();
  for (size_t i = 0; i < counted.size(); ++i)
    expectSame("count", i, counted[i], expected[i]);
  for (size_t i = 0; i < got.size(); ++i)
    expectSame("place", i, got[i], i % 2 ? 10 + 9 : 10 + n);
}

//===--- What lies after the last element ----------------------------------===//

void fields(Run &run) {
  run.launch("fill_fields");
  auto out = run.array(std::vector<float>(5));
  run.launch("read_fields", out);
  for (size_t i = 0; const float got : out.read())
    expectSame("fields", i++, got, 2.0f + 30 + 400 + (5 + 6 + 7) + (8 + 9 + 10));
}

void arrayOfOne(Run &run) {
  using Triple = Vector<float, 3>;
  auto x = run.array(std::vector<Triple>{Triple{{2, 3, 4}}});
  auto out = run.array(std::vector<float>(3));
  run.launch("read_array", x, out);
  for (size_t i = 0; const float got : out.read())
    expectSame("array", i++, got, 2.0f + 30 + 400);
}

void carried(Run &run) {
  auto out = run.array(std::vector<float>{2, 3, 4});
  run.launch("read_carried", out);
  for (size_t i = 0; const float got : out.read())
    expectSame("carried", i++, got, 2.0f + 30 + 400);
}

//===--- Half of a subgroup ------------------------------------------------===//

constexpr size_t block = 256, lanes = 32;

void collectivesOf32(Run &run) {
  constexpr size_t blocks = 3;
  std::vector<int32_t> x(blocks * block);
  for (int32_t &value : x)
    value = int32_t(run.random() % 100) + 2;
  x[0] = 1; // so that a vote holds in one block only
  for (size_t k = block; k < x.size(); ++k)
    x[k] += 3;
  auto out = run.rows<int32_t>(8, blocks * lanes);
  run.launch("collectives", run.array(x), out);
  const std::vector<int32_t> got = out.read();
  for (size_t at = 0; at < blocks * lanes; ++at) {
    const int32_t *all = x.data() + at / lanes * block;
    const size_t lane = at % lanes;
    const int32_t *tile = all + lane / 16 * 16;
    uint32_t odd = 0;
    for (size_t k = 0; k < lanes; ++k)
      odd |= uint32_t(all[k] & 1) << k;
    const int32_t expected[] = {std::accumulate(all, all + lanes, 0),
                                std::accumulate(all, all + lane + 1, 0),
                                lane == 0 ? INT32_MIN : *std::max_element(all, all + lane),
                                *std::min_element(all, all + lanes) < 3,
                                int32_t(odd),
                                all[lane ^ 16],
                                *std::min_element(tile, tile + 16),
                                all[5]};
    for (size_t k = 0; k < std::size(expected); ++k)
      expectSame("collective " + std::to_string(k), at, got[k * blocks * lanes + at], expected[k]);
  }
}

void scanBy32(Run &run) {
  constexpr size_t blocks = 150;
  std::vector<int32_t> x(blocks * block);
  for (int32_t &value : x)
    value = int32_t(run.random() % 1000);
  auto out = run.array(std::vector<int32_t>(x.size()));
  run.launch("scan", run.array(x), out, run.array(std::vector<uint32_t>(blocks)),
             run.array(std::vector<uint32_t>(1)));
  std::partial_sum(x.begin(), x.end(), x.begin());
  for (size_t i = 0; const int32_t got : out.read())
    expectSame("sum", i, got, x[i]), ++i;
}

//===--- Divisions ---------------------------------------------------------===//

void smallDivisions(Run &run) {
  // Multiples and the numbers beside them; divisors up to and above 2^24.
  std::vector<uint32_t> x, y;
  for (uint32_t divisor : {1u, 2u, 3u, 5u, 7u, 255u, 256u, 4095u, 65537u, 0x7fffffu, 0xfffffdu,
                           0xffffffu, 0x1000000u, 0x1000001u, 0x7fffffffu, 0xffffffffu})
    for (uint32_t k = 0; k < 60; ++k) {
      const uint32_t most = ((k % 2 ? 1u << 24 : 1u << 23) - 1) / divisor;
      const uint32_t times =
          k < 40 ? uint32_t(run.random() % (uint64_t(most) + 1)) : most - k / 4 % 2;
      x.push_back(times * divisor + k % 3 - 1);
      y.push_back(divisor);
    }
  for (int k = 0; k < 2000; ++k) {
    x.push_back(uint32_t(run.random()));
    y.push_back(std::max(uint32_t(run.random()) >> run.random() % 32, 1u));
  }
  const size_t n = x.size();
  auto out = run.rows<int32_t>(3, n);
  auto quotients = run.array(std::vector<uint32_t>(n));
  run.launch("divide_small", run.array(x), run.array(y), out);
  run.launch("divide_24_bits", run.array(x), run.array(y), quotients);
  const std::vector<int32_t> got = out.read();
  const std::vector<uint32_t> wide = quotients.read();
  for (size_t i = 0; i < n; ++i) {
    const uint32_t below23 = x[i] & 0x7fffff;
    const int32_t a = int32_t(x[i] << 8) >> 8, b = (int32_t(y[i] << 8) >> 8) | 1;
    expectSame("quotient", i, uint32_t(got[i]), below23 / y[i]);
    expectSame("remainder", i, uint32_t(got[n + i]), below23 % y[i]);
    expectSame("signed", i, got[2 * n + i], a / b - (a % b != 0 && (a < 0) != (b < 0)));
    expectSame("of 24 bits", i, wide[i], (x[i] & 0xffffff) / ((y[i] & 0xffffff) | 1));
  }
}

//===--- All of it ---------------------------------------------------------===//

struct Case {
  std::string module, name;
  std::function<void(Run &)> body;
};

template <class T> void addShuffles(std::vector<Case> &cases, const std::string &type) {
  for (unsigned kind = 0; kind < 5; ++kind) {
    const std::string module = "lanes_" + type + "_" + std::to_string(kind);
    cases.push_back({module, std::string("constant ") + kindNames[kind],
                     [kind](Run &run) { constantLanes<T>(run, kind); }});
    if (kind < 3)
      cases.push_back({module, std::string("for some lanes ") + kindNames[kind],
                       [kind](Run &run) { resultOfSomeLanes<T>(run, kind); }});
  }
  cases.push_back(
      {"lanes_" + type + "_0", "divergent lanes", [](Run &run) { divergentLanes<T>(run, false); }});
  cases.push_back({"lanes_" + type + "_0", "divergent lanes, no shared memory to spare",
                   [](Run &run) { divergentLanes<T>(run, true); }});
  cases.push_back({"lanes_" + type + "_0", "uniform lanes", uniformLane<T>});
  cases.push_back({"lanes_" + type + "_0", "indices of the lane", patterns<T>});
}

int runAll(const std::string &folder, const std::string &variant) {
  std::vector<Case> cases;
  addShuffles<int32_t>(cases, "i32");
  addShuffles<int64_t>(cases, "i64");
  cases.push_back({"edges_f32", "reductions and scans", edges<float>});
  cases.push_back({"edges_f64", "reductions and scans", edges<double>});
  cases.push_back({"edges_f32", "atomic minima and maxima", atomicEdges<float>});
  cases.push_back({"edges_f64", "atomic minima and maxima", atomicEdges<double>});
  cases.insert(cases.end(), {{"miscompiled", "unsigned division of sign extensions", divide},
                             {"miscompiled", "counters of a loop left by lanes", leave},
                             {"miscompiled", "or with a half of ones", highHalf},
                             {"miscompiled", "sign of zero", zeroSign},
                             {"miscompiled", "moves whose result few lanes want", sunk},
                             {"miscompiled", "waiting for a lane of the same wave", publish},
                             {"miscompiled", "conditions of a loop after it", turns},
                             {"miscompiled", "where sides of several blocks meet", meet},
                             {"tails", "fields of three elements", fields},
                             {"tails", "an array of one vector", arrayOfOne},
                             {"tails", "carried locals", carried},
                             {"halves", "collectives of 32 lanes", collectivesOf32},
                             {"halves", "a scan that looks back by 32 lanes", scanBy32},
                             {"miscompiled", "numbers of 24 bits", smallDivisions}});
  const Device device = Device::open();
  const Device::Info info = device.info();
  unsigned failures = 0, total = 0;
  for (size_t w = 0; w < info.wave_size_count; ++w)
    for (const Case &test : cases) {
      const unsigned wave = info.wave_sizes[w];
      std::string problem;
      try {
        const Module module = Module::open(folder + "/" + test.module + ".sxt");
        const Program program(module, device, variant, wave);
        Run run{device, program, wave};
        test.body(run);
      } catch (const Failure &failure) {
        problem = failure.message;
      } catch (const sextant::Error &error) {
        problem = error.what();
      }
      ++total;
      failures += !problem.empty();
      if (!problem.empty())
        std::printf("FAILED %s wave%u: %s, %s: %s\n", info.arch, wave, test.module.c_str(),
                    test.name.c_str(), problem.c_str());
    }
  std::printf("%s: %u cases, %u failed\n", info.arch, total, failures);
  return failures || total == 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: %s MODULES [VARIANT]\n", argv[0]);
    return 2;
  }
  try {
    return runAll(argv[1], argc == 3 ? argv[2] : "");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
