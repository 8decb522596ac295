// arith, and the plain part of math. If the dialect leaves a result unspecified (a division by
// zero, a conversion out of range), it is some value, as in the other backends.
#include "backends/spirv/Task.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
namespace arith = mlir::arith;
namespace math = mlir::math;

static unsigned widthOf(mlir::Type type) { return type.getIntOrFloatBitWidth(); }

//===--- Small helpers -----------------------------------------------------===//

Id TaskEmitter::constantOf(mlir::Attribute value) {
  if (auto real = dyn_cast<mlir::FloatAttr>(value))
    return integer(real.getType(), real.getValue().bitcastToAPInt().getZExtValue());
  auto known = cast<mlir::IntegerAttr>(value);
  if (known.getType().isInteger(1))
    return w.boolConstant(!known.getValue().isZero());
  return integer(known.getType(), known.getValue().getZExtValue());
}

Id TaskEmitter::normalized(Id value, mlir::Type type) {
  if (!isNarrowInteger(type))
    return value;
  return w.op(spv::OpBitwiseAnd, u32Type(), {value, u32((1u << widthOf(type)) - 1)});
}

Id TaskEmitter::signExtended(Id value, mlir::Type type) {
  if (!isNarrowInteger(type))
    return value;
  return w.op(spv::OpBitFieldSExtract, u32Type(), {value, u32(0), u32(widthOf(type))});
}

/// Drivers must not reassociate, nor fold as if there were no NaN.
Id TaskEmitter::floatOp(spv::Op opcode, mlir::Type type, Operands operands) {
  Id result = w.op(opcode, typeOf(type), operands);
  w.decorate(result, spv::DecorationNoContraction);
  return result;
}

Id TaskEmitter::floatFunction(GLSLstd450 function, mlir::Type type, Operands operands) {
  Id result = w.glslOp(function, typeOf(type), operands);
  w.decorate(result, spv::DecorationNoContraction);
  return result;
}

//===--- Integers ----------------------------------------------------------===//

/// Returns the quotient or remainder. The remainder comes from the quotient, because Vulkan leaves
/// OpSRem undefined for negative operands.
Id TaskEmitter::divide(mlir::Operation &op, bool isSigned, bool isRemainder) {
  mlir::Type type = op.getResult(0).getType();
  Id dividend = get(op.getOperand(0)), divisor = get(op.getOperand(1));
  if (isSigned) {
    dividend = signExtended(dividend, type);
    divisor = signExtended(divisor, type);
  }
  unsigned width = std::max(32u, widthOf(type));
  mlir::Type carried = mlir::IntegerType::get(type.getContext(), width);
  // Returns 1 where the division would be undefined.
  auto constant = op.getOperand(1).getDefiningOp<arith::ConstantOp>();
  APInt known = constant ? cast<mlir::IntegerAttr>(constant.getValue()).getValue() : APInt();
  bool isSafe = constant && !known.isZero() && !(isSigned && known.isAllOnes());
  if (!isSafe) {
    Id bad = w.op(spv::OpIEqual, w.boolType(), {divisor, integer(carried, 0)});
    if (isSigned) {
      Id least = integer(carried, APInt::getSignedMinValue(width).getZExtValue());
      Id minusOne = integer(carried, APInt::getAllOnes(width).getZExtValue());
      Id overflows = w.op(spv::OpLogicalAnd, w.boolType(),
                          {w.op(spv::OpIEqual, w.boolType(), {dividend, least}),
                           w.op(spv::OpIEqual, w.boolType(), {divisor, minusOne})});
      bad = w.op(spv::OpLogicalOr, w.boolType(), {bad, overflows});
    }
    divisor = select(typeOf(carried), bad, integer(carried, 1), divisor);
  }
  if (!isSigned && isRemainder)
    return w.op(spv::OpUMod, typeOf(type), {dividend, divisor});
  Id quotient = w.op(isSigned ? spv::OpSDiv : spv::OpUDiv, typeOf(type), {dividend, divisor});
  if (!isRemainder)
    return isSigned ? normalized(quotient, type) : quotient;
  Id product = w.op(spv::OpIMul, typeOf(type), {quotient, divisor});
  return normalized(w.op(spv::OpISub, typeOf(type), {dividend, product}), type);
}

