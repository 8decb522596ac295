// Atomics whose old value nobody uses, at places that do not depend on the block: a sum over the
// grid, or a block's histogram that is added to the global one; and at places that data tells
// (Tallies.cpp). The function collects them in
// registers or on the stack over all blocks of a call, and performs them once at its end. No
// program can notice: blocks run in no defined order, and nothing later in a thread's own program
// order touches global memory.
#include "backends/cpu/Emitter.h"

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

bool Emitter::findDeferred(mlir::Block &block, bool isConditional) {
  for (mlir::Operation &op : llvm::reverse(block.without_terminator())) {
    if (auto rmw = dyn_cast<simt::AtomicRmwOp>(op);
        rmw && isGlobal(rmw.getBuffer()) && rmw.getKind() != simt::CombineKind::Exchange) {
      Shape shape = shapeOf(rmw.getIndex());
      bool isOnePlace = shape.kind == Shape::Block && isOfNoBlock(rmw.getIndex(), false);
      bool isOfThread = !isConditional && lanes.remainder() == 0 && shape.exact &&
                        shape.kind == Shape::Affine && isOfNoBlock(rmw.getIndex(), true);
      // Of one thread, different operators at one place stay in order.
      const bool isSame = llvm::all_of(deferred, [&](const auto &later) {
        return cast<simt::AtomicRmwOp>(later.first).getKind() == rmw.getKind();
      });
      const bool isOfData = shape.isVarying() && isa<mlir::BlockArgument>(rmw.getBuffer()) &&
                            llvm::none_of(deferred, [](const auto &later) {
                              return later.second.places == Deferred::Any; // one table is enough
                            });
      if (!isSame || (!isOnePlace && !isOfThread && !isOfData))
        return false;
      deferred[&op].places = isOnePlace   ? Deferred::One
                             : isOfThread ? Deferred::OfThreads
                                          : Deferred::Any;
      continue;
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && branch.getNumResults() == 0) {
      bool isFree = findDeferred(branch.getThenRegion().front(), true);
      if (!branch.getElseRegion().empty())
        isFree &= findDeferred(branch.getElseRegion().front(), true);
      if (!isFree)
        return false;
      continue;
    }
    if (touchesGlobalMemory(op))
      return false;
  }
  return true;
}

void Emitter::prepareDeferred() {
  if (lanes.width == 1 || synchronises(task))
    return;
  findDeferred(task.getBody().front(), false);
  for (auto &[op, place] : deferred) {
    auto rmw = cast<simt::AtomicRmwOp>(op);
    if (place.places == Deferred::Any) {
      prepareTally(rmw, place);
      continue;
    }
    mlir::Type type = rmw.getValue().getType();
    Type *wide = vectorType(type);
    Value *neutral = splat(identityOf(rmw.getKind(), type, /*asSeen=*/false));
    unsigned count = place.places == Deferred::One ? 1 : lanes.chunks();
    place.total = entryAlloca(wide, "deferred", count);
    for (unsigned i = 0; i < count; ++i)
      b.CreateAlignedStore(neutral, b.CreateConstGEP1_64(wide, place.total, i),
                           Align(type.getIntOrFloatBitWidth() / 8));
    place.happened = entryAlloca(b.getInt1Ty(), "happened");
    b.CreateStore(b.getFalse(), place.happened);
  }
}

bool Emitter::emitDeferred(simt::AtomicRmwOp op) {
  auto found = deferred.find(op);
  if (found == deferred.end())
    return false;
  Deferred &place = found->second;
  if (place.places == Deferred::Any) {
    if (!shapes.isUniform(op.getIndex()) || !emitCombinedRmw(op))
      emitTally(op, place);
    return true;
  }
  simt::CombineKind kind = op.getKind();
  mlir::Type type = op.getValue().getType();
  Type *wide = vectorType(type);
  Align align(type.getIntOrFloatBitWidth() / 8);
  Value *neutral = splat(identityOf(kind, type, /*asSeen=*/false));
  Value *at = place.places == Deferred::One ? place.total : b.CreateGEP(wide, place.total, chunk);
  Value *sum = b.CreateAlignedLoad(wide, at, align);
  sum = combine(kind, sum, whereActive(vector(op.getValue()), neutral), type);
  b.CreateAlignedStore(sum, at, align);
  b.CreateStore(b.getTrue(), place.happened);
  return true;
}

/// Computes `value`, for which isOfNoBlock() holds, at the end of the call.
void Emitter::emitAgain(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return;
  for (mlir::Value operand : op->getOperands())
    emitAgain(operand);
  emitOp(*op);
}

void Emitter::flushDeferred() {
  for (auto &[operation, place] : deferred) {
    auto op = cast<simt::AtomicRmwOp>(operation);
    if (place.places == Deferred::Any) {
      flushTally(op, place);
      continue;
    }
    mlir::Type type = op.getValue().getType();
    Type *element = scalarType(type), *wide = widen(element);
    Align align(element->getScalarSizeInBits() / 8);
    BasicBlock *perform = newBlock("deferred"), *after = newBlock("deferred.end");
    b.CreateCondBr(b.CreateLoad(b.getInt1Ty(), place.happened), perform, after);
    b.SetInsertPoint(perform);
    if (place.places == Deferred::One) {
      emitAgain(op.getIndex());
      Value *total = b.CreateAlignedLoad(wide, place.total, align);
      atomicRmw(op, elementAddress(op.getBuffer(), scalar(op.getIndex())),
                reduceAll(op.getKind(), total, type));
    } else {
      // Performs every thread's own update, one after the other.
      emitCountedLoop(
          b.getInt32(0), b.getInt32(lanes.chunks()),
          [&](Value *index) {
            setChunk(index);
            emitAgain(op.getIndex());
            Value *base = scalar(op.getIndex());
            Value *totals = b.CreateGEP(wide, place.total, index);
            int64_t stride = shapeOf(op.getIndex()).stride;
            emitCountedLoop(
                b.getInt32(0), b.getInt32(lanes.width),
                [&](Value *lane) {
                  Value *steps = b.CreateZExtOrTrunc(lane, base->getType());
                  Value *offset =
                      b.CreateMul(steps, ConstantInt::get(base->getType(), uint64_t(stride), true));
                  Value *one =
                      b.CreateAlignedLoad(element, b.CreateGEP(element, totals, lane), align);
                  atomicRmw(op, elementAddress(op.getBuffer(), b.CreateAdd(base, offset)), one);
                },
                "lane");
          },
          "chunk");
      chunk = threadBase = nullptr;
    }
    b.CreateBr(after);
    b.SetInsertPoint(after);
  }
}
