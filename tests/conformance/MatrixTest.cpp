// Matrices of subgroups (kernels/matrices.py). Whole numbers have one right product, whatever the
// order of the sums and whatever unit makes it. The products of matrices with one 1 show which lane
// holds what.
#include "tests/conformance/Surface.h"

namespace conformance {

namespace {

/// Two operand types, and the name of the module that multiplies them.
template <class T, class U> struct Types {
  using Left = T;
  using Right = U;
  using Sum = std::conditional_t<std::is_same_v<T, double>, double,
                                 std::conditional_t<std::is_integral_v<T>, int32_t, float>>;
};

template <class T> T number(int value) {
  if constexpr (std::is_arithmetic_v<T>)
    return T(value);
  else
    return rounded<T>(double(value));
}
template <class T> double realOf(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return double(value);
  else
    return toDouble(value);
}

template <class T> struct Rows {
  size_t rows, cols;
  std::vector<T> elements;
  Rows(size_t rows, size_t cols) : rows(rows), cols(cols), elements(rows * cols, T()) {}
  T &at(size_t row, size_t col) { return elements[row * cols + col]; }
  const T &at(size_t row, size_t col) const { return elements[row * cols + col]; }
  sextant::Array<T, 2> on(Run &run) const {
    sextant::Array<T, 2> array = run.zeros2<T>(rows, cols);
    array.write(elements);
    return array;
  }
};

/// Small whole numbers, of which every type has all: -8 to 8, or 0 to 8.
template <class T> Rows<T> wholes(Run &run, size_t rows, size_t cols) {
  Rows<T> made(rows, cols);
  for (T &value : made.elements)
    value = number<T>(std::is_unsigned_v<T> ? int(run.random() % 9) : int(run.random() % 17) - 8);
  return made;
}

template <class T, class U> Rows<double> productOf(const Rows<T> &x, const Rows<U> &y) {
  Rows<double> z(x.rows, y.cols);
  for (size_t i = 0; i < x.rows; ++i)
    for (size_t k = 0; k < x.cols; ++k)
      for (size_t j = 0; j < y.cols; ++j)
        z.at(i, j) += realOf(x.at(i, k)) * realOf(y.at(k, j));
  return z;
}

template <class Sum> void expectRows(const Rows<double> &wanted, const std::vector<Sum> &got) {
  for (size_t i = 0; i < wanted.rows; ++i)
    for (size_t j = 0; j < wanted.cols; ++j)
      if (const double value = double(got[i * wanted.cols + j]); value != wanted.at(i, j))
        throw Mismatch{"(" + std::to_string(i) + ", " + std::to_string(j) + ") is " + show(value) +
                       ", not " + show(wanted.at(i, j))};
}

/// A matrix of tiles of 16 by 16, each with a single 1, at every place in turn.
template <class T> Rows<T> oneInEach(bool isLeft) {
  Rows<T> made(isLeft ? 256 * 16 : 16, isLeft ? 16 : 256 * 16);
  for (size_t place = 0; place < 256; ++place) {
    const size_t begin = place * 16, outer = begin + place / 16, inner = place % 16;
    (isLeft ? made.at(outer, inner) : made.at(inner, outer)) = number<T>(1);
  }
  return made;
}

template <class Of>
void multiply(Run &run, const Rows<typename Of::Left> &x, const Rows<typename Of::Right> &y) {
  const auto left = x.on(run);
  const auto right = y.on(run);
  auto sums = run.zeros2<typename Of::Sum>(x.rows, y.cols);
  run.launch("product", left, right, sums);
  expectRows(productOf(x, y), sums.read());
}

template <class Of> void ones(Run &run) {
  multiply<Of>(run, oneInEach<typename Of::Left>(true), wholes<typename Of::Right>(run, 16, 16));
  multiply<Of>(run, wholes<typename Of::Left>(run, 16, 16), oneInEach<typename Of::Right>(false));
}

template <class Of> void shapes(Run &run) {
  const size_t shapes[][3] = {{16, 16, 32}, {33, 47, 70}, {1, 1, 1}, {15, 17, 31}, {17, 15, 0}};
  for (const auto &[rows, cols, inner] : shapes)
    multiply<Of>(run, wholes<typename Of::Left>(run, rows, inner),
                 wholes<typename Of::Right>(run, inner, cols));
}

template <class Of> void transposed(Run &run) {
  const auto x = wholes<typename Of::Left>(run, 64, 32);
  const auto y = wholes<typename Of::Right>(run, 16, 64);
  const auto left = x.on(run);
  const auto right = y.on(run);
  auto sums = run.zeros2<typename Of::Sum>(16, 32);
  run.launch("transposed", left, right, sums);
  Rows<double> wanted(16, 32);
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j < 16; ++j) {
      double sum = 1;
      for (size_t k = 0; k < 64; ++k)
        sum += realOf(x.at(k, i)) * realOf(y.at(j, k));
      wanted.at(j, i) = 2 * sum + double(100 * i + j);
    }
  expectRows(wanted, sums.read());
}

//===--- qd.tensors.matmul ---------------------------------------------------===//

template <class T> Rows<T> turned(const Rows<T> &x) {
  Rows<T> made(x.cols, x.rows);
  for (size_t i = 0; i < x.rows; ++i)
    for (size_t j = 0; j < x.cols; ++j)
      made.at(j, i) = x.at(i, j);
  return made;
}

template <class T, class Out>
void expectMatmul(Run &run, const char *kernel, size_t rows, size_t cols, size_t inner) {
  const auto x = wholes<T>(run, rows, inner), y = wholes<T>(run, inner, cols);
  const std::string name = kernel;
  const auto left = (name == "turned_left" ? turned(x) : x).on(run);
  const auto right = (name == "turned_right" ? turned(y) : y).on(run);
  auto z = run.zeros2<Out>(rows, cols);
  auto workspace = run.zeros<uint64_t>(64);
  run.launch(kernel, left, right, z, workspace);
  Rows<double> wanted = productOf(x, y);
  for (size_t i = 0; i < rows && name == "turned_right"; ++i)
    for (size_t j = 0; j < cols; ++j)
      wanted.at(i, j) += double(i % 7 * 8 + j % 8);
  const std::vector<Out> got = z.read();
  for (size_t i = 0; i < rows * cols; ++i)
    if (realOf(got[i]) != realOf(number<Out>(int(wanted.elements[i]))))
      throw Mismatch{name + " of " + std::to_string(rows) + " x " + std::to_string(inner) + " x " +
                     std::to_string(cols) + " at (" + std::to_string(i / cols) + ", " +
                     std::to_string(i % cols) + ") is " + show(realOf(got[i])) + ", not " +
                     show(wanted.elements[i])};
}

/// Shapes around the sizes of parts, with rows that begin at multiples of 16 bytes, and others.
template <class T, class Out> void matmul(Run &run, const char *kernel) {
  const size_t shapes[][3] = {{16, 16, 64},  {64, 64, 16},   {136, 72, 176}, {1, 1, 1},
                              {67, 131, 65}, {129, 264, 80}, {8, 16, 0},     {33, 7, 90}};
  for (const auto &[rows, cols, inner] : shapes)
    expectMatmul<T, Out>(run, kernel, rows, cols, inner);
}

/// An epilogue that reads arrays and a number: these have no element past their ends.
template <class T, class Out> void matmulWithArguments(Run &run) {
  using Sum = Types<T, T>::Sum;
  const size_t shapes[][3] = {{64, 72, 16}, {1, 1, 1}, {67, 131, 65}, {129, 264, 80}};
  for (const auto &[rows, cols, inner] : shapes) {
    const auto x = wholes<T>(run, rows, inner), y = wholes<T>(run, inner, cols);
    const auto bias = wholes<Sum>(run, 1, cols), other = wholes<Sum>(run, rows, cols);
    const auto left = x.on(run), right = turned(y).on(run);
    const auto biases = run.array(bias.elements);
    const auto others = other.on(run);
    auto z = run.zeros2<Out>(rows, cols);
    run.launch("with_arguments", left, right, z, run.zeros<uint64_t>(64), biases, others, Sum(2));
    const Rows<double> product = productOf(x, y);
    const std::vector<Out> got = z.read();
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < cols; ++j) {
        const double wanted =
            2 * product.at(i, j) + double(bias.elements[j]) + double(other.at(i, j));
        if (realOf(got[i * cols + j]) != realOf(number<Out>(int(wanted))))
          throw Mismatch{"(" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                         show(realOf(got[i * cols + j])) + ", not " + show(wanted)};
      }
  }
}

