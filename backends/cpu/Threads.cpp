// The ops of threads. A subgroup is one vector here. Inactive lanes contribute false to ballots and
// "any", true to "all", and the operator's identity to reductions and scans.
#include "backends/cpu/Threads.h"
#include "backends/cpu/Combine.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
using simt::ShuffleKind;

namespace {

struct ThreadOps : TaskPart {
  using TaskPart::TaskPart;

  void lane(simt::LaneOp op);
  void fence(simt::FenceOp op);
  void pause();
  void clock(simt::ClockOp op);
  void shuffle(simt::ShuffleOp op);
  void ballot(simt::BallotOp op);
  void match(simt::MatchOp op);
  void vote(simt::VoteOp op);
  void reduce(simt::ReduceOp op);
  void scan(simt::ScanOp op);
};

} // namespace

bool sextant::cpu::emitThreadOp(mlir::Operation &op, TaskCode &code) {
  ThreadOps emit(code);
  auto isScalar = [&](mlir::Value result, Value *value) {
    code.values.define(result, {value, nullptr});
  };
  bool isKnown = true;
  TypeSwitch<mlir::Operation *>(&op)
      .Case([&](simt::ThreadIdxOp o) {
        isScalar(o, code.b.lanes.blockDim == 1 ? code.b.getInt32(0) : code.threadBase);
      })
      .Case([&](simt::LaneOp o) { emit.lane(o); })
      .Case([&](simt::BlockIdxOp o) { isScalar(o, code.blockIndex); })
      .Case([&](simt::GridDimOp o) { isScalar(o, code.grid); })
      .Case([&](simt::FenceOp o) { emit.fence(o); })
      .Case([](simt::SubgroupBarrierOp) {})                      // lanes run in step
      .Case<simt::EndCopiesOp, simt::AwaitCopiesOp>([](auto) {}) // stores are done in order
      .Case([&](simt::PauseOp) { emit.pause(); })
      .Case([&](simt::ClockOp o) { emit.clock(o); })
      .Case([&](simt::ShuffleOp o) { emit.shuffle(o); })
      .Case([&](simt::BallotOp o) { emit.ballot(o); })
      .Case([&](simt::MatchOp o) { emit.match(o); })
      .Case([&](simt::VoteOp o) { emit.vote(o); })
      .Case([&](simt::ReduceOp o) { emit.reduce(o); })
      .Case([&](simt::ScanOp o) { emit.scan(o); })
      .Default([&](mlir::Operation *) { isKnown = false; });
  return isKnown;
}

//===--- Places, fences, waits ---------------------------------------------===//

void ThreadOps::lane(simt::LaneOp op) {
  if (lanes.blockDim == 1 && lanes.width == 1)
    return values.define(op, {b.getInt32(0), nullptr});
  Value *base = b.CreateAnd(code.threadBase, b.getInt32(lanes.wave - 1));
  if (values.shapeOf(op).isVarying())
    values.define(
        op, {nullptr, b.CreateAnd(b.CreateAdd(b.splat(code.threadBase), b.iota(b.getInt32Ty())),
                                  b.splat(b.getInt32(lanes.wave - 1)))});
  else
    values.define(op, {base, nullptr});
}

/// A block is one thread of the machine, so only the compiler could reorder.
void ThreadOps::fence(simt::FenceOp op) {
  bool isDevice = op.getScope() == simt::Scope::Device;
  b.CreateFence(AtomicOrdering::AcquireRelease,
                isDevice ? SyncScope::System : SyncScope::SingleThread);
}

void ThreadOps::pause() {
  if (machine.isX86)
    b.CreateIntrinsic(Intrinsic::x86_sse2_pause, {}, {});
  else // `yield`
    b.CreateIntrinsic(Intrinsic::aarch64_hint, {}, {b.getInt32(1)});
}

/// The counter of cycles of an ARM is the system's; programs have the steady one.
void ThreadOps::clock(simt::ClockOp op) {
  const auto counter = machine.isX86 ? Intrinsic::readcyclecounter : Intrinsic::readsteadycounter;
  values.define(op, {b.CreateIntrinsic(counter, {}, {}), nullptr});
}

//===--- Shuffles ----------------------------------------------------------===//

