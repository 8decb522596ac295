// Arrays of no dimensions, wide arguments, fills, constructors and the library's part of qd.math;
// see kernels/values.py.
#include "tests/conformance/Harness.h"

#include <array>

namespace conformance {

namespace {

using Vec3 = sextant::Vector<float, 3>;
using Box = sextant::Vector<int32_t, 3>;
using Mat4 = sextant::Matrix<float, 4, 4>;
using Wide16 = sextant::Vector<int16_t, 1024>;
using Wide32 = sextant::Vector<float, 1024>;

void noDimensions(Run &run) {
  const auto values = small<int32_t>(run, 3001, 1000);
  auto src = run.array(values);
  const sextant::Array<int32_t, 0> count(run.device, 100), most(run.device, -5000);
  const sextant::Array<Box, 0> box(run.device, Box{{1, 5000, 3}});
  const sextant::Array<float, 0> real(run.device, 3.0f);
  run.launch("no_dimensions", src, count, sxt_make_array0(most.buffer().get(), SXT_DTYPE_I32), box,
             real);
  int32_t sum = 100;
  for (int32_t value : values)
    sum += value;
  const int32_t greatest = *std::max_element(values.begin(), values.end());
  const int32_t least = *std::min_element(values.begin(), values.end());
  expectSame("count", count.read(), {sum});
  expectSame("most", most.read(), {greatest});
  expectSame("real", real.read(), {1.5f});
  const Box got = box.read()[0];
  const int32_t expected[] = {sum, least, 0};
  for (unsigned i = 0; i < 3; ++i)
    expectSame("box", i, got[i], expected[i]);
}

Wide16 wideNumbers(Run &run) {
  Wide16 v;
  for (int16_t &x : v.data)
    x = int16_t(run.random());
  return v;
}

void wideI16(Run &run) {
  const Wide16 v = wideNumbers(run);
  auto result = run.zeros<int16_t>(1024);
  run.launch("wide_i16", v, result);
  auto out = result.read();
  for (size_t i = 0; i < 1024; ++i)
    expectSame("component", i, out[i], v[unsigned(1023 - i)]);
}

void wideF32(Run &run) {
  Wide32 v;
  for (float &x : v.data)
    x = float(int(run.random() % 100001) - 50000);
  auto result = run.zeros<float>(1024);
  run.launch("wide_f32", v, 0.5f, result);
  auto out = result.read();
  for (size_t i = 0; i < 1024; ++i)
    expectEqual("component", i, out[i], v[unsigned(i)] * 0.5f);
}

void wideResult(Run &run) {
  const Wide16 v = wideNumbers(run);
  const Wide16 out = run.program.kernel("wide_result").call<Wide16>(run.device.defaultStream(), v);
  for (unsigned i = 0; i < 1024; ++i)
    expectSame("component", i, out[i], int16_t(uint16_t(v[i]) * 3));
}

void fills(Run &run) {
  const size_t n = 300;
  const float value = 1.5f;
  auto plane = run.zeros2<float>(5, 33);
  const sextant::Array<int16_t, 0> single(run.device, int16_t(1));
  auto rows = run.zeros<Box>(n);
  auto seen = run.zeros<float>(n);
  run.launch("fills", plane, single, rows, seen, value);
  expectSame("plane", plane.read(), std::vector<float>(5 * 33, 3.0f));
  expectSame("single", single.read(), {int16_t(-5)});
  auto gotRows = rows.read();
  auto gotSeen = seen.read();
  for (size_t i = 0; i < n; ++i) {
    // The function's parameter is filled, the caller's vector is not.
    for (unsigned k = 0; k < 3; ++k)
      expectSame("row", i, gotRows[i][k], int32_t(i * 10 + 27 + i));
    expectSame("seen", i, gotSeen[i], (6 * (value + float(i)) + 0.1f) + 7.0f);
  }
  const auto grid = run.program.global<sextant::Vector<float, 2>, 2>("grid");
  std::vector<sextant::Vector<float, 2>> cells(63);
  sextant::check(sxt_buffer_read(grid.buffer, grid.offsetBytes, cells.data(), 63 * 8, nullptr));
  for (size_t i = 0; i < 63; ++i) {
    expectSame("grid.x", i, cells[i][0], value);
    expectSame("grid.y", i, cells[i][1], 0.1f);
  }
}

void constructors(Run &run) {
  const float a = 2.5f;
  const int32_t n = 7;
  auto real = run.zeros<float>(33);
  auto whole = run.zeros<int32_t>(14);
  run.launch("constructors", a, n, real, whole);
  const float u[] = {a, 2, 3}, v[] = {4, a, 6};
  std::vector<float> expected;
  for (int copy = 0; copy < 2; ++copy) { // as rows; as columns, read by column
    expected.insert(expected.end(), u, u + 3);
    if (copy == 0)
      expected.insert(expected.end(), v, v + 3);
  }
  expected.resize(6);
  for (int j = 0; j < 3; ++j) {
    expected.push_back(u[j]);
    expected.push_back(v[j]);
  }
  for (float diagonal : {a, 1.0f})
    for (int k = 0; k < 9; ++k)
      expected.push_back(k % 4 == 0 ? diagonal : 0.0f);
  for (float one : {0.0f, a, 0.0f})
    expected.push_back(one);
  expectSame("real", real.read(), expected);
  expectSame("whole", whole.read(), {3, 0, 0, 3, 0, 0, 7, 0, -7, 1, 1, 14, 34342, 14});
}

float unit(Run &run) { return float(int(run.random() % 20001) - 10000) / 10000; }

void optics(Run &run) {
  const size_t count = 2000;
  std::vector<Vec3> x(count), n(count);
  std::vector<float> eta(count);
  auto direction = [&](Vec3 &v) {
    float square = 0;
    while (square < 0.01f) {
      square = 0;
      for (float &c : v.data)
        c = unit(run), square += c * c;
    }
    for (float &c : v.data)
      c /= std::sqrt(square);
  };
  auto dot = [](const Vec3 &a, const Vec3 &b) {
    double sum = 0;
    for (unsigned i = 0; i < 3; ++i)
      sum += double(a[i]) * b[i];
    return sum;
  };
  auto radicand = [&](size_t i) {
    const double d = dot(x[i], n[i]);
    return 1 - double(eta[i]) * eta[i] * (1 - d * d);
  };
  for (size_t i = 0; i < count; ++i)
    do { // clear on which side
      direction(x[i]), direction(n[i]);
      eta[i] = 1.25f + unit(run);
    } while (std::fabs(radicand(i)) < 1e-2);
  eta[5] = std::numeric_limits<float>::quiet_NaN();
  auto dx = run.array(x), dn = run.array(n);
  auto de = run.array(eta);
  auto result = run.zeros<Vec3>(count);
  run.launch("optics", dx, dn, de, result);
  auto out = result.read();
  size_t reflected = 0;
  for (size_t i = 0; i < count; ++i) {
    const double k = radicand(i), d = dot(x[i], n[i]);
    reflected += k < 0;
    for (unsigned c = 0; c < 3; ++c) {
      const double expected =
          k < 0 ? 0 : eta[i] * double(x[i][c]) - (eta[i] * d + std::sqrt(k)) * n[i][c];
      if (i == 5 ? out[i][c] == out[i][c] : !(std::fabs(out[i][c] - expected) <= 1e-5))
        throw Mismatch{"refract[" + std::to_string(i) + "] is " + show(out[i][c]) + ", expected " +
                       show(expected)};
      if (k < 0)
        expectSame("all is reflected", i, out[i][c], 0.0f);
    }
  }
  if (reflected < 50 || reflected > count - 50)
    throw Mismatch{"the inputs have only one side"};
}

using Square = std::array<std::array<double, 4>, 4>;

Square operator*(const Square &a, const Square &b) {
  Square c{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 4; ++k)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}
Square transposed(const Square &a) {
  Square t;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      t[i][j] = a[j][i];
  return t;
}
/// Rodrigues' formula, for columns: 1 + sin K + (1 - cos) K², K the axis' cross product.
Square about(double x, double y, double z, double angle) {
  const double length = std::sqrt(x * x + y * y + z * z);
  x /= length, y /= length, z /= length;
  const Square k = {{{0, -z, y, 0}, {z, 0, -x, 0}, {-y, x, 0, 0}, {0, 0, 0, 0}}};
  const Square square = k * k;
  Square r{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      r[i][j] = (i == j) + std::sin(angle) * k[i][j] + (1 - std::cos(angle)) * square[i][j];
  return r;
}

void turns(Run &run) {
  const size_t count = 400;
  std::vector<Vec3> angles(count);
  for (Vec3 &a : angles)
    for (float &x : a.data)
      x = 3 * unit(run);
  auto given = run.array(angles);
  auto result = run.zeros2<Mat4>(5, count);
  run.launch("turns", given, result);
  auto out = result.read();
  for (size_t i = 0; i < count; ++i) {
    const double x = angles[i][0], y = angles[i][1], z = angles[i][2];
    auto euler = [](double yaw, double pitch, double roll) {
      return transposed(about(0, 1, 0, yaw) * about(1, 0, 0, pitch) * about(0, 0, 1, roll));
    };
    const Square expected[] = {euler(x, y, z),
                               euler(z, x, y),
                               transposed(about(y, z, 2, x)),
                               {{{z, 0, 0, x}, {0, x, 0, y}, {0, 0, y, z}, {0, 0, 0, 1}}},
                               {{{std::cos(x), -std::sin(x), 0, 0},
                                 {std::sin(x), std::cos(x), 0, 0},
                                 {std::cos(y), std::sin(y), 0, 0},
                                 {0, 0, 0, 0}}}};
    for (size_t form = 0; form < 5; ++form)
      for (unsigned r = 0; r < 4; ++r)
        for (unsigned c = 0; c < 4; ++c)
          if (const float got = out[form * count + i](r, c);
              !(std::fabs(got - expected[form][r][c]) <= 4e-6))
            throw Mismatch{"matrix " + std::to_string(form) + " of " + std::to_string(i) + " has " +
                           show(got) + ", expected " + show(expected[form][r][c])};
  }
}

//===--- Bits of reals -----------------------------------------------------===//

double valueOf(sextant::Half half) {
  const int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
  const double sign = half.bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

template <class T> double valueOf(T value) { return double(value); }

/// C's frexp, which leaves the exponent of infinities and NaN open.
void expectParts(size_t i, double x, double mantissa, int32_t exponent) {
  int wanted = 0;
  const double expected = std::frexp(x, &wanted);
  if (!std::isfinite(x))
    wanted = 0;
  const std::string name = "frexp(" + show(x) + ")";
  expectEqual(name, i, mantissa, expected);
  if (std::signbit(mantissa) != std::signbit(expected) && x == x && x != 0)
    throw Mismatch{name + " has the wrong sign"};
  expectSame(name + "'s exponent", i, exponent, int32_t(wanted));
}

template <class T> void frexpOf(Run &run, const std::string &kernel, const std::vector<T> &values) {
  auto x = run.array(values);
  auto mantissas = run.zeros<T>(values.size());
  auto exponents = run.zeros<int32_t>(values.size());
  run.launch(kernel, x, mantissas, exponents);
  auto m = mantissas.read();
  auto e = exponents.read();
  for (size_t i = 0; i < values.size(); ++i)
    expectParts(i, valueOf(values[i]), valueOf(m[i]), e[i]);
}

void frexpHalf(Run &run) {
  std::vector<sextant::Half> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i].bits = uint16_t(i);
  frexpOf(run, "frexp_f16", all);
}

template <class T> void frexpReal(Run &run, const char *kernel) {
  std::vector<T> values = anyBits<T>(run, 4000);
  for (int e = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
       e <= std::numeric_limits<T>::max_exponent - 1; ++e)
    for (T x : {T(1), T(-1.5), T(1) + std::numeric_limits<T>::epsilon()})
      values.push_back(std::ldexp(x, e));
  frexpOf(run, kernel, values);
}

void drawsHalf(Run &run) {
  const size_t count = 32768;
  auto result = run.zeros<sextant::Half>(count);
  run.launch("draws_f16", result);
  auto out = result.read();
  std::vector<unsigned> hits(2048);
  for (size_t i = 0; i < count; ++i) {
    const double place = valueOf(out[i]) * 2048;
    if (!(place >= 0 && place < 2048 && place == std::floor(place)))
      throw Mismatch{"random(f16) gives " + show(place / 2048)};
    ++hits[size_t(place)];
  }
  // 16 on average, with a deviation of 4.
  for (size_t i = 0; i < hits.size(); ++i)
    if (hits[i] == 0 || hits[i] > 45)
      throw Mismatch{"random(f16) gives " + show(double(i) / 2048) + " " + std::to_string(hits[i]) +
                     " times of " + std::to_string(count)};
}

/// An fma would yield what rounding left of the products; and sums that are reassociated, nothing.
void preciseReals(Run &run) {
  const size_t n = 1000;
  std::vector<float> a(n), b(n), products(n), none(n), sums(n), rests(n);
  for (size_t i = 0; i < n; ++i) {
    a[i] = float(int(run.random() % 16777215) - 8388607);
    b[i] = float(int(run.random() % 16777215) - 8388607) / 1024;
    if (i == 0)
      a[i] = -1, b[i] = 0;
    // Exact in f64, whose sums and products no compiler rounds otherwise.
    const double sum = double(a[i]) + double(b[i]);
    products[i] = float(double(a[i]) * double(b[i]));
    sums[i] = float(sum);
    rests[i] = float(sum - double(sums[i]));
  }
  auto product = run.zeros<float>(n), error = run.zeros<float>(n), s = run.zeros<float>(n),
       rest = run.zeros<float>(n);
  run.launch("precise", run.array(a), run.array(b), product, error, s, rest);
  expectSame("product", product.read(), products);
  expectSame("what is left of it", error.read(), none);
  expectSame("sum", s.read(), sums);
  expectSame("what is left of it", rest.read(), rests);
}

} // namespace

void addValueCases(std::vector<Case> &cases) {
  cases.push_back({"values", "arrays of no dimensions", noDimensions});
  cases.push_back({"values", "wide i16", wideI16});
  cases.push_back({"values", "wide f32", wideF32});
  cases.push_back({"values", "wide result", wideResult});
  cases.push_back({"values", "fills", fills});
  cases.push_back({"values", "constructors", constructors});
  cases.push_back({"values", "refract", optics});
  cases.push_back({"values", "rotations", turns});
  cases.push_back({"values", "frexp f16", frexpHalf});
  cases.push_back({"values", "frexp f32", [](Run &run) { frexpReal<float>(run, "frexp_f32"); }});
  cases.push_back({"values", "frexp f64", [](Run &run) { frexpReal<double>(run, "frexp_f64"); }});
  cases.push_back({"values", "random f16", drawsHalf});
  cases.push_back({"values", "precise", preciseReals});
}

} // namespace conformance
