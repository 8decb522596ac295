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
  pipeline.addPass(createCanonicalizerPass(config));
  pipeline.addPass(createCSEPass());
  return pipeline.run(module);
}
