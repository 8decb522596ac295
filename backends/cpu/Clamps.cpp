// Loads at indices that are clamped to a range, `x[max(i - 1, 0)]`: consecutive elements if no
// lane's index is clamped. Else consecutive ones for some lanes, and for the others the one element
// at the bound. A gather would take as long as a load for each lane.
#include "backends/cpu/Arith.h"
#include "backends/cpu/MemoryEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;

namespace {
/// The clamps on the way to an index, and what the way makes of a value there.
struct ClampedIndex {
  mlir::Value start;                    ///< affine, before the first clamp
  SmallVector<mlir::Operation *> steps; ///< from the index inwards; clamps among them
};
} // namespace

static bool isClamp(mlir::Operation *op) { return isa<arith::MaxSIOp, arith::MinSIOp>(op); }

/// The operand of a step that differs between lanes, if the other one does not.
static mlir::Value varyingOperand(mlir::Operation *op, const ShapeAnalysis &shapes) {
  mlir::Value only;
  for (mlir::Value operand : op->getOperands()) {
    if (shapes.isUniform(operand))
      continue;
    if (only)
      return nullptr;
    only = operand;
  }
  return only;
}

/// Takes sums with, and widenings of, one clamped value apart, which is one more in each lane. Sums
/// keep that.
static std::optional<ClampedIndex> takeApart(mlir::Value index, const ShapeAnalysis &shapes) {
  ClampedIndex result;
  unsigned clamps = 0;
  while (shapes.of(index).isVarying()) {
    mlir::Operation *op = index.getDefiningOp();
    if (!op || result.steps.size() > 8)
      return std::nullopt;
    const bool isSum = isa<arith::AddIOp, arith::ExtSIOp>(op) ||
                       (isa<arith::SubIOp>(op) && shapes.isUniform(op->getOperand(1)));
    mlir::Value operand = isClamp(op) || isSum ? varyingOperand(op, shapes) : nullptr;
    if (!operand || clamps > 3)
      return std::nullopt;
    result.steps.push_back(op);
    clamps += isClamp(op);
    index = operand;
  }
  result.start = index;
  const Shape shape = shapes.of(index);
  if (!clamps || shape.kind != Shape::Affine || shape.stride != 1)
    return std::nullopt;
  return result;
}

