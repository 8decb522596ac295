// Loads and stores: one element if all lanes access the same one, a run of elements if lanes are
// consecutive, gathers and scatters otherwise.
#include "backends/cpu/Emitter.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

static unsigned elementBytes(Type *element) { return element->getScalarSizeInBits() / 8; }

void Emitter::emitAllocations() {
  for (mlir::Operation &op : task.getBody().front()) {
    if (auto shared = dyn_cast<simt::SharedOp>(op)) {
      simt::BufferType type = shared.getType();
      sharedSize = alignTo(sharedSize, sharedAlign);
      define(shared, {b.CreateConstGEP1_64(b.getInt8Ty(), sharedArg, sharedSize), nullptr});
      sharedSize += uint64_t(type.getCount()) * elementBytes(scalarType(type.getElementType()));
    } else if (auto local = dyn_cast<simt::PrivateOp>(op)) {
      // Element i of all lanes is contiguous, so that a uniform index reads a vector. Chunks that
      // wait for one another at barriers need memory of their own.
      simt::BufferType type = local.getType();
      unsigned copies = containsBarrier(task) ? lanes.chunks() : 1;
      Value *memory = entryAlloca(widen(scalarType(type.getElementType())), "private",
                                  type.getCount() * copies);
      privates[local] = memory;
      define(local, {memory, nullptr});
    }
  }
}

Value *Emitter::elementAddress(mlir::Value buffer, Value *index) {
  Type *element = scalarType(cast<simt::BufferType>(buffer.getType()).getElementType());
  return b.CreateGEP(element, scalar(buffer), index);
}

//===--- Accesses by the lanes of a chunk ----------------------------------===//

bool Emitter::movesMasked(Type *element) const {
  return machine.hasMaskedMoves && (elementBytes(element) >= 4 || machine.hasMaskRegisters);
}

Value *Emitter::loadConsecutive(Type *element, Value *address) {
  Type *type = widen(element);
  Align align(elementBytes(element));
  if (!mask)
    return b.CreateAlignedLoad(type, address, align);
  return b.CreateMaskedLoad(type, address, align, mask, Constant::getNullValue(type));
}

void Emitter::storeConsecutive(Value *value, Value *address) {
  Align align(elementBytes(value->getType()->getScalarType()));
  if (!mask)
    b.CreateAlignedStore(value, address, align);
  else
    b.CreateMaskedStore(value, address, align, mask);
}

Value *Emitter::gather(Type *element, Value *addresses) {
  Type *type = widen(element);
  Align align(elementBytes(element));
  bool isNative = machine.hasGather && elementBytes(element) >= 4;
  if (!mask || isNative)
    return b.CreateMaskedGather(type, addresses, align, maskVector(), Constant::getNullValue(type));
  // Inactive lanes read a place of the emitter's, which needs no branches.
  Value *nowhere = entryAlloca(b.getInt64Ty(), "nowhere");
  return b.CreateMaskedGather(type, b.CreateSelect(mask, addresses, splat(nowhere)), align);
}

void Emitter::scatter(Value *value, Value *addresses) {
  Type *element = value->getType()->getScalarType();
  Align align(elementBytes(element));
  bool isNative = machine.hasScatter && elementBytes(element) >= 4;
  if (isNative || (!mask && lanes.width <= 16)) {
    b.CreateMaskedScatter(value, addresses, align, maskVector());
    return;
  }
  Value *valueMemory = spill(value, "scattered"), *addressMemory = spill(addresses, "addresses");
  forEachActiveLane([&](Value *lane) {
    Value *one = b.CreateLoad(element, b.CreateGEP(element, valueMemory, lane));
    Value *to = b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), addressMemory, lane));
    b.CreateAlignedStore(one, to, align);
  });
}

//===--- Ops ---------------------------------------------------------------===//

