// Binary operators: Python's division and modulo, shifts, powers, comparisons.
#include "frontend/ir/SimtDialect.h"
#include "frontend/irgen/Arithmetic.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sextant;
using namespace sextant::irgen;
using Predicate = arith::CmpIPredicate;

static std::optional<APInt> constantOf(Value value) {
  APInt result;
  if (matchPattern(value, m_ConstantInt(&result)))
    return result;
  return std::nullopt;
}

//===--- Division ----------------------------------------------------------===//

// i8 and i16 divide as i32: no target has such divisions, and no quotient overflows.
Value Arithmetic::intDivide(hir::BinaryOp function, hir::Type type, Value lhs, Value rhs) {
  if (bitWidth(type) < 32) {
    hir::Type wide = isSigned(type) ? hir::Type::I32 : hir::Type::U32;
    Value result = intDivide(function, wide, cast(type, wide, lhs), cast(type, wide, rhs));
    return cast(wide, type, result);
  }
  bool isQuotient = function == hir::BinaryOp::FloorDiv || function == hir::BinaryOp::CDiv;
  bool isFloor = function == hir::BinaryOp::FloorDiv || function == hir::BinaryOp::Mod;
  if (!isSigned(type))
    return isQuotient ? op<arith::DivUIOp>(lhs, rhs) : op<arith::RemUIOp>(lhs, rhs);

  Type mlirType = lhs.getType();
  std::optional<APInt> divisor = constantOf(rhs);
  if (isFloor && divisor && divisor->isStrictlyPositive() && divisor->isPowerOf2())
    return isQuotient ? op<arith::ShRSIOp>(lhs, integer(mlirType, divisor->logBase2()))
                      : op<arith::AndIOp>(lhs, integer(mlirType, divisor->getSExtValue() - 1));
  if (!isFloor)
    return isQuotient ? op<arith::DivSIOp>(lhs, rhs) : op<arith::RemSIOp>(lhs, rhs);

  // Rounds toward zero, then subtracts one if the remainder's sign is not the divisor's. A
  // remainder has the sign of `lhs`, of which compilers often know more.
  Value none = zero(mlirType);
  Value quotient = isQuotient ? op<arith::DivSIOp>(lhs, rhs) : Value();
  Value remainder = isQuotient ? op<arith::SubIOp>(lhs, op<arith::MulIOp>(quotient, rhs))
                               : op<arith::RemSIOp>(lhs, rhs);
  Value adjust;
  if (divisor && divisor->isStrictlyPositive()) {
    adjust = compare(Predicate::slt, remainder, none);
  } else {
    Value opposite = compare(Predicate::slt, op<arith::XOrIOp>(lhs, rhs), none);
    adjust = op<arith::AndIOp>(compare(Predicate::ne, remainder, none), opposite);
  }
  if (isQuotient)
    return select(adjust, op<arith::SubIOp>(quotient, integer(mlirType, 1)), quotient);
  return select(adjust, op<arith::AddIOp>(remainder, rhs), remainder);
}

// The exact remainder toward zero, moved to the divisor's sign. A zero has that sign too.
Value Arithmetic::floatMod(Value lhs, Value rhs) {
  Type type = lhs.getType();
  Value none = zero(type);
  Value remainder = op<arith::RemFOp>(lhs, rhs);
  Value isZero = op<arith::CmpFOp>(arith::CmpFPredicate::OEQ, remainder, none);
  Value below = op<arith::CmpFOp>(arith::CmpFPredicate::OLT, remainder, none);
  Value divisorBelow = op<arith::CmpFOp>(arith::CmpFPredicate::OLT, rhs, none);
  Value opposite = op<arith::XOrIOp>(below, divisorBelow);
  Value moved = select(opposite, op<arith::AddFOp>(remainder, rhs), remainder);
  return select(isZero, select(divisorBelow, real(type, -0.0), none), moved);
}

