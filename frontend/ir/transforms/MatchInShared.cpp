// Matches by way of shared memory, for targets where a store and a load cost less than a
// ballot for each bit that they save:
//
//     slots[value] = lane      // of several lanes one stays, whichever
//     subgroup barrier
//     match slots[value]       // a lane number has few bits
//
// The slots need no first value, as every lane reads what a lane of its own value wrote.
// A later match may overwrite them at once: its lanes have passed this one's ballots, for
// which all had read.
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sextant::simt;

static void expand(MatchOp op, Value slots, unsigned log2Wave) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto integer = [&](int64_t value) { return createWord(b, loc, value); };
  Value subgroup = b.create<arith::ShRUIOp>(loc, b.create<ThreadIdxOp>(loc), integer(log2Wave));
  Value row = b.create<arith::ShLIOp>(loc, subgroup, integer(op.getBits()));
  Value value =
      b.create<arith::AndIOp>(loc, op.getValue(), integer((int64_t(1) << op.getBits()) - 1));
  Value at = b.create<arith::AddIOp>(loc, row, value);
  Value lane = b.create<arith::TruncIOp>(loc, b.getI8Type(), b.create<LaneOp>(loc));
  // Volatile: several lanes may write at once.
  b.create<StoreOp>(loc, lane, slots, at, /*volatile_=*/true);
  b.create<SubgroupBarrierOp>(loc);
  Value found = b.create<LoadOp>(loc, b.getI8Type(), slots, at, /*volatile_=*/true);
  op.getValueMutable().assign(b.create<arith::ExtUIOp>(loc, b.getI32Type(), found));
  op.setBits(log2Wave);
}

void sextant::simt::matchInShared(ModuleOp module,
                                  llvm::function_ref<bool(func::FuncOp, uint64_t)> fits) {
  unsigned wave = getWaveSize(module), log2Wave = llvm::Log2_32(wave);
  for (auto task : module.getOps<func::FuncOp>()) {
    SmallVector<MatchOp> ops;
    unsigned bits = 0;
    task.walk([&](MatchOp op) {
      if (op.getBits() < 6 || op.getBits() > 10)
        return;
      ops.push_back(op);
      bits = std::max(bits, op.getBits());
    });
    std::optional<TaskInfo> info = getTaskInfo(task);
    if (ops.empty() || !info)
      continue;
    uint64_t count = llvm::divideCeil(info->blockDim, wave) << bits;
    if (!fits(task, count))
      continue;
    OpBuilder b = OpBuilder::atBlockBegin(&task.getBody().front());
    auto type = BufferType::get(module.getContext(), b.getI8Type(), Space::Shared, count);
    Value slots = b.create<SharedOp>(task.getLoc(), type, "match");
    for (MatchOp op : ops)
      expand(op, slots, log2Wave);
  }
}
