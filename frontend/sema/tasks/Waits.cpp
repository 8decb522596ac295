#include "frontend/sema/tasks/Waits.h"
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::sema {

namespace {

bool reads(hir::Expr &expr);

bool reads(hir::Block &block) {
  bool found = false;
  for (hir::Stmt &stmt : block)
    hir::forEachOperand(
        stmt, [&](hir::Expr &x) { found = found || reads(x); },
        [&](hir::Block &b) { found = found || reads(b); });
  return found;
}

bool reads(hir::Expr &expr) {
  using Kind = hir::BufferRef;
  const hir::BufferRef *buffer = hir::bufferOf(expr);
  const auto *load = std::get_if<hir::Load>(&expr.node);
  bool found = buffer && (buffer->kind == Kind::Param || buffer->kind == Kind::Carry) &&
               (!load || load->isVolatile); // what is no load is an atomic
  hir::forEachOperand(
      expr, [&](hir::Expr &x) { found = found || reads(x); },
      [&](hir::Block &b) { found = found || reads(b); });
  return found;
}

} // namespace

bool mayWait(hir::Stmt &loop) {
  bool found = false;
  hir::forEachOperand(
      loop, [&](hir::Expr &x) { found = found || reads(x); },
      [&](hir::Block &b) { found = found || reads(b); });
  return found;
}

} // namespace sextant::sema
