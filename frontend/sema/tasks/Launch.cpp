// Decides which integer expressions the host can compute, and translates them for the loader. The
// loader computes exactly, so wrapping on the device has to be expressed too.
#include "frontend/sema/tasks/Launch.h"
#include "frontend/sema/tasks/Ranges.h"

namespace sextant::sema {

using hir::BinaryOp;
using hir::LaunchExpr;
using hir::Type;

namespace {

void constant(Exact value, LaunchExpr &out) {
  out.items.push_back({LaunchExpr::Constant, int64_t(value)});
}
void apply(LaunchExpr::Op op, LaunchExpr &out) { out.items.push_back({op, 0}); }

/// Appends 2 to a power such as 31 or 63. An i64 does not hold the last ones.
void power(unsigned exponent, LaunchExpr &out) {
  if (exponent < 63)
    return constant(Exact(1) << exponent, out);
  constant(minOf(Type::I64), out);
  apply(LaunchExpr::Neg, out);
  if (exponent == 64) {
    constant(2, out);
    apply(LaunchExpr::Mul, out);
  }
}

/// Wraps the value on top of the stack to the type.
void wrap(Type type, LaunchExpr &out) {
  unsigned width = bitWidth(type);
  if (isSigned(type)) {
    power(width - 1, out);
    apply(LaunchExpr::Add, out);
  }
  power(width, out);
  apply(LaunchExpr::Mod, out);
  if (isSigned(type)) {
    power(width - 1, out);
    apply(LaunchExpr::Sub, out);
  }
}

std::optional<LaunchExpr::Op> operatorOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return LaunchExpr::Add;
  case BinaryOp::Sub:
    return LaunchExpr::Sub;
  case BinaryOp::Mul:
    return LaunchExpr::Mul;
  case BinaryOp::FloorDiv:
    return LaunchExpr::FloorDiv;
  case BinaryOp::Mod:
    return LaunchExpr::Mod;
  case BinaryOp::Min:
    return LaunchExpr::Min;
  case BinaryOp::Max:
    return LaunchExpr::Max;
  default:
    return std::nullopt;
  }
}

/// Appends the expression's value. With `wraps`, the value is as its type holds it; otherwise it
/// may differ from that by wrapping. Sums and products need no more of their operands.
bool append(const hir::Expr &expr, bool wraps, LaunchExpr &out) {
  if (!isInteger(expr.type))
    return false;
  Exact value = 0;
  if (constInt(expr, value)) {
    constant(value, out);
    return value <= maxOf(Type::I64);
  }
  if (auto *n = std::get_if<hir::ParamRead>(&expr.node)) {
    out.items.push_back({LaunchExpr::Param, int64_t(n->param)});
    if (expr.type == Type::U64) // the loader has its bits as an i64
      wrap(expr.type, out);
    return true;
  }
  if (auto *n = std::get_if<hir::Cast>(&expr.node)) {
    Type from = n->operand->type;
    if (!append(*n->operand, true, out))
      return false;
    if (minOf(from) < minOf(expr.type) || maxOf(from) > maxOf(expr.type))
      wrap(expr.type, out);
    return true;
  }
  if (auto *n = std::get_if<hir::Unary>(&expr.node)) {
    if (n->op != hir::UnaryOp::Neg || !append(*n->operand, false, out))
      return false;
    apply(LaunchExpr::Neg, out);
    if (wraps)
      wrap(expr.type, out);
    return true;
  }
  auto *n = std::get_if<hir::Binary>(&expr.node);
  auto op = n ? operatorOf(n->op) : std::nullopt;
  if (!op || n->lhs->type != expr.type || n->rhs->type != expr.type)
    return false;
  bool isRing = *op == LaunchExpr::Add || *op == LaunchExpr::Sub || *op == LaunchExpr::Mul;
  if (!append(*n->lhs, !isRing, out) || !append(*n->rhs, !isRing, out))
    return false;
  apply(*op, out);
  if (isRing && wraps)
    wrap(expr.type, out);
  return true;
}

} // namespace

/// For a signed bound, Python means the value before it wraps, and the launch refuses one that is
/// too large. An unsigned bound is modulo its width, as everywhere.
bool toLaunch(const hir::Expr &expr, LaunchExpr &out) {
  return append(expr, isUnsigned(expr.type), out);
}

bool toLaunch(const Value &integer, LaunchExpr &out) {
  if (auto value = knownInt(integer)) {
    constant(*value, out);
    return *value >= minOf(Type::I64) && *value <= maxOf(Type::I64);
  }
  return toLaunch(*integer.expr, out);
}

bool countToLaunch(const Range &range, LaunchExpr &out) {
  if (auto known = constantCount(range)) {
    constant(*known, out);
    return *known <= maxOf(Type::I64);
  }
  auto step = knownInt(range.step);
  bool isUp = step && *step > 0; // else the loader divides by the step, which is not 0
  const Value &from = isUp ? range.begin : range.end, &to = isUp ? range.end : range.begin;
  if (!toLaunch(to, out))
    return false;
  if (knownInt(from) != Exact(0)) {
    if (!toLaunch(from, out))
      return false;
    apply(LaunchExpr::Sub, out);
  }
  if (!step) {
    if (!toLaunch(range.step, out))
      return false;
    apply(LaunchExpr::FloorDiv, out);
    apply(LaunchExpr::Neg, out);
    return true;
  }
  Exact size = isUp ? *step : -*step;
  if (size != 1) {
    constant(size - 1, out);
    apply(LaunchExpr::Add, out);
    constant(size, out);
    apply(LaunchExpr::FloorDiv, out);
  }
  return size <= maxOf(Type::I64);
}

bool hostComputable(const hir::Expr &expr) {
  if (asConst(expr) || std::holds_alternative<hir::ParamRead>(expr.node))
    return true;
  LaunchExpr ignored;
  return toLaunch(expr, ignored);
}

bool staysExpression(const hir::Expr &expr) {
  constexpr unsigned most = 40; // it is written wherever it is used
  return hostComputable(expr) && hir::sizeOf(expr, most) < most;
}

} // namespace sextant::sema
