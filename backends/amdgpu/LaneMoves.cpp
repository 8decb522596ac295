// Moves between lanes, as AMDGPU intrinsics.
#include "backends/amdgpu/LaneMoves.h"
#include "backends/amdgpu/Hide.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sextant;
using simt::ShuffleKind;

/// Calls an intrinsic. If it is overloaded, its type is that of the moved value.
static Value *call(IRBuilder<> &b, Intrinsic::ID id, ArrayRef<Value *> operands) {
  SmallVector<Type *, 1> overload;
  if (Intrinsic::isOverloaded(id))
    overload.push_back(b.getInt32Ty());
  return b.CreateIntrinsic(id, overload, operands);
}

//===--- Single moves ------------------------------------------------------===//

Value *LaneMoves::dpp(IRBuilder<> &b, Value *old, Value *value, unsigned control,
                      unsigned rows) const {
  return call(b, Intrinsic::amdgcn_update_dpp,
              {old, value, b.getInt32(control), b.getInt32(rows), b.getInt32(0xf), b.getFalse()});
}

Value *LaneMoves::dpp(IRBuilder<> &b, Value *value, unsigned control) const {
  return call(b, Intrinsic::amdgcn_update_dpp,
              {PoisonValue::get(b.getInt32Ty()), value, b.getInt32(control), b.getInt32(0xf),
               b.getInt32(0xf), b.getTrue()});
}

// LLVM 19 does not know that the machine instructions of permlanes are convergent, and sinks them
// into blocks that only some lanes reach. hide() makes the result opaque, so that LLVM cannot sink
// the permlane.

static Value *permuteRow(IRBuilder<> &b, Intrinsic::ID id, Value *value,
                         function_ref<unsigned(unsigned)> source) {
  uint64_t selectors = 0;
  for (unsigned i = 0; i < 16; ++i)
    selectors |= uint64_t(source(i) & 15) << (4 * i);
  return hide(b, call(b, id,
                      {PoisonValue::get(b.getInt32Ty()), value, b.getInt32(uint32_t(selectors)),
                       b.getInt32(uint32_t(selectors >> 32)), b.getFalse(), b.getFalse()}));
}

Value *LaneMoves::permlane16(IRBuilder<> &b, Value *value,
                             function_ref<unsigned(unsigned)> source) const {
  return permuteRow(b, Intrinsic::amdgcn_permlane16, value, source);
}

Value *LaneMoves::permlanex16(IRBuilder<> &b, Value *value,
                              function_ref<unsigned(unsigned)> source) const {
  return permuteRow(b, Intrinsic::amdgcn_permlanex16, value, source);
}

Value *LaneMoves::permlane64(IRBuilder<> &b, Value *value) const {
  return hide(b, call(b, Intrinsic::amdgcn_permlane64, {value}));
}

Value *LaneMoves::readlane(IRBuilder<> &b, Value *value, Value *lane) const {
  return call(b, Intrinsic::amdgcn_readlane, {value, lane});
}

static Value *writelane(IRBuilder<> &b, Value *into, unsigned lane, Value *value) {
  return call(b, Intrinsic::amdgcn_writelane, {value, b.getInt32(lane), into});
}

static Value *bpermute(IRBuilder<> &b, Value *value, Value *lane) {
  return call(b, Intrinsic::amdgcn_ds_bpermute, {b.CreateShl(lane, 2), value});
}

/// The thread's index in its block.
static Value *thread(IRBuilder<> &b) {
  CallInst *id = b.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, {}, {});
  id->setMetadata(LLVMContext::MD_range,
                  MDBuilder(b.getContext()).createRange(APInt(32, 0), APInt(32, 1024)));
  return id;
}

Value *LaneMoves::lane(IRBuilder<> &b) const { return b.CreateAnd(thread(b), wave - 1); }

//===--- Constant patterns -------------------------------------------------===//

Value *LaneMoves::xorBy(IRBuilder<> &b, Value *value, unsigned mask) const {
  assert(mask < wave && "out of the wave");
  if (mask == 0)
    return value;
  if (mask >= 32) {
    if (!arch.hasPermlane64())
      return general(b, value, b.CreateXor(lane(b), mask));
    return xorBy(b, permlane64(b, value), mask - 32);
  }
  if (mask >= 16 && arch.hasPermlane16())
    return permlanex16(b, value, [&](unsigned i) { return i ^ mask; });
  if (mask >= 16) // and, or and xor masks of five bits each
    return call(b, Intrinsic::amdgcn_ds_swizzle, {value, b.getInt32(mask << 10 | 0x1f)});
  if (mask > 3 && arch.hasRowXor())
    return dpp(b, value, DppRowXmask | mask);
  // gfx9 has moves by 8, 7 and 15 within a row. The other distances combine these with a move
  // within four lanes.
  unsigned rest = mask;
  if (mask >= 12) {
    value = dpp(b, value, DppRowMirror);
    rest = mask ^ 15;
  } else if (mask >= 8) {
    value = dpp(b, value, DppRowRor | 8);
    rest = mask ^ 8;
  } else if (mask >= 4) {
    value = dpp(b, value, DppHalfMirror);
    rest = mask ^ 7;
  }
  if (rest == 0)
    return value;
  unsigned quad = 0;
  for (unsigned i = 0; i < 4; ++i)
    quad |= (i ^ rest) << (2 * i);
  return dpp(b, value, DppQuadPerm | quad);
}

