// Types, constants, unary operators and conversions. Operators.cpp has divisions, shifts and
// powers.
#include "frontend/irgen/Arithmetic.h"

#include "frontend/ir/SimtDialect.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace sextant;
using namespace sextant::irgen;

Type irgen::valueType(MLIRContext *context, hir::Type type) {
  switch (type) {
  case hir::Type::F16:
    return Float16Type::get(context);
  case hir::Type::F32:
    return Float32Type::get(context);
  case hir::Type::F64:
    return Float64Type::get(context);
  default:
    return IntegerType::get(context, bitWidth(type));
  }
}

Type irgen::elementType(MLIRContext *context, hir::Type type) {
  return type == hir::Type::Bool ? IntegerType::get(context, 8) : valueType(context, type);
}

//===--- Constants ---------------------------------------------------------===//

void Arithmetic::setConstantBlock(Block *block) {
  constantBlock = block;
  constants.clear();
}

Value Arithmetic::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(constantBlock);
    known = b.create<arith::ConstantOp>(b.getUnknownLoc(), value);
  }
  return known;
}

Value Arithmetic::integer(Type type, int64_t value) {
  unsigned width = type.getIntOrFloatBitWidth();
  return constant(b.getIntegerAttr(type, llvm::APInt(64, value, true).trunc(width)));
}

Value Arithmetic::real(Type type, double value) { return constant(b.getFloatAttr(type, value)); }

Value Arithmetic::zero(Type type) {
  return isa<FloatType>(type) ? real(type, 0.0) : integer(type, 0);
}

Value Arithmetic::boolean(bool value) { return constant(b.getBoolAttr(value)); }

//===--- Small helpers -----------------------------------------------------===//

void Arithmetic::markPrecise(Value value) {
  if (Operation *made = value.getDefiningOp())
    if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(made))
      simt::setPrecise(made);
}

Value Arithmetic::logicNot(Value value) { return op<arith::XOrIOp>(value, boolean(true)); }

Value Arithmetic::select(Value condition, Value whenTrue, Value whenFalse) {
  return op<arith::SelectOp>(condition, whenTrue, whenFalse);
}

Value Arithmetic::compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
  return op<arith::CmpIOp>(predicate, lhs, rhs);
}

Value Arithmetic::bitcast(Value value, Type to) {
  return value.getType() == to ? value : op<arith::BitcastOp>(to, value);
}

//===--- Unary operators ---------------------------------------------------===//

// Functions of f16 are computed in f32, because no target has all of them.
Value Arithmetic::math(hir::UnaryOp function, Value operand) {
  Type type = operand.getType();
  bool isSmall = type.getIntOrFloatBitWidth() < 32;
  if (isSmall)
    operand = op<arith::ExtFOp>(b.getF32Type(), operand);
  struct Row {
    hir::UnaryOp function;
    Value (Arithmetic::*make)(Value &);
  };
  static constexpr Row rows[] = {
      {hir::UnaryOp::Floor, &Arithmetic::op<math::FloorOp>},
      {hir::UnaryOp::Ceil, &Arithmetic::op<math::CeilOp>},
      {hir::UnaryOp::Round, &Arithmetic::op<math::RoundEvenOp>},
      {hir::UnaryOp::Trunc, &Arithmetic::op<math::TruncOp>},
      {hir::UnaryOp::Sqrt, &Arithmetic::op<math::SqrtOp>},
      {hir::UnaryOp::Rsqrt, &Arithmetic::op<math::RsqrtOp>},
      {hir::UnaryOp::Exp, &Arithmetic::op<math::ExpOp>},
      {hir::UnaryOp::Exp2, &Arithmetic::op<math::Exp2Op>},
      {hir::UnaryOp::Log, &Arithmetic::op<math::LogOp>},
      {hir::UnaryOp::Log2, &Arithmetic::op<math::Log2Op>},
      {hir::UnaryOp::Log10, &Arithmetic::op<math::Log10Op>},
      {hir::UnaryOp::Sin, &Arithmetic::op<math::SinOp>},
      {hir::UnaryOp::Cos, &Arithmetic::op<math::CosOp>},
      {hir::UnaryOp::Tan, &Arithmetic::op<math::TanOp>},
      {hir::UnaryOp::Asin, &Arithmetic::op<math::AsinOp>},
      {hir::UnaryOp::Acos, &Arithmetic::op<math::AcosOp>},
      {hir::UnaryOp::Atan, &Arithmetic::op<math::AtanOp>},
      {hir::UnaryOp::Sinh, &Arithmetic::op<math::SinhOp>},
      {hir::UnaryOp::Cosh, &Arithmetic::op<math::CoshOp>},
      {hir::UnaryOp::Tanh, &Arithmetic::op<math::TanhOp>},
  };
  const Row *row = llvm::find_if(rows, [&](const Row &one) { return one.function == function; });
  assert(row != std::end(rows) && "not a function of reals");
  Value result = (this->*row->make)(operand);
  return isSmall ? op<arith::TruncFOp>(type, result) : result;
}