// The quotient that belongs to floatMod, as in Python: 1.0 // 0.1 is 9, although the floor of the
// rounded quotient is 10. A quotient that is whole except for rounding is within a half of a whole
// number. A zero has the plain quotient's sign.
Value Arithmetic::floatFloorDiv(Value lhs, Value rhs) {
  Type type = lhs.getType();
  Value none = zero(type), one = real(type, 1.0);
  Value remainder = op<arith::RemFOp>(lhs, rhs);
  Value quotient = op<arith::DivFOp>(op<arith::SubFOp>(lhs, remainder), rhs);
  Value below = op<arith::CmpFOp>(arith::CmpFPredicate::OLT, remainder, none);
  Value isWhole = op<arith::CmpFOp>(arith::CmpFPredicate::OEQ, remainder, none);
  Value divisorBelow = op<arith::CmpFOp>(arith::CmpFPredicate::OLT, rhs, none);
  Value opposite = op<arith::AndIOp>(logicNot(isWhole), op<arith::XOrIOp>(below, divisorBelow));
  quotient = select(opposite, op<arith::SubFOp>(quotient, one), quotient);
  Value whole = op<math::FloorOp>(quotient);
  Value above = op<arith::CmpFOp>(arith::CmpFPredicate::OGT, op<arith::SubFOp>(quotient, whole),
                                  real(type, 0.5));
  Value result = select(above, op<arith::AddFOp>(whole, one), whole);
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value differ = compare(Predicate::slt, op<arith::XOrIOp>(bitcast(lhs, bits), bitcast(rhs, bits)),
                         zero(bits));
  Value isNone = op<arith::CmpFOp>(arith::CmpFPredicate::OEQ, quotient, none);
  result = select(isNone, select(differ, real(type, -0.0), none), result);
  // Compares bits: a division may not do where a device treats subnormal numbers as zero.
  Value sizeBits = op<arith::ShLIOp>(bitcast(rhs, bits), integer(bits, 1));
  Value byZero = compare(Predicate::eq, sizeBits, zero(bits));
  return select(byZero, op<arith::DivFOp>(lhs, rhs), result);
}

//===--- Shifts ------------------------------------------------------------===//

// The amount is taken modulo the width, so that no shift is poison.
Value Arithmetic::shift(hir::BinaryOp function, hir::Type type, Value lhs, hir::Type rhsType,
                        Value rhs) {
  Type mlirType = lhs.getType();
  unsigned width = bitWidth(type);
  if (width == 1) // sema shifts integers only; a shifted truth value stays in range
    return lhs;
  hir::Type amountType = width == 8    ? hir::Type::U8
                         : width == 16 ? hir::Type::U16
                         : width == 32 ? hir::Type::U32
                                       : hir::Type::U64;
  Value amount = op<arith::AndIOp>(cast(rhsType, amountType, rhs), integer(mlirType, width - 1));
  if (function == hir::BinaryOp::Shl)
    return op<arith::ShLIOp>(lhs, amount);
  if (function == hir::BinaryOp::Shr && isSigned(type))
    return op<arith::ShRSIOp>(lhs, amount);
  return op<arith::ShRUIOp>(lhs, amount);
}

//===--- Powers ------------------------------------------------------------===//

Value Arithmetic::multiply(Value lhs, Value rhs) {
  return isa<FloatType>(lhs.getType()) ? op<arith::MulFOp>(lhs, rhs)
                                       : op<arith::MulIOp>(lhs, rhs, overflow);
}

// Raises to a power by squaring; `exponent` is unsigned.
Value Arithmetic::powerLoop(Value base, Value exponent) {
  Type type = base.getType(), expType = exponent.getType();
  Value one = integer(type, 1);
  Value none = zero(expType), unit = integer(expType, 1);
  auto loop = b.create<scf::WhileOp>(
      loc, TypeRange{type, type, expType}, ValueRange{one, base, exponent},
      [&](OpBuilder &, Location, ValueRange args) {
        b.create<scf::ConditionOp>(loc, compare(Predicate::ne, args[2], none), args);
      },
      [&](OpBuilder &, Location, ValueRange args) {
        Value isOdd = compare(Predicate::ne, op<arith::AndIOp>(args[2], unit), none);
        Value product = select(isOdd, multiply(args[0], args[1]), args[0]);
        Value rest = op<arith::ShRUIOp>(args[2], unit);
        b.create<scf::YieldOp>(loc, ValueRange{product, multiply(args[1], args[1]), rest});
      });
  return loop.getResult(0);
}

