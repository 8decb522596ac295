// Finds light loops by the nodes of their bodies.
#include "frontend/sema/tasks/Light.h"
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::sema {

namespace {

/// Stencils of three dimensions have about 200 nodes. Much longer code may take so many registers
/// that smaller blocks fill a multiprocessor better.
constexpr unsigned mostNodes = 600;

/// Walks code until something in it is not light.
struct Walk {
  unsigned nodes = 0;
  bool isLight = true;

  template <class Node> void count(Node &node, bool isHeavy) {
    const hir::BufferRef *buffer = hir::bufferOf(node);
    isLight = isLight && !isHeavy && ++nodes <= mostNodes &&
              !(buffer && buffer->kind == hir::BufferRef::Shared);
    if (isLight)
      hir::forEachOperand(node, [&](hir::Expr &x) { visit(x); }, [&](hir::Block &b) { visit(b); });
  }
  void visit(hir::Expr &expr) { count(expr, hir::isOfThread(expr)); }
  /// A check reports the block and the thread, which shall be the same on all targets.
  void visit(hir::Block &block) {
    for (hir::Stmt &stmt : block)
      count(stmt, std::holds_alternative<hir::While>(stmt.node) ||
                      std::holds_alternative<hir::For>(stmt.node) || hir::isOfThread(stmt));
  }
};

} // namespace

bool isShort(hir::Block &body) {
  Walk walk;
  walk.visit(body);
  return walk.isLight;
}

bool isLight(const TaskBuild &build, const ParallelRange &all, hir::Block &body) {
  if (build.hasOwnBlock || build.asksBlockDim || build.usesBarrier)
    return false;
  // If the default block needs no bounds test, do not choose a block that needs one.
  const unsigned largest = build.task.turns ? hir::largestTurnBlock : hir::largeBlock;
  if (all.constant && *all.constant % hir::defaultBlock == 0 && *all.constant % largest != 0)
    return false;
  return isShort(body);
}

} // namespace sextant::sema
