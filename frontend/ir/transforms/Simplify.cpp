// Folding, canonicalisation and common subexpressions, through MLIR's own
// passes, without the threads and the verifier runs of a full pass pipeline.
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

LogicalResult sextant::simt::simplify(ModuleOp module) {
  PassManager pipeline(module.getContext());
  pipeline.enableVerifier(false);
  GreedyRewriteConfig config;
  config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
  // It takes the distance of a loop's bounds for a number of their type: a loop from -2e9 to 2e9
  // would run nothing. irgen drops the loops that it is good for.
  const std::string trivialLoops = "(anonymous namespace)::SimplifyTrivialLoops";
  pipeline.addPass(createCanonicalizerPass(config, trivialLoops));
  pipeline.addPass(createCSEPass());
  return pipeline.run(module);
}
