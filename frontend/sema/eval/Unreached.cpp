// Code that never runs is still analysed: its names and types must be right. Nothing of it is
// emitted. If `qd.static(...)`, or another condition on the build, excludes code, that is
// different: the code is not meant for this build, and is not analysed.
#include "frontend/sema/eval/Unreached.h"
#include "frontend/sema/eval/Restored.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/syntax/Children.h"

namespace sextant::sema {

namespace {

/// True if control flow never passes the statement, whatever this build's constants are.
bool endsAnyway(const ast::Stmt &stmt) {
  const auto &node = stmt.node;
  if (std::holds_alternative<ast::Return>(node) || std::holds_alternative<ast::Break>(node) ||
      std::holds_alternative<ast::Continue>(node))
    return true;
  if (auto *loop = std::get_if<ast::While>(&node))
    return isLiteral(*loop->condition);
  auto *branch = std::get_if<ast::If>(&node);
  if (!branch || branch->then.empty() || branch->otherwise.empty())
    return false;
  return endsAnyway(*branch->then.back()) && endsAnyway(*branch->otherwise.back());
}

} // namespace

bool isLiteral(const ast::Expr &expr) {
  if (std::holds_alternative<ast::Name>(expr.node) ||
      std::holds_alternative<ast::Call>(expr.node) ||
      std::holds_alternative<ast::OpaqueExpr>(expr.node))
    return false;
  bool all = true;
  forEachChild(expr, [&](const ast::Expr &child) { all = all && isLiteral(child); });
  return all;
}

/// Analyses the statements after one that control flow does not pass.
void analyseRest(Context &cx, const ast::Block &block, size_t from) {
  if (from < block.size() && endsAnyway(*block[from - 1]))
    analyseUnreached(cx, [&] {
      for (size_t i = from; i < block.size() && !cx.exhausted; ++i)
        if (exec(cx, *block[i]) != Flow::Normal)
          return analyseRest(cx, block, i + 1);
    });
}

void analyseUnreached(Context &cx, const std::function<void()> &body) {
  if (cx.isHost() || cx.exhausted)
    return;
  Frame &f = cx.frame();
  const Restored kernel(cx.current, cx.open, cx.config, cx.draft.returned, cx.waitedFor,
                        cx.fieldParams, cx.draft.gradients, cx.draft.spans, cx.draft.schedule,
                        cx.faults, cx.prints, cx.draft.kernel.hidden);
  const Restored frame(f.scopes, f.loops, f.returnType, f.directResult, f.resultTypes,
                       f.resultLocals, f.valueReturn, f.bareReturn, f.runAgain, f.returnScopeUsed);
  std::vector<std::pair<VariablePtr, Variable>> variables;
  for (const NameScope &scope : f.scopes)
    for (auto &[name, variable] : scope)
      variables.emplace_back(variable, *variable);
  const size_t taskCount = cx.tasks.size(), sharedCount = cx.draft.shared.size(),
               privateCount = cx.draft.privates.size(), localCount = cx.draft.locals.size();
  // The task's facts about its body stay as they are.
  hir::Block lost;
  TaskBuild scratch;
  if (cx.topLevel) { // its loops are tasks, also here
    cx.open = nullptr;
    cx.current = nullptr;
  } else {
    scratch.task.blockDim = cx.open->task.blockDim;
    scratch.task.serial = cx.open->task.serial;
    scratch.constantIterations = cx.open->constantIterations;
    cx.open = &scratch;
    cx.current = &lost;
  }

  body();

  cx.draft.variables.erase(cx.draft.variables.lower_bound(unsigned(localCount)),
                           cx.draft.variables.end());
  cx.draft.locals.resize(localCount);
  cx.draft.privates.resize(privateCount);
  cx.draft.shared.resize(sharedCount);
  cx.tasks.resize(taskCount);
  for (auto &[variable, value] : variables)
    *variable = std::move(value);
}

} // namespace sextant::sema
