// Matrices in f64: those to decompose, and what LAPACK says of them.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace decompositions {

/// Row by row.
struct Matrix {
  unsigned rows, cols;
  std::vector<double> at;

  Matrix(unsigned rows, unsigned cols) : rows(rows), cols(cols), at(size_t(rows) * cols) {}
  double &operator()(unsigned i, unsigned j) { return at[size_t(i) * cols + j]; }
  double operator()(unsigned i, unsigned j) const { return at[size_t(i) * cols + j]; }
};

Matrix identity(unsigned n);
Matrix times(const Matrix &a, const Matrix &b);
Matrix transposed(const Matrix &a);
/// The Frobenius norm.
double norm(const Matrix &a);
double distance(const Matrix &a, const Matrix &b);

//===--- Inputs --------------------------------------------------------------===//

/// The kind of the singular values, or eigenvalues, of a family's matrices.
enum class Family : uint8_t {
  Random,         ///< entries from -1 to 1
  NearlySingular, ///< the smallest is 10^-3 to 10^-12 of the largest
  Repeated,       ///< two or more are equal, or almost
  Singular,       ///< one or more are 0; some matrices are 0
};
constexpr Family families[] = {Family::Random, Family::NearlySingular, Family::Repeated,
                               Family::Singular};
const char *nameOf(Family family);

/// Numbers that depend only on the seed (SplitMix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t bits();
  double real(); ///< from -1 to 1

private:
  uint64_t state;
};

std::vector<Matrix> general(unsigned n, size_t count, Family family);
std::vector<Matrix> symmetric(unsigned n, size_t count, Family family);

//===--- LAPACK, found at run time -------------------------------------------===//

bool hasLapack();
/// In descending order: dgesvd.
std::vector<double> singularValues(const Matrix &a);
/// The eigenvalues of a symmetric matrix, in ascending order: dsyev.
std::vector<double> eigenvalues(const Matrix &a);
/// The symmetric matrix with its negative eigenvalues replaced by 0: dsyev.
Matrix positivePart(const Matrix &a);
/// The eigenvalues of any square matrix, in no order: dgeev.
std::vector<std::complex<double>> complexEigenvalues(const Matrix &a);
/// x with a x = b: dgesv.
Matrix solution(const Matrix &a, const Matrix &b);

} // namespace decompositions
