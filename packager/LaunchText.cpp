// Evaluates the expression on sums of products. What is not a sum becomes a part of one, as text.
#include "packager/LaunchText.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sextant::packager {

using module::LaunchExpr;

namespace {

__extension__ using Number = __int128; // the expression of a wrap has 2^64

struct Sum;

/// Something times a constant.
struct Part {
  std::string text;
  Number factor = 1;
  bool isProduct = false; ///< `text` needs parentheses as a right operand of a product
  /// Set if `text` is `inner % modulus`.
  std::shared_ptr<const Sum> inner = {};
  Number modulus = 0;
};

struct Sum {
  std::vector<Part> parts;
  Number constant = 0;
};

/// A value on the stack.
struct Term {
  Sum exact;
  std::optional<Sum> count; ///< if another sum says the same of a number of iterations
};

std::string spell(Number number) {
  const bool isNegative = number < 0;
  std::string digits;
  for (Number rest = isNegative ? -number : number; rest || digits.empty(); rest /= 10)
    digits.insert(digits.begin(), char('0' + int(rest % 10)));
  return isNegative ? "-" + digits : digits;
}

/// The part's text with the size of its factor.
std::string spell(const Part &part) {
  const Number size = part.factor < 0 ? -part.factor : part.factor;
  if (size == 1)
    return part.text;
  // The order keeps `a // b * 2` from being read as `2 * a // b`.
  return part.isProduct ? part.text + " * " + spell(size) : spell(size) + " * " + part.text;
}

/// The greatest number that all factors and the constant are multiples of.
Number divisorOf(const Sum &sum) {
  Number divisor = sum.constant;
  for (const Part &part : sum.parts)
    for (Number rest = part.factor; rest != 0;)
      divisor = std::exchange(rest, divisor % rest);
  return divisor < 0 ? -divisor : divisor;
}

std::string spell(const Sum &sum) {
  // Steps of 2^32 are taken out of a sum; its numbers would have 19 digits.
  constexpr Number large = 1 << 20;
  if (const Number step = sum.constant == 0 ? 0 : divisorOf(sum);
      step >= large && !sum.parts.empty()) {
    Sum rest = sum;
    rest.constant /= step;
    for (Part &part : rest.parts)
      part.factor /= step;
    return "(" + spell(rest) + ") * " + spell(step);
  }
  std::string text;
  auto add = [&](bool isNegative, const std::string &item) {
    text += text.empty() ? (isNegative ? "-" : "") : isNegative ? " - " : " + ";
    text += item;
  };
  for (bool negative : {false, true}) // `m - n` is easier to read than `-n + m`
    for (const Part &part : sum.parts)
      if ((part.factor < 0) == negative)
        add(negative, spell(part));
  if (text.empty())
    return spell(sum.constant);
  if (sum.constant != 0)
    add(sum.constant < 0, spell(sum.constant < 0 ? -sum.constant : sum.constant));
  return text;
}

/// The sum's text as an operand of a product.
std::string operand(const Sum &sum, bool isRight) {
  const bool isConstant = sum.parts.empty();
  const bool isPart = sum.parts.size() == 1 && sum.constant == 0 && sum.parts[0].factor > 0;
  const bool isOneWord =
      isConstant ? sum.constant >= 0
                 : isPart && (!isRight || (sum.parts[0].factor == 1 && !sum.parts[0].isProduct));
  return isOneWord ? spell(sum) : "(" + spell(sum) + ")";
}

Sum partOf(std::string text, bool isProduct) {
  Sum sum;
  sum.parts.push_back({std::move(text), 1, isProduct});
  return sum;
}

/// Larger numbers are text, so that sums do not overflow.
bool isSmall(Number number, unsigned bits = 64) {
  return number <= Number(1) << bits && number >= -(Number(1) << bits);
}

bool isSmall(const Sum &sum) {
  bool small = isSmall(sum.constant);
  for (const Part &part : sum.parts)
    small &= isSmall(part.factor);
  return small;
}

Sum scaled(Sum sum, Number by) {
  if (by == 0)
    return {};
  sum.constant *= by;
  for (Part &part : sum.parts)
    part.factor *= by;
  return sum;
}

/// `(x + 2^31) % 2^32 - 2^31` is how x becomes an i32, and `x` is how that is written.
Sum withoutWrap(Sum sum) {
  if (sum.parts.size() != 1 || !sum.parts[0].inner || sum.parts[0].factor != 1)
    return sum;
  const Number half = sum.parts[0].modulus / 2;
  if (sum.constant != -half ||
      (half != 1 << 7 && half != 1 << 15 && half != Number(1) << 31 && half != Number(1) << 63))
    return sum;
  Sum inner = *sum.parts[0].inner;
  inner.constant -= half;
  return inner;
}

Sum added(Sum left, const Sum &right) {
  left.constant += right.constant;
  for (const Part &part : right.parts) {
    auto same = left.parts.begin();
    while (same != left.parts.end() && same->text != part.text)
      ++same;
    if (same == left.parts.end())
      left.parts.push_back(part);
    else if ((same->factor += part.factor) == 0)
      left.parts.erase(same);
  }
  return withoutWrap(std::move(left));
}

Sum multiplied(const Sum &left, const Sum &right) {
  if (left.parts.empty() && isSmall(left.constant, 62))
    return scaled(right, left.constant);
  if (right.parts.empty() && isSmall(right.constant, 62))
    return scaled(left, right.constant);
  return partOf(operand(left, false) + " * " + operand(right, true), true);
}

Sum divided(LaunchExpr::Op op, const Sum &left, const Sum &right) {
  const bool isMod = op == LaunchExpr::Mod;
  Sum sum = partOf(operand(left, false) + (isMod ? " % " : " // ") + operand(right, true), true);
  if (isMod && right.parts.empty()) {
    sum.parts[0].inner = std::make_shared<const Sum>(left);
    sum.parts[0].modulus = right.constant;
  }
  return sum;
}

bool isZero(const Sum &sum) { return sum.parts.empty() && sum.constant == 0; }

Term binary(LaunchExpr::Op op, const Term &left, const Term &right) {
  const Sum &a = left.exact, &b = right.exact;
  switch (op) {
  case LaunchExpr::Add:
    return {added(a, b), {}};
  case LaunchExpr::Sub:
    return {added(a, scaled(b, -1)), {}};
  case LaunchExpr::Mul: {
    Term product{multiplied(a, b), {}};
    if (left.count || right.count)
      product.count = multiplied(left.count.value_or(a), right.count.value_or(b));
    return product;
  }
  case LaunchExpr::FloorDiv:
  case LaunchExpr::Mod:
    return {divided(op, a, b), {}};
  default:
    break;
  }
  const char *const name = op == LaunchExpr::Min ? "min(" : "max(";
  Term term{partOf(name + spell(a) + ", " + spell(b) + ")", false), {}};
  if (op == LaunchExpr::Max && (isZero(a) || isZero(b)))
    term.count = isZero(a) ? b : a;
  return term;
}

} // namespace

