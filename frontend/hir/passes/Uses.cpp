// Counts reads and writes.
#include "frontend/hir/passes/Uses.h"
#include "frontend/hir/Builder.h"

#include <utility>

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

/// An access to some component of a variable counts for all of them.
static void countComponents(const BufferRef *ref, const Uses &uses,
                            std::vector<unsigned> &ofLocals) {
  if (ref && ref->kind == BufferRef::Variable)
    for (unsigned k = 0; k < uses.draft.componentsAt(ref->index).count; ++k)
      ++ofLocals[ref->index + k];
}

static void countBlock(Block &block, Uses &uses);

static void countExpr(Expr &expr, Uses &uses) {
  if (auto *read = std::get_if<LocalRead>(&expr.node))
    ++uses.reads[read->local];
  countBuffer(bufferOf(expr), uses);
  countComponents(bufferOf(expr), uses, uses.reads);
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
    countComponents(bufferOf(stmt), uses, uses.writes);
    forEachOperand(
        stmt, [&](Expr &e) { countExpr(e, uses); }, [&](Block &b) { countBlock(b, uses); });
  }
}

namespace {

/// Follows a task's code, and knows at each place which locals have been written for certain.
struct Exposure {
  const Draft &draft;
  using Set = std::vector<bool>;
  Set written, exposed;
  std::map<unsigned, Set> atLeave; ///< by scope: written wherever it is left

  static void meet(Set &a, const Set &b) {
    for (size_t l = 0; l < a.size(); ++l)
      a[l] = a[l] && b[l];
  }
  /// What runs perhaps, or again.
  void maybe(const std::function<void()> &body) {
    const Set before = written;
    body();
    written = before;
  }
  void expr(Expr &e) {
    if (auto *read = std::get_if<LocalRead>(&e.node); read && !written[read->local])
      exposed[read->local] = true;
    if (const BufferRef *ref = bufferOf(e); ref && ref->kind == BufferRef::Variable)
      for (unsigned k = 0; k < draft.componentsAt(ref->index).count; ++k)
        if (!written[ref->index + k])
          exposed[ref->index + k] = true;
    if (auto *choice = std::get_if<Conditional>(&e.node)) {
      expr(*choice->condition);
      maybe([&] { expr(*choice->whenTrue); });
      maybe([&] { expr(*choice->whenFalse); });
      return;
    }
    if (auto *sequence = std::get_if<Sequence>(&e.node)) {
      block(sequence->body);
      expr(*sequence->result);
      return;
    }
    forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
  void block(Block &statements) {
    for (Stmt &each : statements)
      stmt(each);
  }
  void stmt(Stmt &s) {
    if (auto *assign = std::get_if<Assign>(&s.node)) {
      expr(*assign->value);
      written[assign->local] = true;
    } else if (auto *branch = std::get_if<If>(&s.node)) {
      expr(*branch->condition);
      const Set before = written;
      block(branch->then);
      Set then = std::exchange(written, before);
      block(branch->otherwise);
      meet(written, then);
    } else if (auto *loop = std::get_if<While>(&s.node)) {
      expr(*loop->condition);
      maybe([&] { block(loop->body); });
    } else if (auto *loop = std::get_if<For>(&s.node)) {
      expr(*loop->begin);
      expr(*loop->end);
      maybe([&] {
        written[loop->local] = true;
        block(loop->body);
      });
    } else if (auto *scope = std::get_if<Scope>(&s.node)) {
      block(scope->body);
      if (auto left = atLeave.find(scope->id); left != atLeave.end())
        meet(written, left->second);
    } else if (auto *leave = std::get_if<Leave>(&s.node)) {
      auto [left, isFirst] = atLeave.try_emplace(leave->scope, written);
      if (!isFirst)
        meet(left->second, written);
      written.assign(written.size(), true); // what follows is not reached
    } else {
      forEachOperand(s, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
    }
  }
};

} // namespace

unsigned outermostLoop(const Draft &draft, unsigned span) {
  unsigned loop = 0;
  for (; span; span = draft.spans[span].parent)
    if (draft.spans[span].kind == Span::Loop)
      loop = span;
  return loop;
}

std::vector<Uses> usesOfTasks(Draft &draft) {
  std::vector<Uses> all;
  for (DraftTask &each : draft.tasks) {
    countBlock(each.task.body, all.emplace_back(draft));
    if (!outermostLoop(draft, each.span))
      continue;
    const size_t count = draft.locals.size();
    Exposure exposure{draft, Exposure::Set(count), Exposure::Set(count), {}};
    exposure.block(each.task.body);
    all.back().exposed = std::move(exposure.exposed);
  }
  return all;
}

} // namespace sextant::hir
