// The table of functions, with references and promises.
#include "tests/math/Functions.h"

#include <cmath>

namespace accuracy {

namespace {

using Source = mpfr_srcptr;

/// MPFR's function of one argument.
template <int (*F)(mpfr_ptr, Source, mpfr_rnd_t)> void one(mpfr_t result, Source x, Source) {
  F(result, x, MPFR_RNDN);
}
template <int (*F)(mpfr_ptr, Source, Source, mpfr_rnd_t)>
void two(mpfr_t result, Source x, Source y) {
  F(result, x, y, MPFR_RNDN);
}
template <double (*F)(double)> double one(double x, double) { return F(x); }

/// rec_sqrt(-0) is +inf in MPFR; 1 / sqrt(-0) is -inf.
void rsqrt(mpfr_t result, Source x, Source) {
  mpfr_rec_sqrt(result, x, MPFR_RNDN);
  if (mpfr_zero_p(x) && mpfr_signbit(x))
    mpfr_neg(result, result, MPFR_RNDN);
}
int roundEven(mpfr_ptr result, Source x, mpfr_rnd_t) { return mpfr_rint(result, x, MPFR_RNDN); }
int whole(mpfr_ptr result, Source x, mpfr_rnd_t) { return mpfr_trunc(result, x); }
int below(mpfr_ptr result, Source x, mpfr_rnd_t) { return mpfr_floor(result, x); }
int above(mpfr_ptr result, Source x, mpfr_rnd_t) { return mpfr_ceil(result, x); }

// Python's: the remainder has the divisor's sign, and a zero too.
double modulo(double x, double y) {
  const double rest = std::fmod(x, y);
  if (rest == 0)
    return std::copysign(0.0, y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}
void modulo(mpfr_t result, Source x, Source y) {
  mpfr_fmod(result, x, y, MPFR_RNDN); // exact: it has no more digits than y
  if (mpfr_nan_p(result))
    return;
  if (mpfr_zero_p(result))
    mpfr_setsign(result, result, mpfr_signbit(y), MPFR_RNDN);
  else if (mpfr_signbit(result) != mpfr_signbit(y))
    mpfr_add(result, result, y, MPFR_RNDN);
}

// The floor of the exact quotient, which CPython's is but for its own rounding; a finite
// number by an infinite one is 0 or -1. By zero, where Python raises: the plain quotient.
double floorDivide(double x, double y) {
  if (y == 0 || std::isnan(x) || std::isnan(y))
    return x / y;
  if (std::isinf(x))
    return NAN;
  const double rest = std::fmod(x, y);
  double quotient = std::isinf(y) ? 0 : (x - rest) / y;
  if (rest != 0 && (rest < 0) != (y < 0))
    quotient -= 1;
  return quotient == 0 ? std::copysign(0.0, std::signbit(x) != std::signbit(y) ? -1.0 : 1.0)
                       : std::nearbyint(quotient);
}
void floorDivide(mpfr_t result, Source x, Source y) {
  if (mpfr_zero_p(y) || mpfr_nan_p(x) || mpfr_nan_p(y)) {
    mpfr_div(result, x, y, MPFR_RNDN);
  } else if (mpfr_inf_p(x)) {
    mpfr_set_nan(result);
  } else if (mpfr_inf_p(y)) {
    if (!mpfr_zero_p(x) && mpfr_signbit(x) != mpfr_signbit(y))
      mpfr_set_si(result, -1, MPFR_RNDN);
    else
      mpfr_set_zero(result, mpfr_signbit(x) != mpfr_signbit(y) ? -1 : 1);
  } else {
    // Rounded down, a quotient that is not whole stays below the next whole number.
    mpfr_div(result, x, y, MPFR_RNDD);
    mpfr_floor(result, result);
    if (mpfr_zero_p(result))
      mpfr_set_zero(result, mpfr_signbit(x) != mpfr_signbit(y) ? -1 : 1);
  }
}

double divide(double x, double y) { return x / y; }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double floorOf(double x) { return std::floor(x); }
double minimum(double x, double y) { return std::fmin(x, y); }
double maximum(double x, double y) { return std::fmax(x, y); }

} // namespace

const std::vector<Function> &functions() {
  static const std::vector<Function> all = {
      {"sqrt", "sqrt(x)", Kind::Unary, 0, 4, {1}, one<std::sqrt>, one<mpfr_sqrt>},
      {"rsqrt", "rsqrt(x)", Kind::Unary, 0, 4, {1}, one<rsqrt>, rsqrt},
      {"exp",
       "exp(x)",
       Kind::Unary,
       -104,
       89,
       {0, 88.7228, -87.3365, -103.97, 709.7827, -708.396, -745.133, 11.09, -9.7, -17.3},
       one<std::exp>,
       one<mpfr_exp>},
      {"exp2",
       "exp2(x)",
       Kind::Unary,
       -150,
       128,
       {0, 128, -126, -149, 1024, -1022, -1074, 16, -25},
       one<std::exp2>,
       one<mpfr_exp2>},
      {"log",
       "log(x)",
       Kind::Unary,
       0,
       4,
       {1, 0.70710678, 1.41421356},
       one<std::log>,
       one<mpfr_log>},
      {"log2",
       "log2(x)",
       Kind::Unary,
       0,
       4,
       {1, 0.70710678, 1.41421356, 2, 0.5},
       one<std::log2>,
       one<mpfr_log2>},
      {"log10",
       "log10(x)",
       Kind::Unary,
       0,
       4,
       {1, 0.70710678, 1.41421356, 10},
       one<std::log10>,
       one<mpfr_log10>},
      {"sin", "sin(x)", Kind::Angle, -10, 10, {0}, one<std::sin>, one<mpfr_sin>},
      {"cos", "cos(x)", Kind::Angle, -10, 10, {0}, one<std::cos>, one<mpfr_cos>},
      {"tan", "tan(x)", Kind::Angle, -10, 10, {0}, one<std::tan>, one<mpfr_tan>},
      {"asin",
       "asin(x)",
       Kind::Unary,
       -1,
       1,
       {0, 0.5, -0.5, 1, -1},
       one<std::asin>,
       one<mpfr_asin>},
      {"acos",
       "acos(x)",
       Kind::Unary,
       -1,
       1,
       {0, 0.5, -0.5, 1, -1},
       one<std::acos>,
       one<mpfr_acos>},
      {"atan",
       "atan(x)",
       Kind::Unary,
       -5,
       5,
       {0, 0.41421356, 1, 2.41421356, -1},
       one<std::atan>,
       one<mpfr_atan>},
      {"sinh",
       "sinh(x)",
       Kind::Unary,
       -10,
       10,
       {0, 1, -1, 89.4159, 710.4758},
       one<std::sinh>,
       one<mpfr_sinh>},
      {"cosh",
       "cosh(x)",
       Kind::Unary,
       -10,
       10,
       {0, 1, 89.4159, 710.4758},
       one<std::cosh>,
       one<mpfr_cosh>},
      {"tanh",
       "tanh(x)",
       Kind::Unary,
       -10,
       10,
       {0, 0.55, -0.55, 9.01, 19.06},
       one<std::tanh>,
       one<mpfr_tanh>},
      {"floor", "floor(x)", Kind::Unary, -10, 10, {0, 1, -1, 0.5}, one<floorOf>, one<below>},
      {"ceil", "ceil(x)", Kind::Unary, -10, 10, {0, 1, -1, 0.5}, one<std::ceil>, one<above>},
      {"round",
       "round(x)",
       Kind::Unary,
       -10,
       10,
       {0, 0.5, -0.5, 1.5, 2.5, -2.5, 8388607.5},
       one<std::nearbyint>,
       one<roundEven>},
      {"trunc", "trunc(x)", Kind::Unary, -10, 10, {0, 1, -1, 0.5}, one<std::trunc>, one<whole>},
      {"abs", "abs(x)", Kind::Unary, -10, 10, {0}, one<std::fabs>, one<mpfr_abs>},
      {"min", "min(x, y)", Kind::Bounded, 0, 0, {}, minimum, two<mpfr_min>},
      {"max", "max(x, y)", Kind::Bounded, 0, 0, {}, maximum, two<mpfr_max>},
      {"divide", "x / y", Kind::Quotient, 0, 0, {}, divide, two<mpfr_div>},
      {"floor_divide", "x // y", Kind::Quotient, 0, 0, {}, floorDivide, floorDivide},
      {"modulo", "x % y", Kind::Quotient, 0, 0, {}, modulo, modulo},
      {"atan2", "atan2(x, y)", Kind::Bounded, 0, 0, {}, std::atan2, two<mpfr_atan2>},
      {"pow", "pow(x, y)", Kind::Power, 0, 0, {}, std::pow, two<mpfr_pow>},
      {"pow_int", "x ** n", Kind::WholePower, 0, 0, {}, std::pow, two<mpfr_pow>},
  };
  return all;
}

} // namespace accuracy