Id TaskEmitter::compareIntegers(mlir::Operation &op) {
  auto compare = cast<arith::CmpIOp>(op);
  mlir::Type type = compare.getLhs().getType();
  Id lhs = get(compare.getLhs()), rhs = get(compare.getRhs());
  auto emit = [&](spv::Op opcode) { return w.op(opcode, w.boolType(), {lhs, rhs}); };
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (type.isInteger(1)) {
    if (predicate == Predicate::eq)
      return emit(spv::OpLogicalEqual);
    if (predicate == Predicate::ne)
      return emit(spv::OpLogicalNotEqual);
    // Compares booleans as numbers, where true is 1 or, signed, -1.
    bool isSigned = predicate == Predicate::slt || predicate == Predicate::sle ||
                    predicate == Predicate::sgt || predicate == Predicate::sge;
    Id truth = u32(isSigned ? ~0u : 1u);
    lhs = select(u32Type(), lhs, truth, u32(0));
    rhs = select(u32Type(), rhs, truth, u32(0));
  }
  switch (predicate) {
  case Predicate::eq:
    return emit(spv::OpIEqual);
  case Predicate::ne:
    return emit(spv::OpINotEqual);
  case Predicate::ult:
    return emit(spv::OpULessThan);
  case Predicate::ule:
    return emit(spv::OpULessThanEqual);
  case Predicate::ugt:
    return emit(spv::OpUGreaterThan);
  case Predicate::uge:
    return emit(spv::OpUGreaterThanEqual);
  default:
    break;
  }
  lhs = signExtended(lhs, type);
  rhs = signExtended(rhs, type);
  return emit(predicate == Predicate::slt   ? spv::OpSLessThan
              : predicate == Predicate::sle ? spv::OpSLessThanEqual
              : predicate == Predicate::sgt ? spv::OpSGreaterThan
                                            : spv::OpSGreaterThanEqual);
}

/// trunci, extsi, extui.
Id TaskEmitter::convertInteger(mlir::Operation &op, bool isSigned) {
  mlir::Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  Id value = get(op.getOperand(0));
  // If a ballot is only truncated, its first word is enough.
  if (auto ballot = op.getOperand(0).getDefiningOp<simt::BallotOp>())
    if (llvm::all_of(ballot->getUsers(), llvm::IsaPred<arith::TruncIOp>))
      from = mlir::IntegerType::get(op.getContext(), 32);
  if (from == to)
    return value;
  if (from.isInteger(1)) {
    uint64_t truth = isSigned ? APInt::getAllOnes(widthOf(to)).getZExtValue() : 1;
    return select(typeOf(to), value, integer(to, truth), integer(to, 0));
  }
  if (to.isInteger(1)) {
    Id low = w.op(spv::OpBitwiseAnd, typeOf(from), {value, integer(from, 1)});
    return w.op(spv::OpINotEqual, w.boolType(), {low, integer(from, 0)});
  }
  if (widthOf(from) > widthOf(to)) {
    if (widthOf(from) == 64)
      value = w.op(spv::OpUConvert, u32Type(), {value});
    return normalized(value, to);
  }
  if (isSigned)
    value = signExtended(value, from);
  if (widthOf(to) == 64)
    return w.op(isSigned ? spv::OpSConvert : spv::OpUConvert, typeOf(to), {value});
  return normalized(value, to);
}

/// ctpop, ctlz and cttz. SPIR-V's own work on 32 bits, and yield -1 if no bit is set.
Id TaskEmitter::countBits(mlir::Operation &op) {
  mlir::Type type = op.getResult(0).getType();
  Id value = get(op.getOperand(0)), boolType = w.boolType();
  auto add = [&](Id a, Id b) { return w.op(spv::OpIAdd, u32Type(), {a, b}); };
  auto subtract = [&](Id a, Id b) { return w.op(spv::OpISub, u32Type(), {a, b}); };
  auto isZero = [&](Id word) { return w.op(spv::OpIEqual, boolType, {word, u32(0)}); };
  auto bits = [&](Id word) { return w.op(spv::OpBitCount, u32Type(), {word}); };
  auto leading = [&](Id word) {
    return subtract(u32(31), w.glslOp(GLSLstd450FindUMsb, u32Type(), {word}));
  };
  auto trailing = [&](Id word) {
    Id place = w.glslOp(GLSLstd450FindILsb, u32Type(), {word});
    return select(u32Type(), isZero(word), u32(32), place);
  };
  if (widthOf(type) != 64) {
    unsigned width = widthOf(type);
    if (isa<math::CtPopOp>(op))
      return bits(value);
    if (isa<math::CountLeadingZerosOp>(op))
      return width == 32 ? leading(value) : subtract(leading(value), u32(32 - width));
    return width == 32 ? trailing(value)
                       : w.glslOp(GLSLstd450UMin, u32Type(), {trailing(value), u32(width)});
  }
  Id pair = w.op(spv::OpBitcast, w.vectorType(u32Type(), 2), {value});
  Id low = w.op(spv::OpCompositeExtract, u32Type(), {pair, 0});
  Id high = w.op(spv::OpCompositeExtract, u32Type(), {pair, 1});
  Id count;
  if (isa<math::CtPopOp>(op))
    count = add(bits(low), bits(high));
  else if (isa<math::CountLeadingZerosOp>(op))
    count = select(u32Type(), isZero(high), add(u32(32), leading(low)), leading(high));
  else
    count = select(u32Type(), isZero(low), add(u32(32), trailing(high)), trailing(low));
  return w.op(spv::OpUConvert, typeOf(type), {count});
}

