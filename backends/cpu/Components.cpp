// Arithmetic on whole vectors in memory. If all components of what is stored are computed alike
// from what was loaded, the lanes' vectors stay one run of elements, and are not taken apart.
#include "backends/cpu/Arith.h"
#include "backends/cpu/MemoryEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;

/// True if the ops do the same, apart from their operands, and only for these results.
static bool areAlike(ArrayRef<mlir::Value> results) {
  mlir::Operation *first = results[0].getDefiningOp();
  if (!first || !isa<arith::ArithDialect>(first->getDialect()) || first->getNumResults() != 1 ||
      first->getNumOperands() == 0)
    return false;
  return llvm::all_of(results, [&](mlir::Value result) {
    mlir::Operation *op = result.getDefiningOp();
    return op && op->hasOneUse() && op->getName() == first->getName() &&
           op->getAttrDictionary() == first->getAttrDictionary() &&
           op->getOperandTypes() == first->getOperandTypes();
  });
}

/// The value that all components have, in all lanes or in each of them.
Value *MemoryEmitter::repeated(ArrayRef<mlir::Value> parts) {
  const unsigned count = parts.size(), size = lanes.width * count;
  SmallVector<int> from;
  if (!llvm::all_of(parts, [&](mlir::Value part) { return values.isUniform(part); })) {
    if (!llvm::all_equal(parts))
      return nullptr;
    for (unsigned i = 0; i < size; ++i)
      from.push_back(int(i / count));
    return b.CreateShuffleVector(values.vector(parts[0]), from);
  }
  Value *one = PoisonValue::get(FixedVectorType::get(values.scalar(parts[0])->getType(), count));
  for (unsigned k = 0; k < count; ++k)
    one = b.CreateInsertElement(one, values.scalar(parts[k]), k);
  for (unsigned i = 0; i < size; ++i)
    from.push_back(int(i % count));
  return b.CreateShuffleVector(one, from);
}

Value *MemoryEmitter::asRun(ArrayRef<mlir::Value> parts, unsigned depth) {
  constexpr unsigned deepest = 8;
  if (depth > deepest)
    return nullptr;
  if (auto load = parts[0].getDefiningOp<simt::LoadVectorOp>()) {
    const auto loaded = runs.find(load);
    if (llvm::equal(parts, load.getElements()) && loaded != runs.end() &&
        values.lookup(parts[0]).vector == loaded->second.first) // this copy of the code has it
      return loaded->second.whole;
  }
  if (llvm::all_of(parts, [&](mlir::Value part) { return values.has(part); }))
    if (Value *run = repeated(parts))
      return run;
  if (!areAlike(parts))
    return nullptr;
  SmallVector<Value *> operands;
  for (unsigned i = 0; i < parts[0].getDefiningOp()->getNumOperands(); ++i) {
    SmallVector<mlir::Value> each;
    for (mlir::Value part : parts)
      each.push_back(part.getDefiningOp()->getOperand(i));
    operands.push_back(asRun(each, depth + 1));
    if (!operands.back())
      return nullptr;
  }
  return elementwise(*parts[0].getDefiningOp(), operands, b);
}
