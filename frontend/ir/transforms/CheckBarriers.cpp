// Finds block barriers that not all threads of a block reach, and subgroup
// operations that not all lanes of a subgroup reach, by computing the conditions
// around them for every thread of block 0. Only what is a function of
// thread and block index and of constants can be computed so; nothing is guessed
// of the rest.
//
// Code that is written for subgroups of 32 lanes may have a condition such as `thread < 32`, which
// half of a subgroup of 64 reaches. That half is all that takes part there: operations between two
// lanes, and those of a tile that is not larger, need no others, and one of the whole subgroup
// becomes one of the half.
#include "frontend/ir/Refuse.h"
#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sextant::simt;

namespace {

/// The value of an expression in one thread, by folding.
class ThreadValues {
public:
  ThreadValues(unsigned thread, unsigned wave) : thread(thread), wave(wave) {}

  Attribute of(Value value) {
    auto known = values.find(value);
    if (known != values.end())
      return known->second;
    Attribute result = compute(value);
    values[value] = result;
    return result;
  }

private:
  Attribute compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || op->getNumResults() != 1)
      return nullptr;
    if (isa<ThreadIdxOp>(op))
      return IntegerAttr::get(value.getType(), thread);
    if (isa<BlockIdxOp>(op)) // every launch has a block 0: what holds there is proof enough
      return IntegerAttr::get(value.getType(), 0);
    if (isa<LaneOp>(op))
      return IntegerAttr::get(value.getType(), thread % wave);
    if (auto agreed = dyn_cast<AgreeOp>(op)) // a build that checks reports what others do
      return of(agreed.getValue());
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    if (!isPure(op) || op->getNumOperands() == 0)
      return nullptr;
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(of(operand));
      if (!operands.back())
        return nullptr;
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return nullptr;
    if (auto folded = dyn_cast<Attribute>(results.front()))
      return folded;
    return of(cast<Value>(results.front()));
  }

  unsigned thread, wave;
  llvm::DenseMap<Value, Attribute> values;
};

struct Checker {
  unsigned blockDim, wave;

  /// True if `key`, computed for every thread, is known and differs between two
  /// of the same aligned group of `group` threads.
  bool differs(unsigned group, llvm::function_ref<Attribute(ThreadValues &)> key) const {
    Attribute first;
    for (unsigned thread = 0; thread < blockDim; ++thread) {
      ThreadValues values(thread, wave);
      Attribute own = key(values);
      if (!own)
        return false;
      if (thread % group == 0)
        first = own;
      else if (own != first)
        return true;
    }
    return false;
  }

  /// True if threads of a group provably take different ways through `op`.
  bool isDivergent(Operation *op, unsigned group) const {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return differs(group, [&](ThreadValues &values) { return values.of(branch.getCondition()); });
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return false;
    return differs(group, [&](ThreadValues &values) -> Attribute {
      auto low = dyn_cast_or_null<IntegerAttr>(values.of(loop.getLowerBound()));
      auto high = dyn_cast_or_null<IntegerAttr>(values.of(loop.getUpperBound()));
      auto step = dyn_cast_or_null<IntegerAttr>(values.of(loop.getStep()));
      if (!low || !high || !step || step.getInt() <= 0)
        return nullptr;
      int64_t distance = std::max<int64_t>(high.getInt() - low.getInt(), 0);
      int64_t iterations = (distance + step.getInt() - 1) / step.getInt();
      return IntegerAttr::get(IntegerType::get(op->getContext(), 64), iterations);
    });
  }

  /// True if, in each subgroup, `part` lanes at most provably take the branch's side with `op`.
  bool isOfOnePart(scf::IfOp branch, Operation *op, unsigned part) const {
    const bool side = branch.getThenRegion().isAncestor(op->getParentRegion());
    std::optional<unsigned> taken;
    for (unsigned thread = 0; thread < blockDim; ++thread) {
      ThreadValues values(thread, wave);
      const auto condition = dyn_cast_or_null<IntegerAttr>(values.of(branch.getCondition()));
      if (!condition)
        return false;
      if (condition.getValue().isZero() == side)
        continue;
      if (taken && *taken != thread / part && *taken / (wave / part) == thread / wave)
        return false;
      taken = thread / part;
    }
    return true;
  }
};

} // namespace

