// Further forms of the language and of atomics; see kernels/more.py.
#include "tests/conformance/Harness.h"
#include "tests/conformance/Surface.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace conformance {

namespace {

void slots(Run &run) {
  using Vec3 = sextant::Vector<float, 3>;
  using Mat2 = sextant::Matrix<int32_t, 2, 2>;
  const int n = 600;
  auto vectors = run.zeros<Vec3>(3);
  auto matrices = run.zeros<Mat2>(2);
  run.launch("slots", vectors, matrices, int32_t(n));
  auto v = vectors.read();
  auto m = matrices.read();
  for (unsigned k = 0; k < 3; ++k) {
    expectSame("sum", k, v[0][k], float(n * int(k + 1)));
    expectSame("slot", k, v[1][k], float(n / 3));
  }
  expectSame("max x", 0, v[2][0], float(n - 1));
  expectEqual("max y", 0, v[2][1], 0.0f);
  expectSame("max z", 0, v[2][2], 5.0f);
  expectSame("even", 0, m[0](0, 1), n / 2 * (n / 2 - 1));
  expectSame("odd", 0, m[0](1, 1), n / 2 * (n / 2));
  expectSame("others", 0, m[0](0, 0) | m[0](1, 0), 0);
  expectSame("bits", 0, m[1](0, 0), 1023);
}

void swizzles(Run &run) {
  using Vec3 = sextant::Vector<float, 3>;
  const size_t n = 200;
  auto numbers = small<float>(run, 3 * n);
  std::vector<Vec3> values(n);
  for (size_t i = 0; i < n; ++i)
    for (unsigned k = 0; k < 3; ++k)
      values[i][k] = numbers[3 * i + k];
  auto vectors = run.array(values);
  auto result = run.zeros<int32_t>(n);
  run.launch("swizzles", vectors, result);
  auto got = vectors.read();
  auto out = result.read();
  for (size_t i = 0; i < n; ++i) {
    float x = values[i][0], y = values[i][1], z = values[i][2];
    bool even = i % 2 == 0;
    float local[3] = {2 * x, 2 * z, y};
    expectSame("x", i, got[i][0], even ? y : 5.0f);
    expectSame("y", i, got[i][1], y + local[0] + 4 * local[1] + 16 * local[2]);
    expectSame("z", i, got[i][2], even ? x : 5.0f);
    int index = int(i), positive = 0;
    for (float v : local)
      positive += v > 0;
    int rows = even ? index * 1000 + 4 : 1000 - index;
    expectSame("out", i, out[i], rows + 100000 * ((positive == 3) + 2 * (positive > 0)));
  }
}

void searches(Run &run) {
  const size_t n = 3000;
  std::vector<uint32_t> masks(n);
  std::vector<int32_t> bases(n), offsets(n);
  for (size_t i = 0; i < n; ++i) {
    masks[i] = uint32_t(run.random() & run.random());
    bases[i] = int32_t(run.random() % 32);
    offsets[i] = int32_t(run.random() % 21) - 10;
  }
  auto m = run.array(masks);
  auto b = run.array(bases), o = run.array(offsets);
  auto result = run.zeros<uint32_t>(n);
  run.launch("searches", m, b, o, result);
  auto out = result.read();
  for (size_t i = 0; i < n; ++i) {
    uint32_t expected = ~0u;
    if (offsets[i] == 0) {
      if (masks[i] >> bases[i] & 1)
        expected = uint32_t(bases[i]);
    } else {
      int left = std::abs(offsets[i]), step = offsets[i] > 0 ? 1 : -1;
      for (int at = bases[i]; at >= 0 && at < 32; at += step)
        if ((masks[i] >> at & 1) && --left == 0) {
          expected = uint32_t(at);
          break;
        }
    }
    expectSame("fns of " + std::to_string(masks[i]), i, out[i], expected);
  }
}

void oldNames(Run &run) {
  auto values = small<int32_t>(run, 512, 1);
  auto src = run.array(values);
  auto result = run.zeros<uint64_t>(512);
  run.launch("old_names", src, result);
  auto out = result.read();
  for (size_t i = 0; i < 512; ++i) {
    uint64_t bits = 0;
    for (size_t lane = 0; lane < run.wave; ++lane)
      bits |= uint64_t(values[i / run.wave * run.wave + lane] != 0) << lane;
    expectSame("ballot", i, out[i], bits);
  }
}

void aliases(Run &run) {
  auto values = anyBits<float>(run, 512);
  auto src = run.array(values);
  auto result = run.zeros<float>(512);
  run.launch("aliases", src, result);
  auto out = result.read();
  size_t mask = run.wave > 4 ? 7 : 3;
  for (size_t i = 0; i < 512; ++i)
    expectSame("swapped", i, out[i], values[i ^ mask]);
}

void literals(Run &run) {
  auto result = run.zeros<double>(9);
  auto big = run.zeros<uint64_t>(3);
  run.launch("literals", result, big);
  expectSame("values", result.read(),
             {1026, -4 + -200, 1026.5, 1, 1065353216, 2.0, 3 - 2 + 3, -4 + 20, 3});
  expectSame("big", big.read(), {~uint64_t(0), uint64_t(1) << 63, 0x80000000u});
}

void statics(Run &run) {
  auto values = small<int32_t>(run, 100);
  auto src = run.array(values);
  auto result = run.zeros<int32_t>(100);
  run.launch("statics", src, result);
  auto out = result.read();
  for (size_t i = 0; i < 100; ++i)
    expectSame("picked", i, out[i], (values[i] + 3) * 10000 + values[i] * 300 + values[i] - 3);
}

void nested(Run &run) {
  auto result = run.zeros<int32_t>(640);
  run.launch("nested", int32_t(640), result);
  auto out = result.read();
  for (size_t i = 0; i < 640; ++i) {
    int sum = 0;
    for (size_t lane = i / 4 * 4; lane < i / 4 * 4 + 4; ++lane)
      sum += int(lane % 5 * (lane % 5 + 1) / 2);
    expectSame("totals", i, out[i], sum * 6);
  }
}

void narrow(Run &run) {
  const size_t n = 700;
  std::vector<int8_t> a(n);
  std::vector<uint8_t> b(n);
  std::vector<int16_t> c(n);
  for (size_t i = 0; i < n; ++i) {
    a[i] = int8_t(run.random());
    b[i] = uint8_t(run.random());
    c[i] = int16_t(run.random());
  }
  auto da = run.array(a);
  auto db = run.array(b);
  auto dc = run.array(c);
  auto result = run.zeros<int32_t>(n);
  run.launch("narrow", da, db, dc, result);
  auto gotB = db.read();
  auto gotC = dc.read();
  auto out = result.read();
  for (size_t i = 0; i < n; ++i) {
    auto sum = int16_t(a[i] + c[i]); // i8 + i16 is i16
    b[i] = uint8_t(b[i] + a[i]);
    expectSame("u8", i, gotB[i], b[i]);
    expectSame("i16", i, gotC[i], int16_t(c[i] * 3));
    // A literal takes the default type where the other side is narrower.
    expectSame("i32", i, out[i], int32_t(sum) * 1000 + b[i]);
  }
}

void wide(Run &run) {
  std::vector<double> values(1000, 1.5);
  auto a = run.array(values);
  run.launch("wide", int64_t(1000), a, 2.0);
  for (size_t i = 0; i < 1000; ++i)
    values[i] = 3.0 + double(i);
  expectSame("a", a.read(), values);
}

void innerBounds(Run &run) {
  auto ends = small<int32_t>(run, 333, 40);
  auto src = run.array(ends);
  auto result = run.zeros<int32_t>(333);
  run.launch("inner_bounds", src, result);
  auto out = result.read();
  for (size_t i = 0; i < 333; ++i) {
    int acc = 0;
    for (int j = 0; j < ends[i]; ++j)
      acc += j;
    for (int j = 20; j > ends[i]; j -= 3)
      acc += j * 100;
    for (int j = 2; j < ends[i]; j += 4)
      acc += j * 2 * 10000;
    expectSame("acc", i, out[i], acc);
  }
}

void negated(Run &run) {
  const size_t n = 1000;
  std::vector<int32_t> values[3];
  for (std::vector<int32_t> &some : values)
    for (size_t i = 0; i < n; ++i) {
      const auto bits = int32_t(uint32_t(run.random()));
      some.push_back(i % 2 ? bits % 1000 : bits);
    }
  const auto &[x, y, z] = values;
  auto least = run.zeros<int32_t>(n), most = run.zeros<int32_t>(n);
  auto shifted = run.zeros<int64_t>(n);
  run.launch("negated", run.array(x), run.array(y), run.array(z), least, most, shifted);
  const auto leastOut = least.read(), mostOut = most.read();
  const auto shiftedOut = shifted.read();
  for (size_t i = 0; i < n; ++i) {
    const auto minus = int32_t(0u - uint32_t(z[i]));
    expectSame("least", i, leastOut[i], std::min(x[i], std::min(y[i], minus)));
    expectSame("most", i, mostOut[i], std::max(x[i], std::max(y[i], std::max(z[i], minus))));
    expectSame("shifted", i, shiftedOut[i], int64_t(z[i]) * 2147483648);
  }
}

void lookbackAtomic(Run &run) {
  const size_t blocks = 200, n = blocks * 128;
  std::vector<uint32_t> values(n);
  for (uint32_t &value : values)
    value = uint32_t(run.random() % 1000);
  auto src = run.array(values);
  auto dst = run.zeros<uint32_t>(n), words = run.zeros<uint32_t>(blocks),
       ticket = run.zeros<uint32_t>(1);
  run.launch("lookback_atomic", src, dst, words, ticket);
  std::partial_sum(values.begin(), values.end(), values.begin());
  expectSame("sums", dst.read(), values);
}

void wideMinMax(Run &run) {
  auto values = anyBits<uint64_t>(run, 3000);
  std::vector<uint64_t> least(5, UINT64_MAX), most(5, 0);
  auto leastOn = run.array(least), mostOn = run.array(most);
  run.launch("extremes", run.array(values), leastOn, mostOn);
  for (size_t i = 0; i < values.size(); ++i) {
    least[i % 5] = std::min(least[i % 5], values[i]);
    most[i % 5] = std::max(most[i % 5], values[i]);
  }
  expectSame("least", leastOn.read(), least);
  expectSame("most", mostOn.read(), most);
}

void turnedPairs(Run &run) {
  auto n = run.zeros2<int32_t>(3, 2);
  auto f = run.zeros2<float>(3, 2);
  run.launch("turned_pairs", n, f);
  std::vector<int32_t> fieldN(6);
  std::vector<float> fieldF(6);
  run.program.read("pairs.n", fieldN);
  run.program.read("pairs.f", fieldF);
  const std::vector<int32_t> wantedN = {0, 10, 1, 11, 2, 12}; // (0, 0), (1, 0), (0, 1) …
  const std::vector<float> wantedF = {-1, -2, -1, -2, -1, -2};
  expectSame("x.n", n.read(), wantedN);
  expectSame("x.f", f.read(), wantedF);
  expectSame("pairs.n", fieldN, wantedN);
  expectSame("pairs.f", fieldF, wantedF);
}

/// As the kernel file's class; members of one type have no gaps.
struct Body {
  float pos[3], a, b[2], mass;
};
static_assert(sizeof(Body) == 28 && offsetof(Body, mass) == 24);

void onePiece(Run &run) {
  using Vector7 = sextant::Vector<float, 7>; // kernels and hosts agree on this type
  constexpr int n = 6;
  std::vector<Body> wanted(n);
  std::vector<Vector7> input(n);
  for (int i = 0; i < n; ++i) {
    Body &body = wanted[size_t(i)];
    body = {{float(i), float(i + 1), float(i + 2)}, 0.5f, {float(-i), float(-2 * i)}, float(i + 1)};
    std::memcpy(&input[size_t(i)], &body, sizeof body);
  }
  auto x = run.array(input);
  run.launch("bodies", x);
  for (int i = 0; i < n; ++i) {
    Body &body = wanted[size_t(i)];
    body.pos[0] += 10;
    body.b[i % 2] = float(100 + i);
    body.mass *= 2;
  }
  auto compare = [](const char *what, const void *got, const Body &body, size_t i, bool withA) {
    float numbers[7], expected[7];
    std::memcpy(numbers, got, sizeof numbers);
    std::memcpy(expected, &body, sizeof expected);
    for (size_t k = 0; k < 7; ++k)
      if (withA || k != 3) // iterations may read it before or after others add to it
        expectSame(what, 7 * i + k, numbers[k], expected[k]);
  };
  std::vector<Vector7> late(4), bodies(6);
  run.program.read("late", late);
  run.program.read("bodies", bodies);
  for (size_t i = 0; i < 4; ++i) {
    Body body = wanted[i];
    body.pos[1] = -1;
    body.pos[2] = -2;
    compare("late", &late[i], body, i, false);
  }
  wanted[0].a += n;
  const auto got = x.read();
  for (size_t i = 0; i < n; ++i) {
    compare("x", &got[i], wanted[i], i, true);
    Body body = wanted[i];
    body.a = 7;
    body.b[0] = 8;
    body.b[1] = float(10 * (i / 3) + i % 3);
    compare("bodies", &bodies[i], body, i, true);
  }
}

//===--- kernels/offsets.py --------------------------------------------------===//

/// A field of the host has no offset: its element (r, c) is that of the indices r and c from the
/// first ones on.
void offsets(Run &run) {
  run.launch("indices");
  std::vector<int32_t> plane(20), placed(12), gradient(12), copied(12), numbers(3);
  std::vector<sextant::Vector<int32_t, 2>> vectors(4), pairs(3);
  run.program.read("plane", plane);
  run.program.read("vectors", vectors);
  run.program.read("pairs.n", numbers);
  run.program.read("pairs.m", pairs);
  run.program.read("placed", placed);
  run.program.read("placed.grad", gradient);
  run.program.read("copied", copied);
  for (int k = 0; k < 20; ++k)
    expectSame("plane", size_t(k), plane[size_t(k)],
               10 * (k / 5 - 2) + k % 5 + 3 + (k == 0 ? 4000 : 0));
  for (int k = 0; k < 4; ++k) {
    expectSame("vectors", size_t(k), vectors[size_t(k)][0], k - 3);
    expectSame("vectors", size_t(k), vectors[size_t(k)][1], 2 * (k - 3));
  }
  for (int k = 0; k < 3; ++k) {
    expectSame("pairs.n", size_t(k), numbers[size_t(k)], k + 7);
    expectSame("pairs.m", size_t(k), pairs[size_t(k)][0], k + 8);
    expectSame("pairs.m", size_t(k), pairs[size_t(k)][1], k + 9);
  }
  for (int k = 0; k < 12; ++k) {
    const int value = 100 * (k / 3 + 10) + k % 3 - 1;
    expectSame("placed", size_t(k), placed[size_t(k)], value);
    expectSame("placed.grad", size_t(k), gradient[size_t(k)], -(k / 3 + 10));
    expectSame("copied", size_t(k), copied[size_t(k)], value);
  }
}

void nodes(Run &run) {
  auto out = run.zeros<int32_t>(5);
  run.launch("nodes", out);
  int expected[5] = {};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j) {
      const bool isBlock = i < 2 && j < 3, isCell = j < 3;
      expected[0] += isBlock ? 1 + 10 * i + j : 0;
      expected[1] += isCell ? 1 + 10 * i + j : 0;
      expected[2] += isBlock ? 1 + 10 * i + j : 0;
      expected[3] += 1 + i;
      expected[4] += isCell ? 400 + i : 0;
    }
  expectSame("out", out.read(), std::vector<int32_t>(expected, expected + 5));
}

