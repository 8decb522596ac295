// Tiles. Factors are multiplied back in long double; what moves is counted in whole numbers.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Real = long double;

/// A positive definite matrix, row by row, with distinct numbers: m m' / n + 1.
template <class T> std::vector<T> positive(Run &run, size_t n) {
  std::vector<T> m(n * n), a(n * n);
  for (T &value : m)
    value = T(int(run.random() % 2001) - 1000) / T(1000);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      Real sum = i == j ? 1 : 0;
      for (size_t k = 0; k < n; ++k)
        sum += Real(m[i * n + k]) * Real(m[j * n + k]) / Real(n);
      a[i * n + j] = a[j * n + i] = T(sum);
    }
  return a;
}

/// Compares the product of the lower factor with what it was made of.
/// \param part where the matrix starts in `of`, whose rows have `stride` numbers
template <class T>
void expectFactor(const std::vector<T> &factor, const std::vector<T> &of, size_t n, size_t at,
                  size_t part, size_t stride, const char *what) {
  const Real limit = Real(8) * Real(n) * std::numeric_limits<T>::epsilon();
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) {
      Real sum = 0;
      for (size_t k = 0; k <= j; ++k)
        sum += Real(factor[at + i * n + k]) * Real(factor[at + j * n + k]);
      const Real wanted = of[part + i * stride + j];
      if (!(std::fabs(sum - wanted) <= limit * 2))
        throw Mismatch{std::string(what) + ": L L' at (" + std::to_string(i) + ", " +
                       std::to_string(j) + ") is " + std::to_string(double(sum)) + ", not " +
                       std::to_string(double(wanted))};
    }
}

template <class T> sextant::Array<T, 3> cube(Run &run, size_t count, size_t n) {
  sextant::Array<T, 3> result(run.device, {int64_t(count), int64_t(n), int64_t(n)});
  result.clear();
  return result;
}

template <class T> void factors(Run &run, const char *kernel, size_t n) {
  constexpr size_t count = 5;
  std::vector<T> matrices;
  for (size_t b = 0; b < count; ++b)
    for (T value : positive<T>(run, n))
      matrices.push_back(value);
  sextant::Array<T, 3> a = cube<T>(run, count, n);
  a.write(matrices);
  run.launch(kernel, a);
  const std::vector<T> result = a.read();
  for (size_t b = 0; b < count; ++b)
    expectFactor(result, matrices, n, b * n * n, b * n * n, n, kernel);
}

/// Two groups a block, each with a tile of 32 rows and one of 16.
template <class T> void groups(Run &run) {
  constexpr size_t count = 6, n = 32;
  std::vector<T> matrices;
  for (size_t b = 0; b < count; ++b)
    for (T value : positive<T>(run, n))
      matrices.push_back(value);
  sextant::Array<T, 3> a = cube<T>(run, count, n), small = cube<T>(run, count, 16);
  a.write(matrices);
  run.launch("groups", a, small);
  const std::vector<T> whole = a.read(), corner = small.read();
  for (size_t b = 0; b < count; ++b) {
    expectFactor(whole, matrices, n, b * n * n, b * n * n, n, "the tile of 32");
    expectFactor(corner, matrices, 16, b * 256, b * n * n + 8 * n + 8, n, "the tile of 16");
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i + 1; j < n; ++j)
        if (whole[b * n * n + i * n + j] != 0)
          throw Mismatch{"above the diagonal, (" + std::to_string(i) + ", " + std::to_string(j) +
                         ") is not 0"};
  }
}

