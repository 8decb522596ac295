// arith and the plain part of math, on scalars or vectors.
#include "backends/common/Elementwise.h"
#include "frontend/ir/SimtDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
namespace arith = mlir::arith;
namespace math = mlir::math;

Type *sextant::scalarType(mlir::Type type, LLVMContext &context) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type))
    return Type::getIntNTy(context, integer.getWidth());
  if (type.isIndex())
    return Type::getInt64Ty(context);
  if (type.isF16())
    return Type::getHalfTy(context);
  if (type.isF32())
    return Type::getFloatTy(context);
  if (type.isF64())
    return Type::getDoubleTy(context);
  llvm_unreachable("not a scalar of the dialect");
}

Constant *sextant::constantValue(mlir::Attribute value, LLVMContext &context) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value))
    return ConstantInt::get(context, integer.getValue());
  return ConstantFP::get(context, mlir::cast<mlir::FloatAttr>(value).getValue());
}

static CmpInst::Predicate integerPredicate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return CmpInst::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return CmpInst::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return CmpInst::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return CmpInst::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return CmpInst::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return CmpInst::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return CmpInst::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return CmpInst::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return CmpInst::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return CmpInst::ICMP_UGE;
  }
  llvm_unreachable("all predicates are listed");
}

static CmpInst::Predicate floatPredicate(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return CmpInst::FCMP_FALSE;
  case arith::CmpFPredicate::OEQ:
    return CmpInst::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return CmpInst::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return CmpInst::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return CmpInst::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return CmpInst::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return CmpInst::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return CmpInst::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return CmpInst::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return CmpInst::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return CmpInst::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return CmpInst::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return CmpInst::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return CmpInst::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return CmpInst::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysTrue:
    return CmpInst::FCMP_TRUE;
  }
  llvm_unreachable("all predicates are listed");
}

/// Returns `divisor`, but 1 where the division would be undefined.
static Value *safeDivisor(Value *dividend, Value *divisor, bool isSigned, IRBuilderBase &b) {
  Type *type = divisor->getType();
  Constant *one = ConstantInt::get(type, 1);
  Value *safe = b.CreateBinaryIntrinsic(Intrinsic::umax, divisor, one);
  if (!isSigned)
    return safe;
  unsigned width = type->getScalarSizeInBits();
  Value *least = ConstantInt::get(type, APInt::getSignedMinValue(width));
  Value *overflows = b.CreateAnd(b.CreateICmpEQ(dividend, least),
                                 b.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)));
  return b.CreateSelect(overflows, one, safe);
}

static Value *safeShift(Value *amount, IRBuilderBase &b) {
  Type *type = amount->getType();
  return b.CreateAnd(amount, ConstantInt::get(type, type->getScalarSizeInBits() - 1));
}

/// `type` with the lanes of `like`.
static Type *withLanesOf(Value *like, Type *type) {
  if (auto *vector = dyn_cast<VectorType>(like->getType()))
    return VectorType::get(type, vector->getElementCount());
  return type;
}

