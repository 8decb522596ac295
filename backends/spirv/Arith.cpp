// Ops on single values: integers, reals, conversions.
#include "backends/spirv/Arith.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
namespace arith = mlir::arith;
namespace math = mlir::math;

static unsigned widthOf(mlir::Type type) { return type.getIntOrFloatBitWidth(); }

namespace {

/// The code of one op.
class Elementwise {
public:
  Elementwise(mlir::Operation &op, Operands operands, bool marksPrecise, ScalarWriter &w)
      : op(op), type(op.getResult(0).getType()), v(operands.begin(), operands.end()),
        marksPrecise(marksPrecise), w(w) {}

  Id emit();

private:
  Id plain(spv::Op opcode) { return w.op(opcode, w.typeOf(type), v); }
  Id wrapped(spv::Op opcode) { return w.normalized(plain(opcode), type); }

  Id onIntegers();
  Id logic(spv::Op onBits, spv::Op onBools) { return plain(type.isInteger(1) ? onBools : onBits); }
  Id divide(bool isSigned, bool isRemainder);
  Id shift(spv::Op opcode);
  Id signedFunction(GLSLstd450 name);
  Id compareIntegers();
  Id countBits();
  Id multiplyHigh();

  Id onReals();
  Id real(spv::Op opcode);
  Id compareReals();

  Id choicesAndConversions();
  Id constantOf(mlir::Attribute value);
  Id convertInteger(bool isSigned);
  Id fromInteger(spv::Op opcode, bool isSigned);
  void signExtend();

  mlir::Operation &op;
  mlir::Type type;
  SmallVector<Id> v; ///< the operands
  bool marksPrecise;
  ScalarWriter &w;
};

} // namespace

//===--- Integers ----------------------------------------------------------===//

/// Returns the quotient or remainder. The remainder comes from the quotient, because Vulkan leaves
/// OpSRem undefined for negative operands.
Id Elementwise::divide(bool isSigned, bool isRemainder) {
  Id dividend = v[0], divisor = v[1];
  if (isSigned) {
    dividend = w.signExtended(dividend, type);
    divisor = w.signExtended(divisor, type);
  }
  unsigned width = std::max(32u, widthOf(type));
  mlir::Type carried = mlir::IntegerType::get(type.getContext(), width);
  // Where the division would be undefined, the divisor is 1.
  auto constant = op.getOperand(1).getDefiningOp<arith::ConstantOp>();
  APInt known = constant ? cast<mlir::IntegerAttr>(constant.getValue()).getValue() : APInt();
  bool isSafe = constant && !known.isZero() && !(isSigned && known.isAllOnes());
  if (!isSafe) {
    Id bad = w.op(spv::OpIEqual, w.boolType(), {divisor, w.integer(carried, 0)});
    if (isSigned) {
      Id least = w.integer(carried, APInt::getSignedMinValue(width).getZExtValue());
      Id minusOne = w.integer(carried, APInt::getAllOnes(width).getZExtValue());
      Id overflows = w.op(spv::OpLogicalAnd, w.boolType(),
                          {w.op(spv::OpIEqual, w.boolType(), {dividend, least}),
                           w.op(spv::OpIEqual, w.boolType(), {divisor, minusOne})});
      bad = w.op(spv::OpLogicalOr, w.boolType(), {bad, overflows});
    }
    divisor = w.select(w.typeOf(carried), bad, w.integer(carried, 1), divisor);
  }
  if (!isSigned && isRemainder)
    return w.op(spv::OpUMod, w.typeOf(type), {dividend, divisor});
  Id quotient = w.op(isSigned ? spv::OpSDiv : spv::OpUDiv, w.typeOf(type), {dividend, divisor});
  if (!isRemainder)
    return isSigned ? w.normalized(quotient, type) : quotient;
  Id product = w.op(spv::OpIMul, w.typeOf(type), {quotient, divisor});
  return w.normalized(w.op(spv::OpISub, w.typeOf(type), {dividend, product}), type);
}

Id Elementwise::shift(spv::Op opcode) {
  v[1] = w.op(spv::OpBitwiseAnd, w.typeOf(type), {v[1], w.integer(type, widthOf(type) - 1)});
  return wrapped(opcode);
}

Id Elementwise::signedFunction(GLSLstd450 name) {
  signExtend();
  Id result = w.glslOp(name, w.signedTypeOf(type), v);
  return w.normalized(w.op(spv::OpBitcast, w.typeOf(type), {result}), type);
}

