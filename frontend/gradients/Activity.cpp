// Finds the values that take part in a derivative.
#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>
#include <iterator>

namespace sextant::gradients {

using namespace hir;

static bool isStep(UnaryOp op) { // constant between its steps
  return op == UnaryOp::Floor || op == UnaryOp::Ceil || op == UnaryOp::Round ||
         op == UnaryOp::Trunc;
}

void forEachReal(const Expr &expr, const std::function<void(const Expr &)> &visit) {
  if (auto *unary = std::get_if<Unary>(&expr.node); unary && isStep(unary->op))
    return;
  if (auto *binary = std::get_if<Binary>(&expr.node); binary && binary->op == BinaryOp::FloorDiv)
    return;
  if (auto *sequence = std::get_if<Sequence>(&expr.node))
    return visit(*sequence->result);
  if (auto *derived = std::get_if<Derived>(&expr.node))
    return visit(*derived->slope);
  if (auto *pullback = std::get_if<Pullback>(&expr.node)) {
    for (const ExprPtr &operand : pullback->operands)
      visit(*operand);
    return;
  }
  forEachOperand(expr, [&](const Expr &operand) {
    if (isFloat(operand.type))
      visit(operand);
  });
}

namespace {

/// Adds what a useful value makes useful.
void markUseful(const Expr &expr, Values &useful, bool &changed) {
  if (!isFloat(expr.type))
    return;
  if (auto *load = std::get_if<Load>(&expr.node); load && isOfTask(load->buffer))
    changed |= useful.arrays.insert(keyOf(load->buffer)).second;
  if (auto *read = std::get_if<LocalRead>(&expr.node))
    changed |= useful.locals.insert(read->local).second;
  else
    forEachReal(expr, [&](const Expr &operand) { markUseful(operand, useful, changed); });
}

} // namespace

void forEachOfTasks(Draft &draft, const std::function<void(Stmt &)> &visit) {
  for (DraftTask &each : draft.tasks)
    if (each.part == Part::Own)
      forEachStatement(each.task.body, visit);
}

void forEachWrite(Stmt &stmt, const std::function<void(const BufferRef &, const Expr &)> &visit) {
  if (auto *store = std::get_if<Store>(&stmt.node))
    visit(store->buffer, *store->value);
  forEachExpr(stmt, [&](Expr &expr) {
    if (auto *atomic = std::get_if<Atomic>(&expr.node))
      visit(atomic->buffer, *atomic->value);
    if (auto *cas = std::get_if<AtomicCas>(&expr.node))
      visit(cas->buffer, *cas->desired);
  });
}

bool Activity::depends(const Expr &expr, const std::set<unsigned> &on,
                       const std::set<Array> &arrays) const {
  if (!isFloat(expr.type))
    return false;
  if (auto *read = std::get_if<LocalRead>(&expr.node))
    return on.contains(read->local);
  const auto depends = [&](const BufferRef &buffer) {
    return has(buffer) || arrays.contains(keyOf(buffer));
  };
  if (auto *load = std::get_if<Load>(&expr.node))
    return depends(load->buffer);
  if (auto *atomic = std::get_if<Atomic>(&expr.node))
    return depends(atomic->buffer);
  if (auto *cas = std::get_if<AtomicCas>(&expr.node))
    return depends(cas->buffer);
  bool any = false;
  forEachReal(expr, [&](const Expr &operand) { any = any || this->depends(operand, on, arrays); });
  return any;
}

void findActive(Draft &draft, Activity &activity) {
  Values &varied = activity.varied;
  for (bool changed = true; changed;) {
    changed = false;
    const auto write = [&](const BufferRef &buffer, const Expr &value) {
      if (isOfTask(buffer) && activity.isVaried(value))
        changed |= varied.arrays.insert(keyOf(buffer)).second;
    };
    forEachOfTasks(draft, [&](Stmt &stmt) {
      if (auto *assign = std::get_if<Assign>(&stmt.node);
          assign && activity.isVaried(*assign->value))
        changed |= varied.locals.insert(assign->local).second;
      forEachWrite(stmt, write);
    });
  }
  Values &useful = activity.useful;
  for (bool changed = true; changed;) {
    changed = false;
    const auto write = [&](const BufferRef &buffer, const Expr &value) {
      if (activity.has(buffer) || useful.arrays.contains(keyOf(buffer)))
        markUseful(value, useful, changed);
    };
    forEachOfTasks(draft, [&](Stmt &stmt) {
      if (auto *assign = std::get_if<Assign>(&stmt.node);
          assign && useful.locals.contains(assign->local))
        markUseful(*assign->value, useful, changed);
      forEachWrite(stmt, write);
    });
  }
  std::ranges::set_intersection(varied.locals, useful.locals,
                                std::inserter(activity.locals, activity.locals.end()));
  std::ranges::set_intersection(varied.arrays, useful.arrays,
                                std::inserter(activity.ofTasks, activity.ofTasks.end()));
}

namespace {

/// Marks what the reverse of flat code asks for.
struct Needs {
  const Activity &activity;
  Needed found;
  bool changed = false;
  const Stmt *reader = nullptr;

