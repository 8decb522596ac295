// Functions and structured control flow. The frontend's form is SPIR-V's own: an if is a selection;
// a loop has a header with phis, a test, a body, and a continue block that only branches back.
#include "backends/spirv/Task.h"
#include "backends/spirv/Marks.h"

#include "frontend/ir/Refuse.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

TaskEmitter::TaskEmitter(ModuleState &state, mlir::func::FuncOp task)
    : state(state), w(state.w), source(task) {}

Id TaskEmitter::typeOf(mlir::Type type) {
  if (type.isInteger(1))
    return w.boolType();
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<mlir::FloatType>(type)) {
    if (width == 16) {
      w.capability(spv::CapabilityFloat16);
      require(abi::VulkanFeature::Float16);
    } else if (width == 64) {
      w.capability(spv::CapabilityFloat64);
      require(abi::VulkanFeature::Float64);
    }
    return w.floatType(width);
  }
  if (width == 64) {
    w.capability(spv::CapabilityInt64);
    require(abi::VulkanFeature::Int64);
  }
  return w.intType(width < 32 ? 32 : width);
}

Id TaskEmitter::integer(mlir::Type type, uint64_t value) {
  return w.constant(typeOf(type), type.getIntOrFloatBitWidth(), value);
}

void TaskEmitter::setLine(mlir::Location at) {
  if (!state.options.lineInfo)
    return;
  if (auto call = dyn_cast<mlir::CallSiteLoc>(at))
    return setLine(call.getCallee());
  if (auto named = dyn_cast<mlir::NameLoc>(at))
    return setLine(named.getChildLoc());
  if (auto place = dyn_cast<mlir::FileLineColLoc>(at))
    w.line(w.string(place.getFilename()), place.getLine(), place.getColumn());
}

//===--- Control flow ------------------------------------------------------===//

TaskEmitter::Selection TaskEmitter::beginSelection(Id condition, bool hasElse) {
  Id then = w.newId(), merge = w.newId();
  Id otherwise = hasElse ? w.newId() : merge;
  w.effect(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  w.effect(spv::OpBranchConditional, {condition, then, otherwise});
  return {then, otherwise, merge};
}

TaskEmitter::Loop TaskEmitter::beginLoop(LoopKind) {
  Loop loop{w.newId(), w.newId(), w.newId(), w.newId()};
  w.effect(spv::OpBranch, {loop.header});
  w.beginBlock(loop.header);
  return loop;
}

/// SPIR-V says how many iterations a step does only from 1.4 on.
static spv::LoopControlMask controlOf(unsigned unroll) {
  return unroll == simt::unrollFreely ? spv::LoopControlMaskNone
         : unroll == 1                ? spv::LoopControlDontUnrollMask
                                      : spv::LoopControlUnrollMask;
}

void TaskEmitter::beginTest(const Loop &loop) {
  Id test = w.newId();
  w.effect(spv::OpLoopMerge, {loop.after, loop.next, uint32_t(controlOf(loop.unroll))});
  w.effect(spv::OpBranch, {test});
  w.beginBlock(test);
}

void TaskEmitter::beginBody(const Loop &loop, Id goesOn) {
  w.effect(spv::OpBranchConditional, {goesOn, loop.body, loop.after});
  w.beginBlock(loop.body);
}

Id TaskEmitter::endBody(const Loop &loop) {
  w.effect(spv::OpBranch, {loop.next});
  w.beginBlock(loop.next);
  return loop.next;
}

void TaskEmitter::endLoop(const Loop &loop) {
  w.effect(spv::OpBranch, {loop.header});
  w.beginBlock(loop.after);
}

//===--- Ops ---------------------------------------------------------------===//

Id TaskEmitter::emitValue(mlir::Operation &op) {
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](simt::ThreadIdxOp) { return threadIdx(); })
      .Case([&](simt::BlockIdxOp o) { return blockIdx(o); })
      .Case([&](simt::GridDimOp) { return builtinX(spv::BuiltInNumWorkgroups); })
      .Case([&](simt::LaneOp) { return lane(); })
      .Case([&](simt::ClockOp o) {
        w.extension("SPV_KHR_shader_clock");
        w.capability(spv::CapabilityShaderClockKHR);
        require(abi::VulkanFeature::ShaderClock);
        return w.op(spv::OpReadClockKHR, typeOf(o.getType()), {u32(spv::ScopeDevice)});
      })
      .Case([&](mlir::func::CallOp o) { return call(o); })
      .Case([&](simt::LoadOp o) { return load(o); })
      .Case([&](simt::AtomicRmwOp o) { return emitAtomicRmw(o); })
      .Case([&](simt::AtomicCasOp o) { return emitAtomicCas(o); })
      .Case([&](simt::ShuffleOp o) { return shuffle(o); })
      .Case([&](simt::BallotOp o) { return emitBallot(o); })
      .Case([&](simt::VoteOp o) { return vote(o); })
      .Case([&](simt::ReduceOp o) {
        return reduceOrScan(o.getKind(), o.getType(), get(o.getValue()), spv::GroupOperationReduce);
      })
      .Case([&](simt::ScanOp o) {
        return reduceOrScan(o.getKind(), o.getType(), get(o.getValue()),
                            o.getExclusive() ? spv::GroupOperationExclusiveScan
                                             : spv::GroupOperationInclusiveScan);
      })
      .Default([&](mlir::Operation *) { return emitElementwise(op); });
}

