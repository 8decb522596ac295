// The fixpoint over a task's structured control flow, and the transfer functions of the ops.
#include "backends/cpu/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sextant;
using namespace sextant::cpu;
using simt::constantInteger;

static constexpr unsigned anyBits = 64;

bool cpu::containsBarrier(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return inner->hasTrait<simt::BlockBarrier>() ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

bool cpu::usesSubgroups(func::FuncOp task) {
  return task
      .walk([](Operation *op) {
        return op->hasTrait<simt::Subgroup>() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool cpu::synchronises(func::FuncOp task) {
  return task
      .walk([](Operation *op) {
        bool isUsedAtomic = false, isVolatile = false;
        if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op))
          isUsedAtomic = rmw.getBuffer().getType().getSpace() == simt::Space::Global &&
                         !rmw.getOld().use_empty();
        if (auto load = dyn_cast<simt::LoadOp>(op))
          isVolatile = load.getVolatile_();
        if (auto store = dyn_cast<simt::StoreOp>(op))
          isVolatile = store.getVolatile_();
        return isUsedAtomic || isVolatile || isa<simt::FenceOp, simt::AtomicCasOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

//===--- The lattice -------------------------------------------------------===//

static Shape uniform(Shape::Kind kind, unsigned align = 0, unsigned bits = anyBits) {
  Shape shape;
  shape.kind = kind;
  shape.align = align;
  shape.bits = bits;
  return shape;
}

static Shape varying() { return uniform(Shape::Varying); }

static Shape affine(int64_t stride, bool exact, unsigned align = 0, unsigned bits = anyBits) {
  if (stride == 0)
    return uniform(Shape::Chunk, align, bits);
  Shape shape = uniform(Shape::Affine, align, bits);
  shape.stride = stride;
  shape.exact = exact;
  return shape;
}

/// The most precise shape that holds for a value which has either shape.
static Shape merge(Shape a, Shape b) {
  if (a.kind == Shape::Unknown)
    return b;
  if (b.kind == Shape::Unknown)
    return a;
  unsigned align = std::min(a.align, b.align), bits = std::max(a.bits, b.bits);
  if (a.isUniform() && b.isUniform())
    return uniform(std::max(a.kind, b.kind), align, bits);
  if (a.kind == Shape::Affine && b.kind == Shape::Affine && a.stride == b.stride)
    return affine(a.stride, a.exact && b.exact, align, bits);
  return varying();
}

ShapeAnalysis::ShapeAnalysis(func::FuncOp task, Lanes lanes, Assumptions assumptions)
    : lanes(lanes), assumptions(std::move(assumptions)) {
  for (BlockArgument argument : task.getArguments())
    shapes[argument] = uniform(Shape::Block);
  // Loop-carried values start with the shape on entry. Each round can only move shapes up the
  // lattice, whose height limits the rounds.
  while (visit(task.getBody(), false))
    ;
}

bool ShapeAnalysis::join(Value value, Shape shape) {
  Shape &known = shapes[value];
  Shape merged = merge(known, shape);
  // Alignment and range are hints that a loop could lower step by step for ever. A value that
  // changes at all loses them.
  if (known.kind != Shape::Unknown && merged != known) {
    merged.align = 0;
    merged.bits = anyBits;
  }
  if (merged == known)
    return false;
  known = merged;
  return true;
}

bool ShapeAnalysis::hasDivergentExit(Operation *loop) const {
  if (auto loopOp = dyn_cast<scf::WhileOp>(loop))
    return !isUniform(loopOp.getConditionOp().getCondition());
  auto forOp = cast<scf::ForOp>(loop);
  return !isUniform(forOp.getLowerBound()) || !isUniform(forOp.getUpperBound()) ||
         !isUniform(forOp.getStep());
}

//===--- Control flow ------------------------------------------------------===//

bool ShapeAnalysis::visit(Region &region, bool) {
  bool changed = false;
  for (mlir::Block &block : region)
    for (Operation &op : block)
      changed |= visit(op);
  return changed;
}

/// The shape of a value for lanes that use it after they have diverged.
static Shape afterDivergence(Shape shape) {
  return shape.kind == Shape::Unknown ? shape : varying();
}

bool ShapeAnalysis::visit(Operation &op) {
  bool changed = false;
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    changed |= visit(ifOp.getThenRegion(), false);
    changed |= visit(ifOp.getElseRegion(), false);
    if (!ifOp.getNumResults())
      return changed;
    Shape condition = of(ifOp.getCondition());
    for (OpResult result : ifOp.getResults()) {
      Shape shape = merge(of(ifOp.thenYield().getOperand(result.getResultNumber())),
                          of(ifOp.elseYield().getOperand(result.getResultNumber())));
      if (!condition.isUniform())
        shape = condition.kind == Shape::Unknown ? Shape() : afterDivergence(shape);
      else if (condition.kind == Shape::Chunk && shape.kind == Shape::Block)
        shape.kind = Shape::Chunk;
      changed |= join(result, shape);
    }
    return changed;
  }
  if (auto forOp = dyn_cast<scf::ForOp>(op)) {
    Shape lower = of(forOp.getLowerBound()), step = of(forOp.getStep());
    Shape iv = !step.isUniform() ? varying() : lower;
    if (step.kind == Shape::Chunk && iv.kind == Shape::Block)
      iv.kind = Shape::Chunk;
    iv.align = std::min(lower.align, step.align);
    iv.bits = anyBits;
    changed |= join(forOp.getInductionVar(), iv);
    bool divergent = hasDivergentExit(forOp);
    // A loop that the chunks of a block leave at different times yields different values in each.
    bool ofBlock = of(forOp.getUpperBound()).kind == Shape::Block && lower.kind == Shape::Block &&
                   step.kind == Shape::Block;
    auto yield = cast<scf::YieldOp>(forOp.getBody()->getTerminator());
    for (auto [i, argument] : llvm::enumerate(forOp.getRegionIterArgs())) {
      changed |= join(argument, of(forOp.getInitArgs()[i]));
      changed |= join(argument, of(yield.getOperand(i)));
    }
    changed |= visit(forOp.getRegion(), divergent);
    for (auto [i, result] : llvm::enumerate(forOp.getResults())) {
      Shape shape = of(forOp.getRegionIterArgs()[i]);
      if (divergent)
        shape = afterDivergence(shape);
      else if (!ofBlock && shape.kind == Shape::Block)
        shape.kind = Shape::Chunk;
      changed |= join(result, shape);
    }
    return changed;
  }
  if (auto whileOp = dyn_cast<scf::WhileOp>(op)) {
    for (auto [i, argument] : llvm::enumerate(whileOp.getBeforeArguments())) {
      changed |= join(argument, of(whileOp.getInits()[i]));
      changed |= join(argument, of(whileOp.getYieldOp().getOperand(i)));
    }
    changed |= visit(whileOp.getBefore(), false);
    auto condition = whileOp.getConditionOp();
    Shape exit = of(condition.getCondition());
    for (auto [i, argument] : llvm::enumerate(whileOp.getAfterArguments()))
      changed |= join(argument, of(condition.getArgs()[i]));
    changed |= visit(whileOp.getAfter(), false);
    for (auto [i, result] : llvm::enumerate(whileOp.getResults())) {
      Shape shape = of(condition.getArgs()[i]);
      if (!exit.isUniform())
        shape = exit.kind == Shape::Unknown ? Shape() : afterDivergence(shape);
      else if (exit.kind == Shape::Chunk && shape.kind == Shape::Block)
        shape.kind = Shape::Chunk;
      changed |= join(result, shape);
    }
    return changed;
  }
  if (auto load = dyn_cast<simt::LoadVectorOp>(op)) {
    Shape index = of(load.getIndex());
    if (index.kind == Shape::Unknown)
      return changed;
    for (Value element : load.getElements())
      changed |= join(element, uniform(index.isUniform() ? Shape::Chunk : Shape::Varying));
    return changed;
  }
  if (op.getNumResults() == 1)
    changed |= join(op.getResult(0), resultHere(op));
  return changed;
}

/// The shape of an op's one result, with what is assumed of it, and of chunks of one thread.
Shape ShapeAnalysis::resultHere(Operation &op) const {
  Shape shape = result(op);
  if (auto found = assumptions.find(op.getResult(0)); found != assumptions.end())
    shape = found->second ? of(found->second) : uniform(Shape::Chunk);
  if (lanes.width == 1 && !shape.hasScalar()) // one thread a chunk agrees with itself
    shape = uniform(Shape::Chunk);
  if (lanes.width == 1 && shape.kind == Shape::Affine)
    shape = uniform(Shape::Chunk, shape.align, shape.bits);
  return shape;
}

//===--- Ops ---------------------------------------------------------------===//

static unsigned log2Ceil(uint64_t value) { return value <= 1 ? 0 : llvm::Log2_64_Ceil(value); }

static int64_t wrapTo(int64_t value, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return value;
  return llvm::SignExtend64(value, integer.getWidth());
}

namespace {
/// An operation on integers, with what is known of its operands. Each function is the shape of one
/// kind of operation.
struct IntegerOp {
  Operation &op;
  unsigned width;                     ///< lanes that run together
  Shape all;                          ///< shape of the operands together
  Shape a, b;                         ///< shapes of the first two
  std::optional<int64_t> left, right; ///< the same, where they are constants
  Type type;                          ///< the result's type
  unsigned typeBits;
  bool exact;

  Shape shape() const;
  Shape sum() const;
  Shape product() const;
  Shape shiftLeft() const;
  Shape quotient(unsigned amount) const;
  Shape remainder(unsigned amount) const;
  Shape conjunction() const;
  Shape extension() const;
  Shape truncation() const;

  /// Returns the shape; for a uniform result, only its hints.
  Shape uniformOr(Shape shape) const {
    return all.isUniform() ? uniform(all.kind, shape.align, shape.bits) : shape;
  }
  unsigned bounded(unsigned bits) const { return bits < std::min(typeBits, 63u) ? bits : anyBits; }
  /// Lanes add less than 2**log2 to lane 0's value without a carry past it.
  bool staysBelow(Shape s, unsigned log2) const {
    return s.kind == Shape::Affine && s.exact && s.stride > 0 &&
           uint64_t(s.stride) <= (uint64_t(1) << 20) && s.align >= log2 &&
           uint64_t(s.stride) * (width - 1) < (uint64_t(1) << log2);
  }
};

unsigned aligned(unsigned bits) { return std::min(bits, 32u); }

Shape IntegerOp::sum() const {
  bool isAdd = isa<arith::AddIOp>(op);
  unsigned align = std::min(a.align, b.align);
  unsigned bits = isAdd ? bounded(std::max(a.bits, b.bits) + 1) : anyBits;
  if (all.isVarying())
    return varying();
  int64_t stride = wrapTo(isAdd ? a.stride + b.stride : a.stride - b.stride, type);
  if (stride == 0 && !exact)
    return varying();
  return uniformOr(affine(stride, exact, align, bits));
}

Shape IntegerOp::product() const {
  unsigned align = aligned(a.align + b.align), bits = bounded(a.bits + b.bits);
  if (all.isUniform())
    return uniform(all.kind, align, bits);
  if (right && a.kind == Shape::Affine)
    return affine(wrapTo(a.stride * *right, type), exact, align, bits);
  if (left && b.kind == Shape::Affine)
    return affine(wrapTo(b.stride * *left, type), exact, align, bits);
  return varying();
}

Shape IntegerOp::shiftLeft() const {
  if (!right || *right < 0 || *right >= typeBits)
    return uniformOr(varying());
  unsigned align = aligned(a.align + *right), bits = bounded(a.bits + *right);
  if (all.isUniform())
    return uniform(all.kind, align, bits);
  if (a.kind == Shape::Affine)
    return affine(wrapTo(int64_t(uint64_t(a.stride) << *right), type), exact, align, bits);
  return varying();
}

/// The remainder of a division by 2**amount.
Shape IntegerOp::remainder(unsigned amount) const {
  unsigned bits = std::min(a.bits, amount);
  if (all.isUniform())
    return uniform(all.kind, a.align >= amount ? 32 : a.align, bits);
  if (staysBelow(a, std::min(a.align, amount)))
    return affine(a.stride, true, std::min(a.align, amount), bits);
  return varying();
}

/// The quotient of a division by 2**amount.
Shape IntegerOp::quotient(unsigned amount) const {
  unsigned align = a.align > amount ? a.align - amount : 0;
  unsigned bits = a.bits < typeBits ? (a.bits > amount ? a.bits - amount : 0) : anyBits;
  if (all.isUniform())
    return uniform(all.kind, align, bits);
  if (staysBelow(a, std::min(a.align, amount)))
    return uniform(Shape::Chunk, align, bits);
  return varying();
}

Shape IntegerOp::conjunction() const {
  unsigned bits = std::min(a.bits, b.bits);
  if (all.isUniform())
    return uniform(all.kind, std::max(a.align, b.align), bits);
  Shape s = right ? a : b;
  std::optional<int64_t> mask = right ? right : left;
  if (!mask || s.kind != Shape::Affine)
    return varying();
  unsigned low = llvm::countr_zero(uint64_t(*mask));
  if (llvm::isMask_64(uint64_t(*mask))) {
    unsigned ones = llvm::countr_one(uint64_t(*mask));
    if (staysBelow(s, std::min(s.align, ones)))
      return affine(s.stride, true, aligned(s.align), std::min(s.bits, ones));
  } else if (low && staysBelow(s, std::min(s.align, low))) {
    return uniform(Shape::Chunk, low, s.bits);
  }
  return varying();
}

Shape IntegerOp::extension() const {
  unsigned from = op.getOperand(0).getType().getIntOrFloatBitWidth();
  if (from == 1 || a.kind != Shape::Affine)
    return uniformOr(varying());
  unsigned bits = a.bits < from ? a.bits : isa<arith::ExtUIOp>(op) ? from : anyBits;
  return uniformOr(affine(a.stride, a.exact && a.bits < from, a.align, bits));
}

Shape IntegerOp::truncation() const {
  if (typeBits == 1 || a.kind != Shape::Affine)
    return uniformOr(varying());
  return uniformOr(affine(wrapTo(a.stride, type), a.exact, a.align, bounded(a.bits)));
}

Shape IntegerOp::shape() const {
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return sum();
  if (isa<arith::MulIOp>(op))
    return product();
  if (isa<arith::ShLIOp>(op))
    return shiftLeft();
  // Quotients and remainders by a power of two, written as shifts and masks or
  // as divisions of what is not negative.
  if (right && *right > 0) {
    if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
      return quotient(unsigned(std::min<int64_t>(*right, 63)));
    bool isPower = llvm::isPowerOf2_64(*right), isNatural = a.bits < typeBits;
    if (isPower &&
        (isa<arith::DivUIOp>(op) || (isa<arith::DivSIOp, arith::FloorDivSIOp>(op) && isNatural)))
      return quotient(llvm::Log2_64(*right));
    if (isPower && (isa<arith::RemUIOp>(op) || (isa<arith::RemSIOp>(op) && isNatural)))
      return remainder(llvm::Log2_64(*right));
  }
  if (isa<arith::AndIOp>(op) && typeBits > 1)
    return conjunction();
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return extension();
  if (isa<arith::TruncIOp>(op))
    return truncation();
  return uniformOr(varying());
}
} // namespace

/// Shapes of arith and math: uniform if the operands are, affine if the arithmetic keeps that.
Shape ShapeAnalysis::elementwise(Operation &op) const {
  Shape all = uniform(Shape::Block);
  bool unknown = false;
  for (Value operand : op.getOperands()) {
    Shape shape = of(operand);
    unknown |= shape.kind == Shape::Unknown;
    all.kind = std::max(all.kind, shape.kind);
  }
  if (unknown)
    return Shape();
  Type type = op.getResult(0).getType();
  if (!isa<IntegerType>(type))
    return uniform(all.isUniform() ? all.kind : Shape::Varying);

  const bool isBinary = op.getNumOperands() > 1;
  Shape a = op.getNumOperands() > 0 ? of(op.getOperand(0)) : all;
  Shape b = isBinary ? of(op.getOperand(1)) : all;
  if (isa<arith::SelectOp>(op)) {
    Shape merged = merge(b, of(op.getOperand(2)));
    if (!a.isUniform())
      return varying();
    if (merged.isUniform())
      merged.kind = std::max(merged.kind, a.kind);
    return merged;
  }
  return IntegerOp{
      .op = op,
      .width = lanes.width,
      .all = all,
      .a = a,
      .b = b,
      .left = isBinary ? constantInteger(op.getOperand(0)) : std::nullopt,
      .right = isBinary ? constantInteger(op.getOperand(1)) : std::nullopt,
      .type = type,
      .typeBits = type.getIntOrFloatBitWidth(),
      .exact = (a.kind != Shape::Affine || a.exact) && (b.kind != Shape::Affine || b.exact),
  }
      .shape();
}

/// True for an op of subgroups if all lanes of a chunk get the same result.
bool ShapeAnalysis::isUniformInChunk(Operation &op) const {
  const std::optional<unsigned> log2Tile = simt::log2TileOf(&op);
  return op.hasTrait<simt::UniformInSubgroup>() &&
         (!log2Tile || ((1u << *log2Tile) == lanes.wave && lanes.width == lanes.wave));
}

Shape ShapeAnalysis::result(Operation &op) const {
  if (lanes.blockDim == 1 && lanes.width == 1) {
    // With one thread, everything is uniform in the block, even if an operand was not reached yet.
    return uniform(Shape::Block);
  }
  unsigned log2Width = llvm::Log2_32(lanes.width);
  auto likeOperand = [&](Value operand) {
    Shape shape = of(operand);
    return shape.kind == Shape::Unknown || !shape.isVarying() ? shape : varying();
  };
  return llvm::TypeSwitch<Operation *, Shape>(&op)
      .Case([&](arith::ConstantOp constant) {
        Shape shape = uniform(Shape::Block);
        if (std::optional<int64_t> value = constantInteger(constant)) {
          shape.align = *value ? std::min<unsigned>(llvm::countr_zero(uint64_t(*value)), 32) : 32;
          if (*value >= 0)
            shape.bits = *value ? llvm::Log2_64(*value) + 1 : 0;
        }
        return shape;
      })
      .Case([&](simt::ThreadIdxOp) {
        if (lanes.anywhere)
          return affine(1, true, 0, log2Ceil(lanes.blockDim + lanes.width));
        return affine(1, true, lanes.chunks() == 1 ? 32 : log2Width, log2Ceil(lanes.blockDim));
      })
      .Case([&](simt::LaneOp) {
        unsigned log2Wave = llvm::Log2_32(lanes.wave);
        if (lanes.width > lanes.wave)
          return varying();
        return affine(1, true, lanes.width == lanes.wave ? 32 : log2Width, log2Wave);
      })
      .Case<simt::BlockIdxOp, simt::GridDimOp>([&](auto) { return uniform(Shape::Block, 0, 32); })
      .Case([&](simt::ViewOp) { return uniform(Shape::Block); })
      .Case([&](simt::LoadOp load) {
        // Chunks may see different contents, so the value is uniform at most in one chunk.
        Shape index = likeOperand(load.getIndex());
        if (index.kind == Shape::Unknown)
          return index;
        bool isPrivate = load.getBuffer().getType().getSpace() == simt::Space::Private;
        return isPrivate || !index.isUniform() ? varying() : uniform(Shape::Chunk);
      })
      .Case<simt::AtomicRmwOp, simt::AtomicCasOp>([&](auto) { return varying(); })
      .Case([&](simt::ClockOp) { return uniform(Shape::Chunk); })
      .Case([&](simt::ShuffleOp shuffle) {
        Shape lane = of(shuffle.getLane()), value = of(shuffle.getValue());
        if (lane.kind == Shape::Unknown || value.kind == Shape::Unknown)
          return Shape();
        bool fromOne = shuffle.getKind() == simt::ShuffleKind::Broadcast ||
                       (shuffle.getKind() == simt::ShuffleKind::Index && lane.isUniform());
        return fromOne || value.isUniform() ? uniform(Shape::Chunk) : varying();
      })
      .Default([&](Operation *) {
        if (op.hasTrait<simt::UniformInBlock>() || op.hasTrait<simt::Allocation>())
          return uniform(Shape::Block);
        if (op.hasTrait<simt::Subgroup>())
          return isUniformInChunk(op) ? uniform(Shape::Chunk) : varying();
        return elementwise(op);
      });
}
