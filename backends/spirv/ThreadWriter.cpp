// Inputs of the device, barriers and fences, and instructions over a subgroup.
#include "backends/spirv/ThreadWriter.h"
#include "backends/spirv/Marks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

namespace {

struct ThreadWriter : FunctionPart {
  using FunctionPart::FunctionPart;

  Id threadIdx();
  Id blockIdx(simt::BlockIdxOp op);
  Id lane();
  Id clock(simt::ClockOp op);
  void barrier(spv::Scope execution);
  void fence(simt::FenceOp op);
  Id shuffle(simt::ShuffleOp op);
  Id ballot(simt::BallotOp op);
  Id vote(simt::VoteOp op);
  Id overSubgroup(simt::CombineKind kind, mlir::Type type, Id value, spv::GroupOperation operation);

  Id builtin(spv::BuiltIn which, unsigned components);
  Id builtinX(spv::BuiltIn which);
  void requireSubgroup(spv::Capability capability, abi::VulkanFeature feature);
  Id ballotWords(Id predicate);
  Id wordOfLane(Id words);
  Id bitsOfTile(Id word, unsigned lanes);
};

} // namespace

//===--- Where a thread is -------------------------------------------------===//

Id ThreadWriter::builtin(spv::BuiltIn which, unsigned components) {
  Id type = components == 1 ? w.u32Type() : w.vectorType(w.u32Type(), components);
  Id &variable = module.builtins[which];
  if (!variable) {
    variable = w.variable(spv::StorageClassInput, type);
    w.decorate(variable, spv::DecorationBuiltIn, {uint32_t(which)});
  }
  code.interface.insert(variable);
  return w.op(spv::OpLoad, type, {variable});
}

Id ThreadWriter::builtinX(spv::BuiltIn which) {
  return w.op(spv::OpCompositeExtract, w.u32Type(), {builtin(which, 3), 0});
}

void ThreadWriter::requireSubgroup(spv::Capability capability, abi::VulkanFeature feature) {
  w.capability(spv::CapabilityGroupNonUniform);
  w.require(abi::VulkanFeature::SubgroupBasic);
  if (capability != spv::CapabilityGroupNonUniform) {
    w.capability(capability);
    w.require(feature);
  }
}

Id ThreadWriter::clock(simt::ClockOp op) {
  w.extension("SPV_KHR_shader_clock");
  w.capability(spv::CapabilityShaderClockKHR);
  w.require(abi::VulkanFeature::ShaderClock);
  return w.op(spv::OpReadClockKHR, w.typeOf(op.getType()), {w.u32(spv::ScopeDevice)});
}

Id ThreadWriter::lane() {
  requireSubgroup(spv::CapabilityGroupNonUniform, abi::VulkanFeature::SubgroupBasic);
  return builtin(spv::BuiltInSubgroupLocalInvocationId, 1);
}

// If lanes matter, threads are numbered by subgroups, so that a lane is the thread's index modulo
// the wave. Vulkan does not promise that for LocalInvocationIndex.
Id ThreadWriter::threadIdx() {
  if (!code.usesLanes)
    return builtin(spv::BuiltInLocalInvocationIndex, 1);
  if (code.task.blockDim <= module.wave)
    return lane();
  Id base =
      w.op(spv::OpIMul, w.u32Type(), {builtin(spv::BuiltInSubgroupId, 1), w.u32(module.wave)});
  return w.op(spv::OpIAdd, w.u32Type(), {base, lane()});
}

/// The id of the specialization constant that says how many blocks a row has.
static constexpr uint32_t rowConstant = 0;

