// Atomic read-modify-writes. Lanes perform theirs in lane order; where all meet
// at one element, they are combined first and touch it once. A block runs on one
// thread of the machine, so its shared memory needs no locked instructions.
#include "backends/cpu/Emitter.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
using simt::AtomicKind;

static bool isShared(mlir::Value buffer) {
  return cast<simt::BufferType>(buffer.getType()).getSpace() == simt::Space::Shared;
}

/// LLVM's operation, where it has one for values of that type.
static AtomicRMWInst::BinOp llvmOperation(AtomicKind kind, mlir::Type type) {
  bool isHalf = type.isF16();
  switch (kind) {
  case AtomicKind::AddI:
    return AtomicRMWInst::Add;
  case AtomicKind::AddF:
    return isHalf ? AtomicRMWInst::BAD_BINOP : AtomicRMWInst::FAdd;
  case AtomicKind::MinS:
    return AtomicRMWInst::Min;
  case AtomicKind::MinU:
    return AtomicRMWInst::UMin;
  case AtomicKind::MaxS:
    return AtomicRMWInst::Max;
  case AtomicKind::MaxU:
    return AtomicRMWInst::UMax;
  case AtomicKind::AndI:
    return AtomicRMWInst::And;
  case AtomicKind::OrI:
    return AtomicRMWInst::Or;
  case AtomicKind::XorI:
    return AtomicRMWInst::Xor;
  case AtomicKind::Exchange:
    return AtomicRMWInst::Xchg;
  default:
    return AtomicRMWInst::BAD_BINOP; // a loop around compare-and-swap
  }
}

/// One lane's operation; yields the old element.
Value *Emitter::atomicRmw(simt::AtomicRmwOp op, Value *address, Value *value) {
  mlir::Type type = op.getValue().getType();
  Type *element = value->getType();
  Align align(element->getScalarSizeInBits() / 8);
  AtomicKind kind = op.getKind();
  auto updated = [&](Value *old) {
    return kind == AtomicKind::Exchange ? value : combine(uint32_t(kind), old, value, type);
  };
  if (isShared(op.getBuffer())) {
    Value *old = b.CreateAlignedLoad(element, address, align);
    b.CreateAlignedStore(updated(old), address, align);
    return old;
  }
  AtomicRMWInst::BinOp operation = llvmOperation(kind, type);
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

/// All lanes at one element: one operation with their combined value; what each
/// lane would have seen is the old element combined with the lanes before it.
bool Emitter::emitCombinedRmw(simt::AtomicRmwOp op) {
  AtomicKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  bool isUsed = !op.getOld().use_empty();
  if (kind == AtomicKind::Exchange || (isUsed && isa<mlir::FloatType>(type)))
    return false;
  uint32_t operation = uint32_t(kind);
  Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
  Constant *identity = identityOf(operation, type, /*asSeen=*/false);
  Value *value = whereActive(vector(op.getValue()), splat(identity));
  Value *total;
  if (kind == AtomicKind::AddI && shapes.isUniform(op.getValue())) {
    Value *count = b.getInt32(lanes.width);
    if (mask)
      count =
          b.CreateUnaryIntrinsic(Intrinsic::ctpop, b.CreateZExt(maskBits(mask), b.getInt64Ty()));
    Value *each = scalar(op.getValue());
    total = b.CreateMul(each, b.CreateZExtOrTrunc(count, each->getType()));
  } else {
    total = reduceAll(operation, value, type);
  }
  Value *old = atomicRmw(op, address, total);
  if (isUsed) {
    Value *before = scanTile(operation, value, type, lanes.width, /*exclusive=*/true);
    if (kind == AtomicKind::MinS || kind == AtomicKind::MaxS || kind == AtomicKind::MinU ||
        kind == AtomicKind::MaxU || kind == AtomicKind::AddI || kind == AtomicKind::MulI ||
        kind == AtomicKind::AndI || kind == AtomicKind::OrI || kind == AtomicKind::XorI)
      define(op.getOld(), {nullptr, combine(operation, splat(old), before, type)});
  }
  return true;
}

void Emitter::emitAtomicRmw(simt::AtomicRmwOp op) {
  bool isUsed = !op.getOld().use_empty();
  if (lanes.width == 1) {
    Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
    define(op.getOld(), {atomicRmw(op, address, scalar(op.getValue())), nullptr});
    return;
  }
  bool isOnePlace = shapes.isUniform(op.getIndex());
  if (isOnePlace && emitCombinedRmw(op))
    return;
  Type *element = scalarType(op.getValue().getType());
  Value *value = vector(op.getValue());
  Value *index = vector(op.getIndex());
  Type *indexType = index->getType()->getScalarType();
  // Without a mask and with few lanes, lanes are extracted; else they are read
  // from copies on the stack.
  bool isUnrolled = !mask && lanes.width <= 16;
  Value *values = isUnrolled ? nullptr : spill(value, "values");
  Value *indices = isUnrolled ? nullptr : spill(index, "indices");
  Value *result = Constant::getNullValue(value->getType());
  AllocaInst *olds = nullptr;
  if (isUsed && !isUnrolled) {
    olds = entryAlloca(value->getType(), "olds");
    b.CreateAlignedStore(result, olds, olds->getAlign());
  }
  forEachActiveLane([&](Value *lane) {
    auto read = [&](Value *vector, Value *memory, Type *type) -> Value * {
      if (isUnrolled)
        return b.CreateExtractElement(vector, lane);
      return b.CreateLoad(type, b.CreateGEP(type, memory, lane));
    };
    Value *address = elementAddress(op.getBuffer(), read(index, indices, indexType));
    Value *old = atomicRmw(op, address, read(value, values, element));
    if (isUsed && isUnrolled)
      result = b.CreateInsertElement(result, old, lane);
    else if (isUsed)
      b.CreateStore(old, b.CreateGEP(element, olds, lane));
  });
  if (olds)
    result = b.CreateAlignedLoad(value->getType(), olds, olds->getAlign());
  define(op.getOld(), {nullptr, result});
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
