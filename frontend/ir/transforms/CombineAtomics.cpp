// Atomics whose old value nobody uses, at one place for the whole block: a sum over the grid, a
// minimum, a flag. Each thread collects its values in a variable of its own, in all its block's
// turns (Turns.h), and at the task's end the block combines them and performs one atomic, through
// lanes:
//
//     any = barrier_reduce any (this thread got there)
//     if any:
//         sums[subgroup] = reduce(variable)        // by the first lane of each subgroup
//         barrier
//         if thread < wave: total = reduce(sums); thread 0: atomic op total
//
// where a reducing barrier takes several plain ones, without one:
//
//     sums[subgroup] = reduce(variable), any[subgroup] = vote any (this thread got there)
//     barrier
//     if thread < wave: total = reduce(sums); if any of any: thread 0: atomic op total
//
// or through shared memory only:
//
//     sums[thread] = variable
//     any = barrier_reduce any (this thread got there)
//     if any:
//         if thread < parts: sums[thread] = the sum of sums[thread], sums[thread + parts], ...
//         barrier
//         thread 0: atomic op the sum of sums[0], ..., sums[parts - 1]
//
// No program can notice, except that sums of reals are rounded in another order: threads run in no
// defined order, and nothing later in a thread's own program order touches global memory. Where no
// thread of the block got there, memory is left alone.
//
// Others at one place, in loops or before other accesses, get a mark: lanes that run them together
// may combine their values there. So do those whose place only an iteration's number tells: lanes
// are mostly in the same one.
#include "frontend/ir/transforms/BlockUniform.h"
#include "frontend/ir/transforms/Combine.h"
#include "frontend/ir/transforms/GlobalAccess.h"
#include "frontend/ir/transforms/LateInLoops.h"
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Turns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sextant::simt;

//===--- What can wait for the task's end ----------------------------------===//

/// True if `value` is arithmetic on parameters, constants and the block's index, so that it can be
/// computed again at the task's end.
static bool isOfBlock(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(value.getParentBlock()->getParentOp());
  if (isa<BlockIdxOp, GridDimOp, ViewOp>(op))
    return true;
  if (depth > 8 || op->getNumRegions() || !isPure(op) || op->hasTrait<OfThread>())
    return false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isOfBlock(operand, depth + 1); });
}

/// True if the condition holds in one thread of the block at most.
static bool holdsInOneThread(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return holdsInOneThread(both.getLhs()) || holdsInOneThread(both.getRhs());
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         compare.getLhs().getDefiningOp<ThreadIdxOp>() && constantInteger(compare.getRhs());
}

/// True if one thread of the block at most performs the atomic: there is nothing to combine.
static bool isOfOneThread(AtomicRmwOp op) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (branch.getThenRegion().isAncestor(op->getParentRegion()) &&
        holdsInOneThread(branch.getCondition()))
      return true;
  return false;
}

/// In one thread, different operators at one place stay in order.
static bool fitsBlock(AtomicRmwOp op, llvm::ArrayRef<AtomicRmwOp> later) {
  return isOfBlock(op.getIndex()) &&
         llvm::all_of(later, [&](AtomicRmwOp other) { return other.getKind() == op.getKind(); });
}

//===--- The end of the task -----------------------------------------------===//

namespace {

/// An atomic that the block performs once.
struct Combined {
  AtomicRmwOp op;
  Value variable; ///< the thread's: what it has collected
  Value sums;     ///< the block's: of its subgroups, or of its threads; null if there is one
};

struct End {
  OpBuilder b;
  Location loc;
  unsigned blockDim = 1, wave = 1; ///< a wave of one lane: subgroups do not count
  bool byVotes = false;
  /// The block's: whether threads of each subgroup got there; null if there is one.
  Value votes = {};
  unsigned sums() const { return blockDim / wave; }

