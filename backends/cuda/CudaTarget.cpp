// NVVM intrinsics for the dialect's ops. Masks name the full warp throughout: lanes that left the
// task count as arrived, so a guarded tail does not hang.
#include "backends/cuda/CudaTarget.h"
#include "backends/common/Combine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace sextant;

static Value *fullMask(IRBuilder<> &b) { return b.getInt32(0xffffffff); }

/// Reads a special register that holds a value in [0, limit).
static Value *specialRegister(IRBuilder<> &b, Intrinsic::ID id, uint32_t least, uint32_t limit) {
  CallInst *call = b.CreateIntrinsic(id, {}, {});
  call->setMetadata(LLVMContext::MD_range,
                    MDBuilder(b.getContext()).createRange(APInt(32, least), APInt(32, limit)));
  return call;
}

Value *CudaTarget::threadIdx(IRBuilder<> &b, const simt::TaskInfo &task) const {
  return specialRegister(b, Intrinsic::nvvm_read_ptx_sreg_tid_x, 0, task.blockDim);
}

/// The most blocks in a grid: its threads are numbered with 31 bits.
static uint32_t blockLimit(const simt::TaskInfo &task) {
  return uint32_t(divideCeil(uint64_t(1) << 31, task.blockDim));
}

Value *CudaTarget::blockIdx(IRBuilder<> &b, const simt::TaskInfo &task) const {
  return specialRegister(b, Intrinsic::nvvm_read_ptx_sreg_ctaid_x, 0, blockLimit(task));
}

Value *CudaTarget::gridDim(IRBuilder<> &b, const simt::TaskInfo &task) const {
  return specialRegister(b, Intrinsic::nvvm_read_ptx_sreg_nctaid_x, 1, blockLimit(task) + 1);
}

//===--- Barriers and fences -----------------------------------------------===//

static Value *barrierReduce(IRBuilder<> &b, simt::BarrierReduceKind kind, Value *predicate) {
  Value *flag = b.CreateZExt(predicate, b.getInt32Ty());
  if (kind == simt::BarrierReduceKind::Count)
    return b.CreateIntrinsic(Intrinsic::nvvm_barrier0_popc, {}, {flag});
  Intrinsic::ID id = kind == simt::BarrierReduceKind::All ? Intrinsic::nvvm_barrier0_and
                                                          : Intrinsic::nvvm_barrier0_or;
  Value *reduced = b.CreateIntrinsic(id, {}, {flag});
  return b.CreateZExt(b.CreateICmpNE(reduced, b.getInt32(0)), b.getInt32Ty());
}

/// Polls at full speed take turns of memory from the thread that is waited for. The time is about
/// that of a read from the L2 cache.
static void pause(IRBuilder<> &b) {
  constexpr uint32_t nanoseconds = 100;
  b.CreateIntrinsic(Intrinsic::nvvm_nanosleep, {}, {b.getInt32(nanoseconds)});
}

bool CudaTarget::emitEffect(IRBuilder<> &b, mlir::Operation &op) const {
  auto instruction = [&](Intrinsic::ID id, ArrayRef<Value *> operands = {}) {
    b.CreateIntrinsic(id, {}, operands);
    return true;
  };
  const bool copies = capability >= 80;
  return TypeSwitch<mlir::Operation *, bool>(&op)
      .Case([&](simt::BarrierOp) { return instruction(Intrinsic::nvvm_barrier0); })
      .Case([&](simt::SubgroupBarrierOp) {
        return instruction(Intrinsic::nvvm_bar_warp_sync, fullMask(b));
      })
      .Case([&](simt::FenceOp fence) {
        return instruction(fence.getScope() == simt::Scope::Device ? Intrinsic::nvvm_membar_gl
                                                                   : Intrinsic::nvvm_membar_cta);
      })
      .Case([&](simt::PauseOp) { return pause(b), true; })
      .Case([&](simt::EndCopiesOp) {
        return !copies || instruction(Intrinsic::nvvm_cp_async_commit_group);
      })
      .Case([&](simt::AwaitCopiesOp wait) {
        return !copies ||
               instruction(Intrinsic::nvvm_cp_async_wait_group, b.getInt32(wait.getPending()));
      })
      .Default(false);
}

