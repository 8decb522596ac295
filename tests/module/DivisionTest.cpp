// Divisions that launches turn into multiplications, against the machine's own; and the text of the
// expressions that they divide by.
#include "loader/abi/Division.h"
#include "loader/abi/LaunchExpr.h"
#include "tests/support/Catch.h"

#include <climits>
#include <random>

using namespace sextant;

/// As the code of kernels has it.
static uint32_t quotient(uint32_t n, abi::Division by) {
  return uint32_t((uint64_t(2 * n) * by.multiplier) >> 32) >> by.shift;
}

TEST_CASE("a division is exact for every number below 2^31 at its edges") {
  std::vector<uint32_t> divisors = {3, 5, 7, 10, 641, 1000003, 715827882, INT32_MAX, INT32_MAX - 1};
  for (unsigned bit = 0; bit < 31; ++bit)
    for (int64_t d = (int64_t(1) << bit) - 1; d <= (int64_t(1) << bit) + 1; ++d)
      if (d > 0)
        divisors.push_back(uint32_t(d));
  std::mt19937 random(1);
  for (int k = 0; k < 300; ++k)
    divisors.push_back(1 + (random() >> (1 + random() % 31)));
  for (uint32_t d : divisors) {
    const abi::Division by = abi::divisionBy(d);
    INFO("divisor " << d);
    REQUIRE(by.shift < 32);
    // Around multiples the quotient changes, and errors grow with the number.
    const uint32_t most = INT32_MAX / d;
    for (uint32_t q : {0u, 1u, 2u, most / 3, most / 2, most - (most > 0), most})
      for (int64_t n = int64_t(q) * d - 1; n <= int64_t(q) * d + 1; ++n)
        if (n >= 0 && n <= INT32_MAX)
          REQUIRE(quotient(uint32_t(n), by) == uint32_t(n) / d);
    for (int k = 0; k < 50; ++k) {
      const uint32_t n = random() >> 1;
      REQUIRE(quotient(n, by) == n / d);
    }
    REQUIRE(quotient(INT32_MAX, by) == INT32_MAX / d);
  }
}

TEST_CASE("a divisor that no loop has is that of 1") {
  for (int64_t d : {INT64_MIN, int64_t(-1), int64_t(0), int64_t(1) << 31, INT64_MAX})
    CHECK(quotient(1234567, abi::divisionBy(d)) == 1234567);
}

TEST_CASE("launch expressions as text") {
  using Expr = abi::LaunchExpr;
  const Expr all{{{Expr::Param, 3},
                  {Expr::Constant, -2},
                  {Expr::Add},
                  {Expr::Constant, INT64_MIN},
                  {Expr::Sub},
                  {Expr::Param, 10},
                  {Expr::Mul},
                  {Expr::Constant, 7},
                  {Expr::FloorDiv},
                  {Expr::Constant, 5},
                  {Expr::Mod},
                  {Expr::Constant, 0},
                  {Expr::Max},
                  {Expr::Constant, 9},
                  {Expr::Min},
                  {Expr::Neg}}};
  const std::string text = abi::textOf(all);
  CHECK(text == "p3,-2,+,-9223372036854775808,-,p10,*,7,/,5,%,0,>,9,<,n");
  Expr read;
  REQUIRE(abi::readLaunchExpr(text, read));
  CHECK(read == all);
  for (const char *bad :
       {"", ",", "p", "px", "3x", "p3,,2", "++", " ", "9223372036854775808", "3 "}) {
    Expr none;
    INFO(bad);
    CHECK_FALSE(abi::readLaunchExpr(bad, none));
  }
}
