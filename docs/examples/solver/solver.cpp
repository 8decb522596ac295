// Heat in a plate of two materials, as a sparse system of equations:
//   solver [--out picture.png] [--device NAME]
// A right side whose solution is known comes first; then sources, whose temperatures are drawn.
#define SEXTANT_THROWS // errors are exceptions here
#include "Colors.h"
#include "Example.h"
#include "Picture.h"
#include "solver_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

constexpr int side = 192, count = side * side;

/// Conducts well, but for rings that do not.
double conductivity(double row, double column) {
  const double r = std::hypot(row / side - 0.5, column / side - 0.5);
  const bool wall = std::abs(r - 0.30) < 0.02 && std::abs(column / side - 0.5) > 0.06;
  return wall ? 0.02 : 1;
}

struct Matrix {
  std::vector<int32_t> rows = {0}, columns;
  std::vector<float> values;
};

/// Five-point stencil of a plate whose border has temperature 0.
Matrix plate() {
  Matrix matrix;
  for (int row = 0; row < side; ++row)
    for (int column = 0; column < side; ++column) {
      double diagonal = 0;
      const size_t own = matrix.values.size();
      matrix.columns.push_back(row * side + column);
      matrix.values.push_back(0);
      for (const auto [dy, dx] : {std::pair{-1, 0}, {0, -1}, {0, 1}, {1, 0}}) {
        const double across = conductivity(row + dy / 2.0, column + dx / 2.0);
        diagonal += across;
        const int y = row + dy, x = column + dx;
        if (y < 0 || y >= side || x < 0 || x >= side)
          continue;
        matrix.columns.push_back(y * side + x);
        matrix.values.push_back(float(-across));
      }
      matrix.values[own] = float(diagonal);
      matrix.rows.push_back(int32_t(matrix.values.size()));
    }
  return matrix;
}

std::vector<double> product(const Matrix &a, const std::vector<double> &x) {
  std::vector<double> result(count);
  for (size_t i = 0; i < count; ++i)
    for (int32_t k = a.rows[i]; k < a.rows[i + 1]; ++k)
      result[i] += double(a.values[size_t(k)]) * x[size_t(a.columns[size_t(k)])];
  return result;
}

/// |b - A x| / (|b| + |A| |x|): what is left of the equations, as a part of their terms.
double residual(const Matrix &a, const std::vector<double> &x, const std::vector<double> &b) {
  double left = 0, size = 0;
  for (size_t i = 0; i < count; ++i) {
    double difference = b[i], terms = std::abs(b[i]);
    for (int32_t k = a.rows[i]; k < a.rows[i + 1]; ++k) {
      const double term = double(a.values[size_t(k)]) * x[size_t(a.columns[size_t(k)])];
      difference -= term;
      terms += std::abs(term);
    }
    left += difference * difference;
    size += terms * terms;
  }
  return std::sqrt(left / size);
}

/// |left - right| / |right|
double distance(const std::vector<double> &left, const std::vector<double> &right) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    difference += (left[i] - right[i]) * (left[i] - right[i]);
    size += right[i] * right[i];
  }
  return std::sqrt(difference / size);
}

/// The matrix on a device, and what the solver works in.
class Solver {
public:
  Solver(const sextant::Device &device, const Matrix &a)
      : kernels(device), stream(device.defaultStream()), rows(device, a.rows),
        columns(device, a.columns), values(device, a.values), b(device, count), x(device, count),
        r(device, count), p(device, count), q(device, count), go(device, 1), rounds(device, 0) {}

  std::vector<double> solve(const std::vector<double> &right) {
    b.write(std::vector<float>(right.begin(), right.end()));
    go.write(std::vector<int32_t>{1});
    kernels.solve(stream, rows, columns, values, b, x, r, p, q, go, rounds, 1e-6f, 2000);
    const std::vector<float> found = x.read();
    return {found.begin(), found.end()};
  }
  int roundsTaken() const { return rounds.read().front(); }

private:
  solver_kernels kernels;
  sextant::Stream stream;
  sextant::Array<int32_t> rows, columns;
  sextant::Array<float> values, b, x, r, p, q;
  sextant::Array<int32_t, 0> go, rounds;
};

void solver(const Options &options) {
  const sextant::Device device = sextant::Device::open(options.get("device"));
  const Matrix matrix = plate();
  Solver solver(device, matrix);
  std::vector<double> known, sources(count);
  for (int i = 0; i < count; ++i) {
    known.push_back(std::sin(0.05 * (i % side)) + std::cos(0.03 * (i / side)) + 0.3);
    const double row = double(i / side) / side, column = double(i % side) / side;
    if (std::hypot(row - 0.5, column - 0.5) < 0.06)
      sources[size_t(i)] = 1; // hot in the middle of the ring
    if (std::hypot(row - 0.15, column - 0.85) < 0.05 ||
        std::hypot(row - 0.85, column - 0.15) < 0.05)
      sources[size_t(i)] = -1; // cold in two corners
  }
  const std::vector<double> found = solver.solve(product(matrix, known));
  const Clock clock;
  const std::vector<double> heat = solver.solve(sources);
  std::printf("%d unknowns, %zu coefficients on %s: %d rounds, %.1f ms\n", count,
              matrix.values.size(), device.name().c_str(), solver.roundsTaken(),
              clock.milliseconds());
  if (!options.get("out").empty()) {
    const double top = *std::max_element(heat.begin(), heat.end());
    Picture picture{side * 3, side * 3, {}};
    for (int i = 0; i < side * 3 * side * 3; ++i) {
      const double t = heat[size_t(i / (side * 3) / 3 * side + i % (side * 3) / 3)] / top;
      const bool line = std::abs(t * 12 - std::round(t * 12)) < 0.06 && std::abs(t) > 0.04;
      picture.pixels.push_back(blueRed(line ? t * 0.75 : t));
    }
    writePng(options.get("out"), picture);
  }
  expectAtMost("known solution, off by a part of", distance(found, known), 1e-3);
  expectAtMost("residual, as a part of its terms", residual(matrix, heat, sources), 1e-6);
}

} // namespace

int main(int argumentCount, char **words) { return runExample(argumentCount, words, solver); }
