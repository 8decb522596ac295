// Atomics: `atomicrmw` if the target has it, otherwise a loop of compare-and-swaps. Minima and
// maxima of reals may also use those of integers.
#include "backends/common/ThreadAtomics.h"
#include "backends/common/Combine.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sextant;
using simt::CombineKind;

static AtomicRMWInst::BinOp binOp(CombineKind kind) {
  switch (kind) {
  case CombineKind::AddI:
    return AtomicRMWInst::Add;
  case CombineKind::AddF:
    return AtomicRMWInst::FAdd;
  case CombineKind::MinS:
    return AtomicRMWInst::Min;
  case CombineKind::MinU:
    return AtomicRMWInst::UMin;
  case CombineKind::MinF:
    return AtomicRMWInst::FMin;
  case CombineKind::MaxS:
    return AtomicRMWInst::Max;
  case CombineKind::MaxU:
    return AtomicRMWInst::UMax;
  case CombineKind::MaxF:
    return AtomicRMWInst::FMax;
  case CombineKind::AndI:
    return AtomicRMWInst::And;
  case CombineKind::OrI:
    return AtomicRMWInst::Or;
  case CombineKind::XorI:
    return AtomicRMWInst::Xor;
  case CombineKind::Exchange:
    return AtomicRMWInst::Xchg;
  case CombineKind::MulI:
  case CombineKind::MulF:
    break;
  }
  return AtomicRMWInst::BAD_BINOP;
}

static Align naturalAlign(Type *type) { return Align(type->getScalarSizeInBits() / 8); }

static Value *compareAndSwap(IRBuilder<> &b, SyncScope::ID scope, Value *pointer, Value *expected,
                             Value *desired) {
  return b.CreateAtomicCmpXchg(pointer, expected, desired, naturalAlign(expected->getType()),
                               AtomicOrdering::Monotonic, AtomicOrdering::Monotonic, scope);
}

namespace {

/// The memory that a loop of compare-and-swaps reads and swaps: the element's bits, or, on targets
/// that swap only whole words, the word that a narrower element is part of.
struct SwapPlace {
  IRBuilder<> &b;
  Value *pointer;
  Type *element;
  Type *bits;
  Value *shift = nullptr;

  SwapPlace(IRBuilder<> &b, unsigned narrowest, Value *pointer, Type *element)
      : b(b), pointer(pointer), element(element),
        bits(b.getIntNTy(element->getScalarSizeInBits())) {
    unsigned bytes = element->getScalarSizeInBits() / 8;
    if (bytes >= narrowest)
      return;
    const DataLayout &layout = b.GetInsertBlock()->getModule()->getDataLayout();
    Type *address = layout.getIntPtrType(pointer->getType());
    Value *offset = b.CreateAnd(b.CreatePtrToInt(pointer, address), 4 - bytes);
    bits = b.getInt32Ty();
    shift = b.CreateShl(b.CreateTrunc(offset, bits), 3);
    this->pointer = b.CreateIntrinsic(Intrinsic::ptrmask, {pointer->getType(), address},
                                      {pointer, ConstantInt::getSigned(address, -4)});
  }
  Value *extract(Value *from) const {
    if (shift)
      from = b.CreateTrunc(b.CreateLShr(from, shift), b.getIntNTy(element->getScalarSizeInBits()));
    return b.CreateBitCast(from, element);
  }
  /// The element's bits at their place in the word, with zeros around them.
  Value *shifted(Value *value) const {
    Value *part = b.CreateBitCast(value, b.getIntNTy(element->getScalarSizeInBits()));
    return shift ? b.CreateShl(b.CreateZExt(part, bits), shift) : part;
  }
  /// A mask with ones outside the element.
  Value *others() const {
    return b.CreateNot(b.CreateShl(
        ConstantInt::get(bits, maskTrailingOnes<uint32_t>(element->getScalarSizeInBits())), shift));
  }
  Value *insert(Value *value, Value *into) const {
    return shift ? b.CreateOr(b.CreateAnd(into, others()), shifted(value)) : shifted(value);
  }
};

} // namespace

