// Ops of arith and math, on scalars or vectors.
#include "backends/cpu/Arith.h"

#include "backends/common/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace math = mlir::math;

/// `scalar`, or a vector of it with the lanes of `like`.
static Type *withLanesOf(Value *like, Type *scalar) {
  if (auto *vector = dyn_cast<FixedVectorType>(like->getType()))
    return FixedVectorType::get(scalar, vector->getNumElements());
  return scalar;
}

//===--- Division ----------------------------------------------------------===//

/// Vectors of up to 32 bits go through floating-point division, which the machine has for vectors.
/// If a significand holds both integers exactly, their quotient is truncated to the right integer.
static Value *divide(mlir::Operation &op, Value *a, Value *divisor, LaneBuilder &b) {
  auto *vector = dyn_cast<FixedVectorType>(a->getType());
  unsigned bits = a->getType()->getScalarSizeInBits();
  // Divisions by constants become multiplications, and uniform ones are scalar.
  if (!vector || bits > 32 || isa<Constant>(divisor))
    return emitElementwise(op, {a, divisor}, b);
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  Type *real = withLanesOf(a, bits <= 16 ? b.getFloatTy() : b.getDoubleTy());
  Type *integer = withLanesOf(a, bits <= 16 ? b.getInt32Ty() : b.getIntNTy(bits));
  auto convert = [&](Value *value) {
    return isSigned ? b.CreateSIToFP(value, real) : b.CreateUIToFP(value, real);
  };
  Value *ratio = b.CreateFDiv(convert(a), convert(divisor));
  bool useSigned = isSigned || bits <= 16;
  Value *quotient = useSigned ? b.CreateFPToSI(ratio, integer) : b.CreateFPToUI(ratio, integer);
  // For a division by zero, and of the least integer by -1, the conversion is out of range: it
  // yields some value.
  quotient = b.CreateFreeze(quotient);
  quotient = b.CreateTrunc(quotient, a->getType());
  return isRemainder ? b.CreateSub(a, b.CreateMul(quotient, divisor)) : quotient;
}

//===--- Inverse roots -----------------------------------------------------===//

/// 1 / sqrt(x) to within 2^-11.4 of it, which fast math asks for: by the instruction of eight or
/// sixteen lanes. Scalars and fewer lanes take a root and a division.
static Value *estimateInverseRoot(Value *x, LaneBuilder &b) {
  auto *type = dyn_cast<FixedVectorType>(x->getType());
  const unsigned lanes = type ? type->getNumElements() : 1;
  const unsigned count = lanes % 16 == 0 && b.machine.vectorBytes == 64 ? 16 : 8;
  if (lanes % count)
    return b.CreateFDiv(ConstantFP::get(x->getType(), 1),
                        b.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
  SmallVector<Value *> parts;
  for (unsigned first = 0; first < lanes; first += count) {
    Value *part = b.CreateShuffleVector(x, createSequentialMask(first, count, 0));
    if (count == 8)
      parts.push_back(b.CreateIntrinsic(Intrinsic::x86_avx_rsqrt_ps_256, {}, {part}));
    else
      parts.push_back(
          b.CreateIntrinsic(Intrinsic::x86_avx512_rsqrt14_ps_512, {},
                            {part, Constant::getNullValue(part->getType()), b.getInt16(0xffff)}));
  }
  return concatenateVectors(b, parts);
}

//===--- Each op ------------------------------------------------------------===//

Value *cpu::elementwise(mlir::Operation &op, ArrayRef<Value *> v, LaneBuilder &b) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return divide(op, v[0], v[1], b);
  if (isa<math::RsqrtOp>(op))
    return estimateInverseRoot(v[0], b);
  mlir::Type from = op.getOperand(0).getType(), to = op.getResult(0).getType();
  bool isHalf = from.isF16() || to.isF16();
  if (!isHalf || isa<arith::SelectOp>(op))
    return emitElementwise(op, v, b);
  Type *singles = withLanesOf(v[0], b.getFloatTy());
  if (isa<arith::BitcastOp>(op))
    return v[0];
  if (isa<arith::NegFOp>(op))
    return b.CreateXor(v[0], ConstantInt::get(v[0]->getType(), 0x8000));
  if (isa<math::AbsFOp>(op))
    return b.CreateAnd(v[0], ConstantInt::get(v[0]->getType(), 0x7fff));
  if (isa<arith::ExtFOp>(op)) {
    Value *single = halfToFloat(v[0], b);
    return to.isF64() ? b.CreateFPExt(single, withLanesOf(v[0], b.getDoubleTy())) : single;
  }
  if (isa<arith::TruncFOp>(op))
    return floatToHalf(v[0], b);
  if (isa<arith::SIToFPOp>(op))
    return floatToHalf(b.CreateSIToFP(v[0], singles), b);
  if (isa<arith::UIToFPOp>(op))
    return floatToHalf(b.CreateUIToFP(v[0], singles), b);
  SmallVector<Value *> wide;
  for (Value *value : v)
    wide.push_back(halfToFloat(value, b));
  Value *result = emitElementwise(op, wide, b);
  return result && to.isF16() ? floatToHalf(result, b) : result;
}

