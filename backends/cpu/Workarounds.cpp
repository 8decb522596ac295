// Keeps choices of bits apart from selects. A choice of bits, `a & C | b & ~C`, becomes one
// vpternlog. If it is also an arm of a select whose other arm is one of its operands, the select
// becomes its mask. LLVM then permutes the operands of the instruction, and permutes its truth
// table wrongly (llvm/llvm-project#157929: found by the remainder of reals that were 16 bits wide).
// The choice is hidden from the select here, at the cost of a blend of its own.
#include "backends/cpu/Workarounds.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// The same value, of which LLVM knows nothing; no instruction. A register has 512 bits.
static Value *hide(IRBuilder<> &b, Value *value) {
  auto *type = cast<FixedVectorType>(value->getType());
  if (type->getPrimitiveSizeInBits() <= 512) {
    InlineAsm *nothing = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=v,0",
                                        /*hasSideEffects=*/false);
    CallInst *call = b.CreateCall(nothing, {value});
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    return call;
  }
  const unsigned half = type->getNumElements() / 2;
  SmallVector<int> low, high, all;
  for (unsigned lane = 0; lane < half; ++lane) {
    low.push_back(int(lane));
    high.push_back(int(half + lane));
  }
  all.append(low);
  all.append(high);
  return b.CreateShuffleVector(hide(b, b.CreateShuffleVector(value, low)),
                               hide(b, b.CreateShuffleVector(value, high)), all);
}

static Value *withoutCasts(Value *value) {
  while (auto *cast = dyn_cast<BitCastInst>(value))
    value = cast->getOperand(0);
  return value;
}

/// True if some bits of the value come from one operand, and the others from another.
static bool isChoiceOfBits(Value *value) {
  value = withoutCasts(value);
  auto isPart = [](Value *operand) {
    operand = withoutCasts(operand);
    auto *call = dyn_cast<IntrinsicInst>(operand);
    auto *both = dyn_cast<BinaryOperator>(operand);
    return (call && call->getIntrinsicID() == Intrinsic::fabs) ||
           (both && both->getOpcode() == Instruction::And);
  };
  if (auto *call = dyn_cast<IntrinsicInst>(value))
    return call->getIntrinsicID() == Intrinsic::copysign;
  auto *joined = dyn_cast<BinaryOperator>(value);
  return joined && joined->getOpcode() == Instruction::Or &&
         (isPart(joined->getOperand(0)) || isPart(joined->getOperand(1)));
}

void sextant::cpu::avoidMiscompiles(Module &module) {
  SmallVector<Use *> arms;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *select = dyn_cast<SelectInst>(&instruction);
      auto *type = dyn_cast<FixedVectorType>(instruction.getType());
      // vpternlog has masks for elements of 32 and 64 bits.
      if (!select || !type || type->getScalarSizeInBits() < 32 ||
          type->getPrimitiveSizeInBits() < 128 || !select->getCondition()->getType()->isVectorTy())
        continue;
      for (unsigned arm : {1u, 2u})
        if (isChoiceOfBits(select->getOperand(arm)))
          arms.push_back(&select->getOperandUse(arm));
    }
  for (Use *arm : arms) {
    IRBuilder<> b(cast<Instruction>(arm->getUser()));
    arm->set(hide(b, arm->get()));
  }
}

static SmallVector<IntrinsicInst *> minimaAndMaxima(Module &module) {
  SmallVector<IntrinsicInst *> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (call && is_contained({Intrinsic::minnum, Intrinsic::maxnum}, call->getIntrinsicID()))
        calls.push_back(call);
    }
  return calls;
}

void sextant::cpu::widenHalves(Module &module) {
  for (IntrinsicInst *call : minimaAndMaxima(module)) {
    if (!call->getType()->getScalarType()->isHalfTy())
      continue;
    IRBuilder<> b(call);
    b.setFastMathFlags(call->getFastMathFlags());
    Type *wide = call->getType()->getWithNewType(b.getFloatTy());
    Value *result =
        b.CreateBinaryIntrinsic(call->getIntrinsicID(), b.CreateFPExt(call->getArgOperand(0), wide),
                                b.CreateFPExt(call->getArgOperand(1), wide));
    call->replaceAllUsesWith(b.CreateFPTrunc(result, call->getType()));
    call->eraseFromParent();
  }
}

/// True if a signalling NaN may come out. Arithmetic gives quiet ones.
static bool maySignal(Value *value) {
  if (isa<BinaryOperator, FPExtInst, FPTruncInst, SIToFPInst, UIToFPInst>(value))
    return false;
  if (auto *call = dyn_cast<IntrinsicInst>(value))
    return !is_contained({Intrinsic::minnum, Intrinsic::maxnum, Intrinsic::sqrt, Intrinsic::fma,
                          Intrinsic::fmuladd, Intrinsic::floor, Intrinsic::ceil, Intrinsic::trunc},
                         call->getIntrinsicID());
  auto *constant = dyn_cast<Constant>(value);
  auto *number = dyn_cast_or_null<ConstantFP>(
      constant && constant->getType()->isVectorTy() ? constant->getSplatValue() : constant);
  return !number || number->isNaN();
}

void sextant::cpu::quietNans(Module &module) {
  for (IntrinsicInst *call : minimaAndMaxima(module)) {
    if (call->hasNoNaNs())
      continue;
    IRBuilder<> b(call);
    // The least of a number and itself: one instruction, which no pass after this one folds.
    for (Use &operand : call->args())
      if (maySignal(operand))
        operand.set(b.CreateBinaryIntrinsic(Intrinsic::minnum, operand, operand));
  }
}