// A device may run only 65535 blocks in x. More blocks form several rows, whose length the loader
// sets. Otherwise the constant stays 0, and drivers see that y does not matter. Rows run one after
// another, so blocks still start in increasing order.
Id ThreadWriter::blockIdx(simt::BlockIdxOp op) {
  if (op->hasAttr(marks::oneRow))
    return builtinX(spv::BuiltInWorkgroupId);
  if (!module.rowLength)
    module.rowLength = w.specConstant(rowConstant, 0);
  Id place = builtin(spv::BuiltInWorkgroupId, 3);
  Id row = w.op(spv::OpCompositeExtract, w.u32Type(), {place, 1});
  Id before = w.op(spv::OpIMul, w.u32Type(), {row, module.rowLength});
  return w.op(spv::OpIAdd, w.u32Type(),
              {before, w.op(spv::OpCompositeExtract, w.u32Type(), {place, 0})});
}

//===--- Barriers and fences -----------------------------------------------===//

void ThreadWriter::barrier(spv::Scope execution) {
  if (execution == spv::ScopeSubgroup)
    requireSubgroup(spv::CapabilityGroupNonUniform, abi::VulkanFeature::SubgroupBasic);
  w.effect(spv::OpControlBarrier, {w.u32(execution), w.u32(execution), w.u32(allMemory)});
}

void sextant::spirv::fence(simt::Scope scope, uint32_t semantics, Writer &w) {
  spv::Scope observers = scope == simt::Scope::Device  ? spv::ScopeDevice
                         : scope == simt::Scope::Block ? spv::ScopeWorkgroup
                                                       : spv::ScopeSubgroup;
  w.effect(spv::OpMemoryBarrier, {w.intConstant(observers), w.intConstant(semantics)});
}

void ThreadWriter::fence(simt::FenceOp op) {
  auto semantics = op->getAttrOfType<mlir::IntegerAttr>(marks::semantics);
  spirv::fence(op.getScope(), semantics ? uint32_t(semantics.getInt()) : allMemory, w);
}

//===--- Shuffles ----------------------------------------------------------===//

Id ThreadWriter::shuffle(simt::ShuffleOp op) {
  mlir::Type type = op.getType();
  Id value = get(op.getValue()), lane = get(op.getLane());
  Id own = w.typeOf(type), moved = own;
  // Other types need a feature; they are moved as i32, f32 or a pair of i32.
  if (type.isInteger(1)) {
    moved = w.u32Type();
    value = w.select(moved, value, w.u32(1), w.u32(0));
  } else if (type.isF16()) {
    moved = w.floatType(32);
    value = w.op(spv::OpFConvert, moved, {value});
  } else if (type.getIntOrFloatBitWidth() == 64) {
    moved = w.vectorType(w.u32Type(), 2);
    value = w.op(spv::OpBitcast, moved, {value});
  }
  auto emit = [&](spv::Op opcode, spv::Capability capability, abi::VulkanFeature feature) {
    requireSubgroup(capability, feature);
    return w.op(opcode, moved, {w.u32(spv::ScopeSubgroup), value, lane});
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
    lane = w.op(move, w.u32Type(), {this->lane(), lane});
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
    result = isConstant && known.ult(module.wave)
                 ? emit(spv::OpGroupNonUniformBroadcast, spv::CapabilityGroupNonUniformBallot,
                        abi::VulkanFeature::SubgroupBallot)
                 : absolute();
    break;
  }
  }
  if (moved == own)
    return result;
  if (type.isInteger(1))
    return w.op(spv::OpINotEqual, own, {result, w.u32(0)});
  return w.op(type.isF16() ? spv::OpFConvert : spv::OpBitcast, own, {result});
}

//===--- Ballots and votes -------------------------------------------------===//

/// Four words with one bit for each lane.
Id ThreadWriter::ballotWords(Id predicate) {
  requireSubgroup(spv::CapabilityGroupNonUniformBallot, abi::VulkanFeature::SubgroupBallot);
  return w.op(spv::OpGroupNonUniformBallot, w.vectorType(w.u32Type(), 4),
              {w.u32(spv::ScopeSubgroup), predicate});
}

