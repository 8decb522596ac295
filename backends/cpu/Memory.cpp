// Loads and stores: one element if all lanes access the same one, a run of elements if lanes are
// consecutive, gathers and scatters otherwise.
#include "backends/cpu/MemoryEmitter.h"

#include <numeric>

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

uint64_t MemoryEmitter::emitAllocations() {
  uint64_t sharedBytes = 0;
  for (mlir::Operation &op : code.task.getBody().front()) {
    if (auto shared = dyn_cast<simt::SharedOp>(op)) {
      simt::BufferType type = shared.getType();
      sharedBytes = alignTo(sharedBytes, sharedAlign);
      values.define(shared,
                    {b.CreateConstGEP1_64(b.getInt8Ty(), code.shared, sharedBytes), nullptr});
      sharedBytes += uint64_t(type.getCount()) * elementBytes(b.scalarType(type.getElementType()));
    } else if (auto local = dyn_cast<simt::PrivateOp>(op)) {
      // Element i of all lanes is contiguous, so that a uniform index reads a vector. Chunks that
      // wait for one another at barriers need memory of their own.
      simt::BufferType type = local.getType();
      unsigned copies = containsBarrier(code.task) ? lanes.chunks() : 1;
      Value *memory = b.entryAlloca(b.widen(b.scalarType(type.getElementType())), "private",
                                    type.getCount() * copies);
      privates[local] = memory;
      values.define(local, {memory, nullptr});
    }
  }
  return sharedBytes;
}

Value *MemoryEmitter::elementAddress(mlir::Value buffer, Value *index) {
  Type *element = b.scalarType(cast<simt::BufferType>(buffer.getType()).getElementType());
  return b.CreateGEP(element, values.scalar(buffer), index);
}

//===--- Ops ---------------------------------------------------------------===//

void MemoryEmitter::emitLoad(simt::LoadOp op) {
  if (op.getBuffer().getType().getSpace() == simt::Space::Private)
    return emitPrivateLoad(op);
  Type *element = b.scalarType(op.getType());
  Shape index = values.shapeOf(op.getIndex());
  if (index.isUniform()) {
    LoadInst *value =
        b.CreateAlignedLoad(element, elementAddress(op.getBuffer(), values.scalar(op.getIndex())),
                            Align(elementBytes(element)), op.getVolatile_());
    values.define(op, {value, nullptr});
    return;
  }
  if (op.getVolatile_()) {
    Value *addresses = elementAddress(op.getBuffer(), values.vector(op.getIndex()));
    Value *memory = b.spill(addresses, "addresses");
    AllocaInst *loaded = b.entryAlloca(b.widen(element), "volatile");
    b.CreateAlignedStore(Constant::getNullValue(b.widen(element)), loaded, loaded->getAlign());
    b.forEachActiveLane([&](Value *lane) {
      Value *from = b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), memory, lane));
      Value *one = b.CreateAlignedLoad(element, from, Align(elementBytes(element)), true);
      b.CreateStore(one, b.CreateGEP(element, loaded, lane));
    });
    values.define(op, {nullptr, b.CreateAlignedLoad(b.widen(element), loaded, loaded->getAlign())});
    return;
  }
  if (index.kind == Shape::Affine && index.stride == 1) {
    Value *address = elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
    values.define(op, {nullptr, b.loadConsecutive(element, address)});
    return;
  }
  if (index.kind == Shape::Affine && index.stride == -1 && !b.mask) {
    Value *address = elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
    Value *lowest = b.CreateConstGEP1_64(element, address, -int64_t(lanes.width - 1));
    values.define(op, {nullptr, b.CreateVectorReverse(b.loadConsecutive(element, lowest))});
    return;
  }
  if (index.kind == Shape::Affine && index.stride >= 2 && index.stride <= 4 && !b.mask) {
    // One wide load up to the last lane's element, from which every stride-th is taken.
    unsigned stride = index.stride, count = stride * (lanes.width - 1) + 1;
    Value *address = elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
    Value *wide = b.CreateAlignedLoad(FixedVectorType::get(element, count), address,
                                      Align(elementBytes(element)));
    SmallVector<int> picked;
    for (unsigned lane = 0; lane < lanes.width; ++lane)
      picked.push_back(lane * stride);
    values.define(op, {nullptr, b.CreateShuffleVector(wide, picked)});
    return;
  }
  if (emitClampedLoad(op))
    return;
  values.define(op, {nullptr, b.gather(element, elementAddress(op.getBuffer(),
                                                               values.vector(op.getIndex())))});
}

