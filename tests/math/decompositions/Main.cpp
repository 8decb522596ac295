// Measures the decompositions of small matrices on one device, column by column, against LAPACK in
// f64.
//
//   sextant-decompositions MODULES [--device=NAME] [--count=N] [--only=NAME] [--results=FILE]
//                          VARIANT/waveN …
//
// MODULES has decompositions_TYPE_N.sxt. --count: matrices a decomposition, type, size and family.
// --only: one decomposition. --results writes a row each, which accuracy.py makes a page of.
// Status: 0, 2 if nothing was measured, 77 without LAPACK.
#define SEXTANT_THROWS
#include "tests/math/decompositions/Matrices.h"

#include "sextant/sextant.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>

using namespace decompositions;

namespace {

/// The largest errors so far, in units of the type's epsilon and of the matrix's norm. NaN sticks.
struct Worst {
  double values = 0;  ///< error of singular values, eigenvalues, or the solution's residual
  double product = 0; ///< error of the factors' product, beside the matrix
  double factors = 0; ///< error of what should be orthogonal, or symmetric

  static void take(double &worst, double error) {
    if (!(error <= worst))
      worst = error;
  }
};

template <class T, unsigned N> struct Bench {
  using Mat = sextant::Matrix<T, N, N>;
  using Vec = sextant::Vector<T, N>;
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();

  const sextant::Device &device;
  const sextant::Program &program;
  size_t count;

  template <class M> sextant::Array<M> upload(const std::vector<M> &all) const {
    return sextant::Array<M>(device, sextant::Span<const M>(all));
  }
  template <class M> sextant::Array<M> room() const {
    return sextant::Array<M>(device, int64_t(count));
  }
  template <class M> static Matrix wide(const M &m, unsigned rows, unsigned cols) {
    Matrix to(rows, cols);
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < cols; ++j)
        to(i, j) = double(m(i, j));
    return to;
  }
  /// Rounds the matrices to T, which the reference then starts from, too.
  std::vector<Mat> rounded(const std::vector<Matrix> &all) const {
    std::vector<Mat> to(all.size());
    for (size_t k = 0; k < all.size(); ++k)
      for (unsigned i = 0; i < N * N; ++i)
        to[k][i] = T(all[k].at[i]);
    return to;
  }
  static double unit(const Matrix &a) { return epsilon * std::max(norm(a), 1e-300); }
  static double orthogonality(const Matrix &q) {
    return distance(times(transposed(q), q), identity(q.cols)) / epsilon;
  }

  Worst svd(Family family) const {
    const std::vector<Mat> all = rounded(general(N, count, family));
    auto a = upload(all), u = room<Mat>(), s = room<Mat>(), v = room<Mat>();
    program.kernel("svd")(device.defaultStream(), a, u, s, v);
    const auto gotU = u.read(), gotS = s.read(), gotV = v.read();
    Worst worst;
    for (size_t k = 0; k < count; ++k) {
      const Matrix A = wide(all[k], N, N), U = wide(gotU[k], N, N), S = wide(gotS[k], N, N),
                   V = wide(gotV[k], N, N);
      const std::vector<double> expected = singularValues(A);
      for (unsigned i = 0; i < N; ++i)
        Worst::take(worst.values, std::fabs(std::fabs(S(i, i)) - expected[i]) / unit(A));
      Worst::take(worst.product, distance(times(times(U, S), transposed(V)), A) / unit(A));
      Worst::take(worst.factors, orthogonality(U));
      Worst::take(worst.factors, orthogonality(V));
    }
    return worst;
  }

  Worst polar(Family family) const {
    const std::vector<Mat> all = rounded(general(N, count, family));
    auto a = upload(all), r = room<Mat>(), s = room<Mat>();
    program.kernel("polar")(device.defaultStream(), a, r, s);
    const auto gotR = r.read(), gotS = s.read();
    Worst worst;
    for (size_t k = 0; k < count; ++k) {
      const Matrix A = wide(all[k], N, N), R = wide(gotR[k], N, N), S = wide(gotS[k], N, N);
      // The eigenvalues of S are the singular values of A, one of 3 perhaps negated.
      const std::vector<double> expected = singularValues(A);
      std::vector<double> got = eigenvalues(S);
      for (double &value : got)
        value = std::fabs(value);
      std::sort(got.begin(), got.end());
      for (unsigned i = 0; i < N; ++i)
        Worst::take(worst.values, std::fabs(got[N - 1 - i] - expected[i]) / unit(A));
      Worst::take(worst.product, distance(times(R, S), A) / unit(A));
      Worst::take(worst.factors, orthogonality(R));
    }
    return worst;
  }

