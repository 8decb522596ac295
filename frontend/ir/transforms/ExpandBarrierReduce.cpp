// Reducing barriers for targets without them. Each counts, in one shared
// counter a task, the threads whose predicate decides: those that hold (any,
// count), or those that do not (all).
//
//     barrier                       // all have read the counter's last use
//     if (thread == 0) counter = 0
//     barrier
//     if (decides) atomic counter += 1
//     barrier
//     result = counter
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sextant::simt;

static void expand(BarrierReduceOp op, Value counter) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value zero = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0));
  Value one = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(1));
  auto compare = [&](arith::CmpIPredicate predicate, Value value) -> Value {
    return b.create<arith::CmpIOp>(loc, predicate, value, zero);
  };
  b.create<BarrierOp>(loc);
  Value isFirst = compare(arith::CmpIPredicate::eq, b.create<ThreadIdxOp>(loc));
  b.create<scf::IfOp>(loc, isFirst, [&](OpBuilder &inner, Location) {
    inner.create<StoreOp>(loc, zero, counter, zero, false);
    inner.create<scf::YieldOp>(loc);
  });
  b.create<BarrierOp>(loc);
  bool isAll = op.getKind() == BarrierReduceKind::All;
  Value decides = op.getPredicate();
  if (isAll) {
    Value truth = b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
    decides = b.create<arith::XOrIOp>(loc, decides, truth);
  }
  b.create<scf::IfOp>(loc, decides, [&](OpBuilder &inner, Location) {
    inner.create<AtomicRmwOp>(loc, one.getType(), AtomicKind::AddI, one, counter, zero);
    inner.create<scf::YieldOp>(loc);
  });
  b.create<BarrierOp>(loc);
  Value result = b.create<LoadOp>(loc, one.getType(), counter, zero, false);
  if (op.getKind() != BarrierReduceKind::Count)
    result = b.create<arith::ExtUIOp>(
        loc, one.getType(),
        compare(isAll ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne, result));
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

void sextant::simt::expandBarrierReduce(ModuleOp module) {
  for (auto task : module.getOps<func::FuncOp>()) {
    SmallVector<BarrierReduceOp> ops;
    task.walk([&](BarrierReduceOp op) { ops.push_back(op); });
    if (ops.empty())
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(&task.getBody().front());
    auto type = BufferType::get(module.getContext(), b.getI32Type(), Space::Shared, 1);
    Value counter = b.create<SharedOp>(task.getLoc(), type, "reducing barrier");
    for (BarrierReduceOp op : ops)
      expand(op, counter);
  }
}
