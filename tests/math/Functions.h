// The functions of the language that are measured: the exact value of each, where its hard
// points lie, and what is promised of it.
#pragma once

#include <cstdint>
#include <mpfr.h>
#include <string>
#include <vector>

namespace accuracy {

/// A binary format, by its bits. Values travel as bit patterns; every one is a double.
struct Format {
  const char *name; ///< as the language calls it
  unsigned width, digits;
  int minExponent; ///< exponent of the least normal number, 2^minExponent
  int maxExponent; ///< exponent of the largest, below 2^(maxExponent + 1)

  double value(uint64_t bits) const;
  /// The nearest one, ties to even; past the largest it is infinite.
  uint64_t nearest(double value) const;
  uint64_t signBit() const { return uint64_t(1) << (width - 1); }
  uint64_t infinity() const;
  bool isSubnormal(uint64_t bits) const;
};
const Format &formatOf(const std::string &name);
constexpr unsigned formatCount = 3;
extern const Format formats[formatCount]; ///< f16, f32, f64

/// How operands beyond random bits and the grid of special values are chosen.
enum class Kind : uint8_t {
  Unary,    ///< in `low` to `high`, and close to `points`
  Angle,    ///< and close to multiples of pi/2, however large
  Bounded,  ///< two numbers of like size, and of any
  Quotient, ///< quotients of all sizes, whole ones and nearly whole ones too
  Power,    ///< results of all sizes, bases close to 1, whole exponents of negative bases
  WholePower,
};

struct Function {
  const char *name; ///< name of the kernel
  const char *text; ///< as the language writes it
  Kind kind;
  double low, high;
  std::vector<double> points;
  /// Good to far less than an f32's last place: the reference for f16 and f32.
  double (*inDouble)(double x, double y);
  /// Rounded to `result`'s precision: the reference for f64.
  void (*exact)(mpfr_t result, mpfr_srcptr x, mpfr_srcptr y);
  bool isUnary() const { return kind == Kind::Unary || kind == Kind::Angle; }
};
const std::vector<Function> &functions();

/// The largest error that we promise, in units of the last place of the exact result: 0.5 is
/// correct rounding, 0 that the result is exact (Promises.cpp).
double promiseOf(const Function &function, const Format &format);

struct Operands {
  uint64_t x, y;
};
/// About `budget` of them, the same at each call. Unary functions of f16: all numbers.
std::vector<Operands> operandsFor(const Function &function, const Format &format, size_t budget);

} // namespace accuracy
