// Operators and their identities.
#include "backends/common/Combine.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using sextant::simt::Combine;

Value *sextant::emitCombine(IRBuilderBase &b, Combine kind, Value *earlier, Value *later) {
  switch (kind) {
  case Combine::AddI:
    return b.CreateAdd(earlier, later);
  case Combine::AddF:
    return b.CreateFAdd(earlier, later);
  case Combine::MulI:
    return b.CreateMul(earlier, later);
  case Combine::MulF:
    return b.CreateFMul(earlier, later);
  case Combine::MinS:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, earlier, later);
  case Combine::MinU:
    return b.CreateBinaryIntrinsic(Intrinsic::umin, earlier, later);
  case Combine::MinF:
    return b.CreateMinNum(earlier, later);
  case Combine::MaxS:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, earlier, later);
  case Combine::MaxU:
    return b.CreateBinaryIntrinsic(Intrinsic::umax, earlier, later);
  case Combine::MaxF:
    return b.CreateMaxNum(earlier, later);
  case Combine::AndI:
    return b.CreateAnd(earlier, later);
  case Combine::OrI:
    return b.CreateOr(earlier, later);
  case Combine::XorI:
    return b.CreateXor(earlier, later);
  }
  llvm_unreachable("all kinds are listed");
}

Constant *sextant::combineIdentity(Combine kind, Type *type) {
  unsigned width = type->getScalarSizeInBits();
  switch (kind) {
  case Combine::AddI:
  case Combine::MaxU:
  case Combine::OrI:
  case Combine::XorI:
    return ConstantInt::get(type, 0);
  case Combine::AddF:
    return ConstantFP::get(type, 0.0);
  case Combine::MulI:
    return ConstantInt::get(type, 1);
  case Combine::MulF:
    return ConstantFP::get(type, 1.0);
  case Combine::MinS:
    return ConstantInt::get(type, APInt::getSignedMaxValue(width));
  case Combine::MaxS:
    return ConstantInt::get(type, APInt::getSignedMinValue(width));
  case Combine::MinU:
  case Combine::AndI:
    return Constant::getAllOnesValue(type);
  case Combine::MinF:
    return ConstantFP::getInfinity(type);
  case Combine::MaxF:
    return ConstantFP::getInfinity(type, /*Negative=*/true);
  }
  llvm_unreachable("all kinds are listed");
}