/// The view is elements 8 to 23 of an array.
void views(Run &run) {
  std::vector<int32_t> input(32);
  for (size_t k = 0; k < input.size(); ++k)
    input[k] = int32_t(k);
  auto memory = run.array(input);
  auto other = run.zeros<int32_t>(10);
  const sextant::ArrayView<int32_t> part{memory.view().buffer, {16}, 8 * sizeof(int32_t)};
  run.launch("views", part, other, int32_t(3), int32_t(5));
  const auto got = memory.read();
  for (int k = 0; k < 32; ++k) {
    const int at = k - 8; // in the view
    int value = k;
    if (at >= 0 && at < 16) {
      value += at >= 2 && at < 6 ? 100 + at - 2 : 0;
      value += at >= 3 && at < 8 ? 1000 : 0;
      value += at % 4 == 1 ? 10000 * (at / 4 + 1) : 0;
      value *= at % 4 == 3 ? -1 : 1;
    }
    expectSame("v", size_t(k), got[size_t(k)], value);
  }
  expectSame("a", other.read(), std::vector<int32_t>{0, 0, 0, 0, 0, 1, 2, 3, 0, 0});
}

/// 70000 elements are 274 blocks of 256, and these 2; their digits' counts are 274 * 256, in 274.
void sizes(Run &run) {
  auto out = run.zeros<int32_t>(5);
  run.launch("sizes", out, int32_t(70000));
  expectSame("out", out.read(), std::vector<int32_t>{276, 256, 276, 274, 274 * 256 + 274});
}

