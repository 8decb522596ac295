// Code that never runs is looked at all the same: what it names and how it types has to be
// right. Nothing of it is emitted. What `qd.static(...)`, or another condition that asks about
// the build, decides against is another matter: it is not meant for this build, and left alone.
#include "frontend/sema/Analyzer.h"
#include "frontend/syntax/Children.h"

namespace sextant::sema {

namespace {

/// Whether control flow never passes the statement, whatever this build's constants are.
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

/// The statements behind one that control flow does not pass.
void KernelAnalyzer::analyseRest(const ast::Block &block, size_t from) {
  if (from < block.size() && endsAnyway(*block[from - 1]))
    analyseUnreached([&] {
      for (size_t i = from; i < block.size() && !exhausted; ++i)
        if (exec(*block[i]) != Flow::Normal)
          return analyseRest(block, i + 1);
    });
}

void KernelAnalyzer::analyseUnreached(const std::function<void()> &body) {
  if (isHost() || exhausted)
    return;
  Frame &f = frame();
  // Where statements go, and what a task knows of its body.
  hir::Block *const block = current;
  TaskBuild *const task = open;
  const size_t taskCount = tasks.size();
  hir::Block lost;
  TaskBuild scratch;
  if (topLevel) { // its loops are tasks, also here
    open = nullptr;
    current = nullptr;
  } else {
    scratch.task.blockDim = task->task.blockDim;
    scratch.task.serial = task->task.serial;
    scratch.constantIterations = task->constantIterations;
    open = &scratch;
    current = &lost;
  }
  // What the frame and its variables are.
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
  // What the kernel has.
  const LoopConfig loopConfig = config;
  const auto returnedBefore = draft.returned;
  const auto waitedBefore = waitedFor;
  const auto fieldsBefore = fieldParams;
  const auto faultBefore = faultHidden;
  const auto sitesBefore = faultSites;
  const auto hiddenBefore = draft.kernel.hidden;
  const size_t sharedCount = draft.shared.size(), privateCount = draft.privates.size(),
               localCount = draft.locals.size();

  body();

  draft.variables.erase(draft.variables.lower_bound(unsigned(localCount)), draft.variables.end());
  draft.locals.resize(localCount);
  draft.privates.resize(privateCount);
  draft.shared.resize(sharedCount);
  draft.kernel.hidden = hiddenBefore;
  faultSites = sitesBefore;
  faultHidden = faultBefore;
  fieldParams = fieldsBefore;
  waitedFor = waitedBefore;
  draft.returned = returnedBefore;
  config = loopConfig;
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
  tasks.resize(taskCount);
  open = task;
  current = block;
}

} // namespace sextant::sema
