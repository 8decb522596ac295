// Launch expressions: what every launch evaluates. Built to be quick, unlike its neighbours.
#include "loader/format/Module.h"

namespace sextant::module {

namespace {
unsigned operandsOf(LaunchExpr::Op op) {
  switch (op) {
  case LaunchExpr::Constant:
  case LaunchExpr::Param:
    return 0;
  case LaunchExpr::Neg:
    return 1;
  default:
    return 2;
  }
}

int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

std::optional<int64_t> apply(LaunchExpr::Op op, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
  case LaunchExpr::Add:
    return wrap(ua + ub);
  case LaunchExpr::Sub:
    return wrap(ua - ub);
  case LaunchExpr::Mul:
    return wrap(ua * ub);
  case LaunchExpr::Min:
    return a < b ? a : b;
  case LaunchExpr::Max:
    return a > b ? a : b;
  case LaunchExpr::FloorDiv:
    if (b == 0)
      return std::nullopt;
    if (b == -1)
      return wrap(0 - ua);
    return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
  case LaunchExpr::Mod:
    if (b == 0)
      return std::nullopt;
    if (b == -1)
      return 0;
    return a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
  default:
    return std::nullopt;
  }
}
} // namespace

std::string checkLaunchExpr(const LaunchExpr &expr, std::span<const Param> params,
                            uint64_t buffers) {
  unsigned depth = 0;
  for (const LaunchExpr::Item &item : expr.items) {
    if (item.op < LaunchExpr::Constant || item.op > LaunchExpr::Neg)
      return "operator " + std::to_string(item.op) + " does not exist";
    if (item.op == LaunchExpr::Param) {
      const auto number = static_cast<uint64_t>(item.value);
      if (number >= params.size() + buffers)
        return "parameter " + std::to_string(item.value) + " does not exist";
      if (number >= params.size() || params[number].kind == Param::Buffer ||
          params[number].dtype >= DType::F16)
        return "parameter " + std::to_string(item.value) + " is not an integer";
    }
    const unsigned operands = operandsOf(item.op);
    if (depth < operands)
      return "an operator lacks an operand";
    depth = depth - operands + 1;
    if (depth > maxLaunchDepth)
      return "it needs a stack deeper than " + std::to_string(maxLaunchDepth);
  }
  return depth == 1 ? "" : "it leaves " + std::to_string(depth) + " values instead of one";
}

std::optional<int64_t> evaluate(const LaunchExpr &expr, std::span<const int64_t> params) {
  std::array<int64_t, maxLaunchDepth> stack{};
  unsigned depth = 0;
  for (const LaunchExpr::Item &item : expr.items) {
    const unsigned operands = operandsOf(item.op);
    if (depth < operands || depth - operands >= maxLaunchDepth)
      return std::nullopt;
    depth -= operands;
    int64_t value = 0;
    if (item.op == LaunchExpr::Constant) {
      value = item.value;
    } else if (item.op == LaunchExpr::Param) {
      if (item.value < 0 || static_cast<uint64_t>(item.value) >= params.size())
        return std::nullopt;
      value = params[static_cast<size_t>(item.value)];
    } else if (item.op == LaunchExpr::Neg) {
      value = wrap(0 - static_cast<uint64_t>(stack[depth]));
    } else {
      const std::optional<int64_t> result = apply(item.op, stack[depth], stack[depth + 1]);
      if (!result)
        return std::nullopt;
      value = *result;
    }
    stack[depth++] = value;
  }
  return depth == 1 ? std::optional<int64_t>(stack[0]) : std::nullopt;
}

} // namespace sextant::module
