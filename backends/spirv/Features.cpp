// Which operations are one instruction, and which sets of features make variants.
#include "backends/spirv/Features.h"
#include "backends/spirv/Task.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
using simt::AtomicKind;
using simt::Combine;

//===--- Atomics on reals --------------------------------------------------===//

/// The words of VK_EXT_shader_atomic_float say buffers and shared memory in one, those of
/// VK_EXT_shader_atomic_float2 each by itself: that is how devices have them.
std::string sextant::spirv::atomicFeature(simt::AtomicRmwOp op) {
  mlir::Type type = op.getValue().getType();
  if (!isa<mlir::FloatType>(type))
    return "";
  AtomicKind kind = op.getKind();
  bool isMinMax = kind == AtomicKind::MinF || kind == AtomicKind::MaxF;
  bool isAdd = kind == AtomicKind::AddF;
  if (!isMinMax && !isAdd && !(type.isF16() && kind == AtomicKind::Exchange))
    return "";
  std::string word = "float" + std::to_string(type.getIntOrFloatBitWidth()) +
                     (isMinMax ? "-minmax-atomics" : "-atomics");
  bool isShared = op.getBuffer().getType().getSpace() == simt::Space::Shared;
  return isShared && (isMinMax || type.isF16()) ? "shared-" + word : word;
}

bool sextant::spirv::isNativeOnReals(simt::AtomicRmwOp op, const SpirvOptions &options) {
  // Metal adds reals in device memory alone.
  if (options.metal && op.getBuffer().getType().getSpace() == simt::Space::Shared)
    return false;
  std::string feature = atomicFeature(op);
  return !feature.empty() && hasFeature(options, feature);
}

ArrayRef<std::string> sextant::spirv::variantFeatures() {
  static const std::string all[] = {
      "float16-atomics",
      "float16-minmax-atomics",
      "float32-atomics",
      "float32-minmax-atomics",
      "float64-atomics",
      "float64-minmax-atomics",
      "shared-float16-atomics",
      "shared-float16-minmax-atomics",
      "shared-float32-minmax-atomics",
      "shared-float64-minmax-atomics",
      "subgroup-clustered",
      "subgroup-extended-types",
  };
  return all;
}

/// An operation is one instruction only where all on its memory are: of those that `allowed`
/// names, the ones that make a difference.
static std::vector<std::string> usefulAmong(mlir::ModuleOp module, ArrayRef<std::string> allowed) {
  SpirvOptions options;
  options.features = allowed.vec();
  std::set<std::string> useful;
  module.walk([&](simt::AtomicRmwOp op) {
    if (isNativeOnReals(op, options) && !holdsBits(op.getBuffer(), options))
      useful.insert(atomicFeature(op));
  });
  return {useful.begin(), useful.end()};
}

std::vector<std::vector<std::string>> sextant::spirv::usefulFeatures(mlir::ModuleOp module) {
  std::vector<std::vector<std::string>> sets = {usefulAmong(module, variantFeatures())};
  // Many devices have additions of f32 and f64 and nothing else.
  std::vector<std::string> additions = usefulAmong(module, {"float32-atomics", "float64-atomics"});
  if (additions != sets.front())
    sets.push_back(std::move(additions));
  llvm::erase_if(sets, [](const auto &set) { return set.empty(); });
  return sets;
}

//===--- Reductions and scans ----------------------------------------------===//

/// Whether the device's own operation says exactly what the dialect's does: on types that
/// need no feature, or one that the variant has, with an operator whose result is defined for
/// all values. Minima of reals are not: where all are NaN, the instruction's result is undefined.
static bool isNative(Combine kind, mlir::Type type, const SpirvOptions &options) {
  if (kind == Combine::MinF || kind == Combine::MaxF)
    return false;
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 32 || (width == 64 && hasFeature(options, "subgroup-extended-types"));
}

static unsigned waveOf(mlir::Operation *op) {
  return simt::getWaveSize(op->getParentOfType<mlir::ModuleOp>());
}

bool sextant::spirv::isNativeReduce(simt::ReduceOp op, const SpirvOptions &options) {
  unsigned size = 1u << op.getLog2Size();
  bool isTile = size != waveOf(op);
  if (isTile && (size == 1 || !hasFeature(options, "subgroup-clustered")))
    return false;
  return isNative(op.getKind(), op.getType(), options);
}

bool sextant::spirv::isNativeScan(simt::ScanOp op, const SpirvOptions &options) {
  if ((1u << op.getLog2Size()) != waveOf(op) || !isNative(op.getKind(), op.getType(), options))
    return false;
  // MSL has prefix sums and products.
  Combine kind = op.getKind();
  return !options.metal || kind == Combine::AddI || kind == Combine::AddF ||
         kind == Combine::MulI || kind == Combine::MulF;
}
