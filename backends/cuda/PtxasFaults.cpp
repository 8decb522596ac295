#include "backends/cuda/PtxasFaults.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// Matches a signed minimum or maximum, also as a comparison and a choice.
static bool isMinMax(const User *user) {
  return match(user, m_SMin(m_Value(), m_Value())) || match(user, m_SMax(m_Value(), m_Value()));
}

/// From sm_90 on, a signed minimum or maximum of three 32-bit values is one instruction, which
/// cannot negate. ptxas 13.0.88 drops the negation of an operand (`min(a, min(b, -c))` becomes
/// `VIMNMX3 a, b, c`). A negation that is written as `~c + 1` is computed. LLVM would turn that
/// back into a negation, so it is hidden from LLVM. PTX may be compiled for any architecture, so
/// all get the workaround.
static void spellNegations(Function &function) {
  FunctionType *type = nullptr;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *value = nullptr;
    if (!instruction.getType()->isIntegerTy(32) || !match(&instruction, m_Neg(m_Value(value))) ||
        none_of(instruction.users(), isMinMax))
      continue;
    IRBuilder<> b(&instruction);
    if (!type)
      type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
    InlineAsm *text = InlineAsm::get(type, "not.b32 $0, $1;\n\tadd.s32 $0, $0, 1;", "=r,r",
                                     /*hasSideEffects=*/false);
    CallInst *negated = b.CreateCall(text, {value});
    negated->setDoesNotThrow();
    negated->setDoesNotAccessMemory();
    instruction.replaceUsesWithIf(negated, [](Use &use) { return isMinMax(use.getUser()); });
    if (instruction.use_empty())
      instruction.eraseFromParent();
  }
}

void sextant::avoidPtxasFaults(Module &module) {
  for (Function &function : module)
    spellNegations(function);
}
