// Finds the values that take part in a derivative.
#include "frontend/gradients/Activity.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>
#include <iterator>

namespace sextant::gradients {

using namespace hir;

namespace {

bool isStep(UnaryOp op) { // constant between its steps
  return op == UnaryOp::Floor || op == UnaryOp::Ceil || op == UnaryOp::Round ||
         op == UnaryOp::Trunc;
}

/// Calls `visit` with the operands by which the value has a derivative.
void forEachReal(const Expr &expr, const std::function<void(const Expr &)> &visit) {
  if (auto *unary = std::get_if<Unary>(&expr.node); unary && isStep(unary->op))
    return;
  if (auto *binary = std::get_if<Binary>(&expr.node); binary && binary->op == BinaryOp::FloorDiv)
    return;
  if (auto *sequence = std::get_if<Sequence>(&expr.node))
    return visit(*sequence->result);
  forEachOperand(expr, [&](const Expr &operand) {
    if (isFloat(operand.type))
      visit(operand);
  });
}

/// Adds what a useful value makes useful.
void markUseful(const Expr &expr, std::set<unsigned> &useful, bool &changed) {
  if (!isFloat(expr.type))
    return;
  if (auto *read = std::get_if<LocalRead>(&expr.node))
    changed |= useful.insert(read->local).second;
  else
    forEachReal(expr, [&](const Expr &operand) { markUseful(operand, useful, changed); });
}

void forEachOfTasks(Draft &draft, const std::function<void(Stmt &)> &visit) {
  for (DraftTask &each : draft.tasks)
    forEachStatement(each.task.body, visit);
}

} // namespace

bool Activity::depends(const Expr &expr, const std::set<unsigned> &on) const {
  if (!isFloat(expr.type))
    return false;
  if (auto *read = std::get_if<LocalRead>(&expr.node))
    return on.contains(read->local);
  if (auto *load = std::get_if<Load>(&expr.node))
    return has(load->buffer);
  if (auto *atomic = std::get_if<Atomic>(&expr.node))
    return has(atomic->buffer);
  if (auto *cas = std::get_if<AtomicCas>(&expr.node))
    return has(cas->buffer);
  bool any = false;
  forEachReal(expr, [&](const Expr &operand) { any = any || depends(operand, on); });
  return any;
}

void findActiveLocals(Draft &draft, Activity &activity) {
  for (bool changed = true; changed;) {
    changed = false;
    forEachOfTasks(draft, [&](Stmt &stmt) {
      if (auto *assign = std::get_if<Assign>(&stmt.node);
          assign && activity.isVaried(*assign->value))
        changed |= activity.varied.insert(assign->local).second;
    });
  }
  std::set<unsigned> useful;
  for (bool changed = true; changed;) {
    changed = false;
    forEachOfTasks(draft, [&](Stmt &stmt) {
      if (auto *assign = std::get_if<Assign>(&stmt.node); assign && useful.contains(assign->local))
        markUseful(*assign->value, useful, changed);
      if (auto *store = std::get_if<Store>(&stmt.node); store && activity.has(store->buffer))
        markUseful(*store->value, useful, changed);
      forEachExpr(stmt, [&](Expr &expr) {
        if (auto *atomic = std::get_if<Atomic>(&expr.node); atomic && activity.has(atomic->buffer))
          markUseful(*atomic->value, useful, changed);
      });
    });
  }
  std::ranges::set_intersection(activity.varied, useful,
                                std::inserter(activity.locals, activity.locals.end()));
}

namespace {

/// Marks what the reverse of flat code asks for.
struct Needs {
  const Activity &activity;
  Needed found;
  bool changed = false;
  const Stmt *reader = nullptr;

  void read(Expr &expr) {
    forEachExpr(expr, [&](Expr &one) {
      if (auto *local = std::get_if<LocalRead>(&one.node)) {
        changed |= found.locals.insert(local->local).second;
        found.reads[reader].insert(local->local);
      }
    });
  }
  /// The values with which the derivatives of a flat operation are computed (Rules.cpp).
  void operation(unsigned local, Expr &value) {
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
    if (std::holds_alternative<Cast>(value.node) || std::holds_alternative<LocalRead>(value.node))
      return;
    if (auto *select = std::get_if<Select>(&value.node))
      return read(*select->condition);
    forEachOperand(value, [&](Expr &operand) { read(operand); }, [](Block &) {});
    if (!std::holds_alternative<Load>(value.node))
      changed |= found.locals.insert(local).second;
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
      return isActive || isNeeded || activity.locals.contains(assign->local);
    }
    if (auto *store = std::get_if<Store>(&stmt.node)) {
      if (!activity.has(store->buffer))
        return false;
      read(*store->index);
      return true;
    }
    if (auto *eval = std::get_if<Eval>(&stmt.node)) {
      auto *atomic = std::get_if<Atomic>(&eval->value->node);
      if (!atomic || !activity.has(atomic->buffer))
        return false;
      read(*atomic->index);
      return true;
    }
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

} // namespace sextant::gradients
