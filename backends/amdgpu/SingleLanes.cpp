// LLVM lets the lanes of a wave perform their atomics at one place as one: it counts the lanes,
// combines their values in a loop, and chooses a lane. Where a branch lets only one lane through,
// that is some 20 instructions for nothing. LLVM leaves an atomic alone if lanes have places of
// their own, so the place gets a part that is a function of the lane: 0 in the lane that comes.
// The instruction takes an offset of each lane anyway.
#include "backends/amdgpu/SingleLanes.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// A number of which no two lanes of a wave have the same, and the one of the lane that comes.
struct Lane {
  Value *number = nullptr;
  const APInt *only = nullptr;
};

} // namespace

/// True for the thread's index in the block, and for that in its wave.
static bool isOfLane(Value *value) {
  const APInt *mask;
  if (match(value, m_And(m_Value(value), m_APInt(mask))) && !(mask->isMask() && mask->uge(31)))
    return false;
  return match(value, m_Intrinsic<Intrinsic::amdgcn_workitem_id_x>());
}

/// The lane for which the condition holds, if it holds for one only.
static Lane laneOf(Value *condition, bool holds) {
  Value *a, *b;
  if (holds ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
            : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    const Lane first = laneOf(a, holds);
    return first.number ? first : laneOf(b, holds);
  }
  Lane lane;
  ICmpInst::Predicate predicate;
  if (match(condition, m_ICmp(predicate, m_Value(lane.number), m_APInt(lane.only))) &&
      predicate == (holds ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE) && isOfLane(lane.number))
    return lane;
  return {};
}

/// The one lane of a wave that reaches the block, if a branch says so.
static Lane laneIn(const BasicBlock &block, const DominatorTree &tree) {
  constexpr unsigned mostBranches = 16;
  unsigned branches = 0;
  for (auto *node = tree.getNode(&block); node && node->getIDom() && branches < mostBranches;
       node = node->getIDom(), ++branches) {
    const BasicBlock *from = node->getIDom()->getBlock();
    const auto *branch = dyn_cast<BranchInst>(from->getTerminator());
    if (!branch || !branch->isConditional())
      continue;
    for (unsigned side : {0u, 1u})
      if (tree.dominates(BasicBlockEdge(from, branch->getSuccessor(side)), &block))
        if (const Lane lane = laneOf(branch->getCondition(), side == 0); lane.number)
          return lane;
  }
  return {};
}

/// True if all lanes have the value, as far as the next few operations show it.
static bool isOfWave(const Value *value, unsigned steps = 6) {
  if (isa<Constant, Argument>(value))
    return true;
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || steps == 0)
    return false;
  if (match(instruction, m_Intrinsic<Intrinsic::amdgcn_workgroup_id_x>()))
    return true;
  return isa<GetElementPtrInst, CastInst, BinaryOperator>(instruction) &&
         all_of(instruction->operands(),
                [&](const Use &operand) { return isOfWave(operand, steps - 1); });
}

void sextant::leaveSingleLanes(Function &function) {
  SmallVector<AtomicRMWInst *> atomics;
  for (Instruction &instruction : instructions(function))
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      if (isOfWave(atomic->getPointerOperand()))
        atomics.push_back(atomic);
  if (atomics.empty())
    return;
  const DominatorTree tree(function);
  for (AtomicRMWInst *atomic : atomics) {
    const Lane lane = laneIn(*atomic->getParent(), tree);
    if (!lane.number)
      continue;
    IRBuilder<> b(atomic);
    Value *zero = b.CreateSub(lane.number, b.getInt(*lane.only));
    atomic->setOperand(AtomicRMWInst::getPointerOperandIndex(),
                       b.CreateGEP(b.getInt8Ty(), atomic->getPointerOperand(),
                                   b.CreateZExt(zero, b.getInt64Ty())));
  }
}
