// The table of named transforms.
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Turns.h"

#include "llvm/ADT/STLExtras.h"

using namespace sextant::simt;

/// Words of expand-subgroup name the ops that stay as they are: `reduce`, `scan`, `vote`, `match`.
static mlir::LogicalResult runExpandSubgroup(mlir::ModuleOp module, llvm::StringRef arguments) {
  expandSubgroup(module, [&](mlir::Operation *op) {
    return arguments.contains(op->getName().stripDialect());
  });
  return mlir::success();
}

/// Words of expand-conversions: `words` and `doubles` stay as they are, as does `half`; `partial`
/// is for targets whose own conversions are undefined out of range.
static mlir::LogicalResult runExpandConversions(mlir::ModuleOp module, llvm::StringRef arguments) {
  llvm::SmallVector<unsigned> widths;
  if (arguments.contains("words"))
    widths.push_back(32);
  if (arguments.contains("doubles"))
    widths.push_back(64);
  expandConversions(module, {.toInt = widths,
                             .doubleToHalf = arguments.contains("half"),
                             .isTotal = !arguments.contains("partial")});
  return mlir::success();
}

static constexpr NamedPass passes[] = {
    {"simplify", "fold, canonicalise, merge common subexpressions",
     [](mlir::ModuleOp module, llvm::StringRef) { return simplify(module); }},
    {"expand-subgroup", "reductions, scans and votes to shuffles, matches to ballots",
     runExpandSubgroup},
    {"match-in-shared", "matches of 6 to 10 bits to those of lane numbers",
     [](mlir::ModuleOp module, llvm::StringRef) {
       matchInShared(module, [](mlir::func::FuncOp, uint64_t) { return true; });
       return mlir::success();
     }},
    {"combine-atomics", "atomics at one place to one for the block",
     [](mlir::ModuleOp module, llvm::StringRef arguments) {
       CombineSupport support{arguments.contains("shared") ? CombineThrough::Shared
                              : arguments == "votes"       ? CombineThrough::Votes
                                                           : CombineThrough::Lanes};
       support.hasAddresses = !arguments.contains("bindings");
       combineAtomics(module, support, [](mlir::func::FuncOp, uint64_t) { return true; });
       return mlir::success();
     }},
    {"tally-atomics", "updates at data-dependent places through tables in shared memory",
     [](mlir::ModuleOp module, llvm::StringRef arguments) {
       TableSupport support{.mostBytes = 32 * 1024};
       if (arguments == "fours")
         support.neighbours = 4;
       tallyAtomics(module, support, [](mlir::func::FuncOp, uint64_t) { return true; });
       return mlir::success();
     }},
    {"load-ahead", "loads of several turns of a block before their updates",
     [](mlir::ModuleOp module, llvm::StringRef) {
       loadAhead(module);
       return mlir::success();
     }},
    {"expand-barrier-reduce", "reducing barriers to a counter in shared memory",
     [](mlir::ModuleOp module, llvm::StringRef) {
       expandBarrierReduce(module);
       return mlir::success();
     }},
    {"expand-math", "math functions to arithmetic",
     [](mlir::ModuleOp module, llvm::StringRef) {
       expandMath(module, [](mlir::Operation *) { return false; });
       return mlir::success();
     }},
    {"expand-conversions", "conversions of reals to arithmetic", runExpandConversions},
    {"outline-math", "math that takes long code to functions",
     [](mlir::ModuleOp module, llvm::StringRef) {
       outlineMath(module, isLongMath);
       return mlir::success();
     }},
    {"vectorize-accesses", "accesses of neighbouring elements to one of 16 bytes at most",
     [](mlir::ModuleOp module, llvm::StringRef) {
       vectorizeAccesses(module,
                         {[](BufferType) { return true; }, [](AtomicRmwOp) { return true; }});
       return mlir::success();
     }},
    {"vectorize-rows", "a thread's accesses of a row of an array to some of four elements",
     [](mlir::ModuleOp module, llvm::StringRef) {
       vectorizeRows(module, [](BufferType) { return true; });
       return mlir::success();
     }},
    {"evaluate-conditions", "branches of at most N operations a side to selects",
     [](mlir::ModuleOp module, llvm::StringRef arguments) {
       unsigned most = 0;
       (void)arguments.getAsInteger(10, most);
       evaluateConditions(module, most);
       return mlir::success();
     }},
    {"check-barriers", "report barriers that not all threads of a block reach",
     [](mlir::ModuleOp module, llvm::StringRef) { return checkBarriers(module); }},
    {"expand-checks", "run-time checks to records of faults",
     [](mlir::ModuleOp module, llvm::StringRef) {
       expandChecks(module);
       return mlir::success();
     }},
};

llvm::ArrayRef<NamedPass> sextant::simt::allPasses() { return passes; }

const NamedPass *sextant::simt::findPass(llvm::StringRef name) {
  const NamedPass *found =
      llvm::find_if(passes, [&](const NamedPass &pass) { return pass.name == name; });
  return found == std::end(passes) ? nullptr : found;
}
