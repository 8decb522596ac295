// From a draft's numbers to each task's own.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::hir {

namespace {

/// Numbers in the order of first use.
template <typename Item> struct Numbers {
  const std::vector<Item> &all;
  std::vector<Item> &own;
  std::map<unsigned, unsigned> numbers;

  void replace(unsigned &number) {
    auto [it, isNew] = numbers.try_emplace(number, unsigned(own.size()));
    if (isNew)
      own.push_back(all[number]);
    number = it->second;
  }
};

struct TaskNumbers {
  Numbers<Local> locals;
  Numbers<ArrayDecl> shared, privates;

  void buffer(BufferRef &ref) {
    if (ref.kind == BufferRef::Shared)
      shared.replace(ref.index);
    else if (ref.kind == BufferRef::Private)
      privates.replace(ref.index);
  }
  void expr(Expr &e) {
    if (auto *read = std::get_if<LocalRead>(&e.node))
      locals.replace(read->local);
    else if (auto *ref = bufferOf(e))
      buffer(*ref);
    forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
  void block(Block &b) {
    for (Stmt &stmt : b) {
      if (auto *assign = std::get_if<Assign>(&stmt.node))
        locals.replace(assign->local);
      else if (auto *loop = std::get_if<For>(&stmt.node))
        locals.replace(loop->local);
      else if (auto *instruction = std::get_if<Instruction>(&stmt.node))
        for (unsigned &result : instruction->results)
          locals.replace(result);
      else if (auto *ref = bufferOf(stmt))
        buffer(*ref);
      forEachOperand(stmt, [&](Expr &x) { expr(x); }, [&](Block &inner) { block(inner); });
    }
  }
};

} // namespace

Kernel renumber(Draft draft) {
  Kernel kernel = std::move(draft.kernel);
  for (const HiddenBuffer &hidden : kernel.hidden) {
    Param param;
    param.kind = isValue(hidden.role) ? Param::Value : Param::Buffer;
    param.type = hidden.type;
    param.name = hidden.name;
    kernel.params.push_back(std::move(param));
  }
  for (DraftTask &each : draft.tasks) {
    Task task = std::move(each.task);
    TaskNumbers numbers{{draft.locals, task.locals, {}},
                        {draft.shared, task.shared, {}},
                        {draft.privates, task.privates, {}}};
    numbers.block(task.body);
    task.name = kernel.instance + "_t" + std::to_string(kernel.tasks.size());
    if (!each.label.empty())
      task.name += "_" + each.label;
    kernel.tasks.push_back(std::move(task));
  }
  return kernel;
}

void prepare(Draft &draft) {
  makeOwnCopies(draft);
  computeAgain(draft);
  guardReturns(draft);
  gateTasks(draft);
  prune(draft);
  writeSchedule(draft);
  carryLocals(draft);
  placeVariables(draft);
}

Kernel finish(Draft draft) {
  dropArguments(draft);
  Kernel kernel = renumber(std::move(draft));
  lowerSmallReals(kernel);
  return kernel;
}

} // namespace sextant::hir
