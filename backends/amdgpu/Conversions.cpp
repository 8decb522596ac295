// AMD's conversions to words saturate, and yield 0 for NaN. LLVM selects them for its conversions
// that leave this open, and after the optimiser nothing makes use of that but one rule: an integer
// that becomes a real and an integer again stays one.
#include "backends/amdgpu/Conversions.h"
#include "backends/amdgpu/Hide.h"
#include "backends/common/Conversions.h"

using namespace llvm;

static Value *convert(IRBuilder<> &b, Value *real, Type *type, bool isUnsigned) {
  if (isa<SIToFPInst, UIToFPInst, ExtractElementInst>(real)) // an element may have been one
    real = sextant::hide(b, real);
  return isUnsigned ? b.CreateFPToUI(real, type) : b.CreateFPToSI(real, type);
}

void sextant::selectAmdConversions(Module &module) { replaceToInts(module, convert); }
