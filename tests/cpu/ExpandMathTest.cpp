// The shared transform that turns math functions into arithmetic, run as CPU code: with
// products that are fused with sums and without. References have more precision.
#include "tests/cpu/Kernels.h"

#include <cmath>
#include <functional>

using namespace cputest;

namespace {

struct TransformFirst {
  TransformFirst() { transformFirst = "expand-math"; }
  ~TransformFirst() { transformFirst = nullptr; }
};

using Reference = std::function<long double(long double, long double)>;

/// Numbers between, or corners and any bits.
template <typename T> std::vector<T> inputs(size_t count, double low, double high, unsigned seed) {
  std::mt19937_64 random(seed);
  using Limits = std::numeric_limits<T>;
  const T corners[] = {T(0),
                       T(-0.0),
                       T(1),
                       T(-1),
                       T(0.5),
                       T(2),
                       T(-3),
                       T(1e10),
                       Limits::max(),
                       Limits::lowest(),
                       Limits::min(),
                       Limits::denorm_min(),
                       -Limits::denorm_min(),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN()};
  std::vector<T> values(count);
  for (T &value : values) {
    uint64_t bits = random();
    if (low < high)
      value = T(low + (high - low) * (double(bits >> 11) / 0x1p53));
    else if (bits % 4 == 0)
      value = corners[(bits >> 8) % std::size(corners)];
    else
      std::memcpy(&value, &bits, sizeof value);
  }
  return values;
}

/// The distance in units of the last place that `T` has at `want`; 0 where they agree.
template <typename T> double distance(T got, long double want) {
  T rounded = T(want);
  if (got == rounded || (got != got && rounded != rounded))
    return std::signbit(got) == std::signbit(rounded) || got != got ? 0 : INFINITY;
  // Past the largest number by less than rounding.
  if (std::isinf(got) != std::isinf(rounded))
    return std::fabs(double(std::isinf(got) ? rounded : got)) >
                   0.999999 * double(std::numeric_limits<T>::max())
               ? 1
               : INFINITY;
  if (!std::isfinite(got) || !std::isfinite(rounded))
    return INFINITY;
  int exponent = 0;
  std::frexp(want, &exponent);
  exponent =
      std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
  return double(std::fabs((long double)got - want) / std::ldexp(1.0L, exponent));
}

template <typename T>
void check(const std::string &op, double low, double high, double most, const Reference &reference,
           bool any = true) {
  const char *type = sizeof(T) == 4 ? "f32" : "f64";
  bool isBinary =
      op == "math.powf" || op == "math.atan2" || op == "arith.remf" || op == "arith.divf";
  std::string text = task(64, buffer("x", type) + "," + buffer("y", type) + "," + buffer("o", type),
                          replaceAll("%a = simt.load %x[%i] : !simt.buffer<T, global>, i32\n"
                                     "%b = simt.load %y[%i] : !simt.buffer<T, global>, i32\n"
                                     "%r = " +
                                         op + (isBinary ? " %a, %b" : " %a") + " : T\n" +
                                         "simt.store %r, %o[%i] : !simt.buffer<T, global>, i32\n",
                                     ": T", std::string(": ") + type));
  text = replaceAll(text, "<T,", std::string("<") + type + ",");
  constexpr unsigned grid = 40;
  TransformFirst first;
  for (const Variant &variant : inTurns(variants({8}), text)) {
    for (bool corners : {false, true}) {
      if (corners && !any)
        continue;
      std::vector<T> x = inputs<T>(64 * grid, corners ? 0 : low, corners ? 0 : high, 1),
                     y = inputs<T>(64 * grid, corners ? 0 : low, corners ? 0 : high, 2);
      std::vector<Arg> args{Arg::array(x), Arg::array(y), Arg::array(std::vector<T>(x.size()))};
      run(text, variant, args, grid);
      std::vector<T> got = args[2].as<T>();
      double worst = -1;
      size_t at = 0;
      for (size_t i = 0; i < got.size(); ++i) {
        double off = distance(got[i], reference(x[i], y[i]));
        if (off > worst) {
          worst = off;
          at = i;
        }
      }
      INFO(op << " " << type << " " << variant.str() << ": of " << x[at] << " and " << y[at]
              << " is " << got[at] << ", not " << double(reference(x[at], y[at])));
      CHECK(worst <= most);
    }
  }
}

template <typename T> void functions() {
  auto one = [](long double (*f)(long double)) {
    return Reference([f](long double x, long double) { return f(x); });
  };
  auto two = [](long double (*f)(long double, long double)) { return Reference(f); };
  double end = sizeof(T) == 4 ? 89 : 710;
  check<T>("math.exp", -end - 16, end, 1.5, one(std::exp));
  check<T>("math.exp2", -1.5 * end, 1.45 * end, 1.5, one(std::exp2));
  check<T>("math.log", 0, 4, 1.5, one(std::log));
  check<T>("math.log2", 0, 4, 2.5, one(std::log2));
  check<T>("math.asin", -1, 1, 3, one(std::asin));
  check<T>("math.acos", -1, 1, 2, one(std::acos));
  check<T>("math.atan", -5, 5, 2.5, one(std::atan));
  check<T>("math.sinh", -3, 3, 2.5, one(std::sinh));
  check<T>("math.cosh", -end, end, 2.5, one(std::cosh));
  check<T>("math.tanh", -4, 4, 2.5, one(std::tanh));
  check<T>("math.powf", 0, 20, 1.5, two(std::pow));
  check<T>("math.atan2", -3, 3, 3, two(std::atan2));
  check<T>("arith.remf", -50, 50, 0, two(std::fmod));
}

} // namespace

