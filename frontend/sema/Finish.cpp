// The last steps on a kernel: what is never read goes, locals that several tasks
// use are carried in memory, and each task gets numbers of its own.
#include "frontend/sema/Analyzer.h"

#include <algorithm>
#include <set>

namespace sextant::sema {

namespace {

using hir::Block;
using hir::Expr;
using hir::Stmt;

/// Whether evaluating it could be noticed, by anyone.
bool hasEffect(const Expr &expr) {
  if (std::holds_alternative<hir::Atomic>(expr.node) ||
      std::holds_alternative<hir::AtomicCas>(expr.node) ||
      std::holds_alternative<hir::Sequence>(expr.node) ||
      std::holds_alternative<hir::BarrierReduce>(expr.node))
    return true;
  if (auto *load = std::get_if<hir::Load>(&expr.node); load && load->isVolatile)
    return true;
  bool effect = false;
  forEachOperand(
      const_cast<Expr &>(expr), [&](Expr &operand) { effect = effect || hasEffect(operand); },
      [](Block &) {});
  return effect;
}

/// The buffer that is accessed, if one is.
hir::BufferRef *bufferOf(Expr &expr) {
  if (auto *load = std::get_if<hir::Load>(&expr.node))
    return &load->buffer;
  if (auto *atomic = std::get_if<hir::Atomic>(&expr.node))
    return &atomic->buffer;
  if (auto *cas = std::get_if<hir::AtomicCas>(&expr.node))
    return &cas->buffer;
  return nullptr;
}
hir::BufferRef *bufferOf(Stmt &stmt) {
  auto *store = std::get_if<hir::Store>(&stmt.node);
  return store ? &store->buffer : nullptr;
}

/// What is done to the kernel's locals: by number, and as memory by the first of a variable.
struct Uses {
  explicit Uses(size_t locals) : reads(locals), writes(locals) {}
  std::vector<unsigned> reads, writes;
  std::set<unsigned> memory;

  void buffer(const hir::BufferRef *ref) {
    if (ref && ref->kind == hir::BufferRef::Carry)
      memory.insert(ref->index);
  }
};

void countExpr(Expr &expr, Uses &uses);
void countBlock(Block &block, Uses &uses) {
  for (Stmt &stmt : block) {
    if (auto *assign = std::get_if<hir::Assign>(&stmt.node))
      ++uses.writes[assign->local];
    if (auto *loop = std::get_if<hir::For>(&stmt.node))
      ++uses.writes[loop->local];
    uses.buffer(bufferOf(stmt));
    forEachOperand(
        stmt, [&](Expr &e) { countExpr(e, uses); }, [&](Block &b) { countBlock(b, uses); });
  }
}
void countExpr(Expr &expr, Uses &uses) {
  if (auto *read = std::get_if<hir::LocalRead>(&expr.node))
    ++uses.reads[read->local];
  uses.buffer(bufferOf(expr));
  forEachOperand(
      expr, [&](Expr &e) { countExpr(e, uses); }, [&](Block &b) { countBlock(b, uses); });
}

/// Removes assignments that nobody reads; true if anything changed.
bool prune(Block &block, const Uses &uses, const std::set<unsigned> &keep) {
  bool changed = false;
  Block kept;
  for (Stmt &stmt : block) {
    forEachOperand(
        stmt,
        [&](Expr &e) {
          if (auto *sequence = std::get_if<hir::Sequence>(&e.node))
            changed |= prune(sequence->body, uses, keep);
        },
        [&](Block &b) { changed |= prune(b, uses, keep); });
    if (auto *assign = std::get_if<hir::Assign>(&stmt.node);
        assign && uses.reads[assign->local] == 0 && !keep.count(assign->local)) {
      changed = true;
      if (hasEffect(*assign->value)) {
        hir::ExprPtr value = std::move(assign->value);
        stmt.node = hir::Eval{std::move(value)};
        kept.push_back(std::move(stmt));
      }
      continue;
    }
    if (auto *branch = std::get_if<hir::If>(&stmt.node); branch && branch->then.empty() &&
                                                         branch->otherwise.empty() &&
                                                         !hasEffect(*branch->condition)) {
      changed = true;
      continue;
    }
    if (auto *scope = std::get_if<hir::Scope>(&stmt.node); scope && scope->body.empty()) {
      changed = true;
      continue;
    }
    kept.push_back(std::move(stmt));
  }
  block = std::move(kept);
  return changed;
}

/// Where a carried local lies.
struct Carried {
  unsigned param = 0, offset = 0;

