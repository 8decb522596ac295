// Types of the dialect in SPIR-V, and what keeps narrow integers and halves as they are carried.
#include "backends/spirv/ScalarWriter.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

Id ScalarWriter::typeOf(mlir::Type type) {
  if (type.isInteger(1))
    return boolType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<mlir::FloatType>(type)) {
    if (width == 16) {
      capability(spv::CapabilityFloat16);
      require(abi::VulkanFeature::Float16);
    } else if (width == 64) {
      capability(spv::CapabilityFloat64);
      require(abi::VulkanFeature::Float64);
    }
    return floatType(width);
  }
  if (width == 64) {
    capability(spv::CapabilityInt64);
    require(abi::VulkanFeature::Int64);
  }
  return intType(width < 32 ? 32 : width);
}

Id ScalarWriter::integer(mlir::Type type, uint64_t value) {
  return constant(typeOf(type), type.getIntOrFloatBitWidth(), value);
}

Id ScalarWriter::normalized(Id value, mlir::Type type) {
  if (!isNarrowInteger(type))
    return value;
  return op(spv::OpBitwiseAnd, u32Type(), {value, u32((1u << type.getIntOrFloatBitWidth()) - 1)});
}

Id ScalarWriter::signExtended(Id value, mlir::Type type) {
  if (!isNarrowInteger(type))
    return value;
  return op(spv::OpBitFieldSExtract, u32Type(), {value, u32(0), u32(type.getIntOrFloatBitWidth())});
}

Id ScalarWriter::floatOp(spv::Op opcode, mlir::Type type, Operands operands) {
  Id result = op(opcode, typeOf(type), operands);
  decorate(result, spv::DecorationNoContraction);
  return result;
}

Id ScalarWriter::floatFunction(GLSLstd450 function, mlir::Type type, Operands operands) {
  Id result = glslOp(function, typeOf(type), operands);
  decorate(result, spv::DecorationNoContraction);
  return result;
}

/// Halves go through GLSL's packing, which needs no 16-bit integers.
Id ScalarWriter::bitcast(Id value, mlir::Type from, mlir::Type to) {
  if (typeOf(from) == typeOf(to))
    return value;
  mlir::Type f32 = mlir::Float32Type::get(from.getContext());
  Id pair = vectorType(typeOf(f32), 2);
  if (from.isF16()) {
    Id wide = op(spv::OpFConvert, typeOf(f32), {value});
    Id both = op(spv::OpCompositeConstruct, pair, {wide, integer(f32, 0)});
    return glslOp(GLSLstd450PackHalf2x16, u32Type(), {both});
  }
  if (to.isF16()) {
    Id both = glslOp(GLSLstd450UnpackHalf2x16, pair, {value});
    Id wide = op(spv::OpCompositeExtract, typeOf(f32), {both, 0});
    return op(spv::OpFConvert, typeOf(to), {wide});
  }
  return op(spv::OpBitcast, typeOf(to), {value});
}
