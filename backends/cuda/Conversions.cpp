// PTX's conversions of reals saturate. For NaN they yield 0, but 2^31 or 2^63 of f64 and for 64
// bits (PTX ISA, cvt, "Integer Notes"; so it does on an H100).
#include "backends/cuda/Conversions.h"
#include "backends/common/Conversions.h"

#include "llvm/IR/InlineAsm.h"

using namespace llvm;

/// The instruction is hidden from LLVM, which would take it for a conversion without a result out
/// of range.
static Value *convert(IRBuilder<> &b, Value *real, Type *type, bool isUnsigned) {
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

void sextant::selectPtxConversions(Module &module) { replaceToInts(module, convert); }