/// 16 bytes go past L1, as vectors are not read twice (PTX ISA, cp.async).
bool CudaTarget::copyAsync(IRBuilder<> &b, Type *type, Value *to, Value *from) const {
  const auto bits = uint64_t(type->getPrimitiveSizeInBits());
  Intrinsic::ID copy = Intrinsic::not_intrinsic;
  if (bits == 32)
    copy = Intrinsic::nvvm_cp_async_ca_shared_global_4;
  if (bits == 64)
    copy = Intrinsic::nvvm_cp_async_ca_shared_global_8;
  if (bits == 128)
    copy = Intrinsic::nvvm_cp_async_cg_shared_global_16;
  if (capability < 80 || copy == Intrinsic::not_intrinsic)
    return false;
  auto inSpace = [&](Value *pointer, unsigned space) {
    return b.CreateAddrSpaceCast(pointer, b.getPtrTy(space));
  };
  constexpr unsigned global = 1, shared = 3;
  b.CreateIntrinsic(copy, {}, {inSpace(to, shared), inSpace(from, global)});
  return true;
}

//===--- Subgroup ----------------------------------------------------------===//

/// One shuffle of i32 for up to 32 bits, two for 64.
static Value *shuffle(IRBuilder<> &b, simt::ShuffleKind kind, Value *value, Value *lane) {
  Intrinsic::ID id = Intrinsic::nvvm_shfl_sync_idx_i32;
  // The last operand limits the source lane: 0 is the least lane for `up`, 31 the greatest for the
  // others.
  unsigned bound = 31;
  switch (kind) {
  case simt::ShuffleKind::Index:
  case simt::ShuffleKind::Broadcast:
    break;
  case simt::ShuffleKind::Xor:
    id = Intrinsic::nvvm_shfl_sync_bfly_i32;
    break;
  case simt::ShuffleKind::Up:
    id = Intrinsic::nvvm_shfl_sync_up_i32;
    bound = 0;
    break;
  case simt::ShuffleKind::Down:
    id = Intrinsic::nvvm_shfl_sync_down_i32;
    break;
  }
  return moveInWords(b, value, [&](Value *part) {
    return b.CreateIntrinsic(id, {}, {fullMask(b), part, lane, b.getInt32(bound)});
  });
}

static Value *ballot(IRBuilder<> &b, Value *predicate) {
  Value *bits = b.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, {}, {fullMask(b), predicate});
  return b.CreateZExt(bits, b.getInt64Ty());
}

static Value *vote(IRBuilder<> &b, simt::VoteKind kind, Value *predicate, unsigned log2Size) {
  bool all = kind == simt::VoteKind::All;
  if (log2Size == 0)
    return predicate;
  if (log2Size == 5)
    return b.CreateIntrinsic(all ? Intrinsic::nvvm_vote_all_sync : Intrinsic::nvvm_vote_any_sync,
                             {}, {fullMask(b), predicate});
  // For a part of the warp, takes the tile's bits of a ballot. `all` is computed as "no lane
  // objects", so that absent lanes do not count.
  Value *asked = all ? b.CreateNot(predicate) : predicate;
  Value *bits = b.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, {}, {fullMask(b), asked});
  unsigned size = 1u << log2Size;
  Value *lane = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
  Value *first = b.CreateAnd(lane, b.getInt32(~(size - 1)));
  Value *own = b.CreateAnd(b.CreateLShr(bits, first), b.getInt32((1u << size) - 1));
  return all ? b.CreateICmpEQ(own, b.getInt32(0)) : b.CreateICmpNE(own, b.getInt32(0));
}

