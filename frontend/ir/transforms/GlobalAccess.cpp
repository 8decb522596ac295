// Looks for accesses to global memory.
#include "frontend/ir/transforms/GlobalAccess.h"
#include "frontend/ir/transforms/LateInLoops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sextant::simt;

static bool isFound(Operation *in, llvm::function_ref<bool(Operation *)> what) {
  return in
      ->walk(
          [&](Operation *op) { return what(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool sextant::simt::synchronises(func::FuncOp task) {
  return isFound(task, [](Operation *op) {
    if (auto rmw = dyn_cast<AtomicRmwOp>(op))
      return isGlobal(rmw.getBuffer()) && !rmw.getOld().use_empty();
    if (auto load = dyn_cast<LoadOp>(op))
      return load.getVolatile_();
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getVolatile_();
    return isa<FenceOp, AtomicCasOp>(op);
  });
}

bool sextant::simt::touchesGlobalMemory(Operation *op) {
  return isFound(op, [](Operation *inner) {
    return !isa<ViewOp>(inner) && llvm::any_of(inner->getOperands(), [](Value operand) {
      return isa<BufferType>(operand.getType()) && isGlobal(operand);
    });
  });
}

bool sextant::simt::canBeLate(AtomicRmwOp op) {
  return isGlobal(op.getBuffer()) && op.getOld().use_empty() &&
         op.getKind() != CombineKind::Exchange &&
         op.getValue().getType().getIntOrFloatBitWidth() >= 32;
}

bool sextant::simt::collectLate(Block &block, llvm::SmallVectorImpl<AtomicRmwOp> &found,
                                FitsLate fits, LateLoops *loops) {
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (auto rmw = dyn_cast<AtomicRmwOp>(op); rmw && isGlobal(rmw.getBuffer())) {
      if (!canBeLate(rmw) || !fits(rmw, found))
        return false;
      found.push_back(rmw);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      bool isFree = true;
      for (Region *region : {&branch.getElseRegion(), &branch.getThenRegion()})
        isFree &= region->empty() || collectLate(region->front(), found, fits, loops);
      if (!isFree)
        return false;
    } else if (touchesGlobalMemory(&op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op); loop && loops)
        collectInLoop(loop, found, fits, *loops);
      return false;
    }
  }
  return true;
}
