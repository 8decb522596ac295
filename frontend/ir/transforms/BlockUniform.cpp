// Everything is taken for uniform until something says otherwise; what that reaches
// is found by going over the task until nothing is added.
#include "frontend/ir/transforms/BlockUniform.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sextant::simt;

void BlockUniform::mark(Value value) { changed |= divergent.insert(value).second; }

void BlockUniform::flow(ValueRange from, ValueRange to, bool always) {
  for (auto [source, target] : llvm::zip(from, to))
    if (always || !isUniform(source))
      mark(target);
}

void BlockUniform::visit(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool differs = !isUniform(branch.getCondition());
    if (branch.getNumResults() == 0)
      return;
    flow(branch.thenYield().getOperands(), branch.getResults(), differs);
    flow(branch.elseYield().getOperands(), branch.getResults(), differs);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    bool differs = !isUniform(loop.getLowerBound()) || !isUniform(loop.getUpperBound()) ||
                   !isUniform(loop.getStep());
    if (differs)
      mark(loop.getInductionVar());
    flow(loop.getInitArgs(), loop.getRegionIterArgs(), differs);
    flow(loop.getYieldedValues(), loop.getRegionIterArgs(), differs);
    flow(loop.getRegionIterArgs(), loop.getResults(), differs);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    scf::ConditionOp condition = loop.getConditionOp();
    bool differs = !isUniform(condition.getCondition());
    flow(loop.getInits(), loop.getBeforeArguments(), differs);
    flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), differs);
    flow(condition.getArgs(), loop.getAfterArguments(), differs);
    flow(condition.getArgs(), loop.getResults(), differs);
    return;
  }
  if (op->getNumResults() == 0 || op->hasTrait<UniformInBlock>())
    return;
  // Ids, loads, atomics and what moves between lanes are not pure, or read the thread.
  bool differs = op->getNumRegions() || op->hasTrait<OfThread>() ||
                 (!isPure(op) && !op->hasTrait<Allocation>()) ||
                 llvm::any_of(op->getOperands(), [&](Value value) { return !isUniform(value); });
  if (differs)
    for (Value result : op->getResults())
      mark(result);
}

BlockUniform::BlockUniform(func::FuncOp task) {
  do {
    changed = false;
    task.walk([&](Operation *op) {
      if (op != task.getOperation())
        visit(op);
    });
  } while (changed);
}