// Each squaring doubles the error so far: 3 units in the last place at the eighth power. Beyond
// that, the logarithm gives a closer result.
static constexpr uint64_t mostRealProducts = 8;

// Raises a real to an integer power. The size comes from the exponent as a real, which may be
// rounded. The sign comes from the exponent itself.
Value Arithmetic::realPower(hir::Type type, Value lhs, hir::Type rhsType, Value rhs) {
  Value size = op<math::AbsFOp>(lhs);
  Value power = op<math::PowFOp>(size, cast(rhsType, type, rhs));
  Value odd = compare(Predicate::ne, op<arith::AndIOp>(rhs, integer(rhs.getType(), 1)),
                      zero(rhs.getType()));
  Type bits = b.getIntegerType(bitWidth(type));
  Value below = compare(Predicate::slt, bitcast(lhs, bits), zero(bits));
  return select(op<arith::AndIOp>(odd, below), op<arith::NegFOp>(power), power);
}

Value Arithmetic::power(hir::Type type, Value lhs, hir::Type rhsType, Value rhs) {
  Type mlirType = lhs.getType();
  bool isReal = isFloat(type);
  if (isSmallReal(type)) {
    hir::Type exponent = isSmallReal(rhsType) ? hir::Type::F32 : rhsType;
    Value result = power(hir::Type::F32, cast(type, hir::Type::F32, lhs), exponent,
                         cast(rhsType, exponent, rhs));
    return cast(hir::Type::F32, type, result);
  }
  if (isFloat(rhsType)) {
    FloatAttr exponent;
    if (matchPattern(rhs, m_Constant(&exponent)) && exponent.getValueAsDouble() == 2.0)
      return multiply(lhs, lhs);
    return op<math::PowFOp>(lhs, rhs);
  }

  Value one = isReal ? real(mlirType, 1.0) : integer(mlirType, 1);
  if (std::optional<APInt> known = constantOf(rhs)) {
    bool isNegative = isSigned(rhsType) && known->isNegative();
    uint64_t count = isNegative ? (-*known).getZExtValue() : known->getZExtValue();
    if (isReal ? count <= (isNegative ? 1 : mostRealProducts) : count <= 64 && !isNegative) {
      Value result, square = lhs;
      for (; count; count >>= 1) {
        if (count & 1)
          result = result ? multiply(result, square) : square;
        if (count > 1)
          square = multiply(square, square);
      }
      if (!result)
        result = one;
      return isNegative ? op<arith::DivFOp>(one, result) : result;
    }
  }
  if (isReal)
    return realPower(type, lhs, rhsType, rhs);

  hir::Type countType = bitWidth(rhsType) == 64 ? hir::Type::I64 : hir::Type::I32;
  Value exponent = cast(rhsType, countType, rhs);
  if (!isSigned(rhsType))
    return powerLoop(lhs, exponent);
  Value none = zero(exponent.getType());
  Value isNegative = compare(Predicate::slt, exponent, none);
  Value magnitude = select(isNegative, op<arith::SubIOp>(none, exponent), exponent);
  Value result = powerLoop(lhs, magnitude);
  // 1 / result, toward zero: only for 1 and -1 is it not zero.
  Value isUnit = compare(Predicate::eq, multiply(result, result), one);
  Value inUnits = op<arith::OrIOp>(compare(Predicate::eq, lhs, one),
                                   compare(Predicate::eq, lhs, integer(mlirType, -1)));
  Value inverse = select(op<arith::AndIOp>(isUnit, inUnits), result, zero(mlirType));
  return select(isNegative, inverse, result);
}

//===--- Comparisons, and all together -------------------------------------===//

