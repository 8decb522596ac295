// Atomics: `atomicrmw` where the target has it, else a loop of compare-and-swaps.
#include "backends/common/ThreadAtomics.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace sextant;
using simt::AtomicKind;

static AtomicRMWInst::BinOp binOp(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::AddI:
    return AtomicRMWInst::Add;
  case AtomicKind::AddF:
    return AtomicRMWInst::FAdd;
  case AtomicKind::MinS:
    return AtomicRMWInst::Min;
  case AtomicKind::MinU:
    return AtomicRMWInst::UMin;
  case AtomicKind::MinF:
    return AtomicRMWInst::FMin;
  case AtomicKind::MaxS:
    return AtomicRMWInst::Max;
  case AtomicKind::MaxU:
    return AtomicRMWInst::UMax;
  case AtomicKind::MaxF:
    return AtomicRMWInst::FMax;
  case AtomicKind::AndI:
    return AtomicRMWInst::And;
  case AtomicKind::OrI:
    return AtomicRMWInst::Or;
  case AtomicKind::XorI:
    return AtomicRMWInst::Xor;
  case AtomicKind::Exchange:
    return AtomicRMWInst::Xchg;
  case AtomicKind::MulI:
  case AtomicKind::MulF:
    break;
  }
  return AtomicRMWInst::BAD_BINOP;
}

static Value *combine(IRBuilder<> &b, AtomicKind kind, Value *old, Value *value) {
  switch (kind) {
  case AtomicKind::AddI:
    return b.CreateAdd(old, value);
  case AtomicKind::AddF:
    return b.CreateFAdd(old, value);
  case AtomicKind::MulI:
    return b.CreateMul(old, value);
  case AtomicKind::MulF:
    return b.CreateFMul(old, value);
  case AtomicKind::MinS:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, old, value);
  case AtomicKind::MinU:
    return b.CreateBinaryIntrinsic(Intrinsic::umin, old, value);
  case AtomicKind::MinF:
    return b.CreateMinNum(old, value);
  case AtomicKind::MaxS:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, old, value);
  case AtomicKind::MaxU:
    return b.CreateBinaryIntrinsic(Intrinsic::umax, old, value);
  case AtomicKind::MaxF:
    return b.CreateMaxNum(old, value);
  case AtomicKind::AndI:
    return b.CreateAnd(old, value);
  case AtomicKind::OrI:
    return b.CreateOr(old, value);
  case AtomicKind::XorI:
    return b.CreateXor(old, value);
  case AtomicKind::Exchange:
    return value;
  }
  llvm_unreachable("all kinds are listed");
}

static Align naturalAlign(Type *type) { return Align(type->getScalarSizeInBits() / 8); }

static Value *compareAndSwap(IRBuilder<> &b, Value *pointer, Value *expected, Value *desired) {
  return b.CreateAtomicCmpXchg(pointer, expected, desired, naturalAlign(expected->getType()),
                               AtomicOrdering::Monotonic, AtomicOrdering::Monotonic);
}

/// Reads, combines and swaps until no other thread came in between.
static Value *casLoop(IRBuilder<> &b, AtomicKind kind, Value *pointer, Value *value) {
  Type *type = value->getType();
  Type *bits = b.getIntNTy(type->getScalarSizeInBits());
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *loop = BasicBlock::Create(b.getContext(), "cas", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "swapped", function);
  Value *first = b.CreateAlignedLoad(bits, pointer, naturalAlign(type), /*isVolatile=*/true);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *old = b.CreatePHI(bits, 2);
  old->addIncoming(first, before);
  Value *desired = b.CreateBitCast(combine(b, kind, b.CreateBitCast(old, type), value), bits);
  Value *pair = compareAndSwap(b, pointer, old, desired);
  old->addIncoming(b.CreateExtractValue(pair, 0), loop);
  b.CreateCondBr(b.CreateExtractValue(pair, 1), done, loop);
  b.SetInsertPoint(done);
  return b.CreateBitCast(old, type);
}

Value *sextant::emitAtomicRmw(IRBuilder<> &b, const ThreadTarget &target, AtomicKind kind,
                              simt::Space space, Value *pointer, Value *value) {
  Type *type = value->getType();
  if (binOp(kind) == AtomicRMWInst::BAD_BINOP || !target.hasAtomic(kind, type, space))
    return casLoop(b, kind, pointer, value);
  bool asBits = kind == AtomicKind::Exchange && type->isFloatingPointTy();
  if (asBits)
    value = b.CreateBitCast(value, b.getIntNTy(type->getScalarSizeInBits()));
  Value *old =
      b.CreateAtomicRMW(binOp(kind), pointer, value, naturalAlign(type), AtomicOrdering::Monotonic);
  return asBits ? b.CreateBitCast(old, type) : old;
}

Value *sextant::emitAtomicCas(IRBuilder<> &b, Value *pointer, Value *expected, Value *desired) {
  return b.CreateExtractValue(compareAndSwap(b, pointer, expected, desired), 0);
}
