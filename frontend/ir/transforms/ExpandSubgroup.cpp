// Subgroup reductions, scans and votes as shuffles, matches as ballots, fully unrolled. Tiles need
// no care of their own: an aligned tile of 2**k lanes is what k steps reach.
#include "frontend/ir/transforms/Combine.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sextant::simt;

namespace {

/// Creates ops before the one that is expanded.
struct SubgroupExpander {
  OpBuilder b;
  Location loc;

  explicit SubgroupExpander(Operation *op) : b(op), loc(op->getLoc()) {}

  Value integer(int64_t value) { return createWord(b, loc, value); }
  Value shuffle(ShuffleKind kind, Value value, int64_t lane) {
    return b.create<ShuffleOp>(loc, value.getType(), kind, value, integer(lane));
  }
  /// `lhs` is of earlier lanes than `rhs`.
  Value combine(CombineKind kind, Value lhs, Value rhs) {
    return createCombine(b, loc, kind, lhs, rhs);
  }
  Value identity(CombineKind kind, Type type) { return createIdentity(b, loc, kind, type); }
};

} // namespace

static Value expandReduce(ReduceOp op) {
  SubgroupExpander e(op);
  Value value = op.getValue();
  unsigned steps = op.getLog2Size();
  if (op.getAll()) {
    for (unsigned step = 0; step < steps; ++step)
      value = e.combine(op.getKind(), value, e.shuffle(ShuffleKind::Xor, value, 1u << step));
    return value;
  }
  for (unsigned step = steps; step-- > 0;)
    value = e.combine(op.getKind(), value, e.shuffle(ShuffleKind::Down, value, 1u << step));
  return value;
}

static Value expandScan(ScanOp op) {
  SubgroupExpander e(op);
  Value value = op.getValue();
  unsigned steps = op.getLog2Size();
  Value lane = e.b.create<LaneOp>(e.loc);
  Value inTile = e.b.create<arith::AndIOp>(e.loc, lane, e.integer((1u << steps) - 1));
  auto reaches = [&](int64_t offset) -> Value {
    return e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::uge, inTile, e.integer(offset));
  };
  for (unsigned step = 0; step < steps; ++step) {
    Value earlier = e.shuffle(ShuffleKind::Up, value, 1u << step);
    Value combined = e.combine(op.getKind(), earlier, value);
    value = e.b.create<arith::SelectOp>(e.loc, reaches(1u << step), combined, value);
  }
  if (!op.getExclusive())
    return value;
  Value none = e.identity(op.getKind(), value.getType());
  if (steps == 0)
    return none;
  Value earlier = e.shuffle(ShuffleKind::Up, value, 1);
  return e.b.create<arith::SelectOp>(e.loc, reaches(1), earlier, none);
}

static Value expandVote(VoteOp op) {
  SubgroupExpander e(op);
  CombineKind kind = op.getKind() == VoteKind::All ? CombineKind::AndI : CombineKind::OrI;
  Value value = e.b.create<arith::ExtUIOp>(e.loc, e.b.getI32Type(), op.getPredicate());
  for (unsigned step = 0; step < op.getLog2Size(); ++step)
    value = e.combine(kind, value, e.shuffle(ShuffleKind::Xor, value, 1u << step));
  return e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ne, value, e.integer(0));
}

/// A lane drops those that disagree with it on one bit after the other. Lanes that are
/// not active are in no ballot, hence out from the start where there may be some.
static Value expandMatch(MatchOp op) {
  SubgroupExpander e(op);
  auto make = [&](TypedAttr value) -> Value { return e.b.create<arith::ConstantOp>(e.loc, value); };
  // Up to 32 lanes are a word, for which no target needs wide integers.
  unsigned wave = getWaveSize(op->getParentOfType<ModuleOp>());
  bool isWord = wave <= 32;
  Type wide = e.b.getI64Type(), type = isWord ? e.b.getI32Type() : wide;
  auto ballot = [&](Value predicate) -> Value {
    Value bits = e.b.create<BallotOp>(e.loc, wide, predicate);
    return isWord ? e.b.create<arith::TruncIOp>(e.loc, type, bits) : bits;
  };
  std::optional<TaskInfo> task = getTaskInfo(op->getParentOfType<func::FuncOp>());
  bool areAllActive = task && task->fullBlocks && task->blockDim % wave == 0;
  APInt lanes = APInt::getLowBitsSet(type.getIntOrFloatBitWidth(), wave);
  Value active =
      areAllActive ? make(IntegerAttr::get(type, lanes)) : ballot(make(e.b.getBoolAttr(true)));
  Value zero = e.integer(0), differ;
  for (unsigned bit = 0; bit < op.getBits(); ++bit) {
    Value own = e.b.create<arith::AndIOp>(e.loc, op.getValue(), e.integer(int64_t(1) << bit));
    Value isSet = e.b.create<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ne, own, zero);
    Value mine = e.b.create<arith::ExtSIOp>(e.loc, type, isSet);
    Value others = e.b.create<arith::XOrIOp>(e.loc, ballot(isSet), mine);
    differ = differ ? e.b.create<arith::OrIOp>(e.loc, differ, others) : others;
  }
  Value all = make(IntegerAttr::get(type, -1));
  Value same = e.b.create<arith::XOrIOp>(e.loc, differ, all);
  Value peers = e.b.create<arith::AndIOp>(e.loc, same, active);
  return isWord ? e.b.create<arith::ExtUIOp>(e.loc, wide, peers) : peers;
}

void sextant::simt::expandSubgroup(ModuleOp module, llvm::function_ref<bool(Operation *)> keeps) {
  module.walk([&](Operation *op) {
    if (!op->hasTrait<Subgroup>() || keeps(op))
      return;
    Value replacement = llvm::TypeSwitch<Operation *, Value>(op)
                            .Case([](ReduceOp reduce) { return expandReduce(reduce); })
                            .Case([](ScanOp scan) { return expandScan(scan); })
                            .Case([](VoteOp vote) { return expandVote(vote); })
                            .Case([](MatchOp match) { return expandMatch(match); })
                            .Default(Value());
    if (!replacement)
      return;
    op->getResult(0).replaceAllUsesWith(replacement);
    op->erase();
  });
}
