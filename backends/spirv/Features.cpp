// Decides which operations are one instruction.
#include "backends/spirv/Features.h"
#include "backends/spirv/Marks.h"
#include "loader/abi/Features.h"

#include "llvm/ADT/STLExtras.h"

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
