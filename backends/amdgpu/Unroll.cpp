// LLVM does not unroll a loop for AMD whose rounds only the launch tells. Each round then waits for
// its own loads, and adds to its addresses and its counter. In four rounds together, the loads are
// on their way at once, those of neighbours are one, and one test is left.
#include "backends/amdgpu/Unroll.h"
#include "backends/common/ThreadEmitter.h"

#include "frontend/ir/SimtDialect.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace sextant;

/// A longer body has enough to do while it waits.
static constexpr unsigned mostOps = 100;
static constexpr unsigned rounds = 4;

/// True for functions of ocml. LLVM's own are short.
static bool isLibraryCall(mlir::Operation *op) {
  if (mathLibraryName(*op).empty())
    return false;
  return op->getResult(0).getType().isF64() ||
         !mlir::isa<mlir::math::ExpOp, mlir::math::Exp2Op, mlir::math::LogOp, mlir::math::Log2Op,
                    mlir::math::Log10Op>(op);
}

/// True if the op may be anywhere in a short loop: operations of several threads cannot be in
/// rounds that are left over, LLVM makes a loop over the wave's lanes of an atomic at one place,
/// functions of the library are long, and inner loops are the ones that count.
static bool isShort(mlir::Operation *op) {
  return !mlir::isa<mlir::LoopLikeOpInterface, simt::AtomicRmwOp>(op) &&
         !op->hasTrait<simt::Subgroup>() && !op->hasTrait<simt::BlockBarrier>() &&
         !isLibraryCall(op);
}

static bool isShortAndReads(mlir::scf::ForOp loop) {
  unsigned ops = 0;
  bool reads = false;
  const auto look = [&](mlir::Operation *op) {
    auto load = mlir::dyn_cast<simt::LoadOp>(op);
    reads |= (load && !load.getVolatile_()) || mlir::isa<simt::LoadVectorOp>(op);
    return ++ops <= mostOps && isShort(op) ? mlir::WalkResult::advance()
                                           : mlir::WalkResult::interrupt();
  };
  return !loop.getBody()->walk(look).wasInterrupted() && reads;
}

void sextant::unrollReads(mlir::ModuleOp tasks) {
  tasks.walk([](mlir::scf::ForOp loop) {
    if (simt::getUnroll(loop) == simt::unrollFreely && isShortAndReads(loop))
      simt::setUnroll(loop, rounds);
  });
}
