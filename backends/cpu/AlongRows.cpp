// Chunks that follow one another along rows, of loops over several axes that are all that a task
// does. The code of a row finds which of its threads no bound clamps. These run in chunks of all
// lanes without masks, in which what belongs to the row does not change. At a border the row has
// such chunks with clamps. The rest is shorter than a chunk: it runs in chunks of one register,
// with a mask where the row ends or a bound clamps.
#include "backends/cpu/LaneEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// True if `value` is the same in all threads of a launch.
static bool isOfLaunch(mlir::Value value, unsigned depth = 0) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return isa<mlir::func::FuncOp>(value.getParentBlock()->getParentOp());
  return depth < 12 && (isa<arith::ArithDialect>(op->getDialect()) || isa<simt::MulHighOp>(op)) &&
         llvm::all_of(
             op->getOperands(),
             [&](mlir::Value operand) { return isOfLaunch(operand, depth + 1); });
}

namespace {
/// How much a value grows from block to block, and from thread to thread.
struct Growth {
  int64_t block = 0, thread = 0;
};
} // namespace

static std::optional<Growth> growthOf(mlir::Value value, unsigned depth = 0) {
  mlir::Operation *op = value.getDefiningOp();
  if (isOfLaunch(value))
    return Growth{};
  if (isa_and_nonnull<simt::BlockIdxOp>(op))
    return Growth{1, 0};
  if (isa_and_nonnull<simt::ThreadIdxOp>(op))
    return Growth{0, 1};
  if (depth > 8 || !isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Growth> left = growthOf(op->getOperand(0), depth + 1);
  if (auto factor = simt::constantInteger(op->getOperand(1)); left && isa<arith::MulIOp>(op))
    return factor ? std::optional(Growth{left->block * *factor, left->thread * *factor})
                  : std::nullopt;
  std::optional<Growth> right = left ? growthOf(op->getOperand(1), depth + 1) : std::nullopt;
  if (!right)
    return std::nullopt;
  return Growth{left->block + right->block, left->thread + right->thread};
}

/// True if the guard of the task's tail is all that it does, the counter is the thread's number in
/// the grid, and all else that the guard reads is the launch's: then its code runs for any chunk of
/// the grid if the counter is that chunk's. Beside the work of a loop, finding a place costs
/// little.
static bool isAlongRow(scf::IfOp op, mlir::Value counter, mlir::func::FuncOp task,
                       const Lanes &lanes) {
  const std::optional<Growth> growth = growthOf(counter);
  if (op->getParentOp() != task || !growth || growth->thread != 1 ||
      growth->block != int64_t(lanes.blockDim))
    return false;
  for (mlir::Operation &other : *op->getBlock())
    if (&other != op && !other.hasTrait<mlir::OpTrait::IsTerminator>() &&
        !mlir::isMemoryEffectFree(&other))
      return false;
  auto isKnown = [&](mlir::Value operand) {
    return operand == counter || op.getThenRegion().isAncestor(operand.getParentRegion()) ||
           isOfLaunch(operand);
  };
  bool all = llvm::all_of(op.getCondition().getDefiningOp()->getOperands(), isKnown);
  op.getThenRegion().walk([&](mlir::Operation *inner) {
    all &= !isa<mlir::LoopLikeOpInterface, simt::ThreadIdxOp, simt::LaneOp>(inner) &&
           llvm::all_of(inner->getOperands(), isKnown);
  });
  return all;
}

bool LaneEmitter::goesAlongRows() {
  for (auto op : code.task.getBody().front().getOps<scf::IfOp>()) {
    const std::optional<Rows> rows = findRows(op);
    if (rows && !op.getNumResults() && op.getElseRegion().empty())
      return rows->extent && isAlongRow(op, rows->counter, code.task, lanes);
  }
  return false;
}

namespace {
/// Code of fewer lanes than the task's, which knows nothing that differs between those.
class FewerLanes {
public:
  FewerLanes(LaneBuilder &b, LaneValues &values, unsigned width)
      : b(b), scope(values), outside(b.lanes.width) {
    b.lanes.width = width;
    values.forgetVectors();
  }
  ~FewerLanes() { b.lanes.width = outside; }
  FewerLanes(const FewerLanes &) = delete;

private:
  LaneBuilder &b;
  LaneValues::Scope scope;
  unsigned outside;
};
} // namespace

/// The lanes of words in a register, or the task's where the code collects sums of all its lanes.
static unsigned fewestLanes(scf::IfOp op, const LaneBuilder &b) {
  auto found = op.walk([](mlir::Operation *inner) {
    return isa<simt::AtomicRmwOp, simt::AtomicAddVectorOp, simt::AtomicCasOp>(inner)
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  });
  const unsigned ofRegister = b.machine.vectorBytes / 4;
  return found.wasInterrupted() ? b.lanes.width : std::min(b.lanes.width, ofRegister);
}

/// How many threads from this one on are in its row, and among those `ofCall` that the call still
/// runs, an i64. At least one, so that a call ends, also where no thread has the counter.
Value *LaneEmitter::roomInRow(const Rows &rows, Elsewhere &first, Value *row, Value *ofCall) {
  Value *next = b.CreateMul(b.CreateAdd(row, ConstantInt::get(row->getType(), 1)),
                            evaluate(rows.extent, first));
  Value *rest = b.CreateSub(next, first.known.lookup(rows.counter));
  rest = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateZExt(rest, b.getInt64Ty()), ofCall);
  return b.CreateBinaryIntrinsic(Intrinsic::umax, rest, b.getInt64(1));
}