void listsOfMethods(Run &run) {
  auto out = run.zeros<int32_t>(4);
  run.launch("Step_run", 3, out);
  const auto got = out.read();
  for (int i = 0; i < 4; ++i)
    expectSame("out", size_t(i), got[size_t(i)], ((i * 3 + 3) * 2 + 5) * 5);
}

//===--- kernels/pieces.py ---------------------------------------------------===//

using Mat34 = sextant::Matrix<int32_t, 3, 4>;

void readSlices(Run &run) {
  auto out = run.zeros<int32_t>(18);
  // Rows 1 2 3 4, 5 6 7 8, 9 10 11 12.
  run.launch("read_slices", Mat34{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, out);
  // [1 2; 5 6] times [7 8; 11 12] is [29 32; 101 112].
  expectSame(
      "out", out.read(),
      std::vector<int32_t>{11, 12, 36, 15, 13, 11, 14, 2, 21, 11, 3, 21, 1, 4, 9, 12, 32, 274});
}

void storeSlices(Run &run) {
  const int n = 5;
  std::vector<Mat34> values(3);
  for (int i = 0; i < 3; ++i)
    for (unsigned k = 0; k < 12; ++k)
      values[size_t(i)][k] = int32_t(k) - 4 + 10 * i;
  auto x = run.array(values);
  run.launch("store_slices", x, int32_t(n));
  const auto got = x.read();
  for (size_t i = 0; i < 3; ++i) {
    Mat34 m = values[i];
    for (unsigned r = 0; r < 3; ++r)
      m(r, 1) *= -1;
    m(0, 0) = n;
    m(0, 1) = n + 1;
    for (unsigned k = 0; k < 4; ++k)
      m(1 + k / 2, 2 + k % 2) = int32_t(k + 1);
    for (unsigned c = 0; c < 4; ++c)
      m(2, 3 - c) += int32_t(100 * (c + 1));
    for (unsigned r = 0; r < 3; ++r)
      m(r, 3) += 1000;
    m(n % 3, 0) = m(0, 2);
    m(n % 3, 1) = m(0, 3);
    for (unsigned r = 0; r < 3; ++r)
      m(r, 0) = std::max(m(r, 0), 7);
    for (unsigned k = 0; k < 12; ++k)
      expectSame("x", 12 * i + k, got[i][k], m[k]);
  }
}

//===--- kernels/layouts.py --------------------------------------------------===//

/// The host passes arrays as they are in memory: x as [k, i, j] and y as [j, i].
void layouts(Run &run) {
  sextant::Array<float, 3> x(run.device, {4, 2, 3});
  auto y = run.zeros2<int32_t>(3, 2);
  std::vector<int32_t> numbers(70);
  for (size_t k = 0; k < numbers.size(); ++k)
    numbers[k] = int32_t(71 - k);
  auto memory = run.array(numbers);
  const sextant::ArrayView<int32_t> part{memory.view().buffer, {3}, 256}; // from element 64 on
  auto w = run.zeros<float>(3);
  run.launch("fill_in", x, y, part, w);
  const auto xs = x.read();
  const auto ys = y.read();
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k)
        expectSame("x", size_t(k * 6 + i * 3 + j), xs[size_t(k * 6 + i * 3 + j)],
                   float(100 * i + 10 * j + k));
      expectSame("y", size_t(j * 2 + i), ys[size_t(j * 2 + i)], 6 + 4 * 24);
    }
  expectSame("w", w.read(), std::vector<float>{14, 12, 10});
  std::vector<int32_t> turned(12);
  run.program.read("turned", turned);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      expectSame("turned", size_t(j * 3 + i), turned[size_t(j * 3 + i)], 10 * i + j);
  const auto shape = run.program.global<sextant::Vector<int32_t, 2>, 3>("cube").shape;
  expectSame("shape", std::vector<int64_t>(shape.begin(), shape.end()),
             std::vector<int64_t>{4, 2, 3});
  std::vector<sextant::Vector<int32_t, 2>> cube(24);
  run.program.read("cube", cube);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) {
        expectSame("cube", size_t(k * 6 + i * 3 + j), cube[size_t(k * 6 + i * 3 + j)][0],
                   100 * i + 10 * j + k);
        expectSame("cube", size_t(k * 6 + i * 3 + j), cube[size_t(k * 6 + i * 3 + j)][1], -1);
      }
}

