// A thread's place, and what it does with other threads: barriers, fences, subgroup operations.
#include "backends/spirv/Marks.h"
#include "backends/spirv/Task.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

//===--- Where a thread is -------------------------------------------------===//

Id TaskEmitter::builtin(spv::BuiltIn which, unsigned components) {
  Id type = components == 1 ? u32Type() : w.vectorType(u32Type(), components);
  Id &variable = state.builtins[which];
  if (!variable) {
    variable = w.variable(spv::StorageClassInput, type);
    w.decorate(variable, spv::DecorationBuiltIn, {uint32_t(which)});
  }
  interface.insert(variable);
  return w.op(spv::OpLoad, type, {variable});
}

Id TaskEmitter::builtinX(spv::BuiltIn which) {
  return w.op(spv::OpCompositeExtract, u32Type(), {builtin(which, 3), 0});
}

void TaskEmitter::requireSubgroup(spv::Capability capability, abi::VulkanFeature feature) {
  w.capability(spv::CapabilityGroupNonUniform);
  require(abi::VulkanFeature::SubgroupBasic);
  if (capability != spv::CapabilityGroupNonUniform) {
    w.capability(capability);
    require(feature);
  }
}

Id TaskEmitter::lane() {
  requireSubgroup(spv::CapabilityGroupNonUniform, abi::VulkanFeature::SubgroupBasic);
  return builtin(spv::BuiltInSubgroupLocalInvocationId, 1);
}

// If lanes matter, threads are numbered by subgroups, so that a lane is the thread's index modulo
// the wave. Vulkan does not promise that for LocalInvocationIndex.
Id TaskEmitter::threadIdx() {
  if (!usesLanes)
    return builtin(spv::BuiltInLocalInvocationIndex, 1);
  if (task.blockDim <= state.wave)
    return lane();
  Id base = w.op(spv::OpIMul, u32Type(), {builtin(spv::BuiltInSubgroupId, 1), u32(state.wave)});
  return w.op(spv::OpIAdd, u32Type(), {base, lane()});
}

/// The id of the specialization constant that says how many blocks a row has.
static constexpr uint32_t rowConstant = 0;

// A device may run only 65535 blocks in x. More blocks form several rows, whose length the loader
// sets. Otherwise the constant stays 0, and drivers see that y does not matter. Rows run one after
// another, so blocks still start in increasing order.
Id TaskEmitter::blockIdx(simt::BlockIdxOp op) {
  if (op->hasAttr(marks::oneRow))
    return builtinX(spv::BuiltInWorkgroupId);
  if (!state.rowLength)
    state.rowLength = w.specConstant(rowConstant, 0);
  Id place = builtin(spv::BuiltInWorkgroupId, 3);
  Id row = w.op(spv::OpCompositeExtract, u32Type(), {place, 1});
  Id before = w.op(spv::OpIMul, u32Type(), {row, state.rowLength});
  return w.op(spv::OpIAdd, u32Type(),
              {before, w.op(spv::OpCompositeExtract, u32Type(), {place, 0})});
}

//===--- Barriers and fences -----------------------------------------------===//

void TaskEmitter::barrier(spv::Scope execution) {
  if (execution == spv::ScopeSubgroup)
    requireSubgroup(spv::CapabilityGroupNonUniform, abi::VulkanFeature::SubgroupBasic);
  w.effect(spv::OpControlBarrier, {scope(execution), scope(execution), u32(allMemory)});
}

void TaskEmitter::fence(simt::Scope fenced, uint32_t semantics) {
  spv::Scope observers = fenced == simt::Scope::Device  ? spv::ScopeDevice
                         : fenced == simt::Scope::Block ? spv::ScopeWorkgroup
                                                        : spv::ScopeSubgroup;
  w.effect(spv::OpMemoryBarrier, {scope(observers), u32(semantics)});
}

//===--- Shuffles ----------------------------------------------------------===//

