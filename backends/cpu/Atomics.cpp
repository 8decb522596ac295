// Atomic read-modify-writes. Lanes perform theirs in lane order. If all lanes update one element,
// their values are combined first, and the element is updated once. A block runs on one thread of
// the machine, so its shared memory needs no locked instructions, and lanes side by side move there
// as one vector.
#include "backends/cpu/AtomicEmitter.h"

#include "backends/cpu/Arith.h"
#include "backends/cpu/Combine.h"

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
Value *AtomicEmitter::rmw(simt::AtomicRmwOp op, Value *address, Value *value) {
  mlir::Type type = op.getValue().getType();
  Type *element = value->getType();
  Align align(element->getScalarSizeInBits() / 8);
  CombineKind kind = op.getKind();
  auto updated = [&](Value *old) { return combine(kind, old, value, type, b); };
  if (isShared(op.getBuffer())) {
    Value *old = b.CreateAlignedLoad(element, address, align);
    b.CreateAlignedStore(updated(old), address, align);
    return old;
  }
  AtomicRMWInst::BinOp operation = llvmOperation(kind);
  if (operation != AtomicRMWInst::BAD_BINOP)
    return b.CreateAtomicRMW(operation, address, value, align, AtomicOrdering::Monotonic);
  return replace(address, element, updated);
}