template <class T> void parts(Run &run) {
  struct Bounds {
    int r0, r1, c0, c1;
  };
  constexpr int rows = 19, columns = 21;
  for (const Bounds &b : {Bounds{0, 16, 0, 16}, Bounds{2, 9, 3, 10}, Bounds{7, 23, 9, 25},
                          Bounds{18, 34, 0, 30}, Bounds{5, 5, 4, 4}}) {
    std::vector<T> x(rows * columns);
    for (T &value : x)
      value = T(int(run.random() % 199) - 99);
    sextant::Array<T, 2> in = run.zeros2<T>(rows, columns);
    in.write(x);
    // The last part is stored at the place of the first one: (r0, c0) is inside of it or not.
    sextant::Array<T, 3> out = cube<T>(run, 4, 16);
    run.launch("parts", in, out, b.r0, b.r1, b.c0, b.c1);
    std::vector<T> wanted(4 * 256), t(256), u(256);
    auto column = [&](int r0, int r1, int c, int lane) {
      return r0 + lane < std::min(r1, rows) && c < columns ? x[size_t((r0 + lane) * columns + c)]
                                                           : T(0);
    };
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        const bool isGiven = b.r0 + i < std::min(b.r1, rows) && b.c0 + j < std::min(b.c1, columns);
        const size_t k = size_t(i * 16 + j);
        wanted[k] = isGiven ? x[size_t((b.r0 + i) * columns + b.c0 + j)] : T(i == j);
        t[k] = T(i == j) + column(b.r0, b.r1, b.c0, i) * T(10 * j);
        wanted[256 + k] = t[k];
      }
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) {
        const T w = j < 12 ? t[size_t(i * 16 + j + 4)] : T(0);
        wanted[size_t(512 + i * 16 + j)] = w;
        u[size_t(i * 16 + j)] = w - t[size_t(j * 16)];
      }
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j)
        if (b.r0 + i < std::min(b.r1, 16) && b.c0 + j < std::min(b.c1, 16))
          wanted[size_t(768 + (b.r0 + i) * 16 + b.c0 + j)] = u[size_t(i * 16 + j)];
    const std::vector<T> got = out.read();
    for (size_t k = 0; k < got.size(); ++k)
      if (got[k] != wanted[k])
        throw Mismatch{"part " + std::to_string(k / 256) + " of rows " + std::to_string(b.r0) +
                       " to " + std::to_string(b.r1) + ": (" + std::to_string(k / 16 % 16) + ", " +
                       std::to_string(k % 16) + ") is " + std::to_string(double(got[k])) +
                       ", not " + std::to_string(double(wanted[k]))};
  }
}

/// The block's memory has 100 i + j + 1 in 12 rows of 10, and the field gets it from column 2 on.
template <class T> void narrow(Run &run) {
  sextant::Array<T, 3> out = cube<T>(run, 2, 16);
  run.launch("narrow", out);
  const std::vector<T> got = out.read();
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      const T loaded = i < 12 && j < 10 ? T(100 * i + j + 1) : T(i == j);
      const T moved = i < 11 && j >= 2 && j < 10 ? T(100 * (i + 1) + j - 1) : T(0);
      for (int part = 0; part < 2; ++part) {
        const T is = got[size_t(part * 256 + i * 16 + j)], wanted = part ? moved : loaded;
        if (is != wanted)
          throw Mismatch{"part " + std::to_string(part) + " at (" + std::to_string(i) + ", " +
                         std::to_string(j) + ") is " + std::to_string(double(is)) + ", not " +
                         std::to_string(double(wanted))};
      }
    }
}

/// A diagonal matrix of squares: the factor's diagonal are their roots, or those of the limits.
template <class T> void pivots(Run &run) {
  std::vector<T> a(32 * 32), least(32);
  for (size_t i = 0; i < 32; ++i) {
    a[i * 32 + i] = T((i + 1) * (i + 1));
    least[i] = i % 3 ? T(0.25) : T(4096 + 64 * i);
  }
  sextant::Array<T, 2> matrix = run.zeros2<T>(32, 32);
  matrix.write(a);
  sextant::Array<T> limits = run.array(least);
  run.launch("pivots", matrix, limits);
  const std::vector<T> got = matrix.read();
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j <= i; ++j) {
      const Real wanted = i != j ? 0 : std::sqrt(Real(i % 3 ? T((i + 1) * (i + 1)) : least[i]));
      if (!(std::fabs(Real(got[i * 32 + j]) - wanted) <=
            wanted * 4 * std::numeric_limits<T>::epsilon()))
        throw Mismatch{"the factor at (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                       std::to_string(double(got[i * 32 + j])) + ", not " +
                       std::to_string(double(wanted))};
    }
}

template <class T> void add(std::vector<Case> &cases) {
  const std::string module = moduleOf<T>("tile");
  cases.push_back(
      {module, "Cholesky of 16x16, one tile", [](Run &run) { factors<T>(run, "factor16", 16); }});
  cases.push_back({module, "Cholesky of 40x40 in tiles of 16",
                   [](Run &run) { factors<T>(run, "factor16", 40); }});
  cases.push_back({module, "Cholesky of 71x71 in tiles of 32",
                   [](Run &run) { factors<T>(run, "factor32", 71); }});
  cases.push_back({module, "two tiles a group, two groups a block", groups<T>});
  cases.push_back({module, "parts of arrays, shared arrays, outer products", parts<T>});
  cases.push_back({module, "memory that is smaller than a tile", narrow<T>});
  cases.push_back({module, "least pivots", pivots<T>});
}

} // namespace

void addTileCases(std::vector<Case> &cases) {
  add<float>(cases);
  add<double>(cases);
}

} // namespace conformance