void Emitter::emitLoad(simt::LoadOp op) {
  if (op.getBuffer().getType().getSpace() == simt::Space::Private)
    return emitPrivateLoad(op);
  Type *element = scalarType(op.getType());
  Shape index = shapeOf(op.getIndex());
  if (index.isUniform()) {
    LoadInst *value =
        b.CreateAlignedLoad(element, elementAddress(op.getBuffer(), scalar(op.getIndex())),
                            Align(elementBytes(element)), op.getVolatile_());
    define(op, {value, nullptr});
    return;
  }
  if (op.getVolatile_()) {
    Value *addresses = elementAddress(op.getBuffer(), vector(op.getIndex()));
    Value *memory = spill(addresses, "addresses");
    AllocaInst *values = entryAlloca(widen(element), "volatile");
    b.CreateAlignedStore(Constant::getNullValue(widen(element)), values, values->getAlign());
    forEachActiveLane([&](Value *lane) {
      Value *from = b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), memory, lane));
      Value *one = b.CreateAlignedLoad(element, from, Align(elementBytes(element)), true);
      b.CreateStore(one, b.CreateGEP(element, values, lane));
    });
    define(op, {nullptr, b.CreateAlignedLoad(widen(element), values, values->getAlign())});
    return;
  }
  if (index.kind == Shape::Affine && index.stride == 1) {
    Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
    define(op, {nullptr, loadConsecutive(element, address)});
    return;
  }
  if (index.kind == Shape::Affine && index.stride == -1 && !mask) {
    Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
    Value *lowest = b.CreateConstGEP1_64(element, address, -int64_t(lanes.width - 1));
    define(op, {nullptr, b.CreateVectorReverse(loadConsecutive(element, lowest))});
    return;
  }
  if (index.kind == Shape::Affine && index.stride >= 2 && index.stride <= 4 && !mask) {
    // One wide load up to the last lane's element, from which every stride-th is taken.
    unsigned stride = index.stride, count = stride * (lanes.width - 1) + 1;
    Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
    Value *wide = b.CreateAlignedLoad(FixedVectorType::get(element, count), address,
                                      Align(elementBytes(element)));
    SmallVector<int> picked;
    for (unsigned lane = 0; lane < lanes.width; ++lane)
      picked.push_back(lane * stride);
    define(op, {nullptr, b.CreateShuffleVector(wide, picked)});
    return;
  }
  if (emitClampedLoad(op))
    return;
  define(op, {nullptr, gather(element, elementAddress(op.getBuffer(), vector(op.getIndex())))});
}

void Emitter::emitStore(simt::StoreOp op) {
  if (op.getBuffer().getType().getSpace() == simt::Space::Private)
    return emitPrivateStore(op);
  Shape index = shapeOf(op.getIndex());
  Type *element = scalarType(op.getValue().getType());
  Align align(elementBytes(element));
  if (index.isUniform()) {
    // All lanes write one place, where the last lane's value stays.
    Value *value = shapes.isUniform(op.getValue())
                       ? scalar(op.getValue())
                       : laneOfVector(vector(op.getValue()), lastActiveLane());
    b.CreateAlignedStore(value, elementAddress(op.getBuffer(), scalar(op.getIndex())), align,
                         op.getVolatile_());
    return;
  }
  Value *value = vector(op.getValue());
  if (op.getVolatile_()) {
    Value *values = spill(value, "volatile");
    Value *memory = spill(elementAddress(op.getBuffer(), vector(op.getIndex())), "addresses");
    forEachActiveLane([&](Value *lane) {
      Value *one = b.CreateLoad(element, b.CreateGEP(element, values, lane));
      Value *to = b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), memory, lane));
      b.CreateAlignedStore(one, to, align, true);
    });
    return;
  }
  if (index.kind == Shape::Affine && index.stride == 1) {
    storeConsecutive(value, elementAddress(op.getBuffer(), scalar(op.getIndex())));
    return;
  }
  if (index.kind == Shape::Affine && index.stride == -1 && !mask) {
    Value *address = elementAddress(op.getBuffer(), scalar(op.getIndex()));
    storeConsecutive(b.CreateVectorReverse(value),
                     b.CreateConstGEP1_64(element, address, -int64_t(lanes.width - 1)));
    return;
  }
  scatter(value, elementAddress(op.getBuffer(), vector(op.getIndex())));
}

//===--- Components of vectors --------------------------------------------===//

/// A mask for `count` elements a lane.
static Value *repeatLanes(Value *mask, unsigned count, unsigned width, IRBuilder<> &b) {
  SmallVector<int> lanes;
  for (unsigned i = 0; i < width * count; ++i)
    lanes.push_back(int(i / count));
  return b.CreateShuffleVector(mask, lanes);
}

/// Lanes one after the other read one run of memory, and their components are taken apart.
void Emitter::emitLoadVector(simt::LoadVectorOp op) {
  const unsigned count = op.getElements().size();
  Type *element = scalarType(op.getElements()[0].getType());
  const Align align(elementBytes(element));
  Shape index = shapeOf(op.getIndex());
  Type *run = ArrayType::get(element, count);
  if (index.kind == Shape::Affine && index.stride == 1 && (!mask || movesMasked(element))) {
    Type *wide = FixedVectorType::get(element, lanes.width * count);
    Value *address = b.CreateGEP(run, scalar(op.getBuffer()), scalar(op.getIndex()));
    Value *all = mask ? static_cast<Value *>(b.CreateMaskedLoad(
                            wide, address, align, repeatLanes(mask, count, lanes.width, b),
                            Constant::getNullValue(wide)))
                      : b.CreateAlignedLoad(wide, address, align);
    for (auto [result, part] : llvm::zip(op.getElements(), deinterleave(all, count)))
      define(result, {nullptr, part});
    return;
  }
  const bool isUniform = index.isUniform();
  Value *first = isUniform ? scalar(op.getIndex()) : vector(op.getIndex());
  Value *runs = b.CreateGEP(run, scalar(op.getBuffer()), first);
  for (auto [k, result] : llvm::enumerate(op.getElements())) {
    Value *address = b.CreateConstGEP1_32(element, runs, unsigned(k));
    if (isUniform)
      define(result, {b.CreateAlignedLoad(element, address, align), nullptr});
    else
      define(result, {nullptr, gather(element, address)});
  }
}