TEST_CASE("math functions as arithmetic, f32") { functions<float>(); }

// Where long double has no more than f64, the reference is as inexact as what is tested.
TEST_CASE("math functions as arithmetic, f64") {
  if (std::numeric_limits<long double>::digits <= 53) {
    WARN("skipped: long double is f64");
    return;
  }
  functions<double>();
}

// Arguments far from zero: the reference reduces them exactly only within f64's range of
// exact products, so pi comes from its own digits.
TEST_CASE("sine, cosine and tangent as arithmetic") {
  auto sine = [](long double x, long double) { return std::sin(x); };
  auto cosine = [](long double x, long double) { return std::cos(x); };
  auto tangent = [](long double x, long double) { return std::tan(x); };
  for (double range : {1.5, 30.0, 9000.0, 1e7}) {
    check<float>("math.sin", -range, range, 3, sine, false);
    check<float>("math.cos", -range, range, 3, cosine, false);
    check<float>("math.tan", -range, range, 5, tangent, false);
  }
  if (std::numeric_limits<long double>::digits > 53) {
    check<double>("math.sin", -30, 30, 3, sine, false);
    check<double>("math.cos", -30, 30, 3, cosine, false);
    check<double>("math.tan", -30, 30, 5, tangent, false);
    check<double>("math.sin", 1e6, 3e6, 4, sine, false);
  }
}

// Values worked out with 60 digits.
TEST_CASE("sines of huge arguments as arithmetic") {
  TransformFirst first;
  std::string text = task(64, buffer("x", "f64") + "," + buffer("o", "f64"), R"(
    %a = simt.load %x[%i] : !simt.buffer<f64, global>, i32
    %r = math.sin %a : f64
    simt.store %r, %o[%i] : !simt.buffer<f64, global>, i32
  )");
  const double arguments[] = {1e22, -1e22, 0x1p1000, 1e300, 0x1.6ac5b262ca1ffp849};
  const double sines[] = {-0.8522008497671888, 0.8522008497671888, -0.15920170308624243,
                          -0.8178819121159085, 1.0};
  for (const Variant &variant : variants({8})) {
    std::vector<double> x(64, 0.0);
    std::copy(std::begin(arguments), std::end(arguments), x.begin());
    x[10] = -0.0;
    x[11] = INFINITY;
    std::vector<Arg> args{Arg::array(x), Arg::array(std::vector<double>(64))};
    run(text, variant, args, 1);
    std::vector<double> got = args[1].as<double>();
    for (size_t i = 0; i < std::size(sines); ++i) {
      INFO(arguments[i]);
      CHECK(std::fabs(got[i] - sines[i]) <= 3e-16 * std::fabs(sines[i]));
    }
    CHECK((got[10] == 0 && std::signbit(got[10])));
    CHECK(got[11] != got[11]);
  }
}

TEST_CASE("division and square root as arithmetic are rounded correctly") {
  auto divide = [](long double x, long double y) { return (long double)(float(x) / float(y)); };
  auto root = [](long double x, long double) { return (long double)std::sqrt(float(x)); };
  for (double range : {2.0, 100.0, 1e30, 1e-30}) {
    check<float>("arith.divf", -range, range, 0, divide);
    check<float>("math.sqrt", 0, range, 0, root);
  }
}
