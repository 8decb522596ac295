// Launch expressions are exact: nothing wraps on the way, and what no i64 holds is the nearest.
#include "loader/format/Module.h"
#include "tests/support/Catch.h"

#include <climits>

using namespace sextant;
using Expr = module::LaunchExpr;

namespace {
Expr::Item number(int64_t value) { return {Expr::Constant, value}; }
Expr::Item argument(int64_t index) { return {Expr::Param, index}; }

std::optional<int64_t> valueOf(std::vector<Expr::Item> items, std::vector<int64_t> arguments = {}) {
  return module::evaluate(Expr{std::move(items)}, arguments);
}
/// max(0, end - begin over step, rounded up), as for `range(begin, end, step)` of arguments.
std::optional<int64_t> iterations(int64_t begin, int64_t end, int64_t step) {
  return valueOf({argument(0),
                  argument(1),
                  {Expr::Sub},
                  argument(2),
                  {Expr::FloorDiv},
                  {Expr::Neg},
                  number(0),
                  {Expr::Max}},
                 {begin, end, step});
}
} // namespace

TEST_CASE("launch expressions count the ranges of all i64") {
  CHECK(iterations(0, 10, 3) == 4);
  CHECK(iterations(10, 0, -3) == 4);
  CHECK(iterations(INT64_MAX, INT64_MIN, 1) == 0);
  CHECK(iterations(INT64_MIN, INT64_MAX, int64_t(1) << 62) == 4);
  CHECK(iterations(INT64_MAX, INT64_MIN, -(int64_t(1) << 62)) == 4);
  CHECK(iterations(INT64_MIN, INT64_MAX, INT64_MAX) == 3);
  CHECK(iterations(INT64_MIN, INT64_MAX, 1) == INT64_MAX); // the nearest
  CHECK(iterations(INT64_MAX, INT64_MIN, INT64_MIN) == 2);
  CHECK(iterations(0, 10, 0) == std::nullopt);
}

TEST_CASE("launch expressions do not wrap where they multiply") {
  const std::vector<Expr::Item> product = {
      argument(0), argument(1), {Expr::Mul}, argument(2), {Expr::Mul}};
  CHECK(valueOf(product, {INT32_MAX, INT32_MAX, INT32_MAX}) == INT64_MAX);
  CHECK(valueOf(product, {INT32_MAX, INT32_MAX, 0}) == 0);
  CHECK(valueOf(product, {INT64_MAX, INT64_MAX, INT64_MAX}) == INT64_MAX);
  CHECK(valueOf(product, {INT64_MIN, INT64_MAX, INT64_MAX}) == INT64_MIN);
  CHECK(valueOf(product, {INT64_MIN, INT64_MIN, 0}) == 0);
  CHECK(valueOf(product, {int64_t(1) << 40, int64_t(1) << 40, 0}) == 0);
}

TEST_CASE("launch expressions floor, and take the divisor's sign") {
  auto divided = [](int64_t a, int64_t b) {
    return valueOf({number(a), number(b), {Expr::FloorDiv}});
  };
  auto rest = [](int64_t a, int64_t b) { return valueOf({number(a), number(b), {Expr::Mod}}); };
  CHECK(divided(-7, 2) == -4);
  CHECK(divided(7, -2) == -4);
  CHECK(divided(INT64_MIN, -1) == INT64_MAX); // the nearest
  CHECK(rest(-7, 3) == 2);
  CHECK(rest(7, -3) == -2);
  CHECK(rest(INT64_MIN, -1) == 0);
  CHECK(rest(1, 0) == std::nullopt);
  // The bits of an u64 argument, as sema tells them: modulo 2 to the power of 64.
  CHECK(valueOf({argument(0),
                 number(INT64_MIN),
                 {Expr::Neg},
                 number(2),
                 {Expr::Mul},
                 {Expr::Mod},
                 number(2),
                 {Expr::FloorDiv}},
                {-1}) == INT64_MAX);
}