//===--- Half floats -------------------------------------------------------===//

Value *cpu::halfToFloat(Value *half, LaneBuilder &b) {
  Type *single = withLanesOf(half, b.getFloatTy()), *word = withLanesOf(half, b.getInt32Ty());
  if (b.machine.hasHalfConversion)
    return b.CreateFPExt(b.CreateBitCast(half, withLanesOf(half, b.getHalfTy())), single);
  auto constant = [&](uint32_t value) { return ConstantInt::get(word, value); };
  Value *bits = b.CreateZExt(half, word);
  Value *sign = b.CreateShl(b.CreateAnd(bits, constant(0x8000)), 16);
  Value *shifted = b.CreateShl(b.CreateAnd(bits, constant(0x7fff)), 13);
  // 2**112 shifts the exponent's bias, and makes small numbers normal.
  Value *scaled =
      b.CreateFMul(b.CreateBitCast(shifted, single), b.CreateBitCast(constant(0x77800000), single));
  Value *isSpecial = b.CreateICmpUGE(shifted, constant(0x7c00 << 13));
  Value *magnitude = b.CreateSelect(isSpecial, b.CreateOr(shifted, constant(0x7f800000)),
                                    b.CreateBitCast(scaled, word));
  return b.CreateBitCast(b.CreateOr(magnitude, sign), single);
}

Value *cpu::floatToHalf(Value *value, LaneBuilder &b) {
  Type *single = value->getType(), *half = withLanesOf(value, b.getInt16Ty()),
       *word = withLanesOf(value, b.getInt32Ty());
  if (b.machine.hasHalfConversion)
    return b.CreateBitCast(b.CreateFPTrunc(value, withLanesOf(value, b.getHalfTy())), half);
  auto constant = [&](uint32_t value) { return ConstantInt::get(word, value); };
  Value *bits = b.CreateBitCast(value, word);
  Value *sign = b.CreateLShr(b.CreateAnd(bits, constant(0x80000000)), 16);
  Value *magnitude = b.CreateAnd(bits, constant(0x7fffffff));
  // Normal results: rebias, then round to nearest even. A carry may reach infinity.
  Value *odd = b.CreateAnd(b.CreateLShr(magnitude, 13), constant(1));
  Value *rounded = b.CreateAdd(b.CreateAdd(magnitude, constant(0xfff)), odd);
  Value *normal = b.CreateLShr(b.CreateSub(rounded, constant(112u << 23)), 13);
  // Small results: adding 0.5 moves the last place of the sum to theirs.
  Value *half05 = b.CreateBitCast(constant(0x3f000000), single);
  Value *sum = b.CreateFAdd(b.CreateBitCast(magnitude, single), half05);
  Value *small = b.CreateSub(b.CreateBitCast(sum, word), constant(0x3f000000));
  Value *isNan = b.CreateICmpUGT(magnitude, constant(0x7f800000));
  Value *special = b.CreateSelect(isNan, constant(0x7e00), constant(0x7c00));
  Value *result = b.CreateSelect(b.CreateICmpULT(magnitude, constant(0x38800000)), small, normal);
  result = b.CreateSelect(b.CreateICmpUGE(magnitude, constant(0x47800000)), special, result);
  return b.CreateTrunc(b.CreateOr(result, sign), half);
}