/// The lanes that agree with this one on a bit: those of the ballot, or the others. LLVM would
/// compute the predicate once for the ballot and once for the choice.
static Value *agreeing(IRBuilder<> &b, Value *value, unsigned bit) {
  FunctionType *type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty(), b.getInt32Ty()}, false);
  InlineAsm *code = InlineAsm::get(type,
                                   "{ .reg .pred p; .reg .b32 own; and.b32 own, $1, $2; "
                                   "setp.ne.u32 p, own, 0; vote.sync.ballot.b32 $0, p, -1; "
                                   "@!p not.b32 $0, $0; }",
                                   "=r,r,n", /*hasSideEffects=*/true);
  CallInst *call = b.CreateCall(code, {value, b.getInt32(1u << bit)});
  call->setConvergent();
  return call;
}

/// One ballot for each bit, or one instruction. The instruction takes a turn for each different
/// value in the warp, at most 32, so it pays only for many bits (docs/decisions/0007).
static Value *match(IRBuilder<> &b, simt::MatchOp op, Value *value) {
  constexpr unsigned mostBallots = 10;
  unsigned bits = op.getBits();
  Value *peers = nullptr;
  if (bits > mostBallots) {
    Value *compared = b.CreateAnd(value, APInt::getLowBitsSet(32, bits));
    peers = b.CreateIntrinsic(Intrinsic::nvvm_match_any_sync_i32, {}, {fullMask(b), compared});
  } else {
    std::optional<simt::TaskInfo> task =
        simt::getTaskInfo(op->getParentOfType<mlir::func::FuncOp>());
    if (!task || !task->fullBlocks || task->blockDim % 32)
      peers = b.CreateIntrinsic(Intrinsic::nvvm_vote_ballot_sync, {}, {fullMask(b), b.getTrue()});
    for (unsigned bit = 0; bit < bits; ++bit) {
      Value *agree = agreeing(b, value, bit);
      peers = peers ? b.CreateAnd(peers, agree) : agree;
    }
  }
  return b.CreateZExt(peers, b.getInt64Ty());
}

static Intrinsic::ID reduxOf(simt::CombineKind kind) {
  switch (kind) {
  case simt::CombineKind::AddI:
    return Intrinsic::nvvm_redux_sync_add;
  case simt::CombineKind::MinS:
    return Intrinsic::nvvm_redux_sync_min;
  case simt::CombineKind::MinU:
    return Intrinsic::nvvm_redux_sync_umin;
  case simt::CombineKind::MaxS:
    return Intrinsic::nvvm_redux_sync_max;
  case simt::CombineKind::MaxU:
    return Intrinsic::nvvm_redux_sync_umax;
  case simt::CombineKind::AndI:
    return Intrinsic::nvvm_redux_sync_and;
  case simt::CombineKind::OrI:
    return Intrinsic::nvvm_redux_sync_or;
  case simt::CombineKind::XorI:
    return Intrinsic::nvvm_redux_sync_xor;
  default:
    return Intrinsic::not_intrinsic;
  }
}

// Lanes that left the task contribute nothing. With shuffles they would yield leftovers.
bool CudaTarget::hasReduce(simt::ReduceOp op) const {
  return capability >= 80 && op.getLog2Size() == 5 && op.getType().isInteger(32) &&
         reduxOf(op.getKind()) != Intrinsic::not_intrinsic;
}

namespace {

/// The value that the lane `offset` below holds, and whether the tile has such a lane.
struct FromBelow {
  Value *value, *exists;
};

} // namespace