Id TaskEmitter::shuffle(simt::ShuffleOp op) {
  mlir::Type type = op.getType();
  Id value = get(op.getValue()), lane = get(op.getLane());
  Id own = typeOf(type), moved = own;
  // Other types need a feature; they are moved as i32, f32 or a pair of i32.
  if (type.isInteger(1)) {
    moved = u32Type();
    value = select(moved, value, u32(1), u32(0));
  } else if (type.isF16()) {
    moved = w.floatType(32);
    value = w.op(spv::OpFConvert, moved, {value});
  } else if (type.getIntOrFloatBitWidth() == 64) {
    moved = w.vectorType(u32Type(), 2);
    value = w.op(spv::OpBitcast, moved, {value});
  }
  auto emit = [&](spv::Op opcode, spv::Capability capability, abi::VulkanFeature feature) {
    requireSubgroup(capability, feature);
    return w.op(opcode, moved, {scope(spv::ScopeSubgroup), value, lane});
  };
  auto absolute = [&] {
    return emit(spv::OpGroupNonUniformShuffle, spv::CapabilityGroupNonUniformShuffle,
                abi::VulkanFeature::SubgroupShuffle);
  };
  mlir::APInt known;
  const bool isConstant = matchPattern(op.getLane(), mlir::m_ConstantInt(&known));
  simt::ShuffleKind kind = op.getKind();
  // The instruction requires that distances and masks are the same in all lanes.
  if (!isConstant && kind != simt::ShuffleKind::Index && kind != simt::ShuffleKind::Broadcast) {
    spv::Op move = kind == simt::ShuffleKind::Xor  ? spv::OpBitwiseXor
                   : kind == simt::ShuffleKind::Up ? spv::OpISub
                                                   : spv::OpIAdd;
    lane = w.op(move, u32Type(), {this->lane(), lane});
    kind = simt::ShuffleKind::Index;
  }
  Id result = 0;
  switch (kind) {
  case simt::ShuffleKind::Index:
    result = absolute();
    break;
  case simt::ShuffleKind::Xor:
    result = emit(spv::OpGroupNonUniformShuffleXor, spv::CapabilityGroupNonUniformShuffle,
                  abi::VulkanFeature::SubgroupShuffle);
    break;
  case simt::ShuffleKind::Up:
    result = emit(spv::OpGroupNonUniformShuffleUp, spv::CapabilityGroupNonUniformShuffleRelative,
                  abi::VulkanFeature::SubgroupShuffleRelative);
    break;
  case simt::ShuffleKind::Down:
    result = emit(spv::OpGroupNonUniformShuffleDown, spv::CapabilityGroupNonUniformShuffleRelative,
                  abi::VulkanFeature::SubgroupShuffleRelative);
    break;
  case simt::ShuffleKind::Broadcast: {
    // The instruction takes a constant lane.
    result = isConstant && known.ult(state.wave)
                 ? emit(spv::OpGroupNonUniformBroadcast, spv::CapabilityGroupNonUniformBallot,
                        abi::VulkanFeature::SubgroupBallot)
                 : absolute();
    break;
  }
  }
  if (moved == own)
    return result;
  if (type.isInteger(1))
    return w.op(spv::OpINotEqual, own, {result, u32(0)});
  return w.op(type.isF16() ? spv::OpFConvert : spv::OpBitcast, own, {result});
}

//===--- Ballots and votes -------------------------------------------------===//

/// Four words with one bit for each lane.
Id TaskEmitter::ballot(Id predicate) {
  requireSubgroup(spv::CapabilityGroupNonUniformBallot, abi::VulkanFeature::SubgroupBallot);
  return w.op(spv::OpGroupNonUniformBallot, w.vectorType(u32Type(), 4),
              {scope(spv::ScopeSubgroup), predicate});
}

// Most uses look at 32 lanes. If all do, nothing of 64 bits is made, and the device needs no
// integers of that width.
Id TaskEmitter::emitBallot(simt::BallotOp op) {
  Id words = ballot(get(op.getPredicate()));
  bool isShort = llvm::all_of(op->getUsers(), llvm::IsaPred<mlir::arith::TruncIOp>);
  if (state.wave <= 32 || isShort) {
    Id low = w.op(spv::OpCompositeExtract, u32Type(), {words, 0});
    if (isShort) // see convertInteger()
      return low;
    return w.op(spv::OpUConvert, typeOf(op.getType()), {low});
  }
  Id both = w.op(spv::OpVectorShuffle, w.vectorType(u32Type(), 2), {words, words, 0, 1});
  return w.op(spv::OpBitcast, typeOf(op.getType()), {both});
}