Id Elementwise::compareIntegers() {
  auto compare = cast<arith::CmpIOp>(op);
  mlir::Type compared = compare.getLhs().getType();
  Id lhs = v[0], rhs = v[1];
  auto emit = [&](spv::Op opcode) { return w.op(opcode, w.boolType(), {lhs, rhs}); };
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  if (compared.isInteger(1)) {
    if (predicate == Predicate::eq)
      return emit(spv::OpLogicalEqual);
    if (predicate == Predicate::ne)
      return emit(spv::OpLogicalNotEqual);
    // Compares booleans as numbers, where true is 1 or, signed, -1.
    bool isSigned = predicate == Predicate::slt || predicate == Predicate::sle ||
                    predicate == Predicate::sgt || predicate == Predicate::sge;
    Id truth = w.u32(isSigned ? ~0u : 1u);
    lhs = w.select(w.u32Type(), lhs, truth, w.u32(0));
    rhs = w.select(w.u32Type(), rhs, truth, w.u32(0));
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
  lhs = w.signExtended(lhs, compared);
  rhs = w.signExtended(rhs, compared);
  return emit(predicate == Predicate::slt   ? spv::OpSLessThan
              : predicate == Predicate::sle ? spv::OpSLessThanEqual
              : predicate == Predicate::sgt ? spv::OpSGreaterThan
                                            : spv::OpSGreaterThanEqual);
}

/// ctpop, ctlz and cttz. SPIR-V's own work on 32 bits, and yield -1 if no bit is set.
Id Elementwise::countBits() {
  const Id value = v[0], boolType = w.boolType();
  auto add = [&](Id a, Id b) { return w.op(spv::OpIAdd, w.u32Type(), {a, b}); };
  auto subtract = [&](Id a, Id b) { return w.op(spv::OpISub, w.u32Type(), {a, b}); };
  auto isZero = [&](Id word) { return w.op(spv::OpIEqual, boolType, {word, w.u32(0)}); };
  auto bits = [&](Id word) { return w.op(spv::OpBitCount, w.u32Type(), {word}); };
  auto leading = [&](Id word) {
    return subtract(w.u32(31), w.glslOp(GLSLstd450FindUMsb, w.u32Type(), {word}));
  };
  auto trailing = [&](Id word) {
    Id place = w.glslOp(GLSLstd450FindILsb, w.u32Type(), {word});
    return w.select(w.u32Type(), isZero(word), w.u32(32), place);
  };
  if (widthOf(type) != 64) {
    unsigned width = widthOf(type);
    if (isa<math::CtPopOp>(op))
      return bits(value);
    if (isa<math::CountLeadingZerosOp>(op))
      return width == 32 ? leading(value) : subtract(leading(value), w.u32(32 - width));
    return width == 32 ? trailing(value)
                       : w.glslOp(GLSLstd450UMin, w.u32Type(), {trailing(value), w.u32(width)});
  }
  Id pair = w.op(spv::OpBitcast, w.vectorType(w.u32Type(), 2), {value});
  Id low = w.op(spv::OpCompositeExtract, w.u32Type(), {pair, 0});
  Id high = w.op(spv::OpCompositeExtract, w.u32Type(), {pair, 1});
  Id count;
  if (isa<math::CtPopOp>(op))
    count = add(bits(low), bits(high));
  else if (isa<math::CountLeadingZerosOp>(op))
    count = w.select(w.u32Type(), isZero(high), add(w.u32(32), leading(low)), leading(high));
  else
    count = w.select(w.u32Type(), isZero(low), add(w.u32(32), trailing(high)), trailing(low));
  return w.op(spv::OpUConvert, w.typeOf(type), {count});
}

/// The upper half of a product of two unsigned words.
Id Elementwise::multiplyHigh() {
  const uint32_t halves[] = {w.typeOf(type), w.typeOf(type)};
  Id both = w.op(spv::OpUMulExtended, w.unique(spv::OpTypeStruct, halves), v);
  return w.op(spv::OpCompositeExtract, w.typeOf(type), {both, 1});
}

Id Elementwise::onIntegers() {
  const bool isBool = type.isInteger(1);
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](arith::AddIOp) {
        return isBool ? plain(spv::OpLogicalNotEqual) : wrapped(spv::OpIAdd);
      })
      .Case([&](arith::SubIOp) {
        return isBool ? plain(spv::OpLogicalNotEqual) : wrapped(spv::OpISub);
      })
      .Case([&](arith::MulIOp) { return isBool ? plain(spv::OpLogicalAnd) : wrapped(spv::OpIMul); })
      .Case([&](simt::MulHighOp) { return multiplyHigh(); })
      .Case([&](arith::DivSIOp) { return divide(true, false); })
      .Case([&](arith::DivUIOp) { return divide(false, false); })
      .Case([&](arith::RemSIOp) { return divide(true, true); })
      .Case([&](arith::RemUIOp) { return divide(false, true); })
      .Case([&](arith::AndIOp) { return logic(spv::OpBitwiseAnd, spv::OpLogicalAnd); })
      .Case([&](arith::OrIOp) { return logic(spv::OpBitwiseOr, spv::OpLogicalOr); })
      .Case([&](arith::XOrIOp) { return logic(spv::OpBitwiseXor, spv::OpLogicalNotEqual); })
      .Case([&](arith::ShLIOp) { return shift(spv::OpShiftLeftLogical); })
      .Case([&](arith::ShRUIOp) { return shift(spv::OpShiftRightLogical); })
      .Case([&](arith::ShRSIOp) {
        v[0] = w.signExtended(v[0], type);
        return shift(spv::OpShiftRightArithmetic);
      })
      .Case([&](arith::MinSIOp) { return signedFunction(GLSLstd450SMin); })
      .Case([&](arith::MaxSIOp) { return signedFunction(GLSLstd450SMax); })
      .Case([&](arith::MinUIOp) { return w.glslOp(GLSLstd450UMin, w.typeOf(type), v); })
      .Case([&](arith::MaxUIOp) { return w.glslOp(GLSLstd450UMax, w.typeOf(type), v); })
      .Case([&](arith::CmpIOp) { return compareIntegers(); })
      .Case<math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(
          [&](auto) { return countBits(); })
      .Default([](mlir::Operation *) { return 0; });
}

