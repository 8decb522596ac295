// Operators and conversions of the language on MLIR values. Signedness comes from the language's
// types. Nothing here may trap or yield poison where the language says "unspecified": backends give
// some value to divisions by zero and to float to int conversions out of range (see
// backends/README.md).
#pragma once

#include "frontend/hir/Types.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace sextant::irgen {

using hir::bitWidth;
using hir::isFloat;
using hir::isSigned;
using hir::isSmallReal;

/// The type of a value, and of an element in memory (i8 for Bool).
mlir::Type valueType(mlir::MLIRContext *context, hir::Type type);
mlir::Type elementType(mlir::MLIRContext *context, hir::Type type);

/// Creates ops at one place and one location, and folds them. Constants are shared, at the top of
/// the task.
class Arithmetic {
public:
  explicit Arithmetic(mlir::OpBuilder &builder) : b(builder), loc(builder.getUnknownLoc()) {}

  /// Constants go to the start of `block`.
  void setConstantBlock(mlir::Block *block);
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value real(mlir::Type type, double value);
  /// The constant zero of a value type; for Bool, false.
  mlir::Value zero(mlir::Type type);
  mlir::Value boolean(bool value);

  mlir::Value unary(hir::UnaryOp op, hir::Type type, mlir::Value operand);
  /// `type` and `rhsType` are the types of the operands.
  mlir::Value binary(hir::BinaryOp op, hir::Type type, mlir::Value lhs, hir::Type rhsType,
                     mlir::Value rhs);
  mlir::Value cast(hir::Type from, hir::Type to, mlir::Value value);
  mlir::Value bitcast(mlir::Value value, mlir::Type to);
  mlir::Value logicNot(mlir::Value value);
  mlir::Value select(mlir::Value condition, mlir::Value whenTrue, mlir::Value whenFalse);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs, mlir::Value rhs);

  /// Creates an op of type Op and folds it.
  template <typename Op, typename... Args> mlir::Value op(Args &&...args) {
    mlir::Value value = b.createOrFold<Op>(loc, std::forward<Args>(args)...);
    if (isPrecise)
      markPrecise(value);
    return value;
  }

  bool isPrecise = false; ///< created operations are rounded as written
  /// The flags of sums and products of integers that are created.
  mlir::arith::IntegerOverflowFlags overflow = mlir::arith::IntegerOverflowFlags::none;

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  static void markPrecise(mlir::Value value);
  mlir::Value math(hir::UnaryOp op, mlir::Value operand);
  mlir::Value bitCount(hir::UnaryOp op, hir::Type type, mlir::Value operand);
  mlir::Value intDivide(hir::BinaryOp op, hir::Type type, mlir::Value lhs, mlir::Value rhs);
  mlir::Value floatMod(mlir::Value lhs, mlir::Value rhs);
  mlir::Value floatFloorDiv(mlir::Value lhs, mlir::Value rhs);
  mlir::Value shift(hir::BinaryOp op, hir::Type type, mlir::Value lhs, hir::Type rhsType,
                    mlir::Value rhs);
  mlir::Value power(hir::Type type, mlir::Value lhs, hir::Type rhsType, mlir::Value rhs);
  mlir::Value realPower(hir::Type type, mlir::Value lhs, hir::Type rhsType, mlir::Value rhs);
  mlir::Value powerLoop(mlir::Value base, mlir::Value exponent);
  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs);
  mlir::Value comparison(hir::BinaryOp op, hir::Type type, mlir::Value lhs, mlir::Value rhs);

  mlir::Block *constantBlock = nullptr;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

} // namespace sextant::irgen
