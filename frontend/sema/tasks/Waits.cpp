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
                      (!load || load->isVolatile); // other accesses are atomics
  return isHere || readsWithin(expr);
}

bool mayWait(hir::Stmt &loop) { return readsWithin(loop); }

static bool asksFor(hir::Expr &expr, unsigned local) {
  if (auto *read = std::get_if<hir::LocalRead>(&expr.node))
    return read->local == local;
  bool found = false;
  hir::forEachOperand(
      expr, [&](hir::Expr &x) { found = found || asksFor(x, local); }, [](hir::Block &) {});
  return found;
}

static hir::Expr &withoutCasts(hir::Expr &expr) {
  auto *cast = std::get_if<hir::Cast>(&expr.node);
  return cast ? withoutCasts(*cast->operand) : expr;
}

/// True if code only reads such memory and hands what it read to a local that `condition` asks for;
/// or does nothing at all, which is what `continue` at the end of a loop does.
static bool onlyReads(hir::Block &body, hir::Expr &condition) {
  bool isAsked = body.empty();
  for (hir::Stmt &stmt : body) {
    if (auto *scope = std::get_if<hir::Scope>(&stmt.node)) {
      isAsked |=
          scope->body.size() == 1 && std::holds_alternative<hir::Leave>(scope->body.front().node);
      continue;
    }
    auto *assign = std::get_if<hir::Assign>(&stmt.node);
    if (!assign)
      return false;
    hir::Expr &value = withoutCasts(*assign->value);
    if (!hir::isTrivial(value) && !(hir::bufferOf(value) && reads(value)))
      return false;
    isAsked |= asksFor(condition, assign->local);
  }
  return isAsked;
}

bool isPoll(hir::Stmt &loop) {
  auto &wait = std::get<hir::While>(loop.node);
  return mayWait(loop) && onlyReads(wait.body, *wait.condition);
}

} // namespace sextant::sema