void inOrder(Run &run) {
  sextant::Array<float, 3> x(run.device, {2, 3, 4});
  auto y = run.zeros2<int32_t>(2, 3);
  auto v = run.array(std::vector<int32_t>{1, 2});
  auto w = run.zeros<float>(2);
  run.launch("fill_in_order", x, y, v, w);
  const auto xs = x.read();
  for (int k = 0; k < 24; ++k)
    expectSame("x", size_t(k), xs[size_t(k)], float(k / 12 * 100 + k / 4 % 3 * 10 + k % 4));
}

//===--- kernels/pieces.py ---------------------------------------------------===//

void dictionaries(Run &run) {
  auto out = run.zeros<int32_t>(6);
  run.launch("dictionaries", out);
  const auto got = out.read();
  for (int i = 0; i < 6; ++i) // the last of two equal keys counts, so that three are left
    expectSame("out", size_t(i), got[size_t(i)], 1 + 20 + 200 + 1000 + 3 + 4 * i + 20);
}

void starParameters(Run &run) {
  auto out = run.zeros<int32_t>(6);
  run.launch("star_parameters", out);
  const auto got = out.read();
  for (int i = 0; i < 6; ++i)
    expectSame("out", size_t(i), got[size_t(i)],
               3 * (i + 2 * i + 3 * (i + 1)) + 100 * i + 7 + 2 * (i + 2) + 1000 * i);
}