  Worst symEig(Family family) const {
    const std::vector<Mat> all = rounded(symmetric(N, count, family));
    auto a = upload(all), vectors = room<Mat>();
    auto values = room<Vec>();
    program.kernel("sym_eig")(device.defaultStream(), a, values, vectors);
    const auto gotW = values.read();
    const auto gotV = vectors.read();
    Worst worst;
    for (size_t k = 0; k < count; ++k) {
      const Matrix A = wide(all[k], N, N), V = wide(gotV[k], N, N);
      const std::vector<double> expected = eigenvalues(A);
      Matrix W(N, N);
      for (unsigned i = 0; i < N; ++i) {
        W(i, i) = double(gotW[k][i]);
        Worst::take(worst.values, std::fabs(W(i, i) - expected[i]) / unit(A));
      }
      Worst::take(worst.product, distance(times(times(V, W), transposed(V)), A) / unit(A));
      Worst::take(worst.factors, orthogonality(V));
    }
    return worst;
  }

  Worst makeSpd(Family family) const {
    const std::vector<Mat> all = rounded(symmetric(N, count, family));
    auto a = upload(all), out = room<Mat>();
    program.kernel("make_spd")(device.defaultStream(), a, out);
    const auto got = out.read();
    Worst worst;
    for (size_t k = 0; k < count; ++k) {
      const Matrix A = wide(all[k], N, N), B = wide(got[k], N, N);
      // The eigenvalues are those of A, the negative ones replaced by 0.
      const std::vector<double> before = eigenvalues(A), after = eigenvalues(B);
      for (unsigned i = 0; i < N; ++i)
        Worst::take(worst.values, std::fabs(after[i] - std::max(before[i], 0.0)) / unit(A));
      Worst::take(worst.product, distance(positivePart(A), B) / unit(A));
      Worst::take(worst.factors, distance(B, transposed(B)) / unit(A));
    }
    return worst;
  }

  /// The solution's backward error: the residual, beside the norms of matrix and solution.
  Worst solve(Family family) const {
    const std::vector<Mat> all = rounded(general(N, count, family));
    std::vector<Vec> right(count);
    Random random(77);
    for (Vec &b : right)
      for (unsigned i = 0; i < N; ++i)
        b[i] = T(random.real());
    auto a = upload(all);
    auto b = upload(right), x = room<Vec>();
    program.kernel("solve")(device.defaultStream(), a, b, x);
    const auto got = x.read();
    Worst worst;
    for (size_t k = 0; k < count; ++k) {
      const Matrix A = wide(all[k], N, N), X = wide(got[k], N, 1), B = wide(right[k], N, 1);
      const Matrix best = solution(A, B);
      const double scale = norm(A) * norm(X) + norm(B);
      Worst::take(worst.product, distance(times(A, X), B) / (epsilon * scale));
      // Beside LAPACK's solution, in units that the condition of the matrix explains. A matrix that
      // rounding may have made singular has none.
      const std::vector<double> s = singularValues(A);
      const double condition = s[0] / std::max(s[N - 1], 1e-300);
      if (condition * epsilon < 0.1)
        Worst::take(worst.values, distance(X, best) / (epsilon * condition * norm(best)));
    }
    return worst;
  }

  Worst eig(Family family) const {
    const std::vector<Mat> all = rounded(general(N, count, family));
    auto a = upload(all), values = room<Mat>();
    auto vectors = room<sextant::Matrix<T, 4, 2>>();
    program.kernel("eig")(device.defaultStream(), a, values, vectors);
    const auto gotW = values.read();
    const auto gotV = vectors.read();
    Worst worst;
    for (size_t k = 0; k < count; ++k) {
      const Matrix A = wide(all[k], N, N);
      using Complex = std::complex<double>;
      std::vector<Complex> got;
      for (unsigned i = 0; i < N; ++i)
        got.emplace_back(double(gotW[k](i, 0)), double(gotW[k](i, 1)));
      const std::vector<Complex> expected = complexEigenvalues(A);
      const double straight = std::abs(got[0] - expected[0]) + std::abs(got[1] - expected[1]);
      const double crossed = std::abs(got[0] - expected[1]) + std::abs(got[1] - expected[0]);
      Worst::take(worst.values, std::min(straight, crossed) / unit(A));
      for (unsigned i = 0; i < N; ++i) { // a column's components are pairs of rows
        const Complex x(double(gotV[k](0, i)), double(gotV[k](1, i)));
        const Complex y(double(gotV[k](2, i)), double(gotV[k](3, i)));
        const double rest = std::abs(A(0, 0) * x + A(0, 1) * y - got[i] * x) +
                            std::abs(A(1, 0) * x + A(1, 1) * y - got[i] * y);
        Worst::take(worst.product, rest / (unit(A) * (std::abs(x) + std::abs(y))));
      }
    }
    return worst;
  }
};

