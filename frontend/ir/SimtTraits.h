// What passes and backends ask of any op of the dialect, so that they need no list of ops.
// The ops say it in SimtOps.td, where each trait has its meaning.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace sextant::simt {

template <typename Op> class Subgroup : public mlir::OpTrait::TraitBase<Op, Subgroup> {};
template <typename Op> class BlockBarrier : public mlir::OpTrait::TraitBase<Op, BlockBarrier> {};
template <typename Op>
class UniformInBlock : public mlir::OpTrait::TraitBase<Op, UniformInBlock> {};
template <typename Op> class OfThread : public mlir::OpTrait::TraitBase<Op, OfThread> {};
template <typename Op> class Allocation : public mlir::OpTrait::TraitBase<Op, Allocation> {};

} // namespace sextant::simt
