// Decides which operations are one instruction, and which sets of features make variants.
#include "backends/spirv/Features.h"
#include "backends/spirv/BufferUse.h"
#include "backends/spirv/Marks.h"
#include "loader/abi/Features.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
using abi::VulkanFeature;
using simt::CombineKind;

//===--- Atomics on reals --------------------------------------------------===//

static VulkanFeature atomicsOnReals(unsigned width, bool isMinMax, bool isShared) {
  switch (width) {
  case 16:
    if (isMinMax)
      return isShared ? VulkanFeature::SharedFloat16MinMaxAtomics
                      : VulkanFeature::Float16MinMaxAtomics;
    return isShared ? VulkanFeature::SharedFloat16Atomics : VulkanFeature::Float16Atomics;
  case 32:
    if (isMinMax)
      return isShared ? VulkanFeature::SharedFloat32MinMaxAtomics
                      : VulkanFeature::Float32MinMaxAtomics;
    return VulkanFeature::Float32Atomics;
  default:
    if (isMinMax)
      return isShared ? VulkanFeature::SharedFloat64MinMaxAtomics
                      : VulkanFeature::Float64MinMaxAtomics;
    return VulkanFeature::Float64Atomics;
  }
}

/// A word of VK_EXT_shader_atomic_float covers buffers and shared memory.
/// VK_EXT_shader_atomic_float2 has a word for each. That is how devices support them.
std::string sextant::spirv::atomicFeature(simt::AtomicRmwOp op) {
  mlir::Type type = op.getValue().getType();
  if (!isa<mlir::FloatType>(type))
    return "";
  CombineKind kind = op.getKind();
  bool isMinMax = kind == CombineKind::MinF || kind == CombineKind::MaxF;
  bool isAdd = kind == CombineKind::AddF;
  if (!isMinMax && !isAdd && !(type.isF16() && kind == CombineKind::Exchange))
    return "";
  bool isShared = op.getBuffer().getType().getSpace() == simt::Space::Shared;
  return abi::wordOf(atomicsOnReals(type.getIntOrFloatBitWidth(), isMinMax, isShared));
}

bool sextant::spirv::isNativeOnReals(simt::AtomicRmwOp op, const SpirvOptions &options) {
  if (op->hasAttr(marks::loop))
    return false;
  std::string feature = atomicFeature(op);
  return !feature.empty() && hasFeature(options, feature);
}

ArrayRef<std::string> sextant::spirv::variantFeatures() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> words;
    for (const abi::FeatureWord &row : abi::vulkanFeatures)
      if (row.presence == abi::Presence::Variant)
        words.push_back(row.word);
    return words;
  }();
  return all;
}

/// An operation is one instruction only if all operations on its memory are. Returns the features
/// of `allowed` that make a difference.
static std::vector<std::string> usefulAmong(mlir::ModuleOp module, ArrayRef<std::string> allowed) {
  SpirvOptions options;
  options.features = allowed.vec();
  std::set<std::string> useful;
  module.walk([&](simt::AtomicRmwOp op) {
    if (isNativeOnReals(op, options) && !useOf(op.getBuffer(), options).asBits)
      useful.insert(atomicFeature(op));
  });
  return {useful.begin(), useful.end()};
}

std::vector<std::vector<std::string>> sextant::spirv::usefulFeatures(mlir::ModuleOp module) {
  std::vector<std::vector<std::string>> sets = {usefulAmong(module, variantFeatures())};
  // Many devices have only additions of f32 and f64.
  std::vector<std::string> additions =
      usefulAmong(module, {abi::wordOf(VulkanFeature::Float32Atomics),
                           abi::wordOf(VulkanFeature::Float64Atomics)});
  if (additions != sets.front())
    sets.push_back(std::move(additions));
  llvm::erase_if(sets, [](const auto &set) { return set.empty(); });
  return sets;
}