struct Results {
  std::FILE *file = nullptr;
  std::string column, only;
  size_t rows = 0;

  void add(const char *what, const char *type, unsigned n, Family family, size_t count,
           const Worst &worst) {
    ++rows;
    std::printf("%-24s %-9s %s %2ux%-2u %-15s values %9.3g  product %9.3g  factors %9.3g\n",
                column.c_str(), what, type, n, n, nameOf(family), worst.values, worst.product,
                worst.factors);
    if (file)
      std::fprintf(file, "decomposition\t%s\t%s\t%s\t%u\t%s\t%zu\t%.17g\t%.17g\t%.17g\n",
                   column.c_str(), what, type, n, nameOf(family), count, worst.values,
                   worst.product, worst.factors);
  }
};

template <class T, unsigned N>
void measure(const sextant::Device &device, const std::string &modules, const std::string &variant,
             unsigned wave, size_t count, Results &results) {
  const char *type = sizeof(T) == 4 ? "f32" : "f64";
  const std::string path = modules + "/decompositions_" + type + "_" + std::to_string(N) + ".sxt";
  const sextant::Module module = sextant::Module::open(path.c_str());
  const sextant::Program program(module, device, variant, wave);
  const Bench<T, N> bench{device, program, count};
  for (Family family : families) {
    auto add = [&](const char *what, auto measured) {
      if (results.only.empty() || results.only == what)
        results.add(what, type, N, family, count, measured());
    };
    if constexpr (N <= 3) {
      add("svd", [&] { return bench.svd(family); });
      add("polar", [&] { return bench.polar(family); });
    }
    add("sym_eig", [&] { return bench.symEig(family); });
    add("make_spd", [&] { return bench.makeSpd(family); });
    if (family != Family::Singular) // which has no solution
      add("solve", [&] { return bench.solve(family); });
    if constexpr (N == 2)
      if (family == Family::Random || family == Family::Singular)
        add("eig", [&] { return bench.eig(family); });
  }
}

} // namespace

int main(int argc, char **argv) {
  std::string modules, name = std::getenv("SEXTANT_DEVICE") ? std::getenv("SEXTANT_DEVICE") : "";
  std::vector<std::string> columns;
  size_t count = 100000;
  Results results;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--device=", 0) == 0)
      name = word.substr(9);
    else if (word.rfind("--count=", 0) == 0)
      count = std::strtoul(word.c_str() + 8, nullptr, 10);
    else if (word.rfind("--only=", 0) == 0)
      results.only = word.substr(7);
    else if (word.rfind("--results=", 0) == 0)
      results.file = std::fopen(word.c_str() + 10, "w");
    else if (modules.empty())
      modules = word;
    else
      columns.push_back(word);
  }
  if (modules.empty() || columns.empty() || count == 0) {
    std::fprintf(stderr, "usage: sextant-decompositions MODULES [--device=NAME] [--count=N] "
                         "[--only=NAME] [--results=FILE] VARIANT/waveN …\n");
    return 2;
  }
  if (!hasLapack()) {
    std::printf("skipped: no liblapack.so.3\n");
    return 77;
  }
  try {
    const sextant::Device device =
        name.empty() ? sextant::Device::open() : sextant::Device::open(name.c_str());
    const std::time_t now = std::time(nullptr);
    char date[16];
    std::strftime(date, sizeof date, "%F", std::gmtime(&now));
    const sextant::Device::Info info = device.info();
    if (results.file)
      std::fprintf(results.file, "device\t%s\t%s\t%s\t%s\t%s\n", info.name, info.backend, info.arch,
                   info.description, date);
    for (const std::string &column : columns) {
      const size_t slash = column.rfind("/wave");
      const std::string variant = column.substr(0, slash);
      const unsigned wave = unsigned(std::strtoul(column.c_str() + slash + 5, nullptr, 10));
      results.column = column;
      auto all = [&]<class T>(T) {
        measure<T, 2>(device, modules, variant, wave, count, results);
        measure<T, 3>(device, modules, variant, wave, count, results);
        measure<T, 6>(device, modules, variant, wave, count, results);
        measure<T, 12>(device, modules, variant, wave, count, results);
      };
      all(float{});
      if (variant.rfind("metal", 0) != 0) // which has no f64
        all(double{});
    }
  } catch (const sextant::Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  if (results.file)
    std::fclose(results.file);
  return results.rows ? 0 : 2;
}
