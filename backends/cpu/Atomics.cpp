// Atomic read-modify-writes. Lanes perform theirs in lane order. If all lanes update one element,
// their values are combined first, and the element is updated once. A block runs on one thread of
// the machine, so its shared memory needs no locked instructions.
#include "backends/cpu/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
using simt::CombineKind;
namespace arith = mlir::arith;

static bool isShared(mlir::Value buffer) {
  return cast<simt::BufferType>(buffer.getType()).getSpace() == simt::Space::Shared;
}

/// LLVM's operation, if it has one. Those on reals are left out: for aarch64 LLVM 19 makes loops of
/// them that do not look whether the store succeeded (`stlxr wzr`), and so lose updates.
static AtomicRMWInst::BinOp llvmOperation(CombineKind kind) {
  switch (kind) {
  case CombineKind::AddI:
    return AtomicRMWInst::Add;
  case CombineKind::MinS:
    return AtomicRMWInst::Min;
  case CombineKind::MinU:
    return AtomicRMWInst::UMin;
  case CombineKind::MaxS:
    return AtomicRMWInst::Max;
  case CombineKind::MaxU:
    return AtomicRMWInst::UMax;
  case CombineKind::AndI:
    return AtomicRMWInst::And;
  case CombineKind::OrI:
    return AtomicRMWInst::Or;
  case CombineKind::XorI:
    return AtomicRMWInst::Xor;
  case CombineKind::Exchange:
    return AtomicRMWInst::Xchg;
  default:
    return AtomicRMWInst::BAD_BINOP; // a loop around compare-and-swap
  }
}

/// Emits one lane's operation and returns the old element.
Value *Emitter::atomicRmw(simt::AtomicRmwOp op, Value *address, Value *value) {
  mlir::Type type = op.getValue().getType();
  Type *element = value->getType();
  Align align(element->getScalarSizeInBits() / 8);
  CombineKind kind = op.getKind();
  auto updated = [&](Value *old) { return combine(kind, old, value, type); };
  if (isShared(op.getBuffer())) {
    Value *old = b.CreateAlignedLoad(element, address, align);
    b.CreateAlignedStore(updated(old), address, align);
    return old;
  }
  AtomicRMWInst::BinOp operation = llvmOperation(kind);
  if (operation != AtomicRMWInst::BAD_BINOP)
    return b.CreateAtomicRMW(operation, address, value, align, AtomicOrdering::Monotonic);
  Type *bits = b.getIntNTy(element->getScalarSizeInBits());
  LoadInst *first = b.CreateAlignedLoad(bits, address, align);
  first->setAtomic(AtomicOrdering::Monotonic);
  BasicBlock *before = b.GetInsertBlock(), *loop = newBlock("cas"), *after = newBlock("cas.end");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *seen = b.CreatePHI(bits, 2);
  seen->addIncoming(first, before);
  Value *old = b.CreateBitCast(seen, element);
  Value *desired = b.CreateBitCast(updated(old), bits);
  Value *pair = b.CreateAtomicCmpXchg(address, seen, desired, align, AtomicOrdering::Monotonic,
                                      AtomicOrdering::Monotonic);
  seen->addIncoming(b.CreateExtractValue(pair, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(pair, 1), after, loop);
  b.SetInsertPoint(after);
  return old;
}

/// All lanes update one element: one operation with their combined value. Each lane's old element
/// is the memory's, combined with the values of the lanes before it.
bool Emitter::emitCombinedRmw(simt::AtomicRmwOp op) {
  CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  bool isUsed = !op.getOld().use_empty();
  if (kind == CombineKind::Exchange || (isUsed && isa<mlir::FloatType>(type)))
    return false;
  Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
  Constant *identity = identityOf(kind, type, /*asSeen=*/false);
  Value *value = whereActive(vector(op.getValue()), splat(identity));
  Value *total;
  if (kind == CombineKind::AddI && shapes.isUniform(op.getValue())) {
    Value *count = b.getInt32(lanes.width);
    if (mask)
      count =
          b.CreateUnaryIntrinsic(Intrinsic::ctpop, b.CreateZExt(maskBits(mask), b.getInt64Ty()));
    Value *each = scalar(op.getValue());
    total = b.CreateMul(each, b.CreateZExtOrTrunc(count, each->getType()));
  } else {
    total = reduceAll(kind, value, type);
  }
  Value *old = atomicRmw(op, address, total);
  if (isUsed) {
    Value *before = scanTile(kind, value, type, lanes.width, /*exclusive=*/true);
    if (kind == CombineKind::MinS || kind == CombineKind::MaxS || kind == CombineKind::MinU ||
        kind == CombineKind::MaxU || kind == CombineKind::AddI || kind == CombineKind::MulI ||
        kind == CombineKind::AndI || kind == CombineKind::OrI || kind == CombineKind::XorI)
      define(op.getOld(), {nullptr, combine(kind, splat(old), before, type)});
  }
  return true;
}

void Emitter::emitAtomicRmw(simt::AtomicRmwOp op) {
  if (emitDeferred(op))
    return;
  if (lanes.width == 1) {
    Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
    define(op.getOld(), {atomicRmw(op, address, scalar(op.getValue())), nullptr});
    return;
  }
  bool isOnePlace = shapes.isUniform(op.getIndex());
  if (isOnePlace && emitCombinedRmw(op))
    return;
  emitRmwOfEachLane(op);
}

void Emitter::emitRmwOfEachLane(simt::AtomicRmwOp op) {
  const bool isUsed = !op.getOld().use_empty();
  Type *element = scalarType(op.getValue().getType());
  bool isUnrolled = !mask && lanes.width <= 32;
  auto index = laneReader(op.getIndex(), isUnrolled, op);
  auto value = laneReader(op.getValue(), isUnrolled, op);
  Value *result = Constant::getNullValue(widen(element));
  AllocaInst *olds = nullptr;
  if (isUsed && !isUnrolled) {
    olds = entryAlloca(widen(element), "olds");
    b.CreateAlignedStore(result, olds, olds->getAlign());
  }
  auto perform = [&](Value *lane) {
    Value *old = atomicRmw(op, elementAddress(op.getBuffer(), index(lane)), value(lane));
    if (isUsed && isUnrolled)
      result = b.CreateInsertElement(result, old, lane);
    else if (isUsed)
      b.CreateStore(old, b.CreateGEP(element, olds, lane));
  };
  if (isUnrolled)
    for (unsigned lane = 0; lane < lanes.width; ++lane)
      perform(b.getInt32(lane));
  else
    forEachActiveLane(perform);
  if (olds)
    result = b.CreateAlignedLoad(widen(element), olds, olds->getAlign());
  define(op.getOld(), {nullptr, result});
}

/// Returns the load of consecutive elements that `value` comes from, perhaps widened, if the memory
/// cannot have changed before `before` runs.
static simt::LoadOp reloadable(mlir::Value value, mlir::Operation *before,
                               SmallVectorImpl<mlir::Operation *> &casts) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
    casts.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<simt::LoadOp>(op);
  if (!load || load.getVolatile_() || isShared(load.getBuffer()) ||
      load->getBlock() != before->getBlock())
    return nullptr;
  for (op = load->getNextNode(); op && op != before; op = op->getNextNode())
    if (!mlir::isMemoryEffectFree(op) && !isa<simt::LoadOp, simt::LoadVectorOp>(op))
      return nullptr;
  return load;
}