//===--- Floats ------------------------------------------------------------===//

Id TaskEmitter::compareFloats(mlir::Operation &op) {
  auto compare = cast<arith::CmpFOp>(op);
  Id lhs = get(compare.getLhs()), rhs = get(compare.getRhs());
  auto emit = [&](spv::Op opcode) { return w.op(opcode, w.boolType(), {lhs, rhs}); };
  auto unordered = [&] {
    return w.op(spv::OpLogicalOr, w.boolType(),
                {w.op(spv::OpIsNan, w.boolType(), {lhs}), w.op(spv::OpIsNan, w.boolType(), {rhs})});
  };
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::AlwaysFalse:
    return w.boolConstant(false);
  case arith::CmpFPredicate::OEQ:
    return emit(spv::OpFOrdEqual);
  case arith::CmpFPredicate::OGT:
    return emit(spv::OpFOrdGreaterThan);
  case arith::CmpFPredicate::OGE:
    return emit(spv::OpFOrdGreaterThanEqual);
  case arith::CmpFPredicate::OLT:
    return emit(spv::OpFOrdLessThan);
  case arith::CmpFPredicate::OLE:
    return emit(spv::OpFOrdLessThanEqual);
  case arith::CmpFPredicate::ONE:
    return emit(spv::OpFOrdNotEqual);
  case arith::CmpFPredicate::ORD:
    return w.op(spv::OpLogicalNot, w.boolType(), {unordered()});
  case arith::CmpFPredicate::UEQ:
    return emit(spv::OpFUnordEqual);
  case arith::CmpFPredicate::UGT:
    return emit(spv::OpFUnordGreaterThan);
  case arith::CmpFPredicate::UGE:
    return emit(spv::OpFUnordGreaterThanEqual);
  case arith::CmpFPredicate::ULT:
    return emit(spv::OpFUnordLessThan);
  case arith::CmpFPredicate::ULE:
    return emit(spv::OpFUnordLessThanEqual);
  case arith::CmpFPredicate::UNE:
    return emit(spv::OpFUnordNotEqual);
  case arith::CmpFPredicate::UNO:
    return unordered();
  case arith::CmpFPredicate::AlwaysTrue:
    return w.boolConstant(true);
  }
  llvm_unreachable("all predicates are listed");
}

Id TaskEmitter::bitcast(mlir::Value from, mlir::Type to) {
  return bitcastId(get(from), from.getType(), to);
}

/// Halves go through GLSL's packing, which needs no 16-bit integers.
Id TaskEmitter::bitcastId(Id value, mlir::Type from, mlir::Type to) {
  if (typeOf(from) == typeOf(to))
    return value;
  mlir::Type f32 = mlir::Float32Type::get(from.getContext());
  Id pair = w.vectorType(typeOf(f32), 2);
  if (from.isF16()) {
    Id wide = w.op(spv::OpFConvert, typeOf(f32), {value});
    Id both = w.op(spv::OpCompositeConstruct, pair, {wide, integer(f32, 0)});
    return w.glslOp(GLSLstd450PackHalf2x16, u32Type(), {both});
  }
  if (to.isF16()) {
    Id both = w.glslOp(GLSLstd450UnpackHalf2x16, pair, {value});
    Id wide = w.op(spv::OpCompositeExtract, typeOf(f32), {both, 0});
    return w.op(spv::OpFConvert, typeOf(to), {wide});
  }
  return w.op(spv::OpBitcast, typeOf(to), {value});
}

