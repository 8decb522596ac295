// The compiler's knowledge of a value across the lanes that run together: the same in all of them,
// a base plus a multiple of the lane, or anything.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace sextant::cpu {

/// The number of lanes that run together, and how their block splits.
struct Lanes {
  unsigned width = 1;    ///< lanes that one vector holds; a power of two
  unsigned wave = 32;    ///< lanes of a subgroup, as the kernel sees it
  unsigned blockDim = 1; ///< threads a block
  /// Chunks begin at any thread of the grid, and may reach into the next block. Otherwise they
  /// begin at multiples of their width.
  bool anywhere = false;

  unsigned chunks() const { return (blockDim + width - 1) / width; }
  unsigned remainder() const { return blockDim % width; }
};

/// The values that lanes have for one SSA value. Inactive lanes do not count.
struct Shape {
  enum Kind : uint8_t {
    Unknown, ///< not reached yet
    Block,   ///< the same in every thread of the block
    Chunk,   ///< the same in the lanes that run together
    Affine,  ///< base + stride * lane
    Varying,
  };
  Kind kind = Unknown;
  /// Affine: true if it holds in wrapping arithmetic. Otherwise the value was widened from one that
  /// could have wrapped. It then holds for indices, which may not wrap.
  bool exact = true;
  int64_t stride = 0; ///< Affine
  unsigned align = 0; ///< low bits of lane 0's value that are zero
  unsigned bits = 64; ///< the value is unsigned and below 2**bits; 64 or more: not known

  bool isUniform() const { return kind == Block || kind == Chunk; }
  bool hasScalar() const { return kind != Varying; }
  bool isVarying() const { return kind == Varying; }
  bool operator==(const Shape &) const = default;
};

/// The facts that a copy of code takes for granted: each value equals another one in all lanes, or,
/// if that is null, is the same in the lanes that run together.
using Assumptions = llvm::DenseMap<mlir::Value, mlir::Value>;

/// The shapes of every value of a task.
class ShapeAnalysis {
public:
  ShapeAnalysis(mlir::func::FuncOp task, Lanes lanes, Assumptions assumptions = Assumptions());

  Shape of(mlir::Value value) const { return shapes.lookup(value); }
  bool isUniform(mlir::Value value) const { return of(value).isUniform(); }
  /// True if lanes that run together may leave the loop at different iterations.
  bool hasDivergentExit(mlir::Operation *loop) const;

private:
  bool visit(mlir::Region &region, bool inDivergentLoop);
  bool visit(mlir::Operation &op);
  bool join(mlir::Value value, Shape shape);
  Shape elementwise(mlir::Operation &op) const;
  bool isUniformInChunk(mlir::Operation &op) const;
  Shape result(mlir::Operation &op) const;
  Shape resultHere(mlir::Operation &op) const;

  llvm::DenseMap<mlir::Value, Shape> shapes;
  Lanes lanes;
  Assumptions assumptions;
};

/// The operand of a binary op that is not `one`.
inline mlir::Value otherOperand(mlir::Operation *op, mlir::Value one) {
  return op->getOperand(op->getOperand(0) == one ? 1 : 0);
}
/// True if the task's lanes exchange values.
bool usesSubgroups(mlir::func::FuncOp task);
/// True if another block, or a later launch's order, could be waited for in the task. Then every
/// access must happen at its own place.
bool synchronises(mlir::func::FuncOp task);
/// True if a block barrier is in `op` or in the regions below it.
bool containsBarrier(mlir::Operation *op);

} // namespace sextant::cpu
