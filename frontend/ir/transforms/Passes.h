// The transforms of simt modules that targets share. Each backend calls these functions in its
// order. A table gives tools their names.
#pragma once

#include "frontend/ir/SimtDialect.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace sextant::simt {

/// Folds, canonicalises and merges common subexpressions until nothing changes.
mlir::LogicalResult simplify(mlir::ModuleOp module);

/// Merges ops that compute the same. Reads are merged in one block without a write between them.
void mergeEqual(mlir::ModuleOp module);

/// Replaces the reductions, scans and votes that the target lacks by shuffles: a `down` tree for
/// reductions into the first lane, an `xor` butterfly for reductions into all lanes and for votes,
/// Hillis and Steele's steps of `up` for scans. Matches become one ballot for each bit. Every lane
/// of the subgroup takes part in each. `keeps` returns true if the target emits the op itself.
void expandSubgroup(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Operation *)> keeps);

/// Replaces matches of 6 to 10 bits by matches of lane numbers. Each lane writes its number to the
/// place in shared memory that its value names. Lanes that find the same number there match. `fits`
/// returns true if a task may have that many more bytes of shared memory.
void matchInShared(mlir::ModuleOp module,
                   llvm::function_ref<bool(mlir::func::FuncOp, uint64_t)> fits);

/// How the threads of a block combine their values.
enum class CombineThrough {
  Lanes,  ///< reductions of subgroups, in blocks of whole subgroups
  Votes,  ///< the same, for targets without reducing barriers
  Shared, ///< in shared memory: the same code for all wave sizes
};

struct CombineSupport {
  CombineThrough how;
  bool hasAddresses = true; ///< global buffers are addresses, so code can compare places
};

/// Replaces atomics at one place for the whole block, whose old values nobody uses and after which
/// threads touch no other global memory, by one for the block: threads collect their values, and
/// the block combines them at the task's end. So it does in a last loop that also loads, where
/// targets have addresses. `fits` is that of matchInShared(). Others at one place are marked
/// (setAtOnePlace).
void combineAtomics(mlir::ModuleOp module, CombineSupport support,
                    llvm::function_ref<bool(mlir::func::FuncOp, uint64_t)> fits);
/// True if code with addresses collects more, through shared memory.
bool combinesMoreByAddress(mlir::ModuleOp module);

/// The limits of tallyAtomics() on a target.
struct TableSupport {
  uint64_t mostBytes;   ///< all tables of a block
  unsigned widest = 64; ///< bits of an element
  bool looks = true;    ///< a load may meet another thread's atomic
  /// All tables have so many bytes for each thread of a block at most, so that multiprocessors are
  /// still full of threads.
  unsigned bytesOfThread = 64;
  /// So many neighbouring places share a tag, a power of two. Then more slots fit, but places far
  /// apart have fewer tags.
  unsigned neighbours = 1;
};

/// Where blocks take turns (turnsOf()), collects updates of the same places in tables in
/// shared memory: atomics at data-dependent places, whose old values nobody uses and after which
/// threads touch no other global memory. `fits` is that of matchInShared().
void tallyAtomics(mlir::ModuleOp module, const TableSupport &support,
                  llvm::function_ref<bool(mlir::func::FuncOp, uint64_t)> fits);
/// True if there are such updates of elements of at most `widest` bits.
bool hasTallies(mlir::ModuleOp module, unsigned widest);

/// Makes small arrays of threads, which a thread updates at places that differ from lane to lane,
/// one variable for each element, and their accesses choices. They have at least `fewest` registers
/// each, and at most 64 in a task.
void chooseComponents(mlir::ModuleOp module, unsigned fewest);

/// Where a thread runs over a row of an array, has it access four elements together, or eight of 32
/// bits, if the row is a multiple of that and lies at a multiple of 16 bytes: code tests that, so
/// global buffers have to be addresses. Loops of other rows stay beside it. `hasVectors` tells
/// whether the target accesses vectors of such a buffer.
using HasVectors = llvm::function_ref<bool(BufferType)>;
void vectorizeRows(mlir::ModuleOp module, HasVectors hasVectors);
/// True if there are such loops.
bool hasRows(mlir::ModuleOp module, HasVectors hasVectors);