/// gfx10+, within each half: combines the part from the own row with the part from the other row.
Value *LaneMoves::shiftRow(IRBuilder<> &b, Value *value, unsigned distance, bool up) const {
  auto source = [&](unsigned i) { return up ? i - distance : i + distance; };
  Value *crossing = value;
  if (wave == 64 && arch.hasPermlane64()) {
    // A row has two neighbours. permlanex16 reaches one of them; the other is its counterpart in
    // the other half.
    Value *isUpperRow = b.CreateICmpNE(b.CreateAnd(thread(b), 16), b.getInt32(0));
    Value *swapped = permlane64(b, value);
    crossing = b.CreateSelect(isUpperRow, up ? swapped : value, up ? value : swapped);
  }
  Value *other = permlanex16(b, crossing, source);
  if (wave == 64 && !arch.hasPermlane64()) {
    for (unsigned i = 0; i < distance; ++i) {
      unsigned from = up ? 32 - distance + i : 32 + i;
      unsigned to = up ? 32 + i : 32 - distance + i;
      other = writelane(b, other, to, readlane(b, value, b.getInt32(from)));
    }
  }
  if (distance == 16)
    return other;
  return dpp(b, other, value, (up ? DppRowShr : DppRowShl) | distance);
}

/// Returns null if no short way is known.
Value *LaneMoves::shift(IRBuilder<> &b, Value *value, unsigned distance, bool up) const {
  if (distance == 0 || distance >= wave)
    return value;
  if (arch.hasWaveShift()) {
    if (distance > 3)
      return nullptr;
    for (unsigned i = 0; i < distance; ++i)
      value = dpp(b, value, up ? DppWaveShr : DppWaveShl);
    return value;
  }
  if (wave == 64 && !arch.hasPermlane64() && distance > 4)
    return nullptr;
  if (distance <= 16)
    return shiftRow(b, value, distance, up);
  // From here on, no lane has its source two rows away.
  auto source = [&](unsigned i) { return up ? i - distance : i + distance; };
  if (wave == 32)
    return permlanex16(b, value, source);
  if (distance < 32)
    return nullptr;
  Value *swapped = permlane64(b, value);
  if (distance == 32)
    return swapped;
  Value *other = permlanex16(b, swapped, source);
  if (distance >= 48)
    return other;
  return dpp(b, other, swapped, (up ? DppRowShr : DppRowShl) | (distance - 32));
}

Value *LaneMoves::pattern(IRBuilder<> &b, Value *value, ArrayRef<unsigned> sources) const {
  auto all = [&](function_ref<unsigned(unsigned)> expected) {
    for (unsigned i = 0; i < wave; ++i)
      if (sources[i] != expected(i))
        return false;
    return true;
  };
  if (all([&](unsigned i) { return i ^ sources[0]; }))
    return xorBy(b, value, sources[0]);
  if (all([&](unsigned i) { return (i & ~3u) | (sources[i % 4] & 3); })) {
    unsigned quad = 0;
    for (unsigned i = 0; i < 4; ++i)
      quad |= sources[i] << (2 * i);
    return dpp(b, value, DppQuadPerm | quad);
  }
  for (unsigned n = 1; n < 16; ++n)
    if (all([&](unsigned i) { return (i & ~15u) | ((i - n) & 15); }))
      return dpp(b, value, DppRowRor | n);
  auto inRow = [&](unsigned i) { return sources[i] & 15; };
  if (arch.hasPermlane16() && all([&](unsigned i) { return (i & ~15u) | inRow(i & 15); }))
    return permlane16(b, value, inRow);
  if (arch.hasPermlane16() && all([&](unsigned i) { return ((i & ~15u) ^ 16) | inRow(i & 15); }))
    return permlanex16(b, value, inRow);
  return nullptr;
}

Value *LaneMoves::upByOne(IRBuilder<> &b, Value *value) const { return shift(b, value, 1, true); }

//===--- Any pattern -------------------------------------------------------===//

/// One element for each thread. finish() sets the length when the task's block size is known.
static GlobalVariable *stageOf(Function &function, bool create) {
  Module &module = *function.getParent();
  std::string name = (function.getName() + "_lanes").str();
  GlobalVariable *stage = module.getGlobalVariable(name, /*AllowInternal=*/true);
  if (!stage && create) {
    Type *type = ArrayType::get(Type::getInt32Ty(module.getContext()), 1024);
    stage = new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
                               UndefValue::get(type), name, nullptr, GlobalValue::NotThreadLocal,
                               /*AddressSpace=*/3);
    stage->setAlignment(Align(16));
  }
  return stage;
}

