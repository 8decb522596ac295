// From what the frontend generates to what the emitter takes.
#include "backends/spirv/Spirv.h"

#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace sextant;
using simt::Combine;

static unsigned waveOf(mlir::Operation *op) {
  return simt::getWaveSize(op->getParentOfType<mlir::ModuleOp>());
}

/// Whether the device's own operation says exactly what the dialect's does: on all lanes,
/// on types that need no feature, with an operator whose result is defined for all values.
/// Minima of reals are not: where all are NaN, the instruction's result is undefined.
static bool isNative(Combine kind, mlir::Type type, unsigned log2Size, unsigned wave) {
  if ((1u << log2Size) != wave || type.getIntOrFloatBitWidth() != 32)
    return false;
  return kind != Combine::MinF && kind != Combine::MaxF;
}

static bool hasReduce(simt::ReduceOp op) {
  return isNative(op.getKind(), op.getType(), op.getLog2Size(), waveOf(op));
}

static bool hasScan(simt::ScanOp op, bool metal) {
  if (!isNative(op.getKind(), op.getType(), op.getLog2Size(), waveOf(op)))
    return false;
  // MSL has prefix sums and products.
  Combine kind = op.getKind();
  return !metal || kind == Combine::AddI || kind == Combine::AddF || kind == Combine::MulI ||
         kind == Combine::MulF;
}

/// Vulkan asks too little of GLSL's functions (sine to 2^-11) and of the division of reals
/// (2.5 units in the last place; NVIDIA's driver makes use of that), but for the inverse
/// square root. Those of f64 that there are, and MSL's precise ones, are good. MSL's
/// remainder is inexact.
static bool isNativeMath(mlir::Operation *op, bool metal) {
  if (metal)
    return !isa<mlir::arith::RemFOp>(op);
  mlir::Type type = op->getResult(0).getType();
  return isa<mlir::math::RsqrtOp>(op) && !type.isF64();
}

mlir::LogicalResult sextant::spirv::prepare(mlir::ModuleOp module, const SpirvOptions &options) {
  simt::expandBarrierReduce(module);
  simt::expandSubgroup(module,
                       {hasReduce, [&](simt::ScanOp op) { return hasScan(op, options.metal); },
                        [](simt::VoteOp) { return true; }});
  simt::expandMath(module, [&](mlir::Operation *op) { return isNativeMath(op, options.metal); });
  return simt::simplify(module);
}