static FromBelow shuffleUp(IRBuilder<> &b, Value *value, unsigned offset, unsigned log2Size) {
  // The bits from 8 on keep the source lane within the aligned run of lanes.
  unsigned bound = (32 - (1u << log2Size)) << 8;
  Value *exists = nullptr;
  auto move = [&](Value *part) {
    Value *pair = b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_up_i32p, {},
                                    {fullMask(b), part, b.getInt32(offset), b.getInt32(bound)});
    exists = b.CreateExtractValue(pair, 1);
    return b.CreateExtractValue(pair, 0);
  };
  Value *moved = moveInWords(b, value, move);
  return {moved, exists};
}

/// The steps of Hillis and Steele. The shuffle itself says which lanes have a source.
static Value *scan(IRBuilder<> &b, simt::ScanOp op, Value *value) {
  unsigned steps = op.getLog2Size();
  for (unsigned step = 0; step < steps; ++step) {
    FromBelow below = shuffleUp(b, value, 1u << step, steps);
    value = b.CreateSelect(below.exists, emitCombine(b, op.getKind(), below.value, value), value);
  }
  if (!op.getExclusive())
    return value;
  Constant *none = combineIdentity(op.getKind(), value->getType());
  if (steps == 0)
    return none;
  FromBelow below = shuffleUp(b, value, 1, steps);
  return b.CreateSelect(below.exists, below.value, none);
}

Value *CudaTarget::emitValue(IRBuilder<> &b, mlir::Operation &op,
                             ArrayRef<Value *> operands) const {
  return TypeSwitch<mlir::Operation *, Value *>(&op)
      .Case([&](simt::BarrierReduceOp o) { return barrierReduce(b, o.getKind(), operands[0]); })
      .Case([&](simt::ShuffleOp o) { return shuffle(b, o.getKind(), operands[0], operands[1]); })
      .Case([&](simt::BallotOp) { return ballot(b, operands[0]); })
      .Case([&](simt::MatchOp o) { return match(b, o, operands[0]); })
      .Case([&](simt::VoteOp o) { return vote(b, o.getKind(), operands[0], o.getLog2Size()); })
      .Case([&](simt::ReduceOp o) {
        return hasReduce(o)
                   ? b.CreateIntrinsic(reduxOf(o.getKind()), {}, {operands[0], fullMask(b)})
                   : nullptr;
      })
      .Case([&](simt::ScanOp o) { return scan(b, o, operands[0]); })
      .Case([&](simt::ClockOp) { // the multiprocessor's own counter
        return b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_clock64, {}, {});
      })
      .Default(static_cast<Value *>(nullptr));
}

namespace {

/// An access that LLVM 19 has no intrinsic for: its parts are words of at least 16 bits.
struct CachedAccess {
  unsigned count = 1, width;
  IntegerType *word;
  std::string suffix, registers; ///< `.v2.b32`, `{$0, $1}`
  const char *letter;

  /// \param firstOperand the number of the first word's operand
  CachedAccess(Type *type, unsigned firstOperand) : width(type->getScalarSizeInBits()) {
    if (auto *vector = dyn_cast<FixedVectorType>(type))
      count = vector->getNumElements();
    word = IntegerType::get(type->getContext(), std::max(width, 16u));
    letter = width == 64 ? "l" : width == 32 ? "r" : "h";
    suffix = (count > 1 ? ".v" + utostr(count) : "") + (width == 8 ? ".u8" : ".b" + utostr(width));
    for (unsigned k = 0; k < count; ++k)
      registers += (k ? ", $" : "$") + utostr(firstOperand + k);
    if (count > 1)
      registers = "{" + registers + "}";
  }
};

} // namespace

