// Operators as instructions on memory, and as code.
#include "backends/spirv/Combine.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
using simt::CombineKind;

bool sextant::spirv::isLoopOnIntegers(CombineKind kind, mlir::Type type) {
  bool isOnSigns =
      kind == CombineKind::AddI || kind == CombineKind::MinS || kind == CombineKind::MaxS;
  return kind == CombineKind::MulI || (isOnSigns && isNarrowInteger(type));
}

spv::Op sextant::spirv::atomicOnIntegers(CombineKind kind) {
  switch (kind) {
  case CombineKind::AddI:
    return spv::OpAtomicIAdd;
  case CombineKind::MinS:
    return spv::OpAtomicSMin;
  case CombineKind::MinU:
    return spv::OpAtomicUMin;
  case CombineKind::MaxS:
    return spv::OpAtomicSMax;
  case CombineKind::MaxU:
    return spv::OpAtomicUMax;
  case CombineKind::AndI:
    return spv::OpAtomicAnd;
  case CombineKind::OrI:
    return spv::OpAtomicOr;
  case CombineKind::XorI:
    return spv::OpAtomicXor;
  case CombineKind::Exchange:
    return spv::OpAtomicExchange;
  default:
    llvm_unreachable("an operator of its own");
  }
}

Id sextant::spirv::combine(CombineKind kind, mlir::Type type, Id old, Id value, ScalarWriter &w) {
  auto chosen = [&](spv::Op compare, bool isSigned) {
    Id left = isSigned ? w.signExtended(old, type) : old;
    Id right = isSigned ? w.signExtended(value, type) : value;
    Id isOld = w.op(compare, w.boolType(), {left, right});
    return w.op(spv::OpSelect, w.typeOf(type), {isOld, old, value});
  };
  switch (kind) {
  case CombineKind::AddI:
    return w.normalized(w.op(spv::OpIAdd, w.typeOf(type), {old, value}), type);
  case CombineKind::MulI:
    return w.normalized(w.op(spv::OpIMul, w.typeOf(type), {old, value}), type);
  case CombineKind::MinS:
    return chosen(spv::OpSLessThan, true);
  case CombineKind::MaxS:
    return chosen(spv::OpSGreaterThan, true);
  case CombineKind::MinU:
    return chosen(spv::OpULessThan, false);
  case CombineKind::MaxU:
    return chosen(spv::OpUGreaterThan, false);
  case CombineKind::AndI:
    return w.op(spv::OpBitwiseAnd, w.typeOf(type), {old, value});
  case CombineKind::OrI:
    return w.op(spv::OpBitwiseOr, w.typeOf(type), {old, value});
  case CombineKind::XorI:
    return w.op(spv::OpBitwiseXor, w.typeOf(type), {old, value});
  case CombineKind::AddF:
    return w.floatOp(spv::OpFAdd, type, {old, value});
  case CombineKind::MulF:
    return w.floatOp(spv::OpFMul, type, {old, value});
  case CombineKind::MinF:
    return w.floatFunction(GLSLstd450NMin, type, {old, value});
  case CombineKind::MaxF:
    return w.floatFunction(GLSLstd450NMax, type, {old, value});
  case CombineKind::Exchange:
    return value;
  }
  llvm_unreachable("a kind of atomic");
}