Value *sextant::emitElementwise(mlir::Operation &op, ArrayRef<Value *> v, IRBuilderBase &b) {
  auto resultType = [&] {
    return withLanesOf(v[0], scalarType(op.getResult(0).getType(), b.getContext()));
  };
  auto unary = [&](Intrinsic::ID id) { return b.CreateUnaryIntrinsic(id, v[0]); };
  auto binary = [&](Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, v[0], v[1]); };
  auto divisor = [&](bool isSigned) { return safeDivisor(v[0], v[1], isSigned, b); };
  // LLVM's flag for "zero is undefined", off.
  auto countZeros = [&](Intrinsic::ID id) {
    return b.CreateIntrinsic(id, {v[0]->getType()}, {v[0], b.getFalse()});
  };
  auto nsw = [&](auto typed) {
    return bitEnumContainsAll(typed.getOverflowFlags(), arith::IntegerOverflowFlags::nsw);
  };
  auto nuw = [&](auto typed) {
    return bitEnumContainsAll(typed.getOverflowFlags(), arith::IntegerOverflowFlags::nuw);
  };
  IRBuilderBase::FastMathFlagGuard guard(b);
  if (simt::isPrecise(&op)) {
    b.clearFastMathFlags();
  } else if (!op.getResult(0).getType().isF32()) { // only f32 is approximated
    FastMathFlags flags = b.getFastMathFlags();
    flags.setApproxFunc(false);
    flags.setAllowReciprocal(false);
    b.setFastMathFlags(flags);
  }
  return mlir::TypeSwitch<mlir::Operation *, Value *>(&op)
      .Case([&](arith::ConstantOp o) { return constantValue(o.getValue(), b.getContext()); })
      // Integers.
      .Case([&](arith::AddIOp o) { return b.CreateAdd(v[0], v[1], "", nuw(o), nsw(o)); })
      .Case([&](arith::SubIOp o) { return b.CreateSub(v[0], v[1], "", nuw(o), nsw(o)); })
      .Case([&](arith::MulIOp o) { return b.CreateMul(v[0], v[1], "", nuw(o), nsw(o)); })
      .Case([&](simt::MulHighOp) {
        Type *wide = withLanesOf(v[0], b.getInt64Ty());
        Value *product = b.CreateMul(b.CreateZExt(v[0], wide), b.CreateZExt(v[1], wide), "",
                                     /*HasNUW=*/true);
        return b.CreateTrunc(b.CreateLShr(product, 32), v[0]->getType());
      })
      .Case([&](arith::DivSIOp) { return b.CreateSDiv(v[0], divisor(true)); })
      .Case([&](arith::DivUIOp) { return b.CreateUDiv(v[0], divisor(false)); })
      .Case([&](arith::RemSIOp) { return b.CreateSRem(v[0], divisor(true)); })
      .Case([&](arith::RemUIOp) { return b.CreateURem(v[0], divisor(false)); })
      .Case([&](arith::AndIOp) { return b.CreateAnd(v[0], v[1]); })
      .Case([&](arith::OrIOp) { return b.CreateOr(v[0], v[1]); })
      .Case([&](arith::XOrIOp) { return b.CreateXor(v[0], v[1]); })
      .Case([&](arith::ShLIOp) { return b.CreateShl(v[0], safeShift(v[1], b)); })
      .Case([&](arith::ShRSIOp) { return b.CreateAShr(v[0], safeShift(v[1], b)); })
      .Case([&](arith::ShRUIOp) { return b.CreateLShr(v[0], safeShift(v[1], b)); })
      .Case([&](arith::MinSIOp) { return binary(Intrinsic::smin); })
      .Case([&](arith::MaxSIOp) { return binary(Intrinsic::smax); })
      .Case([&](arith::MinUIOp) { return binary(Intrinsic::umin); })
      .Case([&](arith::MaxUIOp) { return binary(Intrinsic::umax); })
      .Case([&](arith::CmpIOp o) {
        return b.CreateICmp(integerPredicate(o.getPredicate()), v[0], v[1]);
      })
      // Floats.
      .Case([&](arith::AddFOp) { return b.CreateFAdd(v[0], v[1]); })
      .Case([&](arith::SubFOp) { return b.CreateFSub(v[0], v[1]); })
      .Case([&](arith::MulFOp) { return b.CreateFMul(v[0], v[1]); })
      .Case([&](arith::DivFOp) { return b.CreateFDiv(v[0], v[1]); })
      .Case([&](arith::NegFOp) { return b.CreateFNeg(v[0]); })
      .Case([&](arith::MinNumFOp) { return binary(Intrinsic::minnum); })
      .Case([&](arith::MaxNumFOp) { return binary(Intrinsic::maxnum); })
      .Case([&](arith::MinimumFOp) { return binary(Intrinsic::minimum); })
      .Case([&](arith::MaximumFOp) { return binary(Intrinsic::maximum); })
      .Case([&](arith::CmpFOp o) {
        return b.CreateFCmp(floatPredicate(o.getPredicate()), v[0], v[1]);
      })
      // Choice and conversion.
      .Case([&](arith::SelectOp) { return b.CreateSelect(v[0], v[1], v[2]); })
      .Case([&](arith::ExtSIOp) { return b.CreateSExt(v[0], resultType()); })
      .Case([&](arith::ExtUIOp) { return b.CreateZExt(v[0], resultType()); })
      .Case([&](arith::TruncIOp) { return b.CreateTrunc(v[0], resultType()); })
      .Case([&](arith::IndexCastOp) { return b.CreateSExtOrTrunc(v[0], resultType()); })
      .Case([&](arith::IndexCastUIOp) { return b.CreateZExtOrTrunc(v[0], resultType()); })
      .Case([&](arith::ExtFOp) { return b.CreateFPExt(v[0], resultType()); })
      .Case([&](arith::TruncFOp) { return b.CreateFPTrunc(v[0], resultType()); })
      .Case([&](arith::SIToFPOp) { return b.CreateSIToFP(v[0], resultType()); })
      .Case([&](arith::UIToFPOp) { return b.CreateUIToFP(v[0], resultType()); })
      .Case([&](arith::FPToSIOp) { return b.CreateFreeze(b.CreateFPToSI(v[0], resultType())); })
      .Case([&](arith::FPToUIOp) { return b.CreateFreeze(b.CreateFPToUI(v[0], resultType())); })
      .Case([&](simt::ToIntOp o) {
        return b.CreateIntrinsic(o.getIsUnsigned() ? Intrinsic::fptoui_sat : Intrinsic::fptosi_sat,
                                 {resultType(), v[0]->getType()}, {v[0]});
      })
      .Case([&](arith::BitcastOp) { return b.CreateBitCast(v[0], resultType()); })
      // Functions that LLVM has as intrinsics which every target selects.
      .Case([&](math::AbsIOp) {
        return b.CreateIntrinsic(Intrinsic::abs, {v[0]->getType()}, {v[0], b.getFalse()});
      })
      .Case([&](math::CtPopOp) { return unary(Intrinsic::ctpop); })
      .Case([&](math::CountLeadingZerosOp) { return countZeros(Intrinsic::ctlz); })
      .Case([&](math::CountTrailingZerosOp) { return countZeros(Intrinsic::cttz); })
      .Case([&](math::AbsFOp) { return unary(Intrinsic::fabs); })
      .Case([&](math::FloorOp) { return unary(Intrinsic::floor); })
      .Case([&](math::CeilOp) { return unary(Intrinsic::ceil); })
      .Case([&](math::RoundEvenOp) { return unary(Intrinsic::roundeven); })
      .Case([&](math::TruncOp) { return unary(Intrinsic::trunc); })
      .Case([&](math::SqrtOp) { return unary(Intrinsic::sqrt); })
      .Case([&](math::CopySignOp) { return binary(Intrinsic::copysign); })
      .Case([&](math::FmaOp) {
        return b.CreateIntrinsic(Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]});
      })
      .Default([](mlir::Operation *) { return nullptr; });
}
