// Types, masks, loops over lanes, the stack, and memory that lanes access.
#include "backends/cpu/LaneBuilder.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

//===--- Types, and values by lane -----------------------------------------===//

Type *LaneBuilder::scalarType(mlir::Type type) {
  if (isa<simt::BufferType>(type))
    return getPtrTy();
  if (type.isF32())
    return getFloatTy();
  if (type.isF64())
    return getDoubleTy();
  if (type.isF16()) // bits: not every machine has the type
    return getInt16Ty();
  if (type.isIndex())
    return getInt64Ty();
  return getIntNTy(type.getIntOrFloatBitWidth());
}

Type *LaneBuilder::widen(Type *type) {
  return lanes.width == 1 ? type : FixedVectorType::get(type, lanes.width);
}

Value *LaneBuilder::splat(Value *value) {
  return lanes.width == 1 ? value : CreateVectorSplat(lanes.width, value);
}

Constant *LaneBuilder::iota(Type *type, int64_t stride) {
  if (lanes.width == 1)
    return ConstantInt::get(type, 0);
  SmallVector<Constant *> elements;
  for (unsigned lane = 0; lane < lanes.width; ++lane)
    elements.push_back(ConstantInt::get(type, uint64_t(stride) * lane, /*IsSigned=*/true));
  return ConstantVector::get(elements);
}

//===--- Masks -------------------------------------------------------------===//

Value *LaneBuilder::maskVector() {
  return mask ? mask : Constant::getAllOnesValue(widen(getInt1Ty()));
}

Value *LaneBuilder::maskBits(Value *bits) {
  if (lanes.width == 1)
    return bits;
  return CreateBitCast(bits, getIntNTy(lanes.width));
}

Value *LaneBuilder::isAny(Value *bits) {
  if (lanes.width == 1)
    return bits;
  if (!machine.isX86)
    return CreateOrReduce(bits);
  return CreateIsNotNull(maskBits(bits));
}

Value *LaneBuilder::isAll(Value *bits) {
  if (lanes.width == 1)
    return bits;
  if (!machine.isX86)
    return CreateAndReduce(bits);
  Value *packed = maskBits(bits);
  return CreateICmpEQ(packed, Constant::getAllOnesValue(packed->getType()));
}

Value *LaneBuilder::andMask(Value *condition) {
  return mask ? CreateAnd(mask, condition) : condition;
}

Value *LaneBuilder::whereActive(Value *value, Value *other) {
  return mask ? CreateSelect(mask, value, other) : value;
}

Value *LaneBuilder::firstActiveLane() {
  if (!mask)
    return getInt32(0);
  // The mask is not empty here. The wider type keeps odd widths away from cttz.
  Value *bits = CreateZExt(maskBits(mask), getInt64Ty());
  return CreateZExtOrTrunc(CreateBinaryIntrinsic(Intrinsic::cttz, bits, getTrue()), getInt32Ty());
}

Value *LaneBuilder::lastActiveLane() {
  if (!mask)
    return getInt32(lanes.width - 1);
  Value *bits = CreateZExt(maskBits(mask), getInt64Ty());
  Value *zeros = CreateBinaryIntrinsic(Intrinsic::ctlz, bits, getTrue());
  return CreateZExtOrTrunc(CreateSub(getInt64(63), zeros), getInt32Ty());
}

//===--- Blocks and loops --------------------------------------------------===//

BasicBlock *LaneBuilder::newBlock(const Twine &name) {
  return BasicBlock::Create(getContext(), name, function);
}

void LaneBuilder::countedLoop(Value *begin, Value *end, IndexedBody body, const Twine &name) {
  advancingLoop(
      begin, end,
      [&](Value *index) {
        body(index);
        return CreateAdd(index, ConstantInt::get(index->getType(), 1), "", /*HasNUW=*/true);
      },
      name);
}

void LaneBuilder::advancingLoop(Value *begin, Value *end, function_ref<Value *(Value *)> body,
                                const Twine &name) {
  BasicBlock *before = GetInsertBlock();
  BasicBlock *loop = newBlock(name), *after = newBlock(name + ".end");
  CreateCondBr(CreateICmpULT(begin, end), loop, after);
  SetInsertPoint(loop);
  PHINode *index = CreatePHI(begin->getType(), 2, name + ".index");
  index->addIncoming(begin, before);
  Value *next = body(index);
  index->addIncoming(next, GetInsertBlock());
  CreateCondBr(CreateICmpULT(next, end), loop, after);
  SetInsertPoint(after);
}

