// LLVM takes as many iterations a step as fit 75 instructions: two of N-body, whose loads and
// square roots then wait for each other. Of a loop of known length it counts the instructions for
// the index, too, which unrolling removes.
#include "backends/cuda/ShortLoops.h"
#include "backends/common/Codegen.h"
#include "frontend/ir/SimtDialect.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

/// Instructions of an iteration. Of less, LLVM takes four or more.
static constexpr unsigned least = 16, most = 40;
/// Iterations of a loop that is unrolled as a whole, and instructions of all of them. Those for the
/// index do not count.
static constexpr unsigned mostIterations = 64, mostOfAll = 256, ofIndex = 3;

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

/// How many iterations of the loop a step takes.
static unsigned stepOf(const Loop &loop, ScalarEvolution &counts) {
  const unsigned size = loop.getNumBlocks() == 1 ? sizeOf(*loop.getHeader()) : 0;
  const unsigned count = counts.getSmallConstantTripCount(&loop);
  if (size > ofIndex && count && count <= mostIterations && (size - ofIndex) * count <= mostOfAll)
    return sextant::simt::unrollWhole;
  const bool isKnown = counts.hasLoopInvariantBackedgeTakenCount(&loop);
  return isKnown && size >= least && size <= most ? 4 : sextant::simt::unrollFreely;
}

namespace {

struct UnrollShortLoops : PassInfoMixin<UnrollShortLoops> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &counts = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (hasUnrollTransformation(loop) == TM_Unspecified && loop->getLoopLatch())
        sextant::hintUnroll(loop->getLoopLatch()->getTerminator(), stepOf(*loop, counts));
    return PreservedAnalyses::all();
  }
};

} // namespace

void sextant::unrollShortLoops(PassBuilder &passes) {
  passes.registerVectorizerStartEPCallback([](FunctionPassManager &pipeline, OptimizationLevel) {
    pipeline.addPass(UnrollShortLoops());
  });
}
