// Subgroup operations: a subgroup is one vector here. Inactive lanes contribute false to ballots
// and "any", true to "all", and the operator's identity to reductions and scans.
#include "backends/cpu/Emitter.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
using simt::ShuffleKind;

//===--- Shuffles ----------------------------------------------------------===//

void Emitter::emitShuffle(simt::ShuffleOp op) {
  ShuffleKind kind = op.getKind();
  int width = lanes.width;
  if (shapes.isUniform(op.getValue())) {
    define(op, values.lookup(op.getValue()));
    return;
  }
  Value *value = vector(op.getValue());
  bool isUniform = shapes.isUniform(op.getLane());
  Value *one = isUniform ? scalar(op.getLane()) : nullptr;
  if (kind == ShuffleKind::Broadcast || (kind == ShuffleKind::Index && isUniform)) {
    if (!one) // promised to be the same in every active lane
      one = laneOfVector(vector(op.getLane()), firstActiveLane());
    one = b.CreateAnd(one, b.getInt32(width - 1));
    define(op, {laneOfVector(value, one), nullptr});
    return;
  }
  if (auto *constant = dyn_cast_or_null<ConstantInt>(one)) {
    int amount = int(constant->getZExtValue() & uint64_t(width - 1));
    // Past the wave's end the result is unspecified; the lane's own value will do.
    bool isTooFar = constant->getValue().uge(width);
    Value *moved = shuffleConst(value, value, [&](int lane) {
      int source = kind == ShuffleKind::Xor    ? lane ^ amount
                   : kind == ShuffleKind::Up   ? lane - amount
                   : kind == ShuffleKind::Down ? lane + amount
                                               : amount;
      return isTooFar || source < 0 || source >= width ? lane : source;
    });
    define(op, {nullptr, moved});
    return;
  }
  Value *lane = vector(op.getLane()), *own = iota(b.getInt32Ty());
  Value *source = kind == ShuffleKind::Xor    ? b.CreateXor(own, lane)
                  : kind == ShuffleKind::Up   ? b.CreateSub(own, lane)
                  : kind == ShuffleKind::Down ? b.CreateAdd(own, lane)
                                              : lane;
  define(op, {nullptr, permute(value, source)});
}

//===--- Votes -------------------------------------------------------------===//

void Emitter::emitBallot(simt::BallotOp op) {
  Value *held = andMask(vector(op.getPredicate()));
  define(op, {b.CreateZExt(maskBits(held), b.getInt64Ty()), nullptr});
}

/// For one bit after the other, each lane drops the lanes that disagree with it.
void Emitter::emitMatch(simt::MatchOp op) {
  Type *word = b.getIntNTy(std::max(32u, lanes.width));
  auto inWords = [&](Value *bits) { return splat(b.CreateZExt(maskBits(bits), word)); };
  Value *value = vector(op.getValue());
  Value *differ = Constant::getNullValue(widen(word));
  for (unsigned bit = 0; bit < op.getBits(); ++bit) {
    Value *own = b.CreateAnd(value, ConstantInt::get(value->getType(), uint64_t(1) << bit));
    Value *isSet = b.CreateIsNotNull(own);
    differ = b.CreateOr(differ, b.CreateXor(inWords(isSet), b.CreateSExt(isSet, widen(word))));
  }
  Value *peers = b.CreateAnd(b.CreateNot(differ), inWords(maskVector()));
  define(op, {nullptr, b.CreateZExt(peers, widen(b.getInt64Ty()))});
}

void Emitter::emitVote(simt::VoteOp op) {
  bool isAllVote = op.getKind() == simt::VoteKind::All;
  Value *predicate = vector(op.getPredicate());
  // "all" is "not any fails", so that inactive lanes count the same way.
  Value *votes = andMask(isAllVote ? b.CreateNot(predicate) : predicate);
  int size = 1 << op.getLog2Size();
  if (shapeOf(op).hasScalar()) {
    Value *any = isAny(votes);
    define(op, {isAllVote ? b.CreateNot(any) : any, nullptr});
    return;
  }
  for (int distance = 1; distance < size; distance *= 2)
    votes =
        b.CreateOr(votes, shuffleConst(votes, votes, [&](int lane) { return lane ^ distance; }));
  define(op, {nullptr, isAllVote ? b.CreateNot(votes) : votes});
}

//===--- Reductions --------------------------------------------------------===//

/// Folds all lanes into one value: the upper half onto the lower half until one lane is left.
Value *Emitter::reduceAll(simt::CombineKind kind, Value *value, mlir::Type type) {
  if (lanes.width == 1)
    return value;
  for (unsigned count = lanes.width; count > 1; count /= 2) {
    SmallVector<int> low, high;
    for (unsigned lane = 0; lane < count / 2; ++lane) {
      low.push_back(lane);
      high.push_back(lane + count / 2);
    }
    value =
        combine(kind, b.CreateShuffleVector(value, low), b.CreateShuffleVector(value, high), type);
  }
  return b.CreateExtractElement(value, uint64_t(0));
}

/// Gives each lane its tile's value.
Value *Emitter::reduceTile(simt::CombineKind kind, Value *value, mlir::Type type, unsigned size) {
  for (int distance = size / 2; distance >= 1; distance /= 2) {
    Value *partner = shuffleConst(value, value, [&](int lane) { return lane ^ distance; });
    value = combine(kind, value, partner, type);
  }
  return value;
}

void Emitter::emitReduce(simt::ReduceOp op) {
  simt::CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  Value *value = whereActive(vector(op.getValue()), splat(identityOf(kind, type, false)));
  if (shapeOf(op).hasScalar())
    define(op, {reduceAll(kind, value, type), nullptr});
  else
    define(op, {nullptr, reduceTile(kind, value, type, 1u << op.getLog2Size())});
}

//===--- Scans -------------------------------------------------------------===//

/// The algorithm of Hillis and Steele: each round adds the value `distance` lanes before.
Value *Emitter::scanTile(simt::CombineKind kind, Value *value, mlir::Type type, unsigned size,
                         bool exclusive) {
  if (lanes.width == 1)
    return exclusive ? identityOf(kind, type, /*asSeen=*/true) : value;
  int width = lanes.width;
  auto shifted = [&](int distance, Value *fill) {
    return shuffleConst(value, fill, [&](int lane) {
      return lane % int(size) >= distance ? lane - distance : width + lane;
    });
  };
  Value *neutral = splat(identityOf(kind, type, /*asSeen=*/false));
  for (int distance = 1; distance < int(size); distance *= 2)
    value = combine(kind, shifted(distance, neutral), value, type);
  return exclusive ? shifted(1, splat(identityOf(kind, type, /*asSeen=*/true))) : value;
}

void Emitter::emitScan(simt::ScanOp op) {
  simt::CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  Value *value = whereActive(vector(op.getValue()), splat(identityOf(kind, type, false)));
  define(op, {nullptr, scanTile(kind, value, type, 1u << op.getLog2Size(), op.getExclusive())});
}