/// Mostly no active lane is clamped. Else, unless numbers wrap, lanes in the middle have indices
/// that follow one another, those before them all have the first lane's index, and those after them
/// the next lane's.
bool MemoryEmitter::emitClampedLoad(simt::LoadOp op) {
  Type *element = b.scalarType(op.getType()), *type = b.widen(element);
  std::optional<ClampedIndex> index = takeApart(op.getIndex(), values.shapes);
  if (!b.movesMasked(element) || !index)
    return false;
  // The index that comes of a value before the first clamp. `onClamp` says what a clamp makes of
  // it.
  auto indexOf = [&](Value *value,
                     function_ref<Value *(mlir::Operation *, Value *, Value *)> onClamp) {
    for (mlir::Operation *step : llvm::reverse(index->steps)) {
      mlir::Value inner = varyingOperand(step, values.shapes);
      if (isClamp(step)) {
        value = onClamp(step, value, values.scalar(otherOperand(step, inner)));
        continue;
      }
      SmallVector<Value *> operands;
      for (mlir::Value operand : step->getOperands())
        operands.push_back(operand == inner ? value : values.scalar(operand));
      value = elementwise(*step, operands, b);
    }
    return value;
  };
  auto clamped = [&](mlir::Operation *step, Value *value, Value *limit) {
    return elementwise(*step, {value, limit}, b);
  };

  // The lanes in the middle, from `begin` to `end`. From `past` on, numbers wrap.
  Value *first = values.scalar(index->start);
  Type *i64 = b.getInt64Ty(), *i32 = b.getInt32Ty();
  Value *width = b.getInt64(lanes.width), *begin = b.getInt64(0), *end = width, *past = width;
  auto least = [&](Value *x, Value *y) { return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y); };
  auto greatest = [&](Value *x, Value *y) {
    return b.CreateBinaryIntrinsic(Intrinsic::smax, x, y);
  };
  Value *middle = indexOf(first, [&](mlir::Operation *step, Value *value, Value *limit) {
    Value *before = b.CreateSub(b.CreateSExt(limit, i64), b.CreateSExt(value, i64));
    if (isa<arith::MaxSIOp>(step))
      begin = greatest(begin, before);
    else
      end = least(end, b.CreateAdd(before, b.getInt64(1)));
    if (const unsigned bits = value->getType()->getIntegerBitWidth(); bits < 64)
      past =
          least(past, b.CreateSub(b.getInt64(int64_t(1) << (bits - 1)), b.CreateSExt(value, i64)));
    return value;
  });
  const Align align(elementBytes(element));
  Value *address = elementAddress(op.getBuffer(), middle);
  BasicBlock *within = b.newBlock("within"), *other = b.newBlock("other"),
             *clamping = b.newBlock("clamped"), *wrapping = b.newBlock("wrapped"),
             *loaded = b.newBlock("loaded");
  Value *isWrapping = b.CreateICmpSLT(past, width);
  Value *firstActive = b.CreateZExt(b.firstActiveLane(), i64);
  Value *lastActive = b.CreateZExt(b.lastActiveLane(), i64);
  Value *isWithin = b.CreateAnd(b.CreateICmpSLE(begin, firstActive),
                                b.CreateICmpSLT(lastActive, least(end, past)));
  b.CreateCondBr(isWithin, within, other);
  b.SetInsertPoint(loaded);
  PHINode *result = b.CreatePHI(type, 3);
  values.define(op, {nullptr, result});
  auto yield = [&](Value *value) {
    result->addIncoming(value, b.GetInsertBlock());
    b.CreateBr(loaded);
  };
  b.SetInsertPoint(within);
  yield(b.loadConsecutive(element, address));
  b.SetInsertPoint(other);
  auto placeOf = [&](Value *start) {
    return elementAddress(op.getBuffer(), indexOf(start, clamped));
  };
  auto laneAt = [&](unsigned lane) {
    return b.CreateAdd(first, ConstantInt::get(first->getType(), lane));
  };
  // A whole chunk at a border: one lane takes its neighbour's element. The masks are constants, so
  // the other registers are plain loads.
  auto borderLane = [&](unsigned lane, Value *isBorder) {
    BasicBlock *border = b.newBlock("border"), *inside = b.newBlock("no_border");
    b.CreateCondBr(isBorder, border, inside);
    b.SetInsertPoint(border);
    SmallVector<Constant *> mask(lanes.width, b.getTrue());
    mask[lane] = b.getFalse();
    Value *own = b.CreateAlignedLoad(element, placeOf(laneAt(lane)), align);
    yield(b.CreateMaskedLoad(type, address, align, ConstantVector::get(mask), b.splat(own)));
    b.SetInsertPoint(inside);
  };
  if (!b.mask && lanes.width > 1) {
    Value *isWhole = b.CreateNot(isWrapping), *last = b.getInt64(lanes.width - 1);
    Value *hasBegin = b.CreateICmpSLE(begin, b.getInt64(0));
    Value *hasEnd = b.CreateICmpSGE(end, width);
    borderLane(0, b.CreateAnd({isWhole, b.CreateICmpEQ(begin, b.getInt64(1)), hasEnd}));
    borderLane(lanes.width - 1, b.CreateAnd({isWhole, b.CreateICmpEQ(end, last), hasBegin}));
  }
  b.CreateCondBr(isWrapping, wrapping, clamping);
  b.SetInsertPoint(wrapping);
  yield(b.gather(element, elementAddress(op.getBuffer(), values.vector(op.getIndex()))));

  b.SetInsertPoint(clamping);
  begin = b.CreateTrunc(least(begin, width), i32);
  end = b.CreateTrunc(greatest(end, b.getInt64(0)), i32);
  Value *count = greatest(b.CreateSub(end, begin), b.getInt32(0));
  Value *numbers = b.iota(i32);
  Value *isBefore = b.CreateICmpSLT(numbers, b.splat(begin));
  Value *isBetween = b.CreateICmpULT(b.CreateSub(numbers, b.splat(begin)), b.splat(count));
  auto elementOf = [&](Value *start, Value *users) {
    Value *place = placeOf(start);
    if (b.mask) // where no lane needs the element, it need not exist
      place =
          b.CreateSelect(b.isAny(b.CreateAnd(b.mask, users)), place, b.entryAlloca(i64, "nowhere"));
    return b.splat(b.CreateAlignedLoad(element, place, align));
  };
  Value *next = least(end, b.getInt32(lanes.width - 1));
  Value *before = elementOf(first, isBefore);
  Value *after = elementOf(b.CreateAdd(first, b.CreateZExtOrTrunc(next, first->getType())),
                           b.CreateNot(b.CreateOr(isBefore, isBetween)));
  yield(b.CreateMaskedLoad(type, address, align, b.andMask(isBetween),
                           b.CreateSelect(isBefore, before, after)));
  b.SetInsertPoint(loaded);
  return true;
}
