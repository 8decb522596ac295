// Counts reads and writes.
#include "frontend/hir/passes/Uses.h"
#include "frontend/hir/Builder.h"

namespace sextant::hir {

BufferRef *bufferOf(Expr &expr) {
  if (auto *load = std::get_if<Load>(&expr.node))
    return &load->buffer;
  if (auto *atomic = std::get_if<Atomic>(&expr.node))
    return &atomic->buffer;
  if (auto *cas = std::get_if<AtomicCas>(&expr.node))
    return &cas->buffer;
  return nullptr;
}

BufferRef *bufferOf(Stmt &stmt) {
  auto *store = std::get_if<Store>(&stmt.node);
  return store ? &store->buffer : nullptr;
}

static void countBuffer(const BufferRef *ref, Uses &uses) {
  if (ref && ref->kind == BufferRef::Carry)
    uses.memory.insert(ref->index);
}

static void countBlock(Block &block, Uses &uses);

static void countExpr(Expr &expr, Uses &uses) {
  if (auto *read = std::get_if<LocalRead>(&expr.node))
    ++uses.reads[read->local];
  countBuffer(bufferOf(expr), uses);
  forEachOperand(
      expr, [&](Expr &e) { countExpr(e, uses); }, [&](Block &b) { countBlock(b, uses); });
}

static void countBlock(Block &block, Uses &uses) {
  for (Stmt &stmt : block) {
    if (auto *assign = std::get_if<Assign>(&stmt.node))
      ++uses.writes[assign->local];
    if (auto *loop = std::get_if<For>(&stmt.node))
      ++uses.writes[loop->local];
    countBuffer(bufferOf(stmt), uses);
    forEachOperand(
        stmt, [&](Expr &e) { countExpr(e, uses); }, [&](Block &b) { countBlock(b, uses); });
  }
}

std::vector<Uses> usesOfTasks(Draft &draft) {
  std::vector<Uses> all;
  for (DraftTask &each : draft.tasks)
    countBlock(each.task.body, all.emplace_back(draft));
  return all;
}

} // namespace sextant::hir
