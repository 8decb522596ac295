// Emits one task: SSA values for locals, region by region along the plan.
#pragma once

#include "frontend/ir/SimtDialect.h"
#include "frontend/irgen/Arithmetic.h"
#include "frontend/irgen/Plan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

namespace sextant::irgen {

class TaskGenerator {
public:
  TaskGenerator(const hir::Kernel &kernel, const hir::Task &task, const hir::Choice &choice,
                mlir::OpBuilder &builder)
      : kernel(kernel), task(task), blockDim(hir::blockDimOf(task, choice)),
        takesTurns(hir::takesTurns(task, choice)), plan(planTask(task)), b(builder),
        arith(builder) {}

  /// Adds the task's function at the builder's place. Fails after emitting an error.
  mlir::LogicalResult emit();

private:
  // Irgen.cpp
  bool countsInWords() const;
  mlir::Value iterations(mlir::Type type);
  mlir::Value combined(hir::LaunchExpr::Op op, mlir::Value left, mlir::Value right);
  void emitTurns();

  // Statements.cpp
  void emitRegion(const Region &region);
  void emitNode(const Node &node);
  void emitSimple(const hir::Stmt &stmt);
  void emitIf(const Node &node);
  void emitGuard(const Node &node);
  void emitWhile(const Node &node);
  void emitFor(const Node &node);
  mlir::Value whileCondition(const Node &node);

  /// How a For counts; with `isAgreedOn`, it counts its iterations. `counter` runs from `begin`
  /// below `end` by `step`, signed. If `first` is set, the counter stands for `first + counter *
  /// stride`. The local has that value, or its complement.
  struct Counter {
    mlir::Value begin, end, step, first;
    int64_t stride = 1;
    bool isDown = false;
    std::optional<int64_t> trips; ///< iterations, where they are known
  };
  Counter countFor(const hir::For &loop, bool isAgreedOn);
  mlir::Value counterToLocal(const Counter &count, mlir::Value counter);
  mlir::Value complement(mlir::Value value);

  /// Emits an scf.if; `then` and `otherwise` emit its branches. It yields the carried slots of
  /// `extent` and, if `resultType` is set, a value of that type that the branches return.
  mlir::Value branch(mlir::Value condition, const Extent &extent, mlir::Type resultType,
                     llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);
  mlir::Value notLeft(llvm::ArrayRef<unsigned> flags);

  // In builds that check
  mlir::Value faults();
  void emitCheck(const hir::Check &check);
  void emitInstruction(const hir::Instruction &node);
  /// Returns `value`, a condition or a number of iterations. If a checked barrier stands in
  /// `extent`, the block's threads agree on it.
  mlir::Value agreed(mlir::Value value, const Extent &extent);

  // Expressions.cpp
  mlir::Value emitExpr(const hir::Expr &expr);
  mlir::Value emitConditional(const hir::Conditional &node, mlir::Type type);
  mlir::Value emitAtomic(const hir::Atomic &node, hir::Type type);
  mlir::Value emitShuffle(const hir::Shuffle &node);
  static simt::Cache cacheOf(hir::Cache cache);
  /// Converts an element to a value and back: Bool is a byte in memory.
  mlir::Value fromMemory(mlir::Value element, hir::Type type);
  mlir::Value toMemory(mlir::Value value);
  mlir::Value buffer(const hir::BufferRef &ref);
  /// The buffer, as elements of this type.
  mlir::Value buffer(const hir::BufferRef &ref, mlir::Type element);
  mlir::Value index(const hir::Expr &expr);

  // Locals
  mlir::Type slotType(unsigned slot) const;
  /// Returns the slot's value, or zero if no path to here has assigned it.
  mlir::Value read(unsigned slot);
  llvm::SmallVector<mlir::Value> readAll(llvm::ArrayRef<unsigned> slots);
  llvm::SmallVector<mlir::Type> typesOf(llvm::ArrayRef<unsigned> slots) const;
  void assignAll(llvm::ArrayRef<unsigned> slots, mlir::ValueRange values);

  mlir::Location location(const hir::Loc &at);
  /// In builds for debuggers, emits the local's value for them.
  void showLocal(unsigned local);

  const hir::Kernel &kernel;
  const hir::Task &task;
  unsigned blockDim;
  bool takesTurns;
  mlir::Value turn; ///< the number of the block whose code runs, where blocks take turns
  Plan plan;
  mlir::OpBuilder &b;
  Arithmetic arith;
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> current, shared, privates;
  llvm::MapVector<std::pair<mlir::Value, mlir::Type>, mlir::Value> views;
  llvm::DenseMap<unsigned, mlir::Location> callers; ///< keys: numbers of inlined calls
};

} // namespace sextant::irgen
