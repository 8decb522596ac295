// Which integer expressions the host can compute, and how the loader is told.
#include "frontend/sema/Analyzer.h"

namespace sextant::sema {

using hir::BinaryOp;
using hir::LaunchExpr;

/// Over constants and arguments only; the loader evaluates in 64 bits.
bool KernelAnalyzer::toLaunch(const hir::Expr &expr, LaunchExpr &out) {
  if (isFloat(expr.type) || expr.type == hir::Type::Bool)
    return false;
  Exact constant = 0;
  if (constInt(expr, constant)) {
    out.items.push_back({LaunchExpr::Constant, int64_t(constant)});
    return true;
  }
  if (auto *n = std::get_if<hir::ParamRead>(&expr.node)) {
    out.items.push_back({LaunchExpr::Param, int64_t(n->param)});
    return true;
  }
  if (auto *n = std::get_if<hir::Cast>(&expr.node)) {
    if (bitWidth(expr.type) < 32)
      return false;
    return toLaunch(*n->operand, out);
  }
  if (auto *n = std::get_if<hir::Unary>(&expr.node)) {
    if (n->op != hir::UnaryOp::Neg || !toLaunch(*n->operand, out))
      return false;
    out.items.push_back({LaunchExpr::Neg, 0});
    return true;
  }
  if (auto *n = std::get_if<hir::Binary>(&expr.node)) {
    LaunchExpr::Op op;
    switch (n->op) {
    case BinaryOp::Add:
      op = LaunchExpr::Add;
      break;
    case BinaryOp::Sub:
      op = LaunchExpr::Sub;
      break;
    case BinaryOp::Mul:
      op = LaunchExpr::Mul;
      break;
    case BinaryOp::FloorDiv:
      op = LaunchExpr::FloorDiv;
      break;
    case BinaryOp::Mod:
      op = LaunchExpr::Mod;
      break;
    case BinaryOp::Min:
      op = LaunchExpr::Min;
      break;
    case BinaryOp::Max:
      op = LaunchExpr::Max;
      break;
    default:
      return false;
    }
    if (n->lhs->type != expr.type || n->rhs->type != expr.type)
      return false;
    if (!toLaunch(*n->lhs, out) || !toLaunch(*n->rhs, out))
      return false;
    out.items.push_back({op, 0});
    return true;
  }
  return false;
}

bool KernelAnalyzer::hostComputable(const hir::Expr &expr) {
  if (asConst(expr) || std::holds_alternative<hir::ParamRead>(expr.node))
    return true;
  LaunchExpr ignored;
  return toLaunch(expr, ignored);
}

} // namespace sextant::sema
