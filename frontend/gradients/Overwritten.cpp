// Finds loads whose values the reverse needs, of arrays that the kernel overwrites afterwards.
#include "frontend/gradients/Overwritten.h"
#include "frontend/gradients/Apart.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>
#include <set>
#include <string>

namespace sextant::gradients {

using namespace hir;

namespace {

/// An access to memory, and what runs before what.
struct Access {
  size_t task = 0, order = 0;
  std::vector<Stmt *> loops;
  Array array;
  Stmt *stmt = nullptr;
  const Expr *index = nullptr;
  Type type = Type::I32; ///< the index counts scalars of this type
};

struct Accesses {
  size_t task = 0;
  size_t order = 0;
  std::vector<Stmt *> loops;
  std::vector<Access> loads, stores;

  void add(std::vector<Access> &to, const BufferRef &buffer, Stmt &stmt, const Expr &index,
           Type type) {
    if (buffer.kind == BufferRef::Param)
      to.push_back({task, order, loops, keyOf(buffer), &stmt, &index, type});
  }
  void block(Block &code) {
    for (Stmt &stmt : code) {
      ++order;
      forEachExpr(stmt, [&](Expr &expr) {
        if (auto *load = std::get_if<Load>(&expr.node))
          add(loads, load->buffer, stmt, *load->index, expr.type);
        if (auto *atomic = std::get_if<Atomic>(&expr.node))
          add(stores, atomic->buffer, stmt, *atomic->index, expr.type);
        if (auto *cas = std::get_if<AtomicCas>(&expr.node))
          add(stores, cas->buffer, stmt, *cas->index, expr.type);
      });
      if (auto *store = std::get_if<Store>(&stmt.node))
        add(stores, store->buffer, stmt, *store->index, store->value->type);
      const bool isLoop =
          std::holds_alternative<For>(stmt.node) || std::holds_alternative<While>(stmt.node);
      if (isLoop)
        loops.push_back(&stmt);
      forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { block(inside); });
      if (isLoop)
        loops.pop_back();
    }
  }
};

/// True if a thread that makes both may make `b` again after `a`.
bool areInLoop(const Access &a, const Access &b) {
  for (size_t k = 0; k < std::min(a.loops.size(), b.loops.size()); ++k)
    if (a.loops[k] == b.loops[k] && !isGridLoop(*a.loops[k]))
      return true;
  return false;
}
/// A statement loads before it stores.
bool mayFollow(const Access &store, const Access &load) {
  return store.task != load.task ? store.task > load.task
                                 : store.order >= load.order || areInLoop(store, load);
}
bool mayPrecede(const Access &store, const Access &load) {
  return store.task != load.task ? store.task < load.task
                                 : store.order < load.order || areInLoop(store, load);
}

const std::string &nameOf(const Array &array, const Draft &draft) {
  const HiddenBuffer *hidden = draft.hiddenAt(array.second);
  return hidden ? hidden->name : draft.kernel.params[array.second].name;
}

} // namespace

void readBefore(const std::vector<Block *> &tasks, const Draft &draft, Activity &activity,
                const std::function<bool(size_t, const Stmt &, const Array &)> &isNeeded,
                std::vector<Refusal> &refusals) {
  Accesses accesses;
  for (accesses.task = 0; accesses.task < tasks.size(); ++accesses.task)
    accesses.block(*tasks[accesses.task]);
  const Indices indices(tasks);
  std::set<Array> told;
  for (const Access &load : accesses.loads) {
    if (!isNeeded(load.task, *load.stmt, load.array))
      continue;
    const auto firstThat = [&](bool may(const Access &store, const Access &load)) {
      return std::ranges::find_if(accesses.stores, [&](const Access &store) {
        return store.array == load.array && may(store, load) &&
               !(bitWidth(store.type) == bitWidth(load.type) &&
                 indices.areApart(*store.index, *load.index));
      });
    };
    const auto follows = firstThat(mayFollow);
    if (follows == accesses.stores.end())
      continue;
    const auto before = draft.before.find(load.array.second);
    // The derivative of a function with one of its own reads the array itself.
    const bool isOwn = draft.tasks[load.task].part == Part::Own;
    const bool isFirst = isOwn && firstThat(mayPrecede) == accesses.stores.end();
    if (before != draft.before.end() && isFirst) {
      const BufferRef then{BufferRef::Param, before->second};
      forEachExpr(*load.stmt, [&](Expr &expr) {
        if (auto *read = std::get_if<Load>(&expr.node); read && keyOf(read->buffer) == load.array)
          read->buffer = then;
      });
      if (const auto gradient = activity.gradients.find(load.array);
          gradient != activity.gradients.end())
        activity.gradients[keyOf(then)] = gradient->second;
      continue;
    }
    if (told.insert(load.array).second)
      refusals.push_back(
          {Refusal::Overwritten, follows->stmt->at,
           "`" + nameOf(load.array, draft) +
               "` is overwritten here, and the gradient needs what line " +
               std::to_string(load.stmt->at.file->lineColumn(load.stmt->at.begin).line) +
               " read of it",
           isFirst && !draft.hiddenAt(load.array.second)
               ? "write to another array, or build with --keep-overwritten: the gradient then "
                 "takes "
                 "the array as it was before"
               : "write to another array"});
  }
}

} // namespace sextant::gradients
