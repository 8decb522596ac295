// One function for each miscompile of LLVM 19.1. A test of tests/amdgpu fails without it.
#include "backends/amdgpu/Workarounds.h"
#include "backends/amdgpu/Hide.h"
#include "backends/amdgpu/Joins.h"
#include "backends/amdgpu/Moves.h"
#include "backends/common/Codegen.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;
using namespace llvm::PatternMatch;

/// LLVM turns unsigned divisions of values with many equal leading bits into divisions of 24-bit
/// floats, even if those bits are ones (AMDGPUCodeGenPrepare counts sign bits).
static void hideSigns(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction : instructions(function)) {
    unsigned opcode = instruction.getOpcode();
    if (opcode != Instruction::UDiv && opcode != Instruction::URem)
      continue;
    for (Use &operand : instruction.operands()) {
      unsigned width = operand->getType()->getScalarSizeInBits();
      if (width != 32 && width != 64)
        continue;
      // LLVM turns a constant divisor of 32 bits into a multiplication, whatever its bits.
      if (isa<Constant>(operand) && width == 32 && operand.getOperandNo() == 1)
        continue;
      if (ComputeNumSignBits(operand, layout) == 1 ||
          isKnownNonNegative(operand, SimplifyQuery(layout, &instruction)))
        continue;
      IRBuilder<> b(&instruction);
      operand = sextant::hide(b, operand);
    }
  }
}

/// `x or -1` becomes x if LLVM sees the -1 only after instruction selection (SIFoldOperands drops
/// the wrong operand). That happens to halves of 64 bits, so these are split here.
static void splitOrs(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (instruction.getOpcode() != Instruction::Or || !instruction.getType()->isIntegerTy(64) ||
        isa<Constant>(instruction.getOperand(0)) || isa<Constant>(instruction.getOperand(1)))
      continue;
    APInt ones(64, 0);
    for (Value *operand : instruction.operands())
      ones |= computeKnownBits(operand, layout).One;
    bool isHigh = ones.extractBits(32, 32).isAllOnes(), isLow = ones.trunc(32).isAllOnes();
    if (!isHigh && !isLow)
      continue;
    IRBuilder<> b(&instruction);
    auto half = [&](bool known, unsigned shift) -> Value * {
      if (known)
        return b.getInt32(~0u);
      auto part = [&](unsigned i) {
        return b.CreateTrunc(b.CreateLShr(instruction.getOperand(i), shift), b.getInt32Ty());
      };
      return b.CreateOr(part(0), part(1));
    };
    Value *pair = PoisonValue::get(FixedVectorType::get(b.getInt32Ty(), 2));
    pair = b.CreateInsertElement(pair, half(isLow, 0), b.getInt32(0));
    pair = b.CreateInsertElement(pair, half(isHigh, 32), b.getInt32(1));
    instruction.replaceAllUsesWith(b.CreateBitCast(pair, b.getInt64Ty()));
    instruction.eraseFromParent();
  }
}

/// `0 - x` as the operand of another float instruction becomes a negation, which differs for x = 0
/// (SelectVOP3Mods takes either zero for -0).
static void hideZeros(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    IRBuilder<> b(&instruction);
    if (match(&instruction, m_FSub(m_PosZeroFP(), m_Value())))
      instruction.setOperand(0, sextant::hide(b, instruction.getOperand(0)));
    else if (match(&instruction, m_FAdd(m_FNeg(m_Value()), m_PosZeroFP())))
      instruction.setOperand(1, sextant::hide(b, instruction.getOperand(1)));
  }
}

/// A value that all lanes of a loop share lives in a scalar register, which goes on changing for
/// lanes that have left. Uses after the loop get a copy for each lane.
static void copyAtExit(Function &function, const UniformityInfo &uniformity) {
  SmallVector<std::pair<Instruction *, SmallVector<Use *>>> leaving;
  for (Instruction &instruction : instructions(function)) {
    if (uniformity.isDivergent(&instruction))
      continue;
    SmallVector<Use *> uses;
    for (Use &use : instruction.uses())
      if (uniformity.isDivergentUse(use))
        uses.push_back(&use);
    if (!uses.empty())
      leaving.push_back({&instruction, std::move(uses)});
  }
  for (auto &[value, uses] : leaving) {
    std::optional<BasicBlock::iterator> after = value->getInsertionPointAfterDef();
    // Vectors of other sizes than what packed instructions take lie in memory, or are not values of
    // a loop.
    const bool isOther =
        value->getType()->isVectorTy() && value->getType()->getPrimitiveSizeInBits() != 64;
    if (!after || !value->getType()->isSized() || isOther)
      continue;
    IRBuilder<> b((*after)->getParent(), *after);
    Value *copy = sextant::hide(b, value);
    for (Use *use : uses)
      use->set(copy);
  }
}

