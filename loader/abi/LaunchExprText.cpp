// Checks launch expressions, and writes them as text and reads it: once for each kernel, so this
// file is built small.
#include "loader/abi/LaunchExpr.h"

#include <algorithm>
#include <charconv>

namespace sextant::abi {

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
          factsOf(params[number].dtype).kind == ScalarKind::Real)
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

/// Indexed by the number of the operator.
constexpr std::string_view operatorSigns = "   +-*/%<>n";

std::string textOf(const LaunchExpr &expr) {
  std::string text;
  for (const LaunchExpr::Item &item : expr.items) {
    if (!text.empty())
      text += ',';
    if (item.op == LaunchExpr::Constant || item.op == LaunchExpr::Param)
      text += (item.op == LaunchExpr::Param ? "p" : "") + std::to_string(item.value);
    else
      text += operatorSigns[item.op];
  }
  return text;
}

bool readLaunchExpr(std::string_view text, LaunchExpr &expr) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    LaunchExpr::Item item;
    const size_t sign = word.size() == 1 ? operatorSigns.find(word[0]) : std::string_view::npos;
    if (sign != std::string_view::npos && sign >= LaunchExpr::Add) {
      item.op = LaunchExpr::Op(sign);
    } else {
      if (word.starts_with('p')) {
        item.op = LaunchExpr::Param;
        word.remove_prefix(1);
      }
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), item.value);
      if (error != std::errc() || end != word.data() + word.size())
        return false;
    }
    expr.items.push_back(item);
  }
  return !expr.items.empty();
}

} // namespace sextant::abi
