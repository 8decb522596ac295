// Counts reads and writes.
#include "frontend/hir/passes/Uses.h"
#include "frontend/hir/Builder.h"
#include "frontend/hir/Fields.h"

#include <utility>

namespace sextant::hir {

/// Returns the member that is a buffer, of whatever node it is.
template <class Code> static BufferRef *bufferIn(Code &code) {
  BufferRef *found = nullptr;
  auto look = [&]<class T>(T &member) {
    if constexpr (std::is_same_v<T, BufferRef>)
      found = &member;
  };
  std::visit(
      [&](auto &node) { std::apply([&](auto &...each) { (look(each), ...); }, fields(node)); },
      code.node);
  return found;
}

BufferRef *bufferOf(Expr &expr) { return bufferIn(expr); }
BufferRef *bufferOf(Stmt &stmt) { return bufferIn(stmt); }

std::optional<unsigned> componentAt(const BufferRef *ref, const Expr &index) {
  Exact k = 0;
  if (!ref || ref->kind != BufferRef::Carry || !constInt(index, k))
    return std::nullopt;
  return ref->index + unsigned(k);
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
    if (auto *instruction = std::get_if<Instruction>(&stmt.node))
      for (unsigned result : instruction->results)
        ++uses.writes[result];
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
  Set written;
  std::map<unsigned, SourceRange> exposed; ///< where it is read first
  std::map<unsigned, Set> atLeave;         ///< for each scope: written wherever it is left

  static void meet(Set &a, const Set &b) {
    for (size_t l = 0; l < a.size(); ++l)
      a[l] = a[l] && b[l];
  }
  /// Visits code that may not run, or may run again.
  void maybe(const std::function<void()> &body) {
    const Set before = written;
    body();
    written = before;
  }
  void read(unsigned local, SourceRange at) {
    if (!written[local])
      exposed.try_emplace(local, at);
  }
  /// The component of a variable; an access by a number of the run counts for all.
  void readComponent(const BufferRef *ref, const Expr &index, SourceRange at) {
    const std::optional<unsigned> local = componentAt(ref, index);
    if (ref->kind == BufferRef::Variable || ref->kind == BufferRef::Carry)
      for (unsigned k = 0; k < draft.componentsAt(ref->index).count; ++k)
        if (!local || *local == ref->index + k)
          read(ref->index + k, at);
  }
  void expr(Expr &e) {
    if (auto *local = std::get_if<LocalRead>(&e.node))
      read(local->local, e.at);
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
    if (auto *load = std::get_if<Load>(&e.node))
      readComponent(&load->buffer, *load->index, e.at);
    if (auto *atomic = std::get_if<Atomic>(&e.node))
      readComponent(&atomic->buffer, *atomic->index, e.at);
    if (auto *cas = std::get_if<AtomicCas>(&e.node))
      readComponent(&cas->buffer, *cas->index, e.at);
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
      written.assign(written.size(), true); // the rest is not reached
    } else {
      forEachOperand(s, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
      auto *store = std::get_if<Store>(&s.node);
      if (const auto local = store ? componentAt(&store->buffer, *store->index) : std::nullopt)
        written[*local] = true;
      if (auto *instruction = std::get_if<Instruction>(&s.node))
        for (unsigned result : instruction->results)
          written[result] = true;
    }
  }
};

std::map<unsigned, SourceRange> exposedIn(const Draft &draft, Block &body) {
  Exposure exposure{draft, Exposure::Set(draft.locals.size()), {}, {}};
  exposure.block(body);
  return std::move(exposure.exposed);
}

/// Finds the accesses to variables of the kernel.
struct Sharing {
  const Draft &draft;
  SharedUses found;
  std::set<unsigned> assigned; ///< locals; carryLocals() makes these stores, too
  bool waits = false;          ///< threads communicate

  void access(const BufferRef &ref, const Expr &index, const SharedUses::Component &how,
              bool isWaitedFor) {
    if (ref.kind != BufferRef::Carry)
      return;
    SharedUses::Variable &variable = found.variables[ref.index];
    variable.components.resize(draft.componentsAt(ref.index).count);
    variable.isWaitedFor |= isWaitedFor;
    const std::optional<unsigned> local = componentAt(&ref, index);
    variable.isIndexed |= !local;
    for (size_t k = 0; k < variable.components.size(); ++k)
      if (!local || *local == ref.index + k) {
        SharedUses::Component &component = variable.components[k];
        component.isRead |= how.isRead;
        component.isLoaded |= how.isLoaded;
        component.isStored |= how.isStored;
      }
  }
  void expr(Expr &e) {
    if (auto *load = std::get_if<Load>(&e.node))
      access(load->buffer, *load->index, {true, true, false, {}}, load->isVolatile);
    if (auto *atomic = std::get_if<Atomic>(&e.node))
      access(atomic->buffer, *atomic->index, {true, false, false, {}}, false);
    if (auto *cas = std::get_if<AtomicCas>(&e.node))
      access(cas->buffer, *cas->index, {true, false, false, {}}, true);
    waits |= hir::waits(e);
    forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
  void block(Block &body) {
    for (Stmt &stmt : body) {
      if (auto *assign = std::get_if<Assign>(&stmt.node))
        assigned.insert(assign->local);
      if (auto *store = std::get_if<Store>(&stmt.node))
        access(store->buffer, *store->index, {false, false, true, {}}, store->isVolatile);
      waits |= hir::waits(stmt);
      forEachOperand(stmt, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
    }
  }
};

} // namespace

SharedUses sharedUses(const Draft &draft, Task &task) {
  if (task.serial)
    return {};
  Sharing sharing{draft, {}, {}, false};
  sharing.block(task.body);
  if (sharing.waits || sharing.found.variables.empty())
    return {};
  const std::map<unsigned, SourceRange> exposed = exposedIn(draft, task.body);
  for (auto &[first, variable] : sharing.found.variables)
    for (unsigned k = 0; k < variable.components.size(); ++k) {
      variable.components[k].isStored |= sharing.assigned.contains(first + k);
      if (const auto at = exposed.find(first + k); at != exposed.end())
        variable.components[k].exposed = at->second;
    }
  return std::move(sharing.found);
}

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
    if (outermostLoop(draft, each.span))
      all.back().exposed = exposedIn(draft, each.task.body);
  }
  return all;
}

} // namespace sextant::hir