  Value integer(int64_t value) { return createWord(b, loc, value); }
  Value compare(arith::CmpIPredicate predicate, Value value, int64_t with) {
    return b.create<arith::CmpIOp>(loc, predicate, value, integer(with));
  }
  void onlyIf(Value condition, llvm::function_ref<void()> body) {
    auto branch = b.create<scf::IfOp>(loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }
  Value load(Value buffer, Value index) {
    const Type element = cast<BufferType>(buffer.getType()).getElementType();
    return b.create<LoadOp>(loc, element, buffer, index, /*volatile_=*/false);
  }
  Value reduce(CombineKind kind, Value value, unsigned lanes) {
    return lanes == 1 ? value
                      : b.create<ReduceOp>(loc, value.getType(), kind, value,
                                           llvm::Log2_32_Ceil(lanes), /*all=*/false);
  }
  /// The value of isOfBlock(), where it is needed.
  Value again(Value value) {
    IRMapping mapping;
    return computeAgain(b, value, mapping,
                        [](Value part) { return bool(part.getDefiningOp<ViewOp>()); });
  }
  Value anyOf(Value holds, unsigned lanes) {
    return lanes == 1 ? holds
                      : b.create<VoteOp>(loc, VoteKind::Any, holds, llvm::Log2_32_Ceil(lanes));
  }
  /// The vote of that number, false if there is none.
  Value voteAt(Value number) {
    Value isOne = compare(arith::CmpIPredicate::ult, number, sums());
    Value at = b.create<arith::SelectOp>(loc, isOne, number, integer(0));
    Value holds = compare(arith::CmpIPredicate::ne, load(votes, at), 0);
    return b.create<arith::AndIOp>(loc, isOne, holds);
  }
  /// The sum of that number, or what changes nothing if there is none.
  Value sumAt(const Combined &each, Value number) {
    AtomicRmwOp op = each.op;
    Value isOne = compare(arith::CmpIPredicate::ult, number, sums());
    Value at = b.create<arith::SelectOp>(loc, isOne, number, integer(0));
    Value sum = load(each.sums, at);
    return b.create<arith::SelectOp>(loc, isOne, sum,
                                     createNeutral(b, loc, op.getKind(), sum.getType()));
  }
  void store(llvm::ArrayRef<Combined> all, Value number, llvm::function_ref<Value(Combined)> sum) {
    for (const Combined &each : all)
      b.create<StoreOp>(loc, sum(each), each.sums, number, /*volatile_=*/false);
  }
  void atomic(const Combined &each, Value value) {
    AtomicRmwOp op = each.op;
    b.create<AtomicRmwOp>(loc, value.getType(), op.getKind(), value, op.getBuffer(),
                          again(op.getIndex()));
  }
  Value fold(const Combined &each, Value first, unsigned step, unsigned count);
  void throughLanes(llvm::ArrayRef<Combined> all, Value thread, Value got);
  void throughShared(llvm::ArrayRef<Combined> all, Value thread);
  void perform(llvm::ArrayRef<Combined> all, Value happened);
  void performEarly(llvm::ArrayRef<Combined> all, Value happened);
};

} // namespace

/// `got`: whether this thread got there, if that is not known of the block.
void End::throughLanes(llvm::ArrayRef<Combined> all, Value thread, Value got) {
  llvm::SmallVector<Value> values;
  Value any = got ? anyOf(got, wave) : Value();
  for (const Combined &each : all)
    values.push_back(reduce(AtomicRmwOp(each.op).getKind(), load(each.variable, integer(0)), wave));
  if (sums() > 1) {
    Value lane = b.create<LaneOp>(loc);
    onlyIf(compare(arith::CmpIPredicate::eq, lane, 0), [&] {
      Value subgroup = b.create<arith::ShRUIOp>(loc, thread, integer(llvm::Log2_32(wave)));
      for (auto [each, value] : llvm::zip(all, values))
        b.create<StoreOp>(loc, value, each.sums, subgroup, /*volatile_=*/false);
      if (any)
        b.create<StoreOp>(loc, b.create<arith::ExtUIOp>(loc, b.getI32Type(), any), votes, subgroup,
                          /*volatile_=*/false);
    });
    b.create<BarrierOp>(loc);
  }
  onlyIf(compare(arith::CmpIPredicate::ult, thread, wave), [&] {
    if (any && sums() > 1)
      any = anyOf(voteAt(thread), sums());
    for (auto [each, value] : llvm::zip(all, values)) {
      if (sums() > 1)
        value = reduce(AtomicRmwOp(each.op).getKind(), sumAt(each, thread), sums());
      Value performs = compare(arith::CmpIPredicate::eq, thread, 0);
      if (any)
        performs = b.create<arith::AndIOp>(loc, performs, any);
      onlyIf(performs, [&] { atomic(each, value); });
    }
  });
}

/// Combines every `step`-th of `count` sums, from `first` on, which is below `step`.
Value End::fold(const Combined &each, Value first, unsigned step, unsigned count) {
  Value all = load(each.sums, first);
  for (unsigned i = step; i < count; i += step) {
    Value number = b.create<arith::AddIOp>(loc, first, integer(i));
    Value sum = i + step <= count ? load(each.sums, number) : sumAt(each, number);
    all = createCombine(b, loc, AtomicRmwOp(each.op).getKind(), all, sum);
  }
  return all;
}

void End::throughShared(llvm::ArrayRef<Combined> all, Value thread) {
  const unsigned parts = 1u << llvm::Log2_32(blockDim) / 2;
  onlyIf(compare(arith::CmpIPredicate::ult, thread, parts), [&] {
    store(all, thread, [&](const Combined &each) { return fold(each, thread, parts, sums()); });
  });
  b.create<BarrierOp>(loc);
  onlyIf(compare(arith::CmpIPredicate::eq, thread, 0), [&] {
    for (const Combined &each : all)
      atomic(each, fold(each, integer(0), 1, parts));
  });
}

void End::perform(llvm::ArrayRef<Combined> all, Value happened) {
  const bool isShared = wave == 1;
  Value thread = b.create<ThreadIdxOp>(loc);
  if (isShared)
    store(all, thread, [&](const Combined &each) { return load(each.variable, integer(0)); });
  Value got = compare(arith::CmpIPredicate::ne, load(happened, integer(0)), 0);
  if (byVotes)
    return throughLanes(all, thread, got);
  Value any = b.create<BarrierReduceOp>(loc, b.getI32Type(), BarrierReduceKind::Any, got);
  onlyIf(compare(arith::CmpIPredicate::ne, any, 0),
         [&] { isShared ? throughShared(all, thread) : throughLanes(all, thread, {}); });
}

/// Performs what this thread has collected so far.
void End::performEarly(llvm::ArrayRef<Combined> all, Value happened) {
  Value got = compare(arith::CmpIPredicate::ne, load(happened, integer(0)), 0);
  onlyIf(got, [&] {
    for (const Combined &each : all) {
      AtomicRmwOp op = each.op;
      atomic(each, load(each.variable, integer(0)));
      b.create<StoreOp>(loc, createNeutral(b, loc, op.getKind(), op.getValue().getType()),
                        each.variable, integer(0), /*volatile_=*/false);
    }
    b.create<StoreOp>(loc, integer(0), happened, integer(0), /*volatile_=*/false);
  });
}

//===--- Tasks -------------------------------------------------------------===//

/// The shared memory that targets without reducing barriers take for one.
static constexpr uint64_t counterBytes = 16;

/// Replaces the atomics of one block of code, which threads reach together, by variables. At the
/// beginning of `early` blocks a thread performs what it has collected.
static void combine(func::FuncOp task, llvm::ArrayRef<AtomicRmwOp> ops,
                    llvm::ArrayRef<Block *> early, unsigned blockDim, unsigned wave, bool byVotes) {
  Block &entry = task.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  const Location loc = AtomicRmwOp(ops.front()).getLoc();
  auto array = [&](Type type, Space space, uint64_t count) {
    return BufferType::get(task.getContext(), type, space, count);
  };
  auto constant = [&](int64_t value) { return createWord(b, loc, value); };
  const unsigned sums = blockDim / wave;
  llvm::SmallVector<Combined> all;
  for (AtomicRmwOp op : ops) {
    const Type type = op.getValue().getType();
    Combined each{op, b.create<PrivateOp>(loc, array(type, Space::Private, 1)), {}};
    if (sums > 1)
      each.sums = b.create<SharedOp>(loc, array(type, Space::Shared, sums), "atomics");
    all.push_back(each);
  }
  Value happened = b.create<PrivateOp>(loc, array(b.getI32Type(), Space::Private, 1));
  Value zero = constant(0);
  b.create<StoreOp>(loc, zero, happened, zero, /*volatile_=*/false);
  for (const Combined &each : all) {
    AtomicRmwOp op = each.op;
    b.create<StoreOp>(loc, createNeutral(b, loc, op.getKind(), op.getValue().getType()),
                      each.variable, zero, /*volatile_=*/false);
  }
  for (const Combined &each : all) {
    AtomicRmwOp op = each.op;
    b.setInsertionPoint(op);
    const Type type = op.getValue().getType();
    Value before = b.create<LoadOp>(loc, type, each.variable, zero, /*volatile_=*/false);
    b.create<StoreOp>(loc, createCombine(b, loc, op.getKind(), before, op.getValue()),
                      each.variable, zero, /*volatile_=*/false);
    b.create<StoreOp>(loc, constant(1), happened, zero, /*volatile_=*/false);
  }
  Value votes;
  if (byVotes && sums > 1) {
    b.setInsertionPointToStart(&entry);
    votes = b.create<SharedOp>(loc, array(b.getI32Type(), Space::Shared, sums), "atomics");
  }
  for (Block *block : early)
    End{OpBuilder::atBlockBegin(block), loc}.performEarly(all, happened);
  End end{OpBuilder(entry.getTerminator()), loc, blockDim, wave, byVotes, votes};
  end.perform(all, happened);
  for (AtomicRmwOp op : ops)
    op.erase();
}

/// True if threads of the task run at once, and none waits for another's updates.
static bool mayCombine(func::FuncOp task) {
  const std::optional<TaskInfo> info = getTaskInfo(task);
  return info && !info->serial && !synchronises(task);
}

/// Marks the atomics that lanes may perform as one.
static void markPlaces(func::FuncOp task) {
  std::optional<BlockUniform> uniform;
  task.walk([&](AtomicRmwOp op) {
    if (op.getKind() == CombineKind::Exchange || !op->use_empty() || isOfOneThread(op))
      return;
    if (isOfBlock(op.getIndex()))
      return setAtOnePlace(op);
    if (!op->getParentOfType<LoopLikeOpInterface>())
      return;
    if (!uniform)
      uniform.emplace(task);
    if (uniform->isUniform(op.getIndex()))
      setOftenAtOnePlace(op);
  });
}

/// The atomics that can wait for the task's end, the last one first.
static llvm::SmallVector<AtomicRmwOp> findLate(func::FuncOp task, LateLoops &loops) {
  llvm::SmallVector<AtomicRmwOp> ops;
  scf::ForOp turns = turnsOf(task);
  (void)collectLate(turns ? *turns.getBody() : task.getBody().front(), ops, fitsBlock, &loops);
  llvm::erase_if(ops, isOfOneThread);
  return ops;
}

bool sextant::simt::combinesMoreByAddress(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp task) {
    LateLoops loops;
    return mayCombine(task) && getTaskInfo(task)->blockDim > 1 && !findLate(task, loops).empty() &&
           !loops.reading.empty();
  });
}

