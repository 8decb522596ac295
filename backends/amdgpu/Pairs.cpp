// From gfx11 on, one instruction computes two products or fma (v_dual_fmac_f32), if the first
// factors of both come from different banks of registers, and so do the second ones. A number that
// both take as the same factor keeps them apart. LLVM pairs instructions as they are.
#include "backends/amdgpu/Pairs.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

static bool isProduct(const Instruction &instruction) {
  if (!instruction.getType()->isFloatTy())
    return false;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return instruction.getOpcode() == Instruction::FMul ||
         (call && call->getIntrinsicID() == Intrinsic::fma);
}

void sextant::orderFactors(Function &function) {
  for (BasicBlock &block : function) {
    // True for numbers that were the first factor of their last product.
    DenseMap<const Value *, bool> wasFirst;
    const auto was = [&](const Value *value, bool asFirst) {
      const auto it = wasFirst.find(value);
      return it != wasFirst.end() && it->second == asFirst;
    };
    for (Instruction &product : block) {
      if (!isProduct(product) || isa<Constant>(product.getOperand(1)))
        continue;
      Use &first = product.getOperandUse(0), &second = product.getOperandUse(1);
      if (was(first, true) || was(second, false))
        first.swap(second);
      wasFirst[first] = true;
      wasFirst[second] = false;
    }
  }
}