Value Arithmetic::comparison(hir::BinaryOp function, hir::Type type, Value lhs, Value rhs) {
  struct Row {
    arith::CmpFPredicate real;
    Predicate withSign, unsign;
  };
  using Real = arith::CmpFPredicate;
  static constexpr Row rows[] = {
      {Real::OLT, Predicate::slt, Predicate::ult}, {Real::OLE, Predicate::sle, Predicate::ule},
      {Real::OGT, Predicate::sgt, Predicate::ugt}, {Real::OGE, Predicate::sge, Predicate::uge},
      {Real::OEQ, Predicate::eq, Predicate::eq},   {Real::UNE, Predicate::ne, Predicate::ne}};
  static_assert(unsigned(hir::BinaryOp::Ne) - unsigned(hir::BinaryOp::Lt) + 1 == std::size(rows));
  const Row &row = rows[unsigned(function) - unsigned(hir::BinaryOp::Lt)];
  if (isFloat(type))
    return op<arith::CmpFOp>(row.real, lhs, rhs);
  return compare(isSigned(type) ? row.withSign : row.unsign, lhs, rhs);
}

Value Arithmetic::binary(hir::BinaryOp function, hir::Type type, Value lhs, hir::Type rhsType,
                         Value rhs) {
  bool isReal = isFloat(type);
  switch (function) {
  case hir::BinaryOp::Add:
    return isReal ? op<arith::AddFOp>(lhs, rhs) : op<arith::AddIOp>(lhs, rhs, overflow);
  case hir::BinaryOp::Sub:
    return isReal ? op<arith::SubFOp>(lhs, rhs) : op<arith::SubIOp>(lhs, rhs);
  case hir::BinaryOp::Mul:
    return multiply(lhs, rhs);
  case hir::BinaryOp::Div:
    return isReal ? op<arith::DivFOp>(lhs, rhs) : intDivide(hir::BinaryOp::CDiv, type, lhs, rhs);
  case hir::BinaryOp::FloorDiv:
  case hir::BinaryOp::Mod:
  case hir::BinaryOp::CDiv:
  case hir::BinaryOp::CMod:
    if (!isReal)
      return intDivide(function, type, lhs, rhs);
    if (isSmallReal(type)) {
      Value result = binary(function, hir::Type::F32, cast(type, hir::Type::F32, lhs),
                            hir::Type::F32, cast(type, hir::Type::F32, rhs));
      return cast(hir::Type::F32, type, result);
    }
    if (function == hir::BinaryOp::Mod)
      return floatMod(lhs, rhs);
    if (function == hir::BinaryOp::CMod)
      return op<arith::RemFOp>(lhs, rhs);
    if (function == hir::BinaryOp::FloorDiv)
      return floatFloorDiv(lhs, rhs);
    return math(hir::UnaryOp::Trunc, op<arith::DivFOp>(lhs, rhs));
  case hir::BinaryOp::MulHigh:
    return op<simt::MulHighOp>(lhs, rhs);
  case hir::BinaryOp::Pow:
    return power(type, lhs, rhsType, rhs);
  case hir::BinaryOp::Atan2: {
    if (!isSmallReal(type))
      return op<math::Atan2Op>(lhs, rhs);
    Value result =
        op<math::Atan2Op>(cast(type, hir::Type::F32, lhs), cast(type, hir::Type::F32, rhs));
    return cast(hir::Type::F32, type, result);
  }
  case hir::BinaryOp::Min:
    return isReal           ? op<arith::MinNumFOp>(lhs, rhs)
           : isSigned(type) ? op<arith::MinSIOp>(lhs, rhs)
                            : op<arith::MinUIOp>(lhs, rhs);
  case hir::BinaryOp::Max:
    return isReal           ? op<arith::MaxNumFOp>(lhs, rhs)
           : isSigned(type) ? op<arith::MaxSIOp>(lhs, rhs)
                            : op<arith::MaxUIOp>(lhs, rhs);
  case hir::BinaryOp::And:
    return op<arith::AndIOp>(lhs, rhs);
  case hir::BinaryOp::Or:
    return op<arith::OrIOp>(lhs, rhs);
  case hir::BinaryOp::Xor:
    return op<arith::XOrIOp>(lhs, rhs);
  case hir::BinaryOp::Shl:
  case hir::BinaryOp::Shr:
  case hir::BinaryOp::BitShr:
    return shift(function, type, lhs, rhsType, rhs);
  default:
    return comparison(function, type, lhs, rhs);
  }
}
