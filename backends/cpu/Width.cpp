// The width of tasks without subgroup operations: four registers of words for each value, and fewer
// if they are wide, if the values are many, have 64 bits, or come four at a time, or if that is how
// wide the rows of a tile are.
#include "backends/cpu/Width.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace scf = mlir::scf;

/// True if each thread walks over a run of memory of its own, and does little with what it reads: a
/// row of a sparse matrix. As lanes, all of its loads would be gathers, and lanes with short runs
/// would wait for the longest.
static bool walksRuns(mlir::func::FuncOp task, Lanes lanes) {
  ShapeAnalysis shapes(task, lanes);
  bool walks = false;
  auto found = task.walk([&](mlir::Operation *op) {
    // One thread at a time has no table for atomics, and calls of math take one each.
    if (isa<simt::AtomicRmwOp, simt::AtomicAddVectorOp, simt::AtomicCasOp, scf::WhileOp,
            simt::SharedOp>(op) ||
        isa<mlir::math::MathDialect>(op->getDialect()) || isa<mlir::arith::DivFOp>(op))
      return mlir::WalkResult::interrupt();
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return mlir::WalkResult::advance();
    unsigned loads = 0, runs = 0, others = 0;
    for (mlir::Operation &inner : loop.getBody()->without_terminator()) {
      if (inner.getNumRegions())
        return mlir::WalkResult::interrupt();
      auto load = dyn_cast<simt::LoadOp>(inner);
      loads += load && shapes.of(load.getIndex()).isVarying();
      runs += load && load.getIndex() == loop.getInductionVar();
      others += !load;
    }
    walks = shapes.of(loop.getLowerBound()).isVarying() && runs >= 2 && others <= 2 * loads;
    return walks ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return walks && !found.wasInterrupted();
}

/// Ops for each value that a loop carries, from which on it may as well lie in memory.
static constexpr size_t opsPerCarried = 16;

/// The most values that a loop of little work carries in registers. Past a barrier they lie in
/// memory, whatever the width.
static unsigned mostCarried(mlir::func::FuncOp task) {
  size_t most = 0;
  task.walk([&](scf::ForOp loop) {
    const size_t carried = loop.getNumRegionIterArgs();
    size_t ops = 0;
    loop.walk([&](mlir::Operation *) { ++ops; });
    if (ops < carried * opsPerCarried && !containsBarrier(loop))
      most = std::max(most, carried);
  });
  return unsigned(most);
}

/// The most vectors that are live at once in the block and those inside of it, if `outside` are
/// live around it. An op's operands die after it.
static unsigned mostLive(mlir::Block &block, const ShapeAnalysis &shapes, unsigned outside) {
  llvm::DenseMap<mlir::Operation *, unsigned> places;
  for (mlir::Operation &op : block)
    places[&op] = places.size();
  std::vector<int> changes(places.size() + 1);
  const auto add = [&](mlir::Value value, unsigned from) {
    if (!shapes.of(value).isVarying())
      return;
    unsigned last = from;
    for (mlir::Operation *user : value.getUsers())
      if (mlir::Operation *op = block.findAncestorOpInBlock(*user))
        last = std::max(last, places[op] + 1);
    ++changes[from];
    --changes[last];
  };
  for (mlir::Value argument : block.getArguments())
    add(argument, 0);
  for (mlir::Operation &op : block)
    for (mlir::Value result : op.getResults())
      add(result, places[&op]);
  unsigned live = outside, most = outside;
  for (mlir::Operation &op : block) {
    live = unsigned(int(live) + changes[places[&op]]);
    most = std::max(most, live);
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &inner : region)
        most = std::max(most, mostLive(inner, shapes, live));
  }
  return most;
}

/// True if lanes of such a chunk have vectors of four in memory of their own, which are taken
/// apart. Vectors that all lanes load from one address do not count, nor do those side by side
/// where there are 32 registers: others are often columns of a matrix.
static bool takesFoursApart(mlir::func::FuncOp task, Lanes lanes, const Machine &machine) {
  ShapeAnalysis shapes(task, lanes);
  const auto isOwn = [&](auto op, size_t count) {
    const Shape index = shapes.of(op.getIndex());
    const bool isSideBySide = index.kind == Shape::Affine && index.stride == 1;
    return count == 4 && !index.isUniform() && (machine.vectorBytes == 32 || !isSideBySide);
  };
  return task
      .walk([&](mlir::Operation *op) {
        auto load = dyn_cast<simt::LoadVectorOp>(op);
        auto store = dyn_cast<simt::StoreVectorOp>(op);
        const bool found = (load && isOwn(load, load.getElements().size())) ||
                           (store && isOwn(store, store.getValues().size()));
        return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Loads and stores whose lanes are neither at one place nor at places a fixed distance apart.
static unsigned countScattered(mlir::func::FuncOp task, Lanes lanes) {
  ShapeAnalysis shapes(task, lanes);
  unsigned count = 0;
  task.walk([&](mlir::Operation *op) {
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case<simt::LoadOp, simt::StoreOp, simt::LoadVectorOp, simt::StoreVectorOp>(
            [&](auto access) { count += shapes.of(access.getIndex()).isVarying(); });
  });
  return count;
}

/// Halves the width, down to one register of words, where fewer accesses are scattered then: rows
/// of a tile of 16 are one after the other for 16 lanes, and not for 32.
static unsigned fitRows(mlir::func::FuncOp task, Lanes lanes, const Machine &machine) {
  unsigned scattered = countScattered(task, lanes);
  while (scattered && lanes.width * 4 > machine.vectorBytes) {
    Lanes half = lanes;
    half.width /= 2;
    const unsigned fewer = countScattered(task, half);
    if (fewer >= scattered)
      break;
    scattered = fewer;
    lanes = half;
  }
  return lanes.width;
}

/// True for a product that one instruction adds to something.
static bool isAdded(mlir::Operation &op) {
  return isa<mlir::arith::MulFOp>(op) && op.hasOneUse() &&
         isa<mlir::arith::AddFOp>(*op.user_begin());
}

Lanes cpu::chooseLanes(mlir::func::FuncOp task, const Machine &machine, unsigned wave,
                       bool isStepped) {
  Lanes lanes;
  lanes.wave = wave;
  lanes.blockDim = simt::getTaskInfo(task)->blockDim;
  if (usesSubgroups(task)) {
    lanes.width = wave;
    return lanes;
  }
  if (lanes.blockDim == 1 || isStepped || wave == 1)
    return lanes;
  unsigned width = machine.vectorBytes == 64 ? 32 : machine.vectorBytes;
  Lanes widest = lanes;
  widest.width = width;
  ShapeAnalysis shapes(task, widest);
  unsigned ops = 0;    // instructions on vectors
  bool isWide = false; // values of 64 bits
  task.walk([&](mlir::Operation *op) {
    const auto isVector = [&](mlir::Value value) { return shapes.of(value).isVarying(); };
    ops += llvm::any_of(op->getResults(), isVector) && !(machine.hasFma && isAdded(*op));
    for (mlir::Type type : op->getResultTypes())
      isWide |= type.isF64() || type.isInteger(64);
  });
  // On AVX, few live vectors may as well be several registers each: their constants are loaded once
  // for all, and a chain of products leaves the others time.
  const bool isHeavy =
      ops > 100 && (machine.vectorBytes == 16 || mostLive(task.front(), shapes, 0) > 32);
  if (isWide || isHeavy)
    width /= 2;
  Lanes chunk = lanes;
  chunk.width = width;
  width = chunk.width = fitRows(task, chunk, machine);
  if (machine.vectorBytes >= 32 && takesFoursApart(task, chunk, machine)) // four registers each
    width = machine.vectorBytes / 4;
  // Values that loops carry stay in registers.
  const unsigned bytes = isWide ? 8 : 4;
  while (width > 8 &&
         mostCarried(task) * width * bytes / machine.vectorBytes > machine.keptVectors())
    width /= 2;
  lanes.width = std::clamp<unsigned>(PowerOf2Ceil(lanes.blockDim), 4, std::max(width, 8u));
  Lanes one = lanes;
  one.width = 1;
  return walksRuns(task, lanes) ? one : lanes;
}