// Most uses look at 32 lanes. If all do, nothing of 64 bits is made, and the device needs no
// integers of that width.
Id ThreadWriter::ballot(simt::BallotOp op) {
  Id words = ballotWords(get(op.getPredicate()));
  bool isShort = llvm::all_of(op->getUsers(), llvm::IsaPred<mlir::arith::TruncIOp>);
  if (module.wave <= 32 || isShort) {
    Id low = w.op(spv::OpCompositeExtract, w.u32Type(), {words, 0});
    if (isShort) // see convertInteger() of Arith.cpp
      return low;
    return w.op(spv::OpUConvert, w.typeOf(op.getType()), {low});
  }
  Id both = w.op(spv::OpVectorShuffle, w.vectorType(w.u32Type(), 2), {words, words, 0, 1});
  return w.op(spv::OpBitcast, w.typeOf(op.getType()), {both});
}

/// The word of a ballot that has the lane's bit.
Id ThreadWriter::wordOfLane(Id words) {
  return w.op(spv::OpVectorExtractDynamic, w.u32Type(),
              {words, w.op(spv::OpShiftRightLogical, w.u32Type(), {lane(), w.u32(5)})});
}

/// The bits of the lane's tile in that word.
Id ThreadWriter::bitsOfTile(Id word, unsigned lanes) {
  const Id first = w.op(spv::OpBitwiseAnd, w.u32Type(), {lane(), w.u32(31 & ~(lanes - 1))});
  return w.op(spv::OpBitFieldUExtract, w.u32Type(), {word, first, w.u32(lanes)});
}