  hir::BufferRef buffer() const { return {hir::BufferRef::Param, param}; }
  hir::ExprPtr index(SourceRange at) const { return take(makeInt(offset, hir::Type::I32, at)); }
  hir::Load load(SourceRange at) const { return {buffer(), index(at), false}; }
  hir::Store store(hir::ExprPtr value, SourceRange at) const {
    return {buffer(), index(at), std::move(value), false};
  }
};
using CarriedLocals = std::map<unsigned, Carried>;

/// Reads and writes of carried locals become memory accesses.
void throughMemory(Block &block, const CarriedLocals &carried) {
  std::function<void(Expr &)> inExpr = [&](Expr &expr) {
    forEachOperand(expr, inExpr, [&](Block &b) { throughMemory(b, carried); });
    if (auto *read = std::get_if<hir::LocalRead>(&expr.node))
      if (auto it = carried.find(read->local); it != carried.end())
        expr.node = it->second.load(expr.at);
  };
  for (Stmt &stmt : block) {
    forEachOperand(stmt, inExpr, [&](Block &b) { throughMemory(b, carried); });
    if (auto *assign = std::get_if<hir::Assign>(&stmt.node))
      if (auto it = carried.find(assign->local); it != carried.end()) {
        hir::ExprPtr value = std::move(assign->value);
        stmt.node = it->second.store(std::move(value), stmt.at);
      }
  }
}

struct Renumber {
  const std::vector<hir::Local> &locals;
  const std::vector<hir::ArrayDecl> &shared, &privates;
  const CarriedLocals &carried;
  hir::Task &task;
  std::map<unsigned, unsigned> localIds, sharedIds, privateIds;

