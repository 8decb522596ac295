// Chooses the form of an atomic operation, and writes those that are not one instruction.
#include "backends/spirv/AtomicWriter.h"
#include "backends/spirv/Combine.h"
#include "backends/spirv/ControlFlow.h"
#include "backends/spirv/ThreadWriter.h"

#include "llvm/ADT/APFloat.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
using simt::CombineKind;

void AtomicWriter::requireAtomics(const Memory &place) {
  if (place.element.getIntOrFloatBitWidth() != 64)
    return;
  w.capability(spv::CapabilityInt64Atomics);
  w.require(place.storage == spv::StorageClassWorkgroup ? abi::VulkanFeature::SharedInt64Atomics
                                                        : abi::VulkanFeature::Int64Atomics);
}

Id AtomicWriter::scopeOf(const Memory &place) {
  return w.u32(place.storage == spv::StorageClassWorkgroup ? spv::ScopeWorkgroup
                                                           : spv::ScopeDevice);
}

/// For an element of 8 or 16 bits in a buffer: works on the word that it shares with its
/// neighbours.
Id AtomicWriter::narrowRmw(simt::AtomicRmwOp op, Id scope) {
  mlir::Type type = op.getValue().getType();
  bool isHalf = type.isF16();
  WordPart part = memory.partOf(op.getBuffer(), op.getIndex());
  auto own = [&](Id word) {
    Id bits = memory.partIn(word, part);
    return isHalf ? w.bitcast(bits, integerLike(type), type) : bits;
  };
  Id old = casLoop(w, part.pointer, w.u32Type(), scope, [&](Id word) {
    Id combined = combine(op.getKind(), type, own(word), get(op.getValue()), w);
    return memory.withPart(word, isHalf ? w.bitcast(combined, type, integerLike(type)) : combined,
                           part);
  });
  return own(old);
}

/// Swaps until the element differs from the expected one, or the word was as read.
Id AtomicWriter::narrowCas(simt::AtomicCasOp op, Id scope) {
  WordPart part = memory.partOf(op.getBuffer(), op.getIndex());
  Id old = casLoop(w, part.pointer, w.u32Type(), scope, [&](Id word) {
    Id bits = memory.partIn(word, part);
    Id isExpected = w.op(spv::OpIEqual, w.boolType(), {bits, get(op.getExpected())});
    Id next = w.op(spv::OpSelect, w.u32Type(), {isExpected, get(op.getDesired()), bits});
    return memory.withPart(word, next, part);
  });
  return memory.partIn(old, part);
}

/// SPV_EXT_shader_atomic_float_min_max specifies minNum and maxNum, but a signalling NaN may win.
/// So the operand is made quiet.
Id AtomicWriter::quieted(Id value, mlir::Type type) {
  const fltSemantics &semantics = cast<mlir::FloatType>(type).getFloatSemantics();
  uint64_t bits = APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue();
  Id quiet = w.constant(w.typeOf(type), type.getIntOrFloatBitWidth(), bits);
  return w.select(w.typeOf(type), w.op(spv::OpIsNan, w.boolType(), {value}), quiet, value);
}

Id AtomicWriter::addReal(mlir::Type type, Id at, Id scope, Id value) {
  const unsigned width = type.getIntOrFloatBitWidth();
  w.extension(width == 16 ? "SPV_EXT_shader_atomic_float16_add"
                          : "SPV_EXT_shader_atomic_float_add");
  w.capability(width == 16   ? spv::CapabilityAtomicFloat16AddEXT
               : width == 32 ? spv::CapabilityAtomicFloat32AddEXT
                             : spv::CapabilityAtomicFloat64AddEXT);
  return w.op(spv::OpAtomicFAddEXT, w.typeOf(type), {at, scope, w.u32(0), value});
}

/// An atomic instruction on reals.
Id AtomicWriter::nativeOnReals(simt::AtomicRmwOp op, Id at, Id scope, Id value) {
  mlir::Type type = op.getValue().getType();
  unsigned width = type.getIntOrFloatBitWidth();
  w.require(atomicFeature(op));
  auto emit = [&](spv::Op opcode) {
    return w.op(opcode, w.typeOf(type), {at, scope, w.u32(0), value});
  };
  switch (op.getKind()) {
  case CombineKind::Exchange:
    return emit(spv::OpAtomicExchange);
  case CombineKind::AddF:
    return addReal(type, at, scope, value);
  default:
    w.extension("SPV_EXT_shader_atomic_float_min_max");
    w.capability(width == 16   ? spv::CapabilityAtomicFloat16MinMaxEXT
                 : width == 32 ? spv::CapabilityAtomicFloat32MinMaxEXT
                               : spv::CapabilityAtomicFloat64MinMaxEXT);
    value = quieted(value, type);
    return emit(op.getKind() == CombineKind::MinF ? spv::OpAtomicFMinEXT : spv::OpAtomicFMaxEXT);
  }
}

/// True for sums of reals that lanes may add together. Drivers do so by themselves for integers.
static bool isForLanes(simt::AtomicRmwOp op) {
  return (simt::isAtOnePlace(op) || simt::isOftenAtOnePlace(op)) &&
         op.getKind() == CombineKind::AddF && !op.getValue().getType().isF16();
}

