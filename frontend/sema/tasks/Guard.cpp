// The code around an iteration: the test against the bound, or the grid-stride loop.
#include "frontend/sema/tasks/Guard.h"
#include "frontend/sema/tasks/Light.h"
#include "frontend/sema/tasks/Turns.h"
#include "frontend/sema/values/Checks.h"

namespace sextant::sema {

using hir::Type;

namespace {
ExprRef add(ExprRef a, ExprRef b, SourceRange at) {
  Type type = a->type;
  return makeBinary(hir::BinaryOp::Add, std::move(a), std::move(b), type, at);
}
ExprRef sub(ExprRef a, ExprRef b, SourceRange at) {
  Type type = a->type;
  return makeBinary(hir::BinaryOp::Sub, std::move(a), std::move(b), type, at);
}
} // namespace

static void append(hir::Block &to, hir::Block from) {
  for (hir::Stmt &stmt : from)
    to.push_back(std::move(stmt));
}

/// The index in the grid of the block's first thread.
static ExprRef blockStart(const hir::Task &task, SourceRange at) {
  ExprRef dim = task.light ? makeId(hir::Id::BlockDim, at) : makeInt(task.blockDim, Type::I32, at);
  return mul(makeId(hir::Id::BlockIdx, at), std::move(dim), at);
}

/// Has launches refuse numbers of iterations that cut a block.
static void demandWholeBlocks(Context &cx, TaskBuild &build, const ParallelRange &all) {
  const unsigned blockDim = build.task.blockDim;
  if (all.constant && *all.constant % blockDim != 0)
    error(cx, build.barrierAt, Problem::IterationsNotWholeBlocks,
          build.barrierWhat + " needs whole blocks, but the loop has " + spell(*all.constant) +
              " iterations in blocks of " + std::to_string(blockDim),
          "make the bound a multiple of block_dim and test the index in the body");
  build.task.fullBlocks = true;
}

void runByThreads(Context &cx, TaskBuild &build, ParallelRange &all, Iteration iteration) {
  hir::Task &task = build.task;
  const SourceRange at = task.at;
  task.turns = mayTakeTurns(build, all, iteration.body);
  task.light = isLight(build, all, iteration.body);
  task.iterations = std::move(all.launch);
  ExprRef thread = makeId(hir::Id::ThreadIdx, at);
  ExprRef number = add(blockStart(task, at), thread, at);
  task.body.push_back(statement(cx, at, hir::Assign{iteration.number, take(cx, number)}));
  bool exactFit = all.constant && *all.constant % task.blockDim == 0;
  if (build.usesBarrier) {
    demandWholeBlocks(cx, build, all);
    exactFit = true;
  }
  if (exactFit)
    return append(task.body, std::move(iteration.body));
  // If the block size is not a power of two, the last block's threads may pass the ends of i32.
  const bool mayPass = (task.blockDim & (task.blockDim - 1)) != 0;
  const Type type = mayPass ? Type::U32 : Type::I32;
  ExprRef read = makeLocal(iteration.number, all.total->type, at);
  ExprRef guard = makeBinary(hir::BinaryOp::Lt, makeCast(read, type, at),
                             makeCast(all.total, type, at), Type::Bool, at);
  task.body.push_back(statement(cx, at, hir::If{take(cx, guard), std::move(iteration.body), {}}));
}

/// All threads of a block take part in each round. If a bound that only the device knows cuts a
/// block, which no launch can refuse, nothing runs: part of a block cannot wait, and doing part of
/// the work is worse. Returns the bound.
static ExprRef wholeBlocks(Context &cx, TaskBuild &build, const ExprRef &total) {
  hir::Task &task = build.task;
  const SourceRange at = task.at;
  const Type counter = total->type;
  ExprRef none = makeInt(0, counter, at), dim = makeInt(task.blockDim, counter, at);
  ExprRef rest = makeBinary(hir::BinaryOp::CMod, total, dim, counter, at);
  ExprRef fits = makeBinary(hir::BinaryOp::Eq, rest, none, Type::Bool, at);
  if (cx.options.checks)
    task.body.push_back(statement(cx, at,
                                  hir::Check{cutBlockSite(cx, build.barrierAt), take(cx, fits),
                                             take(cx, makeCast(total, Type::I64, at)),
                                             take(cx, makeInt(task.blockDim, Type::I64, at))}));
  const unsigned whole = newLocal(cx, "whole", counter);
  task.body.push_back(
      statement(cx, at, hir::Assign{whole, take(cx, makeSelect(fits, total, none, at))}));
  return makeLocal(whole, counter, at);
}

void runByStride(Context &cx, TaskBuild &build, ParallelRange &all, Iteration iteration) {
  hir::Task &task = build.task;
  task.iterations = std::move(all.launch);
  const SourceRange at = task.at;
  ExprRef total = all.total;
  const Type counter = total->type;
  auto unsignedCounter = [&](ExprRef e) {
    return makeCast(makeCast(std::move(e), Type::U32, at), counter, at);
  };
  const unsigned base = newLocal(cx, "base", counter);
  ExprRef baseRead = makeLocal(base, counter, at);
  ExprRef thread = unsignedCounter(makeId(hir::Id::ThreadIdx, at));
  hir::Block loop;
  loop.push_back(
      statement(cx, at, hir::Assign{iteration.number, take(cx, add(baseRead, thread, at))}));
  if (build.usesBarrier) {
    if (task.iterations)
      demandWholeBlocks(cx, build, all);
    else
      total = wholeBlocks(cx, build, total);
    append(loop, std::move(iteration.body));
    // The next round writes the shared arrays that this round may still read.
    loop.push_back(statement(cx, at, hir::Barrier{}));
  } else {
    ExprRef left = sub(total, baseRead, at);
    ExprRef guard = makeBinary(hir::BinaryOp::Lt, thread, left, Type::Bool, at);
    loop.push_back(statement(cx, at, hir::If{take(cx, guard), std::move(iteration.body), {}}));
  }
  // The counter ends at the bound and not after it, so that it fits its type.
  ExprRef blockDim = makeInt(task.blockDim, Type::I32, at);
  ExprRef stride = unsignedCounter(mul(makeId(hir::Id::GridDim, at), blockDim, at));
  ExprRef isLast = makeBinary(hir::BinaryOp::Le, sub(total, baseRead, at), stride, Type::Bool, at);
  ExprRef next = makeSelect(isLast, total, add(baseRead, stride, at), at);
  loop.push_back(statement(cx, at, hir::Assign{base, take(cx, next)}));
  ExprRef start = unsignedCounter(blockStart(task, at));
  task.body.push_back(statement(cx, at, hir::Assign{base, take(cx, start)}));
  ExprRef more = makeBinary(hir::BinaryOp::Lt, baseRead, total, Type::Bool, at);
  task.body.push_back(statement(cx, at, hir::While{take(cx, more), std::move(loop)}));
}

} // namespace sextant::sema
