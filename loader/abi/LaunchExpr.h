// Launch expressions: the host computes from the arguments how many iterations a task has.
#pragma once

#include "loader/abi/BlockLayout.h"

#include <optional>
#include <string>
#include <string_view>

namespace sextant::abi {

/// An integer expression over a kernel's parameters, in reverse Polish notation over a stack of
/// i64. Nothing wraps: see LaunchExpr.cpp. `Param` indexes the parameters of `layoutOf`.
struct LaunchExpr {
  enum Op : uint8_t {
    Constant = 1, ///< pushes value
    Param = 2,    ///< pushes the scalar parameter number value, sign- or zero-extended
    Add = 3,
    Sub = 4,
    Mul = 5,
    FloorDiv = 6, ///< rounds to minus infinity
    Mod = 7,      ///< takes the divisor's sign
    Min = 8,
    Max = 9,
    Neg = 10,
  };
  struct Item {
    Op op = Constant;
    int64_t value = 0;
    bool operator==(const Item &) const = default;
  };
  std::vector<Item> items;
  bool isConstant() const { return items.size() == 1 && items[0].op == Constant; }
  bool operator==(const LaunchExpr &) const = default;
};

/// Its operators, as texts of the compiler's have them.
constexpr auto words(LaunchExpr::Op) {
  return wordsUpTo<LaunchExpr::Neg>("", "", "", "+", "-", "*", "//", "%", "min", "max", "neg");
}

/// How many values of the stack an operator takes.
constexpr unsigned operandsOf(LaunchExpr::Op op) {
  if (op == LaunchExpr::Constant || op == LaunchExpr::Param)
    return 0;
  return op == LaunchExpr::Neg ? 1 : 2;
}

/// The deepest stack that a launch expression may need.
inline constexpr unsigned maxLaunchDepth = 32;
/// Checks that `expr` is a launch expression of a kernel whose arguments have these parameters,
/// followed by that many hidden buffers. It checks the stack, the operators, and that indices name
/// scalar integers. Returns "" or the problem.
std::string checkLaunchExpr(const LaunchExpr &expr, std::span<const Param> params,
                            uint64_t buffers);
/// Returns the expression's value. `params` holds one i64 for each parameter; those of buffers are
/// arbitrary. The result is absent if the expression divides by zero, or if checkLaunchExpr refuses
/// it.
std::optional<int64_t> evaluate(const LaunchExpr &expr, std::span<const int64_t> params);

/// The expression as a module has it in a text: the items in order, with commas between them. A
/// parameter is `p` and its number, a constant its digits, an operator one of + - * / % n < >,
/// which are Neg for `n`, Min for `<` and Max for `>`.
std::string textOf(const LaunchExpr &expr);
/// Returns false if the text is not such an expression. checkLaunchExpr says more of its meaning.
bool readLaunchExpr(std::string_view text, LaunchExpr &expr);

} // namespace sextant::abi