/// Lanes that are active together and have one place add their sum. Nobody uses the old value.
Id AtomicWriter::addTogether(simt::AtomicRmwOp op, Id at, Id scope) {
  mlir::Type type = op.getValue().getType();
  Id value = get(op.getValue());
  auto add = [&](Id what) { return nativeOnReals(op, at, scope, what); };
  auto together = [&] {
    Id sum = sumOfActive(type, value, code);
    return choose(
        w, w.typeOf(type), isFirstActive(code), [&] { return add(sum); }, [&] { return sum; });
  };
  if (simt::isAtOnePlace(op))
    return together();
  return choose(w, w.typeOf(type), isSameInActive(get(op.getIndex()), code), together,
                [&] { return add(value); });
}

// Positive reals sort like signed integers, and negative ones in reverse like unsigned integers. So
// the minimum with a positive number is the signed minimum, and with a negative one the unsigned
// maximum; for maxima it is the other way round. NaNs lie beyond the infinities. As an operand, a
// NaN becomes a value that never wins. In memory, a NaN is replaced, except for those of one sign,
// which stay. Then a loop follows, as if nothing had happened before.
Id AtomicWriter::minMaxOfBits(simt::AtomicRmwOp op, Id at, Id scope) {
  const Memory &place = code.memories[op.getBuffer()];
  mlir::Type type = op.getValue().getType(), bitsType = integerLike(type);
  bool isMin = op.getKind() == CombineKind::MinF;
  Id bits = w.typeOf(bitsType), value = get(op.getValue());
  unsigned width = type.getIntOrFloatBitWidth();
  const fltSemantics &semantics = cast<mlir::FloatType>(type).getFloatSemantics();
  auto constant = [&](const APInt &number) { return w.integer(bitsType, number.getZExtValue()); };
  Id never = constant(isMin ? APInt::getSignedMaxValue(width) : APInt::getAllOnes(width));
  Id operand = w.select(bits, w.op(spv::OpIsNan, w.boolType(), {value}), never,
                        w.bitcast(value, type, bitsType));
  auto atomic = [&](spv::Op opcode) { return w.op(opcode, bits, {at, scope, w.u32(0), operand}); };
  Id hasSign = w.op(spv::OpSLessThan, w.boolType(), {operand, constant(APInt::getZero(width))});
  Id old = choose(
      w, bits, hasSign, [&] { return atomic(isMin ? spv::OpAtomicUMax : spv::OpAtomicUMin); },
      [&] { return atomic(isMin ? spv::OpAtomicSMin : spv::OpAtomicSMax); });
  Id infinity = constant(APFloat::getInf(semantics, /*Negative=*/isMin).bitcastToAPInt());
  Id stays = w.op(isMin ? spv::OpUGreaterThan : spv::OpSGreaterThan, w.boolType(), {old, infinity});
  return choose(
      w, bits, stays,
      [&] {
        return casLoop(w, at, bits, scope, [&](Id now) {
          return toMemory(combine(op.getKind(), type, fromMemory(now, place, w), value, w), place,
                          w);
        });
      },
      [&] { return old; });
}

Id AtomicWriter::rmw(simt::AtomicRmwOp op) {
  const Memory &place = code.memories[op.getBuffer()];
  mlir::Type type = op.getValue().getType();
  bool isReal = isa<mlir::FloatType>(type);
  Id scope = scopeOf(place);
  if (place.words)
    return narrowRmw(op, scope);
  Id at = memory.pointer(op.getBuffer(), op.getIndex());
  if (isReal && !place.asBits)
    return isForLanes(op) ? addTogether(op, at, scope)
                          : nativeOnReals(op, at, scope, get(op.getValue()));
  requireAtomics(place);
  bool isMinMax = op.getKind() == CombineKind::MinF || op.getKind() == CombineKind::MaxF;
  Id old;
  if (isMinMax && !type.isF16()) // in its word, a half's bits are not signed
    old = minMaxOfBits(op, at, scope);
  else if (op.getKind() != CombineKind::Exchange &&
           (isReal || isLoopOnIntegers(op.getKind(), type)))
    old = casLoop(w, at, memoryType(place, w), scope, [&](Id bits) {
      return toMemory(
          combine(op.getKind(), type, fromMemory(bits, place, w), get(op.getValue()), w), place, w);
    });
  else
    old = w.op(atomicOnIntegers(op.getKind()), memoryType(place, w),
               {at, scope, w.u32(0), toMemory(get(op.getValue()), place, w)});
  return fromMemory(old, place, w);
}

Id AtomicWriter::cas(simt::AtomicCasOp op) {
  const Memory &place = code.memories[op.getBuffer()];
  Id scope = scopeOf(place);
  if (place.words)
    return narrowCas(op, scope);
  requireAtomics(place);
  return w.op(spv::OpAtomicCompareExchange, memoryType(place, w),
              {memory.pointer(op.getBuffer(), op.getIndex()), scope, w.u32(0), w.u32(0),
               get(op.getDesired()), get(op.getExpected())});
}