void Emitter::emitStoreVector(simt::StoreVectorOp op) {
  const unsigned count = op.getValues().size();
  Type *element = scalarType(op.getValues()[0].getType());
  const Align align(elementBytes(element));
  Shape index = shapeOf(op.getIndex());
  Type *run = ArrayType::get(element, count);
  if (index.kind == Shape::Affine && index.stride == 1 && (!mask || movesMasked(element))) {
    SmallVector<Value *> parts;
    for (mlir::Value value : op.getValues())
      parts.push_back(vector(value));
    Value *address = b.CreateGEP(run, scalar(op.getBuffer()), scalar(op.getIndex()));
    Value *all = interleave(parts);
    if (mask)
      b.CreateMaskedStore(all, address, align, repeatLanes(mask, count, lanes.width, b));
    else
      b.CreateAlignedStore(all, address, align);
    return;
  }
  const bool isUniform = index.isUniform();
  Value *first = isUniform ? scalar(op.getIndex()) : vector(op.getIndex());
  Value *runs = b.CreateGEP(run, scalar(op.getBuffer()), first);
  for (auto [k, value] : llvm::enumerate(op.getValues())) {
    Value *address = b.CreateConstGEP1_32(element, runs, unsigned(k));
    if (!isUniform)
      scatter(vector(value), address);
    else
      b.CreateAlignedStore(shapes.isUniform(value) ? scalar(value)
                                                   : laneOfVector(vector(value), lastActiveLane()),
                           address, align);
  }
}

//===--- Arrays of the thread's own ----------------------------------------===//

Value *Emitter::privateBase(mlir::Value buffer) {
  Value *memory = privates.lookup(buffer);
  if (!containsBarrier(task) || lanes.chunks() == 1)
    return memory;
  auto type = cast<simt::BufferType>(buffer.getType());
  Value *offset = b.CreateMul(b.CreateZExt(chunk, b.getInt64Ty()), b.getInt64(type.getCount()));
  return b.CreateGEP(widen(scalarType(type.getElementType())), memory, offset);
}

/// A vector with the address of each lane's element `index`.
static Value *laneAddresses(Value *base, Type *element, Value *index, unsigned width,
                            Value *laneNumbers, IRBuilder<> &b) {
  Value *scaled = b.CreateMul(index, ConstantInt::get(index->getType(), width));
  return b.CreateGEP(element, base, b.CreateAdd(scaled, laneNumbers));
}

void Emitter::emitPrivateLoad(simt::LoadOp op) {
  Type *element = scalarType(op.getType());
  Value *base = privateBase(op.getBuffer());
  LaneValue result;
  if (shapes.isUniform(op.getIndex())) {
    Value *address = b.CreateGEP(widen(element), base, scalar(op.getIndex()));
    Value *value = b.CreateAlignedLoad(widen(element), address, Align(elementBytes(element)));
    (lanes.width == 1 ? result.scalar : result.vector) = value;
  } else {
    Value *index = vector(op.getIndex());
    Value *numbers = iota(index->getType()->getScalarType());
    result.vector = gather(element, laneAddresses(base, element, index, lanes.width, numbers, b));
  }
  define(op, result);
}

void Emitter::emitPrivateStore(simt::StoreOp op) {
  Type *element = scalarType(op.getValue().getType());
  Value *base = privateBase(op.getBuffer());
  Value *value = vector(op.getValue());
  if (shapes.isUniform(op.getIndex())) {
    Value *address = b.CreateGEP(widen(element), base, scalar(op.getIndex()));
    Align align(elementBytes(element));
    // The inactive lanes own the rest of the vector, so it may be rewritten.
    if (mask)
      value = whereActive(value, b.CreateAlignedLoad(widen(element), address, align));
    b.CreateAlignedStore(value, address, align);
    return;
  }
  Value *index = vector(op.getIndex());
  Value *numbers = iota(index->getType()->getScalarType());
  scatter(value, laneAddresses(base, element, index, lanes.width, numbers, b));
}
