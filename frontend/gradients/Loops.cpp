// Chooses how a loop is run backwards.
#include "frontend/gradients/Loops.h"
#include "frontend/gradients/Walk.h"

namespace sextant::gradients {

using namespace hir;

namespace {

/// Returns the other summand of `local = local + x`, or null.
const Expr *summandOf(const Assign &assign) {
  auto *sum = std::get_if<Binary>(&assign.value->node);
  if (!sum || (sum->op != BinaryOp::Add && sum->op != BinaryOp::Sub))
    return nullptr;
  const auto isSelf = [&](const Expr &side) {
    auto *read = std::get_if<LocalRead>(&side.node);
    return read && read->local == assign.local;
  };
  if (isSelf(*sum->lhs) && !isSelf(*sum->rhs))
    return &*sum->rhs;
  return sum->op == BinaryOp::Add && isSelf(*sum->rhs) ? &*sum->lhs : nullptr;
}

/// The active locals that a loop sets and only adds to.
std::set<unsigned> sumsOf(Block &body, const Activity &activity, const std::set<unsigned> &set) {
  std::set<unsigned> sums;
  for (unsigned local : set)
    if (activity.locals.contains(local))
      sums.insert(local);
  forEachStatement(body, [&](Stmt &stmt) {
    auto *assign = std::get_if<Assign>(&stmt.node);
    const bool isSum = assign && summandOf(*assign);
    if (assign && !isSum)
      sums.erase(assign->local);
    // Only reals carry a derivative: a condition may read a sum.
    forEachOperand(
        stmt,
        [&](Expr &operand) {
          if (assign && !activity.isActive(operand))
            return;
          forEachExpr(operand, [&](Expr &expr) {
            auto *read = std::get_if<LocalRead>(&expr.node);
            if (read && isFloat(expr.type) && isFloat(operand.type) &&
                !(isSum && read->local == assign->local))
              sums.erase(read->local);
          });
        },
        [](Block &) {});
  });
  return sums;
}

/// True if an iteration may update what another one reads, in memory with derivatives. An array,
/// and what it had before the kernel, have one gradient.
bool ordersMemory(Block &body, const Activity &activity) {
  std::set<Array> loaded, updated; // their gradients
  const auto gradientOf = [&](const BufferRef &buffer) {
    return keyOf(activity.gradients.at(keyOf(buffer)));
  };
  bool stores = false;
  forEachStatement(body, [&](Stmt &stmt) {
    if (auto *store = std::get_if<Store>(&stmt.node))
      stores |= activity.has(store->buffer);
    forEachExpr(stmt, [&](Expr &expr) {
      if (auto *load = std::get_if<Load>(&expr.node); load && activity.has(load->buffer))
        loaded.insert(gradientOf(load->buffer));
      if (auto *atomic = std::get_if<Atomic>(&expr.node); atomic && activity.has(atomic->buffer))
        updated.insert(gradientOf(atomic->buffer));
    });
  });
  for (const Array &array : updated)
    stores |= loaded.contains(array);
  return stores;
}

/// True if the reverse of an iteration may leave other values in an array that the next iteration
/// reads: a loop inside runs its stores again, from the array as it was before that loop.
bool changesArrays(Stmt &loop, const KeptArrays &kept) {
  const auto own = kept.find(&loop);
  if (own == kept.end())
    return false;
  bool changes = false;
  forEachStatement(bodyOf(loop), [&](Stmt &inside) {
    const auto restored = kept.find(&inside);
    for (const Array &array : own->second)
      changes |= restored != kept.end() && restored->second.contains(array);
    if (!isLoop(inside))
      return;
    forEachStatement(bodyOf(inside), [&](Stmt &stmt) {
      const BufferRef *written = writtenBy(stmt);
      changes |= written && own->second.contains(keyOf(*written));
    });
  });
  return changes;
}

} // namespace

LoopPlan planLoop(Stmt &loop, const Activity &activity, const std::set<unsigned> &needed,
                  const KeptArrays &kept, const std::function<bool(unsigned)> &isRead) {
  Block &body = bodyOf(loop);
  LoopPlan plan;
  plan.set = setIn(body);
  plan.exposed = exposedIn(loop);
  auto *counted = std::get_if<For>(&loop.node);
  if (counted)
    plan.set.erase(counted->local);
  const bool isGrid = isGridLoop(loop);
  plan.sums = sumsOf(body, activity, plan.set);
  for (unsigned local : plan.set)
    if (needed.contains(local) && plan.exposed.contains(local))
      plan.state.insert(local);
  bool isForward = isGrid || (!ordersMemory(body, activity) && !changesArrays(loop, kept));
  for (unsigned local : plan.set)
    if (activity.locals.contains(local) && !plan.sums.contains(local))
      isForward &= !plan.exposed.contains(local) && !isRead(local);
  plan.way = isForward                                                ? Way::Forward
             : counted && plan.state.empty() && !kept.contains(&loop) ? Way::Backward
                                                                      : Way::Checkpoints;
  return plan;
}

} // namespace sextant::gradients
