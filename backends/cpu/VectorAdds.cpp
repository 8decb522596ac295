// The components of an addition are those that vectorizeAccesses joined.
#include "backends/cpu/VectorAdds.h"

#include "frontend/ir/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

using namespace sextant;
namespace arith = mlir::arith;

/// True if the value is computed from memory, or from what loops and branches carry.
static bool isOfData(mlir::Value value) {
  llvm::SmallVector<mlir::Value> from{value};
  llvm::DenseSet<mlir::Value> seen;
  while (!from.empty()) {
    mlir::Value next = from.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<mlir::BlockArgument>(next)) {
      auto loop = dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp());
      if (!isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp()) &&
          !(loop && argument == loop.getInductionVar()))
        return true;
      continue;
    }
    mlir::Operation *op = next.getDefiningOp();
    if (isa<simt::LoadOp, simt::LoadVectorOp>(op) || op->getNumRegions())
      return true;
    from.append(op->operand_begin(), op->operand_end());
  }
  return false;
}

static void split(simt::AtomicAddVectorOp add) {
  mlir::OpBuilder b(add);
  const mlir::Location loc = add.getLoc();
  const mlir::Type type = add.getIndex().getType();
  const auto constant = [&](int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  };
  mlir::Value first = b.create<arith::MulIOp>(loc, add.getIndex(), constant(add.getValues().size()),
                                              arith::IntegerOverflowFlags::nsw);
  for (auto [k, value] : llvm::enumerate(add.getValues())) {
    mlir::Value at =
        b.create<arith::AddIOp>(loc, first, constant(int64_t(k)), arith::IntegerOverflowFlags::nsw);
    b.create<simt::AtomicRmwOp>(loc, value.getType(), simt::CombineKind::AddF, value,
                                add.getBuffer(), at);
  }
  add->erase();
}

void cpu::splitVectorAdds(mlir::ModuleOp module) {
  module.walk([](simt::AtomicAddVectorOp add) {
    if (!isOfData(add.getIndex()))
      split(add);
  });
}
