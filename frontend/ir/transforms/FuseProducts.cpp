// Fuses products and sums, for targets whose compiler does not, or does so too late.
#include "frontend/ir/SimtDialect.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

using namespace llvm;
using namespace sextant;
namespace arith = mlir::arith;

static arith::MulFOp productFor(mlir::Operation *sum, unsigned operand) {
  auto product = sum->getOperand(operand).getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() && !simt::isPrecise(product) &&
                 product->getBlock() == sum->getBlock()
             ? product
             : arith::MulFOp();
}

static void fuse(mlir::Operation *sum) {
  const bool isDifference = isa<arith::SubFOp>(sum);
  mlir::OpBuilder b(sum);
  auto negative = [&](mlir::Value value) -> mlir::Value {
    return isDifference ? b.create<arith::NegFOp>(sum->getLoc(), value) : value;
  };
  mlir::Value first, second, third;
  if (arith::MulFOp product = productFor(sum, 0)) {
    first = product.getLhs(), second = product.getRhs();
    third = negative(sum->getOperand(1));
  } else if (arith::MulFOp product = productFor(sum, 1)) {
    first = negative(product.getLhs()), second = product.getRhs();
    third = sum->getOperand(0);
  } else {
    return;
  }
  sum->replaceAllUsesWith(b.create<mlir::math::FmaOp>(sum->getLoc(), first, second, third));
  sum->erase();
}

void sextant::simt::fuseProducts(mlir::ModuleOp module) {
  SmallVector<mlir::Operation *> sums;
  module.walk([&](mlir::Operation *op) {
    if (isa<arith::AddFOp, arith::SubFOp>(op) && !simt::isPrecise(op))
      sums.push_back(op);
  });
  llvm::for_each(sums, fuse);
}
