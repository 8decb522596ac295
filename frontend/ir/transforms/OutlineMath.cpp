// Moves math that takes long code into functions, so that a module has the code of each once. A
// division of f32 is a hundred operations on Vulkan, and a program of rigid bodies has thousands.
//
// An op that is the only one of its kind stays where it is. Operands that are constants belong to
// the kind: the function holds them, so that its code folds as the op's own would.
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sextant::simt;

namespace {

/// The properties that the code of an op depends on: its name, type and attributes, and the
/// constants among its operands. A unit stands for an operand that a caller passes.
using Kind = std::tuple<OperationName, Type, DictionaryAttr, ArrayAttr>;

Kind kindOf(Operation *op) {
  SmallVector<Attribute, 2> constants;
  for (Value operand : op->getOperands()) {
    Attribute constant;
    constants.push_back(
        matchPattern(operand, m_Constant(&constant)) ? constant : UnitAttr::get(op->getContext()));
  }
  return {op->getName(), op->getResult(0).getType(), op->getAttrDictionary(),
          ArrayAttr::get(op->getContext(), constants)};
}

bool isPassed(Attribute operand) { return isa<UnitAttr>(operand); }

/// Makes the function of the kind of `op`, before all others. It has no place in the source, since
/// it is the code of many.
func::FuncOp makeFunction(ModuleOp module, Operation *op, const Kind &kind, unsigned number) {
  const ArrayAttr constants = std::get<ArrayAttr>(kind);
  SmallVector<Type> parameters;
  for (auto [operand, constant] : llvm::zip(op->getOperands(), constants))
    if (isPassed(constant))
      parameters.push_back(operand.getType());
  const Location nowhere = UnknownLoc::get(module.getContext());
  OpBuilder b(module.getContext());
  b.setInsertionPointToStart(module.getBody());
  std::string name = op->getName().stripDialect().str() + "." + std::to_string(number);
  auto function =
      b.create<func::FuncOp>(nowhere, name, b.getFunctionType(parameters, op->getResultTypes()));
  function.setPrivate();
  b.setInsertionPointToStart(function.addEntryBlock());
  IRMapping inside;
  unsigned next = 0;
  for (auto [operand, constant] : llvm::zip(op->getOperands(), constants))
    inside.map(operand, isPassed(constant) ? Value(function.getArgument(next++))
                                           : b.clone(*operand.getDefiningOp())->getResult(0));
  Operation *own = b.clone(*op, inside);
  own->setLoc(nowhere);
  b.create<func::ReturnOp>(nowhere, own->getResults());
  return function;
}

void callInstead(Operation *op, const Kind &kind, func::FuncOp function) {
  SmallVector<Value> passed;
  for (auto [operand, constant] : llvm::zip(op->getOperands(), std::get<ArrayAttr>(kind)))
    if (isPassed(constant))
      passed.push_back(operand);
  OpBuilder b(op);
  op->replaceAllUsesWith(b.create<func::CallOp>(op->getLoc(), function, passed));
  op->erase();
}

} // namespace

void sextant::simt::outlineMath(ModuleOp module, llvm::function_ref<bool(Operation *)> isLong) {
  llvm::MapVector<Kind, SmallVector<Operation *>> byKind;
  module.walk([&](Operation *op) {
    if (isa<math::MathDialect, arith::ArithDialect>(op->getDialect()) && isLong(op))
      byKind[kindOf(op)].push_back(op);
  });
  unsigned number = 0;
  for (const auto &[kind, ops] : byKind) {
    if (ops.size() < 2)
      continue;
    func::FuncOp function = makeFunction(module, ops.front(), kind, number++);
    for (Operation *op : ops)
      callInstead(op, kind, function);
  }
}