void placed(Run &run) {
  auto out = run.zeros<int32_t>(6);
  run.launch("placed", out);
  const auto got = out.read();
  for (int i = 0; i < 6; ++i) // the cube has 2 by 6 by 5 elements
    expectSame("out", size_t(i), got[size_t(i)], i * i + i + 100 + 10 * i + 4 + 265);
}

/// 300 arrays of lengths that differ by one each, as parts of one buffer.
void manyArrays(Run &run) {
  constexpr size_t count = 300, least = 40;
  std::vector<int32_t> input(count * (least + count));
  for (size_t k = 0; k < input.size(); ++k)
    input[k] = int32_t(7 * k);
  auto memory = run.array(input);
  std::vector<sxt_argument> arguments;
  for (size_t k = 0; k < count; ++k)
    arguments.push_back(sextant::toArgument(sextant::ArrayView<int32_t>{
        memory.view().buffer, {int64_t(least + k)}, 4 * k * (least + count)}));
  sextant::check(sxt_kernel_launch(run.program.kernel("many").get(),
                                   run.device.defaultStream().get(), arguments.data(),
                                   arguments.size()));
  const auto got = memory.read();
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < least + count; ++i) {
      const size_t at = k * (least + count) + i;
      expectSame("a", at, got[at], input[at] + (i < least ? int32_t(1000 * k + i) : 0));
    }
}