Id TaskEmitter::multiplyHigh(mlir::Type type, Operands factors) {
  const uint32_t halves[] = {typeOf(type), typeOf(type)};
  Id both = w.op(spv::OpUMulExtended, w.unique(spv::OpTypeStruct, halves), factors);
  return w.op(spv::OpCompositeExtract, typeOf(type), {both, 1});
}

//===--- All ---------------------------------------------------------------===//

Id TaskEmitter::emitElementwise(mlir::Operation &op) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIntOrFloat())
    return 0;
  mlir::Type type = op.getResult(0).getType();
  SmallVector<Id> v;
  for (mlir::Value operand : op.getOperands())
    v.push_back(get(operand));
  bool isBool = type.isInteger(1);
  auto plain = [&](spv::Op opcode) { return w.op(opcode, typeOf(type), v); };
  auto wrapped = [&](spv::Op opcode) { return normalized(plain(opcode), type); };
  auto logic = [&](spv::Op onBits, spv::Op onBools) { return plain(isBool ? onBools : onBits); };
  auto real = [&](spv::Op opcode) {
    Id result = floatOp(opcode, type, v);
    if (state.options.marksPrecise && simt::isPrecise(&op))
      w.decorate(result, spv::DecorationRelaxedPrecision);
    return result;
  };
  auto function = [&](GLSLstd450 name) { return floatFunction(name, type, v); };
  auto signExtend = [&] {
    for (auto [id, operand] : llvm::zip(v, op.getOperands()))
      id = signExtended(id, operand.getType());
  };
  auto signedFunction = [&](GLSLstd450 name) {
    signExtend();
    Id result = w.glslOp(name, signedTypeOf(type), v);
    return normalized(w.op(spv::OpBitcast, typeOf(type), {result}), type);
  };
  auto shift = [&](spv::Op opcode) {
    v[1] = w.op(spv::OpBitwiseAnd, typeOf(type), {v[1], integer(type, widthOf(type) - 1)});
    return normalized(w.op(opcode, typeOf(type), v), type);
  };
  auto fromInteger = [&](spv::Op opcode, bool isSigned) {
    if (op.getOperand(0).getType().isInteger(1))
      v[0] = select(u32Type(), v[0], u32(isSigned ? ~0u : 1u), u32(0));
    else if (isSigned)
      signExtend();
    if (isSigned)
      v[0] = w.op(spv::OpBitcast, signedTypeOf(op.getOperand(0).getType()), {v[0]});
    return w.op(opcode, typeOf(type), v);
  };
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](arith::ConstantOp o) { return constantOf(o.getValue()); })
      // Integers.
      .Case([&](arith::AddIOp) {
        return isBool ? plain(spv::OpLogicalNotEqual) : wrapped(spv::OpIAdd);
      })
      .Case([&](arith::SubIOp) {
        return isBool ? plain(spv::OpLogicalNotEqual) : wrapped(spv::OpISub);
      })
      .Case([&](arith::MulIOp) { return isBool ? plain(spv::OpLogicalAnd) : wrapped(spv::OpIMul); })
      .Case([&](simt::MulHighOp) { return multiplyHigh(type, v); })
      .Case([&](arith::DivSIOp) { return divide(op, true, false); })
      .Case([&](arith::DivUIOp) { return divide(op, false, false); })
      .Case([&](arith::RemSIOp) { return divide(op, true, true); })
      .Case([&](arith::RemUIOp) { return divide(op, false, true); })
      .Case([&](arith::AndIOp) { return logic(spv::OpBitwiseAnd, spv::OpLogicalAnd); })
      .Case([&](arith::OrIOp) { return logic(spv::OpBitwiseOr, spv::OpLogicalOr); })
      .Case([&](arith::XOrIOp) { return logic(spv::OpBitwiseXor, spv::OpLogicalNotEqual); })
      .Case([&](arith::ShLIOp) { return shift(spv::OpShiftLeftLogical); })
      .Case([&](arith::ShRUIOp) { return shift(spv::OpShiftRightLogical); })
      .Case([&](arith::ShRSIOp) {
        v[0] = signExtended(v[0], type);
        return shift(spv::OpShiftRightArithmetic);
      })
      .Case([&](arith::MinSIOp) { return signedFunction(GLSLstd450SMin); })
      .Case([&](arith::MaxSIOp) { return signedFunction(GLSLstd450SMax); })
      .Case([&](arith::MinUIOp) { return w.glslOp(GLSLstd450UMin, typeOf(type), v); })
      .Case([&](arith::MaxUIOp) { return w.glslOp(GLSLstd450UMax, typeOf(type), v); })
      .Case([&](arith::CmpIOp) { return compareIntegers(op); })
      .Case<math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(
          [&](auto) { return countBits(op); })
      // Floats.
      .Case([&](arith::AddFOp) { return real(spv::OpFAdd); })
      .Case([&](arith::SubFOp) { return real(spv::OpFSub); })
      .Case([&](arith::MulFOp) { return real(spv::OpFMul); })
      .Case([&](arith::DivFOp) { return real(spv::OpFDiv); })
      .Case([&](arith::RemFOp) { return real(spv::OpFRem); })
      .Case([&](arith::NegFOp) { return real(spv::OpFNegate); })
      .Case([&](arith::MinNumFOp) { return function(GLSLstd450NMin); })
      .Case([&](arith::MaxNumFOp) { return function(GLSLstd450NMax); })
      .Case([&](arith::CmpFOp) { return compareFloats(op); })
      .Case([&](math::AbsFOp) { return function(GLSLstd450FAbs); })
      .Case([&](math::FloorOp) { return function(GLSLstd450Floor); })
      .Case([&](math::CeilOp) { return function(GLSLstd450Ceil); })
      .Case([&](math::RoundEvenOp) { return function(GLSLstd450RoundEven); })
      .Case([&](math::TruncOp) { return function(GLSLstd450Trunc); })
      .Case([&](math::SqrtOp) { return function(GLSLstd450Sqrt); })
      .Case([&](math::FmaOp) { return function(GLSLstd450Fma); })
      .Case([&](math::RsqrtOp) { return function(GLSLstd450InverseSqrt); })
      .Case([&](math::SinOp) { return function(GLSLstd450Sin); })
      .Case([&](math::CosOp) { return function(GLSLstd450Cos); })
      .Case([&](math::TanOp) { return function(GLSLstd450Tan); })
      .Case([&](math::AsinOp) { return function(GLSLstd450Asin); })
      .Case([&](math::AcosOp) { return function(GLSLstd450Acos); })
      .Case([&](math::AtanOp) { return function(GLSLstd450Atan); })
      .Case([&](math::Atan2Op) { return function(GLSLstd450Atan2); })
      .Case([&](math::SinhOp) { return function(GLSLstd450Sinh); })
      .Case([&](math::CoshOp) { return function(GLSLstd450Cosh); })
      .Case([&](math::TanhOp) { return function(GLSLstd450Tanh); })
      .Case([&](math::ExpOp) { return function(GLSLstd450Exp); })
      .Case([&](math::Exp2Op) { return function(GLSLstd450Exp2); })
      .Case([&](math::LogOp) { return function(GLSLstd450Log); })
      .Case([&](math::Log2Op) { return function(GLSLstd450Log2); })
      .Case([&](math::PowFOp) { return function(GLSLstd450Pow); })
      // Choice and conversion.
      .Case([&](arith::SelectOp) { return plain(spv::OpSelect); })
      .Case([&](arith::ExtSIOp) { return convertInteger(op, true); })
      .Case([&](arith::ExtUIOp) { return convertInteger(op, false); })
      .Case([&](arith::TruncIOp) { return convertInteger(op, false); })
      .Case([&](arith::ExtFOp) { return plain(spv::OpFConvert); })
      .Case([&](arith::TruncFOp) { return plain(spv::OpFConvert); })
      .Case([&](arith::SIToFPOp) { return fromInteger(spv::OpConvertSToF, true); })
      .Case([&](arith::UIToFPOp) { return fromInteger(spv::OpConvertUToF, false); })
      .Case([&](arith::FPToSIOp) {
        Id result = w.op(spv::OpConvertFToS, signedTypeOf(type), v);
        return normalized(w.op(spv::OpBitcast, typeOf(type), {result}), type);
      })
      .Case([&](arith::FPToUIOp) { return wrapped(spv::OpConvertFToU); })
      .Case([&](arith::BitcastOp) { return bitcast(op.getOperand(0), type); })
      .Default([](mlir::Operation *) { return 0; });
}
