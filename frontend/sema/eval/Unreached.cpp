// Code that never runs is still analysed: its names and types must be right. Nothing of it is
// emitted. If `qd.static(...)`, or another condition on the build, excludes code, that is
// different: the code is not meant for this build, and is not analysed.
#include "frontend/sema/eval/Unreached.h"
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
  // Saves the place of statements, and the task's facts about its body.
  hir::Block *const block = cx.current;
  TaskBuild *const task = cx.open;
  const size_t taskCount = cx.tasks.size();
  hir::Block lost;
  TaskBuild scratch;
  if (cx.topLevel) { // its loops are tasks, also here
    cx.open = nullptr;
    cx.current = nullptr;
  } else {
    scratch.task.blockDim = task->task.blockDim;
    scratch.task.serial = task->task.serial;
    scratch.constantIterations = task->constantIterations;
    cx.open = &scratch;
    cx.current = &lost;
  }
  // Saves the frame and its variables.
  auto scopes = f.scopes;
  std::vector<std::pair<VariablePtr, Variable>> variables;
  for (const NameScope &scope : scopes)
    for (auto &[name, variable] : scope)
      variables.emplace_back(variable, *variable);
  auto loops = f.loops;
  auto returnType = f.returnType;
  auto directResult = f.directResult;
  auto resultTypes = f.resultTypes;
  auto resultLocals = f.resultLocals;
  auto valueReturn = f.valueReturn, bareReturn = f.bareReturn;
  const bool runAgain = f.runAgain, returnScopeUsed = f.returnScopeUsed;
  // Saves the kernel's state.
  const LoopConfig loopConfig = cx.config;
  const auto returnedBefore = cx.draft.returned;
  const auto waitedBefore = cx.waitedFor;
  const auto fieldsBefore = cx.fieldParams;
  const auto spansBefore = cx.draft.spans;
  const auto scheduleBefore = cx.draft.schedule;
  const Sites faultsBefore = cx.faults, printsBefore = cx.prints;
  const auto hiddenBefore = cx.draft.kernel.hidden;
  const size_t sharedCount = cx.draft.shared.size(), privateCount = cx.draft.privates.size(),
               localCount = cx.draft.locals.size();

  body();

  cx.draft.variables.erase(cx.draft.variables.lower_bound(unsigned(localCount)),
                           cx.draft.variables.end());
  cx.draft.locals.resize(localCount);
  cx.draft.privates.resize(privateCount);
  cx.draft.shared.resize(sharedCount);
  cx.draft.kernel.hidden = hiddenBefore;
  cx.draft.spans = spansBefore;
  cx.draft.schedule = scheduleBefore;
  cx.faults = faultsBefore;
  cx.prints = printsBefore;
  cx.fieldParams = fieldsBefore;
  cx.waitedFor = waitedBefore;
  cx.draft.returned = returnedBefore;
  cx.config = loopConfig;
  f.runAgain = runAgain;
  f.returnScopeUsed = returnScopeUsed;
  f.valueReturn = valueReturn;
  f.bareReturn = bareReturn;
  f.resultLocals = std::move(resultLocals);
  f.resultTypes = std::move(resultTypes);
  f.directResult = std::move(directResult);
  f.returnType = std::move(returnType);
  f.loops = std::move(loops);
  for (auto &[variable, value] : variables)
    *variable = std::move(value);
  f.scopes = std::move(scopes);
  cx.tasks.resize(taskCount);
  cx.open = task;
  cx.current = block;
}

} // namespace sextant::sema