/// Reads the old element, computes the next one, and swaps until no other thread came in between.
static Value *casLoop(IRBuilder<> &b, const ThreadTarget &target, simt::Space space,
                      const SwapPlace &place, function_ref<Value *(Value *old)> next) {
  SyncScope::ID scope = target.atomicScope(b.getContext(), space);
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *loop = BasicBlock::Create(b.getContext(), "cas", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "swapped", function);
  // Swapping 0 for 0 is an atomic read. LLVM would make a plain load of an `or` with 0.
  Constant *zero = ConstantInt::get(place.bits, 0);
  bool asAtomic = space == simt::Space::Shared && target.readsSharedAtomically;
  Value *first = asAtomic
                     ? b.CreateExtractValue(compareAndSwap(b, scope, place.pointer, zero, zero), 0)
                     : b.CreateAlignedLoad(place.bits, place.pointer, naturalAlign(place.bits),
                                           /*isVolatile=*/true);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *old = b.CreatePHI(place.bits, 2);
  old->addIncoming(first, before);
  Value *desired = place.insert(next(place.extract(old)), old);
  Value *pair = compareAndSwap(b, scope, place.pointer, old, desired);
  old->addIncoming(b.CreateExtractValue(pair, 0), loop);
  b.CreateCondBr(b.CreateExtractValue(pair, 1), done, loop);
  b.SetInsertPoint(done);
  return place.extract(old);
}

/// Positive reals order like signed integers. Negative ones order in reverse like unsigned
/// integers. In both orders, the reals of the other sign are on the right side. NaNs of one sign
/// are where any number replaces them. A NaN of the other sign would stay: if the old element is
/// one, nothing has changed, and a loop follows.
static Value *minMaxByIntegers(IRBuilder<> &b, const ThreadTarget &target, simt::Space space,
                               CombineKind kind, Value *pointer, Value *value) {
  bool isMin = kind == CombineKind::MinF;
  Type *type = value->getType();
  Type *bits = b.getIntNTy(type->getScalarSizeInBits());
  Function *function = b.GetInsertBlock()->getParent();
  auto block = [&](const char *name) { return BasicBlock::Create(b.getContext(), name, function); };
  BasicBlock *negative = block("negative"), *positive = block("positive");
  BasicBlock *tried = block("tried"), *again = block("again"), *done = block("done");
  // A NaN of that sign replaces only a NaN.
  Constant *nan = ConstantFP::getQNaN(type, /*Negative=*/!isMin);
  Value *operand = b.CreateBitCast(b.CreateSelect(b.CreateFCmpUNO(value, value), nan, value), bits);
  b.CreateCondBr(b.CreateICmpSLT(operand, ConstantInt::get(bits, 0)), negative, positive);
  auto attempt = [&](BasicBlock *from, AtomicRMWInst::BinOp op) {
    b.SetInsertPoint(from);
    Value *old =
        b.CreateAtomicRMW(op, pointer, operand, naturalAlign(type), AtomicOrdering::Monotonic,
                          target.atomicScope(b.getContext(), space));
    b.CreateBr(tried);
    return old;
  };
  Value *oldOfNegative = attempt(negative, isMin ? AtomicRMWInst::UMax : AtomicRMWInst::UMin);
  Value *oldOfPositive = attempt(positive, isMin ? AtomicRMWInst::Min : AtomicRMWInst::Max);
  b.SetInsertPoint(tried);
  PHINode *old = b.CreatePHI(bits, 2);
  old->addIncoming(oldOfNegative, negative);
  old->addIncoming(oldOfPositive, positive);
  Value *infinity = b.CreateBitCast(ConstantFP::getInfinity(type, /*Negative=*/isMin), bits);
  Value *stayed = isMin ? b.CreateICmpUGT(old, infinity) : b.CreateICmpSGT(old, infinity);
  b.CreateCondBr(stayed, again, done, MDBuilder(b.getContext()).createBranchWeights(1, 1 << 20));
  b.SetInsertPoint(again);
  Value *replaced =
      b.CreateBitCast(casLoop(b, target, space, {b, target.narrowestSwap, pointer, type},
                              [&](Value *seen) { return emitCombine(b, kind, seen, value); }),
                      bits);
  BasicBlock *looped = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  PHINode *result = b.CreatePHI(bits, 2);
  result->addIncoming(old, tried);
  result->addIncoming(replaced, looped);
  return b.CreateBitCast(result, type);
}

