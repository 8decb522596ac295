// LLVM 19 chooses these instructions only for a whole program, by an option of its target machine,
// which would also reach into libdevice. Before this, the optimiser computes quotients and roots of
// constants, and multiplies where a constant divides.
#include "backends/cuda/Approximate.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

static bool mayApproximate(const Value *value) {
  const auto *operation = dyn_cast<FPMathOperator>(value);
  return operation && operation->getType()->isFloatTy() && operation->hasApproxFunc();
}

/// The operand of the root that `value` is. Null if `value` is not a root that may be approximated.
static Value *squareOf(Value *value) {
  Value *square = nullptr;
  return mayApproximate(value) && match(value, m_Sqrt(m_Value(square))) ? square : nullptr;
}

/// ptxas makes `div.approx.ftz` the same product, but one that is never part of an fma.
static Value *quotient(IRBuilder<> &b, Value *dividend, Value *divisor) {
  Value *square = squareOf(divisor);
  Value *inverse = square ? b.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_ftz_f, {}, {square})
                          : b.CreateIntrinsic(Intrinsic::nvvm_rcp_approx_ftz_f, {}, {divisor});
  return match(dividend, m_FPOne()) ? inverse : b.CreateFMul(dividend, inverse);
}

static Value *approximation(Instruction &instruction) {
  IRBuilder<> b(&instruction);
  if (Value *square = squareOf(&instruction))
    return b.CreateIntrinsic(Intrinsic::nvvm_sqrt_approx_ftz_f, {}, {square});
  if (instruction.getOpcode() != Instruction::FDiv || !mayApproximate(&instruction))
    return nullptr;
  b.setFastMathFlags(instruction.getFastMathFlags());
  return quotient(b, instruction.getOperand(0), instruction.getOperand(1));
}

/// Uses come first: a quotient has to see the root that it divides by.
static void approximate(Function &function) {
  for (BasicBlock *block : post_order(&function))
    for (Instruction &instruction : make_early_inc_range(reverse(*block)))
      if (Value *value = approximation(instruction)) {
        instruction.replaceAllUsesWith(value);
        instruction.eraseFromParent();
      }
}

void sextant::approximate(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      ::approximate(function);
}
