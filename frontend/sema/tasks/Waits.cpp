// Finds loops that may wait for other blocks, by what they read.
#include "frontend/sema/tasks/Waits.h"
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::sema {

static bool reads(hir::Expr &expr);

/// True if an expression within a statement or an expression reads such memory.
template <class Node> static bool readsWithin(Node &node) {
  bool found = false;
  hir::forEachOperand(
      node, [&](hir::Expr &x) { found = found || reads(x); },
      [&](hir::Block &block) {
        for (hir::Stmt &stmt : block)
          found = found || readsWithin(stmt);
      });
  return found;
}

bool reads(hir::Expr &expr) {
  using Kind = hir::BufferRef;
  const hir::BufferRef *buffer = hir::bufferOf(expr);
  const auto *load = std::get_if<hir::Load>(&expr.node);
  const bool isHere = buffer && (buffer->kind == Kind::Param || buffer->kind == Kind::Carry) &&
                      (!load || load->isVolatile); // what is no load is an atomic
  return isHere || readsWithin(expr);
}

bool mayWait(hir::Stmt &loop) { return readsWithin(loop); }

} // namespace sextant::sema
