// Variables of the kernel that go from one task to another, or that threads share.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::hir {

namespace {

/// Where a carried local lies.
struct Carried {
  unsigned param = 0, offset = 0;

  BufferRef buffer() const { return {BufferRef::Param, param}; }
  ExprPtr index(Loc at) const { return take(makeInt(offset, Type::I32, at)); }
  Load load(Loc at) const { return {buffer(), index(at), false}; }
  Store store(ExprPtr value, Loc at) const {
    return {buffer(), index(at), std::move(value), false};
  }
};
using CarriedLocals = std::map<unsigned, Carried>;

/// True if a task of a loop reads what one of an earlier round wrote: in a serial task, or in a
/// variable of several tasks. What only one parallel task uses belongs to its threads.
bool isCarriedRound(const Draft &draft, const std::vector<Uses> &tasks, unsigned local) {
  std::set<unsigned> written; // in these loops
  size_t users = 0;
  bool inSerial = false;
  for (size_t t = 0; t < tasks.size(); ++t) {
    if (tasks[t].writes[local])
      written.insert(outermostLoop(draft, draft.tasks[t].span));
    if (tasks[t].writes[local] || tasks[t].reads[local]) {
      ++users;
      inSerial |= draft.tasks[t].task.serial;
    }
  }
  if (users < 2 && !inSerial)
    return false;
  for (size_t t = 0; t < tasks.size(); ++t)
    if (tasks[t].exposed.count(local) && written.count(outermostLoop(draft, draft.tasks[t].span)))
      return true;
  return false;
}

/// Gives every variable that has to be carried its buffer.
CarriedLocals findCarried(Draft &draft, const std::vector<Uses> &tasks) {
  CarriedLocals carried;
  std::map<std::string, unsigned> names;
  const bool hasLoops = draft.has(Span::Loop);
  for (unsigned first = 0, next; first < draft.locals.size(); first = next) {
    const Components variable = draft.componentsAt(first);
    next = first + variable.count;
    bool isCarried = false;
    for (const Uses &task : tasks)
      isCarried |= task.memory.count(first) != 0;
    for (unsigned l = first; l < next; ++l) {
      bool written = false;
      for (size_t t = 0; t < tasks.size() && !isCarried; ++t) {
        isCarried = written && tasks[t].reads[l];
        written |= tasks[t].writes[l] != 0;
      }
      isCarried = isCarried || (hasLoops && isCarriedRound(draft, tasks, l));
    }
    if (!isCarried)
      continue;
    HiddenBuffer hidden;
    hidden.role = HiddenBuffer::Carry;
    hidden.name = variable.name;
    if (unsigned count = names[hidden.name]++) // a name to read, not to find it by
      hidden.name += "." + std::to_string(count);
    hidden.type = draft.locals[first].type;
    hidden.count = variable.count;
    const unsigned param = draft.addHidden(std::move(hidden));
    for (unsigned l = first; l < next; ++l)
      carried[l] = {param, l - first};
  }
  return carried;
}

/// Names the buffers of `carried`; reads and writes of the locals in `memory` become accesses.
void throughMemory(Block &block, const CarriedLocals &carried, const CarriedLocals &memory) {
  auto name = [&](BufferRef *ref) {
    if (!ref)
      return;
    if (ref->kind == BufferRef::Carry)
      *ref = carried.at(ref->index).buffer();
    else if (auto it = memory.find(ref->index);
             ref->kind == BufferRef::Variable && it != memory.end())
      *ref = it->second.buffer();
  };
  auto inBlock = [&](Block &b) { throughMemory(b, carried, memory); };
  std::function<void(Expr &)> inExpr = [&](Expr &expr) {
    forEachOperand(expr, inExpr, inBlock);
    name(bufferOf(expr));
    if (auto *read = std::get_if<LocalRead>(&expr.node))
      if (auto it = memory.find(read->local); it != memory.end())
        expr.node = it->second.load(expr.at);
  };
  for (Stmt &stmt : block) {
    forEachOperand(stmt, inExpr, inBlock);
    name(bufferOf(stmt));
    if (auto *assign = std::get_if<Assign>(&stmt.node))
      if (auto it = memory.find(assign->local); it != memory.end()) {
        ExprPtr value = std::move(assign->value);
        stmt.node = it->second.store(std::move(value), stmt.at);
      }
  }
}

} // namespace

void carryLocals(Draft &draft) {
  const std::vector<Uses> uses = usesOfTasks(draft);
  const CarriedLocals carried = findCarried(draft, uses);
  if (carried.empty())
    return;
  auto loopOf = [&](size_t task) { return outermostLoop(draft, draft.tasks[task].span); };
  auto runsAfter = [&](size_t later, size_t task) {
    return later > task || (loopOf(task) && loopOf(later) == loopOf(task));
  };
  auto readsLater = [&](size_t task, unsigned local, unsigned first) {
    for (size_t later = loopOf(task) ? 0 : task + 1; later < uses.size(); ++later)
      if (runsAfter(later, task) && (uses[later].reads[local] || uses[later].memory.count(first)))
        return true;
    return false;
  };
  // A launch that resumes another one skips tasks, which must leave the variables as they are.
  const bool hasCheckpoints = draft.has(Span::Checkpoint);
  std::map<unsigned, std::set<unsigned>> writtenIn; // keys: loops
  for (size_t t = 0; t < draft.tasks.size(); ++t)
    for (const auto &[local, place] : carried)
      if (loopOf(t) && uses[t].writes[local])
        writtenIn[loopOf(t)].insert(local);
  std::set<unsigned> everWritten;
  for (size_t t = 0; t < draft.tasks.size(); ++t) {
    Task &task = draft.tasks[t].task;
    CarriedLocals memory;
    Block before, after;
    for (auto it = carried.begin(); it != carried.end();) {
      const unsigned first = it->first, next = first + draft.componentsAt(first).count;
      const auto end = carried.lower_bound(next);
      bool isMemory = uses[t].memory.count(first) != 0;
      for (unsigned l = first; l < next && !task.serial; ++l)
        isMemory |= uses[t].writes[l] != 0;
      for (; it != end; ++it) {
        const auto &[local, place] = *it;
        const bool reads = uses[t].reads[local], writes = uses[t].writes[local];
        const Type type = draft.locals[local].type;
        if (isMemory) {
          memory[local] = place;
        } else {
          const bool isOld = hasCheckpoints || everWritten.count(local) != 0 ||
                             writtenIn[loopOf(t)].count(local) != 0;
          if ((reads || writes) && isOld)
            before.push_back(
                {task.at, Assign{local, take(makeExpr(type, place.load(task.at), task.at))}});
          if (writes && readsLater(t, local, first))
            after.push_back({task.at, place.store(take(makeLocal(local, type, task.at)), task.at)});
        }
        if (isMemory || writes)
          everWritten.insert(local);
      }
    }
    throughMemory(task.body, carried, memory);
    task.body.insert(task.body.begin(), std::make_move_iterator(before.begin()),
                     std::make_move_iterator(before.end()));
    task.body.insert(task.body.end(), std::make_move_iterator(after.begin()),
                     std::make_move_iterator(after.end()));
  }
}

} // namespace sextant::hir
