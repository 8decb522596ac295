// Functions and structured control flow. The frontend's form is SPIR-V's own: an if is
// a selection, a loop has a header with phis, a test, a body, and a continue block that
// holds nothing but the way back.
#include "backends/spirv/Task.h"
#include "backends/spirv/Marks.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;
namespace scf = mlir::scf;

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

mlir::LogicalResult TaskEmitter::emitIf(scf::IfOp op) {
  Id then = w.newId(), merge = w.newId();
  Id otherwise = op.elseBlock() ? w.newId() : merge;
  w.effect(spv::OpSelectionMerge, {merge, spv::SelectionControlMaskNone});
  w.effect(spv::OpBranchConditional, {get(op.getCondition()), then, otherwise});
  std::vector<std::pair<Id, SmallVector<Id>>> arms;
  auto emitArm = [&](Id label, mlir::Block *block) {
    w.beginBlock(label);
    if (failed(emitBlock(*block)))
      return mlir::failure();
    SmallVector<Id> yielded;
    for (mlir::Value value : block->getTerminator()->getOperands())
      yielded.push_back(get(value));
    arms.push_back({w.block(), std::move(yielded)});
    w.effect(spv::OpBranch, {merge});
    return mlir::success();
  };
  if (failed(emitArm(then, op.thenBlock())) ||
      (op.elseBlock() && failed(emitArm(otherwise, op.elseBlock()))))
    return mlir::failure();
  w.beginBlock(merge);
  for (auto [number, result] : llvm::enumerate(op.getResults())) {
    Writer::Phi phi = w.phi(typeOf(result), arms.size());
    for (auto [arm, from] : llvm::enumerate(arms))
      w.setIncoming(phi, arm, from.second[number], from.first);
    values[result] = phi.id;
  }
  return mlir::success();
}

TaskEmitter::Loop TaskEmitter::beginLoop() {
  Loop loop{w.newId(), w.newId(), w.newId(), w.newId()};
  w.effect(spv::OpBranch, {loop.header});
  w.beginBlock(loop.header);
  return loop;
}

mlir::LogicalResult TaskEmitter::emitFor(scf::ForOp op) {
  Id before = w.block();
  Loop loop = beginLoop();
  Writer::Phi counter = w.phi(typeOf(op.getInductionVar()), 2);
  w.setIncoming(counter, 0, get(op.getLowerBound()), before);
  values[op.getInductionVar()] = counter.id;
  SmallVector<Writer::Phi> carried;
  for (auto [argument, init] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs())) {
    carried.push_back(w.phi(typeOf(argument), 2));
    w.setIncoming(carried.back(), 0, get(init), before);
    values[argument] = carried.back().id;
  }
  Id test = w.newId();
  w.effect(spv::OpLoopMerge, {loop.merge, loop.next, spv::LoopControlMaskNone});
  w.effect(spv::OpBranch, {test});
  w.beginBlock(test);
  Id goesOn = w.op(spv::OpSLessThan, w.boolType(), {counter.id, get(op.getUpperBound())});
  w.effect(spv::OpBranchConditional, {goesOn, loop.body, loop.merge});
  w.beginBlock(loop.body);
  if (failed(emitBlock(*op.getBody())))
    return mlir::failure();
  Id next = w.op(spv::OpIAdd, typeOf(op.getInductionVar()), {counter.id, get(op.getStep())});
  w.effect(spv::OpBranch, {loop.next});
  w.beginBlock(loop.next);
  w.setIncoming(counter, 1, next, loop.next);
  for (auto [phi, yielded] : llvm::zip(carried, op.getBody()->getTerminator()->getOperands()))
    w.setIncoming(phi, 1, get(yielded), loop.next);
  w.effect(spv::OpBranch, {loop.header});
  w.beginBlock(loop.merge);
  for (auto [result, phi] : llvm::zip(op.getResults(), carried))
    values[result] = phi.id;
  return mlir::success();
}

