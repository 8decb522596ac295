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
  std::vector<Stmt *> loops; ///< around it, but for the one over the grid
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
      const bool repeats = isInnerLoop(stmt);
      const bool repeatsOperands = repeats && std::holds_alternative<While>(stmt.node);
      if (repeatsOperands) // its condition
        loops.push_back(&stmt);
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
      if (repeats && !repeatsOperands)
        loops.push_back(&stmt);
      forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { block(inside); });
      if (repeats)
        loops.pop_back();
    }
  }
};

/// Tells if a store may reach what a load reads, after it or before it. Threads of one task do not
/// read what others of it write.
class Meetings {
public:
  Meetings(const std::vector<Block *> &tasks, const Draft &draft)
      : tasks(tasks), draft(draft), indices(tasks) {
    for (Block *each : tasks)
      waits.push_back(hasWaits(*each));
  }

  bool mayFollow(const Access &store, const Access &load) { return mayMeet(store, load, true); }
  bool mayPrecede(const Access &store, const Access &load) { return mayMeet(store, load, false); }
  /// True if a thread may load the same again, in another iteration.
  bool mayRepeat(const Access &load) {
    return meetInOthers(timesAround(load.task, load.loops, true), load, load, load.loops);
  }

private:
  /// A task, or the body of a loop, and its locals.
  struct Around {
    const For *counted = nullptr; ///< the loop
    std::set<unsigned> set;
    std::set<unsigned> setInLoops; ///< loops inside set them
    std::set<unsigned> exposed;    ///< an iteration may read what an earlier one has set
  };

  bool areApart(const Access &a, const Access &b, const Times *times = nullptr) const {
    return bitWidth(a.type) == bitWidth(b.type) && indices.areApart(*a.index, *b.index, times);
  }
  bool mayMeet(const Access &store, const Access &load, bool isLater) {
    if (store.array != load.array || areApart(store, load))
      return false;
    if (store.task != load.task)
      return (store.task > load.task) == isLater;
    const auto ends = std::ranges::mismatch(store.loops, load.loops);
    const std::vector<Stmt *> loops(store.loops.begin(), ends.in1); // around both
    const bool isInOrder = (store.order >= load.order) == isLater;  // a statement loads first
    if (waits[load.task]) // threads may read what others write
      return isInOrder || !loops.empty();
    Times times = timesAround(load.task, loops, isLater);
    inOneIteration(times,
                   loops.empty() ? aroundOf(*tasks[load.task], nullptr) : aroundOf(*loops.back()));
    return (isInOrder && !areApart(store, load, &times)) ||
           meetInOthers(std::move(times), store, load, loops);
  }
  bool meetInOthers(Times times, const Access &a, const Access &b,
                    const std::vector<Stmt *> &loops) {
    return std::ranges::any_of(loops, [&](Stmt *loop) {
      inTwoIterations(times, aroundOf(*loop));
      return !areApart(a, b, &times);
    });
  }
  Times timesAround(size_t task, const std::vector<Stmt *> &loops, bool isLater) {
    Times times;
    times.isLater = isLater;
    times.isAlone = draft.tasks[task].task.serial;
    for (Stmt *loop : loops)
      if (auto *counted = std::get_if<For>(&loop->node);
          counted && !aroundOf(*loop).set.contains(counted->local))
        times.counters.insert(counted->local);
    return times;
  }

  const Around &aroundOf(Stmt &loop) { return aroundOf(bodyOf(loop), &loop); }
  /// \param loop null: the code is a task
  const Around &aroundOf(Block &code, Stmt *loop) {
    const auto [it, isNew] = known.try_emplace(&code);
    Around &here = it->second;
    if (!isNew)
      return here;
    here.set = setIn(code);
    if (loop) {
      here.counted = std::get_if<For>(&loop->node);
      here.exposed = exposedIn(*loop);
    }
    forEachStatement(code, [&](Stmt &stmt) {
      if (auto *inside = std::get_if<For>(&stmt.node))
        here.setInLoops.insert(inside->local);
      if (isLoop(stmt))
        here.setInLoops.merge(setIn(bodyOf(stmt)));
    });
    return here;
  }
  void inOneIteration(Times &times, const Around &inner) const {
    times.isCurrent = [&inner](unsigned local) {
      return inner.set.contains(local) && !inner.exposed.contains(local);
    };
    times.isFixed = [this, &times, &inner](unsigned local) {
      return !inner.set.contains(local) || (indices.isSetOnce(local) && times.isCurrent(local) &&
                                            !inner.setInLoops.contains(local));
    };
  }
  void inTwoIterations(Times &times, const Around &loop) const {
    const For *counted = loop.counted;
    times.loop = counted && times.counters.contains(counted->local) ? counted : nullptr;
    times.isCurrent = [&loop](unsigned local) {
      return loop.set.contains(local) && !loop.exposed.contains(local);
    };
    times.isFixed = [&loop, counted](unsigned local) {
      return !loop.set.contains(local) && !(counted && counted->local == local);
    };
  }

  const std::vector<Block *> &tasks;
  const Draft &draft;
  const Indices indices;
  std::vector<bool> waits;         ///< each task's
  std::map<Block *, Around> known; ///< keys: the code
};

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
  Meetings meetings(tasks, draft);
  std::set<Array> told;
  for (const Access &load : accesses.loads) {
    const auto local = setBy(*load.stmt);
    const bool isActive =
        local && activity.locals.contains(*local) && activity.gradients.contains(load.array);
    if (isSmallReal(load.type) && isActive && meetings.mayRepeat(load))
      refusals.push_back({Refusal::Operation, load.stmt->at,
                          "a loop reads the same element of `" + nameOf(load.array, draft) +
                              "` again, and its gradient would add up in 16 bits",
                          "read it before the loop, or use an array of f32"});
    if (!isNeeded(load.task, *load.stmt, load.array))
      continue;
    const auto follows = std::ranges::find_if(
        accesses.stores, [&](const Access &store) { return meetings.mayFollow(store, load); });
    if (follows == accesses.stores.end())
      continue;
    const auto before = draft.before.find(load.array.second);
    // The derivative of a function with one of its own reads the array itself.
    const bool isOwn = draft.tasks[load.task].part == Part::Own;
    const bool isFirst = isOwn && std::ranges::none_of(accesses.stores, [&](const Access &store) {
                           return meetings.mayPrecede(store, load);
                         });
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
