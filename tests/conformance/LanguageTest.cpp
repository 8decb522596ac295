// Control flow, functions, vectors, fields, tasks, return values.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Vec2 = sextant::Vector<float, 2>;

/// Python's, for a positive divisor.
int mod(int a, int b) { return (a % b + b) % b; }

void collatz(Run &run) {
  std::vector<int32_t> values(777);
  for (int32_t &value : values)
    value = int32_t(run.random() % 10000) + 1;
  auto src = run.array(values);
  auto dst = run.zeros<int32_t>(values.size());
  run.launch("collatz", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < values.size(); ++i) {
    int n = values[i], steps = 0;
    while (n != 1 && steps < 1000) {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      ++steps;
    }
    expectSame("steps", i, out[i], steps);
  }
}

void jumps(Run &run) {
  auto values = small<int32_t>(run, 999, 30);
  auto src = run.array(values);
  auto dst = run.zeros<int32_t>(values.size());
  run.launch("jumps", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < values.size(); ++i) {
    int acc = 0, v = values[i];
    for (int j = 0; j < 10; ++j) {
      if (mod(v + j, 4) == 0)
        continue;
      if (j > mod(v, 12))
        break;
      for (int k = 5; k > -5; k -= 2) {
        if (k == mod(v, 7))
          break;
        if (mod(k, 3) == 0)
          continue;
        acc += k * j;
      }
      acc += 1;
    }
    do
      ++acc;
    while (mod(acc, 5) != 0);
    expectSame("acc", i, out[i], acc);
  }
}

void early(Run &run) {
  auto values = small<int32_t>(run, 500, 12);
  auto src = run.array(values);
  auto dst = run.zeros<int32_t>(values.size());
  run.launch("early", src, dst);
  auto out = dst.read();
  auto classify = [](int x) {
    if (x < 0)
      return -1;
    for (int k = 0; k < 4; ++k)
      if (x == k * k)
        return k;
    return x % 2 == 0 ? 100 : 200;
  };
  for (size_t i = 0; i < values.size(); ++i)
    expectSame("class", i, out[i], classify(values[i]) + classify(values[i] + 1) * 1000);
}

void functions(Run &run) {
  auto values = small<int32_t>(run, 300, 12);
  size_t n = values.size();
  auto src = run.array(values);
  auto dst = run.zeros2<int32_t>(6, n);
  run.launch("functions", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < n; ++i) {
    int x = values[i];
    int expected[] = {x + 6,
                      x * x * x * x,
                      x * x * x,
                      (x + 1) * 10 - x,
                      1 + 2 * 4 + 3 + 4 * 5 + 14,
                      (x + 2) * 7 + x + 1};
    for (size_t row = 0; row < 6; ++row)
      expectSame("row " + std::to_string(row), i, out[row * n + i], expected[row]);
  }
}

void lazy(Run &run) {
  std::vector<int32_t> values(256);
  for (int32_t &value : values)
    value = int32_t(run.random() % 16);
  for (size_t i = 0; i < values.size(); i += 3)
    values[i] = int32_t(run.random()) / 16; // an index far outside; ten of it fit
  auto src = run.array(values);
  auto dst = run.zeros<int32_t>(values.size());
  run.launch("lazy", src, dst);
  auto out = dst.read();
  int n = int(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    int j = values[i];
    bool inside = j >= 0 && j < n;
    int a = inside ? values[size_t(j)] : -5;
    int b = !inside || values[size_t(j)] > 3 ? 1 : 0;
    expectSame("chosen", i, out[i], a * 10 + b + ((j > 5) + (j > 10)) * 100);
  }
}

void matrices(Run &run) {
  std::vector<Vec2> values(200);
  for (Vec2 &v : values)
    v = {{float(int(run.random() % 20) - 10), float(int(run.random() % 20) - 10)}};
  sextant::Matrix<float, 2, 2> m{{1, 2, 3, 4}};
  Vec2 scale{{0.5f, -2}};
  auto src = run.array(values);
  auto dst = run.zeros<Vec2>(values.size());
  auto dots = run.zeros<float>(values.size());
  run.launch("matrices", src, m, scale, dst, dots);
  auto out = dst.read();
  auto got = dots.read();
  for (size_t i = 0; i < values.size(); ++i) {
    const Vec2 &v = values[i];
    float w0 = (v[0] + 2 * v[1]) * 0.5f + 1.5f, w1 = (3 * v[0] + 4 * v[1]) * -2 + 1;
    expectEqual("x", i, out[i][0], w0);
    expectEqual("y", i, out[i][1], w1);
    expectEqual("dot", i, got[i], v[0] * w0 + v[1] * w1 + v[0] * v[0] + v[1] * v[1] + w0);
  }
}