  void read(Expr &expr) {
    if (auto *derived = std::get_if<Derived>(&expr.node))
      return read(*derived->value);
    if (auto *pullback = std::get_if<Pullback>(&expr.node))
      return readOf(*pullback);
    forEachExpr(expr, [&](Expr &one) {
      if (auto *local = std::get_if<LocalRead>(&one.node)) {
        changed |= found.locals.insert(local->local).second;
        found.reads[reader].insert(local->local);
      }
    });
  }
  /// Marks the locals that the code of a pullback reads from around it.
  void readOf(Pullback &pullback) {
    const std::set<unsigned> own = setIn(pullback.body);
    forEachStatement(pullback.body, [&](Stmt &stmt) {
      forEachExpr(stmt, [&](Expr &expr) {
        if (auto *local = std::get_if<LocalRead>(&expr.node); local && !own.contains(local->local))
          read(expr);
      });
    });
  }
  /// The values with which the derivatives of a flat operation are computed (Rules.cpp).
  void operation(unsigned local, Expr &value) {
    if (auto *derived = std::get_if<Derived>(&value.node)) {
      if (derived->gradient)
        read(**derived->gradient);
      return;
    }
    if (std::holds_alternative<Pullback>(value.node)) { // statement() reads for it
      changed |= found.locals.insert(local).second;
      return;
    }
    if (auto *binary = std::get_if<Binary>(&value.node)) {
      if (binary->op == BinaryOp::Add || binary->op == BinaryOp::Sub)
        return;
      if (binary->op == BinaryOp::Mul) {
        if (activity.isActive(*binary->rhs))
          read(*binary->lhs);
        if (activity.isActive(*binary->lhs))
          read(*binary->rhs);
        return;
      }
    }
    if (auto *unary = std::get_if<Unary>(&value.node); unary && unary->op == UnaryOp::Neg)
      return;
    if (auto *shuffle = std::get_if<Shuffle>(&value.node))
      return read(*shuffle->lane);
    if (auto *reduce = std::get_if<Reduce>(&value.node); reduce && reduce->op == Combine::Add)
      return;
    if (auto *scan = std::get_if<Scan>(&value.node); scan && scan->op == Combine::Add)
      return;
    if (std::holds_alternative<Cast>(value.node) || std::holds_alternative<LocalRead>(value.node))
      return;
    if (auto *select = std::get_if<Select>(&value.node))
      return read(*select->condition);
    forEachOperand(value, [&](Expr &operand) { read(operand); }, [](Block &) {});
    if (!std::holds_alternative<Load>(value.node))
      changed |= found.locals.insert(local).second;
  }
  /// A store or an update. Returns true if it is run again or backwards.
  bool write(const BufferRef &buffer, Expr &index, Expr &value) {
    const bool isNeeded = found.arrays.contains(keyOf(buffer));
    if (isNeeded)
      read(value);
    if (isNeeded || activity.has(buffer))
      read(index);
    return isNeeded || activity.has(buffer);
  }
  /// Returns true if the block has something to run again or backwards.
  bool block(Block &body) {
    bool any = false;
    for (Stmt &stmt : body)
      any |= statement(stmt);
    return any;
  }
  bool statement(Stmt &stmt) {
    reader = &stmt;
    if (auto *assign = std::get_if<Assign>(&stmt.node)) {
      const bool isActive =
          activity.isActive(*assign->value) && activity.locals.contains(assign->local);
      if (isActive)
        operation(assign->local, *assign->value);
      const bool isNeeded = found.locals.contains(assign->local);
      if (isNeeded)
        read(*assign->value);
      if (auto *load = std::get_if<Load>(&assign->value->node);
          load && isNeeded && isOfTask(load->buffer))
        changed |= found.arrays.insert(keyOf(load->buffer)).second;
      return isActive || isNeeded || activity.locals.contains(assign->local) ||
             waits(*assign->value);
    }
    if (auto *store = std::get_if<Store>(&stmt.node))
      return write(store->buffer, *store->index, *store->value);
    if (auto *eval = std::get_if<Eval>(&stmt.node)) {
      auto *atomic = std::get_if<Atomic>(&eval->value->node);
      return (atomic && write(atomic->buffer, *atomic->index, *atomic->value)) ||
             waits(*eval->value);
    }
    if (waits(stmt))
      return true;
    bool any = false;
    forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { any |= block(inside); });
    reader = &stmt;
    if (any)
      forEachOperand(stmt, [&](Expr &operand) { read(operand); }, [](Block &) {});
    return any;
  }
};

} // namespace

Needed findNeeded(Block &code, const Activity &activity) {
  Needs needs{activity, {}};
  do {
    needs.changed = false;
    needs.block(code);
  } while (needs.changed);
  return std::move(needs.found);
}

Needed findNeeded(Stmt &loop, const Activity &activity) {
  Needs needs{activity, {}};
  do {
    needs.changed = false;
    needs.statement(loop);
  } while (needs.changed);
  return std::move(needs.found);
}

} // namespace sextant::gradients
