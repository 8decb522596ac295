// Evaluates launch expressions. Every launch does so, and this file is built for speed.
#include "loader/abi/LaunchExpr.h"

#include <algorithm>
#include <array>

namespace sextant::abi {

namespace {

/// No argument exceeds 128 bits, and a few operations on arguments hardly ever do.
__extension__ using Wide = __int128;
constexpr Wide widest = static_cast<Wide>(~static_cast<unsigned __int128>(0) >> 1);

/// Stores the exact result. Returns false if it does not fit or is undefined.
template <typename Int> bool apply(LaunchExpr::Op op, Int a, Int b, Int &result) {
  switch (op) {
  case LaunchExpr::Add:
    return !__builtin_add_overflow(a, b, &result);
  case LaunchExpr::Sub:
  case LaunchExpr::Neg:
    return !__builtin_sub_overflow(a, b, &result);
  case LaunchExpr::Mul:
    return !__builtin_mul_overflow(a, b, &result);
  case LaunchExpr::Min:
    result = a < b ? a : b;
    return true;
  case LaunchExpr::Max:
    result = a > b ? a : b;
    return true;
  case LaunchExpr::FloorDiv:
    if (b == -1) // the least number over -1 would trap
      return !__builtin_sub_overflow(Int(0), a, &result);
    result = a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
    return true;
  case LaunchExpr::Mod:
    result = b == -1 ? 0 : a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
    return true;
  default:
    return false;
  }
}

/// For results past 128 bits: the largest number of the right sign.
Wide saturated(LaunchExpr::Op op, Wide a, Wide b) {
  const bool isNegative = op == LaunchExpr::Add   ? a < 0
                          : op == LaunchExpr::Mul ? (a < 0) != (b < 0)
                                                  : b > 0;
  return isNegative ? -widest : widest;
}

enum class Outcome : uint8_t { Done, Overflow, None };

/// Evaluates the expression on numbers of type Int.
template <typename Int>
Outcome run(const LaunchExpr &expr, std::span<const int64_t> params, Int &result) {
  std::array<Int, maxLaunchDepth> stack; // left as it is: launches should be quick
  unsigned depth = 0;
  for (const LaunchExpr::Item &item : expr.items) {
    const unsigned operands = operandsOf(item.op);
    if (depth < operands || depth - operands >= maxLaunchDepth)
      return Outcome::None;
    depth -= operands;
    Int value = 0;
    if (item.op == LaunchExpr::Constant) {
      value = item.value;
    } else if (item.op == LaunchExpr::Param) {
      const auto number = static_cast<uint64_t>(item.value);
      if (number >= params.size())
        return Outcome::None;
      value = params[number];
    } else {
      const bool isUnary = item.op == LaunchExpr::Neg;
      const Int a = isUnary ? Int(0) : stack[depth], b = isUnary ? stack[depth] : stack[depth + 1];
      if (b == 0 && (item.op == LaunchExpr::FloorDiv || item.op == LaunchExpr::Mod))
        return Outcome::None;
      if (!apply<Int>(item.op, a, b, value)) {
        if constexpr (sizeof(Int) == sizeof(int64_t))
          return Outcome::Overflow;
        else
          value = saturated(item.op, a, b);
      }
    }
    stack[depth++] = value;
  }
  if (depth != 1)
    return Outcome::None;
  result = stack[0];
  return Outcome::Done;
}
} // namespace

// Nothing wraps, except where the expression says so by Mod.
std::optional<int64_t> evaluate(const LaunchExpr &expr, std::span<const int64_t> params) {
  int64_t result = 0;
  Outcome outcome = run<int64_t>(expr, params, result);
  if (outcome == Outcome::Overflow) [[unlikely]] { // the extremes of 64 bits
    Wide wide = 0;
    outcome = run<Wide>(expr, params, wide);
    result = static_cast<int64_t>(std::clamp<Wide>(wide, INT64_MIN, INT64_MAX));
  }
  return outcome == Outcome::Done ? std::optional<int64_t>(result) : std::nullopt;
}

} // namespace sextant::abi