/// The lanes of which each has to get there if one does. Where a device has wide subgroups, those
/// of others are parts of them.
static unsigned lanesOf(Operation *op, unsigned wave) {
  constexpr unsigned widest = 32;
  if (std::optional<unsigned> tile = log2TileOf(op))
    return std::min(wave, std::max(1u << *tile, widest));
  return isa<ShuffleOp, BallotOp>(op) ? std::min(wave, widest) : wave;
}

/// Makes a collective of the subgroup one of the part that gets there, if that is what `around`
/// says.
static bool narrow(Operation *op, Operation *around, const Checker &checker) {
  constexpr unsigned part = 32;
  auto branch = dyn_cast<scf::IfOp>(around);
  if (!branch || checker.wave <= part || !log2TileOf(op) || checker.isDivergent(around, part) ||
      !checker.isOfOnePart(branch, op, part))
    return false;
  op->setAttr("log2Size", Builder(op).getI32IntegerAttr(llvm::Log2_32(part)));
  return true;
}

static LogicalResult checkTask(func::FuncOp task, unsigned wave) {
  std::optional<TaskInfo> info = getTaskInfo(task);
  if (!info || info->serial || info->blockDim == 1)
    return success();
  Checker checker{info->blockDim, wave};
  llvm::DenseMap<std::pair<Operation *, unsigned>, bool> known; // keys: lanes that have to agree
  LogicalResult result = success();
  DenseSet<Location> reported; // a call of the library is wrong once
  auto check = [&](Operation *op) {
    bool isBarrier = op->hasTrait<BlockBarrier>();
    auto instruction = dyn_cast<InstructionOp>(op);
    const bool isOfThread = instruction && instruction.getOfThread();
    if (!isBarrier && (isOfThread || !op->hasTrait<Subgroup>()))
      return;
    const unsigned lanes = isBarrier ? info->blockDim : lanesOf(op, wave);
    for (Operation *around = op->getParentOp(); around != task; around = around->getParentOp()) {
      // The loop's own bound, of which the frontend tells what it breaks.
      if (around->getParentOp() == task && around->getLoc() == task.getLoc() && !isBarrier)
        continue;
      auto [entry, isNew] = known.try_emplace({around, lanes}, false);
      if (isNew)
        entry->second = checker.isDivergent(around, lanes);
      if (!entry->second || (!isBarrier && narrow(op, around, checker)))
        continue;
      if (!reported.insert(op->getLoc()).second)
        return;
      InFlightDiagnostic report = refuse(op, isBarrier ? sextant::Problem::BarrierNotReachedByAll
                                                       : sextant::Problem::SubgroupNotReachedByAll);
      if (isBarrier)
        report << "block barrier in divergent control flow: threads of the block do not all "
                  "reach it; put it after the branch, and what the branch does before it into "
                  "a branch of its own";
      else
        report << "subgroup operation in divergent control flow: lanes of the subgroup do not "
                  "all reach it; compute it before the branch, in all lanes, and use its result "
                  "inside";
      report.attachNote(around->getLoc())
          << (isa<scf::ForOp>(around) ? "the number of iterations depends on the thread's index"
                                      : "the condition depends on the thread's index");
      result = failure();
      return;
    }
  };
  // Barriers first: what holds one is a matter of the block.
  for (bool barriers : {true, false})
    task.walk([&](Operation *op) {
      if (op->hasTrait<BlockBarrier>() == barriers)
        check(op);
    });
  return result;
}

LogicalResult sextant::simt::checkBarriers(ModuleOp module) {
  LogicalResult result = success();
  for (auto task : module.getOps<func::FuncOp>())
    if (failed(checkTask(task, getWaveSize(module))))
      result = failure();
  return result;
}
