// Reductions and scans in registers: DPP within rows of 16 lanes, then what reaches
// between rows and halves. Absent sources yield a value that changes nothing.
#include "backends/amdgpu/AmdTarget.h"
#include "backends/common/Combine.h"

using namespace llvm;
using namespace sextant;

namespace {

/// Applies a move of an i32 to values of any type, in pieces.
struct Mover {
  IRBuilder<> &b;

  /// `move` gets a piece of the value and the same piece of `old`.
  Value *operator()(Value *value, Value *old,
                    function_ref<Value *(Value *piece, Value *old)> move) const {
    Type *type = value->getType();
    unsigned width = type->getScalarSizeInBits();
    Type *word = b.getInt32Ty();
    Value *bits = b.CreateBitCast(value, b.getIntNTy(width));
    Value *oldBits = b.CreateBitCast(old, b.getIntNTy(width));
    if (width < 64) {
      Value *moved = move(b.CreateZExt(bits, word), b.CreateZExt(oldBits, word));
      return b.CreateBitCast(b.CreateTrunc(moved, b.getIntNTy(width)), type);
    }
    auto half = [&](unsigned shift) {
      Value *moved = move(b.CreateTrunc(b.CreateLShr(bits, shift), word),
                          b.CreateTrunc(b.CreateLShr(oldBits, shift), word));
      return b.CreateShl(b.CreateZExt(moved, b.getInt64Ty()), shift);
    };
    return b.CreateBitCast(b.CreateOr(half(0), half(32)), type);
  }
  Value *operator()(Value *value, function_ref<Value *(Value *piece)> move) const {
    return (*this)(value, PoisonValue::get(value->getType()),
                   [&](Value *piece, Value *) { return move(piece); });
  }
};

} // namespace

/// What combines with x to x, bit for bit: with -0.0 and NaN too, unlike the identity.
static Constant *neutral(simt::Combine kind, Type *type) {
  switch (kind) {
  case simt::Combine::AddF:
    return ConstantFP::getNegativeZero(type);
  case simt::Combine::MinF:
  case simt::Combine::MaxF:
    return ConstantFP::getQNaN(type);
  default:
    return combineIdentity(kind, type);
  }
}

/// Every lane of the tile ends with its result. Within a row, mirrored lanes stand for the
/// butterfly's: what is combined already is the same in all of them.
Value *AmdTarget::reduce(IRBuilder<> &b, simt::ReduceOp op, Value *value) const {
  simt::Combine kind = op.getKind();
  unsigned steps = op.getLog2Size();
  Mover move{b};
  auto combine = [&](Value *other) { return emitCombine(b, kind, value, other); };
  static constexpr unsigned inRow[] = {DppQuadPerm | 0xb1, DppQuadPerm | 0x4e, DppHalfMirror,
                                       DppRowMirror};
  for (unsigned step = 0; step < std::min(steps, 4u); ++step)
    value = combine(move(value, [&](Value *v) { return moves.dpp(b, v, inRow[step]); }));
  if (steps == 6 && arch.hasRowBroadcast()) {
    // Into the last row, and from there to all.
    for (auto [control, rows] : {std::pair(DppRowBcast15, 0xau), std::pair(DppRowBcast31, 0xcu)})
      value = combine(move(value, neutral(kind, value->getType()), [&](Value *v, Value *old) {
        return moves.dpp(b, old, v, control, rows);
      }));
    return move(value, [&](Value *v) { return moves.readlane(b, v, b.getInt32(63)); });
  }
  if (steps >= 5)
    value = combine(move(value, [&](Value *v) {
      return arch.hasPermlane16() ? moves.permlanex16(b, v, [](unsigned) { return 0; })
                                  : moves.xorBy(b, v, 16);
    }));
  if (steps == 6 && arch.hasPermlane64())
    return combine(move(value, [&](Value *v) { return moves.permlane64(b, v); }));
  if (steps == 6) {
    auto lane = [&](unsigned i) {
      return move(value, [&](Value *v) { return moves.readlane(b, v, b.getInt32(i)); });
    };
    return emitCombine(b, kind, lane(0), lane(32));
  }
  return value;
}

Value *AmdTarget::scan(IRBuilder<> &b, simt::ScanOp op, Value *value) const {
  simt::Combine kind = op.getKind();
  unsigned steps = op.getLog2Size(), size = 1u << steps;
  Type *type = value->getType();
  Constant *nothing = neutral(kind, type);
  Mover move{b};
  Value *lane = moves.lane(b);
  auto has = [&](unsigned bit) { return b.CreateICmpNE(b.CreateAnd(lane, bit), b.getInt32(0)); };
  auto fromBelow = [&](unsigned control, unsigned rows) {
    return move(value, nothing,
                [&](Value *v, Value *old) { return moves.dpp(b, old, v, control, rows); });
  };
  for (unsigned step = 0; step < std::min(steps, 4u); ++step) {
    unsigned distance = 1u << step;
    Value *combined = emitCombine(b, kind, fromBelow(DppRowShr | distance, 0xf), value);
    if (steps < 4) {
      Value *reaches = b.CreateICmpUGE(b.CreateAnd(lane, size - 1), b.getInt32(distance));
      combined = b.CreateSelect(reaches, combined, value);
    }
    value = combined;
  }
  if (arch.hasRowBroadcast()) {
    if (steps >= 5)
      value = emitCombine(b, kind, fromBelow(DppRowBcast15, 0xa), value);
    if (steps == 6)
      value = emitCombine(b, kind, fromBelow(DppRowBcast31, 0xc), value);
  } else {
    if (steps >= 5) {
      Value *below = move(
          value, [&](Value *v) { return moves.permlanex16(b, v, [](unsigned) { return 15; }); });
      value = b.CreateSelect(has(16), emitCombine(b, kind, below, value), value);
    }
    if (steps == 6) {
      Value *below = move(value, [&](Value *v) { return moves.readlane(b, v, b.getInt32(31)); });
      value = b.CreateSelect(has(32), emitCombine(b, kind, below, value), value);
    }
  }
  if (!op.getExclusive())
    return value;
  Constant *identity = combineIdentity(kind, type);
  if (steps == 0)
    return identity;
  Value *before = steps <= 4 ? fromBelow(DppRowShr | 1, 0xf)
                             : move(value, [&](Value *v) { return moves.upByOne(b, v); });
  return b.CreateSelect(has(size - 1), before, identity);
}