/// `.cs` is the first that leaves a cache, `.cg` passes L1, `.nc` is for what nothing writes: that
/// the compiler may move, too. LLVM 19 loads single words so, but no vectors.
Value *CudaTarget::loadCached(IRBuilder<> &b, Type *type, Value *pointer, simt::Cache cache) const {
  const bool isReadOnly = cache == simt::Cache::ReadOnly;
  if (isReadOnly && !type->isVectorTy())
    return ThreadTarget::loadCached(b, type, pointer, cache);
  const CachedAccess access(type, 0);
  std::string constraints;
  for (unsigned k = 0; k < access.count; ++k)
    constraints += std::string("=") + access.letter + ",";
  SmallVector<Type *> words(access.count, access.word);
  Type *result = access.count == 1 ? words[0] : StructType::get(b.getContext(), words);
  const StringRef kind = isReadOnly ? "nc" : cache == simt::Cache::Stream ? "cs" : "cg";
  InlineAsm *code = InlineAsm::get(FunctionType::get(result, {pointer->getType()}, false),
                                   ("ld.global." + kind + access.suffix + " " + access.registers +
                                    ", [$" + Twine(access.count) + "];")
                                       .str(),
                                   constraints + (isReadOnly ? "l" : "l,~{memory}"),
                                   /*hasSideEffects=*/!isReadOnly);
  Value *loaded = b.CreateCall(code, {pointer});
  auto element = [&](Value *value) {
    return b.CreateBitCast(b.CreateTrunc(value, b.getIntNTy(access.width)), type->getScalarType());
  };
  if (access.count == 1)
    return element(loaded);
  Value *whole = PoisonValue::get(type);
  for (unsigned k = 0; k < access.count; ++k)
    whole = b.CreateInsertElement(whole, element(b.CreateExtractValue(loaded, k)), uint64_t(k));
  return whole;
}

void CudaTarget::storeCached(IRBuilder<> &b, Value *value, Value *pointer, simt::Cache) const {
  const CachedAccess access(value->getType(), 1);
  std::string constraints = "l,";
  SmallVector<Value *> operands{pointer};
  SmallVector<Type *> types{pointer->getType()};
  for (unsigned k = 0; k < access.count; ++k) {
    Value *one = access.count == 1 ? value : b.CreateExtractElement(value, uint64_t(k));
    operands.push_back(b.CreateZExt(b.CreateBitCast(one, b.getIntNTy(access.width)), access.word));
    types.push_back(access.word);
    constraints += std::string(access.letter) + ",";
  }
  InlineAsm *code =
      InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false),
                     "st.global.cs" + access.suffix + " [$0], " + access.registers + ";",
                     constraints + "~{memory}", /*hasSideEffects=*/true);
  b.CreateCall(code, operands);
}

/// LLVM 19 has no intrinsic for it.
void CudaTarget::atomicAddVector(IRBuilder<> &b, Value *pointer, ArrayRef<Value *> values) const {
  const bool isPair = values.size() == 2;
  SmallVector<Value *> operands{pointer};
  append_range(operands, values);
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  InlineAsm *code =
      InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false),
                     isPair ? "red.relaxed.gpu.global.add.v2.f32 [$0], {$1, $2};"
                            : "red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};",
                     isPair ? "l,f,f,~{memory}" : "l,f,f,f,f,~{memory}", /*hasSideEffects=*/true);
  b.CreateCall(code, operands);
}

/// True if all lanes of a whole warp have this pointer to shared memory.
static Value *haveOnePlace(IRBuilder<> &b, Value *pointer) {
  Value *place = b.CreatePtrToInt(pointer, b.getInt32Ty());
  Value *ofFirst = b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32, {},
                                     {fullMask(b), place, b.getInt32(0), b.getInt32(31)});
  return b.CreateIntrinsic(Intrinsic::nvvm_vote_all_sync, {},
                           {fullMask(b), b.CreateICmpEQ(place, ofFirst)});
}