void ThreadOps::shuffle(simt::ShuffleOp op) {
  ShuffleKind kind = op.getKind();
  int width = lanes.width;
  if (values.isUniform(op.getValue())) {
    values.define(op, values.lookup(op.getValue()));
    return;
  }
  Value *value = values.vector(op.getValue());
  bool isUniform = values.isUniform(op.getLane());
  Value *one = isUniform ? values.scalar(op.getLane()) : nullptr;
  if (kind == ShuffleKind::Broadcast || (kind == ShuffleKind::Index && isUniform)) {
    if (!one) // promised to be the same in every active lane
      one = b.laneOfVector(values.vector(op.getLane()), b.firstActiveLane());
    one = b.CreateAnd(one, b.getInt32(width - 1));
    values.define(op, {b.laneOfVector(value, one), nullptr});
    return;
  }
  if (auto *constant = dyn_cast_or_null<ConstantInt>(one)) {
    int amount = int(constant->getZExtValue() & uint64_t(width - 1));
    // Past the wave's end the result is unspecified; the lane's own value will do.
    bool isTooFar = constant->getValue().uge(width);
    Value *moved = b.shuffle(value, value, [&](int lane) {
      int source = kind == ShuffleKind::Xor    ? lane ^ amount
                   : kind == ShuffleKind::Up   ? lane - amount
                   : kind == ShuffleKind::Down ? lane + amount
                                               : amount;
      return isTooFar || source < 0 || source >= width ? lane : source;
    });
    values.define(op, {nullptr, moved});
    return;
  }
  Value *lane = values.vector(op.getLane()), *own = b.iota(b.getInt32Ty());
  Value *source = kind == ShuffleKind::Xor    ? b.CreateXor(own, lane)
                  : kind == ShuffleKind::Up   ? b.CreateSub(own, lane)
                  : kind == ShuffleKind::Down ? b.CreateAdd(own, lane)
                                              : lane;
  values.define(op, {nullptr, b.permute(value, source)});
}

//===--- Votes -------------------------------------------------------------===//

void ThreadOps::ballot(simt::BallotOp op) {
  Value *held = b.andMask(values.vector(op.getPredicate()));
  values.define(op, {b.CreateZExt(b.maskBits(held), b.getInt64Ty()), nullptr});
}

/// For one bit after the other, each lane drops the lanes that disagree with it.
void ThreadOps::match(simt::MatchOp op) {
  Type *word = b.getIntNTy(std::max(32u, lanes.width));
  auto inWords = [&](Value *bits) { return b.splat(b.CreateZExt(b.maskBits(bits), word)); };
  Value *value = values.vector(op.getValue());
  Value *differ = Constant::getNullValue(b.widen(word));
  for (unsigned bit = 0; bit < op.getBits(); ++bit) {
    Value *own = b.CreateAnd(value, ConstantInt::get(value->getType(), uint64_t(1) << bit));
    Value *isSet = b.CreateIsNotNull(own);
    differ = b.CreateOr(differ, b.CreateXor(inWords(isSet), b.CreateSExt(isSet, b.widen(word))));
  }
  Value *peers = b.CreateAnd(b.CreateNot(differ), inWords(b.maskVector()));
  values.define(op, {nullptr, b.CreateZExt(peers, b.widen(b.getInt64Ty()))});
}

void ThreadOps::vote(simt::VoteOp op) {
  bool isAllVote = op.getKind() == simt::VoteKind::All;
  Value *predicate = values.vector(op.getPredicate());
  // "all" is "not any fails", so that inactive lanes count the same way.
  Value *votes = b.andMask(isAllVote ? b.CreateNot(predicate) : predicate);
  int size = 1 << op.getLog2Size();
  if (values.shapeOf(op).hasScalar()) {
    Value *any = b.isAny(votes);
    values.define(op, {isAllVote ? b.CreateNot(any) : any, nullptr});
    return;
  }
  for (int distance = 1; distance < size; distance *= 2)
    votes = b.CreateOr(votes, b.shuffle(votes, votes, [&](int lane) { return lane ^ distance; }));
  values.define(op, {nullptr, isAllVote ? b.CreateNot(votes) : votes});
}

//===--- Reductions and scans ----------------------------------------------===//

void ThreadOps::reduce(simt::ReduceOp op) {
  simt::CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  Value *value =
      b.whereActive(values.vector(op.getValue()), b.splat(identityOf(kind, type, false, b)));
  if (values.shapeOf(op).hasScalar())
    values.define(op, {reduceAll(kind, value, type, b), nullptr});
  else
    values.define(op, {nullptr, reduceTile(kind, value, type, 1u << op.getLog2Size(), b)});
}

void ThreadOps::scan(simt::ScanOp op) {
  simt::CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  Value *value =
      b.whereActive(values.vector(op.getValue()), b.splat(identityOf(kind, type, false, b)));
  values.define(
      op, {nullptr, scanTile(kind, value, type, 1u << op.getLog2Size(), op.getExclusive(), b)});
}