void LaneBuilder::forEachActiveLane(IndexedBody body) {
  if (!mask && lanes.width <= 16) {
    for (unsigned lane = 0; lane < lanes.width; ++lane)
      body(getInt32(lane));
    return;
  }
  if (!mask) {
    countedLoop(getInt32(0), getInt32(lanes.width), body, "lane");
    return;
  }
  // Takes the lowest set bit of the mask until none is left.
  Value *start = CreateZExt(maskBits(mask), getInt64Ty());
  BasicBlock *before = GetInsertBlock(), *loop = newBlock("lane"), *after = newBlock("lane.end");
  CreateBr(loop);
  SetInsertPoint(loop);
  PHINode *rest = CreatePHI(getInt64Ty(), 2);
  rest->addIncoming(start, before);
  body(CreateZExtOrTrunc(CreateBinaryIntrinsic(Intrinsic::cttz, rest, getTrue()), getInt32Ty()));
  Value *next = CreateAnd(rest, CreateSub(rest, getInt64(1)));
  rest->addIncoming(next, GetInsertBlock());
  CreateCondBr(CreateIsNotNull(next), loop, after);
  SetInsertPoint(after);
}

//===--- The stack ---------------------------------------------------------===//

AllocaInst *LaneBuilder::entryAlloca(Type *type, const Twine &name, unsigned count) {
  BasicBlock &entry = function->getEntryBlock();
  IRBuilder<> at(&entry, entry.begin());
  Type *allocated = count == 1 ? type : ArrayType::get(type, count);
  AllocaInst *memory = at.CreateAlloca(allocated, nullptr, name);
  if (type->isVectorTy() || count > 1)
    memory->setAlignment(Align(64));
  return memory;
}

Value *LaneBuilder::spill(Value *value, const Twine &name) {
  AllocaInst *memory = entryAlloca(value->getType(), name);
  CreateAlignedStore(value, memory, memory->getAlign());
  return memory;
}

Value *LaneBuilder::laneOfVector(Value *value, Value *lane) {
  if (!value->getType()->isVectorTy())
    return value;
  if (isa<Constant>(lane))
    return CreateExtractElement(value, lane);
  Type *element = value->getType()->getScalarType();
  if (element->isIntegerTy(1)) {
    Value *bits =
        CreateLShr(CreateZExt(maskBits(value), getInt64Ty()), CreateZExt(lane, getInt64Ty()));
    return CreateTrunc(bits, getInt1Ty());
  }
  Value *memory = spill(value, "lanes");
  return CreateLoad(element, CreateGEP(element, memory, CreateZExt(lane, getInt64Ty())));
}

//===--- Memory, by the active lanes ---------------------------------------===//

bool LaneBuilder::movesMasked(Type *element) const {
  return machine.hasMaskedMoves && (elementBytes(element) >= 4 || machine.hasMaskRegisters);
}

Value *LaneBuilder::loadConsecutive(Type *element, Value *address) {
  Type *type = widen(element);
  Align align(elementBytes(element));
  if (!mask)
    return CreateAlignedLoad(type, address, align);
  return CreateMaskedLoad(type, address, align, mask, Constant::getNullValue(type));
}

void LaneBuilder::storeConsecutive(Value *value, Value *address) {
  Align align(elementBytes(value->getType()));
  if (!mask)
    CreateAlignedStore(value, address, align);
  else
    CreateMaskedStore(value, address, align, mask);
}

Value *LaneBuilder::gather(Type *element, Value *addresses) {
  Type *type = widen(element);
  Align align(elementBytes(element));
  bool isNative = machine.hasGather && elementBytes(element) >= 4;
  if (!mask || isNative)
    return CreateMaskedGather(type, addresses, align, maskVector(), Constant::getNullValue(type));
  // Inactive lanes read a place on the stack, which needs no branches.
  Value *nowhere = entryAlloca(getInt64Ty(), "nowhere");
  return CreateMaskedGather(type, CreateSelect(mask, addresses, splat(nowhere)), align);
}

void LaneBuilder::scatter(Value *value, Value *addresses) {
  Type *element = value->getType()->getScalarType();
  Align align(elementBytes(element));
  bool isNative = machine.hasScatter && elementBytes(element) >= 4;
  if (isNative || (!mask && lanes.width <= 16)) {
    CreateMaskedScatter(value, addresses, align, maskVector());
    return;
  }
  Value *valueMemory = spill(value, "scattered"), *addressMemory = spill(addresses, "addresses");
  forEachActiveLane([&](Value *lane) {
    Value *one = CreateLoad(element, CreateGEP(element, valueMemory, lane));
    Value *to = CreateLoad(getPtrTy(), CreateGEP(getPtrTy(), addressMemory, lane));
    CreateAlignedStore(one, to, align);
  });
}

void LaneBuilder::prefetch(Value *address, bool isWritten) {
  constexpr unsigned allCaches = 3, isData = 1;
  CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                  {address, getInt32(isWritten), getInt32(allCaches), getInt32(isData)});
}
