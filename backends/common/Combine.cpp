// Operators and their identities.
#include "backends/common/Combine.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using sextant::simt::CombineKind;

Value *sextant::emitCombine(IRBuilderBase &b, CombineKind kind, Value *earlier, Value *later) {
  switch (kind) {
  case CombineKind::AddI:
    return b.CreateAdd(earlier, later);
  case CombineKind::AddF:
    return b.CreateFAdd(earlier, later);
  case CombineKind::MulI:
    return b.CreateMul(earlier, later);
  case CombineKind::MulF:
    return b.CreateFMul(earlier, later);
  case CombineKind::MinS:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, earlier, later);
  case CombineKind::MinU:
    return b.CreateBinaryIntrinsic(Intrinsic::umin, earlier, later);
  case CombineKind::MinF:
    return b.CreateMinNum(earlier, later);
  case CombineKind::MaxS:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, earlier, later);
  case CombineKind::MaxU:
    return b.CreateBinaryIntrinsic(Intrinsic::umax, earlier, later);
  case CombineKind::MaxF:
    return b.CreateMaxNum(earlier, later);
  case CombineKind::AndI:
    return b.CreateAnd(earlier, later);
  case CombineKind::OrI:
    return b.CreateOr(earlier, later);
  case CombineKind::XorI:
    return b.CreateXor(earlier, later);
  case CombineKind::Exchange:
    return later;
  }
  llvm_unreachable("all kinds are listed");
}

Constant *sextant::combineIdentity(CombineKind kind, Type *type) {
  unsigned width = type->getScalarSizeInBits();
  switch (kind) {
  case CombineKind::AddI:
  case CombineKind::MaxU:
  case CombineKind::OrI:
  case CombineKind::XorI:
    return ConstantInt::get(type, 0);
  case CombineKind::AddF:
    return ConstantFP::get(type, 0.0);
  case CombineKind::MulI:
    return ConstantInt::get(type, 1);
  case CombineKind::MulF:
    return ConstantFP::get(type, 1.0);
  case CombineKind::MinS:
    return ConstantInt::get(type, APInt::getSignedMaxValue(width));
  case CombineKind::MaxS:
    return ConstantInt::get(type, APInt::getSignedMinValue(width));
  case CombineKind::MinU:
  case CombineKind::AndI:
    return Constant::getAllOnesValue(type);
  case CombineKind::MinF:
    return ConstantFP::getInfinity(type);
  case CombineKind::MaxF:
    return ConstantFP::getInfinity(type, /*Negative=*/true);
  case CombineKind::Exchange:
    break; // has none
  }
  llvm_unreachable("all kinds are listed");
}
