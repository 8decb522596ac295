// From what the frontend generates to what the emitter takes.
#include "backends/spirv/Features.h"

#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace sextant;

/// Vulkan asks too little of GLSL's functions (sine to 2^-11) and of the division of reals
/// (2.5 units in the last place; NVIDIA's driver makes use of that), but for the inverse
/// square root. Those of f64 that there are, and MSL's precise ones, are good. MSL's
/// remainder is inexact, and its log10 has no name in SPIR-V.
static bool isNativeMath(mlir::Operation *op, bool metal) {
  if (metal)
    return !isa<mlir::arith::RemFOp, mlir::math::Log10Op>(op);
  mlir::Type type = op->getResult(0).getType();
  return isa<mlir::math::RsqrtOp>(op) && !type.isF64();
}

mlir::LogicalResult sextant::spirv::prepare(mlir::ModuleOp module, const SpirvOptions &options) {
  simt::expandBarrierReduce(module);
  simt::expandSubgroup(module, {[&](simt::ReduceOp op) { return isNativeReduce(op, options); },
                                [&](simt::ScanOp op) { return isNativeScan(op, options); },
                                [](simt::VoteOp) { return true; }, nullptr});
  simt::expandMath(module, [&](mlir::Operation *op) { return isNativeMath(op, options.metal); });
  if (failed(simt::simplify(module)))
    return mlir::failure();
  if (narrowComparisons(module) && failed(simt::simplify(module)))
    return mlir::failure();
  if (!options.metal)
    avoidDriverFaults(module); // last: simplification would undo it
  return mlir::success();
}
