// A Writer that knows the scalar types of the simt dialect. Narrow integers are carried in 32 bits
// with the upper ones zero, so that no device needs 8- or 16-bit arithmetic. All integer types are
// unsigned, as signedness is in the instructions. A type that not every device has is noted as a
// requirement of the module.
#pragma once

#include "backends/spirv/Writer.h"
#include "loader/abi/Features.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace sextant::spirv {

class ScalarWriter : public Writer {
public:
  //===--- What the module needs of a device ---------------------------------===//
  void require(llvm::StringRef word) { needed.insert(word.str()); }
  void require(abi::VulkanFeature feature) { require(abi::wordOf(feature)); }
  const std::set<std::string> &requirements() const { return needed; }

  //===--- Types and constants -----------------------------------------------===//
  Id typeOf(mlir::Type type);
  Id typeOf(mlir::Value value) { return typeOf(value.getType()); }
  Id u32Type() { return intType(32); }
  /// A signed integer type, for instructions whose constants SPIRV-Tools folds by the type's sign.
  Id signedTypeOf(mlir::Type type) {
    return signedType(std::max(type.getIntOrFloatBitWidth(), 32u));
  }
  Id u32(uint32_t value) { return intConstant(value); }
  Id integer(mlir::Type type, uint64_t value);

  //===--- Values ------------------------------------------------------------===//
  Id select(Id type, Id condition, Id whenTrue, Id whenFalse) {
    return op(spv::OpSelect, type, {condition, whenTrue, whenFalse});
  }
  /// Returns `value` of `type`, sign-extended to the 32 bits that carry it.
  Id signExtended(Id value, mlir::Type type);
  /// Clears the bits above the type's width.
  Id normalized(Id value, mlir::Type type);
  Id bitcast(Id value, mlir::Type from, mlir::Type to);
  /// An operation on reals. Drivers must not reassociate it, nor fold as if there were no NaN.
  Id floatOp(spv::Op opcode, mlir::Type type, Operands operands);
  Id floatFunction(GLSLstd450 function, mlir::Type type, Operands operands);

private:
  std::set<std::string> needed;
};

/// True for integers that are carried in more bits than they have.
inline bool isNarrowInteger(mlir::Type type) { return type.isInteger(8) || type.isInteger(16); }
/// The integer type that holds the bits of a real.
inline mlir::Type integerLike(mlir::Type type) {
  return mlir::IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

} // namespace sextant::spirv
