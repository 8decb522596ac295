// A short pipeline: the code is already vectors, without calls to inline. What it
// needs is slots turned into registers, redundant address and mask arithmetic
// folded, and invariant code out of the loops over blocks and chunks.
#include "backends/cpu/Optimize.h"

#include "backends/common/Codegen.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

static constexpr const char fastPipeline[] = "function(sroa,early-cse,simplifycfg)";

static constexpr const char fullPipeline[] =
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm<allowspeculation>),simplifycfg,"
    "loop(indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,gvn,bdce,dse,"
    "loop-mssa(licm<allowspeculation>),instcombine<no-verify-fixpoint>,adce,"
    "simplifycfg<sink-common-insts;hoist-common-insts>)";

Error sextant::cpu::optimizeVectorCode(Module &module, TargetMachine &machine, unsigned optLevel,
                                       bool vectorize) {
  if (vectorize && optLevel >= 2) {
    optimize(module, machine, optLevel, /*vectorize=*/true);
    return Error::success();
  }
  PassBuilder passes(&machine);
  Analyses analyses(passes);
  ModulePassManager pipeline;
  if (Error error = passes.parsePassPipeline(pipeline, optLevel == 0 ? fastPipeline : fullPipeline))
    return error;
  pipeline.run(module, analyses.modules);
  return Error::success();
}
