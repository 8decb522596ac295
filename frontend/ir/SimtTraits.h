// The traits of the dialect's ops. Passes and backends ask for a trait, and need no list of ops.
// SimtOps.td gives each op its traits, and says what they mean.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace sextant::simt {

/// The lanes of a tile as a power of two, if the op is about tiles.
std::optional<unsigned> log2TileOf(mlir::Operation *op);
mlir::LogicalResult verifyTile(mlir::Operation *op);

template <typename Op> class Subgroup : public mlir::OpTrait::TraitBase<Op, Subgroup> {};
template <typename Op> class Tiled : public mlir::OpTrait::TraitBase<Op, Tiled> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTile(op); }
};
template <typename Op>
class UniformInSubgroup : public mlir::OpTrait::TraitBase<Op, UniformInSubgroup> {};
template <typename Op> class BlockBarrier : public mlir::OpTrait::TraitBase<Op, BlockBarrier> {};
template <typename Op>
class UniformInBlock : public mlir::OpTrait::TraitBase<Op, UniformInBlock> {};
template <typename Op> class OfThread : public mlir::OpTrait::TraitBase<Op, OfThread> {};
template <typename Op> class Allocation : public mlir::OpTrait::TraitBase<Op, Allocation> {};

} // namespace sextant::simt