/// ptxas does so by itself for integers. A warp that is whole adds its lanes' sum; in others, each
/// lane adds its own.
bool CudaTarget::atomicAddTogether(IRBuilder<> &b, Value *pointer, Value *value, bool isOne) const {
  const unsigned width = value->getType()->getScalarSizeInBits();
  if (width < 32)
    return false;
  Function *function = b.GetInsertBlock()->getParent();
  auto block = [&](const char *name) { return BasicBlock::Create(b.getContext(), name, function); };
  BasicBlock *whole = block("whole"), *first = block("first"), *alone = block("alone"),
             *after = block("added");
  auto add = [&](BasicBlock *in, Value *what) {
    b.SetInsertPoint(in);
    b.CreateAtomicRMW(AtomicRMWInst::FAdd, pointer, what, Align(width / 8),
                      AtomicOrdering::Monotonic, SyncScope::System);
    b.CreateBr(after);
  };
  Value *mask = b.CreateIntrinsic(Intrinsic::nvvm_activemask, {}, {});
  b.CreateCondBr(b.CreateICmpEQ(mask, fullMask(b)), whole, alone);
  b.SetInsertPoint(whole);
  if (!isOne) {
    BasicBlock *together = block("together");
    b.CreateCondBr(haveOnePlace(b, pointer), together, alone);
    b.SetInsertPoint(together);
  }
  Value *sum = value;
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    Value *moved = moveInWords(b, sum, [&](Value *part) {
      return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                               {fullMask(b), part, b.getInt32(distance), b.getInt32(31)});
    });
    sum = b.CreateFAdd(sum, moved);
  }
  Value *lane = b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {}, {});
  b.CreateCondBr(b.CreateICmpEQ(lane, b.getInt32(0)), first, after);
  add(first, sum);
  add(alone, value);
  b.SetInsertPoint(after);
  return true;
}

/// A function that drivers have since CUDA 12.4.
void CudaTarget::tellLoop(IRBuilder<> &b, Value *handle, Value *goesOn) const {
  Module &module = *b.GetInsertBlock()->getModule();
  b.CreateCall(module.getOrInsertFunction("cudaGraphSetConditional", b.getVoidTy(), b.getInt64Ty(),
                                          b.getInt32Ty()),
               {handle, goesOn});
}

//===--- Arithmetic and kernels --------------------------------------------===//

std::string CudaTarget::mathFunction(StringRef name, bool isDouble, bool isApproximate) const {
  const bool isFast =
      isApproximate && StringSwitch<bool>(name)
                           .Cases("sin", "cos", "tan", "exp", "log", "log2", "log10", "pow", true)
                           .Default(false);
  return ((isFast ? "__nv_fast_" : "__nv_") + name + (isDouble ? "" : "f")).str();
}

bool CudaTarget::hasAtomic(simt::CombineKind kind, Type *type, simt::Space) const {
  unsigned width = type->getScalarSizeInBits();
  switch (kind) {
  case simt::CombineKind::AddF:
    return true;
  case simt::CombineKind::MinF:
  case simt::CombineKind::MaxF:
  case simt::CombineKind::MulI:
  case simt::CombineKind::MulF:
    return false;
  default:
    return width >= 32;
  }
}

static bool hasBlockBarrier(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.barrier0");
  });
}

/// Without a wish, ptxas keeps to 32 registers where it can, so that a multiprocessor is full of
/// threads, and has few loads under way in each. Told that one block is enough, it takes what its
/// schedule needs. Threads that wait for their block want other blocks to run
/// (docs/results/2026-11-26-counts-and-jit.md).
void CudaTarget::finishTask(Function &function, const simt::TaskInfo &task) const {
  LLVMContext &context = function.getContext();
  function.setCallingConv(CallingConv::PTX_Kernel);
  NamedMDNode *annotations = function.getParent()->getOrInsertNamedMetadata("nvvm.annotations");
  auto annotate = [&](StringRef key, unsigned value) {
    annotations->addOperand(MDNode::get(
        context, {ConstantAsMetadata::get(&function), MDString::get(context, key),
                  ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), value))}));
  };
  annotate("kernel", 1);
  annotate("maxntidx", task.blockDim);
  if (task.minBlocks)
    annotate("minctasm", task.minBlocks);
  else if (!task.serial && !hasBlockBarrier(function))
    annotate("minctasm", 1);
}