/// Several matrices, which `x` has below each other, as an array.
template <class T>
sextant::Array<T, 3> several(Run &run, size_t count, const Rows<T> &x, bool isTurned) {
  const size_t rows = x.rows / count;
  std::vector<T> elements;
  for (size_t n = 0; n < count; ++n) {
    Rows<T> one(rows, x.cols);
    for (size_t i = 0; i < rows * x.cols; ++i)
      one.elements[i] = x.elements[n * rows * x.cols + i];
    for (T element : isTurned ? turned(one).elements : one.elements)
      elements.push_back(element);
  }
  const auto high = int64_t(isTurned ? x.cols : rows), wide = int64_t(isTurned ? rows : x.cols);
  sextant::Array<T, 3> array(run.device, {int64_t(count), high, wide});
  array.write(elements);
  return array;
}

/// Products of several matrices at once, of sizes around those of parts.
template <class T, class Out> void batchedMatmul(Run &run) {
  const bool turnsLeft = std::is_same_v<T, sextant::Bfloat16>, turnsRight = sizeof(T) == 1;
  const size_t shapes[][4] = {{3, 16, 24, 32}, {5, 33, 7, 90},  {2, 129, 70, 65}, {7, 1, 1, 1},
                              {9, 16, 16, 16}, {6, 15, 12, 31}, {5, 17, 32, 24},  {3, 64, 50, 33},
                              {2, 64, 64, 64}, {2, 5, 6, 0}};
  for (const auto &[count, rows, cols, inner] : shapes) {
    const Rows<T> x = wholes<T>(run, count * rows, inner), y = wholes<T>(run, count * inner, cols);
    const auto left = several(run, count, x, turnsLeft), right = several(run, count, y, turnsRight);
    sextant::Array<Out, 3> z(run.device, {int64_t(count), int64_t(rows), int64_t(cols)});
    run.launch("batched", left, right, z, run.zeros<uint64_t>(64));
    const std::vector<Out> got = z.read();
    for (size_t n = 0; n < count; ++n)
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < cols; ++j) {
          double wanted = 0;
          for (size_t k = 0; k < inner; ++k)
            wanted += realOf(x.at(n * rows + i, k)) * realOf(y.at(n * inner + k, j));
          const double value = realOf(got[(n * rows + i) * cols + j]);
          if (value != realOf(number<Out>(int(wanted))))
            throw Mismatch{"matrix " + std::to_string(n) + " at (" + std::to_string(i) + ", " +
                           std::to_string(j) + ") is " + show(value) + ", not " + show(wanted)};
        }
  }
}

