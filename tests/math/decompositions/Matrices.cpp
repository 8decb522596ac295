#include "tests/math/decompositions/Matrices.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>

namespace decompositions {

Matrix identity(unsigned n) {
  Matrix m(n, n);
  for (unsigned i = 0; i < n; ++i)
    m(i, i) = 1;
  return m;
}

Matrix times(const Matrix &a, const Matrix &b) {
  Matrix m(a.rows, b.cols);
  for (unsigned i = 0; i < a.rows; ++i)
    for (unsigned k = 0; k < a.cols; ++k)
      for (unsigned j = 0; j < b.cols; ++j)
        m(i, j) += a(i, k) * b(k, j);
  return m;
}

Matrix transposed(const Matrix &a) {
  Matrix m(a.cols, a.rows);
  for (unsigned i = 0; i < a.rows; ++i)
    for (unsigned j = 0; j < a.cols; ++j)
      m(j, i) = a(i, j);
  return m;
}

double norm(const Matrix &a) {
  double sum = 0;
  for (double value : a.at)
    sum += value * value;
  return std::sqrt(sum);
}

double distance(const Matrix &a, const Matrix &b) {
  double sum = 0;
  for (size_t i = 0; i < a.at.size(); ++i)
    sum += (a.at[i] - b.at[i]) * (a.at[i] - b.at[i]);
  return std::sqrt(sum);
}

//===--- Inputs --------------------------------------------------------------===//

const char *nameOf(Family family) {
  switch (family) {
  case Family::Random:
    return "random";
  case Family::NearlySingular:
    return "nearly singular";
  case Family::Repeated:
    return "repeated";
  case Family::Singular:
    break;
  }
  return "singular";
}

uint64_t Random::bits() {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
double Random::real() { return std::ldexp(double(bits() >> 11), -52) - 1; }

namespace {

/// A product of reflections at random planes.
Matrix orthogonal(Random &random, unsigned n) {
  Matrix q = identity(n);
  for (unsigned k = 0; k < n; ++k) {
    std::vector<double> v(n);
    double square = 0;
    while (square < 0.01) {
      square = 0;
      for (double &x : v) {
        x = random.real();
        square += x * x;
      }
    }
    for (unsigned i = 0; i < n; ++i) {
      double dot = 0;
      for (unsigned j = 0; j < n; ++j)
        dot += q(i, j) * v[j];
      for (unsigned j = 0; j < n; ++j)
        q(i, j) -= 2 * dot / square * v[j];
    }
  }
  return q;
}

/// Singular values or eigenvalues as the family has them; they may be negative.
std::vector<double> spectrum(Random &random, unsigned n, Family family) {
  std::vector<double> d(n);
  for (double &x : d)
    x = random.real();
  const double closeness[] = {0, 1e-12, 1e-7, 1e-4};
  switch (family) {
  case Family::Random:
    break;
  case Family::NearlySingular:
    d[0] = 1;
    d[n - 1] = std::pow(10, -3 - double(random.bits() % 10));
    break;
  case Family::Repeated: {
    const unsigned equal = 2 + unsigned(random.bits() % (n - 1));
    const double apart = closeness[random.bits() % 4];
    for (unsigned i = 1; i < equal; ++i)
      d[i] = d[0] * (1 + apart * random.real());
    break;
  }
  case Family::Singular:
    for (unsigned zeros = 1 + unsigned(random.bits() % n); zeros-- > 0;)
      d[n - 1 - zeros] = 0;
    break;
  }
  return d;
}

std::vector<Matrix> make(unsigned n, size_t count, Family family, bool isSymmetric) {
  Random random(1000 * n + 10 * unsigned(family) + isSymmetric);
  std::vector<Matrix> all;
  for (size_t k = 0; k < count; ++k) {
    Matrix a(n, n);
    if (family == Family::Random) {
      for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < n; ++j)
          a(i, j) = isSymmetric && j < i ? a(j, i) : random.real();
    } else {
      Matrix d(n, n);
      const std::vector<double> values = spectrum(random, n, family);
      for (unsigned i = 0; i < n; ++i)
        d(i, i) = values[i];
      const Matrix left = orthogonal(random, n);
      const Matrix right = isSymmetric ? left : orthogonal(random, n);
      a = times(times(left, d), transposed(right));
      for (unsigned i = 0; i < n && isSymmetric; ++i)
        for (unsigned j = 0; j < i; ++j)
          a(i, j) = a(j, i);
    }
    all.push_back(std::move(a));
  }
  return all;
}

} // namespace

std::vector<Matrix> general(unsigned n, size_t count, Family family) {
  return make(n, count, family, false);
}
std::vector<Matrix> symmetric(unsigned n, size_t count, Family family) {
  return make(n, count, family, true);
}

//===--- LAPACK --------------------------------------------------------------===//

namespace {

/// LAPACK's Fortran names; matrices lie column by column.
struct Lapack {
  void (*dgesvd)(const char *, const char *, const int *, const int *, double *, const int *,
                 double *, double *, const int *, double *, const int *, double *, const int *,
                 int *, size_t, size_t) = nullptr;
  void (*dsyev)(const char *, const char *, const int *, double *, const int *, double *, double *,
                const int *, int *, size_t, size_t) = nullptr;
  void (*dgeev)(const char *, const char *, const int *, double *, const int *, double *, double *,
                double *, const int *, double *, const int *, double *, const int *, int *, size_t,
                size_t) = nullptr;
  void (*dgesv)(const int *, const int *, double *, const int *, int *, double *, const int *,
                int *) = nullptr;