/// A bitwise operation on a narrow integer is one operation on its word, which leaves the
/// neighbours as they are.
static Value *bitwiseOnWord(IRBuilder<> &b, SyncScope::ID scope, CombineKind kind, Value *pointer,
                            Value *value) {
  SwapPlace place(b, 4, pointer, value->getType());
  Value *operand = place.shifted(value);
  if (kind == CombineKind::AndI)
    operand = b.CreateOr(operand, place.others());
  return place.extract(b.CreateAtomicRMW(binOp(kind), place.pointer, operand,
                                         naturalAlign(place.bits), AtomicOrdering::Monotonic,
                                         scope));
}

Value *sextant::emitAtomicRmw(IRBuilder<> &b, const ThreadTarget &target, CombineKind kind,
                              simt::Space space, Value *pointer, Value *value) {
  Type *type = value->getType();
  SyncScope::ID scope = target.atomicScope(b.getContext(), space);
  bool isMinMax = kind == CombineKind::MinF || kind == CombineKind::MaxF;
  if (isMinMax && target.minMaxByIntegers && !type->isHalfTy() &&
      !target.hasAtomic(kind, type, space))
    return minMaxByIntegers(b, target, space, kind, pointer, value);
  // Kernels read atomically by an `or` with 0, and LLVM would make a plain load of it.
  auto *constant = dyn_cast<Constant>(value);
  bool isRead = (kind == CombineKind::OrI || kind == CombineKind::XorI) && constant &&
                constant->isNullValue();
  if (isRead && space == simt::Space::Shared && target.readsSharedAtomically) {
    SwapPlace place(b, target.narrowestSwap, pointer, type);
    Constant *zero = ConstantInt::get(place.bits, 0);
    Value *pair = compareAndSwap(b, scope, place.pointer, zero, zero);
    return place.extract(b.CreateExtractValue(pair, 0));
  }
  bool isBitwise =
      kind == CombineKind::AndI || kind == CombineKind::OrI || kind == CombineKind::XorI;
  if (isBitwise && type->getScalarSizeInBits() < 32)
    return bitwiseOnWord(b, scope, kind, pointer, value);
  if (binOp(kind) == AtomicRMWInst::BAD_BINOP || !target.hasAtomic(kind, type, space))
    return casLoop(b, target, space, {b, target.narrowestSwap, pointer, type},
                   [&](Value *old) { return emitCombine(b, kind, old, value); });
  bool asBits = kind == CombineKind::Exchange && type->isFloatingPointTy();
  if (asBits)
    value = b.CreateBitCast(value, b.getIntNTy(type->getScalarSizeInBits()));
  Value *old = b.CreateAtomicRMW(binOp(kind), pointer, value, naturalAlign(type),
                                 AtomicOrdering::Monotonic, scope);
  return asBits ? b.CreateBitCast(old, type) : old;
}

Value *sextant::emitAtomicCas(IRBuilder<> &b, const ThreadTarget &target, simt::Space space,
                              Value *pointer, Value *expected, Value *desired) {
  SwapPlace place(b, target.narrowestSwap, pointer, expected->getType());
  if (place.shift)
    return casLoop(b, target, space, place, [&](Value *old) {
      return b.CreateSelect(b.CreateICmpEQ(old, expected), desired, old);
    });
  SyncScope::ID scope = target.atomicScope(b.getContext(), space);
  return b.CreateExtractValue(compareAndSwap(b, scope, pointer, expected, desired), 0);
}
