// Finds the conversions that saturate, and takes vectors of them apart.
#include "backends/common/Conversions.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

void sextant::replaceToInts(
    Module &module,
    function_ref<Value *(IRBuilder<> &, Value *real, Type *integer, bool isUnsigned)> emit) {
  SmallVector<IntrinsicInst *> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        if (call->getIntrinsicID() == Intrinsic::fptosi_sat ||
            call->getIntrinsicID() == Intrinsic::fptoui_sat)
          found.push_back(call);
  for (IntrinsicInst *call : found) {
    IRBuilder<> b(call);
    Value *real = call->getArgOperand(0);
    Type *integer = call->getType()->getScalarType();
    const bool isUnsigned = call->getIntrinsicID() == Intrinsic::fptoui_sat;
    Value *result = nullptr;
    if (auto *vector = dyn_cast<FixedVectorType>(call->getType())) {
      result = PoisonValue::get(vector);
      for (unsigned k = 0; k < vector->getNumElements(); ++k)
        result = b.CreateInsertElement(
            result, emit(b, b.CreateExtractElement(real, k), integer, isUnsigned), k);
    } else {
      result = emit(b, real, integer, isUnsigned);
    }
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}
