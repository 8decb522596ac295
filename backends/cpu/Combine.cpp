// The operators, their identities, and what folds the lanes of a vector by them.
#include "backends/cpu/Combine.h"

#include "backends/cpu/Arith.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

Value *cpu::combine(simt::CombineKind kind, Value *a, Value *c, mlir::Type type, LaneBuilder &b) {
  using simt::CombineKind;
  if (kind == simt::CombineKind::Exchange)
    return c;
  bool isHalf = type.isF16();
  if (isHalf) {
    a = halfToFloat(a, b);
    c = halfToFloat(c, b);
  }
  auto intrinsic = [&](Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, a, c); };
  Value *result = nullptr;
  switch (kind) {
  case CombineKind::AddI:
    result = b.CreateAdd(a, c);
    break;
  case CombineKind::AddF:
    result = b.CreateFAdd(a, c);
    break;
  case CombineKind::MulI:
    result = b.CreateMul(a, c);
    break;
  case CombineKind::MulF:
    result = b.CreateFMul(a, c);
    break;
  case CombineKind::MinS:
    result = intrinsic(Intrinsic::smin);
    break;
  case CombineKind::MinU:
    result = intrinsic(Intrinsic::umin);
    break;
  case CombineKind::MinF:
    result = intrinsic(Intrinsic::minnum);
    break;
  case CombineKind::MaxS:
    result = intrinsic(Intrinsic::smax);
    break;
  case CombineKind::MaxU:
    result = intrinsic(Intrinsic::umax);
    break;
  case CombineKind::MaxF:
    result = intrinsic(Intrinsic::maxnum);
    break;
  case CombineKind::AndI:
    result = b.CreateAnd(a, c);
    break;
  case CombineKind::OrI:
    result = b.CreateOr(a, c);
    break;
  case CombineKind::XorI:
    result = b.CreateXor(a, c);
    break;
  case CombineKind::Exchange:
    break;
  }
  return isHalf ? floatToHalf(result, b) : result;
}

Constant *cpu::identityOf(simt::CombineKind kind, mlir::Type type, bool asSeen, LaneBuilder &b) {
  using simt::CombineKind;
  auto real = [&](auto make) -> Constant * {
    const fltSemantics &semantics = type.isF16()   ? APFloat::IEEEhalf()
                                    : type.isF32() ? APFloat::IEEEsingle()
                                                   : APFloat::IEEEdouble();
    APFloat value = make(semantics);
    if (type.isF16())
      return ConstantInt::get(b.getContext(), value.bitcastToAPInt());
    return ConstantFP::get(b.getContext(), value);
  };
  auto limit = [&](bool isMin) {
    return real([&](const fltSemantics &s) {
      return asSeen ? APFloat::getInf(s, /*Negative=*/!isMin) : APFloat::getQNaN(s);
    });
  };
  unsigned bits = type.getIntOrFloatBitWidth();
  auto integer = [&](APInt value) { return ConstantInt::get(b.getContext(), value); };
  switch (kind) {
  case CombineKind::AddF:
    return real([&](const fltSemantics &s) { return APFloat::getZero(s, /*Negative=*/!asSeen); });
  case CombineKind::MulF:
    return real([&](const fltSemantics &s) { return APFloat::getOne(s); });
  case CombineKind::MinF:
    return limit(true);
  case CombineKind::MaxF:
    return limit(false);
  case CombineKind::MulI:
    return integer(APInt(bits, 1));
  case CombineKind::MinS:
    return integer(APInt::getSignedMaxValue(bits));
  case CombineKind::MaxS:
    return integer(APInt::getSignedMinValue(bits));
  case CombineKind::MinU:
  case CombineKind::AndI:
    return integer(APInt::getAllOnes(bits));
  case CombineKind::AddI:
  case CombineKind::MaxU:
  case CombineKind::OrI:
  case CombineKind::XorI:
    return integer(APInt(bits, 0));
  case CombineKind::Exchange:
    break;
  }
  llvm_unreachable("all operators are listed");
}

//===--- Over the lanes of a vector ----------------------------------------===//

/// The upper half is folded onto the lower half until one lane is left.
Value *cpu::reduceAll(simt::CombineKind kind, Value *value, mlir::Type type, LaneBuilder &b) {
  if (b.lanes.width == 1)
    return value;
  for (unsigned count = b.lanes.width; count > 1; count /= 2) {
    SmallVector<int> low, high;
    for (unsigned lane = 0; lane < count / 2; ++lane) {
      low.push_back(lane);
      high.push_back(lane + count / 2);
    }
    value = combine(kind, b.CreateShuffleVector(value, low), b.CreateShuffleVector(value, high),
                    type, b);
  }
  return b.CreateExtractElement(value, uint64_t(0));
}

Value *cpu::reduceTile(simt::CombineKind kind, Value *value, mlir::Type type, unsigned size,
                       LaneBuilder &b) {
  for (int distance = size / 2; distance >= 1; distance /= 2) {
    Value *partner = b.shuffle(value, value, [&](int lane) { return lane ^ distance; });
    value = combine(kind, value, partner, type, b);
  }
  return value;
}

/// The algorithm of Hillis and Steele: each round adds the value `distance` lanes before.
Value *cpu::scanTile(simt::CombineKind kind, Value *value, mlir::Type type, unsigned size,
                     bool exclusive, LaneBuilder &b) {
  if (b.lanes.width == 1)
    return exclusive ? identityOf(kind, type, /*asSeen=*/true, b) : value;
  int width = b.lanes.width;
  auto shifted = [&](int distance, Value *fill) {
    return b.shuffle(value, fill, [&](int lane) {
      return lane % int(size) >= distance ? lane - distance : width + lane;
    });
  };
  Value *neutral = b.splat(identityOf(kind, type, /*asSeen=*/false, b));
  for (int distance = 1; distance < int(size); distance *= 2)
    value = combine(kind, shifted(distance, neutral), value, type, b);
  return exclusive ? shifted(1, b.splat(identityOf(kind, type, /*asSeen=*/true, b))) : value;
}