//===--- Reals --------------------------------------------------------------===//

Id Elementwise::compareReals() {
  auto compare = cast<arith::CmpFOp>(op);
  Id lhs = v[0], rhs = v[1];
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

Id Elementwise::real(spv::Op opcode) {
  Id result = w.floatOp(opcode, type, v);
  if (marksPrecise && simt::isPrecise(&op))
    w.decorate(result, spv::DecorationRelaxedPrecision);
  return result;
}

/// GLSL's function for the op, if it is one.
static std::optional<GLSLstd450> glslFunction(mlir::Operation &op) {
  return TypeSwitch<mlir::Operation *, std::optional<GLSLstd450>>(&op)
      .Case([](arith::MinNumFOp) { return GLSLstd450NMin; })
      .Case([](arith::MaxNumFOp) { return GLSLstd450NMax; })
      .Case([](math::AbsFOp) { return GLSLstd450FAbs; })
      .Case([](math::FloorOp) { return GLSLstd450Floor; })
      .Case([](math::CeilOp) { return GLSLstd450Ceil; })
      .Case([](math::RoundEvenOp) { return GLSLstd450RoundEven; })
      .Case([](math::TruncOp) { return GLSLstd450Trunc; })
      .Case([](math::SqrtOp) { return GLSLstd450Sqrt; })
      .Case([](math::FmaOp) { return GLSLstd450Fma; })
      .Case([](math::RsqrtOp) { return GLSLstd450InverseSqrt; })
      .Case([](math::SinOp) { return GLSLstd450Sin; })
      .Case([](math::CosOp) { return GLSLstd450Cos; })
      .Case([](math::TanOp) { return GLSLstd450Tan; })
      .Case([](math::AsinOp) { return GLSLstd450Asin; })
      .Case([](math::AcosOp) { return GLSLstd450Acos; })
      .Case([](math::AtanOp) { return GLSLstd450Atan; })
      .Case([](math::Atan2Op) { return GLSLstd450Atan2; })
      .Case([](math::SinhOp) { return GLSLstd450Sinh; })
      .Case([](math::CoshOp) { return GLSLstd450Cosh; })
      .Case([](math::TanhOp) { return GLSLstd450Tanh; })
      .Case([](math::ExpOp) { return GLSLstd450Exp; })
      .Case([](math::Exp2Op) { return GLSLstd450Exp2; })
      .Case([](math::LogOp) { return GLSLstd450Log; })
      .Case([](math::Log2Op) { return GLSLstd450Log2; })
      .Case([](math::PowFOp) { return GLSLstd450Pow; })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

Id Elementwise::onReals() {
  if (std::optional<GLSLstd450> function = glslFunction(op))
    return w.floatFunction(*function, type, v);
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](arith::AddFOp) { return real(spv::OpFAdd); })
      .Case([&](arith::SubFOp) { return real(spv::OpFSub); })
      .Case([&](arith::MulFOp) { return real(spv::OpFMul); })
      .Case([&](arith::DivFOp) { return real(spv::OpFDiv); })
      .Case([&](arith::RemFOp) { return real(spv::OpFRem); })
      .Case([&](arith::NegFOp) { return real(spv::OpFNegate); })
      .Case([&](arith::CmpFOp) { return compareReals(); })
      .Default([](mlir::Operation *) { return 0; });
}