void MemoryEmitter::emitStore(simt::StoreOp op) {
  if (op.getBuffer().getType().getSpace() == simt::Space::Private)
    return emitPrivateStore(op);
  Shape index = values.shapeOf(op.getIndex());
  Type *element = b.scalarType(op.getValue().getType());
  Align align(elementBytes(element));
  if (index.isUniform()) {
    // All lanes write one place, where the last lane's value stays.
    Value *value = values.isUniform(op.getValue())
                       ? values.scalar(op.getValue())
                       : b.laneOfVector(values.vector(op.getValue()), b.lastActiveLane());
    b.CreateAlignedStore(value, elementAddress(op.getBuffer(), values.scalar(op.getIndex())), align,
                         op.getVolatile_());
    return;
  }
  Value *value = values.vector(op.getValue());
  if (op.getVolatile_()) {
    Value *stored = b.spill(value, "volatile");
    Value *memory =
        b.spill(elementAddress(op.getBuffer(), values.vector(op.getIndex())), "addresses");
    b.forEachActiveLane([&](Value *lane) {
      Value *one = b.CreateLoad(element, b.CreateGEP(element, stored, lane));
      Value *to = b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), memory, lane));
      b.CreateAlignedStore(one, to, align, true);
    });
    return;
  }
  if (index.kind == Shape::Affine && index.stride == 1) {
    b.storeConsecutive(value, elementAddress(op.getBuffer(), values.scalar(op.getIndex())));
    return;
  }
  if (index.kind == Shape::Affine && index.stride == -1 && !b.mask) {
    Value *address = elementAddress(op.getBuffer(), values.scalar(op.getIndex()));
    b.storeConsecutive(b.CreateVectorReverse(value),
                       b.CreateConstGEP1_64(element, address, -int64_t(lanes.width - 1)));
    return;
  }
  b.scatter(value, elementAddress(op.getBuffer(), values.vector(op.getIndex())));
}

//===--- Components of vectors --------------------------------------------===//

/// A mask for `count` elements a lane.
static Value *repeatLanes(Value *mask, unsigned count, unsigned width, IRBuilder<> &b) {
  SmallVector<int> lanes;
  for (unsigned i = 0; i < width * count; ++i)
    lanes.push_back(int(i / count));
  return b.CreateShuffleVector(mask, lanes);
}

/// The address of each lane's run. Inactive lanes have memory of the stack.
SmallVector<Value *> MemoryEmitter::runAddresses(mlir::Value buffer, mlir::Value index, Type *run) {
  SmallVector<Value *> addresses;
  const Shape shape = values.shapeOf(index);
  if (shape.kind == Shape::Affine && !b.mask) {
    Value *first = b.CreateGEP(run, values.scalar(buffer), values.scalar(index));
    for (unsigned lane = 0; lane < lanes.width; ++lane)
      addresses.push_back(b.CreateConstGEP1_64(run, first, lane * shape.stride));
    return addresses;
  }
  Value *all = b.CreateGEP(run, values.scalar(buffer), values.vector(index));
  if (b.mask)
    all = b.CreateSelect(b.mask, all, b.splat(b.entryAlloca(run, "nowhere")));
  for (unsigned lane = 0; lane < lanes.width; ++lane)
    addresses.push_back(b.CreateExtractElement(all, lane));
  return addresses;
}

/// Lanes one after the other read one run of memory, and their components are taken apart.
void MemoryEmitter::emitLoadVector(simt::LoadVectorOp op) {
  const unsigned count = op.getElements().size();
  Type *element = b.scalarType(op.getElements()[0].getType());
  const Align align(elementBytes(element));
  Shape index = values.shapeOf(op.getIndex());
  Type *run = ArrayType::get(element, count);
  if (index.kind == Shape::Affine && index.stride == 1 && (!b.mask || b.movesMasked(element))) {
    Type *wide = FixedVectorType::get(element, lanes.width * count);
    Value *address = b.CreateGEP(run, values.scalar(op.getBuffer()), values.scalar(op.getIndex()));
    Value *all = b.mask ? static_cast<Value *>(b.CreateMaskedLoad(
                              wide, address, align, repeatLanes(b.mask, count, lanes.width, b),
                              Constant::getNullValue(wide)))
                        : b.CreateAlignedLoad(wide, address, align);
    const SmallVector<Value *> parts = b.deinterleave(all, count);
    for (auto [result, part] : llvm::zip(op.getElements(), parts))
      values.define(result, {nullptr, part});
    runs[op] = {all, parts[0]};
    return;
  }
  if (index.kind == Shape::Affine && index.stride == 2 && isPowerOf2_32(count) && !b.mask) {
    // One wide load up to the last lane's vector. Every other vector of it belongs to no lane.
    const unsigned loaded = (2 * lanes.width - 1) * count;
    Value *address = b.CreateGEP(run, values.scalar(op.getBuffer()), values.scalar(op.getIndex()));
    Value *all = b.CreateAlignedLoad(FixedVectorType::get(element, loaded), address, align);
    SmallVector<int> padded(2 * lanes.width * count, -1);
    std::iota(padded.begin(), padded.begin() + loaded, 0);
    SmallVector<Value *> parts = b.deinterleave(b.CreateShuffleVector(all, padded), 2 * count);
    for (auto [k, result] : llvm::enumerate(op.getElements()))
      values.define(result, {nullptr, parts[k]});
    return;
  }
  if (index.isUniform()) {
    Value *first = b.CreateGEP(run, values.scalar(op.getBuffer()), values.scalar(op.getIndex()));
    for (auto [k, result] : llvm::enumerate(op.getElements()))
      values.define(result, {b.CreateAlignedLoad(
                                 element, b.CreateConstGEP1_32(element, first, unsigned(k)), align),
                             nullptr});
    return;
  }
  const SmallVector<Value *> parts =
      b.loadRuns(element, count, runAddresses(op.getBuffer(), op.getIndex(), run));
  for (auto [result, part] : llvm::zip(op.getElements(), parts))
    values.define(result, {nullptr, part});
}