/// A loop around compare-and-swap, of an element or a vector. Returns what was there.
Value *AtomicEmitter::replace(Value *address, Type *type, function_ref<Value *(Value *)> updated) {
  const unsigned bytes = type->getPrimitiveSizeInBits() / 8;
  Type *bits = b.getIntNTy(8 * bytes);
  // No instruction loads 16 bytes atomically. Halves do: the first swap fails where they do not
  // belong together.
  const unsigned parts = bytes > 8 ? 2 : 1;
  Type *part = b.getIntNTy(8 * bytes / parts);
  Value *first = PoisonValue::get(FixedVectorType::get(part, parts));
  for (unsigned i = 0; i < parts; ++i) {
    LoadInst *load =
        b.CreateAlignedLoad(part, b.CreateConstGEP1_32(part, address, i), Align(bytes / parts));
    load->setAtomic(AtomicOrdering::Monotonic);
    first = parts == 1 ? load : b.CreateInsertElement(first, load, i);
  }
  first = b.CreateBitCast(first, bits);
  BasicBlock *before = b.GetInsertBlock(), *loop = b.newBlock("cas"),
             *after = b.newBlock("cas.end");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *seen = b.CreatePHI(bits, 2);
  seen->addIncoming(first, before);
  Value *old = b.CreateBitCast(seen, type);
  Value *desired = b.CreateBitCast(updated(old), bits);
  Value *pair = b.CreateAtomicCmpXchg(address, seen, desired, Align(bytes),
                                      AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
  seen->addIncoming(b.CreateExtractValue(pair, 0), b.GetInsertBlock());
  b.CreateCondBr(b.CreateExtractValue(pair, 1), after, loop);
  b.SetInsertPoint(after);
  return old;
}

/// Each lane adds to its vector by one swap, if the array is aligned for it. Memory that a program
/// brings may not be.
void AtomicEmitter::emitAddVector(simt::AtomicAddVectorOp op) {
  const unsigned count = op.getValues().size();
  SmallVector<Value *> parts;
  for (mlir::Value value : op.getValues())
    parts.push_back(values.vector(value));
  Type *element = parts[0]->getType()->getScalarType();
  auto *vector = FixedVectorType::get(element, count);
  Value *added = nullptr;
  if (lanes.width > 1) {
    added = b.interleave(parts);
  } else {
    added = PoisonValue::get(vector);
    for (unsigned k = 0; k < count; ++k)
      added = b.CreateInsertElement(added, parts[k], k);
  }
  added = b.spill(added, "added");
  Value *indices = b.spill(values.vector(op.getIndex()), "indices");
  Type *index = b.scalarType(op.getIndex().getType()), *run = ArrayType::get(element, count);
  Value *base = values.scalar(op.getBuffer());
  const auto placeOf = [&](Value *lane) {
    return b.CreateGEP(run, base, b.CreateLoad(index, b.CreateGEP(index, indices, lane)));
  };
  // A swap waits for its place, and all that follows for the swap.
  b.forEachActiveLane([&](Value *lane) { b.prefetch(placeOf(lane), /*isWritten=*/true); });
  const auto perform = [&](auto add) {
    const auto ofLane = [&](Value *lane) { add(placeOf(lane), b.CreateGEP(run, added, lane)); };
    if (b.mask)
      b.forEachActiveLane(ofLane);
    else // one copy for all lanes: it is long
      b.countedLoop(b.getInt32(0), b.getInt32(lanes.width), ofLane, "lane");
  };
  const unsigned bytes = count * elementBytes(element);
  BasicBlock *whole = b.newBlock("whole"), *each = b.newBlock("each"), *after = b.newBlock("added");
  Value *low = b.CreateAnd(b.CreatePtrToInt(base, b.getInt64Ty()), bytes - 1);
  b.CreateCondBr(b.CreateIsNull(low), whole, each);
  b.SetInsertPoint(whole);
  perform([&](Value *address, Value *from) {
    Value *value = b.CreateAlignedLoad(vector, from, Align(elementBytes(element)));
    replace(address, vector, [&](Value *old) { return b.CreateFAdd(old, value); });
  });
  b.CreateBr(after);
  b.SetInsertPoint(each);
  perform([&](Value *address, Value *from) {
    for (unsigned k = 0; k < count; ++k) {
      Value *value = b.CreateLoad(element, b.CreateConstGEP1_32(element, from, k));
      replace(b.CreateConstGEP1_32(element, address, k), element,
              [&](Value *old) { return b.CreateFAdd(old, value); });
    }
  });
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

/// All lanes update one element: one operation with their combined value. Each lane's old element
/// is the memory's, combined with the values of the lanes before it.
bool AtomicEmitter::emitCombinedRmw(simt::AtomicRmwOp op) {
  CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  bool isUsed = !op.getOld().use_empty();
  if (kind == CombineKind::Exchange || (isUsed && isa<mlir::FloatType>(type)))
    return false;
  Value *address = memory.elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
  Constant *identity = identityOf(kind, type, /*asSeen=*/false, b);
  Value *value = b.whereActive(values.vector(op.getValue()), b.splat(identity));
  Value *total;
  if (kind == CombineKind::AddI && values.isUniform(op.getValue())) {
    Value *count = b.getInt32(lanes.width);
    if (b.mask)
      count = b.CreateUnaryIntrinsic(Intrinsic::ctpop,
                                     b.CreateZExt(b.maskBits(b.mask), b.getInt64Ty()));
    Value *each = values.scalar(op.getValue());
    total = b.CreateMul(each, b.CreateZExtOrTrunc(count, each->getType()));
  } else {
    total = reduceAll(kind, value, type, b);
  }
  Value *old = rmw(op, address, total);
  if (isUsed) {
    Value *before = scanTile(kind, value, type, lanes.width, /*exclusive=*/true, b);
    if (kind == CombineKind::MinS || kind == CombineKind::MaxS || kind == CombineKind::MinU ||
        kind == CombineKind::MaxU || kind == CombineKind::AddI || kind == CombineKind::MulI ||
        kind == CombineKind::AndI || kind == CombineKind::OrI || kind == CombineKind::XorI)
      values.define(op.getOld(), {nullptr, combine(kind, b.splat(old), before, type, b)});
  }
  return true;
}

void AtomicEmitter::emitRmw(simt::AtomicRmwOp op) {
  if (lanes.width == 1) {
    Value *address = memory.elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
    values.define(op.getOld(), {rmw(op, address, values.scalar(op.getValue())), nullptr});
    return;
  }
  bool isOnePlace = values.isUniform(op.getIndex());
  if (isOnePlace && emitCombinedRmw(op))
    return;
  if (!emitRmwOfRun(op))
    emitRmwOfEachLane(op);
}

/// Lanes side by side in shared memory: one load and one store of them all.
bool AtomicEmitter::emitRmwOfRun(simt::AtomicRmwOp op) {
  Shape index = values.shapeOf(op.getIndex());
  mlir::Type type = op.getValue().getType();
  Type *element = b.scalarType(type);
  if (!isShared(op.getBuffer()) || index.kind != Shape::Affine || index.stride != 1 ||
      (b.mask && !b.movesMasked(element)))
    return false;
  Value *address = memory.elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
  Value *old = b.loadConsecutive(element, address);
  b.storeConsecutive(combine(op.getKind(), old, values.vector(op.getValue()), type, b), address);
  values.define(op.getOld(), {nullptr, old});
  return true;
}

void AtomicEmitter::emitRmwOfEachLane(simt::AtomicRmwOp op) {
  const bool isUsed = !op.getOld().use_empty();
  Type *element = b.scalarType(op.getValue().getType());
  bool isUnrolled = !b.mask && lanes.width <= 32;
  auto index = laneReader(op.getIndex(), isUnrolled, op);
  auto value = laneReader(op.getValue(), isUnrolled, op);
  Value *result = Constant::getNullValue(b.widen(element));
  AllocaInst *olds = nullptr;
  if (isUsed && !isUnrolled) {
    olds = b.entryAlloca(b.widen(element), "olds");
    b.CreateAlignedStore(result, olds, olds->getAlign());
  }
  auto perform = [&](Value *lane) {
    Value *old = rmw(op, memory.elementAddress(op.getBuffer(), index(lane)), value(lane));
    if (isUsed && isUnrolled)
      result = b.CreateInsertElement(result, old, lane);
    else if (isUsed)
      b.CreateStore(old, b.CreateGEP(element, olds, lane));
  };
  if (isUnrolled)
    for (unsigned lane = 0; lane < lanes.width; ++lane)
      perform(b.getInt32(lane));
  else
    b.forEachActiveLane(perform);
  if (olds)
    result = b.CreateAlignedLoad(b.widen(element), olds, olds->getAlign());
  values.define(op.getOld(), {nullptr, result});
}

/// The operand that differs between lanes, if `op` costs a lane about as much as a move out of a
/// vector would: a cast, or arithmetic with constants.
static mlir::Value cheaplyComputedFrom(mlir::Operation *op) {
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return op->getOperand(0);
  if (isa<arith::AndIOp, arith::ShRUIOp, arith::ShLIOp, arith::AddIOp>(op) &&
      simt::constantInteger(op->getOperand(1)))
    return op->getOperand(0);
  return nullptr;
}

/// Returns the load of consecutive elements that `value` is cheaply computed from, by `steps` from
/// the value inwards, if the memory cannot have changed before `before` runs.
static simt::LoadOp reloadable(mlir::Value value, mlir::Operation *before,
                               SmallVectorImpl<mlir::Operation *> &steps) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && steps.size() < 3 && cheaplyComputedFrom(op)) {
    steps.push_back(op);
    op = cheaplyComputedFrom(op).getDefiningOp();
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

std::function<Value *(Value *)> AtomicEmitter::laneReader(mlir::Value value, bool unrolled,
                                                          mlir::Operation *before,
                                                          bool isDeferred) {
  Shape shape = values.shapeOf(value);
  if (shape.isUniform())
    return [one = values.scalar(value)](Value *) { return one; };
  if (shape.kind == Shape::Affine && shape.exact)
    return [this, base = values.scalar(value), stride = shape.stride](Value *lane) {
      Value *steps = b.CreateSExtOrTrunc(lane, base->getType());
      return b.CreateAdd(
          base, b.CreateMul(steps, ConstantInt::get(base->getType(), uint64_t(stride), true)));
    };
  // Reading elements one by one from memory is cheaper than extracting them from a vector. The load
  // is from another address space than the one that `before` writes, if it writes now.
  SmallVector<mlir::Operation *> steps;
  auto rmw = dyn_cast<simt::AtomicRmwOp>(before);
  if (simt::LoadOp load = rmw && (isDeferred || isShared(rmw.getBuffer()))
                              ? reloadable(value, before, steps)
                              : nullptr) {
    Shape index = values.shapeOf(load.getIndex());
    auto space = load.getBuffer().getType().getSpace();
    if (index.kind == Shape::Affine && index.stride == 1 && space == simt::Space::Global) {
      Value *address = memory.elementAddress(load.getBuffer(), values.scalar(load.getIndex()));
      Type *element = b.scalarType(load.getType());
      return [=, this](Value *lane) {
        Value *one = b.CreateAlignedLoad(element, b.CreateGEP(element, address, lane),
                                         Align(element->getScalarSizeInBits() / 8));
        for (mlir::Operation *step : llvm::reverse(steps)) {
          SmallVector<Value *> operands{one};
          for (mlir::Value constant : llvm::drop_begin(step->getOperands()))
            operands.push_back(values.scalar(constant));
          one = elementwise(*step, operands, b);
        }
        return one;
      };
    }
  }
  Value *lanesOf = values.vector(value);
  if (unrolled)
    return [this, lanesOf](Value *lane) { return b.CreateExtractElement(lanesOf, lane); };
  Type *element = lanesOf->getType()->getScalarType();
  return [this, element, memory = b.spill(lanesOf, "lanes")](Value *lane) {
    return b.CreateLoad(element, b.CreateGEP(element, memory, lane));
  };
}

void AtomicEmitter::emitCas(simt::AtomicCasOp op) {
  Type *element = b.scalarType(op.getOld().getType());
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
    Value *address = memory.elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
    values.define(
        op.getOld(),
        {swap(address, values.scalar(op.getExpected()), values.scalar(op.getDesired())), nullptr});
    return;
  }
  Value *index = values.vector(op.getIndex());
  Type *indexType = index->getType()->getScalarType();
  Value *indices = b.spill(index, "indices");
  Value *expected = b.spill(values.vector(op.getExpected()), "expected");
  Value *desired = b.spill(values.vector(op.getDesired()), "desired");
  AllocaInst *olds = b.entryAlloca(b.widen(element), "olds");
  b.CreateAlignedStore(Constant::getNullValue(b.widen(element)), olds, olds->getAlign());
  b.forEachActiveLane([&](Value *lane) {
    auto read = [&](Value *memory, Type *type) {
      return b.CreateLoad(type, b.CreateGEP(type, memory, lane));
    };
    Value *address = memory.elementAddress(op.getBuffer(), read(indices, indexType));
    Value *old = swap(address, read(expected, element), read(desired, element));
    b.CreateStore(old, b.CreateGEP(element, olds, lane));
  });
  values.define(op.getOld(),
                {nullptr, b.CreateAlignedLoad(b.widen(element), olds, olds->getAlign())});
}
