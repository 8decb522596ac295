// AMD's conversions to words saturate, and yield 0 for NaN. LLVM selects them for its conversions
// that leave this open, and after the optimiser nothing makes use of that but one rule: an integer
// that becomes a real and an integer again stays one.
#include "backends/amdgpu/Conversions.h"
#include "backends/amdgpu/Workarounds.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

void sextant::selectAmdConversions(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || !call->getType()->isIntegerTy(32) ||
          (call->getIntrinsicID() != Intrinsic::fptosi_sat &&
           call->getIntrinsicID() != Intrinsic::fptoui_sat))
        continue;
      IRBuilder<> b(call);
      Value *real = call->getArgOperand(0);
      if (isa<SIToFPInst, UIToFPInst>(real))
        real = hide(b, real);
      call->replaceAllUsesWith(call->getIntrinsicID() == Intrinsic::fptoui_sat
                                   ? b.CreateFPToUI(real, call->getType())
                                   : b.CreateFPToSI(real, call->getType()));
      call->eraseFromParent();
    }
}