// Counts bits of the unsigned bit pattern, in i32 or i64.
Value Arithmetic::bitCount(hir::UnaryOp function, hir::Type type, Value operand) {
  unsigned width = bitWidth(type);
  Type wide = b.getIntegerType(width == 64 ? 64 : 32);
  if (width < 32)
    operand = op<arith::ExtUIOp>(wide, operand);
  Value count;
  switch (function) {
  case hir::UnaryOp::Popcnt:
    count = op<math::CtPopOp>(operand);
    break;
  case hir::UnaryOp::Clz:
    count = op<math::CountLeadingZerosOp>(operand);
    if (width < 32)
      count = op<arith::SubIOp>(count, integer(wide, 32 - width));
    break;
  default: { // Ffs
    Value one = integer(wide, 1), none = zero(wide);
    count = op<arith::AddIOp>(op<math::CountTrailingZerosOp>(operand), one);
    count = select(compare(arith::CmpIPredicate::eq, operand, none), none, count);
    break;
  }
  }
  return width == 64 ? op<arith::TruncIOp>(b.getI32Type(), count) : count;
}

Value Arithmetic::unary(hir::UnaryOp function, hir::Type type, Value operand) {
  Type mlirType = operand.getType();
  switch (function) {
  case hir::UnaryOp::Neg:
    return isFloat(type) ? op<arith::NegFOp>(operand) : op<arith::SubIOp>(zero(mlirType), operand);
  case hir::UnaryOp::BitNot:
    return op<arith::XOrIOp>(operand, integer(mlirType, -1));
  case hir::UnaryOp::LogicNot:
    return logicNot(cast(type, hir::Type::Bool, operand));
  case hir::UnaryOp::Abs:
    if (isFloat(type))
      return op<math::AbsFOp>(operand);
    if (!isSigned(type))
      return operand;
    return op<arith::MaxSIOp>(operand, op<arith::SubIOp>(zero(mlirType), operand));
  case hir::UnaryOp::Popcnt:
  case hir::UnaryOp::Clz:
  case hir::UnaryOp::Ffs:
    return bitCount(function, type, operand);
  default:
    return isFloat(type) ? math(function, operand) : operand; // roundings of integers
  }
}

//===--- Conversions -------------------------------------------------------===//

Value Arithmetic::cast(hir::Type from, hir::Type to, Value value) {
  if (from == to)
    return value;
  Type type = valueType(b.getContext(), to);
  if (to == hir::Type::Bool)
    return isFloat(from)
               ? op<arith::CmpFOp>(arith::CmpFPredicate::UNE, value, zero(value.getType()))
               : compare(arith::CmpIPredicate::ne, value, zero(value.getType()));
  unsigned width = bitWidth(to), fromWidth = bitWidth(from);
  if (isFloat(from) && isFloat(to))
    return fromWidth < width ? op<arith::ExtFOp>(type, value) : op<arith::TruncFOp>(type, value);
  if (isFloat(from)) {
    if (isSmallReal(from))
      value = op<arith::ExtFOp>(b.getF32Type(), value);
    return op<simt::ToIntOp>(type, value, !isSigned(to));
  }
  if (isFloat(to)) {
    // This is exact if the result is finite: f32 has every integer up to f16's largest.
    Type wide = isSmallReal(to) ? b.getF32Type() : type;
    Value result =
        isSigned(from) ? op<arith::SIToFPOp>(wide, value) : op<arith::UIToFPOp>(wide, value);
    return wide == type ? result : op<arith::TruncFOp>(type, result);
  }
  if (fromWidth == width)
    return value;
  if (fromWidth > width)
    return op<arith::TruncIOp>(type, value);
  return isSigned(from) ? op<arith::ExtSIOp>(type, value) : op<arith::ExtUIOp>(type, value);
}
