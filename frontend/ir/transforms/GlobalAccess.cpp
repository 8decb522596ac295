// Looks for accesses to global memory.
#include "frontend/ir/transforms/GlobalAccess.h"

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
