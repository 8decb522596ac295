// MPFR with the range and precision of f64.
#include "frontend/sema/values/ExactMath.h"

#include <cmath>
#include <mpfr.h>

namespace sextant::sema {

using hir::UnaryOp;

namespace {

/// A number of f64's precision. While it lives, MPFR uses f64's exponents (which it keeps for each
/// thread).
class Real {
public:
  explicit Real(double value) : emin(mpfr_get_emin()), emax(mpfr_get_emax()) {
    mpfr_init2(number, 53);
    mpfr_set_d(number, value, MPFR_RNDN);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
  }
  Real(const Real &) = delete;
  ~Real() {
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(number);
    mpfr_free_cache();
  }
  /// \param ternary the result of the function that set the number
  double rounded(int ternary) {
    mpfr_subnormalize(number, mpfr_check_range(number, ternary, MPFR_RNDN), MPFR_RNDN);
    return mpfr_get_d(number, MPFR_RNDN);
  }
  mpfr_t number;

private:
  mpfr_exp_t emin, emax;
};

using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

double apply(Function function, double x) {
  Real value(x);
  return value.rounded(function(value.number, value.number, MPFR_RNDN));
}

} // namespace

double evaluate(UnaryOp op, double x) {
  switch (op) {
  // These are exact or correctly rounded on every machine.
  case UnaryOp::Sqrt:
    return std::sqrt(x);
  case UnaryOp::Rsqrt:
    return 1 / std::sqrt(x);
  case UnaryOp::Floor:
    return std::floor(x);
  case UnaryOp::Ceil:
    return std::ceil(x);
  case UnaryOp::Round:
    return std::nearbyint(x);
  case UnaryOp::Trunc:
    return std::trunc(x);
  default:
    break;
  }
  static constexpr std::pair<UnaryOp, Function> functions[] = {
      {UnaryOp::Exp, mpfr_exp},   {UnaryOp::Exp2, mpfr_exp2},   {UnaryOp::Log, mpfr_log},
      {UnaryOp::Log2, mpfr_log2}, {UnaryOp::Log10, mpfr_log10}, {UnaryOp::Sin, mpfr_sin},
      {UnaryOp::Cos, mpfr_cos},   {UnaryOp::Tan, mpfr_tan},     {UnaryOp::Asin, mpfr_asin},
      {UnaryOp::Acos, mpfr_acos}, {UnaryOp::Atan, mpfr_atan},   {UnaryOp::Sinh, mpfr_sinh},
      {UnaryOp::Cosh, mpfr_cosh}, {UnaryOp::Tanh, mpfr_tanh}};
  for (const auto &[known, function] : functions)
    if (op == known)
      return apply(function, x);
  return x;
}

static double apply(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t), double x,
                    double y) {
  Real first(x);
  mpfr_t second;
  mpfr_init2(second, 53);
  mpfr_set_d(second, y, MPFR_RNDN); // every double is in the range
  double result = first.rounded(function(first.number, first.number, second, MPFR_RNDN));
  mpfr_clear(second);
  return result;
}

double evaluatePower(double x, double y) { return apply(mpfr_pow, x, y); }
double evaluateAtan2(double y, double x) { return apply(mpfr_atan2, y, x); }

} // namespace sextant::sema