bool TaskEmitter::emitEffect(mlir::Operation &op) {
  if (op.hasTrait<simt::Allocation>())
    return declareArray(op.getResult(0)), true;
  if (isa<simt::ViewOp>(op))
    return true; // declared with its buffer
  if (auto o = dyn_cast<simt::StoreOp>(op))
    return store(o), true;
  if (auto o = dyn_cast<simt::LoadVectorOp>(op))
    return loadVector(o), true;
  if (auto o = dyn_cast<simt::StoreVectorOp>(op))
    return storeVector(o), true;
  if (isa<simt::BarrierOp>(op))
    return barrier(spv::ScopeWorkgroup), true;
  if (isa<simt::PauseOp>(op))
    return true; // there is no instruction for it
  if (isa<simt::EndCopiesOp, simt::AwaitCopiesOp>(op))
    return true; // stores are done in order
  if (isa<simt::SubgroupBarrierOp>(op))
    return barrier(spv::ScopeSubgroup), true;
  if (auto o = dyn_cast<simt::FenceOp>(op)) {
    auto semantics = op.getAttrOfType<mlir::IntegerAttr>(marks::semantics);
    return fence(o.getScope(), semantics ? uint32_t(semantics.getInt()) : allMemory), true;
  }
  if (isa<mlir::func::ReturnOp>(op)) {
    if (op.getNumOperands() == 0)
      return w.effect(spv::OpReturn, {}), true;
    return w.effect(spv::OpReturnValue, {get(op.getOperand(0))}), true;
  }
  return false;
}

Id TaskEmitter::call(mlir::func::CallOp op) {
  Words operands{state.functions.lookup(op.getCallee())};
  for (mlir::Value operand : op.getOperands())
    operands.push_back(get(operand));
  return w.op(spv::OpFunctionCall, typeOf(op.getResult(0)), operands);
}

mlir::LogicalResult TaskEmitter::emitCallee() {
  function = w.beginFunction(typeOf(source.getFunctionType().getResult(0)));
  state.functions[source.getName()] = function;
  if (state.options.lineInfo)
    w.name(function, source.getName());
  for (mlir::BlockArgument argument : source.getArguments())
    values[argument] = w.parameter(typeOf(argument));
  if (failed(emitBlock(source.getBody().front())))
    return mlir::failure();
  w.endFunction();
  return mlir::success();
}

mlir::LogicalResult TaskEmitter::emit() {
  std::optional<simt::TaskInfo> info = simt::getTaskInfo(source);
  if (!info || source.getFunctionType().getNumResults() != 0)
    return simt::refuse(source, Problem::InternalInvalidCode)
           << "function '" << source.getName() << "' is not a task";
  task = *info;
  source.walk([&](mlir::Operation *op) {
    usesLanes |= op->hasTrait<simt::Subgroup>() || isa<simt::LaneOp>(op);
  });
  function = w.beginFunction();
  if (state.options.lineInfo)
    w.name(function, source.getName());
  declareArguments();
  if (failed(emitBlock(source.getBody().front())))
    return mlir::failure();
  w.endFunction();
  w.entryPoint(function, source.getName(), Words(interface.begin(), interface.end()),
               task.blockDim);
  return mlir::success();
}