  void local(unsigned &id) {
    auto [it, fresh] = localIds.try_emplace(id, unsigned(task.locals.size()));
    if (fresh)
      task.locals.push_back(locals[id]);
    id = it->second;
  }
  void buffer(hir::BufferRef &ref) {
    if (ref.kind == hir::BufferRef::Shared) {
      auto [it, fresh] = sharedIds.try_emplace(ref.index, unsigned(task.shared.size()));
      if (fresh)
        task.shared.push_back(shared[ref.index]);
      ref.index = it->second;
    } else if (ref.kind == hir::BufferRef::Private) {
      auto [it, fresh] = privateIds.try_emplace(ref.index, unsigned(task.privates.size()));
      if (fresh)
        task.privates.push_back(privates[ref.index]);
      ref.index = it->second;
    } else if (ref.kind == hir::BufferRef::Carry) {
      ref = carried.at(ref.index).buffer();
    }
  }
  void expr(Expr &e) {
    if (auto *n = std::get_if<hir::LocalRead>(&e.node))
      local(n->local);
    else if (auto *ref = bufferOf(e))
      buffer(*ref);
    forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
  void block(Block &b) {
    for (Stmt &stmt : b) {
      if (auto *n = std::get_if<hir::Assign>(&stmt.node))
        local(n->local);
      else if (auto *n = std::get_if<hir::For>(&stmt.node))
        local(n->local);
      else if (auto *ref = bufferOf(stmt))
        buffer(*ref);
      forEachOperand(stmt, [&](Expr &x) { expr(x); }, [&](Block &inner) { block(inner); });
    }
  }
};

} // namespace

unsigned KernelAnalyzer::addHidden(hir::HiddenBuffer buffer) {
  kernel.hidden.push_back(std::move(buffer));
  return argumentParams + unsigned(kernel.hidden.size() - 1);
}

/// The variable that the local is the first component of, or the local by itself.
KernelAnalyzer::Run KernelAnalyzer::runOf(unsigned local) const {
  auto it = runs.find(local);
  return it != runs.end() ? it->second : Run{locals[local].name, 1};
}

/// A guarded return leaves its serial task, and a flag keeps the later tasks from doing
/// anything.
void KernelAnalyzer::guardReturns() {
  if (!returned)
    return;
  bool first = true;
  for (auto &t : tasks) {
    Block &body = t->task.body;
    SourceRange at = t->task.at;
    auto wrap = [&](decltype(Stmt::node) node) {
      body.clear();
      body.push_back({at, std::move(node)});
    };
    if (t->returnScope)
      wrap(hir::Scope{t->returnScope, std::move(body)});
    if (t->mayHaveReturned) {
      auto flag = makeLocal(*returned, hir::Type::I32, at);
      auto zero = makeInt(0, hir::Type::I32, at);
      auto goesOn = makeBinary(hir::BinaryOp::Eq, flag, zero, hir::Type::Bool, at);
      wrap(hir::If{take(goesOn), std::move(body), {}});
    } else if (t->returnScope && first) {
      Stmt start{at, hir::Assign{*returned, take(makeInt(0, hir::Type::I32, at))}};
      body.insert(body.begin(), std::move(start));
      first = false;
    }
  }
}

void KernelAnalyzer::finishKernel() {
  guardReturns();

  // Dead code, over all tasks at once: a later task may read what an earlier one wrote.
  std::vector<Uses> perTask;
  auto count = [&] {
    perTask.assign(tasks.size(), Uses(locals.size()));
    Uses total(locals.size());
    for (size_t t = 0; t < tasks.size(); ++t) {
      countBlock(tasks[t]->task.body, perTask[t]);
      total.memory.insert(perTask[t].memory.begin(), perTask[t].memory.end());
      for (size_t l = 0; l < locals.size(); ++l) {
        total.reads[l] += perTask[t].reads[l];
        total.writes[l] += perTask[t].writes[l];
      }
    }
    return total;
  };
  // Debuggers show variables that nothing reads; for their sake there are no more tasks, though.
  std::set<unsigned> shown;
  for (unsigned l = 0; l < locals.size(); ++l)
    if (locals[l].variable)
      shown.insert(l);
  for (int round = 0; round < 30; ++round) {
    Uses total = count();
    std::set<unsigned> keep;
    for (unsigned first : total.memory)
      for (unsigned k = 0; k < runOf(first).count; ++k)
        keep.insert(first + k);
    std::set<unsigned> kept = keep;
    kept.insert(shown.begin(), shown.end());
    bool changed = false;
    for (auto &t : tasks)
      changed |= prune(t->task.body, total, t->task.serial && tasks.size() > 1 ? keep : kept);
    if (!changed)
      break;
  }
  std::erase_if(tasks, [](auto &t) { return t->task.serial && t->task.body.empty(); });
  Uses total = count();

  // Carried variables: what a task writes and a later one reads, and what threads share.
  CarriedLocals carried;
  std::map<std::string, unsigned> carryNames;
  for (unsigned first = 0, next; first < locals.size(); first = next) {
    Run run = runOf(first);
    next = first + run.count;
    bool isCarried = total.memory.count(first) != 0;
    for (unsigned l = first; l < next; ++l) {
      bool written = false;
      for (size_t t = 0; t < tasks.size() && !isCarried; ++t) {
        isCarried = written && perTask[t].reads[l];
        written |= perTask[t].writes[l] != 0;
      }
    }
    if (!isCarried)
      continue;
    hir::HiddenBuffer hidden;
    hidden.role = hir::HiddenBuffer::Carry;
    hidden.name = run.name;
    if (unsigned count = carryNames[hidden.name]++) // a name to read, not to find it by
      hidden.name += "." + std::to_string(count);
    hidden.type = locals[first].type;
    hidden.count = run.count;
    unsigned param = addHidden(std::move(hidden));
    for (unsigned l = first; l < next; ++l)
      carried[l] = {param, l - first};
  }
  // A task whose threads change a variable does so in memory; others load it first and store it
  // last.
  std::set<unsigned> everWritten;
  for (size_t t = 0; t < tasks.size(); ++t) {
    hir::Task &task = tasks[t]->task;
    CarriedLocals memory;
    Block before, after;
    for (auto it = carried.begin(); it != carried.end();) {
      unsigned first = it->first, next = first + runOf(first).count;
      auto end = carried.lower_bound(next);
      bool shared = perTask[t].memory.count(first) != 0;
      for (unsigned l = first; l < next && !task.serial; ++l)
        shared |= perTask[t].writes[l] != 0;
      for (; it != end; ++it) {
        auto [local, place] = *it;
        unsigned reads = perTask[t].reads[local], writes = perTask[t].writes[local];
        if (shared) {
          memory[local] = place;
          everWritten.insert(local);
          continue;
        }
        if (!reads && !writes)
          continue;
        hir::Type type = locals[local].type;
        if (everWritten.count(local))
          before.push_back(
              {task.at, hir::Assign{local, take(makeExpr(type, place.load(task.at), task.at))}});
        bool readLater = false;
        for (size_t later = t + 1; later < tasks.size(); ++later)
          readLater |= perTask[later].reads[local] != 0 || perTask[later].memory.count(first);
        if (writes && readLater)
          after.push_back({task.at, place.store(take(makeLocal(local, type, task.at)), task.at)});
        if (writes)
          everWritten.insert(local);
      }
    }
    if (!memory.empty())
      throughMemory(task.body, memory);
    task.body.insert(task.body.begin(), std::make_move_iterator(before.begin()),
                     std::make_move_iterator(before.end()));
    task.body.insert(task.body.end(), std::make_move_iterator(after.begin()),
                     std::make_move_iterator(after.end()));
  }

  // Parameters: arguments are there already, hidden buffers follow.
  for (auto &hidden : kernel.hidden) {
    hir::Param param;
    param.kind = hir::Param::Buffer;
    param.type = hidden.type;
    param.name = hidden.name;
    kernel.params.push_back(std::move(param));
  }
  unsigned number = 0;
  for (auto &t : tasks) {
    Renumber renumber{locals, sharedArrays, privateArrays, carried, t->task, {}, {}, {}};
    renumber.block(t->task.body);
    t->task.name = kernel.instance + "_t" + std::to_string(number++);
    kernel.tasks.push_back(std::move(t->task));
  }
}

} // namespace sextant::sema
