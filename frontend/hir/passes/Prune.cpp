// Code without effect.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "frontend/hir/passes/Uses.h"

namespace sextant::hir {

namespace {

/// True if the expression has side effects.
bool hasEffect(const Expr &expr) {
  const bool isEffect =
      std::visit([]<class Node>(const Node &) { return requires { Node::hasEffect; }; }, expr.node);
  if (isEffect)
    return true;
  if (auto *load = std::get_if<Load>(&expr.node); load && load->isVolatile)
    return true;
  bool effect = false;
  forEachOperand(expr, [&](const Expr &operand) { effect = effect || hasEffect(operand); });
  return effect;
}

/// True if anything changed. `keep`: locals that count as read.
bool pruneBlock(Block &block, const std::vector<unsigned> &reads, const std::set<unsigned> &keep) {
  bool changed = false;
  Block kept;
  for (Stmt &stmt : block) {
    forEachOperand(
        stmt,
        [&](Expr &e) {
          if (auto *sequence = std::get_if<Sequence>(&e.node))
            changed |= pruneBlock(sequence->body, reads, keep);
        },
        [&](Block &b) { changed |= pruneBlock(b, reads, keep); });
    if (auto *assign = std::get_if<Assign>(&stmt.node);
        assign && reads[assign->local] == 0 && !keep.count(assign->local)) {
      changed = true;
      if (hasEffect(*assign->value)) {
        ExprPtr value = std::move(assign->value);
        stmt.node = Eval{std::move(value)};
        kept.push_back(std::move(stmt));
      }
      continue;
    }
    if (auto *branch = std::get_if<If>(&stmt.node); branch && branch->then.empty() &&
                                                    branch->otherwise.empty() &&
                                                    !hasEffect(*branch->condition)) {
      changed = true;
      continue;
    }
    if (auto *scope = std::get_if<Scope>(&stmt.node); scope && scope->body.empty()) {
      changed = true;
      continue;
    }
    kept.push_back(std::move(stmt));
  }
  block = std::move(kept);
  return changed;
}

} // namespace

void prune(Draft &draft) {
  std::set<unsigned> shown;
  for (unsigned l = 0; l < draft.locals.size(); ++l)
    if (draft.locals[l].variable)
      shown.insert(l);
  // Over all tasks at once: a later task may read what an earlier one wrote. What is removed may
  // have been the last read of something else.
  for (int round = 0; round < 30; ++round) {
    std::vector<unsigned> reads(draft.locals.size());
    std::set<unsigned> keep;
    for (const Uses &uses : usesOfTasks(draft)) {
      for (size_t l = 0; l < reads.size(); ++l)
        reads[l] += uses.reads[l];
      for (unsigned first : uses.memory)
        for (unsigned k = 0; k < draft.componentsAt(first).count; ++k)
          keep.insert(first + k);
    }
    std::set<unsigned> keepShown = keep;
    keepShown.insert(shown.begin(), shown.end());
    bool changed = false;
    for (DraftTask &each : draft.tasks) {
      const bool mayGo = each.task.serial && draft.tasks.size() > 1;
      changed |= pruneBlock(each.task.body, reads, mayGo ? keep : keepShown);
    }
    if (!changed)
      break;
  }
  std::erase_if(draft.tasks,
                [](const DraftTask &each) { return each.task.serial && each.task.body.empty(); });
}

} // namespace sextant::hir
