#include "tests/fuzz/Values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace fuzz {

static constexpr std::array<std::string_view, scalarCount> names = {
    "u1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"};

std::string_view nameOf(Scalar type) { return names[size_t(type)]; }

int scalarOf(std::string_view name) {
  const auto *found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : int(found - names.begin());
}

unsigned bitsOf(Scalar type) {
  static constexpr std::array<unsigned, scalarCount> widths = {1,  8,  16, 32, 64, 8,
                                                               16, 32, 64, 16, 32, 64};
  return widths[size_t(type)];
}

Scalar promote(Scalar a, Scalar b) {
  if (isReal(a) != isReal(b))
    return isReal(a) ? a : b;
  if (bitsOf(a) != bitsOf(b))
    return bitsOf(a) > bitsOf(b) ? a : b;
  return isSigned(a) ? b : a;
}

Bits wrap(Scalar type, Bits bits) {
  const unsigned width = bitsOf(type);
  if (width == 64)
    return bits;
  if (isSigned(type))
    return Bits(int64_t(bits << (64 - width)) >> (64 - width));
  return bits & ((Bits(1) << width) - 1);
}

//===--- Reals -------------------------------------------------------------===//

static double halfToDouble(Bits bits) {
  const int exponent = int(bits >> 10 & 31);
  const double fraction = double(bits & 1023);
  double value;
  if (exponent == 31)
    value = fraction ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else
    value = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -value : value;
}

static Bits doubleToHalf(double value) {
  const Bits sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (size != size)
    return 0x7e00;
  if (size >= 65520)
    return sign | 0x7c00;
  if (size == 0)
    return sign;
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent, -13);               // the value is below 2^exponent
  const double unit = std::ldexp(1, exponent - 11); // the value of the last place
  const Bits steps = Bits(std::nearbyint(size / unit));
  // Steps from 1024 on carry into the exponent by themselves; fewer are a subnormal number.
  return sign | ((Bits(exponent + 13) << 10) + steps);
}

