// Numbers of 24 bits can be divided through f32. LLVM 19 does so if it knows that both numbers are
// so small, but corrects only a quotient that is one too small: (3 * 4937209 - 1) / 3 is 4937209
// with it. Here, a dividend below 2^23 is divided with a correction in both directions. The divisor
// may be any: a larger one than the largest of 24 bits gives the same as that does. What else LLVM
// would divide through f32 is hidden from it, but for dividends so small that the quotient is
// right.
#include "backends/amdgpu/Divisions.h"
#include "backends/amdgpu/Hide.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// The reciprocal is off by one unit in the last place at most, and its product by half a unit
/// more. That is less than one of the quotient, or one where the divisor is 1.
static Value *divide(IRBuilder<> &b, Value *dividend, Value *divisor, bool isQuotient) {
  Type *word = b.getInt32Ty(), *real = b.getFloatTy();
  Value *reciprocal =
      b.CreateIntrinsic(Intrinsic::amdgcn_rcp, {real}, {b.CreateUIToFP(divisor, real)});
  Value *estimate = b.CreateFMul(b.CreateUIToFP(dividend, real), reciprocal);
  Value *quotient = b.CreateFPToUI(estimate, word);
  Value *rest = b.CreateSub(dividend, b.CreateMul(quotient, divisor));
  Value *isOver = b.CreateAShr(rest, 31); // all ones where it is
  quotient = b.CreateAdd(quotient, isOver);
  rest = b.CreateAdd(rest, b.CreateAnd(isOver, divisor));
  Value *isUnder = b.CreateICmpUGE(rest, divisor);
  return isQuotient ? b.CreateAdd(quotient, b.CreateZExt(isUnder, word))
                    : b.CreateSelect(isUnder, b.CreateSub(rest, divisor), rest);
}

/// True if LLVM divides the number through f32, and may err: for a negative number, the size
/// counts.
static bool isRisky(const Instruction &division, bool isSigned, const DataLayout &layout) {
  const Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  const unsigned width = division.getType()->getIntegerBitWidth();
  const auto bits = [&](const Value *value) {
    return isSigned ? width - ComputeNumSignBits(value, layout, 0, nullptr, &division) + 1
                    : computeKnownBits(value, layout, 0, nullptr, &division).countMaxActiveBits();
  };
  const unsigned most = bits(dividend);
  return most <= 24 && most > (isSigned ? 23 : 22) && bits(divisor) <= 24;
}

void sextant::divideSmall(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &division : make_early_inc_range(instructions(function))) {
    const unsigned op = division.getOpcode();
    const bool isUnsigned = op == Instruction::UDiv || op == Instruction::URem;
    const bool isSigned = op == Instruction::SDiv || op == Instruction::SRem;
    Type *type = division.getType();
    if ((!isUnsigned && !isSigned) || !type->isIntegerTy() || type->getIntegerBitWidth() < 32 ||
        isa<Constant>(division.getOperand(1)))
      continue;
    IRBuilder<> b(&division);
    const KnownBits known = computeKnownBits(division.getOperand(0), layout, 0, nullptr, &division);
    if (isUnsigned && type->isIntegerTy(32) && known.countMaxActiveBits() <= 23) {
      division.replaceAllUsesWith(
          divide(b, division.getOperand(0), division.getOperand(1), op == Instruction::UDiv));
      division.eraseFromParent();
    } else if (isRisky(division, isSigned, layout)) {
      division.setOperand(0, hide(b, division.getOperand(0)));
    }
  }
}