/// A condition in a loop is a mask of the lanes that are still in it. A use after the loop would
/// see the last mask. Such uses get each lane's own condition from a vector register.
static void keepConditions(Function &function, const LoopInfo &loops) {
  SmallVector<std::pair<Instruction *, SmallVector<Use *>>> leaving;
  for (Instruction &instruction : instructions(function)) {
    const Loop *loop = loops.getLoopFor(instruction.getParent());
    if (!loop || !instruction.getType()->isIntegerTy(1))
      continue;
    SmallVector<Use *> uses;
    for (Use &use : instruction.uses())
      // LLVM merges correctly what a phi takes from a block of the loop.
      if (auto *user = cast<Instruction>(use.getUser());
          !isa<PHINode>(user) && !loop->contains(user))
        uses.push_back(&use);
    if (!uses.empty())
      leaving.push_back({&instruction, std::move(uses)});
  }
  for (auto &[condition, uses] : leaving) {
    std::optional<BasicBlock::iterator> after = condition->getInsertionPointAfterDef();
    if (!after)
      continue;
    IRBuilder<> b((*after)->getParent(), *after);
    Value *kept = sextant::hide(b, b.CreateZExt(condition, b.getInt32Ty()));
    for (Use *use : uses) {
      b.SetInsertPoint(cast<Instruction>(use->getUser()));
      use->set(b.CreateICmpNE(kept, b.getInt32(0)));
    }
  }
}

void sextant::avoidMiscompiles(Module &module, TargetMachine &machine) {
  PassBuilder passes(&machine);
  Analyses analyses(passes);
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    keepJoins(function, analyses.functions);
    if (const LoopInfo &loops = analyses.functions.getResult<LoopAnalysis>(function);
        !loops.empty()) {
      copyAtExit(function, analyses.functions.getResult<UniformityInfoAnalysis>(function));
      keepConditions(function, loops);
    }
    hideSigns(function);
    splitOrs(function);
    hideZeros(function);
    // The analysis does not know what was added and removed since it ran.
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    analyses.functions.invalidate(function, preserved);
    keepMoves(function, analyses.functions);
  }
}

static bool isSleep(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::amdgcn_s_sleep;
}

/// True if `loop` only reads until something changes.
static bool waits(const Loop &loop) {
  bool reads = false;
  for (const BasicBlock *block : loop.blocks()) {
    for (const Instruction &instruction : *block) {
      if (const auto *load = dyn_cast<LoadInst>(&instruction); load && load->isVolatile())
        reads = true;
      else if (instruction.mayWriteToMemory() && !isa<FenceInst>(instruction) &&
               !isSleep(instruction))
        return false;
    }
  }
  return reads;
}

// The code generator emits a branch's first successor last.
void sextant::orderWaits(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SmallVector<const Loop *> waiting;
    for (const Loop *loop : loops.getLoopsInPreorder())
      if (waits(*loop))
        waiting.push_back(loop);
    if (waiting.empty())
      continue;
    for (BasicBlock &block : function) {
      auto *branch = dyn_cast<BranchInst>(block.getTerminator());
      if (!branch || !branch->isConditional())
        continue;
      auto waitsIn = [&](unsigned side) {
        BasicBlockEdge edge(&block, branch->getSuccessor(side));
        return any_of(waiting, [&](const Loop *loop) {
          return edge.isSingleEdge() && !loop->contains(&block) &&
                 dominators.dominates(edge, loop->getHeader());
        });
      };
      if (waitsIn(0) || !waitsIn(1))
        continue;
      IRBuilder<> b(branch);
      branch->setCondition(b.CreateNot(branch->getCondition()));
      branch->swapSuccessors();
    }
  }
}
