// Loads at indices that are clamped to a range, `x[max(i - 1, 0)]`: consecutive elements for the
// lanes whose index is not clamped, and for the others the one element at the bound. A gather would
// take as long as a load for each lane.
#include "backends/cpu/Arith.h"
#include "backends/cpu/MemoryEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;

namespace {
/// The clamps on the way to an index, the innermost last, and what the way makes of a value there.
struct ClampedIndex {
  SmallVector<mlir::Operation *> steps;  ///< from the index inwards; clamps among them
  SmallVector<mlir::Operation *> clamps; ///< from the index inwards
  int64_t stride = 0;                    ///< the index's stride, where nothing is clamped
};
} // namespace

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

/// Takes sums with, and widenings of, one clamped affine value apart. Sums keep its stride.
static std::optional<ClampedIndex> takeApart(mlir::Value index, const ShapeAnalysis &shapes) {
  ClampedIndex result;
  while (shapes.of(index).isVarying()) {
    mlir::Operation *op = index.getDefiningOp();
    if (!op || result.steps.size() > 8)
      return std::nullopt;
    const bool isClamp = isa<arith::MaxSIOp, arith::MinSIOp>(op);
    const bool isSum = isa<arith::AddIOp, arith::ExtSIOp>(op) ||
                       (isa<arith::SubIOp>(op) && shapes.isUniform(op->getOperand(1)));
    mlir::Value operand = isClamp || isSum ? varyingOperand(op, shapes) : nullptr;
    if (!operand || result.clamps.size() > 3)
      return std::nullopt;
    result.steps.push_back(op);
    if (isClamp)
      result.clamps.push_back(op);
    index = operand;
  }
  Shape shape = shapes.of(index);
  if (result.clamps.empty() || shape.kind != Shape::Affine)
    return std::nullopt;
  result.stride = shape.stride;
  return result;
}

bool MemoryEmitter::emitClampedLoad(simt::LoadOp op) {
  Type *element = b.scalarType(op.getType());
  std::optional<ClampedIndex> index = takeApart(op.getIndex(), values.shapes);
  if (!b.movesMasked(element) || !index || index->stride != 1)
    return false;
  // The index that comes of `value` at the step number `from`, if the clamps on the way leave it.
  auto indexOf = [&](Value *value, size_t from, bool isClamped) {
    for (size_t i = from; i-- > 0;) {
      mlir::Operation *step = index->steps[i];
      if (!isClamped && isa<arith::MaxSIOp, arith::MinSIOp>(step))
        continue;
      SmallVector<Value *> operands;
      mlir::Value inner = varyingOperand(step, values.shapes);
      for (mlir::Value operand : step->getOperands())
        operands.push_back(operand == inner ? value : values.scalar(operand));
      value = elementwise(*step, operands, b);
    }
    return value;
  };
  Value *outer = b.mask;
  Value *free = nullptr;                           // the lanes whose index is not clamped
  SmallVector<std::pair<Value *, Value *>> bounds; // where a clamp does nothing; its element else
  Value *nowhere = b.entryAlloca(b.getInt64Ty(), "nowhere");
  for (size_t i = index->steps.size(); i-- > 0;) {
    mlir::Operation *step = index->steps[i];
    if (!isa<arith::MaxSIOp, arith::MinSIOp>(step))
      continue;
    mlir::Value inner = varyingOperand(step, values.shapes);
    mlir::Value bound = step->getOperand(step->getOperand(0) == inner ? 1 : 0);
    Value *limit = b.splat(values.scalar(bound));
    Value *keeps = isa<arith::MaxSIOp>(step) ? b.CreateICmpSGE(values.vector(inner), limit)
                                             : b.CreateICmpSLE(values.vector(inner), limit);
    // Where no lane needs the element, it need not exist.
    Value *isNeeded = b.isAny(b.andMask(b.CreateNot(keeps)));
    Value *there = elementAddress(op.getBuffer(), indexOf(values.scalar(bound), i, true));
    Value *one = b.CreateAlignedLoad(element, b.CreateSelect(isNeeded, there, nowhere),
                                     Align(element->getScalarSizeInBits() / 8));
    bounds.push_back({keeps, b.splat(one)});
    free = free ? b.CreateAnd(free, keeps) : keeps;
  }
  mlir::Value start = varyingOperand(index->steps.back(), values.shapes);
  Value *address =
      elementAddress(op.getBuffer(), indexOf(values.scalar(start), index->steps.size(), false));
  b.mask = b.andMask(free);
  Value *result = b.loadConsecutive(element, address);
  b.mask = outer;
  for (auto [keeps, one] : llvm::reverse(bounds))
    result = b.CreateSelect(keeps, result, one);
  values.define(op, {nullptr, result});
  return true;
}
