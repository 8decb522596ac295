// Chooses the sets of features that make variants.
#include "backends/spirv/BufferUse.h"
#include "backends/spirv/Features.h"
#include "loader/abi/Features.h"

#include <set>

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
using abi::VulkanFeature;

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
