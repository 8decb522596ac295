// A short pipeline: the code already consists of vectors and has no calls to inline. It turns slots
// into registers, folds redundant address and mask arithmetic, and moves invariant code out of the
// loops over blocks and chunks.
#include "backends/cpu/Optimize.h"
#include "backends/cpu/Sums.h"

#include "backends/common/Codegen.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"

using namespace llvm;

static constexpr const char fastPipeline[] = "function(sroa,early-cse,simplifycfg)";

static constexpr const char fullPipeline[] =
    "function(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm<allowspeculation>),simplifycfg,"
    "loop(indvars,loop-deletion,loop-unroll-full),sroa<modify-cfg>,early-cse<memssa>,"
    "instcombine<no-verify-fixpoint>,gvn,bdce,dse,"
    "loop-mssa(licm<allowspeculation>),instcombine<no-verify-fixpoint>,sink,adce,"
    "simplifycfg<sink-common-insts;hoist-common-insts>)";

/// Estimates how many machine instructions a function becomes.
static uint64_t machineSize(const Function &function, const TargetTransformInfo &costs) {
  uint64_t size = 0;
  for (const Instruction &instruction : instructions(function)) {
    Type *type = instruction.getType();
    uint64_t parts = 1;
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      type = store->getValueOperand()->getType();
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      const Intrinsic::ID id = call->getIntrinsicID();
      const bool reads = id == Intrinsic::masked_load || id == Intrinsic::masked_gather;
      const bool writes = id == Intrinsic::masked_store || id == Intrinsic::masked_scatter;
      if (writes)
        type = call->getArgOperand(0)->getType();
      auto *lanes = dyn_cast<FixedVectorType>(type);
      Type *element = type->getScalarType();
      const bool isLegal =
          id == Intrinsic::masked_load    ? costs.isLegalMaskedLoad(type, Align(4))
          : id == Intrinsic::masked_store ? costs.isLegalMaskedStore(type, Align(4))
          : id == Intrinsic::masked_gather
              ? costs.isLegalMaskedGather(type, Align(4)) &&
                    !costs.forceScalarizeMaskedGather(cast<VectorType>(type), Align(4))
              : false;
      if ((reads || writes) && lanes && !isLegal && !element->isVoidTy())
        parts =
            4 * uint64_t(lanes->getNumElements()); // a test, a branch, a move and a block a lane
    }
    if (isa<FixedVectorType>(type))
      parts = std::max<uint64_t>(parts, costs.getNumberOfParts(type));
    size += parts;
  }
  return size;
}

void sextant::cpu::limitCodegen(const Module &module, TargetMachine &machine) {
  constexpr uint64_t largest = 16000;
  for (const Function &function : module)
    if (!function.isDeclaration() &&
        machineSize(function, machine.getTargetTransformInfo(function)) > largest)
      return machine.setOptLevel(CodeGenOptLevel::None);
}

Error sextant::cpu::optimizeVectorCode(Module &module, TargetMachine &machine, unsigned optLevel,
                                       bool vectorize) {
  if (vectorize && optLevel >= 2) {
    optimize(module, machine, optLevel, {.loops = true, .slp = true});
    return Error::success();
  }
  PassBuilder passes(&machine);
  Analyses analyses(passes);
  ModulePassManager pipeline;
  if (Error error = passes.parsePassPipeline(pipeline, optLevel == 0 ? fastPipeline : fullPipeline))
    return error;
  if (optLevel > 0) {
    FunctionPassManager sums;
    sums.addPass(JamSums());
    // Also the loops that the kernel's author wants unrolled.
    sums.addPass(LoopUnrollPass(LoopUnrollOptions(int(optLevel), /*OnlyWhenForced=*/true)));
    sums.addPass(OrderSums());
    pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(sums)));
  }
  pipeline.run(module, analyses.modules);
  return Error::success();
}
