// Ops, each by the part that knows it, and the functions around them.
#include "backends/spirv/FunctionWriter.h"
#include "backends/spirv/Arith.h"
#include "backends/spirv/Instructions.h"
#include "backends/spirv/ThreadWriter.h"

#include "frontend/ir/Refuse.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

FunctionWriter::FunctionWriter(ModuleCode &module, mlir::func::FuncOp source)
    : code(module, source, values), w(module.w), declarations(code), memory(code, declarations),
      atomics(code, memory) {}

void FunctionWriter::setLine(mlir::Location at) {
  if (!code.module.options.lineInfo)
    return;
  if (auto call = dyn_cast<mlir::CallSiteLoc>(at))
    return setLine(call.getCallee());
  if (auto named = dyn_cast<mlir::NameLoc>(at))
    return setLine(named.getChildLoc());
  if (auto place = dyn_cast<mlir::FileLineColLoc>(at))
    w.line(w.string(place.getFilename()), place.getLine(), place.getColumn());
}

//===--- Ops ---------------------------------------------------------------===//

Id FunctionWriter::emitValue(mlir::Operation &op) {
  return TypeSwitch<mlir::Operation *, Id>(&op)
      .Case([&](mlir::func::CallOp o) { return call(o); })
      .Case([&](simt::LoadOp o) { return memory.load(o); })
      .Case([&](simt::AddressOp o) { return memory.address(o); })
      .Case([&](simt::AtomicRmwOp o) { return atomics.rmw(o); })
      .Case([&](simt::AtomicCasOp o) { return atomics.cas(o); })
      .Default([&](mlir::Operation *) -> Id {
        if (Id value = emitThreadValue(op, code))
          return value;
        SmallVector<Id> operands;
        for (mlir::Value operand : op.getOperands())
          operands.push_back(get(operand));
        return elementwise(op, operands, code.module.options.marksPrecise, w);
      });
}

bool FunctionWriter::emitEffect(mlir::Operation &op) {
  if (op.hasTrait<simt::Allocation>())
    return declarations.array(op.getResult(0)), true;
  if (isa<simt::ViewOp>(op))
    return true; // declared with its buffer
  if (auto o = dyn_cast<simt::StoreOp>(op))
    return memory.store(o), true;
  if (auto o = dyn_cast<simt::LoadVectorOp>(op))
    return memory.loadVector(o), true;
  if (auto o = dyn_cast<simt::StoreVectorOp>(op))
    return memory.storeVector(o), true;
  if (auto o = dyn_cast<simt::AtomicAddVectorOp>(op))
    return atomics.addVector(o), true;
  if (auto o = dyn_cast<simt::InstructionOp>(op))
    return emitInstruction(o, code), true;
  if (isa<mlir::func::ReturnOp>(op)) {
    if (op.getNumOperands() == 0)
      return w.effect(spv::OpReturn, {}), true;
    return w.effect(spv::OpReturnValue, {get(op.getOperand(0))}), true;
  }
  return emitThreadEffect(op, code);
}

Id FunctionWriter::call(mlir::func::CallOp op) {
  Words operands{code.module.functions.lookup(op.getCallee())};
  for (mlir::Value operand : op.getOperands())
    operands.push_back(get(operand));
  return w.op(spv::OpFunctionCall, w.typeOf(op.getResult(0)), operands);
}

mlir::LogicalResult FunctionWriter::emitCallee() {
  const Id function = w.beginFunction(w.typeOf(code.source.getFunctionType().getResult(0)));
  code.module.functions[code.source.getName()] = function;
  if (code.module.options.lineInfo)
    w.name(function, code.source.getName());
  for (mlir::BlockArgument argument : code.source.getArguments())
    values[argument] = w.parameter(w.typeOf(argument));
  if (failed(emitBlock(code.source.getBody().front())))
    return mlir::failure();
  w.endFunction();
  return mlir::success();
}

mlir::LogicalResult FunctionWriter::emitTask() {
  std::optional<simt::TaskInfo> info = simt::getTaskInfo(code.source);
  if (!info || code.source.getFunctionType().getNumResults() != 0)
    return simt::refuse(code.source, Problem::InternalInvalidCode)
           << "function '" << code.source.getName() << "' is not a task";
  code.task = *info;
  code.source.walk([&](mlir::Operation *op) {
    code.usesLanes |= op->hasTrait<simt::Subgroup>() || isa<simt::LaneOp>(op);
  });
  declareInstructions(code.source, code.module);
  const Id function = w.beginFunction();
  if (code.module.options.lineInfo)
    w.name(function, code.source.getName());
  declarations.arguments();
  if (failed(emitBlock(code.source.getBody().front())))
    return mlir::failure();
  w.endFunction();
  w.entryPoint(function, code.source.getName(), Words(code.interface.begin(), code.interface.end()),
               code.task.blockDim);
  return mlir::success();
}