void fields(Run &run) {
  std::vector<float> grid(8 * 16);
  std::vector<float> points(64 * 3);
  std::vector<int32_t> total(1);
  run.launch("fill_fields", 2.5f);
  run.launch("fill_fields", 3.0f);
  run.device.defaultStream().synchronize();
  run.program.read("grid", std::span<float>(grid));
  run.program.read("points", std::span<float>(points));
  run.program.read("total", std::span<int32_t>(total));
  for (size_t i = 0; i < grid.size(); ++i)
    expectSame("grid", i, grid[i], 3.0f * float(i / 16) + float(i % 16));
  for (size_t i = 0; i < 64; ++i) {
    expectSame("points x", i, points[3 * i], float(i));
    expectSame("points y", i, points[3 * i + 1], 2 * float(i));
    expectSame("points z", i, points[3 * i + 2], 3.0f);
  }
  expectSame("total", 0, total[0], 2 * 64 * 63 / 2); // zero at first, kept between launches
}

void stencil(Run &run) {
  for (int n : {300, 4, 1000}) {
    auto a = small<float>(run, size_t(n));
    auto first = run.array(a);
    auto second = run.zeros<float>(size_t(n));
    run.launch("stencil", int32_t(n), first, second);
    std::vector<float> b(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      b[i] = a[i] * 2;
    float head = b[0], last = b[a.size() - 1];
    for (size_t i = 1; i + 1 < a.size(); ++i)
      a[i] = b[i - 1] + b[i + 1] + head;
    for (size_t i = 0; i < a.size(); ++i)
      b[i] = a[i] + last + 5;
    expectSame("a", first.read(), a);
    expectSame("b", second.read(), b);
  }
}

void returns(Run &run) {
  auto values = small<int32_t>(run, 1234);
  auto src = run.array(values);
  int32_t sum = 0;
  for (int32_t value : values)
    sum += value;
  auto stream = run.device.defaultStream();
  expectSame("sum", 0, run.program.kernel("sum_return").call<int32_t>(stream, src), sum);
  float a = 0;
  int32_t b = 0;
  Vec2 v{};
  run.program.kernel("several").callInto(stream, std::tie(a, b, v), 1.5f, int32_t(41));
  expectSame("first", 0, a, 3.0f);
  expectSame("second", 0, b, 42);
  expectSame("third x", 0, v[0], 1.5f);
  expectSame("third y", 0, v[1], 3.0f);
}

void ranges(Run &run) {
  const size_t rows = 6, columns = 9;
  auto result = run.zeros2<int32_t>(rows, columns);
  run.launch("ranges", result);
  auto out = result.read();
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) {
      int expected = j >= 1 && j + 1 < columns ? int(i * 100 + j) : 0;
      expected += i >= 2 && i < 4 && j >= 2 && j < 5 ? 10000 : 0;
      expectSame("out", i * columns + j, out[i * columns + j], expected);
    }
}

void boundInMemory(Run &run) {
  for (auto [begin, end] : {std::pair{3, 900}, {0, 1}, {5, 5}, {7, 2}}) {
    auto bounds = run.array(std::vector<int32_t>{begin, end});
    auto dst = run.zeros<int32_t>(1000);
    run.launch("bound_in_memory", bounds, dst);
    auto out = dst.read();
    for (int i = 0; i < 1000; ++i)
      expectSame("out", size_t(i), out[size_t(i)], i >= begin && i < end ? i + 1 : 0);
  }
}

void serial(Run &run) {
  auto dst = run.zeros<int32_t>(20);
  run.launch("serial", dst);
  auto out = dst.read();
  uint32_t value = 1;
  for (uint32_t i = 0; i < 20; ++i) {
    value = i ? value * 3 + i : 1;
    expectSame("out", i, out[i], int32_t(value));
  }
}

void arrays3(Run &run) {
  sextant::Array<int32_t, 3> a(run.device, {5, 7, 11}), b(run.device, {5, 7, 11});
  std::vector<int32_t> values(5 * 7 * 11);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int32_t(i);
  a.write(values);
  run.launch("arrays3", a, b);
  auto out = b.read();
  for (size_t i = 0; i < values.size(); ++i)
    expectSame("out", i, out[i], int32_t(i) + 5810);
}

