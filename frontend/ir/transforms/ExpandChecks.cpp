// Checks become records in the fault buffer of the launch, eight 32-bit words:
//
//     0  faults so far          2  block     4, 5  first value, low half first
//     1  site of the first one  3  thread    6, 7  second value
//
// so that nothing is asked of a target but an atomic add on 32 bits.
//
//     if (!ok)
//       if (atomic faults[0] += 1 was 0)
//         faults[1...7] = site, block, thread, values
//
// A condition that the block has to agree on is counted by a reducing barrier; a number
// of iterations is compared with that of thread 0, through shared memory.
#include "frontend/ir/transforms/BlockUniform.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sextant::simt;
using Predicate = arith::CmpIPredicate;

namespace {

class CheckExpander {
public:
  CheckExpander(func::FuncOp task, const TaskInfo &info)
      : task(task), info(info), b(task.getContext()) {}

  void run() {
    SmallVector<AgreeOp> agreements;
    task.walk([&](AgreeOp op) { agreements.push_back(op); });
    if (!agreements.empty()) {
      BlockUniform uniform(task);
      for (AgreeOp op : agreements)
        expand(op, info.blockDim == 1 || uniform.isUniform(op.getValue()));
    }
    SmallVector<CheckOp> checks; // also those of the agreements
    task.walk([&](CheckOp op) { checks.push_back(op); });
    for (CheckOp op : checks)
      expand(op);
  }

private:
  Value constant(Location loc, Type type, int64_t value) {
    return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(type, value));
  }
  Value word(Location loc, int64_t value) { return constant(loc, b.getI32Type(), value); }
  Value logicNot(Location loc, Value value) {
    return b.create<arith::XOrIOp>(loc, value, constant(loc, b.getI1Type(), 1));
  }
  Value compare(Location loc, Predicate predicate, Value lhs, Value rhs) {
    return b.create<arith::CmpIOp>(loc, predicate, lhs, rhs);
  }
  /// The 32 bits of an integer from bit `from` on.
  Value half(Location loc, Value value, unsigned from) {
    if (value.getType().isInteger(32))
      return value;
    if (from)
      value = b.create<arith::ShRUIOp>(loc, value, constant(loc, value.getType(), from));
    return b.create<arith::TruncIOp>(loc, b.getI32Type(), value);
  }

  void expand(CheckOp op) {
    Location loc = op.getLoc();
    b.setInsertionPoint(op);
    auto failed = b.create<scf::IfOp>(loc, logicNot(loc, op.getOk()), /*withElseRegion=*/false);
    b.setInsertionPointToStart(failed.thenBlock());
    Value zero = word(loc, 0);
    Value before = b.create<AtomicRmwOp>(loc, b.getI32Type(), CombineKind::AddI, word(loc, 1),
                                         op.getFaults(), zero);
    Value isFirst = compare(loc, Predicate::eq, before, zero);
    auto first = b.create<scf::IfOp>(loc, isFirst, /*withElseRegion=*/false);
    b.setInsertionPointToStart(first.thenBlock());
    SmallVector<Value> record = {word(loc, op.getSite()), b.create<BlockIdxOp>(loc),
                                 b.create<ThreadIdxOp>(loc)};
    for (Value value : op.getValues()) {
      record.push_back(half(loc, value, 0));
      record.push_back(half(loc, value, 32));
    }
    for (auto [index, value] : llvm::enumerate(record))
      b.create<StoreOp>(loc, value, op.getFaults(), word(loc, index + 1), false);
    op.erase();
  }

  void expand(AgreeOp op, bool isUniform) {
    Value value = op.getValue();
    if (!isUniform) {
      b.setInsertionPoint(op);
      value = value.getType().isInteger(1) ? agreeOnCondition(op) : agreeOnNumber(op);
    }
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }

  /// True where it is in all threads. A thread whose condition is false reports.
  Value agreeOnCondition(AgreeOp op) {
    Location loc = op.getLoc();
    Value holding =
        b.create<BarrierReduceOp>(loc, b.getI32Type(), BarrierReduceKind::Count, op.getValue());
    Value all = compare(loc, Predicate::eq, holding, word(loc, info.blockDim));
    Value none = compare(loc, Predicate::eq, holding, word(loc, 0));
    Value same = b.create<arith::OrIOp>(loc, all, none);
    b.create<CheckOp>(loc, b.create<arith::OrIOp>(loc, same, op.getValue()), op.getFaults(),
                      op.getSite(), ValueRange());
    return all;
  }

  /// The number where all threads have that of thread 0, else 0. Those that differ report.
  Value agreeOnNumber(AgreeOp op) {
    Location loc = op.getLoc();
    Value value = op.getValue();
    unsigned words = value.getType().getIntOrFloatBitWidth() / 32;
    if (!number) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&task.getBody().front());
      number = b.create<SharedOp>(
          task.getLoc(),
          BufferType::get(task.getContext(), b.getI32Type(), Space::Shared, /*count=*/2),
          "agreement");
    }
    Value isFirst = compare(loc, Predicate::eq, b.create<ThreadIdxOp>(loc), word(loc, 0));
    auto branch = b.create<scf::IfOp>(loc, isFirst, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      for (unsigned k = 0; k < words; ++k)
        b.create<StoreOp>(loc, half(loc, value, 32 * k), number, word(loc, k), false);
    }
    b.create<BarrierOp>(loc);
    Value same;
    for (unsigned k = 0; k < words; ++k) {
      Value theirs = b.create<LoadOp>(loc, b.getI32Type(), number, word(loc, k), false);
      Value equal = compare(loc, Predicate::eq, theirs, half(loc, value, 32 * k));
      same = same ? Value(b.create<arith::AndIOp>(loc, same, equal)) : equal;
    }
    // Also the barrier after which the words may be written again.
    Value all = b.create<BarrierReduceOp>(loc, b.getI32Type(), BarrierReduceKind::All, same);
    b.create<CheckOp>(loc, same, op.getFaults(), op.getSite(), ValueRange());
    return b.create<arith::SelectOp>(loc, compare(loc, Predicate::ne, all, word(loc, 0)), value,
                                     constant(loc, value.getType(), 0));
  }

  func::FuncOp task;
  TaskInfo info;
  OpBuilder b;
  Value number; ///< thread 0's, in shared memory
};

} // namespace

void sextant::simt::expandChecks(ModuleOp module) {
  for (auto task : module.getOps<func::FuncOp>())
    if (std::optional<TaskInfo> info = getTaskInfo(task))
      CheckExpander(task, *info).run();
}
