// Counts reads of locals.
#include "frontend/gradients/Readers.h"
#include "frontend/gradients/Walk.h"

#include <algorithm>

namespace sextant::gradients {

using namespace hir;

void Readers::count(Stmt &stmt, Reads &reads) {
  forEachExpr(stmt, [&](Expr &one) {
    if (auto *read = std::get_if<LocalRead>(&one.node))
      ++reads.all[read->local];
  });
  if (const auto found = needed.reads.find(&stmt); found != needed.reads.end())
    for (unsigned local : found->second)
      ++reads.values[local];
}

/// The reads in a statement's blocks, and of the condition of a While.
Readers::Reads &Readers::readsInside(Stmt &stmt) {
  auto [it, isNew] = inside.try_emplace(&stmt);
  if (!isNew)
    return it->second;
  if (std::holds_alternative<While>(stmt.node))
    count(stmt, it->second);
  forEachOperand(
      stmt, [](Expr &) {},
      [&](Block &body) { forEachStatement(body, [&](Stmt &each) { count(each, it->second); }); });
  return it->second;
}

bool Readers::isReadOutside(unsigned local, Stmt &stmt,
                            std::map<unsigned, unsigned> Reads::*which) {
  if (!everywhere) {
    everywhere.emplace();
    forEachStatement(task, [&](Stmt &each) { count(each, *everywhere); });
  }
  return ((*everywhere).*which)[local] != (readsInside(stmt).*which)[local] ||
         std::ranges::any_of(around, [&](Stmt *outer) {
           return outer != &stmt && exposures(*outer).contains(local);
         });
}

const std::set<unsigned> &Readers::exposures(Stmt &loop) {
  auto [it, isNew] = exposed.try_emplace(&loop);
  if (isNew)
    it->second = exposedIn(loop);
  return it->second;
}

} // namespace sextant::gradients