void randoms(Run &run) {
  const size_t n = 20000;
  auto result = run.zeros2<float>(2, n);
  run.launch("randoms", result);
  auto out = result.read();
  double sum = 0, product = 0;
  for (size_t i = 0; i < 2 * n; ++i) {
    if (!(out[i] >= 0 && out[i] < 1))
      throw Mismatch{"random number " + show(out[i]) + " is outside [0, 1)"};
    sum += out[i];
  }
  for (size_t i = 0; i < n; ++i)
    product += (out[i] - 0.5) * (out[n + i] - 0.5);
  if (std::fabs(sum / double(2 * n) - 0.5) > 0.01)
    throw Mismatch{"random numbers average " + show(sum / double(2 * n))};
  if (std::fabs(product / double(n)) > 0.005)
    throw Mismatch{"a thread's two numbers are correlated: " + show(product / double(n))};
}

/// Each launch draws other numbers, which are not shifted ones of another launch's either; the same
/// launches after the same seed draw the same.
void seeds(Run &run) {
  const size_t n = 20000;
  auto launches = [&](uint32_t seed) {
    run.program.seed(seed);
    std::vector<std::vector<float>> drawn;
    for (int launch = 0; launch < 3; ++launch) {
      auto result = run.zeros2<float>(2, n);
      run.launch("randoms", result);
      drawn.push_back(result.read());
    }
    return drawn;
  };
  const auto first = launches(7), again = launches(7), other = launches(8);
  if (first != again)
    throw Mismatch{"the same seed draws other numbers"};
  std::vector<const std::vector<float> *> all;
  for (const auto *drawn : {&first, &other})
    for (const auto &one : *drawn)
      all.push_back(&one);
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = a + 1; b < all.size(); ++b) {
      const std::set<float> known(all[a]->begin(), all[a]->end());
      size_t common = 0;
      for (float value : *all[b])
        common += known.count(value);
      // Out of 2^24 values, 40000 numbers and 40000 others share about 95.
      if (common > 300)
        throw Mismatch{"two launches share " + std::to_string(common) + " numbers"};
    }
}

void strided(Run &run) {
  const int n = 1001;
  auto values = small<int32_t>(run, 2 * n);
  auto src = run.array(values);
  auto dst = run.zeros<int32_t>(n);
  run.launch("strided", int32_t(n), src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < n; ++i)
    expectSame("out", i, out[i],
               values[2 * i] + values[n - 1 - i] + values[i / 3] + values[i * 7 % n] + values[5]);
}

void bools(Run &run) {
  std::vector<uint8_t> bytes(100);
  for (uint8_t &byte : bytes)
    byte = run.random() % 2;
  sextant::Array<bool> src(run.device, 100), dst(run.device, 100);
  sextant::check(sxt_buffer_write(src.buffer().get(), 0, bytes.data(), bytes.size(), nullptr));
  run.launch("bools", src, dst);
  auto out = dst.read();
  for (size_t i = 0; i < 100; ++i)
    expectSame("out", i, out[i], uint8_t(!bytes[i] || i % 3 == 0));
}

void noThreads(Run &run) {
  auto dst = run.zeros<int32_t>(1);
  run.launch("no_threads", int32_t(0), dst);
  run.launch("no_threads", int32_t(-5), dst);
  expectSame("out", 0, dst.read()[0], 0);
}

} // namespace

void addLanguageCases(std::vector<Case> &cases) {
  cases.push_back({"language", "loops that diverge", collatz});
  cases.push_back({"language", "break and continue", jumps});
  cases.push_back({"language", "early return", early});
  cases.push_back({"language", "functions", functions});
  cases.push_back({"language", "lazy operands", lazy});
  cases.push_back({"language", "vectors and matrices", matrices});
  cases.push_back({"language", "fields", fields});
  cases.push_back({"language", "tasks in order", stencil});
  cases.push_back({"language", "return values", returns});
  cases.push_back({"language", "ndrange and grouped", ranges});
  cases.push_back({"language", "bound in memory", boundInMemory});
  cases.push_back({"language", "serialized loop", serial});
  cases.push_back({"language", "three dimensions", arrays3});
  cases.push_back({"language", "random numbers", randoms});
  cases.push_back({"language", "seeds of random numbers", seeds});
  cases.push_back({"language", "addresses", strided});
  cases.push_back({"language", "bools", bools});
  cases.push_back({"language", "no threads", noThreads});
}

} // namespace conformance
