// Finds loads of a task's arrays that cannot be run again.
#include "frontend/gradients/Filled.h"
#include "frontend/gradients/Coverage.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>

namespace sextant::gradients {

using namespace hir;

namespace {

struct Range {
  size_t begin = 0, end = 0; ///< numbers of statements
  bool has(size_t place) const { return begin <= place && place < end; }
};

struct Access {
  size_t place = 0;
  Array array;
  std::vector<Stmt *> path; ///< the loops and branches around it
  const Stmt *stmt = nullptr;
};

struct Accesses {
  const Needed &needed;
  size_t place = 0;
  std::vector<Stmt *> path;
  std::map<const Stmt *, Range> ranges;
  std::vector<Access> loads, stores;

  void block(Block &code) {
    for (Stmt &stmt : code) {
      const size_t begin = ++place;
      const BufferRef *written = writtenBy(stmt);
      if (written && needed.arrays.contains(keyOf(*written)))
        stores.push_back({begin, keyOf(*written), path, &stmt});
      const Load *load = loadOf(stmt);
      if (load && isOfTask(load->buffer) && needed.locals.contains(*setBy(stmt)))
        loads.push_back({begin, keyOf(load->buffer), path, &stmt});
      path.push_back(&stmt);
      forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { block(inside); });
      path.pop_back();
      ranges[&stmt] = {begin, place + 1};
    }
  }
};

} // namespace

KeptArrays findKept(DraftTask &task, const Draft &draft, const Activity &activity,
                    const Needed &needed, std::vector<Refusal> &refusals) {
  KeptArrays kept;
  if (needed.arrays.empty())
    return kept;
  Accesses accesses{needed, 0, {}, {}, {}, {}};
  accesses.block(task.task.body);
  std::map<Stmt *, Needed> neededIn;
  /// True if the reverse of the loop asks for what the load yields, so that it is run again with an
  /// iteration.
  const auto isAskedBy = [&](Stmt *loop, const Access &load) {
    const auto [found, isNew] = neededIn.try_emplace(loop);
    if (isNew)
      found->second = findNeeded(*loop, activity);
    return found->second.locals.contains(*setBy(*load.stmt));
  };
  /// A store that the array's content at the begin of `loop` does not survive. What is outside of
  /// `around` comes when the iteration has been reversed.
  const auto disturberOf = [&](const Array &array, const Stmt *loop,
                               const Stmt *around) -> const Access * {
    const Range within = around ? accesses.ranges.at(around) : Range{0, ~size_t(0)};
    const auto found = std::ranges::find_if(accesses.stores, [&](const Access &store) {
      return store.array == array && store.place >= accesses.ranges.at(loop).begin &&
             within.has(store.place);
    });
    return found == accesses.stores.end() ? nullptr : &*found;
  };
  const auto keep = [&](const Access &load, Stmt *loop, const Stmt *around) {
    const Access *store = disturberOf(load.array, loop, around);
    if (!store || !kept[loop].insert(load.array).second)
      return;
    // All threads of the block keep a shared array together.
    if (load.array.first == BufferRef::Private || hasWaits(bodyOf(*loop)))
      return;
    refusals.push_back(
        {Refusal::Overwritten, store->stmt->at,
         "`" + declOf(draft, load.array).name +
             "` is overwritten here, and the gradient needs what line " +
             std::to_string(load.stmt->at.file->lineColumn(load.stmt->at.begin).line) +
             " read of it in a loop",
         "fill the whole array in each iteration before it is read, or use another array"});
  };
  for (const Access &load : accesses.loads) {
    std::vector<Stmt *> loops;
    for (Stmt *each : load.path)
      if (isInnerLoop(*each) && isAskedBy(each, load))
        loops.push_back(each);
    // From inside to outside, up to the loop whose iterations fill the array.
    const Stmt *end = load.stmt;
    while (!loops.empty()) {
      const std::vector<Stmt *> around(load.path.begin(), std::ranges::find(load.path, end));
      if (fills(task, draft, load.array, around, *end))
        break;
      Stmt *loop = loops.back();
      loops.pop_back();
      keep(load, loop, loops.empty() ? nullptr : loops.back());
      end = loop;
    }
  }
  return kept;
}

} // namespace sextant::gradients
