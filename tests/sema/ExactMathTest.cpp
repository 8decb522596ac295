// Functions of compile-time values: exact cases, C's special cases, the edges of f64, and values
// whose correctly rounded results were worked out to 40 digits (with Python's decimal module).
#include "frontend/sema/values/ExactMath.h"
#include "tests/support/Catch.h"

#include <cmath>
#include <limits>

using namespace sextant;
using hir::UnaryOp;
using sema::evaluate;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least = std::numeric_limits<double>::denorm_min();
} // namespace

TEST_CASE("functions of constants: exact values and C's special cases") {
  CHECK(evaluate(UnaryOp::Exp, 0) == 1);
  CHECK(evaluate(UnaryOp::Exp2, 10) == 1024);
  CHECK(evaluate(UnaryOp::Log2, 0x1p-1074) == -1074);
  CHECK(evaluate(UnaryOp::Log10, 1000) == 3);
  CHECK(std::signbit(evaluate(UnaryOp::Sin, -0.0)));
  CHECK(evaluate(UnaryOp::Cos, 0) == 1);
  CHECK(evaluate(UnaryOp::Tanh, infinity) == 1);
  CHECK(evaluate(UnaryOp::Log, 0) == -infinity);
  CHECK(std::isnan(evaluate(UnaryOp::Log, -1)));
  CHECK(std::isnan(evaluate(UnaryOp::Sin, infinity)));
  CHECK(std::isnan(evaluate(UnaryOp::Asin, 2)));
  CHECK(sema::evaluatePower(2, 0.5) == std::sqrt(2.0));
  CHECK(sema::evaluatePower(-8, 3) == -512);
  CHECK(sema::evaluatePower(0, 0) == 1);
  CHECK(std::isnan(sema::evaluatePower(-1, 0.5)));
  CHECK(sema::evaluateAtan2(0.0, -1) == 0x1.921fb54442d18p+1);
  CHECK(sema::evaluateAtan2(-0.0, -1) == -0x1.921fb54442d18p+1);
  // No function of these.
  CHECK(evaluate(UnaryOp::Floor, -0.5) == -1);
  CHECK(evaluate(UnaryOp::Round, 2.5) == 2);
  CHECK(evaluate(UnaryOp::Rsqrt, 4) == 0.5);
}

TEST_CASE("functions of constants at the edges of f64") {
  CHECK(evaluate(UnaryOp::Exp, 710) == infinity);
  CHECK(evaluate(UnaryOp::Exp2, 1023.5) == 0x1.6a09e667f3bcdp+1023);
  CHECK(evaluate(UnaryOp::Exp2, -1074) == least);
  CHECK(evaluate(UnaryOp::Exp2, -1074.9) == least); // 0.536 of it
  CHECK(evaluate(UnaryOp::Exp2, -1075.1) == 0);     // 0.467 of it
  CHECK(evaluate(UnaryOp::Exp2, -1073) == 2 * least);
  CHECK(evaluate(UnaryOp::Sin, least) == least);
  CHECK(sema::evaluatePower(least, 2) == 0);
  CHECK(sema::evaluatePower(0x1p-537, 2) == least);
  CHECK(sema::evaluatePower(10, 308) == 1e308);
  CHECK(sema::evaluatePower(10, 309) == infinity);
}

TEST_CASE("functions of constants are rounded correctly") {
  CHECK(evaluate(UnaryOp::Exp, 0.1) == 0x1.1aec7b35a00d4p+0);
  CHECK(evaluate(UnaryOp::Exp, 17.25) == 0x1.d94295464477bp+24);
  CHECK(evaluate(UnaryOp::Exp, -3.3) == 0x1.2e259bb85be85p-5);
  CHECK(evaluate(UnaryOp::Log, 0.7) == -0x1.6d3c324e13f50p-2);
  CHECK(evaluate(UnaryOp::Log, 33.7) == 0x1.c23d5e7f9a337p+1);
  CHECK(evaluate(UnaryOp::Sin, 0.7) == 0x1.49d6e694619b8p-1);
  CHECK(evaluate(UnaryOp::Sin, 17.25) == -0x1.ffc9cc480614fp-1);
  CHECK(sema::evaluatePower(0.7, 1.3) == 0x1.4207e29c0d5e5p-1);
  CHECK(sema::evaluatePower(2.5, -3.7) == 0x1.1410bb40d75d5p-5);
  CHECK(sema::evaluatePower(1.0001, 5000.5) == 0x1.a6154c644965cp+0);
}
