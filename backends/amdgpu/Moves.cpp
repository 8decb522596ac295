// LLVM 19 folds a move between lanes (DPP) into the instruction that uses its result. Three of
// these foldings are wrong:
//  - GCNDPPCombine overlooks a use of a whole 64-bit value if it has folded another use of one of
//    its halves, and leaves that half undefined.
//  - It folds into instructions that have no such form: 64-bit shifts by the moved value on gfx12,
//    and conversions to f64 on gfx90a and gfx942. LLVM then emits no code for them.
//  - SIFoldOperands, which runs again after it, swaps the operands of a folded instruction to make
//    room for a constant or a scalar register, so that the wrong operand is moved.
#include "backends/amdgpu/Moves.h"
#include "backends/amdgpu/Hide.h"

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// True if machine code works on the two halves of 64 bits separately.
static bool worksOnHalves(const Instruction &user) {
  switch (user.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return true;
  default:
    return false;
  }
}

/// True if only instructions of 32 bits, or of halves, can use `moved`.
static bool foldsWell(const Instruction &moved) {
  for (const User *each : moved.users()) {
    const auto *user = cast<Instruction>(each);
    const Type *type = user->getType();
    if (isa<BitCastInst, TruncInst>(user) && !type->isVectorTy()) {
      if (!foldsWell(*user))
        return false;
      continue;
    }
    // LLVM may merge a store with a neighbouring store.
    const bool isNarrow = type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy()
                              ? type->getPrimitiveSizeInBits() <= 32
                              : isa<StoreInst>(user) && moved.hasOneUse();
    if (isNarrow && !isa<AtomicCmpXchgInst>(user))
      continue;
    // A half of a 64-bit value: (zext high << 32) | zext low.
    const Instruction *whole = user;
    while (whole->hasOneUse() &&
           (isa<ZExtInst>(whole) || match(whole, m_Shl(m_Value(), m_SpecificInt(32)))))
      whole = cast<Instruction>(*whole->user_begin());
    const bool isWhole = match(whole, m_Or(m_Value(), m_Value())) && whole->hasOneUse();
    if (!moved.hasOneUse() || !isWhole || !worksOnHalves(*cast<Instruction>(*whole->user_begin())))
      return false;
  }
  return true;
}

void sextant::keepMoves(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<IntrinsicInst *> moves;
  for (Instruction &instruction : instructions(function))
    if (match(&instruction, m_Intrinsic<Intrinsic::amdgcn_update_dpp>()))
      moves.push_back(cast<IntrinsicInst>(&instruction));
  if (moves.empty())
    return;
  const auto &uniformity = analyses.getResult<UniformityInfoAnalysis>(function);
  for (IntrinsicInst *move : moves) {
    constexpr unsigned source = 1;
    IRBuilder<> b(move);
    if (Value *value = move->getArgOperand(source);
        isa<Constant>(value) || uniformity.isUniform(value))
      move->setArgOperand(source, hide(b, value));
    if (foldsWell(*move))
      continue;
    b.SetInsertPoint(move->getNextNode());
    Value *hidden = hide(b, move);
    move->replaceUsesWithIf(hidden, [&](const Use &use) { return use.getUser() != hidden; });
  }
}