template <class T, class Out> void addMatmul(std::vector<Case> &cases, const char *types) {
  const std::string module = std::string("matmul_") + types;
  auto add = [&](const char *kernel, const char *what) {
    cases.push_back({module, what, [kernel](Run &run) { matmul<T, Out>(run, kernel); }});
  };
  add("plain", "matmul");
  add("turned_right", "matmul by a transposed matrix, with an epilogue");
  add("turned_left", "matmul of a transposed matrix");
  cases.push_back({module, "matmul of several matrices", batchedMatmul<T, Out>});
  cases.push_back({module, "matmul with arguments of the epilogue", matmulWithArguments<T, Out>});
}

template <class T, class U> void add(std::vector<Case> &cases, const char *types) {
  using Of = Types<T, U>;
  const std::string module = std::string("matrices_") + types;
  cases.push_back({module, "a single 1 at every place", ones<Of>});
  cases.push_back({module, "any shape", shapes<Of>});
  cases.push_back(
      {module, "transposed operands and results, elements by row and column", transposed<Of>});
}

} // namespace

void addMatrixCases(std::vector<Case> &cases) {
  add<sextant::Half, sextant::Half>(cases, "f16");
  add<sextant::Bfloat16, sextant::Bfloat16>(cases, "bf16");
  add<float, float>(cases, "f32");
  add<float, float>(cases, "tf32");
  add<double, double>(cases, "f64");
  add<int8_t, int8_t>(cases, "i8");
  add<uint8_t, uint8_t>(cases, "u8");
  add<int8_t, uint8_t>(cases, "i8_u8");
  add<sextant::Float8E4M3, sextant::Float8E4M3>(cases, "f8e4m3");
  add<sextant::Float8E5M2, sextant::Float8E5M2>(cases, "f8e5m2");
  add<sextant::Float8E4M3, sextant::Float8E5M2>(cases, "f8e4m3_f8e5m2");
  addMatmul<sextant::Half, float>(cases, "f16");
  addMatmul<sextant::Bfloat16, sextant::Bfloat16>(cases, "bf16");
  addMatmul<float, float>(cases, "f32");
  addMatmul<float, float>(cases, "f32_large"); // a thread's usual sums also for few parts
  addMatmul<float, float>(cases, "tf32");
  addMatmul<double, double>(cases, "f64");
  addMatmul<int8_t, int32_t>(cases, "i8");
  addMatmul<sextant::Float8E4M3, float>(cases, "f8e4m3");
}

} // namespace conformance
