// The operators of reductions, scans and atomics as ops of arith, and their identities.
#include "frontend/ir/transforms/Combine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sextant::simt;

Value sextant::simt::createCombine(OpBuilder &b, Location loc, CombineKind kind, Value lhs,
                                   Value rhs) {
  switch (kind) {
  case CombineKind::AddI:
    return b.create<arith::AddIOp>(loc, lhs, rhs);
  case CombineKind::AddF:
    return b.create<arith::AddFOp>(loc, lhs, rhs);
  case CombineKind::MulI:
    return b.create<arith::MulIOp>(loc, lhs, rhs);
  case CombineKind::MulF:
    return b.create<arith::MulFOp>(loc, lhs, rhs);
  case CombineKind::MinS:
    return b.create<arith::MinSIOp>(loc, lhs, rhs);
  case CombineKind::MinU:
    return b.create<arith::MinUIOp>(loc, lhs, rhs);
  case CombineKind::MinF:
    return b.create<arith::MinNumFOp>(loc, lhs, rhs);
  case CombineKind::MaxS:
    return b.create<arith::MaxSIOp>(loc, lhs, rhs);
  case CombineKind::MaxU:
    return b.create<arith::MaxUIOp>(loc, lhs, rhs);
  case CombineKind::MaxF:
    return b.create<arith::MaxNumFOp>(loc, lhs, rhs);
  case CombineKind::AndI:
    return b.create<arith::AndIOp>(loc, lhs, rhs);
  case CombineKind::OrI:
    return b.create<arith::OrIOp>(loc, lhs, rhs);
  case CombineKind::XorI:
    return b.create<arith::XOrIOp>(loc, lhs, rhs);
  case CombineKind::Exchange:
    break; // the verifier knows none
  }
  llvm_unreachable("a combine kind");
}

Value sextant::simt::createIdentity(OpBuilder &b, Location loc, CombineKind kind, Type type) {
  auto make = [&](TypedAttr value) -> Value { return b.create<arith::ConstantOp>(loc, value); };
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    switch (kind) {
    case CombineKind::MulF:
      return make(FloatAttr::get(type, 1.0));
    case CombineKind::MinF:
      return make(FloatAttr::get(type, APFloat::getInf(semantics)));
    case CombineKind::MaxF:
      return make(FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true)));
    default:
      return make(FloatAttr::get(type, 0.0));
    }
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = APInt::getZero(width);
  switch (kind) {
  case CombineKind::MulI:
    value = APInt(width, 1);
    break;
  case CombineKind::MinS:
    value = APInt::getSignedMaxValue(width);
    break;
  case CombineKind::MaxS:
    value = APInt::getSignedMinValue(width);
    break;
  case CombineKind::MinU:
  case CombineKind::AndI:
    value = APInt::getAllOnes(width);
    break;
  default:
    break;
  }
  return make(IntegerAttr::get(type, value));
}

Value sextant::simt::createNeutral(OpBuilder &b, Location loc, CombineKind kind, Type type) {
  auto real = dyn_cast<FloatType>(type);
  if (real && kind == CombineKind::AddF)
    return b.create<arith::ConstantOp>(loc, FloatAttr::get(type, -0.0));
  if (real && kind != CombineKind::MulF)
    return b.create<arith::ConstantOp>(
        loc, FloatAttr::get(type, APFloat::getQNaN(real.getFloatSemantics())));
  return createIdentity(b, loc, kind, type);
}