  Lapack() {
    void *library = dlopen("liblapack.so.3", RTLD_NOW);
    if (!library)
      return;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    };
    find(dgesvd, "dgesvd_");
    find(dsyev, "dsyev_");
    find(dgeev, "dgeev_");
    find(dgesv, "dgesv_");
  }
};

const Lapack &lapack() {
  static const Lapack found;
  return found;
}

constexpr int workSize = 1024;

} // namespace

bool hasLapack() {
  const Lapack &l = lapack();
  return l.dgesvd && l.dsyev && l.dgeev && l.dgesv;
}

std::vector<double> singularValues(const Matrix &a) {
  const int n = int(a.rows), one = 1;
  std::vector<double> copy = transposed(a).at, values(a.rows), work(workSize);
  double none = 0;
  int info = 0;
  lapack().dgesvd("N", "N", &n, &n, copy.data(), &n, values.data(), &none, &one, &none, &one,
                  work.data(), &workSize, &info, 1, 1);
  return values;
}

std::vector<double> eigenvalues(const Matrix &a) {
  const int n = int(a.rows);
  std::vector<double> copy = transposed(a).at, values(a.rows), work(workSize);
  int info = 0;
  lapack().dsyev("N", "U", &n, copy.data(), &n, values.data(), work.data(), &workSize, &info, 1, 1);
  return values;
}

Matrix positivePart(const Matrix &a) {
  const int n = int(a.rows);
  std::vector<double> vectors = transposed(a).at, values(a.rows), work(workSize);
  int info = 0;
  lapack().dsyev("V", "U", &n, vectors.data(), &n, values.data(), work.data(), &workSize, &info, 1,
                 1);
  Matrix m(a.rows, a.rows);
  for (unsigned k = 0; k < a.rows; ++k)
    for (unsigned i = 0; i < a.rows; ++i)
      for (unsigned j = 0; j < a.rows; ++j)
        m(i, j) += std::max(values[k], 0.0) * vectors[k * a.rows + i] * vectors[k * a.rows + j];
  return m;
}

std::vector<std::complex<double>> complexEigenvalues(const Matrix &a) {
  const int n = int(a.rows), one = 1;
  std::vector<double> copy = transposed(a).at, real(a.rows), imaginary(a.rows), work(workSize);
  double none = 0;
  int info = 0;
  lapack().dgeev("N", "N", &n, copy.data(), &n, real.data(), imaginary.data(), &none, &one, &none,
                 &one, work.data(), &workSize, &info, 1, 1);
  std::vector<std::complex<double>> values;
  for (unsigned i = 0; i < a.rows; ++i)
    values.emplace_back(real[i], imaginary[i]);
  return values;
}

Matrix solution(const Matrix &a, const Matrix &b) {
  const int n = int(a.rows), one = 1;
  std::vector<double> copy = transposed(a).at;
  std::vector<int> pivots(a.rows);
  Matrix x = b;
  int info = 0;
  lapack().dgesv(&n, &one, copy.data(), &n, pivots.data(), x.at.data(), &n, &info);
  return x;
}

} // namespace decompositions