// For a tile: whether some lane of it has the deciding value.
Id TaskEmitter::vote(simt::VoteOp op) {
  bool isAll = op.getKind() == simt::VoteKind::All;
  Id predicate = get(op.getPredicate()), boolType = w.boolType();
  unsigned size = 1u << op.getLog2Size();
  if (size == 1)
    return predicate;
  if (size == state.wave) {
    requireSubgroup(spv::CapabilityGroupNonUniformVote, abi::VulkanFeature::SubgroupVote);
    return w.op(isAll ? spv::OpGroupNonUniformAll : spv::OpGroupNonUniformAny, boolType,
                {scope(spv::ScopeSubgroup), predicate});
  }
  Id words = ballot(isAll ? w.op(spv::OpLogicalNot, boolType, {predicate}) : predicate);
  auto word = [&](Id number) {
    return w.op(spv::OpVectorExtractDynamic, u32Type(), {words, number});
  };
  Id bits;
  if (size == 64) { // of 128 lanes
    Id first = w.op(spv::OpBitwiseAnd, u32Type(),
                    {w.op(spv::OpShiftRightLogical, u32Type(), {lane(), u32(5)}), u32(2)});
    Id second = w.op(spv::OpBitwiseOr, u32Type(), {first, u32(1)});
    bits = w.op(spv::OpBitwiseOr, u32Type(), {word(first), word(second)});
  } else {
    bits = state.wave <= 32 ? w.op(spv::OpCompositeExtract, u32Type(), {words, 0})
                            : word(w.op(spv::OpShiftRightLogical, u32Type(), {lane(), u32(5)}));
    if (size < 32)
      bits = w.op(
          spv::OpBitFieldUExtract, u32Type(),
          {bits, w.op(spv::OpBitwiseAnd, u32Type(), {lane(), u32(31 & ~(size - 1))}), u32(size)});
  }
  return w.op(isAll ? spv::OpIEqual : spv::OpINotEqual, boolType, {bits, u32(0)});
}

//===--- Reductions and scans ----------------------------------------------===//

static spv::Op groupOp(simt::CombineKind kind) {
  switch (kind) {
  case simt::CombineKind::AddI:
    return spv::OpGroupNonUniformIAdd;
  case simt::CombineKind::AddF:
    return spv::OpGroupNonUniformFAdd;
  case simt::CombineKind::MulI:
    return spv::OpGroupNonUniformIMul;
  case simt::CombineKind::MulF:
    return spv::OpGroupNonUniformFMul;
  case simt::CombineKind::MinS:
    return spv::OpGroupNonUniformSMin;
  case simt::CombineKind::MinU:
    return spv::OpGroupNonUniformUMin;
  case simt::CombineKind::MinF:
    return spv::OpGroupNonUniformFMin;
  case simt::CombineKind::MaxS:
    return spv::OpGroupNonUniformSMax;
  case simt::CombineKind::MaxU:
    return spv::OpGroupNonUniformUMax;
  case simt::CombineKind::MaxF:
    return spv::OpGroupNonUniformFMax;
  case simt::CombineKind::AndI:
    return spv::OpGroupNonUniformBitwiseAnd;
  case simt::CombineKind::OrI:
    return spv::OpGroupNonUniformBitwiseOr;
  case simt::CombineKind::XorI:
    return spv::OpGroupNonUniformBitwiseXor;
  case simt::CombineKind::Exchange:
    break; // the verifier knows none
  }
  llvm_unreachable("all kinds are listed");
}

Id TaskEmitter::reduceOrScan(simt::CombineKind kind, mlir::Type type, Id value,
                             spv::GroupOperation operation) {
  requireSubgroup(spv::CapabilityGroupNonUniformArithmetic, abi::VulkanFeature::SubgroupArithmetic);
  return w.op(groupOp(kind), typeOf(type), {scope(spv::ScopeSubgroup), uint32_t(operation), value});
}
