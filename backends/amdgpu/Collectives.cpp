// Reductions and scans in registers: DPP within rows of 16 lanes, then moves that reach across rows
// and halves. Lanes without a source get a value that changes nothing.
//
// The code generator makes one instruction of a DPP move and the operation that takes its result
// (`v_add_u32_dpp`) in three cases: every lane has a source; the others get 0; or the others get
// the identity of an operation that it knows, which are those on 32-bit integers except products.
// Other operations are rewritten into such a form if that is cheap:
//
//   minima and maxima of f32   are those of integers that order as the floats do
//   additions of reals         within rows add the negatives: absent sources are then -0.0
//
// The result of four such steps has its sign again.
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

/// The value that combines with any x to x, bit for bit. Unlike the identity, this holds for -0.0
/// and NaN too.
static Constant *neutral(simt::CombineKind kind, Type *type) {
  switch (kind) {
  case simt::CombineKind::AddF:
    return ConstantFP::getNegativeZero(type);
  case simt::CombineKind::MinF:
  case simt::CombineKind::MaxF:
    return ConstantFP::getQNaN(type);
  default:
    return combineIdentity(kind, type);
  }
}

//===--- Floats by their order ---------------------------------------------===//

static bool isOrdered(simt::CombineKind kind, Type *type) {
  return type->isFloatTy() && (kind == simt::CombineKind::MinF || kind == simt::CombineKind::MaxF);
}

static simt::CombineKind integerKind(simt::CombineKind kind) {
  return kind == simt::CombineKind::MinF ? simt::CombineKind::MinS : simt::CombineKind::MaxS;
}

/// Reverses the order of negative floats. It is its own inverse.
static Value *flipNegative(IRBuilder<> &b, Value *bits) {
  return b.CreateXor(bits, b.CreateLShr(b.CreateAShr(bits, 31), 1));
}

/// Integers that compare as the floats do. A NaN becomes a number that loses against every float,
/// and turns back into a NaN.
static Value *toOrdered(IRBuilder<> &b, simt::CombineKind kind, Value *value) {
  Type *type = b.getInt32Ty();
  return b.CreateSelect(b.CreateFCmpUNO(value, value), neutral(integerKind(kind), type),
                        flipNegative(b, b.CreateBitCast(value, type)));
}

static Value *fromOrdered(IRBuilder<> &b, Value *value) {
  return b.CreateBitCast(flipNegative(b, value), b.getFloatTy());
}

//===--- Reductions --------------------------------------------------------===//

namespace {

/// One reduction or scan over tiles of 2**steps lanes.
struct Collective {
  IRBuilder<> &b;
  const LaneMoves &moves;
  const AmdArch &arch;
  simt::CombineKind kind;
  unsigned steps;
  Mover move{b};

  Value *combine(Value *earlier, Value *later) const {
    return emitCombine(b, kind, earlier, later);
  }
  /// Fetches from the lane that DPP names. Lanes without a source get 0, or anything.
  Value *fetch(Value *value, unsigned control) const {
    return move(value, [&](Value *v) { return moves.dpp(b, v, control); });
  }
  /// The same, but lanes without a source and rows outside the mask get `absent`.
  Value *fetch(Value *value, unsigned control, unsigned rows, Constant *absent) const;
  Value *lane(Value *value, unsigned number) const {
    return move(value, [&](Value *v) { return moves.readlane(b, v, b.getInt32(number)); });
  }
  /// Fetches lane `number` of the half's other row.
  Value *acrossRows(Value *value, unsigned number) const {
    return move(
        value, [&](Value *v) { return moves.permlanex16(b, v, [=](unsigned) { return number; }); });
  }
  /// True in lanes whose number has that bit.
  Value *has(unsigned bit) const {
    return b.CreateICmpNE(b.CreateAnd(moves.lane(b), bit), b.getInt32(0));
  }
  /// Puts `prefix` before `value` in lanes whose number has that bit: 16 or 32.
  Value *prepend(Value *prefix, Value *value, unsigned bit) const;

  Value *reduce(Value *value) const;
  Value *scanRow(Value *value) const;
  Value *scan(Value *value) const;
  Value *scanExclusive(Value *value, Constant *identity) const;
};

} // namespace

Value *Collective::fetch(Value *value, unsigned control, unsigned rows, Constant *absent) const {
  return move(value, absent, [&](Value *v, Value *old) {
    bool isZero = isa<ConstantInt>(old) && cast<ConstantInt>(old)->isZero();
    return isZero && rows == 0xf ? moves.dpp(b, v, control) : moves.dpp(b, old, v, control, rows);
  });
}

