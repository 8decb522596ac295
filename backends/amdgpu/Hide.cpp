// An empty piece of assembly, whose result is its operand.
#include "backends/amdgpu/Hide.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

// Convergent, so that no pass moves it to a place that fewer lanes reach.
Value *sextant::hide(IRBuilderBase &b, Value *value) {
  Type *type = value->getType();
  if (type->isIntegerTy() && type->getIntegerBitWidth() < 32)
    return b.CreateTrunc(hide(b, b.CreateZExt(value, b.getInt32Ty())), type);
  InlineAsm *nothing = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=v,0",
                                      /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(nothing, {value});
  call->setConvergent();
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  return call;
}
