// AMDGPU intrinsics for the dialect's ops, except moves between lanes.
#include "backends/amdgpu/AmdTarget.h"
#include "backends/amdgpu/Demand.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace sextant;

//===--- Where a thread is -------------------------------------------------===//

static Value *withRange(IRBuilder<> &b, Instruction *value, uint32_t least, uint32_t limit) {
  value->setMetadata(LLVMContext::MD_range,
                     MDBuilder(b.getContext()).createRange(APInt(32, least), APInt(32, limit)));
  return value;
}

Value *AmdTarget::threadIdx(IRBuilder<> &b, const simt::TaskInfo &task) const {
  return withRange(b, b.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, {}, {}), 0, task.blockDim);
}

/// The most blocks in a grid: its threads are numbered with 31 bits.
static uint32_t blockLimit(const simt::TaskInfo &task) {
  return uint32_t(divideCeil(uint64_t(1) << 31, task.blockDim));
}

Value *AmdTarget::blockIdx(IRBuilder<> &b, const simt::TaskInfo &task) const {
  return withRange(b, b.CreateIntrinsic(Intrinsic::amdgcn_workgroup_id_x, {}, {}), 0,
                   blockLimit(task));
}

/// The first of the hidden arguments that a runtime appends for code objects of version 5 and
/// newer. This backend asks for no other.
Value *AmdTarget::gridDim(IRBuilder<> &b, const simt::TaskInfo &task) const {
  Value *hidden = b.CreateIntrinsic(Intrinsic::amdgcn_implicitarg_ptr, {}, {});
  LoadInst *blocks = b.CreateAlignedLoad(b.getInt32Ty(), hidden, Align(4));
  blocks->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
  return withRange(b, blocks, 1, blockLimit(task) + 1);
}

//===--- Barriers and fences -----------------------------------------------===//

static void fenceAt(IRBuilder<> &b, AtomicOrdering ordering, StringRef scope) {
  b.CreateFence(ordering, b.getContext().getOrInsertSyncScopeID(scope));
}

static void barrierOf(IRBuilder<> &b, Intrinsic::ID instruction, StringRef scope) {
  fenceAt(b, AtomicOrdering::Release, scope);
  b.CreateIntrinsic(instruction, {}, {});
  fenceAt(b, AtomicOrdering::Acquire, scope);
}

static StringRef nameOf(simt::Scope scope) {
  switch (scope) {
  case simt::Scope::Subgroup:
    return "wavefront";
  case simt::Scope::Block:
    return "workgroup";
  case simt::Scope::Device:
    return "agent";
  }
  llvm_unreachable("a scope");
}

bool AmdTarget::emitEffect(IRBuilder<> &b, mlir::Operation &op) const {
  return TypeSwitch<mlir::Operation *, bool>(&op)
      .Case([&](simt::BarrierOp) {
        return barrierOf(b, Intrinsic::amdgcn_s_barrier, "workgroup"), true;
      })
      .Case([&](simt::SubgroupBarrierOp) { // lanes run together: only the compiler's order matters
        return barrierOf(b, Intrinsic::amdgcn_wave_barrier, "wavefront"), true;
      })
      .Case([&](simt::FenceOp fence) {
        return fenceAt(b, AtomicOrdering::AcquireRelease, nameOf(fence.getScope())), true;
      })
      .Case([&](simt::PauseOp) { // one unit is 64 cycles of the clock
        return b.CreateIntrinsic(Intrinsic::amdgcn_s_sleep, {}, {b.getInt32(2)}), true;
      })
      .Case<simt::EndCopiesOp, simt::AwaitCopiesOp>([](auto) { return true; }) // stores are done
      .Default(false);
}

/// gfx11 counts cycles in 20 bits, which soon begin again: there it is the clock of 100 MHz.
static Value *clock(IRBuilder<> &b, const AmdArch &arch) {
  Intrinsic::ID counter = Intrinsic::readcyclecounter;
  if (arch.generation() < 11)
    counter = Intrinsic::amdgcn_s_memtime;
  else if (arch.generation() == 11)
    counter = Intrinsic::readsteadycounter;
  return b.CreateIntrinsic(counter, {}, {});
}

//===--- Shuffles ----------------------------------------------------------===//

static Value *shuffleWord(IRBuilder<> &b, const AmdTarget &target, simt::ShuffleOp op, Value *value,
                          Value *lane) {
  auto *constant = dyn_cast<ConstantInt>(lane);
  if (op.getKind() == simt::ShuffleKind::Up && constant) {
    uint64_t distance = constant->getZExtValue();
    if (distance >= 1 && distance < 16 && staysInRow(op, distance, target.wave))
      return target.moves.dpp(b, value, DppRowShr | distance);
  }
  if (op.getKind() == simt::ShuffleKind::Index && !constant)
    if (SmallVector<unsigned> sources = sourceLanes(op, target.wave); !sources.empty())
      if (Value *moved = target.moves.pattern(b, value, sources))
        return moved;
  return target.moves.shuffle(b, op.getKind(), value, lane);
}

//===--- Ballots and votes -------------------------------------------------===//

// LLVM cannot select `ballot.i32` in waves of 64.
static Value *ballot(IRBuilder<> &b, unsigned wave, Value *predicate) {
  Value *bits = b.CreateIntrinsic(Intrinsic::amdgcn_ballot, {b.getIntNTy(wave)}, {predicate});
  return b.CreateZExt(bits, b.getInt64Ty());
}

