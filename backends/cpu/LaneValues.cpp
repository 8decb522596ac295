// Values of lanes, and the slots that carry them.
#include "backends/cpu/LaneValues.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

void LaneValues::define(mlir::Value value, LaneValue lane) {
  if (b.lanes.width == 1 && !lane.scalar)
    std::swap(lane.scalar, lane.vector);
  known[value] = lane;
}

void LaneValues::forgetVectors() {
  for (auto &entry : known)
    entry.second.vector = nullptr;
}

Value *LaneValues::scalar(mlir::Value value) {
  LaneValue lane = known.lookup(value);
  assert(lane.scalar && "a varying value has no scalar");
  return lane.scalar;
}

Value *LaneValues::vectorOf(const LaneValue &value, Shape shape, mlir::Type type) {
  if (value.vector)
    return value.vector;
  if (b.lanes.width == 1)
    return value.scalar;
  Value *base = b.splat(value.scalar);
  if (shape.kind != Shape::Affine)
    return base;
  return b.CreateAdd(base, b.iota(b.scalarType(type), shape.stride));
}

Value *LaneValues::vector(mlir::Value value) {
  return vectorOf(known.lookup(value), shapeOf(value), value.getType());
}

//===--- Slots -------------------------------------------------------------===//

/// The form of a vector of booleans in memory: the form that the machine's compares and blends work
/// on, or, for real memory, a byte each.
static Type *slotElement(Type *element, const Machine &machine, bool inMemory, IRBuilder<> &b) {
  if (!element->isIntegerTy(1))
    return element;
  if (inMemory)
    return b.getInt8Ty();
  return machine.hasMaskRegisters ? element : b.getInt32Ty();
}

/// The alignment that entryAlloca leaves for each element of an array of vectors.
static Align slotAlign(Type *type) {
  uint64_t bytes = PowerOf2Ceil(std::max<uint64_t>(8, type->getPrimitiveSizeInBits()) / 8);
  return Align(std::min<uint64_t>(64, bytes));
}

Slot LaneValues::makeSlot(mlir::Type type, Shape shape, unsigned count) {
  Slot slot{shape, type, nullptr, nullptr, count};
  Type *element = b.scalarType(type);
  if (shape.kind == Shape::Unknown) // never reached: any value does
    slot.shape.kind = Shape::Block;
  if (!shape.isVarying() || b.lanes.width == 1)
    slot.scalar = b.entryAlloca(element, "carried", count);
  if (b.lanes.width > 1 && (shape.isVarying() || (shape.kind == Shape::Affine && !shape.exact)))
    slot.vector =
        b.entryAlloca(b.widen(slotElement(element, b.machine, count > 1, b)), "carried", count);
  return slot;
}

void LaneValues::storeSlot(const Slot &slot, const LaneValue &value, Value *index) {
  auto at = [&](Value *base, Type *type) {
    return slot.count > 1 && index ? b.CreateGEP(type, base, index) : base;
  };
  if (slot.scalar)
    b.CreateStore(value.scalar, at(slot.scalar, b.scalarType(slot.type)));
  if (slot.vector) {
    Type *element = b.scalarType(slot.type);
    Type *stored = b.widen(slotElement(element, b.machine, slot.count > 1, b));
    Value *vector = value.vector;
    if (stored != vector->getType())
      vector = b.CreateSExt(vector, stored);
    b.CreateAlignedStore(vector, at(slot.vector, stored), slotAlign(stored));
  }
}

LaneValue LaneValues::loadSlot(const Slot &slot, Value *index) {
  auto at = [&](Value *base, Type *type) {
    return slot.count > 1 && index ? b.CreateGEP(type, base, index) : base;
  };
  LaneValue value;
  Type *element = b.scalarType(slot.type);
  if (slot.scalar)
    value.scalar = b.CreateLoad(element, at(slot.scalar, element));
  if (slot.vector) {
    Type *stored = b.widen(slotElement(element, b.machine, slot.count > 1, b));
    value.vector = b.CreateAlignedLoad(stored, at(slot.vector, stored), slotAlign(stored));
    if (stored != b.widen(element)) // the sign says it, which blends read without a compare
      value.vector = b.CreateICmpSLT(value.vector, Constant::getNullValue(stored));
  }
  return value;
}

/// Returns `value` in the form that `slot` keeps.
LaneValue LaneValues::valueFor(const Slot &slot, mlir::Value value) {
  LaneValue result = known.lookup(value);
  if (slot.vector && !result.vector)
    result.vector = vector(value);
  return result;
}
