// LLVM runs as many iterations a step as fit 75 instructions: two of N-body, whose loads and square
// roots then wait for each other.
#include "backends/cuda/UnrollByFour.h"
#include "backends/common/Codegen.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

/// Instructions of an iteration. Of less, LLVM runs four or more a step.
static constexpr unsigned least = 16, most = 40;

/// The instructions that are more in each iteration, or 0 if iterations must stay apart.
static unsigned sizeOf(const BasicBlock &body) {
  unsigned size = 0;
  for (const Instruction &op : body) {
    const auto *call = dyn_cast<CallBase>(&op);
    if (op.isVolatile() || op.isAtomic() || (call && (call->isConvergent() || call->isInlineAsm())))
      return 0;
    size += !isa<PHINode, GetElementPtrInst, CastInst, ExtractElementInst>(op);
  }
  return size;
}

namespace {

struct UnrollByFour : PassInfoMixin<UnrollByFour> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &counts = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
      if (loop->getNumBlocks() != 1 || hasUnrollTransformation(loop) != TM_Unspecified ||
          !counts.hasLoopInvariantBackedgeTakenCount(loop))
        continue;
      if (const unsigned size = sizeOf(*loop->getHeader()); size >= least && size <= most)
        sextant::hintUnroll(loop->getHeader()->getTerminator(), 4);
    }
    return PreservedAnalyses::all();
  }
};

} // namespace

void sextant::unrollByFour(PassBuilder &passes) {
  passes.registerVectorizerStartEPCallback(
      [](FunctionPassManager &pipeline, OptimizationLevel) { pipeline.addPass(UnrollByFour()); });
}
