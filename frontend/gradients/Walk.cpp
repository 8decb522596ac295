// Walks over code.
#include "frontend/gradients/Walk.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sextant::gradients {

using namespace hir;

void forEachExpr(Expr &expr, const std::function<void(Expr &)> &visit) {
  visit(expr);
  forEachOperand(
      expr, [&](Expr &operand) { forEachExpr(operand, visit); },
      [&](Block &body) { forEachStatement(body, [&](Stmt &stmt) { forEachExpr(stmt, visit); }); });
}

void forEachExpr(Stmt &stmt, const std::function<void(Expr &)> &visit) {
  forEachOperand(stmt, [&](Expr &operand) { forEachExpr(operand, visit); }, [](Block &) {});
}

void forEachStatement(Block &code, const std::function<void(Stmt &)> &visit) {
  for (Stmt &stmt : code) {
    visit(stmt);
    const std::function<void(Expr &)> inExpr = [&](Expr &expr) {
      forEachOperand(expr, inExpr, [&](Block &body) { forEachStatement(body, visit); });
    };
    forEachOperand(stmt, inExpr, [&](Block &body) { forEachStatement(body, visit); });
  }
}

void forEachAccess(Block &code, const std::function<void(const BufferRef &)> &visit) {
  forEachStatement(code, [&](Stmt &stmt) {
    if (const BufferRef *buffer = bufferOf(stmt))
      visit(*buffer);
    forEachExpr(stmt, [&](Expr &expr) {
      if (const BufferRef *buffer = bufferOf(expr))
        visit(*buffer);
    });
  });
}

std::optional<unsigned> setBy(const Stmt &stmt) {
  if (auto *assign = std::get_if<Assign>(&stmt.node))
    return assign->local;
  if (auto *loop = std::get_if<For>(&stmt.node))
    return loop->local;
  return std::nullopt;
}

std::map<unsigned, const Expr *> valuesSetOnce(const std::vector<Block *> &code) {
  std::map<unsigned, const Expr *> values;
  std::set<unsigned> others;
  for (Block *each : code)
    forEachStatement(*each, [&](Stmt &stmt) {
      const auto local = setBy(stmt);
      auto *assign = std::get_if<Assign>(&stmt.node);
      if (local && (!assign || !values.try_emplace(*local, &*assign->value).second))
        others.insert(*local);
    });
  for (unsigned local : others)
    values.erase(local);
  return values;
}

std::set<unsigned> setIn(Block &code) {
  std::set<unsigned> all;
  forEachStatement(code, [&](Stmt &stmt) {
    if (const auto local = setBy(stmt))
      all.insert(*local);
  });
  return all;
}

const Load *loadOf(const Stmt &stmt) {
  auto *assign = std::get_if<Assign>(&stmt.node);
  return assign ? std::get_if<Load>(&assign->value->node) : nullptr;
}

const BufferRef *writtenBy(Stmt &stmt) {
  auto *eval = std::get_if<Eval>(&stmt.node);
  return eval ? bufferOf(*eval->value) : bufferOf(stmt);
}

const Atomic *additionOf(const Stmt &stmt) {
  auto *eval = std::get_if<Eval>(&stmt.node);
  auto *atomic = eval ? std::get_if<Atomic>(&eval->value->node) : nullptr;
  const bool isAddition =
      atomic && atomic->op == Combine::Add && atomic->buffer.kind == BufferRef::Param;
  return isAddition ? atomic : nullptr;
}

Block &bodyOf(Stmt &loop) {
  auto *counted = std::get_if<For>(&loop.node);
  return counted ? counted->body : std::get<While>(loop.node).body;
}

std::optional<Stmt> waitOf(const Stmt &stmt) {
  if (auto *barrier = std::get_if<Barrier>(&stmt.node))
    return Stmt{stmt.at, *barrier};
  if (auto *barrier = std::get_if<SubgroupBarrier>(&stmt.node))
    return Stmt{stmt.at, *barrier};
  if (auto *fence = std::get_if<Fence>(&stmt.node))
    return Stmt{stmt.at, *fence};
  auto *assign = std::get_if<Assign>(&stmt.node);
  auto *eval = std::get_if<Eval>(&stmt.node);
  if ((assign && waits(*assign->value)) || (eval && waits(*eval->value)))
    return Stmt{stmt.at, Barrier{}};
  return std::nullopt;
}

bool hasWaits(Block &code) {
  bool any = false;
  forEachStatement(code, [&](Stmt &stmt) { any |= waitOf(stmt).has_value(); });
  return any;
}

bool isLoop(const Stmt &stmt) {
  return std::holds_alternative<For>(stmt.node) || std::holds_alternative<While>(stmt.node);
}

bool isGridLoop(Stmt &loop) {
  bool found = false;
  if (auto *whole = std::get_if<While>(&loop.node))
    forEachStatement(whole->body, [&](Stmt &stmt) {
      forEachExpr(stmt, [&](Expr &expr) {
        auto *id = std::get_if<ReadId>(&expr.node);
        found |= id && id->id == Id::GridDim;
      });
    });
  return found;
}

bool isInnerLoop(Stmt &stmt) { return isLoop(stmt) && !isGridLoop(stmt); }

namespace {

/// Follows code, and knows which locals have been set for certain.
struct Exposure {
  std::set<unsigned> set, exposed;

  void expr(Expr &e) {
    forEachExpr(e, [&](Expr &one) {
      if (auto *read = std::get_if<LocalRead>(&one.node); read && !set.contains(read->local))
        exposed.insert(read->local);
    });
  }
  void block(Block &code) {
    for (Stmt &stmt : code)
      statement(stmt);
  }
  void maybe(Block &code) {
    const std::set<unsigned> before = set;
    block(code);
    set = before;
  }
  void statement(Stmt &stmt) {
    forEachOperand(stmt, [&](Expr &operand) { expr(operand); }, [](Block &) {});
    if (auto *assign = std::get_if<Assign>(&stmt.node)) {
      set.insert(assign->local);
    } else if (auto *branch = std::get_if<If>(&stmt.node)) {
      const std::set<unsigned> before = set;
      block(branch->then);
      std::set<unsigned> then = std::exchange(set, before), both;
      block(branch->otherwise);
      std::ranges::set_intersection(then, set, std::inserter(both, both.end()));
      set = std::move(both);
    } else if (auto *loop = std::get_if<While>(&stmt.node)) {
      maybe(loop->body);
    } else if (auto *loop = std::get_if<For>(&stmt.node)) {
      const bool isNew = set.insert(loop->local).second;
      maybe(loop->body);
      if (isNew)
        set.erase(loop->local);
    }
  }
};

} // namespace

std::set<unsigned> exposedIn(Stmt &loop) {
  Exposure exposure;
  if (auto *counted = std::get_if<For>(&loop.node)) {
    exposure.set.insert(counted->local);
    exposure.block(counted->body);
  } else {
    auto &whole = std::get<While>(loop.node);
    exposure.expr(*whole.condition);
    exposure.block(whole.body);
  }
  return std::move(exposure.exposed);
}

} // namespace sextant::gradients
