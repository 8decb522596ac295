// Short conditions without branches. `a and b` evaluates b only where a holds. Where b is a few
// operations without effects, to evaluate both takes less than a branch that lanes take
// differently. LLVM finds that too, except for what holds an fma, which it counts as dear. Drivers
// need not find it: in `if x < y: low = i + 1`, they may keep a branch for one addition.
#include "frontend/ir/SimtDialect.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

/// A truth value may take so many operations.
static constexpr unsigned mostOfTruth = 8;

/// True if the side has at most so many operations, each of some cycles.
static bool isShort(Region &side, unsigned most) {
  unsigned count = 0;
  for (Operation &op : side.front().without_terminator()) {
    const bool isPlain = isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
                             arith::CmpFOp, arith::AddIOp, arith::SubIOp, arith::CmpIOp,
                             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp>(op);
    if (!isPlain || ++count > most)
      return false;
  }
  return true;
}

static bool makesTruth(scf::IfOp branch) {
  return llvm::all_of(branch.getResultTypes(), [](Type type) { return type.isInteger(1); });
}

void sextant::simt::evaluateConditions(ModuleOp module, unsigned most) {
  SmallVector<scf::IfOp> branches; // inner ones first, of which outer ones then hold the operations
  module.walk([&](scf::IfOp branch) {
    if (branch.getNumResults() != 0 && (most > 0 || makesTruth(branch)))
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches) {
    const unsigned mostOfSide = makesTruth(branch) ? mostOfTruth : most;
    if (!isShort(branch.getThenRegion(), mostOfSide) ||
        !isShort(branch.getElseRegion(), mostOfSide))
      continue;
    OpBuilder b(branch);
    SmallVector<Value> values[2];
    for (auto [side, values] : llvm::zip(branch->getRegions(), values)) {
      Operation *end = side.front().getTerminator();
      values = llvm::to_vector(end->getOperands());
      while (&side.front().front() != end)
        side.front().front().moveBefore(branch);
    }
    for (auto [result, whenTrue, whenFalse] : llvm::zip(branch.getResults(), values[0], values[1]))
      result.replaceAllUsesWith(
          b.create<arith::SelectOp>(branch.getLoc(), branch.getCondition(), whenTrue, whenFalse));
    branch.erase();
  }
}
