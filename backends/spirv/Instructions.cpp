// Results come through pointers: SPIRV-Cross writes a call without a value as a statement where it
// stands, and would move one with a value into the expression that uses it.
#include "backends/spirv/Instructions.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

static std::pair<mlir::StringAttr, mlir::FunctionType> keyOf(simt::InstructionOp op) {
  return {op.getTextAttr(),
          mlir::FunctionType::get(op.getContext(), op->getOperandTypes(), op->getResultTypes())};
}

static Id parameter(Id type, const Twine &name, Writer &w) {
  const Id id = w.parameter(type);
  w.name(id, name.str());
  return id;
}

void sextant::spirv::declareInstructions(mlir::func::FuncOp task, ModuleCode &module) {
  ScalarWriter &w = module.w;
  task.walk([&](simt::InstructionOp op) {
    const auto [place, isNew] = module.instructions.try_emplace(keyOf(op), 0);
    if (!isNew)
      return;
    const Id function = w.beginFunction();
    place->second = function;
    w.name(function, (instructionName + Twine(module.instructions.size() - 1)).str());
    for (auto [k, result] : enumerate(op->getResultTypes())) {
      const Id type = w.typeOf(result);
      const Id place = parameter(w.pointerType(spv::StorageClassFunction, type), "r" + Twine(k), w);
      // So that the tools know that it is written.
      w.effect(spv::OpStore, {place, w.unique(spv::OpConstantNull, {type}, /*typed=*/true)});
    }
    for (auto [k, operand] : enumerate(op->getOperandTypes()))
      parameter(w.typeOf(operand), "a" + Twine(k), w);
    w.effect(spv::OpReturn, {});
    w.endFunction();
  });
}

void sextant::spirv::emitInstruction(simt::InstructionOp op, FunctionCode &code) {
  ScalarWriter &w = code.module.w;
  Words operands{code.module.instructions.lookup(keyOf(op))};
  for (mlir::Value result : op.getResults())
    operands.push_back(w.localVariable(w.typeOf(result)));
  const Words results(operands.begin() + 1, operands.end());
  for (mlir::Value operand : op.getOperands())
    operands.push_back(code.values.lookup(operand));
  w.op(spv::OpFunctionCall, w.voidType(), operands);
  for (auto [result, variable] : zip(op.getResults(), results))
    code.values[result] = w.op(spv::OpLoad, w.typeOf(result), {variable});
}

std::vector<std::string> sextant::spirv::textsOf(const ModuleCode &module) {
  std::vector<std::string> texts;
  for (const auto &[key, function] : module.instructions)
    texts.push_back(key.first.str());
  return texts;
}
