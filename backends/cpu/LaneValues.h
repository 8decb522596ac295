// The LLVM values of a task's SSA values: scalars where lanes agree, or where lane i's value is
// lane 0's plus i strides, and vectors where they differ. A slot is memory that carries such a
// value around a loop or past a barrier.
#pragma once

#include "backends/cpu/LaneBuilder.h"

namespace sextant::cpu {

/// The LLVM values of one SSA value.
struct LaneValue {
  llvm::Value *scalar = nullptr; ///< uniform and affine: lane 0's value
  llvm::Value *vector = nullptr; ///< varying, and affine that is not exact
};

/// Memory that carries a value around a loop or to another loop over chunks. LLVM promotes what it
/// can to registers.
struct Slot {
  Shape shape;
  mlir::Type type;
  llvm::Value *scalar = nullptr, *vector = nullptr; ///< allocas: one element a chunk
  unsigned count = 1;

  bool operator==(const Slot &) const = default;
};

class LaneValues {
public:
  LaneValues(mlir::func::FuncOp task, LaneBuilder &b) : shapes(task, b.lanes), b(b) {}

  using Known = llvm::DenseMap<mlir::Value, LaneValue>;
  ShapeAnalysis shapes;

  Shape shapeOf(mlir::Value value) const { return shapes.of(value); }
  bool isUniform(mlir::Value value) const { return shapes.isUniform(value); }
  bool has(mlir::Value value) const { return known.count(value); }
  LaneValue lookup(mlir::Value value) const { return known.lookup(value); }
  void define(mlir::Value value, LaneValue lane);
  /// Leaves what is known of all lanes together, for code of fewer lanes.
  void forgetVectors();
  /// Returns a uniform value as it is, and lane 0's value of an affine one.
  llvm::Value *scalar(mlir::Value value);
  llvm::Value *vector(mlir::Value value);
  llvm::Value *vectorOf(const LaneValue &value, Shape shape, mlir::Type type);

  Slot makeSlot(mlir::Type type, Shape shape, unsigned count = 1);
  /// The slot's element of chunk `index`; null: its only one.
  void storeSlot(const Slot &slot, const LaneValue &value, llvm::Value *index = nullptr);
  LaneValue loadSlot(const Slot &slot, llvm::Value *index = nullptr);
  /// Returns `value` in the form that `slot` keeps.
  LaneValue valueFor(const Slot &slot, mlir::Value value);

  /// Forgets at its end what was defined since it began: what a loop over chunks defines is not
  /// known after it.
  class Scope {
  public:
    explicit Scope(LaneValues &values) : values(values), outside(values.known) {}
    ~Scope() { values.known = std::move(outside); }
    Scope(const Scope &) = delete;

  private:
    LaneValues &values;
    Known outside;
  };

  /// All that is known, to go on elsewhere with it.
  const Known &all() const { return known; }
  /// Goes on with what is known elsewhere, and hands out what was known here.
  void exchange(Known &elsewhere) { std::swap(known, elsewhere); }

private:
  LaneBuilder &b;
  Known known;
};

} // namespace sextant::cpu
