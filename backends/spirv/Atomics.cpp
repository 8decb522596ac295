// Atomic operations: instructions on integers, and on reals if the variant may use them; otherwise
// a loop of compare-and-swaps on the bits. They are relaxed, as the dialect orders no other memory.
#include "backends/spirv/Features.h"
#include "backends/spirv/Task.h"

#include "llvm/ADT/APFloat.h"

#include <array>
#include <tuple>

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
using simt::CombineKind;

/// No device has an instruction for this on integers. Integers of 8 and 16 bits are zero-extended
/// to 32, where sums have to wrap and the sign is not the word's.
static bool isLoopOnIntegers(CombineKind kind, mlir::Type type) {
  bool isOnSigns =
      kind == CombineKind::AddI || kind == CombineKind::MinS || kind == CombineKind::MaxS;
  return kind == CombineKind::MulI || (isOnSigns && isNarrowInteger(type));
}

static spv::Op integerOp(CombineKind kind) {
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

Id TaskEmitter::combine(CombineKind kind, mlir::Type type, Id old, Id value) {
  auto chosen = [&](spv::Op compare, bool isSigned) {
    Id left = isSigned ? signExtended(old, type) : old;
    Id right = isSigned ? signExtended(value, type) : value;
    Id isOld = w.op(compare, w.boolType(), {left, right});
    return w.op(spv::OpSelect, typeOf(type), {isOld, old, value});
  };
  switch (kind) {
  case CombineKind::AddI:
    return normalized(w.op(spv::OpIAdd, typeOf(type), {old, value}), type);
  case CombineKind::MulI:
    return normalized(w.op(spv::OpIMul, typeOf(type), {old, value}), type);
  case CombineKind::MinS:
    return chosen(spv::OpSLessThan, true);
  case CombineKind::MaxS:
    return chosen(spv::OpSGreaterThan, true);
  case CombineKind::MinU:
    return chosen(spv::OpULessThan, false);
  case CombineKind::MaxU:
    return chosen(spv::OpUGreaterThan, false);
  case CombineKind::AndI:
    return w.op(spv::OpBitwiseAnd, typeOf(type), {old, value});
  case CombineKind::OrI:
    return w.op(spv::OpBitwiseOr, typeOf(type), {old, value});
  case CombineKind::XorI:
    return w.op(spv::OpBitwiseXor, typeOf(type), {old, value});
  case CombineKind::AddF:
    return floatOp(spv::OpFAdd, type, {old, value});
  case CombineKind::MulF:
    return floatOp(spv::OpFMul, type, {old, value});
  case CombineKind::MinF:
    return floatFunction(GLSLstd450NMin, type, {old, value});
  case CombineKind::MaxF:
    return floatFunction(GLSLstd450NMax, type, {old, value});
  case CombineKind::Exchange:
    return value;
  }
  llvm_unreachable("a kind of atomic");
}

void TaskEmitter::requireAtomics(const Memory &memory) {
  if (memory.element.getIntOrFloatBitWidth() != 64)
    return;
  w.capability(spv::CapabilityInt64Atomics);
  require(memory.storage == spv::StorageClassWorkgroup ? abi::VulkanFeature::SharedInt64Atomics
                                                       : abi::VulkanFeature::Int64Atomics);
}

/// Reads, combines and swaps until no other thread came in between. Returns the old bits.
Id TaskEmitter::casLoop(Id pointer, Id bits, Id scope, function_ref<Id(Id old)> next) {
  Id before = w.block();
  Id first = w.op(spv::OpAtomicLoad, bits, {pointer, scope, u32(0)});
  Loop loop = beginLoop();
  Writer::Phi old = w.phi(bits, 2);
  w.setIncoming(old, 0, first, before);
  beginTest(loop);
  Id desired = next(old.id);
  Id found =
      w.op(spv::OpAtomicCompareExchange, bits, {pointer, scope, u32(0), u32(0), desired, old.id});
  Id swapped = w.op(spv::OpIEqual, w.boolType(), {found, old.id});
  w.effect(spv::OpBranchConditional, {swapped, loop.after, loop.next});
  w.beginBlock(loop.next);
  w.setIncoming(old, 1, found, loop.next);
  endLoop(loop);
  return old.id;
}

/// The place of an element of 8 or 16 bits in a buffer or a packed array: the word that holds it,
/// and its first bit.
TaskEmitter::Part TaskEmitter::partOf(mlir::Value buffer, mlir::Value at) {
  const Memory &memory = memories[buffer];
  Id index = get(at);
  if (at.getType().isInteger(64))
    index = w.op(spv::OpUConvert, u32Type(), {index});
  unsigned width = memory.element.getIntOrFloatBitWidth();
  bool isByte = width == 8;
  Id word = wordIndex(at, isByte ? 2 : 1);
  Id place = w.op(spv::OpBitwiseAnd, u32Type(), {index, u32(isByte ? 3 : 1)});
  Id offset = w.op(spv::OpShiftLeftLogical, u32Type(), {place, u32(isByte ? 3 : 4)});
  SmallVector<uint32_t> path{blockOf(memory, memory.words)};
  if (!isPacked(memory))
    path.push_back(u32(0)); // the block's member
  path.push_back(word);
  Id pointer = w.op(spv::OpAccessChain, w.pointerType(memory.storage, u32Type()), path);
  return {pointer, offset, width};
}

/// Loads an element of a packed array. Other lanes may be storing its neighbours.
Id TaskEmitter::loadPart(mlir::Value array, mlir::Value index) {
  Part part = partOf(array, index);
  Id word = w.op(spv::OpAtomicLoad, u32Type(), {part.pointer, u32(spv::ScopeWorkgroup), u32(0)});
  mlir::Type type = memories[array].element;
  return type.isF16() ? bitcastId(partIn(word, part), integerLike(type), type) : partIn(word, part);
}

/// Stores an element of a packed array, and leaves its neighbours as they are.
void TaskEmitter::storePart(simt::StoreOp op) {
  Part part = partOf(op.getBuffer(), op.getIndex());
  mlir::Type type = memories[op.getBuffer()].element;
  Id value = get(op.getValue());
  Id bits = type.isF16() ? bitcastId(value, type, integerLike(type)) : value;
  casLoop(part.pointer, u32Type(), u32(spv::ScopeWorkgroup),
          [&](Id word) { return withPart(word, bits, part); });
}

/// The element's bits in the word, zero-extended.
Id TaskEmitter::partIn(Id word, const Part &part) {
  return w.op(spv::OpBitFieldUExtract, u32Type(), {word, part.offset, u32(part.width)});
}

Id TaskEmitter::withPart(Id word, Id bits, const Part &part) {
  return w.op(spv::OpBitFieldInsert, u32Type(), {word, bits, part.offset, u32(part.width)});
}

/// For an element of 8 or 16 bits in a buffer: works on the word that it shares with its
/// neighbours.
Id TaskEmitter::narrowAtomic(simt::AtomicRmwOp op, Id scope) {
  mlir::Type type = op.getValue().getType();
  bool isHalf = type.isF16();
  Part part = partOf(op.getBuffer(), op.getIndex());
  auto own = [&](Id word) {
    Id bits = partIn(word, part);
    return isHalf ? bitcastId(bits, integerLike(type), type) : bits;
  };
  Id old = casLoop(part.pointer, u32Type(), scope, [&](Id word) {
    Id combined = combine(op.getKind(), type, own(word), get(op.getValue()));
    return withPart(word, isHalf ? bitcastId(combined, type, integerLike(type)) : combined, part);
  });
  return own(old);
}

/// Swaps until the element differs from the expected one, or the word was as read.
Id TaskEmitter::narrowCas(simt::AtomicCasOp op, Id scope) {
  Part part = partOf(op.getBuffer(), op.getIndex());
  Id old = casLoop(part.pointer, u32Type(), scope, [&](Id word) {
    Id bits = partIn(word, part);
    Id isExpected = w.op(spv::OpIEqual, w.boolType(), {bits, get(op.getExpected())});
    Id next = w.op(spv::OpSelect, u32Type(), {isExpected, get(op.getDesired()), bits});
    return withPart(word, next, part);
  });
  return partIn(old, part);
}

/// SPV_EXT_shader_atomic_float_min_max specifies minNum and maxNum, but a signalling NaN may win.
/// So the operand is made quiet.
Id TaskEmitter::quieted(Id value, mlir::Type type) {
  const fltSemantics &semantics = cast<mlir::FloatType>(type).getFloatSemantics();
  uint64_t bits = APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue();
  Id quiet = w.constant(typeOf(type), type.getIntOrFloatBitWidth(), bits);
  return select(typeOf(type), w.op(spv::OpIsNan, w.boolType(), {value}), quiet, value);
}

/// An atomic instruction on reals.
Id TaskEmitter::nativeOnReals(simt::AtomicRmwOp op, Id at, Id scope) {
  mlir::Type type = op.getValue().getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Id value = get(op.getValue());
  require(atomicFeature(op));
  auto emit = [&](spv::Op opcode) {
    return w.op(opcode, typeOf(type), {at, scope, u32(0), value});
  };
  switch (op.getKind()) {
  case CombineKind::Exchange:
    return emit(spv::OpAtomicExchange);
  case CombineKind::AddF:
    w.extension(width == 16 ? "SPV_EXT_shader_atomic_float16_add"
                            : "SPV_EXT_shader_atomic_float_add");
    w.capability(width == 16   ? spv::CapabilityAtomicFloat16AddEXT
                 : width == 32 ? spv::CapabilityAtomicFloat32AddEXT
                               : spv::CapabilityAtomicFloat64AddEXT);
    return emit(spv::OpAtomicFAddEXT);
  default:
    w.extension("SPV_EXT_shader_atomic_float_min_max");
    w.capability(width == 16   ? spv::CapabilityAtomicFloat16MinMaxEXT
                 : width == 32 ? spv::CapabilityAtomicFloat32MinMaxEXT
                               : spv::CapabilityAtomicFloat64MinMaxEXT);
    value = quieted(value, type);
    return emit(op.getKind() == CombineKind::MinF ? spv::OpAtomicFMinEXT : spv::OpAtomicFMaxEXT);
  }
}

/// Runs one of two pieces of code, each of which yields a value of `type`.
Id TaskEmitter::choose(Id type, Id condition, function_ref<Id()> whenTrue,
                       function_ref<Id()> whenFalse) {
  Id then = w.newId(), otherwise = w.newId(), merge = w.newId();
  w.effect(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  w.effect(spv::OpBranchConditional, {condition, then, otherwise});
  std::array<std::pair<Id, Id>, 2> arms; // value, last block
  for (auto [arm, label, emit] :
       {std::tuple(0, then, whenTrue), std::tuple(1, otherwise, whenFalse)}) {
    w.beginBlock(label);
    Id value = emit();
    arms[arm] = {value, w.block()};
    w.effect(spv::OpBranch, {merge});
  }
  w.beginBlock(merge);
  Writer::Phi phi = w.phi(type, 2);
  for (unsigned arm : {0, 1})
    w.setIncoming(phi, arm, arms[arm].first, arms[arm].second);
  return phi.id;
}

// Positive reals sort like signed integers, and negative ones in reverse like unsigned integers. So
// the minimum with a positive number is the signed minimum, and with a negative one the unsigned
// maximum; for maxima it is the other way round. NaNs lie beyond the infinities. As an operand, a
// NaN becomes a value that never wins. In memory, a NaN is replaced, except for those of one sign,
// which stay. Then a loop follows, as if nothing had happened before.
Id TaskEmitter::minMaxOfBits(simt::AtomicRmwOp op, Id at, Id scope) {
  const Memory &memory = memories[op.getBuffer()];
  mlir::Type type = op.getValue().getType(), bitsType = integerLike(type);
  bool isMin = op.getKind() == CombineKind::MinF;
  Id bits = typeOf(bitsType), value = get(op.getValue());
  unsigned width = type.getIntOrFloatBitWidth();
  const fltSemantics &semantics = cast<mlir::FloatType>(type).getFloatSemantics();
  auto constant = [&](const APInt &number) { return integer(bitsType, number.getZExtValue()); };
  Id never = constant(isMin ? APInt::getSignedMaxValue(width) : APInt::getAllOnes(width));
  Id operand = select(bits, w.op(spv::OpIsNan, w.boolType(), {value}), never,
                      bitcastId(value, type, bitsType));
  auto atomic = [&](spv::Op opcode) { return w.op(opcode, bits, {at, scope, u32(0), operand}); };
  Id hasSign = w.op(spv::OpSLessThan, w.boolType(), {operand, constant(APInt::getZero(width))});
  Id old = choose(
      bits, hasSign, [&] { return atomic(isMin ? spv::OpAtomicUMax : spv::OpAtomicUMin); },
      [&] { return atomic(isMin ? spv::OpAtomicSMin : spv::OpAtomicSMax); });
  Id infinity = constant(APFloat::getInf(semantics, /*Negative=*/isMin).bitcastToAPInt());
  Id stays = w.op(isMin ? spv::OpUGreaterThan : spv::OpSGreaterThan, w.boolType(), {old, infinity});
  return choose(
      bits, stays,
      [&] {
        return casLoop(at, bits, scope, [&](Id now) {
          return toMemory(combine(op.getKind(), type, fromMemory(now, memory), value), memory);
        });
      },
      [&] { return old; });
}

Id TaskEmitter::emitAtomicRmw(simt::AtomicRmwOp op) {
  const Memory &memory = memories[op.getBuffer()];
  mlir::Type type = op.getValue().getType();
  bool isReal = isa<mlir::FloatType>(type);
  bool isShared = memory.storage == spv::StorageClassWorkgroup;
  Id scope = u32(isShared ? spv::ScopeWorkgroup : spv::ScopeDevice);
  if (memory.words)
    return narrowAtomic(op, scope);
  Id at = pointer(op.getBuffer(), op.getIndex());
  if (isReal && !memory.asBits)
    return nativeOnReals(op, at, scope);
  requireAtomics(memory);
  bool isMinMax = op.getKind() == CombineKind::MinF || op.getKind() == CombineKind::MaxF;
  Id old;
  if (isMinMax && !type.isF16()) // in its word, a half's bits are not signed
    old = minMaxOfBits(op, at, scope);
  else if (op.getKind() != CombineKind::Exchange &&
           (isReal || isLoopOnIntegers(op.getKind(), type)))
    old = casLoop(at, memoryType(memory), scope, [&](Id bits) {
      return toMemory(combine(op.getKind(), type, fromMemory(bits, memory), get(op.getValue())),
                      memory);
    });
  else
    old = w.op(integerOp(op.getKind()), memoryType(memory),
               {at, scope, u32(0), toMemory(get(op.getValue()), memory)});
  return fromMemory(old, memory);
}

Id TaskEmitter::emitAtomicCas(simt::AtomicCasOp op) {
  const Memory &memory = memories[op.getBuffer()];
  bool isShared = memory.storage == spv::StorageClassWorkgroup;
  Id scope = u32(isShared ? spv::ScopeWorkgroup : spv::ScopeDevice);
  if (memory.words)
    return narrowCas(op, scope);
  requireAtomics(memory);
  return w.op(spv::OpAtomicCompareExchange, memoryType(memory),
              {pointer(op.getBuffer(), op.getIndex()), scope, u32(0), u32(0), get(op.getDesired()),
               get(op.getExpected())});
}