// For a tile: whether some lane of it has the deciding value.
Id ThreadWriter::vote(simt::VoteOp op) {
  bool isAll = op.getKind() == simt::VoteKind::All;
  Id predicate = get(op.getPredicate()), boolType = w.boolType();
  unsigned size = 1u << op.getLog2Size();
  if (size == 1)
    return predicate;
  if (size == module.wave) {
    requireSubgroup(spv::CapabilityGroupNonUniformVote, abi::VulkanFeature::SubgroupVote);
    return w.op(isAll ? spv::OpGroupNonUniformAll : spv::OpGroupNonUniformAny, boolType,
                {w.u32(spv::ScopeSubgroup), predicate});
  }
  Id words = ballotWords(isAll ? w.op(spv::OpLogicalNot, boolType, {predicate}) : predicate);
  Id bits;
  if (size == 64) { // half a subgroup of 128 lanes
    Id first = w.op(spv::OpBitwiseAnd, w.u32Type(),
                    {w.op(spv::OpShiftRightLogical, w.u32Type(), {lane(), w.u32(5)}), w.u32(2)});
    Id second = w.op(spv::OpBitwiseOr, w.u32Type(), {first, w.u32(1)});
    auto word = [&](Id number) {
      return w.op(spv::OpVectorExtractDynamic, w.u32Type(), {words, number});
    };
    bits = w.op(spv::OpBitwiseOr, w.u32Type(), {word(first), word(second)});
  } else {
    bits = module.wave <= 32 ? w.op(spv::OpCompositeExtract, w.u32Type(), {words, 0})
                             : wordOfLane(words);
    if (size < 32)
      bits = bitsOfTile(bits, size);
  }
  return w.op(isAll ? spv::OpIEqual : spv::OpINotEqual, boolType, {bits, w.u32(0)});
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

Id ThreadWriter::overSubgroup(simt::CombineKind kind, mlir::Type type, Id value,
                              spv::GroupOperation operation) {
  requireSubgroup(spv::CapabilityGroupNonUniformArithmetic, abi::VulkanFeature::SubgroupArithmetic);
  return w.op(groupOp(kind), w.typeOf(type),
              {w.u32(spv::ScopeSubgroup), uint32_t(operation), value});
}

//===--- Lanes that are active together ------------------------------------===//

Id sextant::spirv::sumOfActive(mlir::Type type, Id value, FunctionCode &code) {
  return ThreadWriter(code).overSubgroup(simt::CombineKind::AddF, type, value,
                                         spv::GroupOperationReduce);
}

Id sextant::spirv::isFirstActive(FunctionCode &code) {
  ThreadWriter threads(code);
  threads.requireSubgroup(spv::CapabilityGroupNonUniform, abi::VulkanFeature::SubgroupBasic);
  return threads.w.op(spv::OpGroupNonUniformElect, threads.w.boolType(),
                      {threads.w.u32(spv::ScopeSubgroup)});
}

Id sextant::spirv::isSameInActive(Id value, FunctionCode &code) {
  ThreadWriter threads(code);
  threads.requireSubgroup(spv::CapabilityGroupNonUniformVote, abi::VulkanFeature::SubgroupVote);
  return threads.w.op(spv::OpGroupNonUniformAllEqual, threads.w.boolType(),
                      {threads.w.u32(spv::ScopeSubgroup), value});
}

Id sextant::spirv::areActive(unsigned lanes, FunctionCode &code) {
  ThreadWriter threads(code);
  ScalarWriter &w = code.module.w;
  const Id active = threads.ballotWords(w.boolConstant(true));
  const Id bits = threads.bitsOfTile(threads.wordOfLane(active), lanes);
  return w.op(spv::OpIEqual, w.boolType(), {bits, w.u32((1u << lanes) - 1)});
}

Id sextant::spirv::laneIn(FunctionCode &code) { return ThreadWriter(code).lane(); }

static Id shuffled(spv::Op opcode, Id type, Id value, Id which, FunctionCode &code) {
  ThreadWriter threads(code);
  threads.requireSubgroup(spv::CapabilityGroupNonUniformShuffle,
                          abi::VulkanFeature::SubgroupShuffle);
  return threads.w.op(opcode, type, {threads.w.u32(spv::ScopeSubgroup), value, which});
}

Id sextant::spirv::fromNeighbour(Id type, Id value, unsigned mask, FunctionCode &code) {
  return shuffled(spv::OpGroupNonUniformShuffleXor, type, value, code.module.w.u32(mask), code);
}

Id sextant::spirv::fromLane(Id type, Id value, Id lane, FunctionCode &code) {
  return shuffled(spv::OpGroupNonUniformShuffle, type, value, lane, code);
}

//===--- All of them -------------------------------------------------------===//

Id sextant::spirv::emitThreadValue(mlir::Operation &op, FunctionCode &code) {
  ThreadWriter threads(code);
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](simt::ThreadIdxOp) { return threads.threadIdx(); })
      .Case([&](simt::BlockIdxOp o) { return threads.blockIdx(o); })
      .Case([&](simt::GridDimOp) { return threads.builtinX(spv::BuiltInNumWorkgroups); })
      .Case([&](simt::LaneOp) { return threads.lane(); })
      .Case([&](simt::ClockOp o) { return threads.clock(o); })
      .Case([&](simt::ShuffleOp o) { return threads.shuffle(o); })
      .Case([&](simt::BallotOp o) { return threads.ballot(o); })
      .Case([&](simt::VoteOp o) { return threads.vote(o); })
      .Case([&](simt::ReduceOp o) {
        return threads.overSubgroup(o.getKind(), o.getType(), threads.get(o.getValue()),
                                    spv::GroupOperationReduce);
      })
      .Case([&](simt::ScanOp o) {
        return threads.overSubgroup(o.getKind(), o.getType(), threads.get(o.getValue()),
                                    o.getExclusive() ? spv::GroupOperationExclusiveScan
                                                     : spv::GroupOperationInclusiveScan);
      })
      .Default(Id());
}

bool sextant::spirv::emitThreadEffect(mlir::Operation &op, FunctionCode &code) {
  ThreadWriter threads(code);
  return TypeSwitch<mlir::Operation *, bool>(&op)
      .Case([&](simt::BarrierOp) { return threads.barrier(spv::ScopeWorkgroup), true; })
      .Case([&](simt::SubgroupBarrierOp) { return threads.barrier(spv::ScopeSubgroup), true; })
      .Case([&](simt::FenceOp o) { return threads.fence(o), true; })
      .Case([](simt::PauseOp) { return true; }) // there is no instruction for it
      .Case<simt::EndCopiesOp, simt::AwaitCopiesOp>([](auto) { return true; }) // done in order
      .Default(false);
}