LaunchText launchText(const LaunchExpr &expr, const std::function<std::string(int64_t)> &nameOf) {
  std::vector<Term> stack;
  for (const LaunchExpr::Item &item : expr.items) {
    if (item.op == LaunchExpr::Constant) {
      stack.push_back({Sum{{}, item.value}, {}});
      continue;
    }
    if (item.op == LaunchExpr::Param) {
      stack.push_back({partOf(nameOf(item.value), false), {}});
      continue;
    }
    const size_t operands = item.op == LaunchExpr::Neg ? 1 : 2;
    if (stack.size() < operands)
      return {"?", "?"};
    Term last = std::move(stack.back());
    stack.pop_back();
    if (operands == 1)
      last = {scaled(std::move(last.exact), -1), {}};
    else
      last = binary(item.op, std::exchange(stack.back(), {}), last);
    if (!isSmall(last.exact) || (last.count && !isSmall(*last.count)))
      last = {partOf(operand(last.exact, true), false), {}};
    if (operands == 1)
      stack.push_back(std::move(last));
    else
      stack.back() = std::move(last);
  }
  if (stack.size() != 1)
    return {"?", "?"};
  const Term &all = stack.front();
  return {spell(all.exact), spell(all.count.value_or(all.exact))};
}

} // namespace sextant::packager
