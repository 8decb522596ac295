// Follows values back from the stores of a task. Whatever else the task does is not run again: it
// may read what was overwritten since.
#include "frontend/gradients/Again.h"
#include "frontend/gradients/Walk.h"

#include <utility>

namespace sextant::gradients {

using namespace hir;

namespace {

class Slice {
public:
  explicit Slice(Block &code) { enter(code, nullptr); }

  Statements run(const std::set<unsigned> &carried) {
    for (const auto &[array, stmts] : writes)
      if (array.first == BufferRef::Param && carried.contains(array.second))
        need(stmts);
    while (!rest.empty()) {
      Stmt &stmt = *rest.back();
      rest.pop_back();
      const std::function<void(Expr &)> inExpr = [&](Expr &expr) {
        forEachOperand(expr, inExpr, [&](Block &inside) {
          forEachStatement(inside, [&](Stmt &each) { needed.insert(&each); });
        });
      };
      forEachOperand(stmt, inExpr, [](Block &) {});
      forEachExpr(stmt, [&](Expr &expr) {
        if (auto *read = std::get_if<LocalRead>(&expr.node))
          need(sets[read->local]);
        if (const BufferRef *buffer = bufferOf(expr); buffer && isOfTask(*buffer)) {
          need(writes[keyOf(*buffer)]);
          need(waits); // other threads may have written it
        }
      });
    }
    return std::move(needed);
  }

private:
  /// Notes what a statement does. One in an expression belongs to the statement around it.
  void enter(Block &block, Stmt *outer) {
    for (Stmt &stmt : block) {
      around[&stmt] = outer;
      note(stmt, stmt);
      const std::function<void(Expr &)> inExpr = [&](Expr &expr) {
        if (const BufferRef *buffer = bufferOf(expr); buffer && !std::get_if<Load>(&expr.node))
          writes[keyOf(*buffer)].push_back(&stmt);
        forEachOperand(expr, inExpr, [&](Block &inside) {
          forEachStatement(inside, [&](Stmt &each) { note(each, stmt); });
        });
      };
      forEachOperand(stmt, inExpr, [&](Block &inside) { enter(inside, &stmt); });
    }
  }
  void note(Stmt &stmt, Stmt &owner) {
    if (const auto local = setBy(stmt))
      sets[*local].push_back(&owner);
    if (const BufferRef *buffer = bufferOf(stmt))
      writes[keyOf(*buffer)].push_back(&owner);
    if (waitOf(stmt))
      waits.push_back(&owner);
    if (std::holds_alternative<Leave>(stmt.node)) // later code depends on it
      leaves.push_back(&owner);
  }
  void need(const std::vector<Stmt *> &stmts) {
    for (Stmt *each : stmts)
      for (Stmt *stmt = each; stmt && needed.insert(stmt).second; stmt = around.at(stmt))
        rest.push_back(stmt);
    if (!needed.empty() && !std::exchange(isStarted, true))
      need(leaves);
  }

  std::map<Stmt *, Stmt *> around;
  std::map<unsigned, std::vector<Stmt *>> sets;
  std::map<Array, std::vector<Stmt *>> writes;
  std::vector<Stmt *> waits, leaves, rest;
  bool isStarted = false;
  Statements needed;
};

} // namespace

Statements statementsFor(Block &code, const std::set<unsigned> &carried) {
  return Slice(code).run(carried);
}

Block copyOf(Block &code, const Statements &those) {
  Block out;
  for (Stmt &stmt : code) {
    if (!those.contains(&stmt))
      continue;
    std::vector<Block> copies, blocks;
    forEachOperand(
        stmt, [](Expr &) {},
        [&](Block &inside) {
          copies.push_back(copyOf(inside, those));
          blocks.push_back(std::exchange(inside, {}));
        });
    Block one;
    one.push_back(std::move(stmt));
    out.push_back(std::move(clone(one)[0]));
    stmt = std::move(one[0]);
    size_t k = 0, n = 0;
    forEachOperand(stmt, [](Expr &) {}, [&](Block &inside) { inside = std::move(blocks[k++]); });
    forEachOperand(
        out.back(), [](Expr &) {}, [&](Block &inside) { inside = std::move(copies[n++]); });
  }
  return out;
}

} // namespace sextant::gradients
