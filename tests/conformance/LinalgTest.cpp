// Decompositions: what they promise is computed back in long double, on random matrices, on some
// that are singular, nearly so, or have equal values, and on some whose decomposition is known.
// Complex numbers against std::complex.
#include "tests/conformance/Harness.h"

#include <array>
#include <complex>

namespace conformance {

namespace {

using Real = long double;

template <unsigned N> struct Square {
  Real at[N][N] = {};
  Real *operator[](unsigned row) { return at[row]; }
  const Real *operator[](unsigned row) const { return at[row]; }
};

template <unsigned N> Square<N> identity() {
  Square<N> m{};
  for (unsigned i = 0; i < N; ++i)
    m[i][i] = 1;
  return m;
}
template <unsigned N> Square<N> times(const Square<N> &a, const Square<N> &b) {
  Square<N> m{};
  for (unsigned i = 0; i < N; ++i)
    for (unsigned j = 0; j < N; ++j)
      for (unsigned k = 0; k < N; ++k)
        m[i][j] += a[i][k] * b[k][j];
  return m;
}
template <unsigned N> Square<N> transposed(const Square<N> &a) {
  Square<N> m{};
  for (unsigned i = 0; i < N; ++i)
    for (unsigned j = 0; j < N; ++j)
      m[i][j] = a[j][i];
  return m;
}
template <unsigned N> Real determinant(const Square<N> &a) {
  static_assert(N == 2 || N == 3);
  if constexpr (N == 2)
    return a.at[0][0] * a.at[1][1] - a.at[0][1] * a.at[1][0];
  Real sum = 0;
  for (unsigned i = 0; i < N; ++i)
    sum += a.at[0][i] * (a.at[1][(i + 1) % N] * a.at[2 % N][(i + 2) % N] -
                         a.at[1][(i + 2) % N] * a.at[2 % N][(i + 1) % N]);
  return sum;
}
template <unsigned N> Real largest(const Square<N> &a) {
  Real most = 0;
  for (const auto &row : a.at)
    for (Real value : row)
      most = std::isnan(value) ? value : std::max(most, std::fabs(value));
  return most;
}
template <unsigned N> Real distance(const Square<N> &a, const Square<N> &b) {
  Square<N> m{};
  for (unsigned i = 0; i < N; ++i)
    for (unsigned j = 0; j < N; ++j)
      m[i][j] = a[i][j] - b[i][j];
  return largest(m);
}
template <unsigned N, class T> Square<N> squareOf(const sextant::Matrix<T, N, N> &m) {
  Square<N> a{};
  for (unsigned i = 0; i < N; ++i)
    for (unsigned j = 0; j < N; ++j)
      a[i][j] = m(i, j);
  return a;
}

/// An orthogonal matrix: rotations in planes, by angles of 3-4-5 triangles and others.
template <unsigned N> Square<N> rotation(Run &run) {
  Square<N> q = identity<N>();
  for (unsigned i = 0; i < N; ++i)
    for (unsigned j = i + 1; j < N; ++j) {
      const Real angle = Real(run.random() % 1000) / 100;
      Square<N> turn = identity<N>();
      turn[i][i] = turn[j][j] = run.random() % 2 ? Real(0.6L) : std::cos(angle);
      const Real sine = turn[i][i] == Real(0.6L) ? Real(0.8L) : std::sin(angle);
      turn[i][j] = -sine;
      turn[j][i] = sine;
      q = times(q, turn);
    }
  return q;
}

/// A matrix q d r', and d in descending order.
template <unsigned N> struct Known {
  Square<N> matrix;
  std::array<Real, N> values;
  bool isMirrored = false; ///< a row was negated: the determinant is not positive
};
template <unsigned N> Known<N> known(Run &run, unsigned kind, bool symmetric) {
  Known<N> result{};
  for (unsigned i = 0; i < N; ++i) {
    Real value = Real(int(run.random() % 2001) - 1000) / 100;
    if (kind == 1 && i > 0)
      value = result.values[0]; // all equal
    if (kind == 2 && i == 0)
      value *= Real(1e-5L); // nearly singular
    if (kind == 3 && i % 2 == 0)
      value = 0; // singular
    if (kind == 4)
      value = 0;
    result.values[i] = symmetric ? value : std::fabs(value);
  }
  Square<N> d{};
  for (unsigned i = 0; i < N; ++i)
    d[i][i] = result.values[i];
  const Square<N> q = rotation<N>(run), r = symmetric ? q : rotation<N>(run);
  result.matrix = times(times(q, d), transposed(r));
  std::sort(result.values.rbegin(), result.values.rend());
  return result;
}

template <class T> void expectWithin(const char *what, size_t at, Real error, Real bound) {
  const Real units = error / std::numeric_limits<T>::epsilon();
  if (!(units <= bound))
    throw Mismatch{std::string(what) + " of matrix " + std::to_string(at) + " is off by " +
                   std::to_string(double(units)) + " epsilons"};
}

constexpr size_t count = 300;

template <unsigned N, class T> struct Input {
  std::vector<sextant::Matrix<T, N, N>> matrices;
  std::vector<Known<N>> known;
};
template <unsigned N, class T> Input<N, T> input(Run &run, bool symmetric) {
  Input<N, T> in;
  for (size_t i = 0; i < count; ++i) {
    in.known.push_back(known<N>(run, unsigned(i % 6), symmetric));
    sextant::Matrix<T, N, N> m{};
    for (unsigned r = 0; r < N; ++r)
      for (unsigned c = 0; c < N; ++c)
        m(r, c) = T(
            in.known.back().matrix[symmetric ? std::min(r, c) : r][symmetric ? std::max(r, c) : c]);
    if (in.known.back().isMirrored = !symmetric && i % 12 >= 6; in.known.back().isMirrored)
      for (unsigned c = 0; c < N; ++c)
        m(0, c) = -m(0, c);
    in.matrices.push_back(m);
    in.known.back().matrix = squareOf(m);
  }
  return in;
}

template <unsigned N, class T> void svd(Run &run) {
  const Input<N, T> in = input<N, T>(run, false);
  auto a = run.array(in.matrices), u = run.array(in.matrices), s = run.array(in.matrices),
       v = run.array(in.matrices);
  run.launch("svd_" + std::to_string(N), a, u, s, v);
  const auto us = u.read(), ss = s.read(), vs = v.read();
  for (size_t i = 0; i < count; ++i) {
    const Square<N> uu = squareOf(us[i]), sigma = squareOf(ss[i]), vv = squareOf(vs[i]);
    const Real size = std::max(largest(in.known[i].matrix), Real(1e-30L));
    expectWithin<T>("the product", i,
                    distance(times(times(uu, sigma), transposed(vv)), in.known[i].matrix) / size,
                    40);
    expectWithin<T>("U", i, distance(times(uu, transposed(uu)), identity<N>()), 30);
    expectWithin<T>("V", i, distance(times(vv, transposed(vv)), identity<N>()), 30);
    // For 3x3, both are rotations, and the last singular value has the sign.
    expectWithin<T>("the determinant of V", i, std::fabs(determinant(vv) - 1), 60);
    if (N == 3)
      expectWithin<T>("the determinant of U", i, std::fabs(determinant(uu) - 1), 60);
    for (unsigned k = 0; k < N; ++k) {
      const bool hasSign = N == 3 && k == 2;
      const Real wanted =
          hasSign && in.known[i].isMirrored ? -in.known[i].values[k] : in.known[i].values[k];
      expectWithin<T>("a singular value", i, std::fabs(sigma[k][k] - wanted) / size, 30);
      if ((sigma[k][k] < 0 && !hasSign) || (k > 0 && std::fabs(sigma[k][k]) > sigma[k - 1][k - 1]))
        throw Mismatch{"singular values of matrix " + std::to_string(i) + " are out of order"};
      for (unsigned j = 0; j < N; ++j)
        if (j != k && sigma[k][j] != 0)
          throw Mismatch{"S of matrix " + std::to_string(i) + " is not diagonal"};
    }
  }
}

template <class T> void polar(Run &run) {
  const Input<3, T> in = input<3, T>(run, false);
  auto a = run.array(in.matrices), r = run.array(in.matrices), s = run.array(in.matrices);
  run.launch("polar_3", a, r, s);
  const auto rs = r.read(), ss = s.read();
  for (size_t i = 0; i < count; ++i) {
    const Square<3> rotation = squareOf(rs[i]), stretch = squareOf(ss[i]);
    const Real size = std::max(largest(in.known[i].matrix), Real(1e-30L));
    expectWithin<T>("the product", i, distance(times(rotation, stretch), in.known[i].matrix) / size,
                    60);
    expectWithin<T>("R", i, distance(times(rotation, transposed(rotation)), identity<3>()), 40);
    expectWithin<T>("the determinant of R", i, std::fabs(determinant(rotation) - 1), 120);
    expectWithin<T>("S", i, distance(stretch, transposed(stretch)) / size, 30);
  }
}

template <unsigned N, class T> void symEig(Run &run) {
  const Input<N, T> in = input<N, T>(run, true);
  auto a = run.array(in.matrices), vectors = run.array(in.matrices);
  auto values = run.array(std::vector<sextant::Vector<T, N>>(count));
  run.launch("sym_eig_" + std::to_string(N), a, values, vectors);
  const auto ws = values.read();
  const auto vs = vectors.read();
  for (size_t i = 0; i < count; ++i) {
    const Square<N> v = squareOf(vs[i]);
    Square<N> w{};
    const Real size = std::max(largest(in.known[i].matrix), Real(1e-30L));
    for (unsigned k = 0; k < N; ++k) {
      w[k][k] = ws[i][k];
      expectWithin<T>("an eigenvalue", i, std::fabs(w[k][k] - in.known[i].values[N - 1 - k]) / size,
                      40);
      if (k > 0 && !(w[k - 1][k - 1] <= w[k][k]))
        throw Mismatch{"eigenvalues of matrix " + std::to_string(i) + " are out of order"};
    }
    expectWithin<T>("the product", i,
                    distance(times(times(v, w), transposed(v)), in.known[i].matrix) / size, 60);
    expectWithin<T>("V", i, distance(times(v, transposed(v)), identity<N>()), 50);
  }
}

template <class T> void makeSpd(Run &run) {
  const Input<5, T> in = input<5, T>(run, true);
  auto a = run.array(in.matrices), out = run.array(in.matrices);
  run.launch("make_spd_5", a, out);
  const auto got = out.read();
  for (size_t i = 0; i < count; ++i) {
    // The distance of the matrix to the result is the norm of its negative eigenvalues, and no
    // other such matrix is closer.
    const Square<5> m = squareOf(got[i]);
    const Real size = std::max(largest(in.known[i].matrix), Real(1e-30L));
    Real wanted = 0, is = 0, trace = 0, sum = 0;
    for (unsigned r = 0; r < 5; ++r) {
      wanted += std::pow(std::min(in.known[i].values[r], Real(0)), 2);
      sum += std::max(in.known[i].values[r], Real(0));
      trace += m[r][r];
      for (unsigned c = 0; c < 5; ++c)
        is += std::pow(m[r][c] - in.known[i].matrix[r][c], 2);
    }
    expectWithin<T>("the distance", i, std::fabs(std::sqrt(is) - std::sqrt(wanted)) / size, 100);
    expectWithin<T>("the trace", i, std::fabs(trace - sum) / size, 150);
    expectWithin<T>("symmetry", i, distance(m, transposed(m)), 0);
  }
}

template <class T> void eig(Run &run) {
  std::vector<sextant::Matrix<T, 2, 2>> matrices = {
      {{2, 0, 0, 3}}, {{1, 0, 0, 1}}, {{0, 1, -1, 0}}, {{1, 1, 0, 1}}, {{0, 0, 0, 0}},
      {{3, 1, 1, 3}}, {{1, 2, 3, 4}}, {{5, -2, 4, 1}}, {{0, 0, 7, 0}}, {{1, -4, 1, 1}}};
  for (int i = 0; i < 200; ++i) {
    sextant::Matrix<T, 2, 2> m{};
    for (unsigned k = 0; k < 4; ++k)
      m[k] = T(int(run.random() % 41) - 20) / 4;
    matrices.push_back(m);
  }
  auto a = run.array(matrices), values = run.array(matrices);
  auto vectors = run.array(std::vector<sextant::Matrix<T, 4, 2>>(matrices.size()));
  run.launch("eig_2", a, values, vectors);
  const auto ws = values.read();
  const auto vs = vectors.read();
  using Complex = std::complex<Real>;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const auto &m = matrices[i];
    Complex sum = 0, product = 1;
    for (unsigned k = 0; k < 2; ++k) {
      const Complex l(ws[i](k, 0), ws[i](k, 1));
      const Complex x(vs[i](0, k), vs[i](1, k)), y(vs[i](2, k), vs[i](3, k));
      sum += l;
      product *= l;
      const Real error = std::abs(Complex(m(0, 0)) * x + Complex(m(0, 1)) * y - l * x) +
                         std::abs(Complex(m(1, 0)) * x + Complex(m(1, 1)) * y - l * y);
      expectWithin<T>("an eigenvector", i, error / 20, 20);
      expectWithin<T>("a length", i, std::fabs(std::norm(x) + std::norm(y) - 1), 20);
    }
    const Real trace = Real(m(0, 0)) + m(1, 1);
    const Real determinant = Real(m(0, 0)) * m(1, 1) - Real(m(0, 1)) * m(1, 0);
    expectWithin<T>("the trace", i, std::abs(sum - trace) / 20, 20);
    expectWithin<T>("the determinant", i, std::abs(product - determinant) / 100, 20);
  }
}

template <class T> void solve(Run &run) {
  std::vector<sextant::Matrix<T, 5, 5>> matrices(200);
  std::vector<sextant::Vector<T, 5>> right(200);
  for (size_t i = 0; i < matrices.size(); ++i)
    for (unsigned r = 0; r < 5; ++r) {
      right[i][r] = T(int(run.random() % 201) - 100);
      for (unsigned c = 0; c < 5; ++c) // the first pivot is 0 in every third
        matrices[i](r, c) =
            r + c == 0 && i % 3 == 0 ? T(0) : T(int(run.random() % 2001) - 1000) / 64;
    }
  auto a = run.array(matrices);
  auto b = run.array(right), x = run.array(right);
  run.launch("solve_5", a, b, x);
  const auto xs = x.read();
  for (size_t i = 0; i < matrices.size(); ++i) {
    Real size = 0, error = 0;
    for (unsigned r = 0; r < 5; ++r) {
      Real sum = -Real(right[i][r]), all = std::fabs(Real(right[i][r]));
      for (unsigned c = 0; c < 5; ++c) {
        sum += Real(matrices[i](r, c)) * xs[i][c];
        all += std::fabs(Real(matrices[i](r, c)) * xs[i][c]);
      }
      error = std::isnan(sum) ? sum : std::max(error, std::fabs(sum));
      size = std::max(size, all);
    }
    expectWithin<T>("the remainder", i, error / size, 60);
  }
}

template <class T> void complexNumbers(Run &run) {
  using Complex = std::complex<Real>;
  std::vector<sextant::Vector<T, 2>> z = {
      {{1, 0}}, {{0, 2}}, {{-4, 0}}, {{3, -4}}, {{-0.5, -0.25}}};
  for (int i = 0; i < 60; ++i)
    z.push_back({{T(int(run.random() % 401) - 200) / 64 + T(0.001),
                  T(int(run.random() % 401) - 200) / 64}});
  auto in = run.array(z);
  sextant::Array<sextant::Vector<T, 2>, 2> out(run.device, {int64_t(z.size()), 8});
  run.launch("complex_numbers", in, out);
  const auto got = out.read();
  for (size_t i = 0; i < z.size(); ++i) {
    const auto &next = z[(i + 1) % z.size()];
    const Complex x(z[i][0], z[i][1]), y(next[0], next[1]);
    // The division of Zig's runtime library crashes for long double.
    const Complex wanted[] = {x * y,        x * std::conj(y) / std::norm(y),
                              std::conj(x), std::conj(x) / std::norm(x),
                              std::sqrt(x), std::pow(x, 3),
                              std::exp(x),  std::log(x)};
    for (size_t k = 0; k < 8; ++k) {
      const Complex is(got[8 * i + k][0], got[8 * i + k][1]);
      const Real scale = std::max(std::abs(wanted[k]), k == 7 ? Real(1) : Real(0));
      expectWithin<T>("a complex number", 8 * i + k, std::abs(is - wanted[k]) / scale, 60);
    }
  }
}

template <class T> void normal(Run &run) {
  constexpr size_t n = 4096;
  auto out = run.zeros<T>(n);
  run.launch("normal", out);
  Real mean = 0, square = 0, cube = 0;
  size_t inside = 0;
  for (T value : out.read()) {
    mean += value / Real(n);
    square += Real(value) * value / Real(n);
    cube += Real(value) * value * value / Real(n);
    inside += std::fabs(value) < 1;
  }
  // Five standard deviations of each estimate: 1 / sqrt(n) is 1/64.
  if (std::fabs(mean) > 5.0 / 64 || std::fabs(square - 1) > 5 * 1.42 / 64 ||
      std::fabs(cube) > 5 * 3.9 / 64 || std::fabs(Real(inside) / n - 0.6827L) > 5 * 0.466 / 64)
    throw Mismatch{"not normal: mean " + std::to_string(double(mean)) + ", square " +
                   std::to_string(double(square)) + ", cube " + std::to_string(double(cube))};
}

template <class T> void add(std::vector<Case> &cases) {
  const std::string module = moduleOf<T>("linalg");
  cases.push_back({module, "svd 2x2", svd<2, T>});
  cases.push_back({module, "svd 3x3", svd<3, T>});
  cases.push_back({module, "polar_decompose 3x3", polar<T>});
  cases.push_back({module, "sym_eig 2x2", symEig<2, T>});
  cases.push_back({module, "sym_eig 3x3", symEig<3, T>});
  cases.push_back({module, "sym_eig 5x5", symEig<5, T>});
  cases.push_back({module, "sym_eig 8x8", symEig<8, T>});
  cases.push_back({module, "make_spd 5x5", makeSpd<T>});
  cases.push_back({module, "eig 2x2", eig<T>});
  cases.push_back({module, "solve 5x5", solve<T>});
  cases.push_back({module, "complex numbers", complexNumbers<T>});
  cases.push_back({module, "normal numbers", normal<T>});
}

} // namespace

void addLinalgCases(std::vector<Case> &cases) {
  add<float>(cases);
  add<double>(cases);
}

} // namespace conformance