std::function<Value *(Value *)> Emitter::laneReader(mlir::Value value, bool unrolled,
                                                    mlir::Operation *before, bool isDeferred) {
  Shape shape = shapeOf(value);
  if (shape.isUniform())
    return [one = scalar(value)](Value *) { return one; };
  if (shape.kind == Shape::Affine && shape.exact)
    return [this, base = scalar(value), stride = shape.stride](Value *lane) {
      Value *steps = b.CreateSExtOrTrunc(lane, base->getType());
      return b.CreateAdd(
          base, b.CreateMul(steps, ConstantInt::get(base->getType(), uint64_t(stride), true)));
    };
  // Reading elements one by one from memory is cheaper than extracting them from a vector. The load
  // is from another address space than the one that `before` writes, if it writes now.
  SmallVector<mlir::Operation *> casts;
  auto rmw = dyn_cast<simt::AtomicRmwOp>(before);
  if (simt::LoadOp load = rmw && (isDeferred || isShared(rmw.getBuffer()))
                              ? reloadable(value, before, casts)
                              : nullptr) {
    Shape index = shapeOf(load.getIndex());
    auto space = load.getBuffer().getType().getSpace();
    if (index.kind == Shape::Affine && index.stride == 1 && space == simt::Space::Global) {
      Value *address = elementAddress(load.getBuffer(), scalar(load.getIndex()));
      Type *element = scalarType(load.getType());
      return [=, this](Value *lane) {
        Value *one = b.CreateAlignedLoad(element, b.CreateGEP(element, address, lane),
                                         Align(element->getScalarSizeInBits() / 8));
        for (mlir::Operation *cast : llvm::reverse(casts))
          one = elementwise(*cast, one);
        return one;
      };
    }
  }
  Value *lanesOf = vector(value);
  if (unrolled)
    return [this, lanesOf](Value *lane) { return b.CreateExtractElement(lanesOf, lane); };
  Type *element = lanesOf->getType()->getScalarType();
  return [this, element, memory = spill(lanesOf, "lanes")](Value *lane) {
    return b.CreateLoad(element, b.CreateGEP(element, memory, lane));
  };
}

void Emitter::emitAtomicCas(simt::AtomicCasOp op) {
  Type *element = scalarType(op.getOld().getType());
  Align align(element->getScalarSizeInBits() / 8);
  auto swap = [&](Value *address, Value *expected, Value *desired) -> Value * {
    if (isShared(op.getBuffer())) {
      Value *old = b.CreateAlignedLoad(element, address, align);
      Value *isEqual = b.CreateICmpEQ(old, expected);
      b.CreateAlignedStore(b.CreateSelect(isEqual, desired, old), address, align);
      return old;
    }
    Value *pair = b.CreateAtomicCmpXchg(address, expected, desired, align,
                                        AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
    return b.CreateExtractValue(pair, 0);
  };
  if (lanes.width == 1) {
    Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
    define(op.getOld(),
           {swap(address, scalar(op.getExpected()), scalar(op.getDesired())), nullptr});
    return;
  }
  Value *index = vector(op.getIndex());
  Type *indexType = index->getType()->getScalarType();
  Value *indices = spill(index, "indices");
  Value *expected = spill(vector(op.getExpected()), "expected");
  Value *desired = spill(vector(op.getDesired()), "desired");
  AllocaInst *olds = entryAlloca(widen(element), "olds");
  b.CreateAlignedStore(Constant::getNullValue(widen(element)), olds, olds->getAlign());
  forEachActiveLane([&](Value *lane) {
    auto read = [&](Value *memory, Type *type) {
      return b.CreateLoad(type, b.CreateGEP(type, memory, lane));
    };
    Value *address = elementAddress(op.getBuffer(), read(indices, indexType));
    Value *old = swap(address, read(expected, element), read(desired, element));
    b.CreateStore(old, b.CreateGEP(element, olds, lane));
  });
  define(op.getOld(), {nullptr, b.CreateAlignedLoad(widen(element), olds, olds->getAlign())});
}
