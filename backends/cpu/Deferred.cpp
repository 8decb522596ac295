// Atomics whose old value nobody uses, at places that do not depend on the block: a sum over the
// grid, or a block's histogram that is added to the global one; and at data-dependent places
// (Tallies.cpp). The function collects them in
// registers or on the stack over all blocks of a call, and performs them once at its end. No
// program can notice: blocks run in no defined order, and nothing later in a thread's own program
// order touches global memory.
#include "backends/cpu/DeferredAtomics.h"

#include "backends/cpu/Combine.h"
#include "backends/cpu/LaneEmitter.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace scf = mlir::scf;

static bool isGlobal(mlir::Value buffer) {
  return cast<simt::BufferType>(buffer.getType()).getSpace() == simt::Space::Global;
}

/// True if `value` is pure arithmetic on parameters, constants and, with `ofThread`, the thread's
/// index.
static bool isOfNoBlock(mlir::Value value, bool ofThread, unsigned depth = 0) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return isa<mlir::func::FuncOp>(value.getParentBlock()->getParentOp());
  if (ofThread && isa<simt::ThreadIdxOp>(op))
    return true;
  if (depth > 8 || op->getNumRegions() || !mlir::isMemoryEffectFree(op) ||
      isa<simt::SimtDialect>(op->getDialect()))
    return false;
  return llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
    return isOfNoBlock(operand, ofThread, depth + 1);
  });
}

static bool touchesGlobalMemory(mlir::Operation &op) {
  return op
      .walk([](mlir::Operation *inner) {
        bool touches = !isa<simt::ViewOp>(inner) &&
                       llvm::any_of(inner->getOperands(), [](mlir::Value operand) {
                         return isa<simt::BufferType>(operand.getType()) && isGlobal(operand);
                       });
        return touches ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

/// Searches for deferred atomics, from the end of a task.
struct Search {
  const ShapeAnalysis &shapes;
  Lanes lanes;
  MapVector<mlir::Operation *, Places> found;

  /// False if code before `block` must not be deferred.
  bool operator()(mlir::Block &block, bool isConditional);
};

} // namespace

bool Search::operator()(mlir::Block &block, bool isConditional) {
  for (mlir::Operation &op : llvm::reverse(block.without_terminator())) {
    if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op);
        rmw && isGlobal(rmw.getBuffer()) && rmw.getKind() != simt::CombineKind::Exchange) {
      Shape shape = shapes.of(rmw.getIndex());
      bool isOnePlace = shape.kind == Shape::Block && isOfNoBlock(rmw.getIndex(), false);
      bool isOfThread = !isConditional && lanes.remainder() == 0 && shape.exact &&
                        shape.kind == Shape::Affine && isOfNoBlock(rmw.getIndex(), true);
      // In one thread, different operators at one place stay in order.
      const bool isSame = llvm::all_of(found, [&](const auto &later) {
        return cast<simt::AtomicRmwOp>(later.first).getKind() == rmw.getKind();
      });
      const bool isOfData = shape.isVarying() && isa<mlir::BlockArgument>(rmw.getBuffer()) &&
                            llvm::none_of(found, [](const auto &later) {
                              return later.second == Places::OfData; // one table is enough
                            });
      if (!isSame || (!isOnePlace && !isOfThread && !isOfData))
        return false;
      found[&op] = isOnePlace ? Places::One : isOfThread ? Places::OfThreads : Places::OfData;
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && branch.getNumResults() == 0) {
      bool isFree = (*this)(branch.getThenRegion().front(), true);
      if (!branch.getElseRegion().empty())
        isFree &= (*this)(branch.getElseRegion().front(), true);
      if (!isFree)
        return false;
      continue;
    }
    if (touchesGlobalMemory(op))
      return false;
  }
  return true;
}

MapVector<mlir::Operation *, Places> cpu::findDeferred(mlir::func::FuncOp task,
                                                       const ShapeAnalysis &shapes, Lanes lanes) {
  Search search{shapes, lanes, {}};
  if (lanes.width > 1 && !synchronises(task))
    search(task.getBody().front(), false);
  return std::move(search.found);
}

