// Values of arguments. `s = 1.0 / x.shape[0]` before a loop would be a task of one thread, and each
// thread of the loop would read its result from memory. It is cheaper to compute it again.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::hir {

namespace {

/// The most nodes of an expression that threads compute again.
constexpr unsigned mostNodes = 24;

using Again = std::map<unsigned, const Expr *>; ///< keys: locals

bool isDear(UnaryOp op) { return op >= UnaryOp::Exp && op <= UnaryOp::Tanh; }
bool isDear(BinaryOp op) { return op == BinaryOp::Pow || op == BinaryOp::Atan2; }

/// True if every thread may compute it for itself: it reads arguments and what is in `known`.
bool isOfArguments(const Expr &expr, const Again &known) {
  if (auto *read = std::get_if<LocalRead>(&expr.node))
    return known.count(read->local) != 0;
  if (auto *unary = std::get_if<Unary>(&expr.node); unary && isDear(unary->op))
    return false;
  if (auto *binary = std::get_if<Binary>(&expr.node); binary && isDear(binary->op))
    return false;
  const bool isPure =
      std::holds_alternative<Const>(expr.node) || std::holds_alternative<ParamRead>(expr.node) ||
      std::holds_alternative<Unary>(expr.node) || std::holds_alternative<Binary>(expr.node) ||
      std::holds_alternative<Cast>(expr.node) || std::holds_alternative<Bitcast>(expr.node) ||
      std::holds_alternative<Select>(expr.node);
  bool all = isPure;
  forEachOperand(
      const_cast<Expr &>(expr), [&](Expr &operand) { all = all && isOfArguments(operand, known); },
      [](Block &) {});
  return all;
}

/// Gives a task locals of its own for the values that it computes.
struct Copies {
  Draft &draft;
  const Again &again;
  std::map<unsigned, unsigned> names; ///< the new local of each
  Block before;                       ///< the statements that compute them

  unsigned nameOf(unsigned local) {
    if (auto it = names.find(local); it != names.end())
      return it->second;
    ExprPtr value = clone(*again.at(local));
    expr(*value);
    const auto copy = unsigned(draft.locals.size());
    draft.locals.push_back(Local(draft.locals[local]));
    names[local] = copy;
    const Loc at = value->at;
    before.push_back({at, Assign{copy, std::move(value)}});
    return copy;
  }
  void expr(Expr &e) {
    if (auto *read = std::get_if<LocalRead>(&e.node); read && again.count(read->local))
      read->local = nameOf(read->local);
    forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
  void block(Block &statements) {
    for (Stmt &stmt : statements)
      forEachOperand(stmt, [&](Expr &x) { expr(x); }, [&](Block &b) { block(b); });
  }
};

} // namespace

void computeAgain(Draft &draft) {
  const std::vector<Uses> uses = usesOfTasks(draft);
  auto isAssignedOnce = [&](unsigned local) {
    unsigned writes = 0;
    for (const Uses &task : uses)
      writes += task.writes[local];
    return writes == 1;
  };
  std::set<unsigned> excluded; // used as memory, or shown to debuggers
  for (const Uses &task : uses)
    for (unsigned first : task.memory)
      for (unsigned k = 0; k < draft.componentsAt(first).count; ++k)
        excluded.insert(first + k);
  for (unsigned l = 0; l < draft.locals.size(); ++l)
    if (draft.locals[l].variable)
      excluded.insert(l);

  Again again;
  for (size_t t = 0; t < draft.tasks.size(); ++t) {
    Task &task = draft.tasks[t].task;
    Copies copies{draft, again, {}, {}};
    copies.block(task.body);
    for (Stmt &stmt : task.body) {
      auto *assign = task.serial ? std::get_if<Assign>(&stmt.node) : nullptr;
      if (!assign || excluded.count(assign->local) || !isAssignedOnce(assign->local) ||
          sizeOf(*assign->value, mostNodes + 1) > mostNodes ||
          !isOfArguments(*assign->value, again))
        continue;
      bool isReadBefore = false; // in an earlier round of a loop
      for (size_t earlier = 0; earlier < t; ++earlier)
        isReadBefore |= uses[earlier].reads[assign->local] != 0;
      if (!isReadBefore)
        again[assign->local] = &*assign->value;
    }
    // Last: the uses that were counted know no copies.
    task.body.insert(task.body.begin(), std::make_move_iterator(copies.before.begin()),
                     std::make_move_iterator(copies.before.end()));
  }
}

} // namespace sextant::hir