/// Those of the next `room` threads of the row that the guard lets pass and no bound clamps, as
/// numbers from this thread on. There are none if the guard stops one of the threads, or an index
/// wraps.
LaneEmitter::Inside LaneEmitter::insideOfRow(scf::IfOp op, const Rows &rows, Elsewhere &first,
                                             Value *room) {
  Type *i64 = b.getInt64Ty();
  mlir::Block &body = op.getThenRegion().front();
  Value *counter = first.known.lookup(rows.counter), *steps = b.CreateSub(room, b.getInt64(1));
  Value *last = b.CreateAdd(counter, b.CreateZExtOrTrunc(steps, counter->getType()));
  Elsewhere begins{body, {{rows.counter, counter}}, false, rows.inside};
  Elsewhere ends{body, {{rows.counter, last}}, false, rows.inside};
  Inside inside{allLanesHold(op.getCondition(), steps), b.getInt64(0), room};
  Value *holds = inside.passes;
  const ShapeAnalysis known(code.task, lanes, rows.inside);
  for (mlir::Operation *clamp : rows.clamps) {
    mlir::Value operand = rows.inside.lookup(clamp->getResult(0));
    const auto extend = [&](Value *value) { return b.CreateSExt(value, i64); };
    Value *stride = b.getInt64(known.of(operand).stride);
    Value *least = extend(evaluate(operand, begins)), *most = extend(evaluate(operand, ends));
    Value *bound = extend(evaluate(rows.boundOf(clamp), first));
    holds = b.CreateAnd(
        holds, b.CreateICmpEQ(most, b.CreateAdd(least, b.CreateMul(steps, stride)))); // no wrap
    const bool isLower = isa<arith::MaxSIOp>(clamp);
    Value *passed = b.CreateAdd(b.CreateSub(bound, least), stride);
    if (isLower)
      passed = b.CreateSub(passed, b.getInt64(1));
    passed = b.CreateUDiv(b.CreateBinaryIntrinsic(Intrinsic::smax, passed, b.getInt64(0)), stride);
    Value *&side = isLower ? inside.begin : inside.end;
    side = b.CreateBinaryIntrinsic(isLower ? Intrinsic::umax : Intrinsic::umin, side, passed);
  }
  inside.begin = b.CreateSelect(holds, inside.begin, room);
  return inside;
}

