// The operands that functions are measured on: special values, every exponent, the neighbourhood of
// the hard points of each function, random bits.
#include "tests/math/Functions.h"

#include <cmath>
#include <random>

namespace accuracy {

namespace {

class Source {
public:
  Source(const Function &function, const Format &format)
      : function(function), format(format),
        random(std::hash<std::string>{}(std::string(function.name) + format.name)) {}

  uint64_t bits() { return random() & (format.signBit() - 1 | format.signBit()); }
  /// In [0, 1).
  double unit() { return double(random() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  /// Returns a number of either sign, its exponent between the two.
  double sized(double low, double high) {
    const double size = std::exp2(std::floor(between(low, high))) * (1 + unit());
    return random() % 2 ? -size : size;
  }
  uint64_t of(double value) { return format.nearest(value); }
  /// A value that differs from `point` by 2^-1 to less than its last place.
  double closeTo(double point) {
    return point + (std::fabs(point) + 0.01) * sized(-double(format.digits) - 2, -1);
  }
  int smallestExponent() const { return format.minExponent - int(format.digits) + 1; }

  /// Zeros, the ends of the ranges, whole numbers and halves, infinities, NaN.
  std::vector<uint64_t> specials() {
    const uint64_t infinity = format.infinity(), normal = uint64_t(1) << (format.digits - 1);
    std::vector<uint64_t> sizes = {
        0, 1, 2, normal - 1, normal, normal + 1, infinity, infinity - 1, infinity - 2};
    for (double value :
         {0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0, 0.1, 100.0, 1023.0,
          std::ldexp(1.0, int(format.digits) - 1), std::ldexp(1.0, int(format.digits))})
      for (int step : {-1, 0, 1})
        sizes.push_back(of(value) + uint64_t(int64_t(step)));
    std::vector<uint64_t> result = {infinity + normal / 2};
    for (uint64_t size : sizes)
      for (uint64_t sign : {uint64_t(0), format.signBit()})
        result.push_back(size | sign);
    return result;
  }

  double nearQuarterTurn() {
    const long double quarter = 1.570796326794896619231321691639751442L;
    const double turns = random() % 2 ? double(random() % 2000)
                                      : std::floor(std::exp2(between(0, format.digits - 1)));
    const double x = double((long double)turns * quarter);
    const uint64_t at = of(x) + random() % 5 - 2;
    return (random() % 2 ? 1 : -1) * format.value(at & (format.signBit() - 1));
  }

  Operands unary(size_t i) {
    switch (i % 4) {
    case 0: // every exponent in turn
      return {(uint64_t(i / 4 % (2 * format.maxExponent + 1)) << (format.digits - 1)) |
                  (bits() & (format.signBit() | ((uint64_t(1) << (format.digits - 1)) - 1))),
              0};
    case 1:
      return {of(between(function.low, function.high)), 0};
    case 2:
      if (function.kind == Kind::Angle)
        return {of(nearQuarterTurn()), 0};
      return {of(sized(-double(format.digits), std::log2(function.high + 1))), 0};
    default:
      return {of(closeTo(function.points[random() % function.points.size()])), 0};
    }
  }

  /// Like in size, or of any.
  Operands bounded(size_t i) {
    if (i % 4 == 0)
      return {bits(), bits()};
    const double x = i % 4 == 1 ? between(-3, 3) : sized(format.minExponent, format.maxExponent);
    return {of(x), of(i % 4 == 1 ? between(-3, 3) : x * sized(-30, 30))};
  }

  Operands quotient(size_t i) {
    const double y = i % 3 ? sized(format.minExponent / 2, format.maxExponent / 2)
                           : std::floor(between(1, 100)) / (random() % 2 ? 1 : 10);
    switch (i % 5) {
    case 0:
      return {bits(), bits()};
    case 1: // whole multiples, and their neighbours
      return {of(format.value(of(y)) * std::floor(between(-1000, 1000))) + random() % 3 - 1, of(y)};
    case 2:
      return {of(y * sized(-5, 12)), of(y)};
    case 3:
      return {of(between(-50, 50)), of(between(-50, 50))};
    default:
      return {of(sized(smallestExponent(), format.maxExponent)), of(y)};
    }
  }

  Operands power(size_t i) {
    if (i % 6 == 0)
      return {bits(), bits()};
    if (i % 6 == 1)
      return {of(between(0, 20)), of(between(-20, 20))};
    if (i % 6 == 2)
      return {of(-sized(-3, 3)), of(std::floor(between(-40, 40)))};
    // An exponent that brings the result to a size chosen first.
    double x = i % 6 == 3 ? closeTo(1) : std::fabs(sized(smallestExponent(), format.maxExponent));
    x = format.value(of(x));
    const double size = between(smallestExponent() - 2, format.maxExponent + 2);
    return {of(x), of(size / std::log2(x))};
  }

  Operands wholePower(size_t i) {
    if (i % 3 == 0)
      return {of(sized(-4, 4)), of(std::floor(between(-40, 40)))};
    double x = i % 3 == 1 ? closeTo(1) : sized(format.minExponent, format.maxExponent);
    x = format.value(of(x));
    const double size = between(smallestExponent() - 2, format.maxExponent + 2);
    const double limit = std::ldexp(1.0, std::min(int(format.digits), 30));
    double n = std::trunc(size / std::log2(std::fabs(x)));
    n = std::isfinite(n) ? std::fmax(-limit, std::fmin(limit, n)) : 3;
    return {of(x), of(n)};
  }

  Operands next(size_t i) {
    switch (function.kind) {
    case Kind::Unary:
    case Kind::Angle:
      return unary(i);
    case Kind::Bounded:
      return bounded(i);
    case Kind::Quotient:
      return quotient(i);
    case Kind::Power:
      return power(i);
    case Kind::WholePower:
      return wholePower(i);
    }
    return {};
  }

private:
  const Function &function;
  const Format &format;
  std::mt19937_64 random;
};

} // namespace

std::vector<Operands> operandsFor(const Function &function, const Format &format, size_t budget) {
  std::vector<Operands> result;
  Source source(function, format);
  const std::vector<uint64_t> specials = source.specials();
  if (function.isUnary() && format.width == 16) {
    for (uint64_t bits = 0; bits < 0x10000; ++bits)
      result.push_back({bits, 0});
    return result;
  }
  for (uint64_t x : specials) {
    if (function.isUnary())
      result.push_back({x, 0});
    else if (function.kind == Kind::WholePower)
      for (double y : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 1023.0, -1023.0})
        result.push_back({x, format.nearest(y)});
    else
      for (uint64_t y : specials)
        result.push_back({x, y});
  }
  // Known to lie closest to a multiple of pi/2 of all numbers of their type.
  if (function.kind == Kind::Angle)
    for (double x : {16367173.0 * 0x1p72, 0x1.6ac5b262ca1ffp849, 1e22, 0x1p1000})
      result.push_back({format.nearest(x), 0});
  for (size_t i = 0; result.size() < budget; ++i)
    result.push_back(source.next(i));
  return result;
}

} // namespace accuracy
