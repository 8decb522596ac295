// PTX's conversions of reals saturate. For NaN they yield 0, but 2^31 or 2^63 of f64 and for 64
// bits (PTX ISA, cvt, "Integer Notes").
#include "backends/cuda/Conversions.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// The instruction is hidden from LLVM, which would take it for a conversion without a result out
/// of range.
static Value *converted(IRBuilder<> &b, Value *real, Type *type, bool isUnsigned) {
  const bool isWide = type->isIntegerTy(64), isDouble = real->getType()->isDoubleTy();
  const std::string text = std::string("cvt.rzi.") + (isUnsigned ? "u" : "s") +
                           (isWide ? "64" : "32") + (isDouble ? ".f64" : ".f32") + " $0, $1;";
  const std::string registers = std::string(isWide ? "=l," : "=r,") + (isDouble ? "d" : "f");
  InlineAsm *code = InlineAsm::get(FunctionType::get(type, {real->getType()}, false), text,
                                   registers, /*hasSideEffects=*/false);
  CallInst *result = b.CreateCall(code, {real});
  result->setDoesNotThrow();
  result->setDoesNotAccessMemory();
  if (!isWide && !isDouble)
    return result;
  return b.CreateSelect(b.CreateFCmpUNO(real, real), ConstantInt::get(type, 0), result);
}

void sextant::selectPtxConversions(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || (call->getIntrinsicID() != Intrinsic::fptosi_sat &&
                    call->getIntrinsicID() != Intrinsic::fptoui_sat))
        continue;
      IRBuilder<> b(call);
      call->replaceAllUsesWith(converted(b, call->getArgOperand(0), call->getType(),
                                         call->getIntrinsicID() == Intrinsic::fptoui_sat));
      call->eraseFromParent();
    }
}