//===--- Choices and conversions -------------------------------------------===//

Id Elementwise::constantOf(mlir::Attribute value) {
  if (auto real = dyn_cast<mlir::FloatAttr>(value))
    return w.integer(real.getType(), real.getValue().bitcastToAPInt().getZExtValue());
  auto known = cast<mlir::IntegerAttr>(value);
  if (known.getType().isInteger(1))
    return w.boolConstant(!known.getValue().isZero());
  return w.integer(known.getType(), known.getValue().getZExtValue());
}

void Elementwise::signExtend() {
  for (auto [id, operand] : llvm::zip(v, op.getOperands()))
    id = w.signExtended(id, operand.getType());
}

/// trunci, extsi, extui.
Id Elementwise::convertInteger(bool isSigned) {
  mlir::Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  Id value = v[0];
  // If a ballot is only truncated, its first word is enough.
  if (auto ballot = op.getOperand(0).getDefiningOp<simt::BallotOp>())
    if (llvm::all_of(ballot->getUsers(), llvm::IsaPred<arith::TruncIOp>))
      from = mlir::IntegerType::get(op.getContext(), 32);
  if (from == to)
    return value;
  if (from.isInteger(1)) {
    uint64_t truth = isSigned ? APInt::getAllOnes(widthOf(to)).getZExtValue() : 1;
    return w.select(w.typeOf(to), value, w.integer(to, truth), w.integer(to, 0));
  }
  if (to.isInteger(1)) {
    Id low = w.op(spv::OpBitwiseAnd, w.typeOf(from), {value, w.integer(from, 1)});
    return w.op(spv::OpINotEqual, w.boolType(), {low, w.integer(from, 0)});
  }
  if (widthOf(from) > widthOf(to)) {
    if (widthOf(from) == 64)
      value = w.op(spv::OpUConvert, w.u32Type(), {value});
    return w.normalized(value, to);
  }
  if (isSigned)
    value = w.signExtended(value, from);
  if (widthOf(to) == 64)
    return w.op(isSigned ? spv::OpSConvert : spv::OpUConvert, w.typeOf(to), {value});
  return w.normalized(value, to);
}

Id Elementwise::fromInteger(spv::Op opcode, bool isSigned) {
  const mlir::Type from = op.getOperand(0).getType();
  if (from.isInteger(1))
    v[0] = w.select(w.u32Type(), v[0], w.u32(isSigned ? ~0u : 1u), w.u32(0));
  else if (isSigned)
    signExtend();
  if (isSigned)
    v[0] = w.op(spv::OpBitcast, w.signedTypeOf(from), {v[0]});
  return plain(opcode);
}

Id Elementwise::choicesAndConversions() {
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](arith::ConstantOp o) { return constantOf(o.getValue()); })
      .Case([&](arith::SelectOp) { return plain(spv::OpSelect); })
      .Case([&](arith::ExtSIOp) { return convertInteger(true); })
      .Case([&](arith::ExtUIOp) { return convertInteger(false); })
      .Case([&](arith::TruncIOp) { return convertInteger(false); })
      .Case([&](arith::ExtFOp) { return plain(spv::OpFConvert); })
      .Case([&](arith::TruncFOp) { return plain(spv::OpFConvert); })
      .Case([&](arith::SIToFPOp) { return fromInteger(spv::OpConvertSToF, true); })
      .Case([&](arith::UIToFPOp) { return fromInteger(spv::OpConvertUToF, false); })
      .Case([&](arith::FPToSIOp) {
        Id result = w.op(spv::OpConvertFToS, w.signedTypeOf(type), v);
        return w.normalized(w.op(spv::OpBitcast, w.typeOf(type), {result}), type);
      })
      .Case([&](arith::FPToUIOp) { return wrapped(spv::OpConvertFToU); })
      .Case([&](arith::BitcastOp) { return w.bitcast(v[0], op.getOperand(0).getType(), type); })
      .Default([](mlir::Operation *) { return 0; });
}

//===--- All ---------------------------------------------------------------===//

Id Elementwise::emit() {
  if (Id result = onIntegers())
    return result;
  if (Id result = onReals())
    return result;
  return choicesAndConversions();
}

Id sextant::spirv::elementwise(mlir::Operation &op, Operands operands, bool marksPrecise,
                               ScalarWriter &w) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIntOrFloat())
    return 0;
  return Elementwise(op, operands, marksPrecise, w).emit();
}