mlir::LogicalResult TaskEmitter::emitWhile(scf::WhileOp op) {
  Id before = w.block();
  Loop loop = beginLoop();
  SmallVector<Writer::Phi> carried;
  for (auto [argument, init] : llvm::zip(op.getBeforeArguments(), op.getInits())) {
    carried.push_back(w.phi(typeOf(argument), 2));
    w.setIncoming(carried.back(), 0, get(init), before);
    values[argument] = carried.back().id;
  }
  Id test = w.newId();
  w.effect(spv::OpLoopMerge, {loop.merge, loop.next, spv::LoopControlMaskNone});
  w.effect(spv::OpBranch, {test});
  w.beginBlock(test);
  if (failed(emitBlock(*op.getBeforeBody())))
    return mlir::failure();
  scf::ConditionOp condition = op.getConditionOp();
  w.effect(spv::OpBranchConditional, {get(condition.getCondition()), loop.body, loop.merge});
  // The test's last block dominates both the body and what follows the loop.
  for (auto [number, passed] : llvm::enumerate(condition.getArgs())) {
    values[op.getAfterArguments()[number]] = get(passed);
    values[op.getResult(number)] = get(passed);
  }
  w.beginBlock(loop.body);
  if (failed(emitBlock(*op.getAfterBody())))
    return mlir::failure();
  w.effect(spv::OpBranch, {loop.next});
  w.beginBlock(loop.next);
  for (auto [phi, yielded] : llvm::zip(carried, op.getYieldOp().getOperands()))
    w.setIncoming(phi, 1, get(yielded), loop.next);
  w.effect(spv::OpBranch, {loop.header});
  w.beginBlock(loop.merge);
  return mlir::success();
}

//===--- Ops ---------------------------------------------------------------===//

Id TaskEmitter::emitValue(mlir::Operation &op) {
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](simt::ThreadIdxOp) { return threadIdx(); })
      .Case([&](simt::BlockIdxOp o) { return blockIdx(o); })
      .Case([&](simt::GridDimOp) { return builtinX(spv::BuiltInNumWorkgroups); })
      .Case([&](simt::LaneOp) { return lane(); })
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

mlir::LogicalResult TaskEmitter::emitOp(mlir::Operation &op) {
  setLine(op.getLoc());
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(loop);
  if (isa<simt::SharedOp, simt::PrivateOp>(op))
    return declareArray(op.getResult(0)), mlir::success();
  if (auto o = dyn_cast<simt::StoreOp>(op))
    return store(o), mlir::success();
  if (isa<simt::BarrierOp>(op))
    return barrier(spv::ScopeWorkgroup), mlir::success();
  if (isa<simt::SubgroupBarrierOp>(op))
    return barrier(spv::ScopeSubgroup), mlir::success();
  if (auto o = dyn_cast<simt::FenceOp>(op)) {
    auto semantics = op.getAttrOfType<mlir::IntegerAttr>(marks::semantics);
    return fence(o.getScope(), semantics ? uint32_t(semantics.getInt()) : allMemory),
           mlir::success();
  }
  if (isa<mlir::func::ReturnOp>(op))
    return w.effect(spv::OpReturn, {}), mlir::success();
  if (op.getNumResults() == 1) {
    if (Id value = emitValue(op)) {
      values[op.getResult(0)] = value;
      return mlir::success();
    }
  }
  return op.emitError() << "'" << op.getName() << "' is not yet supported on this target";
}

/// All but the terminators that the enclosing op deals with.
mlir::LogicalResult TaskEmitter::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block)
    if (!isa<scf::YieldOp, scf::ConditionOp>(op) && failed(emitOp(op)))
      return mlir::failure();
  return mlir::success();
}

mlir::LogicalResult TaskEmitter::emit() {
  std::optional<simt::TaskInfo> info = simt::getTaskInfo(source);
  if (!info || source.getFunctionType().getNumResults() != 0)
    return source.emitError("function '") << source.getName() << "' is not a task";
  task = *info;
  source.walk([&](mlir::Operation *op) {
    usesLanes |= isa<simt::LaneOp, simt::ShuffleOp, simt::BallotOp, simt::VoteOp, simt::ReduceOp,
                     simt::ScanOp, simt::SubgroupBarrierOp>(op);
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