double toDouble(Scalar real, Bits bits) {
  switch (real) {
  case Scalar::F16:
    return halfToDouble(bits);
  case Scalar::F32:
    return std::bit_cast<float>(uint32_t(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

Bits fromDouble(Scalar real, double value) {
  switch (real) {
  case Scalar::F16:
    return doubleToHalf(value);
  case Scalar::F32:
    return std::bit_cast<uint32_t>(float(value));
  default:
    return std::bit_cast<Bits>(value);
  }
}

bool isNan(Scalar type, Bits bits) { return isReal(type) && std::isnan(toDouble(type, bits)); }

/// Targets may flush subnormal numbers.
static Bits normal(Scalar type, Bits bits) {
  static constexpr double least[] = {0x1p-14, 0x1p-126, 0x1p-1022};
  const double size = std::fabs(toDouble(type, bits));
  if (size > 0 && size < least[size_t(type) - size_t(Scalar::F16)])
    throw Unspecified("a subnormal number");
  return bits;
}

bool roundsProduct(Scalar type, Bits a, Bits b) {
  const double x = toDouble(type, a), y = toDouble(type, b);
  const double product = toDouble(type, compute(Op::Mul, type, a, b));
  if (!std::isfinite(x) || !std::isfinite(y))
    return false;
  if (!std::isfinite(product))
    return true;
  return type == Scalar::F64 ? std::fma(x, y, -product) != 0 : x * y != product;
}

/// Python's floor division and modulo, in steps of the type.
static Bits floorDivide(Scalar type, double a, double b, bool wantModulo) {
  auto rounded = [&](double value) { return toDouble(type, fromDouble(type, value)); };
  if (b == 0 || !std::isfinite(a) || !std::isfinite(b))
    throw Unspecified("a floor division by zero or of what is not finite");
  double modulo = std::fmod(a, b);
  double quotient = rounded(rounded(a - modulo) / b);
  if (modulo != 0) {
    if ((b < 0) != (modulo < 0)) {
      modulo = rounded(modulo + b);
      quotient = rounded(quotient - 1);
    }
  } else {
    modulo = std::copysign(0.0, b);
  }
  if (wantModulo)
    return fromDouble(type, modulo);
  double floor = std::copysign(0.0, a / b);
  if (quotient != 0) {
    floor = std::floor(quotient);
    if (quotient - floor > 0.5)
      floor = rounded(floor + 1);
  }
  // Quotients that a type's digits do not hold are another matter than lanes and masks.
  if (std::fabs(floor) > 1024)
    throw Unspecified("a large quotient of reals");
  return fromDouble(type, floor);
}

static Bits computeReal(Op op, Scalar type, Bits aBits, Bits bBits) {
  const double a = toDouble(type, normal(type, aBits)), b = toDouble(type, normal(type, bBits));
  // Sums, differences, products and quotients of floats and halves, computed in double and then
  // rounded, are correctly rounded: 53 bits are more than twice 24 and two.
  switch (op) {
  case Op::Add:
    return normal(type, fromDouble(type, a + b));
  case Op::Sub:
    return normal(type, fromDouble(type, a - b));
  case Op::Mul:
    return normal(type, fromDouble(type, a * b));
  case Op::Div:
    if (b == 0)
      throw Unspecified("a division by zero");
    return normal(type, fromDouble(type, a / b));
  case Op::FloorDiv:
    return normal(type, floorDivide(type, a, b, false));
  case Op::Mod:
    return normal(type, floorDivide(type, a, b, true));
  case Op::Min:
  case Op::Max:
    if (a != a)
      return bBits;
    if (b != b)
      return aBits;
    if (a == 0 && b == 0 && aBits != bBits)
      throw Unspecified("a minimum of zeros of both signs");
    return (op == Op::Min ? a < b : a > b) ? aBits : bBits;
  default:
    throw Unsupported("a bit operation on reals");
  }
}

//===--- Integers ----------------------------------------------------------===//

template <class T> static Bits divide(Scalar type, T a, T b, bool wantModulo) {
  if (b == 0)
    throw Unspecified("a division by zero");
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1) && wrap(type, Bits(-a)) == Bits(a) && a != 0)
      throw Unspecified("the least integer divided by -1");
  T quotient = a / b, rest = a % b;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    quotient -= 1;
    rest += b;
  }
  return Bits(wantModulo ? rest : quotient);
}

Bits compute(Op op, Scalar type, Bits a, Bits b) {
  if (isReal(type))
    return computeReal(op, type, a, b);
  const bool asSigned = isSigned(type);
  const bool less = asSigned ? int64_t(a) < int64_t(b) : a < b;
  switch (op) {
  case Op::Add:
    return wrap(type, a + b);
  case Op::Sub:
    return wrap(type, a - b);
  case Op::Mul:
    return wrap(type, a * b);
  case Op::FloorDiv:
  case Op::Mod:
    if (asSigned) {
      if (int64_t(a) == INT64_MIN && int64_t(b) == -1)
        throw Unspecified("the least integer divided by -1");
      return wrap(type, divide(type, int64_t(a), int64_t(b), op == Op::Mod));
    }
    return wrap(type, divide(type, a, b, op == Op::Mod));
  case Op::Shl:
  case Op::Shr:
    if (b >= bitsOf(type))
      throw Unspecified("a shift past the width");
    if (op == Op::Shl)
      return wrap(type, a << b);
    return asSigned ? Bits(int64_t(a) >> b) : a >> b;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return wrap(type, a ^ b);
  case Op::Min:
    return less ? a : b;
  case Op::Max:
    return less ? b : a;
  case Op::Div:
    break;
  }
  throw Unsupported("a real division of integers");
}

bool compare(Relation relation, Scalar type, Bits a, Bits b) {
  auto holds = [&](auto x, auto y) {
    switch (relation) {
    case Relation::Lt:
      return x < y;
    case Relation::Le:
      return x <= y;
    case Relation::Gt:
      return x > y;
    case Relation::Ge:
      return x >= y;
    case Relation::Eq:
      return x == y;
    default:
      return x != y;
    }
  };
  if (isReal(type))
    return holds(toDouble(type, normal(type, a)), toDouble(type, normal(type, b)));
  return isSigned(type) ? holds(int64_t(a), int64_t(b)) : holds(a, b);
}

Bits convert(Scalar from, Scalar to, Bits bits) {
  if (from == to)
    return bits;
  if (to == Scalar::U1)
    return isReal(from) ? toDouble(from, normal(from, bits)) != 0 : bits != 0;
  if (!isReal(from) && !isReal(to))
    return wrap(to, bits);
  if (isReal(from) && isReal(to)) {
    const double value = toDouble(from, normal(from, bits));
    const Bits result = normal(to, fromDouble(to, value));
    if (std::isfinite(value) && !std::isfinite(toDouble(to, result)))
      throw Unspecified("a real too large for the narrower type");
    return result;
  }
  if (isReal(to)) {
    // One rounding, from 64 bits: a double would round twice.
    const auto exact = isSigned(from) ? (long double)(int64_t(bits)) : (long double)(bits);
    Bits result;
    if (to == Scalar::F32)
      result = std::bit_cast<uint32_t>(float(exact));
    else if (to == Scalar::F64)
      result = std::bit_cast<Bits>(double(exact));
    else if (std::fabs(exact) < 65504)
      result = doubleToHalf(double(exact));
    else
      throw Unspecified("an integer too large for f16");
    return result;
  }
  // To the nearest end of the integer's range; 0 of NaN.
  const double value = toDouble(from, normal(from, bits));
  const unsigned digits = bitsOf(to) - (isSigned(to) ? 1 : 0);
  const double past = std::ldexp(1, int(digits)), least = isSigned(to) ? -past : 0;
  if (std::isnan(value))
    return 0;
  if (value >= past)
    return ~Bits(0) >> (64 - digits);
  if (value <= least)
    return isSigned(to) ? ~Bits(0) << digits : 0;
  return isSigned(to) ? Bits(int64_t(value)) : Bits(value);
}

} // namespace fuzz
