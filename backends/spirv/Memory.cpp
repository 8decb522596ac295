// Elements of 8 and 16 bits need features of the device in buffers, and are words elsewhere.
#include "backends/spirv/Memory.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

Id sextant::spirv::memoryType(const Memory &memory, ScalarWriter &w) {
  mlir::Type type = memory.asBits ? integerLike(memory.element) : memory.element;
  unsigned width = type.getIntOrFloatBitWidth();
  const bool isBuffer = memory.storage == spv::StorageClassStorageBuffer ||
                        memory.storage == spv::StorageClassPhysicalStorageBuffer;
  if (!isBuffer || width > 16)
    return w.typeOf(type);
  if (width == 8) {
    w.capability(spv::CapabilityStorageBuffer8BitAccess);
    w.extension("SPV_KHR_8bit_storage");
    w.require(abi::VulkanFeature::Storage8);
  } else {
    w.capability(spv::CapabilityStorageBuffer16BitAccess);
    w.require(abi::VulkanFeature::Storage16);
  }
  return isa<mlir::FloatType>(type) ? w.typeOf(type) : w.intType(width);
}

Id sextant::spirv::toMemory(Id value, const Memory &memory, ScalarWriter &w) {
  if (memory.asBits)
    return w.bitcast(value, memory.element, integerLike(memory.element));
  if (isNarrowInteger(memory.element) && !memory.wide)
    return w.op(spv::OpUConvert, memoryType(memory, w), {value});
  return value;
}

Id sextant::spirv::fromMemory(Id value, const Memory &memory, ScalarWriter &w) {
  if (memory.asBits)
    return w.bitcast(value, integerLike(memory.element), memory.element);
  if (isNarrowInteger(memory.element) && !memory.wide)
    return w.op(spv::OpUConvert, w.u32Type(), {value});
  return value;
}

Id sextant::spirv::memoryVector(mlir::Type element, size_t count, ScalarWriter &w) {
  Memory plain;
  plain.element = element;
  return w.vectorType(memoryType(plain, w), unsigned(count));
}