static Value *vote(IRBuilder<> &b, const AmdTarget &target, simt::VoteOp op, Value *predicate) {
  const unsigned wave = target.wave, size = 1u << op.getLog2Size();
  if (size == 1)
    return predicate;
  // `all` is computed as "no lane objects", so that absent lanes do not count.
  bool all = op.getKind() == simt::VoteKind::All;
  Value *asked = all ? b.CreateNot(predicate) : predicate;
  Type *type = b.getIntNTy(wave);
  Value *bits = b.CreateIntrinsic(Intrinsic::amdgcn_ballot, {type}, {asked});
  if (size < wave) {
    Value *first = b.CreateAnd(target.moves.lane(b), b.getInt32(~(size - 1)));
    bits = b.CreateAnd(b.CreateLShr(bits, b.CreateZExt(first, type)),
                       ConstantInt::get(type, (uint64_t(1) << size) - 1));
  }
  Constant *none = ConstantInt::get(type, 0);
  return all ? b.CreateICmpEQ(bits, none) : b.CreateICmpNE(bits, none);
}

Value *AmdTarget::emitValue(IRBuilder<> &b, mlir::Operation &op, ArrayRef<Value *> operands) const {
  return TypeSwitch<mlir::Operation *, Value *>(&op)
      .Case([&](simt::ShuffleOp o) {
        return moveInWords(b, operands[0], [&](Value *part) {
          return shuffleWord(b, *this, o, part, operands[1]);
        });
      })
      .Case([&](simt::BallotOp) { return ballot(b, wave, operands[0]); })
      .Case([&](simt::VoteOp o) { return vote(b, *this, o, operands[0]); })
      .Case([&](simt::ReduceOp o) { return reduceTile(b, *this, o, operands[0]); })
      .Case([&](simt::ScanOp o) { return scanTile(b, *this, o, operands[0]); })
      .Case([&](simt::ClockOp) { return clock(b, arch); })
      .Default(static_cast<Value *>(nullptr));
}

//===--- Arithmetic, atomics and kernels -----------------------------------===//

/// Exponentials and logarithms of f32 are LLVM's own. Those of ocml scale subnormal numbers, and
/// LLVM scales once more what they call.
static bool isExponential(StringRef name) {
  return name == "exp" || name == "exp2" || name == "log" || name == "log2" || name == "log10";
}

std::string AmdTarget::mathFunction(StringRef name, bool isDouble, bool isApproximate) const {
  if (isApproximate && (isExponential(name) || name == "sin" || name == "cos"))
    return ("__ocml_native_" + name + "_f32").str();
  if (!isDouble && isExponential(name))
    return ("llvm." + name + ".f32").str();
  return ("__ocml_" + name + (isDouble ? "_f64" : "_f32")).str();
}

/// LLVM knows which processor has which float addition in global memory, and makes loops for the
/// others.
bool AmdTarget::hasAtomic(simt::CombineKind kind, Type *type, simt::Space space) const {
  switch (kind) {
  case simt::CombineKind::AddF:
    return type->isFloatTy() ||
           (type->isDoubleTy() && (space == simt::Space::Global || arch.hasAtomicAddF64()));
  case simt::CombineKind::MinF:
  case simt::CombineKind::MaxF:
    return arch.hasAtomicMinNum() && type->isFloatTy();
  case simt::CombineKind::MulI:
  case simt::CombineKind::MulF:
    return false;
  default:
    return type->getScalarSizeInBits() >= 32;
  }
}

SyncScope::ID AmdTarget::atomicScope(LLVMContext &context, simt::Space space) const {
  return context.getOrInsertSyncScopeID(space == simt::Space::Shared ? "workgroup" : "agent");
}

/// The waves that a SIMD unit holds if `task` gets the blocks that it asks for: a compute unit, or
/// a pair of them from gfx10 on, has four units. LLVM ignores more than the processor can hold.
static unsigned wavesOf(const simt::TaskInfo &task, unsigned wave, const AmdArch &arch) {
  const uint64_t waves = uint64_t(task.minBlocks) * divideCeil(task.blockDim, wave);
  return unsigned(std::min<uint64_t>(divideCeil(waves, 4), arch.generation() == 9 ? 8 : 16));
}

void AmdTarget::finishTask(Function &function, const simt::TaskInfo &task) const {
  LaneMoves::finish(function, task.blockDim);
  function.setCallingConv(CallingConv::AMDGPU_KERNEL);
  function.setVisibility(GlobalValue::ProtectedVisibility);
  std::string threads = std::to_string(task.blockDim);
  function.addFnAttr("amdgpu-flat-work-group-size", threads + "," + threads);
  function.addFnAttr("uniform-work-group-size", "true");
  if (task.minBlocks)
    function.addFnAttr("amdgpu-waves-per-eu", std::to_string(wavesOf(task, wave, arch)));
  // Allows native float atomics, because device memory is never fine-grained here.
  function.addFnAttr("amdgpu-unsafe-fp-atomics", "true");
  // Registers and hidden arguments that this backend's code never reads.
  for (const char *unused :
       {"dispatch-ptr", "dispatch-id", "queue-ptr", "hostcall-ptr", "heap-ptr",
        "multigrid-sync-arg", "default-queue", "completion-action", "lds-kernel-id",
        "workgroup-id-y", "workgroup-id-z", "workitem-id-y", "workitem-id-z"})
    function.addFnAttr(std::string("amdgpu-no-") + unused);
  bool usesGrid = false;
  for (const Instruction &instruction : instructions(function))
    if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
      usesGrid |= intrinsic->getIntrinsicID() == Intrinsic::amdgcn_implicitarg_ptr;
  if (!usesGrid)
    function.addFnAttr("amdgpu-no-implicitarg-ptr");
  Type *i32 = Type::getInt32Ty(function.getContext());
  auto number = [&](unsigned n) { return ConstantAsMetadata::get(ConstantInt::get(i32, n)); };
  function.setMetadata(
      "reqd_work_group_size",
      MDNode::get(function.getContext(), {number(task.blockDim), number(1), number(1)}));
}
