// ptxas makes a branch of each exact quotient and root, to code for subnormal and huge numbers, and
// moves no load over it. So in
//
//     a = sqrt(x[i]); b = y[i] / z[i]
//
// a thread would wait for memory twice: for `x`, and after the root for the others. LLVM leaves
// loads where the source has them. Functions of libdevice branch as well, and once they are
// inlined, each branch ends a block of code.
#include "backends/cuda/EarlyLoads.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

/// As many words as wait in registers meanwhile.
static constexpr unsigned mostWords = 16;
static constexpr unsigned globalMemory = 1;

/// Also if it writes: what it writes is the thread's own.
static bool isOfLibdevice(const Instruction &op) {
  const auto *call = dyn_cast<CallInst>(&op);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("__nv_");
}

static bool branchesInPtxas(Instruction &op) {
  switch (op.getOpcode()) {
  case Instruction::FDiv:
  case Instruction::FRem:
    return true;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return op.getType()->isIntegerTy(64);
  default:
    return match(&op, m_Sqrt(m_Value()));
  }
}

namespace {

/// The first of a block's branches, what comes after it, and the words that moved in front of it.
struct Wall {
  Instruction *op;
  SmallPtrSet<Value *, 32> after;
  unsigned words = 0;

  bool collect(Value *value, SmallVectorImpl<Instruction *> &all) const;
  void moveUp(LoadInst &load);
};

} // namespace

/// Collects what has to move with `value`, in order. Returns false if that is more than arithmetic
/// on addresses.
bool Wall::collect(Value *value, SmallVectorImpl<Instruction *> &all) const {
  if (!after.contains(value) || is_contained(all, value))
    return true;
  auto *part = cast<Instruction>(value);
  const bool isAddress =
      isa<GetElementPtrInst, CastInst>(part) ||
      (isa<BinaryOperator>(part) && part->getType()->isIntegerTy() && !part->isIntDivRem());
  if (!isAddress || !all_of(part->operands(), [&](Value *of) { return collect(of, all); }))
    return false;
  all.push_back(part);
  return true;
}

void Wall::moveUp(LoadInst &load) {
  const unsigned more = unsigned(load.getType()->getPrimitiveSizeInBits() + 31) / 32;
  SmallVector<Instruction *> all;
  if (words + more > mostWords || !collect(load.getPointerOperand(), all))
    return;
  words += more;
  all.push_back(&load);
  for (Instruction *each : all) {
    each->moveBefore(op);
    after.erase(each);
  }
}

static void loadBefore(function_ref<bool(Instruction &)> isWall, BasicBlock &block) {
  std::optional<Wall> wall;
  for (Instruction &op : make_early_inc_range(block)) {
    if (op.mayHaveSideEffects() && !isOfLibdevice(op))
      wall.reset();
    else if (wall)
      wall->after.insert(&op);
    else if (isWall(op))
      wall = Wall{&op, {&op}};
    auto *load = dyn_cast<LoadInst>(&op);
    if (wall && load && load->getPointerAddressSpace() == globalMemory)
      wall->moveUp(*load);
  }
}

static void loadBefore(function_ref<bool(Instruction &)> isWall, Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      loadBefore(isWall, block);
}

void sextant::loadBeforeCalls(Module &module) { loadBefore(isOfLibdevice, module); }

void sextant::loadBeforeBranches(Module &module) { loadBefore(branchesInPtxas, module); }
