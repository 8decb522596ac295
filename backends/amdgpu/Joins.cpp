// When the lanes of a divergent branch meet again, a phi has a value of its own for each lane. LLVM
// 19's uniformity analysis misses some of these joins: its search ends too early if both sides of
// the branch have several blocks (llvm/llvm-project#137277), and at some exits of loops (#216296).
// It then gives one lane's value to all lanes.
#include "backends/amdgpu/Joins.h"
#include "backends/amdgpu/Hide.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/UniformityAnalysis.h"

#include <map>

using namespace llvm;

namespace {

using Order = DenseMap<const BasicBlock *, unsigned>; // reverse post-order
using Blocks = SmallPtrSet<const BasicBlock *, 8>;

/// Adds the blocks that two paths from `branch` reach without a block in common. The label of a
/// block is the last block that all paths to it share; two labels that meet make a join. After a
/// loop with several exits this may add one join too many, which costs a register, but never one
/// too few. All paths meet in `end`; nothing is joined after it.
void addJoins(const BasicBlock &branch, const BasicBlock *end, const Order &order, Blocks &joins) {
  DenseMap<const BasicBlock *, const BasicBlock *> labels;
  // Blocks after the branch come before those that its loops lead back to.
  std::map<unsigned, const BasicBlock *> changed;
  const unsigned start = order.lookup(&branch), count = order.size();
  auto reach = [&](const BasicBlock *block, const BasicBlock *label) {
    auto [known, isNew] = labels.try_emplace(block, label);
    if (!isNew && known->second != label) {
      joins.insert(block);
      isNew = known->second != block;
      known->second = block;
    }
    if (isNew && block != &branch && block != end)
      changed.emplace((order.lookup(block) + count - start) % count, block);
  };
  for (const BasicBlock *successor : successors(&branch))
    reach(successor, successor);
  while (!changed.empty()) {
    const BasicBlock *block = changed.begin()->second;
    changed.erase(changed.begin());
    for (const BasicBlock *successor : successors(block))
      reach(successor, labels.lookup(block));
  }
}

/// Phis of joins that LLVM considers uniform.
SmallVector<PHINode *> findMissed(Function &function, FunctionAnalysisManager &analyses) {
  auto &uniformity = analyses.getResult<UniformityInfoAnalysis>(function);
  const auto &ends = analyses.getResult<PostDominatorTreeAnalysis>(function);
  Order order;
  for (const BasicBlock *block : ReversePostOrderTraversal<const Function *>(&function))
    order.try_emplace(block, order.size());
  Blocks joins;
  for (const auto &[block, index] : order)
    if (uniformity.hasDivergentTerminator(*block)) {
      const auto *node = ends.getNode(block);
      const auto *next = node ? node->getIDom() : nullptr;
      addJoins(*block, next ? next->getBlock() : nullptr, order, joins);
    }
  SmallVector<PHINode *> missed;
  for (BasicBlock &block : function)
    if (joins.contains(&block))
      for (PHINode &phi : block.phis())
        if (uniformity.isUniform(&phi) && !phi.hasConstantOrUndefValue())
          missed.push_back(&phi);
  return missed;
}

} // namespace

void sextant::keepJoins(Function &function, FunctionAnalysisManager &analyses) {
  // Uses of such a phi are divergent too, and a branch on it has joins of its own.
  SmallPtrSet<const PHINode *, 8> kept;
  while (true) {
    bool changed = false;
    for (PHINode *phi : findMissed(function, analyses)) {
      if (!kept.insert(phi).second)
        continue;
      IRBuilder<> b(phi->getParent(), phi->getParent()->getFirstInsertionPt());
      SmallVector<Use *> uses;
      for (Use &use : phi->uses())
        uses.push_back(&use);
      Value *own = hide(b, phi);
      for (Use *use : uses)
        use->set(own);
      changed = true;
    }
    if (!changed)
      return;
    PreservedAnalyses preserved;
    preserved.preserveSet<CFGAnalyses>();
    analyses.invalidate(function, preserved);
  }
}
