// LLVM tests whether a bit is 1, and ptxas makes one instruction of a test whether it is not 0: of
// the three that choose between a sine's polynomials, two are left out. LLVM would turn the
// comparison back, so it is hidden from LLVM.
#include "backends/cuda/LowestBits.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// The number whose lowest bit the operation yields, or the opposite if `isEven`; or null.
static Value *numberOf(Instruction &op, bool &isEven) {
  Value *number = nullptr;
  ICmpInst::Predicate predicate = ICmpInst::ICMP_NE;
  const bool isTest = match(&op, m_ICmp(predicate, m_And(m_Value(number), m_One()), m_Zero())) ||
                      (op.getType()->isIntegerTy(1) && match(&op, m_Trunc(m_Value(number))));
  isEven = predicate == ICmpInst::ICMP_EQ;
  return isTest && number->getType()->isIntegerTy(32) && (isEven || predicate == ICmpInst::ICMP_NE)
             ? number
             : nullptr;
}

void sextant::testLowestBits(Module &module) {
  for (Function &function : module)
    for (Instruction &op : make_early_inc_range(instructions(function))) {
      bool isEven = false;
      Value *number = numberOf(op, isEven);
      if (!number)
        continue;
      IRBuilder<> b(&op);
      Value *bit = b.CreateAnd(number, 1);
      InlineAsm *test =
          InlineAsm::get(FunctionType::get(b.getInt1Ty(), {bit->getType()}, false),
                         isEven ? "setp.eq.b32 $0, $1, 0;" : "setp.ne.b32 $0, $1, 0;", "=b,r",
                         /*hasSideEffects=*/false);
      CallInst *result = b.CreateCall(test, {bit});
      result->setDoesNotThrow();
      result->setDoesNotAccessMemory();
      op.replaceAllUsesWith(result);
      op.eraseFromParent();
    }
}
