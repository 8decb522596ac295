// Loops of a thread over a row of an array; see kernels/rows.py.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Ints = std::vector<int32_t>;

/// Lengths of rows: multiples of four and others.
constexpr int64_t lengths[] = {4, 8, 6, 64, 3, 132, 1};

/// The array of so many rows, which begins `skipped` elements after the memory.
template <class T> struct Rows {
  sextant::Array<T> memory;
  sextant::ArrayView<T, 2> view;

  Rows(Run &run, const std::vector<T> &values, int64_t length, size_t skipped)
      : memory(run.device, int64_t(values.size() + skipped)) {
    std::vector<T> all(skipped);
    all.insert(all.end(), values.begin(), values.end());
    memory.write(all);
    view = {memory.buffer().get(), {int64_t(values.size()) / length, length}, skipped * sizeof(T)};
  }
  std::vector<T> read(size_t skipped) const {
    const std::vector<T> all = memory.read();
    return {all.begin() + std::ptrdiff_t(skipped), all.end()};
  }
};

void orders(Run &run) {
  constexpr int64_t n = 70;
  for (const int64_t length : lengths)
    for (const size_t skipped : {0, 1}) {
      const auto m = run.numbers<int32_t>(n * length, 1000);
      const auto d = run.numbers<float>(n * length, 1000);
      const Rows<int32_t> words(run, m, length, skipped);
      const Rows<float> reals(run, d, length, skipped);
      auto out = run.zeros2<int64_t>(n, 3);
      run.launch("orders", words.view, reals.view, out);
      std::vector<int64_t> wanted;
      for (int64_t i = 0; i < n; ++i) {
        uint32_t hash = 1, behind = 0;
        float total = 1;
        for (int64_t k = 0; k < length; ++k) {
          const auto at = size_t(i * length + k);
          behind = hash;
          hash = hash * 31 + uint32_t(m[at]) + uint32_t(k);
          total = total * 0.5f + d[at];
        }
        for (const int64_t each :
             {int64_t(int32_t(hash)), int64_t(int32_t(behind)), int64_t(total * 1024)})
          wanted.push_back(each);
      }
      expectSame("out", out.read(), wanted);
    }
}

void narrow(Run &run) {
  constexpr int64_t n = 70;
  for (const int64_t length : lengths)
    for (const size_t skipped : {0, 4}) { // Vulkan's devices reach these by words
      const auto b = run.numbers<uint8_t>(n * length, 256);
      const auto h = run.numbers<int16_t>(n * length, 30000);
      const Rows<uint8_t> bytes(run, b, length, skipped);
      const Rows<int16_t> halves(run, h, length, skipped / 2);
      auto out = run.zeros<int32_t>(n);
      run.launch("narrow", bytes.view, halves.view, out);
      Ints wanted;
      for (int64_t i = 0; i < n; ++i) {
        uint32_t total = 1;
        for (int64_t k = 0; k < length; ++k) {
          const auto at = size_t(i * length + k);
          total = total * 7 + uint32_t(b[at]) * 3 - uint32_t(int32_t(h[at]));
        }
        wanted.push_back(int32_t(total));
      }
      expectSame("out", out.read(), wanted);
    }
}

void updates(Run &run) {
  constexpr int64_t planes = 3, n = 25;
  for (const int64_t length : lengths) {
    auto m = run.numbers<int64_t>(planes * n * length, 1000);
    auto w = run.numbers<float>(planes * n * length, 5);
    sextant::Array<int64_t, 3> onM(run.device, {planes, n, length});
    sextant::Array<float, 3> onW(run.device, {planes, n, length});
    onM.write(m);
    onW.write(w);
    auto seen = run.zeros<int32_t>(planes);
    run.launch("updates", onM, onW, seen);
    Ints wanted(planes);
    for (int64_t row = 0; row < planes * n; ++row)
      for (int64_t k = 0; k < length; ++k) {
        const auto at = size_t(row * length + k);
        if (k >= 4) {
          m[at] = m[at] * 3 + k;
          wanted[size_t(row / n)] += w[at] > 2 ? int32_t(k) : 0;
        }
        w[at] += 0.5f * float(k);
      }
    expectSame("m", onM.read(), m);
    expectSame("w", onW.read(), w);
    expectSame("seen", seen.read(), wanted);
  }
}

void neighbours(Run &run) {
  constexpr int64_t n = 40;
  for (const int64_t length : lengths)
    for (const size_t skipped : {0, 1}) {
      auto m = run.numbers<int32_t>(n * length, 100), other = m;
      const Rows<int32_t> onM(run, m, length, skipped), onOther(run, other, length, skipped);
      run.launch("neighbours", onM.view, onOther.view);
      for (int64_t i = 0; i < n; ++i)
        for (int64_t k = 1; k < length; ++k) {
          const auto at = size_t(i * length + k);
          m[at] = int32_t(uint32_t(m[at]) + 2 * uint32_t(m[at - 1]));
          other[at] = int32_t(uint32_t(other[at - 1]) + 2 * uint32_t(other[at]));
        }
      expectSame("m", onM.read(skipped), m);
      expectSame("n", onOther.read(skipped), other);
    }
}