/// Gives every lane of the tile the result. Within a row, mirrored lanes replace those of a
/// butterfly: the lanes that are combined already all hold the same value.
Value *Collective::reduce(Value *value) const {
  static constexpr unsigned inRow[] = {DppQuadPerm | 0xb1, DppQuadPerm | 0x4e, DppHalfMirror,
                                       DppRowMirror};
  for (unsigned step = 0; step < std::min(steps, 4u); ++step)
    value = combine(value, fetch(value, inRow[step]));
  if (steps == 6 && arch.hasRowBroadcast()) {
    // Moves the result into the last lane, and from there to all. What other rows get does not
    // matter.
    for (unsigned control : {DppRowBcast15, DppRowBcast31})
      value = combine(value, fetch(value, control));
    return lane(value, 63);
  }
  if (steps >= 5)
    value = combine(value, arch.hasPermlane16() ? acrossRows(value, 0) : move(value, [&](Value *v) {
                      return moves.xorBy(b, v, 16);
                    }));
  if (steps == 6 && arch.hasPermlane64())
    return combine(value, move(value, [&](Value *v) { return moves.permlane64(b, v); }));
  if (steps == 6)
    return combine(lane(value, 0), lane(value, 32));
  return value;
}

Value *sextant::reduceTile(IRBuilder<> &b, const AmdTarget &target, simt::ReduceOp op,
                           Value *value) {
  simt::CombineKind kind = op.getKind();
  unsigned steps = op.getLog2Size();
  if (steps > 0 && isOrdered(kind, value->getType())) {
    Collective ordered{b, target.moves, target.arch, integerKind(kind), steps};
    return fromOrdered(b, ordered.reduce(toOrdered(b, kind, value)));
  }
  return Collective{b, target.moves, target.arch, kind, steps}.reduce(value);
}

//===--- Scans -------------------------------------------------------------===//

/// Scans rows, or tiles of fewer lanes.
Value *Collective::scanRow(Value *value) const {
  Constant *nothing = neutral(kind, value->getType());
  for (unsigned step = 0; step < std::min(steps, 4u); ++step) {
    unsigned distance = 1u << step;
    if (steps >= 4 && kind == simt::CombineKind::AddF) {
      value = combine(b.CreateFNeg(fetch(value, DppRowShr | distance)), b.CreateFNeg(value));
      continue;
    }
    Value *combined = combine(fetch(value, DppRowShr | distance, 0xf, nothing), value);
    if (steps < 4) {
      Value *inTile = b.CreateAnd(moves.lane(b), (1u << steps) - 1);
      combined = b.CreateSelect(b.CreateICmpUGE(inTile, b.getInt32(distance)), combined, value);
    }
    value = combined;
  }
  return value;
}

Value *Collective::prepend(Value *prefix, Value *value, unsigned bit) const {
  Type *type = value->getType();
  if (!type->isIntegerTy(32) || kind == simt::CombineKind::MulI)
    return b.CreateSelect(has(bit), combine(prefix, value), value);
  constexpr unsigned everyLaneItself = DppQuadPerm | 0xe4;
  return combine(fetch(prefix, everyLaneItself, bit == 16 ? 0xa : 0xc, neutral(kind, type)), value);
}

Value *Collective::scan(Value *value) const {
  value = scanRow(value);
  if (arch.hasRowBroadcast()) {
    Constant *nothing = neutral(kind, value->getType());
    if (steps >= 5)
      value = combine(fetch(value, DppRowBcast15, 0xa, nothing), value);
    if (steps == 6)
      value = combine(fetch(value, DppRowBcast31, 0xc, nothing), value);
    return value;
  }
  if (steps >= 5)
    value = prepend(acrossRows(value, 15), value, 16);
  if (steps == 6)
    value = prepend(lane(value, 31), value, 32);
  return value;
}

/// `identity` is the result of the tile's first lane.
Value *Collective::scanExclusive(Value *value, Constant *identity) const {
  Constant *nothing = neutral(kind, value->getType());
  if (steps == 0)
    return identity;
  if (steps <= 4) {
    Value *before = fetch(scanRow(value), DppRowShr | 1, 0xf, identity);
    return steps == 4 ? before : b.CreateSelect(has((1u << steps) - 1), before, identity);
  }
  if (arch.hasRowBroadcast()) {
    Value *before = fetch(scan(value), DppWaveShr, 0xf, identity);
    return steps == 6 ? before : b.CreateSelect(has(31), before, identity);
  }
  // Combines the row's exclusive scan with the total of the rows before it.
  Value *row = scanRow(value), *rowBefore = acrossRows(row, 15);
  Value *before = prepend(rowBefore, fetch(row, DppRowShr | 1, 0xf, nothing), 16);
  if (steps == 6)
    before = prepend(lane(prepend(rowBefore, row, 16), 31), before, 32);
  return nothing == identity ? before : b.CreateSelect(has((1u << steps) - 1), before, identity);
}

Value *sextant::scanTile(IRBuilder<> &b, const AmdTarget &target, simt::ScanOp op, Value *value) {
  simt::CombineKind kind = op.getKind();
  unsigned steps = op.getLog2Size();
  Constant *identity = combineIdentity(kind, value->getType());
  bool ordered = steps > 0 && isOrdered(kind, value->getType());
  if (ordered) {
    value = toOrdered(b, kind, value);
    identity = cast<Constant>(toOrdered(b, kind, identity));
    kind = integerKind(kind);
  }
  Collective collective{b, target.moves, target.arch, kind, steps};
  Value *result =
      op.getExclusive() ? collective.scanExclusive(value, identity) : collective.scan(value);
  return ordered ? fromOrdered(b, result) : result;
}