void DeferredAtomics::prepare() {
  for (auto [op, places] : findDeferred(code.task, values.shapes, lanes)) {
    auto rmw = cast<simt::AtomicRmwOp>(op);
    Collected &into = deferred[op];
    into.places = places;
    if (places == Places::OfData) {
      prepareTally(rmw, into);
      continue;
    }
    mlir::Type type = rmw.getValue().getType();
    Type *wide = b.vectorType(type);
    Value *neutral = b.splat(identityOf(rmw.getKind(), type, /*asSeen=*/false, b));
    unsigned count = into.places == Places::One ? 1 : lanes.chunks();
    into.total = b.entryAlloca(wide, "deferred", count);
    for (unsigned i = 0; i < count; ++i)
      b.CreateAlignedStore(neutral, b.CreateConstGEP1_64(wide, into.total, i),
                           Align(type.getIntOrFloatBitWidth() / 8));
    into.happened = b.entryAlloca(b.getInt1Ty(), "happened");
    b.CreateStore(b.getFalse(), into.happened);
  }
}

bool DeferredAtomics::emit(simt::AtomicRmwOp op) {
  auto found = deferred.find(op);
  if (found == deferred.end())
    return false;
  Collected &into = found->second;
  if (into.places == Places::OfData) {
    if (!values.isUniform(op.getIndex()) || !atomics.emitCombinedRmw(op))
      emitTally(op, into);
    return true;
  }
  simt::CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  Type *wide = b.vectorType(type);
  Align align(type.getIntOrFloatBitWidth() / 8);
  Value *neutral = b.splat(identityOf(kind, type, /*asSeen=*/false, b));
  Value *at = into.places == Places::One ? into.total : b.CreateGEP(wide, into.total, code.chunk);
  Value *sum = b.CreateAlignedLoad(wide, at, align);
  sum = combine(kind, sum, b.whereActive(values.vector(op.getValue()), neutral), type, b);
  b.CreateAlignedStore(sum, at, align);
  b.CreateStore(b.getTrue(), into.happened);
  return true;
}

/// Computes `value`, for which isOfNoBlock() holds, at the end of the call.
void DeferredAtomics::recompute(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return;
  for (mlir::Value operand : op->getOperands())
    recompute(operand);
  inChunk.emitOp(*op);
}

void DeferredAtomics::flush() {
  for (auto &[operation, into] : deferred) {
    auto op = cast<simt::AtomicRmwOp>(operation);
    if (into.places == Places::OfData) {
      flushTally(op, into);
      continue;
    }
    mlir::Type type = op.getValue().getType();
    Type *element = b.scalarType(type), *wide = b.widen(element);
    Align align(element->getScalarSizeInBits() / 8);
    BasicBlock *perform = b.newBlock("deferred"), *after = b.newBlock("deferred.end");
    b.CreateCondBr(b.CreateLoad(b.getInt1Ty(), into.happened), perform, after);
    b.SetInsertPoint(perform);
    if (into.places == Places::One) {
      recompute(op.getIndex());
      Value *total = b.CreateAlignedLoad(wide, into.total, align);
      atomics.rmw(op, memory.elementAddress(op.getBuffer(), values.scalar(op.getIndex())),
                  reduceAll(op.getKind(), total, type, b));
    } else {
      // Performs every thread's own update, one after the other.
      b.countedLoop(
          b.getInt32(0), b.getInt32(lanes.chunks()),
          [&](Value *index) {
            inChunk.setChunk(index);
            recompute(op.getIndex());
            Value *base = values.scalar(op.getIndex());
            Value *totals = b.CreateGEP(wide, into.total, index);
            int64_t stride = values.shapeOf(op.getIndex()).stride;
            b.countedLoop(
                b.getInt32(0), b.getInt32(lanes.width),
                [&](Value *lane) {
                  Value *steps = b.CreateZExtOrTrunc(lane, base->getType());
                  Value *offset =
                      b.CreateMul(steps, ConstantInt::get(base->getType(), uint64_t(stride), true));
                  Value *one =
                      b.CreateAlignedLoad(element, b.CreateGEP(element, totals, lane), align);
                  atomics.rmw(op, memory.elementAddress(op.getBuffer(), b.CreateAdd(base, offset)),
                              one);
                },
                "lane");
          },
          "chunk");
      code.chunk = code.threadBase = nullptr;
    }
    b.CreateBr(after);
    b.SetInsertPoint(after);
  }
}
