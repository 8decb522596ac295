// Folding and canonicalisation, through MLIR's own pass, without the threads and the verifier runs
// of a full pass pipeline; and common subexpressions.
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

LogicalResult sextant::simt::simplify(ModuleOp module) {
  PassManager pipeline(module.getContext());
  pipeline.enableVerifier(false);
  GreedyRewriteConfig config;
  config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
  static const std::string leftOut[] = {
      // It takes the distance of a loop's bounds for a number of their type: a loop from -2e9 to
      // 2e9 would run nothing. irgen drops the loops that it is good for.
      "(anonymous namespace)::SimplifyTrivialLoops",
      // They make one op of the upper half of a product, which no backend has. LLVM and the
      // drivers find their instructions in the product of extended numbers.
      "(anonymous namespace)::TruncIShrUIMulIToMulSIExtended",
      "(anonymous namespace)::TruncIShrUIMulIToMulUIExtended",
      // This pattern recreates the multiplication and drops the `precise` attribute.
      "(anonymous namespace)::MulFOfNegF",
  };
  pipeline.addPass(createCanonicalizerPass(config, leftOut));
  if (failed(pipeline.run(module)))
    return failure();
  mergeEqual(module);
  return success();
}