/// Six arrays of each of six types, an array without elements, and two values.
void manyKinds(Run &run) {
  constexpr int32_t n = 256, step = 1000;
  constexpr int64_t far = int64_t(1) << 40;
  std::vector<int32_t> as(n);
  std::vector<uint8_t> bs(n);
  std::vector<int16_t> cs(n);
  std::vector<sextant::Half> hs(n + 1);
  std::vector<float> fs(n + 1);
  std::vector<int64_t> ls(n);
  for (int32_t i = 0; i < n; ++i) {
    as[size_t(i)] = 7 * i;
    bs[size_t(i)] = uint8_t(3 * i);
    cs[size_t(i)] = int16_t(-i);
    fs[size_t(i) + 1] = float(i);
    ls[size_t(i)] = -i;
  }
  std::vector<sextant::Array<int32_t>> a;
  std::vector<sextant::Array<uint8_t>> b;
  std::vector<sextant::Array<int16_t>> c;
  std::vector<sextant::Array<sextant::Half>> h;
  std::vector<sextant::Array<float>> f;
  std::vector<sextant::Array<int64_t>> l;
  auto none = run.zeros<int32_t>(0), turn = run.zeros<int32_t>(n);
  std::vector<sxt_argument> arguments = {sextant::toArgument(step), sextant::toArgument(far)};
  for (int k = 0; k < 6; ++k) {
    a.push_back(run.array(as));
    b.push_back(run.array(bs));
    c.push_back(run.array(cs));
    h.push_back(run.array(hs));
    f.push_back(run.array(fs));
    l.push_back(run.array(ls));
    for (sxt_argument one : {sextant::toArgument(a.back()), sextant::toArgument(b.back()),
                             sextant::toArgument(c.back()), sextant::toArgument(h.back()),
                             sextant::toArgument(f.back()), sextant::toArgument(l.back())})
      arguments.push_back(one);
  }
  arguments.push_back(sextant::toArgument(none));
  arguments.push_back(sextant::toArgument(turn));
  sextant::check(sxt_kernel_launch(run.program.kernel("kinds").get(),
                                   run.device.defaultStream().get(), arguments.data(),
                                   arguments.size()));
  for (int k = 0; k < 6; ++k) {
    const size_t at = size_t(k);
    const auto ga = a[at].read();
    const auto gb = b[at].read();
    const auto gc = c[at].read();
    const auto gh = h[at].read();
    const auto gf = f[at].read();
    const auto gl = l[at].read();
    expectSame("h", 0, toDouble(gh[0]), double(n));
    expectSame("f", 0, gf[0], float(n - 1 + k));
    for (int32_t i = 0; i < n; ++i) {
      const size_t j = size_t(i);
      expectSame("a", j, ga[j], 7 * i + step + k);
      expectSame("b", j, gb[j], uint8_t(3 * i + i + k));
      expectSame("c", j, gc[j], int16_t(-i - step));
      expectSame("h", j + 1, toDouble(gh[j + 1]), double(i + k));
      expectSame("f", j + 1, gf[j + 1], float(i) + 0.5f);
      expectSame("l", j, gl[j], int64_t(-3) * i + far);
    }
  }
  const auto turned = turn.read();
  for (int32_t i = 0; i < n; ++i)
    expectSame("turn", size_t(i), turned[size_t(i)], 7 * (i ^ 1) + step);
}

} // namespace

