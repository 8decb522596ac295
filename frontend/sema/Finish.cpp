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

struct Uses {
  std::vector<unsigned> reads, writes;
};

void countExpr(Expr &expr, Uses &uses);
void countBlock(Block &block, Uses &uses) {
  for (Stmt &stmt : block) {
    if (auto *assign = std::get_if<hir::Assign>(&stmt.node))
      ++uses.writes[assign->local];
    if (auto *loop = std::get_if<hir::For>(&stmt.node))
      ++uses.writes[loop->local];
    forEachOperand(
        stmt, [&](Expr &e) { countExpr(e, uses); }, [&](Block &b) { countBlock(b, uses); });
  }
}
void countExpr(Expr &expr, Uses &uses) {
  if (auto *read = std::get_if<hir::LocalRead>(&expr.node))
    ++uses.reads[read->local];
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

hir::ExprPtr zeroIndex(SourceRange at) { return take(makeInt(0, hir::Type::I32, at)); }

/// Reads and writes of carried locals become memory accesses.
void throughMemory(Block &block, const std::map<unsigned, unsigned> &carried) {
  std::function<void(Expr &)> inExpr = [&](Expr &expr) {
    forEachOperand(expr, inExpr, [&](Block &b) { throughMemory(b, carried); });
    if (auto *read = std::get_if<hir::LocalRead>(&expr.node))
      if (auto it = carried.find(read->local); it != carried.end())
        expr.node = hir::Load{{hir::BufferRef::Param, it->second}, zeroIndex(expr.at), false};
  };
  for (Stmt &stmt : block) {
    forEachOperand(stmt, inExpr, [&](Block &b) { throughMemory(b, carried); });
    if (auto *assign = std::get_if<hir::Assign>(&stmt.node))
      if (auto it = carried.find(assign->local); it != carried.end()) {
        hir::ExprPtr value = std::move(assign->value);
        stmt.node = hir::Store{
            {hir::BufferRef::Param, it->second}, zeroIndex(stmt.at), std::move(value), false};
      }
  }
}

struct Renumber {
  const std::vector<hir::Local> &locals;
  const std::vector<hir::ArrayDecl> &shared, &privates;
  const std::map<unsigned, unsigned> &carryParams;
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
    } else if (ref.index >= kCarryBase) {
      ref.index = carryParams.at(ref.index - kCarryBase);
    }
  }
  void expr(Expr &e) {
    if (auto *n = std::get_if<hir::LocalRead>(&e.node))
      local(n->local);
    else if (auto *n = std::get_if<hir::Load>(&e.node))
      buffer(n->buffer);
    else if (auto *n = std::get_if<hir::Atomic>(&e.node))
      buffer(n->buffer);
    else if (auto *n = std::get_if<hir::AtomicCas>(&e.node))
      buffer(n->buffer);
    forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
  void block(Block &b) {
    for (Stmt &stmt : b) {
      if (auto *n = std::get_if<hir::Assign>(&stmt.node))
        local(n->local);
      else if (auto *n = std::get_if<hir::For>(&stmt.node))
        local(n->local);
      else if (auto *n = std::get_if<hir::Store>(&stmt.node))
        buffer(n->buffer);
      forEachOperand(stmt, [&](Expr &x) { expr(x); }, [&](Block &inner) { block(inner); });
    }
  }
};

} // namespace

unsigned KernelAnalyzer::addHidden(hir::HiddenBuffer buffer) {
  kernel.hidden.push_back(std::move(buffer));
  return argumentParams + unsigned(kernel.hidden.size() - 1);
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
    perTask.assign(tasks.size(), Uses{std::vector<unsigned>(locals.size()),
                                      std::vector<unsigned>(locals.size())});
    Uses total{std::vector<unsigned>(locals.size()), std::vector<unsigned>(locals.size())};
    for (size_t t = 0; t < tasks.size(); ++t) {
      countBlock(tasks[t]->task.body, perTask[t]);
      for (size_t l = 0; l < locals.size(); ++l) {
        total.reads[l] += perTask[t].reads[l];
        total.writes[l] += perTask[t].writes[l];
      }
    }
    return total;
  };
  for (int round = 0; round < 30; ++round) {
    Uses total = count();
    bool changed = false;
    for (auto &t : tasks)
      changed |= prune(t->task.body, total, forcedCarries);
    if (!changed)
      break;
  }
  std::erase_if(tasks, [](auto &t) { return t->task.serial && t->task.body.empty(); });
  count();

  // Carried locals.
  std::map<unsigned, unsigned> carryParams;
  std::map<std::string, unsigned> carryNames;
  for (unsigned l = 0; l < locals.size(); ++l) {
    bool written = false, carried = forcedCarries.count(l) != 0;
    for (size_t t = 0; t < tasks.size() && !carried; ++t) {
      if (written && perTask[t].reads[l])
        carried = true;
      written |= perTask[t].writes[l] != 0;
    }
    if (!carried)
      continue;
    hir::HiddenBuffer hidden;
    hidden.role = hir::HiddenBuffer::Carry;
    hidden.name = locals[l].name;
    if (unsigned count = carryNames[hidden.name]++) // a name to read, not to find it by
      hidden.name += "." + std::to_string(count);
    hidden.type = locals[l].type;
    carryParams[l] = addHidden(std::move(hidden));
  }
  std::set<unsigned> everWritten;
  for (size_t t = 0; t < tasks.size(); ++t) {
    hir::Task &task = tasks[t]->task;
    std::map<unsigned, unsigned> memory;
    Block before, after;
    for (auto &[local, param] : carryParams) {
      unsigned reads = perTask[t].reads[local], writes = perTask[t].writes[local];
      bool forced = forcedCarries.count(local) != 0;
      if (!reads && !writes)
        continue;
      if (!task.serial && (writes || forced)) {
        memory[local] = param;
      } else {
        if (everWritten.count(local)) {
          Stmt load;
          load.at = task.at;
          load.node = hir::Assign{
              local,
              take(makeExpr(locals[local].type,
                            hir::Load{{hir::BufferRef::Param, param}, zeroIndex(task.at), false},
                            task.at))};
          before.push_back(std::move(load));
        }
        bool readLater = forced;
        for (size_t later = t + 1; later < tasks.size(); ++later)
          readLater |= perTask[later].reads[local] != 0;
        if (writes && readLater) {
          Stmt store;
          store.at = task.at;
          store.node = hir::Store{{hir::BufferRef::Param, param},
                                  zeroIndex(task.at),
                                  take(makeLocal(local, locals[local].type, task.at)),
                                  false};
          after.push_back(std::move(store));
        }
      }
      if (writes)
        everWritten.insert(local);
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
    Renumber renumber{locals, sharedArrays, privateArrays, carryParams, t->task, {}, {}, {}};
    renumber.block(t->task.body);
    t->task.name = kernel.instance + "_t" + std::to_string(number++);
    kernel.tasks.push_back(std::move(t->task));
  }
}

} // namespace sextant::sema
