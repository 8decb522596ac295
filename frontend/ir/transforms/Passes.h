// Transforms of simt modules that targets share: free functions that a backend
// calls in the order it wants, and the table by which tools name them.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace sextant::simt {

/// Folds, canonicalises and merges common subexpressions until nothing changes.
mlir::LogicalResult simplify(mlir::ModuleOp module);

/// Says of an op whether the target emits it itself. Empty: it emits none.
struct SubgroupSupport {
  llvm::function_ref<bool(ReduceOp)> reduce;
  llvm::function_ref<bool(ScanOp)> scan;
  llvm::function_ref<bool(VoteOp)> vote;
  llvm::function_ref<bool(MatchOp)> match;
};

/// Replaces reductions, scans and votes that the target does not have by
/// shuffles: a `down` tree for reductions into the first lane, an `xor`
/// butterfly for those into all lanes and for votes, Hillis and Steele's steps
/// of `up` for scans; and matches by a ballot a bit. Every lane of the subgroup
/// takes part in each.
void expandSubgroup(mlir::ModuleOp module, const SubgroupSupport &support);

/// Replaces matches of 6 to 10 bits by matches of lane numbers, in tasks for which `fits` allows
/// so many bytes of shared memory more: each lane writes its number to the place that its value
/// names, and lanes that find the same number there match.
void matchInShared(mlir::ModuleOp module,
                   llvm::function_ref<bool(mlir::func::FuncOp, uint64_t)> fits);

/// Replaces reducing barriers by counters in shared memory and one plain barrier each.
void expandBarrierReduce(mlir::ModuleOp module);

/// Replaces math functions and remainders of reals that the target does not have by
/// arithmetic, to within a few units in the last place; remainders are exact. `keeps`
/// says of an op whether the target emits it itself.
void expandMath(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Operation *)> keeps);

/// Emits an error at each block barrier that some threads of a block provably do
/// not reach with the others, because a condition or a loop bound around it is a
/// function of the thread's index, and at each subgroup operation that some lanes
/// of a subgroup so do not reach. What depends on arguments or memory passes.
mlir::LogicalResult checkBarriers(mlir::ModuleOp module);

/// Replaces checks by what records a fault, and values to agree on by votes of the block,
/// or by themselves where they are provably the same in all threads.
void expandChecks(mlir::ModuleOp module);

/// A transform under the name that tests and `--dump-ir` know it by. `arguments`
/// is a comma-separated list whose words the transform defines.
struct NamedPass {
  llvm::StringRef name, summary;
  mlir::LogicalResult (*run)(mlir::ModuleOp module, llvm::StringRef arguments);
};

llvm::ArrayRef<NamedPass> allPasses();
/// The pass of that name, or null.
const NamedPass *findPass(llvm::StringRef name);

} // namespace sextant::simt