/// A chunk of so many threads at the end of a row or at one of its borders, by a masked copy.
void LaneEmitter::emitRowEnd(scf::IfOp op, const Rows &rows, Value *row, Value *threads) {
  emitOp(*op.getCondition().getDefiningOp());
  Value *isBelow = b.CreateICmpULT(b.iota(b.getInt64Ty()), b.splat(threads));
  Value *condition = b.CreateAnd(values.vector(op.getCondition()), isBelow);
  BasicBlock *any = b.newBlock("any"), *after = b.newBlock("any.end");
  b.CreateCondBr(b.isAny(condition), any, after);
  b.SetInsertPoint(any);
  b.mask = condition;
  emitRowCopy(op.getThenRegion().front(), rows.inRow, row);
  b.mask = nullptr;
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

void LaneEmitter::emitAlongRow(scf::IfOp op, const Rows &rows) {
  mlir::Block &body = op.getThenRegion().front();
  Type *i64 = b.getInt64Ty();
  const unsigned lanesOfTask = lanes.width, few = fewestLanes(op, b);
  Value *base = values.scalar(rows.counter), *width = b.getInt64(lanes.width);
  const auto counterAt = [&](Value *threads) {
    return b.CreateAdd(base, b.CreateZExtOrTrunc(threads, base->getType()));
  };
  Elsewhere first{body, {{rows.counter, base}}};
  Value *row = evaluate(rows.quotient, first);
  Value *end = b.CreateMul(b.CreateZExt(code.end, i64), b.getInt64(lanes.blockDim));
  Value *ofCall = b.CreateSub(end, code.gridThread);
  Value *done = b.entryAlloca(i64, "done"); // how many threads the code does the work of
  BasicBlock *after = b.newBlock("row.end");
  if (rows.hasManyRows) {
    Elsewhere last{body, {{rows.counter, counterAt(b.getInt64(lanes.width - 1))}}};
    Value *others = b.CreateSub(evaluate(rows.quotient, last), row);
    Value *isOfCall = b.CreateICmpULT(b.iota(i64), b.splat(ofCall));
    b.CreateStore(width, done);
    emitManyRows(body, others, b.CreateAnd(values.vector(op.getCondition()), isOfCall), after);
  }
  Value *room = roomInRow(rows, first, row, ofCall);
  b.CreateStore(room, done);
  const Inside inside = insideOfRow(op, rows, first, room);
  Value *next = b.entryAlloca(i64, "next");
  b.advancingLoop(
      b.getInt64(0), room,
      [&](Value *at) {
        Value *left = b.CreateSelect(b.CreateICmpULT(at, inside.begin), b.getInt64(0),
                                     b.CreateBinaryIntrinsic(Intrinsic::usub_sat, inside.end, at));
        BasicBlock *whole = b.newBlock("inside"), *border = b.newBlock("border"),
                   *advanced = b.newBlock("advanced");
        const auto leave = [&](Value *threads) {
          b.CreateStore(b.CreateAdd(at, threads), next);
          b.CreateBr(advanced);
        };
        b.CreateCondBr(b.CreateICmpUGE(left, width), whole, border);
        b.SetInsertPoint(whole);
        Value *chunks = b.CreateUDiv(left, width);
        b.countedLoop(
            b.getInt64(0), chunks,
            [&](Value *chunk) {
              LaneValues::Scope scope(values);
              Value *threads = b.CreateAdd(at, b.CreateMul(chunk, width));
              values.define(rows.counter, {counterAt(threads), nullptr});
              emitRowCopy(body, rows.inside, row);
            },
            "along");
        leave(b.CreateMul(chunks, width));

        b.SetInsertPoint(border);
        if (rows.clampsWhole()) {
          BasicBlock *clamped = b.newBlock("clamped"), *end = b.newBlock("end");
          Value *isWhole = b.CreateICmpUGE(b.CreateSub(room, at), width);
          b.CreateCondBr(b.CreateAnd(inside.passes, isWhole), clamped, end);
          b.SetInsertPoint(clamped);
          LaneValues::Scope scope(values);
          values.define(rows.counter, {counterAt(at), nullptr});
          emitRowCopy(body, rows.inRow, row);
          leave(width);
          b.SetInsertPoint(end);
        }
        FewerLanes fewer(b, values, few);
        values.define(rows.counter, {counterAt(at), nullptr});
        if (rows.isSmall && few < lanesOfTask) {
          BasicBlock *one = b.newBlock("one"), *part = b.newBlock("part");
          b.CreateCondBr(b.CreateICmpUGE(left, b.getInt64(few)), one, part);
          b.SetInsertPoint(one);
          emitRowCopy(body, rows.inside, row);
          leave(b.getInt64(few));
          b.SetInsertPoint(part);
        }
        Value *threads =
            b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateSub(room, at), b.getInt64(few));
        emitRowEnd(op, rows, row, threads);
        leave(threads);
        b.SetInsertPoint(advanced);
        return b.CreateLoad(i64, next);
      },
      "row");
  b.CreateBr(after);
  b.SetInsertPoint(after);
  code.gridThread = b.CreateAdd(code.gridThread, b.CreateLoad(i64, done));
}