void addMoreCases(std::vector<Case> &cases) {
  cases.push_back({"many_arrays", "300 arrays", manyArrays});
  cases.push_back({"many_arrays", "38 arrays of many types", manyKinds});
  cases.push_back({"more", "atomics on slots", slots});
  cases.push_back({"more", "swizzles and rows", swizzles});
  cases.push_back({"more", "fns", searches});
  cases.push_back({"more", "deprecated names", oldNames});
  cases.push_back({"more", "aliases", aliases});
  cases.push_back({"more", "literals", literals});
  cases.push_back({"more", "static strings", statics});
  cases.push_back({"more", "nested loops", nested});
  cases.push_back({"more", "narrow types", narrow});
  cases.push_back({"more", "64-bit bounds", wide});
  cases.push_back({"more", "loop bounds by lane", innerBounds});
  cases.push_back({"more", "negated operands", negated});
  cases.push_back({"layouts", "axes in another order in memory", layouts});
  cases.push_back({"layouts", "axes in order", inOrder});
  cases.push_back({"layouts", "structs in one piece", onePiece});
  cases.push_back({"layouts", "structs, axes in another order", turnedPairs});
  cases.push_back({"offsets", "fields with an offset", offsets});
  cases.push_back({"offsets", "loops over nodes", nodes});
  cases.push_back({"offsets", "views of views", views});
  cases.push_back({"offsets", "sizes of scratch", sizes});
  cases.push_back({"offsets", "lists of methods", listsOfMethods});
  cases.push_back({"pieces", "slices that are read", readSlices});
  cases.push_back({"pieces", "slices that are stored to", storeSlices});
  cases.push_back({"pieces", "dictionaries", dictionaries});
  cases.push_back({"pieces", "star parameters", starParameters});
  cases.push_back({"pieces", "fields placed later", placed});
  cases.push_back({"lookback_atomic", "scan by atomics only", lookbackAtomic});
  cases.push_back({"wide_minmax", "minima and maxima of u64", wideMinMax});
}

} // namespace conformance