/// Replaces reducing barriers by counters in shared memory and one plain barrier each.
void expandBarrierReduce(mlir::ModuleOp module);

/// The properties of a target that expansions of math functions depend on.
struct MathTarget {
  bool hasFma = false; ///< it rounds x * y + z once, in one instruction, and fuses by itself
  /// Threads are lanes of vectors: a branch that no lane takes is cheap, and selects are not.
  bool hasLanes = false;
  /// A root and a division of f32 take less time than the dozen products of an inverse root.
  bool hasFastRoots = false;
  bool estimatesRoots = false; ///< it emits math.rsqrt of f32 as an estimate, for fast math
  bool isFast = false;         ///< functions of f32 may be less exact; expandMath() sets it
};

/// Replaces the math functions and remainders of reals that the target lacks by arithmetic, to
/// within a few units in the last place. Remainders are exact. `keeps` returns true if the target
/// emits the op itself.
void expandMath(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Operation *)> keeps,
                MathTarget target = {});

/// The conversions of reals that the target does itself.
struct ConversionSupport {
  llvm::ArrayRef<unsigned> toInt = {}; ///< simt.to_int, to integers of these widths
  bool doubleToHalf = false;           ///< rounded once
  bool isTotal = true; ///< arith's conversions to integers yield some value of any number
};

/// Replaces the other ones by operations that the target has. A simt.to_int of a number that is
/// known to be in range becomes arith's conversion on all targets.
void expandConversions(mlir::ModuleOp module, const ConversionSupport &support);

/// Moves ops of the math and arith dialects, of one result each, into private
/// functions before the tasks, and calls these instead. Ops of the same kind and with the same
/// constants share a function; the only one of its kind stays. `isLong` returns true for ops that
/// are worth it.
void outlineMath(mlir::ModuleOp module, llvm::function_ref<bool(mlir::Operation *)> isLong);
/// True if the code that expandMath makes of the op is longer than a call.
bool isLongMath(mlir::Operation *op);

/// Each function returns true if the target accesses 2 or 4 elements of such a buffer at once, or
/// adds to 2 or 4 as this op does to one. They take at most 16 bytes. An empty one stands for
/// false.
struct VectorSupport {
  llvm::function_ref<bool(BufferType)> access;
  llvm::function_ref<bool(AtomicRmwOp)> atomicAdd;
  bool takesAnyRun = false; ///< 3 elements, too, and of any alignment
};

/// Joins loads, stores and additions of neighbouring elements in device and shared memory, where
/// the buffer's alignment (getAlignment, at most 16) and the index show that the whole is aligned
/// to its size.
void vectorizeAccesses(mlir::ModuleOp module, const VectorSupport &support);

/// Evaluates both sides of a branch that only makes truth values, by a few operations, and selects;
/// also of a branch that makes other values, if neither side has more than `most` operations.
void evaluateConditions(mlir::ModuleOp module, unsigned most = 0);

/// Replaces a sum or difference of reals, and a product that nothing else uses, by one fma, unless
/// they are rounded as written. The product stays, unused.
void fuseProducts(mlir::ModuleOp module);

/// Emits an error at each block barrier that some threads of a block provably do not reach with the
/// others, because a condition or a loop bound around it is a function of the thread's index. It
/// does the same at each subgroup operation that some lanes do not reach. A condition that depends
/// on arguments or memory is not an error.
mlir::LogicalResult checkBarriers(mlir::ModuleOp module);

/// Replaces checks by code that records a fault, and values that threads must agree on by votes of
/// the block. A value that is provably the same in all threads needs no vote.
void expandChecks(mlir::ModuleOp module);

/// A transform with its name in tests and `--dump-ir`. `arguments` is a comma-separated list. The
/// transform defines its words.
struct NamedPass {
  llvm::StringRef name, summary;
  mlir::LogicalResult (*run)(mlir::ModuleOp module, llvm::StringRef arguments);
};

llvm::ArrayRef<NamedPass> allPasses();
/// Returns the pass of that name, or null.
const NamedPass *findPass(llvm::StringRef name);

} // namespace sextant::simt
