// Common subexpressions: of ops that compute the same, the first stays. This is MLIR's pass in one
// walk. That one looks for a write between a read and the last equal one at each of all ops between
// them, which takes most of the time where a loop is unrolled; here a block counts its writes.
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;

namespace {

/// Ops are equal if they have the same operands, attributes, types and regions.
struct EqualOps : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *left, const Operation *right) {
    if (left == right)
      return true;
    for (const Operation *marker : {getEmptyKey(), getTombstoneKey()})
      if (left == marker || right == marker)
        return false;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(left),
                                                const_cast<Operation *>(right),
                                                OperationEquivalence::IgnoreLocations);
  }
};

/// An op that others may be equal to, and how many writes its block had before it.
struct Known {
  Operation *op = nullptr;
  unsigned writes = 0;
};

/// The effect of an op on memory. Of several effects, the last of this list counts.
enum class Effect { None, Read, Other, Write };

class Merger {
public:
  void merge(Operation *top) {
    (void)mergeInside(*top);
    for (Operation *op : replaced)
      op->erase();
  }

private:
  using Table = llvm::ScopedHashTable<Operation *, Known, EqualOps>;

  Effect mergeInside(Operation &op);
  Effect mergeBlock(Block &block);
  void mergeOp(Operation &op, Effect effect, unsigned writes);

  Table known;
  SmallVector<Operation *> replaced; ///< erased at the end: a key of the table stays an op
};

/// Returns the effect of an op whose regions have the effect `inside`.
Effect effectOf(Operation &op, Effect inside) {
  const bool hasThoseInside = op.hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  Effect effect = hasThoseInside ? inside : Effect::None;
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return hasThoseInside ? effect : Effect::Write;
  SmallVector<MemoryEffects::EffectInstance> own;
  interface.getEffects(own);
  for (const MemoryEffects::EffectInstance &each : own)
    effect = std::max(effect, isa<MemoryEffects::Read>(each.getEffect())    ? Effect::Read
                              : isa<MemoryEffects::Write>(each.getEffect()) ? Effect::Write
                                                                            : Effect::Other);
  return effect;
}

} // namespace

/// Merges the ops in the regions, and returns the effect of these.
Effect Merger::mergeInside(Operation &op) {
  Effect effect = Effect::None;
  for (Region &region : op.getRegions())
    for (Block &block : region)
      effect = std::max(effect, mergeBlock(block));
  return effect;
}

/// Tasks are structured, so that what is known around a block dominates it, and nothing in one
/// block of a region is known in the next.
Effect Merger::mergeBlock(Block &block) {
  const Table::ScopeTy scope(known);
  Effect all = Effect::None;
  unsigned writes = 0;
  for (Operation &op : block) {
    const Effect effect = effectOf(op, mergeInside(op));
    mergeOp(op, effect, writes);
    writes += effect == Effect::Write;
    all = std::max(all, effect);
  }
  return all;
}

void Merger::mergeOp(Operation &op, Effect effect, unsigned writes) {
  if (op.hasTrait<OpTrait::IsTerminator>())
    return;
  if (isOpTriviallyDead(&op)) {
    replaced.push_back(&op);
    return;
  }
  if (effect > Effect::Read)
    return;
  const Known first = known.lookup(&op);
  const bool isSame =
      first.op &&
      (effect == Effect::None || (first.op->getBlock() == op.getBlock() && first.writes == writes));
  if (!isSame)
    return known.insert(&op, {&op, writes});
  op.replaceAllUsesWith(first.op);
  if (isa<UnknownLoc>(first.op->getLoc()))
    first.op->setLoc(op.getLoc());
  replaced.push_back(&op);
}

void sextant::simt::mergeEqual(ModuleOp module) { Merger().merge(module); }