void sextant::simt::combineAtomics(ModuleOp module, CombineSupport support,
                                   llvm::function_ref<bool(func::FuncOp, uint64_t)> fits) {
  const unsigned wave = support.how == CombineThrough::Shared ? 1 : getWaveSize(module);
  for (auto task : module.getOps<func::FuncOp>()) {
    if (!mayCombine(task))
      continue;
    markPlaces(task);
    const std::optional<TaskInfo> info = getTaskInfo(task);
    llvm::SmallVector<AtomicRmwOp> ops;
    LateLoops loops{.mayLoad = support.hasAddresses};
    if (info->blockDim > 1 && info->blockDim % wave == 0)
      ops = findLate(task, loops);
    const uint64_t sums = info->blockDim / wave;
    if (ops.empty() || !fits(task, counterBytes + ops.size() * (8 + 4) * sums))
      continue;
    std::reverse(ops.begin(), ops.end());
    llvm::SmallVector<Block *> early;
    for (scf::ForOp loop : loops.reading)
      early.push_back(&runApart(loop, ops));
    llvm::MapVector<Block *, llvm::SmallVector<AtomicRmwOp>> groups;
    for (AtomicRmwOp op : ops)
      groups[op->getBlock()].push_back(op);
    for (const auto &[block, group] : groups)
      combine(task, group, early, info->blockDim, wave, support.how == CombineThrough::Votes);
  }
}
