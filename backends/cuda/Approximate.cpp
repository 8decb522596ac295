// LLVM 19 chooses these instructions only for a whole program, by an option of its target machine,
// which would also reach into libdevice.
#include "backends/cuda/Approximate.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

static Value *approximation(Instruction &instruction) {
  if (!instruction.getType()->isFloatTy() || !isa<FPMathOperator>(instruction) ||
      !instruction.hasApproxFunc())
    return nullptr;
  IRBuilder<> b(&instruction);
  Value *first = instruction.getOperand(0);
  if (instruction.getOpcode() == Instruction::FDiv)
    return b.CreateIntrinsic(Intrinsic::nvvm_div_approx_f, {}, {first, instruction.getOperand(1)});
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == Intrinsic::sqrt)
    return b.CreateIntrinsic(Intrinsic::nvvm_sqrt_approx_f, {}, {first});
  return nullptr;
}

void sextant::approximate(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (Value *value = approximation(instruction)) {
        instruction.replaceAllUsesWith(value);
        instruction.eraseFromParent();
      }
}