void LaneMoves::finish(Function &function, unsigned blockDim) {
  GlobalVariable *stage = stageOf(function, /*create=*/false);
  if (!stage)
    return;
  Type *type = ArrayType::get(Type::getInt32Ty(function.getContext()), stageBytes(blockDim) / 4);
  auto *sized = new GlobalVariable(*function.getParent(), type, /*isConstant=*/false,
                                   GlobalValue::InternalLinkage, UndefValue::get(type), "", nullptr,
                                   GlobalValue::NotThreadLocal, stage->getAddressSpace());
  sized->setAlignment(stage->getAlign());
  sized->takeName(stage);
  stage->replaceAllUsesWith(sized);
  stage->eraseFromParent();
}

/// A wave accesses shared memory in program order, so no barrier is needed. The fences are not
/// instructions; they keep the compiler to that order.
Value *LaneMoves::throughShared(IRBuilder<> &b, Value *value, Value *lane) const {
  Function &function = *b.GetInsertBlock()->getParent();
  GlobalVariable *stage = stageOf(function, /*create=*/true);
  SyncScope::ID scope = b.getContext().getOrInsertSyncScopeID("wavefront");
  Value *own = thread(b);
  Value *source = b.CreateOr(b.CreateAnd(own, ~63u), b.CreateAnd(lane, 63));
  auto at = [&](Value *index) { return b.CreateInBoundsGEP(b.getInt32Ty(), stage, index); };
  b.CreateFence(AtomicOrdering::AcquireRelease, scope);
  b.CreateAlignedStore(value, at(own), Align(4));
  b.CreateFence(AtomicOrdering::AcquireRelease, scope);
  return b.CreateAlignedLoad(b.getInt32Ty(), at(source), Align(4));
}

/// Reads every lane's value in turn, for tasks that leave no shared memory.
Value *LaneMoves::throughScalars(IRBuilder<> &b, Value *value, Value *lane) const {
  Value *wanted = b.CreateAnd(lane, wave - 1);
  BasicBlock *before = b.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *loop = BasicBlock::Create(b.getContext(), "lanes", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "moved", function);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *counter = b.CreatePHI(b.getInt32Ty(), 2);
  PHINode *result = b.CreatePHI(b.getInt32Ty(), 2);
  counter->addIncoming(b.getInt32(0), before);
  result->addIncoming(value, before);
  Value *taken =
      b.CreateSelect(b.CreateICmpEQ(wanted, counter), readlane(b, value, counter), result);
  Value *next = b.CreateAdd(counter, b.getInt32(1));
  counter->addIncoming(next, loop);
  result->addIncoming(taken, loop);
  b.CreateCondBr(b.CreateICmpEQ(next, b.getInt32(wave)), done, loop);
  b.SetInsertPoint(done);
  return taken;
}

Value *LaneMoves::general(IRBuilder<> &b, Value *value, Value *source) const {
  if (wave <= arch.permuteReach())
    return bpermute(b, value, source);
  if (!arch.hasPermlane64())
    return hasRoom ? throughShared(b, value, source) : throughScalars(b, value, source);
  // Fetches once from the own half and once from the other. The index stays within the own half, so
  // that hardware with a longer reach fetches the same.
  Value *own = lane(b);
  Value *index = b.CreateOr(b.CreateAnd(own, 32), b.CreateAnd(source, 31));
  Value *near = bpermute(b, value, index);
  Value *far = bpermute(b, permlane64(b, value), index);
  Value *crosses = b.CreateICmpNE(b.CreateAnd(b.CreateXor(own, source), 32), b.getInt32(0));
  return b.CreateSelect(crosses, far, near);
}

Value *LaneMoves::shuffle(IRBuilder<> &b, ShuffleKind kind, Value *value, Value *lane) const {
  auto *constant = dyn_cast<ConstantInt>(lane);
  // A source outside the wave may yield any value.
  unsigned known = constant ? unsigned(constant->getZExtValue()) : 0;
  switch (kind) {
  case ShuffleKind::Index:
    return constant ? readlane(b, value, b.getInt32(known % wave)) : general(b, value, lane);
  case ShuffleKind::Broadcast:
    if (constant)
      return readlane(b, value, b.getInt32(known % wave));
    // The index is the same in every lane, but the compiler may not see that.
    return readlane(b, value, call(b, Intrinsic::amdgcn_readfirstlane, {lane}));
  case ShuffleKind::Xor:
    return constant ? xorBy(b, value, known % wave)
                    : general(b, value, b.CreateXor(this->lane(b), lane));
  case ShuffleKind::Up:
  case ShuffleKind::Down: {
    bool up = kind == ShuffleKind::Up;
    if (constant)
      if (Value *moved = shift(b, value, known, up))
        return moved;
    Value *own = this->lane(b);
    return general(b, value, up ? b.CreateSub(own, lane) : b.CreateAdd(own, lane));
  }
  }
  llvm_unreachable("all kinds are listed");
}
