// Inverses and determinants of 5, 8 and 12 rows, against elimination with complete pivoting in
// higher precision; on matrices that go wrong without pivots, and some whose inverse is exact.
#include "tests/conformance/Harness.h"

namespace conformance {

namespace {

using Real = long double;

template <unsigned N> struct Reference {
  Real inverse[N][N] = {};
  Real determinant = 1;
  bool isSingular = false;
};

template <unsigned N, class T> Reference<N> referenceOf(const sextant::Matrix<T, N, N> &m) {
  Reference<N> result;
  Real a[N][2 * N];
  unsigned columns[N];
  for (unsigned i = 0; i < N; ++i) {
    columns[i] = i;
    for (unsigned j = 0; j < N; ++j) {
      a[i][j] = m(i, j);
      a[i][N + j] = i == j;
    }
  }
  for (unsigned k = 0; k < N; ++k) {
    unsigned row = k, column = k;
    for (unsigned i = k; i < N; ++i)
      for (unsigned j = k; j < N; ++j)
        if (std::fabs(a[i][j]) > std::fabs(a[row][column]))
          row = i, column = j;
    if (a[row][column] == 0) {
      result.isSingular = true;
      result.determinant = 0;
      return result;
    }
    if (row != k)
      std::swap_ranges(a[row], a[row] + 2 * N, a[k]), result.determinant *= -1;
    if (column != k) {
      for (unsigned i = 0; i < N; ++i)
        std::swap(a[i][column], a[i][k]);
      std::swap(columns[column], columns[k]);
      result.determinant *= -1;
    }
    const Real pivot = a[k][k];
    result.determinant *= pivot;
    for (unsigned j = 0; j < 2 * N; ++j)
      a[k][j] /= pivot;
    for (unsigned i = 0; i < N; ++i) {
      const Real factor = a[i][k];
      for (unsigned j = 0; i != k && j < 2 * N; ++j)
        a[i][j] -= factor * a[k][j];
    }
  }
  for (unsigned i = 0; i < N; ++i)
    for (unsigned j = 0; j < N; ++j)
      result.inverse[columns[i]][j] = a[i][N + j];
  return result;
}

/// The largest row sum of magnitudes.
template <unsigned N, class F> Real normOf(F at) {
  Real most = 0;
  for (unsigned i = 0; i < N; ++i) {
    Real sum = 0;
    for (unsigned j = 0; j < N; ++j)
      sum += std::fabs(Real(at(i, j)));
    most = std::isnan(sum) ? sum : std::max(most, sum);
  }
  return most;
}

/// Kinds of matrices; what a kind is for stands at it.
template <unsigned N, class T> sextant::Matrix<T, N, N> make(Run &run, size_t kind) {
  sextant::Matrix<T, N, N> m{};
  auto number = [&] { return T(int64_t(run.random() % 2000001) - 1000000) / T(1000000); };
  switch (kind % 6) {
  case 0: // anything
    for (T &x : m.data)
      x = number();
    break;
  case 1: // a first pivot that loses all digits, and a small diagonal further on
    for (T &x : m.data)
      x = number();
    for (unsigned i = 0; i < N; ++i)
      m(i, i) = std::ldexp(number(), -18);
    break;
  case 2: { // a permutation times powers of two: zeros on the diagonal, and an exact inverse
    unsigned order[N];
    for (unsigned i = 0; i < N; ++i)
      order[i] = (i + 1) % N;
    std::shuffle(order + 1, order + N, run.random);
    for (unsigned i = 0; i < N; ++i)
      m(i, order[i]) = std::ldexp(run.random() % 2 ? T(1) : T(-1), int(run.random() % 9) - 4);
    break;
  }
  case 3: // rows of very different size
    for (unsigned i = 0; i < N; ++i)
      for (unsigned j = 0; j < N; ++j)
        m(i, j) = std::ldexp(number(), int((i * 5) % N) * 2 - int(N));
    break;
  case 4: // 1 / (i + j + 1) and a diagonal: badly conditioned, less so for f32
    for (unsigned i = 0; i < N; ++i)
      for (unsigned j = 0; j < N; ++j)
        m(i, N - 1 - j) =
            T(1) / T(i + j + 1) + (i == j ? (std::is_same_v<T, float> ? T(0.01) : T(1e-6)) : T(0));
    break;
  case 5: // block-triangular, upside down
    for (unsigned i = 0; i < N; ++i)
      for (unsigned j = 0; j < N; ++j)
        m(i, j) = i + j < N - 1 ? T(0) : number() + (i + j == N - 1 ? T(2) : T(0));
    break;
  }
  return m;
}

template <unsigned N, class T> void inverse(Run &run) {
  using Matrix = sextant::Matrix<T, N, N>;
  const size_t count = 90;
  std::vector<Matrix> matrices(count);
  for (size_t i = 0; i < count; ++i)
    matrices[i] = make<N, T>(run, i);
  // Without an inverse: a column of zeros, which no rounding hides.
  const size_t singular = 7;
  for (unsigned i = 0; i < N; ++i)
    matrices[singular](i, N / 2) = 0;
  auto m = run.array(matrices);
  auto result = run.zeros<Matrix>(count);
  auto determinants = run.zeros<T>(count);
  run.launch("inverse_" + std::to_string(N), m, result, determinants);
  auto out = result.read();
  auto det = determinants.read();
  constexpr Real epsilon = std::numeric_limits<T>::epsilon();
  for (size_t i = 0; i < count; ++i) {
    const Reference<N> expected = referenceOf<N, T>(matrices[i]);
    if (i == singular) {
      expectEqual("determinant of a singular matrix", i, det[i], T(0));
      bool isFinite = true;
      for (T x : out[i].data)
        isFinite &= std::isfinite(x);
      if (isFinite)
        throw Mismatch{"the inverse of a singular matrix has only finite elements"};
      continue;
    }
    if (i % 6 == 2) {
      for (unsigned k = 0; k < N * N; ++k)
        expectEqual("exact inverse " + std::to_string(i), k, out[i].data[k],
                    T(expected.inverse[k / N][k % N]));
      expectSame("exact determinant", i, det[i], T(expected.determinant));
      continue;
    }
    const Real norm = normOf<N>([&](unsigned r, unsigned c) { return matrices[i](r, c); });
    const Real size = normOf<N>([&](unsigned r, unsigned c) { return expected.inverse[r][c]; });
    const Real error =
        normOf<N>([&](unsigned r, unsigned c) { return out[i](r, c) - expected.inverse[r][c]; });
    // The bound of elimination with partial pivots, with a modest constant.
    const Real bound = 4 * N * epsilon * norm * size;
    if (!(error <= bound * size))
      throw Mismatch{"inverse " + std::to_string(i) + " is off by " + show(double(error / size)) +
                     " of its size, at most " + show(double(bound)) + " was expected"};
    const Real off = std::fabs(det[i] - expected.determinant);
    if (!(off <= bound * std::fabs(expected.determinant)))
      throw Mismatch{"determinant " + std::to_string(i) + " is " + show(det[i]) + ", expected " +
                     show(double(expected.determinant))};
  }
}

template <class T> void addCases(std::vector<Case> &cases) {
  const std::string module = moduleOf<T>("inverse");
  cases.push_back({module, "5 rows", inverse<5, T>});
  cases.push_back({module, "8 rows", inverse<8, T>});
  cases.push_back({module, "12 rows", inverse<12, T>});
}

} // namespace

void addInverseCases(std::vector<Case> &cases) {
  addCases<float>(cases);
  addCases<double>(cases);
}

} // namespace conformance