void MemoryEmitter::emitStoreVector(simt::StoreVectorOp op) {
  const unsigned count = op.getValues().size();
  Type *element = b.scalarType(op.getValues()[0].getType());
  const Align align(elementBytes(element));
  Shape index = values.shapeOf(op.getIndex());
  Type *run = ArrayType::get(element, count);
  if (index.kind == Shape::Affine && index.stride == 1 && (!b.mask || b.movesMasked(element))) {
    Value *address = b.CreateGEP(run, values.scalar(op.getBuffer()), values.scalar(op.getIndex()));
    Value *all = asRun(SmallVector<mlir::Value>(op.getValues()));
    if (!all) {
      SmallVector<Value *> parts;
      for (mlir::Value value : op.getValues())
        parts.push_back(values.vector(value));
      all = b.interleave(parts);
    }
    if (b.mask)
      b.CreateMaskedStore(all, address, align, repeatLanes(b.mask, count, lanes.width, b));
    else
      b.CreateAlignedStore(all, address, align);
    return;
  }
  if (!index.isUniform()) {
    SmallVector<Value *> parts;
    for (mlir::Value value : op.getValues())
      parts.push_back(values.vector(value));
    b.storeRuns(parts, runAddresses(op.getBuffer(), op.getIndex(), run));
    return;
  }
  Value *first = b.CreateGEP(run, values.scalar(op.getBuffer()), values.scalar(op.getIndex()));
  for (auto [k, value] : llvm::enumerate(op.getValues()))
    b.CreateAlignedStore(values.isUniform(value)
                             ? values.scalar(value)
                             : b.laneOfVector(values.vector(value), b.lastActiveLane()),
                         b.CreateConstGEP1_32(element, first, unsigned(k)), align);
}

//===--- Arrays of the thread's own ----------------------------------------===//

Value *MemoryEmitter::privateBase(mlir::Value buffer) {
  Value *memory = privates.lookup(buffer);
  if (!containsBarrier(code.task) || lanes.chunks() == 1)
    return memory;
  auto type = cast<simt::BufferType>(buffer.getType());
  Value *offset =
      b.CreateMul(b.CreateZExt(code.chunk, b.getInt64Ty()), b.getInt64(type.getCount()));
  return b.CreateGEP(b.widen(b.scalarType(type.getElementType())), memory, offset);
}

/// A vector with the address of each lane's element `index`.
static Value *laneAddresses(Value *base, Type *element, Value *index, unsigned width,
                            Value *laneNumbers, IRBuilder<> &b) {
  Value *scaled = b.CreateMul(index, ConstantInt::get(index->getType(), width));
  return b.CreateGEP(element, base, b.CreateAdd(scaled, laneNumbers));
}

void MemoryEmitter::emitPrivateLoad(simt::LoadOp op) {
  Type *element = b.scalarType(op.getType());
  Value *base = privateBase(op.getBuffer());
  LaneValue result;
  if (values.isUniform(op.getIndex())) {
    Value *address = b.CreateGEP(b.widen(element), base, values.scalar(op.getIndex()));
    Value *value = b.CreateAlignedLoad(b.widen(element), address, Align(elementBytes(element)));
    (lanes.width == 1 ? result.scalar : result.vector) = value;
  } else {
    Value *index = values.vector(op.getIndex());
    Value *numbers = b.iota(index->getType()->getScalarType());
    result.vector = b.gather(element, laneAddresses(base, element, index, lanes.width, numbers, b));
  }
  values.define(op, result);
}

void MemoryEmitter::emitPrivateStore(simt::StoreOp op) {
  Type *element = b.scalarType(op.getValue().getType());
  Value *base = privateBase(op.getBuffer());
  Value *value = values.vector(op.getValue());
  if (values.isUniform(op.getIndex())) {
    Value *address = b.CreateGEP(b.widen(element), base, values.scalar(op.getIndex()));
    Align align(elementBytes(element));
    // The inactive lanes own the rest of the vector, so it may be rewritten.
    if (b.mask)
      value = b.whereActive(value, b.CreateAlignedLoad(b.widen(element), address, align));
    b.CreateAlignedStore(value, address, align);
    return;
  }
  Value *index = values.vector(op.getIndex());
  Value *numbers = b.iota(index->getType()->getScalarType());
  b.scatter(value, laneAddresses(base, element, index, lanes.width, numbers, b));
}