/// One array whose elements are those of the other, some places further.
void shifted(Run &run) {
  needOneMemory(run);
  constexpr int32_t n = 8, rows = 1;
  for (const int32_t by : {1, 2, 4}) {
    Ints all = run.numbers<int32_t>(n * rows + 4, 100);
    auto memory = run.array(all);
    const sextant::ArrayView<int32_t> x{memory.buffer().get(), {n * rows}, 0};
    const sextant::ArrayView<int32_t> y{memory.buffer().get(), {n * rows}, uint64_t(by) * 4};
    run.launch("shifted", x, y, n);
    for (size_t k = 0; k < n; ++k)
      all[k + size_t(by)] = all[k] + 1;
    expectSame("x", memory.read(), all);
  }
}

void lanes(Run &run) {
  for (const int64_t length : lengths) {
    const Ints m = run.numbers<int32_t>(64 * length, 100);
    const Rows<int32_t> onM(run, m, length, 0);
    auto out = run.zeros<int32_t>(64);
    run.launch("lanes", onM.view, out);
    Ints wanted(64);
    for (size_t i = 0; i < 64; ++i) {
      uint32_t total = 0;
      for (size_t k = 0; k < size_t(length); ++k) {
        uint32_t sum = 0;
        for (size_t lane = 0; lane < run.wave; ++lane)
          sum += uint32_t(m[(i / run.wave * run.wave + lane) * size_t(length) + k]);
        total = total * 3 + sum;
      }
      wanted[i] = int32_t(total);
    }
    expectSame("out", out.read(), wanted);
  }
}

void parts(Run &run) {
  constexpr int32_t rows = 50;
  const Ints x = run.numbers<int32_t>(4 + rows * 20 + 16, 1000);
  const auto onX = run.array(x);
  for (const int32_t start : {0, 4, 1})
    for (const int32_t stride : {20, 18, 4, 0})
      for (const int32_t n : {16, 4, 10, 0, -4}) {
        auto out = run.zeros<int64_t>(rows);
        run.launch("parts", onX, out, start, stride, n);
        std::vector<int64_t> wanted;
        for (int32_t i = 0; i < rows; ++i) {
          uint64_t total = 5;
          for (int32_t k = 0; k < n; ++k)
            total = total * 31 + uint64_t(x[size_t(start + i * stride + k)]);
          wanted.push_back(int64_t(total));
        }
        expectSame("out", out.read(), wanted);
      }
}

/// 4 a is 16, and 2 c + 8 is 0: both wrap.
void wraps(Run &run) {
  constexpr int32_t rows = 20, n = 8, a = 0x40000004, c = 0x7ffffffc;
  const Ints x = run.numbers<int32_t>(16 * rows + n, 1000);
  const auto onX = run.array(x);
  for (const int b : {0, 4, 3}) {
    auto out = run.zeros<int32_t>(rows);
    run.launch("wraps", onX, out, n, a, c, int16_t(b));
    Ints wanted;
    for (int32_t i = 0; i < rows; ++i) {
      uint32_t total = 1;
      for (int32_t k = 0; k < n; ++k) {
        total = total * 31 + uint32_t(x[size_t(i * 16 + k)]);
        total = total * 31 + uint32_t(x[size_t(i * 8 + k + b)]);
      }
      wanted.push_back(int32_t(total));
    }
    expectSame("out", out.read(), wanted);
  }
}

void oneAfterTheOther(Run &run) {
  constexpr int64_t n = 30;
  for (const int64_t length : {4, 8, 16, 20}) {
    const Ints x = run.numbers<int32_t>(n * length, 1000), y = run.numbers<int32_t>(n * 24, 1000);
    const Rows<int32_t> onX(run, x, length, 0), onY(run, y, 24, 0);
    auto out = run.zeros<int32_t>(size_t(n));
    run.launch("one_after_the_other", onX.view, onY.view, out);
    Ints wanted;
    for (int64_t i = 0; i < n; ++i) {
      uint32_t total = 1;
      int64_t last = 0;
      for (int64_t k = 0; k < length; ++k) {
        total = total * 31 + uint32_t(x[size_t(i * length + k)]);
        last = std::max(last, k & 12);
      }
      for (int64_t k = 0; k < last; ++k)
        total = total * 31 + uint32_t(y[size_t(i * 24 + k)]);
      for (int64_t k = 0; k < 4; ++k)
        total = total * 31 + uint32_t(y[size_t(i * 24 + k + last)]);
      wanted.push_back(int32_t(total));
    }
    expectSame("out", out.read(), wanted);
  }
}

} // namespace

void addRowCases(std::vector<Case> &cases) {
  cases.push_back({"rows", "rows in order", orders});
  cases.push_back({"rows", "rows of narrow elements", narrow});
  cases.push_back({"rows", "rows in place", updates});
  cases.push_back({"rows", "elements before and after", neighbours});
  cases.push_back({"rows", "arrays that overlap", shifted});
  cases.push_back({"rows", "rows with sums of lanes", lanes});
  cases.push_back({"rows", "rows anywhere", parts});
  cases.push_back({"rows", "numbers that wrap", wraps});
  cases.push_back({"rows", "one row after the other", oneAfterTheOther});
}

} // namespace conformance
