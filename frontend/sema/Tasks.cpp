// Top-level loops: each is a task, its iterations are the threads of a grid.
#include "frontend/sema/Analyzer.h"

namespace sextant::sema {

using hir::Type;

namespace {
ExprRef i32(Exact value, SourceRange at) { return makeInt(value, Type::I32, at); }
ExprRef add(ExprRef a, ExprRef b, SourceRange at) {
  Type type = a->type;
  return makeBinary(hir::BinaryOp::Add, std::move(a), std::move(b), type, at);
}
ExprRef sub(ExprRef a, ExprRef b, SourceRange at) {
  Type type = a->type;
  return makeBinary(hir::BinaryOp::Sub, std::move(a), std::move(b), type, at);
}
ExprRef mul(ExprRef a, ExprRef b, SourceRange at) {
  Type type = a->type;
  return makeBinary(hir::BinaryOp::Mul, std::move(a), std::move(b), type, at);
}
hir::Stmt statement(SourceRange at, decltype(hir::Stmt::node) node) {
  hir::Stmt s;
  s.at = at;
  s.node = std::move(node);
  return s;
}
} // namespace

/// Iterations of range(begin, end, step): the distance over the step, rounded up, whatever the
/// step's sign. Negative where there are none.
static ExprRef steppedExtent(const ExprRef &begin, const ExprRef &end, const ExprRef &step,
                             SourceRange at) {
  Type type = step->type;
  ExprRef down = makeBinary(hir::BinaryOp::FloorDiv, sub(begin, end, at), step, type, at);
  return makeUnary(hir::UnaryOp::Neg, std::move(down), type, at);
}

void KernelAnalyzer::parallelFor(const ast::Stmt &stmt, const ast::For &node, const Value &range) {
  SourceRange at = stmt.at;
  size_t dims = range.items.size() / 2;

  // Bounds are evaluated once, before the task.
  struct Dim {
    Value begin;    ///< Int or Scalar
    ExprRef extent; ///< iterations, I32, not negative unless it is the only dimension
    Type type;
  };
  std::vector<Dim> all(dims);
  bool host = true;
  ExprRef runtimeStep; ///< of the only dimension, where it is not constant
  for (size_t d = 0; d < dims; ++d) {
    const Value &begin = range.items[2 * d], &end = range.items[2 * d + 1];
    Type type = loopType(begin, end, range.runtimeStep ? &range.items[2] : nullptr);
    ExprRef b = convert(begin, type, at), e = convert(end, type, at);
    if (!b || !e)
      return;
    ExprRef extent;
    Exact step = dims == 1 ? range.step : 1;
    if (range.runtimeStep) {
      runtimeStep = convert(range.items[2], type, at);
      if (!runtimeStep)
        return;
      if (!hostComputable(*runtimeStep))
        runtimeStep = snapshot(Value::scalar(runtimeStep), at).expr;
      extent = steppedExtent(b, e, runtimeStep, at);
    } else if (step > 0)
      extent = sub(e, b, at);
    else
      extent = sub(b, e, at);
    if (step != 1 && step != -1) {
      Exact size = step > 0 ? step : -step;
      extent = makeBinary(hir::BinaryOp::FloorDiv, add(extent, makeInt(size - 1, type, at), at),
                          makeInt(size, type, at), type, at);
      Exact constant = 0;
      if (auto *n = std::get_if<hir::Binary>(&extent->node)) {
        Exact l = 0, r = 0;
        if (constInt(*n->lhs, l) && constInt(*n->rhs, r) && r > 0)
          extent = makeInt(l >= 0 ? l / r : 0, type, at);
      }
      (void)constant;
    }
    Exact constant = 0;
    if (constInt(*extent, constant)) {
      if (constant < 0)
        extent = makeInt(0, type, at);
      if (constant > maxOf(Type::I32)) {
        error(node.iterable->at,
              "a parallel loop of " + spell(constant) + " iterations is more than 2147483647");
        return;
      }
    } else if (dims > 1 && !std::holds_alternative<hir::ParamRead>(extent->node)) {
      extent = makeBinary(hir::BinaryOp::Max, extent, makeInt(0, type, at), type, at);
    }
    extent = makeCast(std::move(extent), Type::I32, at);
    bool onHost = hostComputable(*extent);
    if (runtimeStep && !onHost) { // a step of 0, which the launch cannot refuse, runs nothing
      ExprRef zero = makeInt(0, type, at);
      ExprRef none = makeBinary(hir::BinaryOp::Eq, runtimeStep, zero, Type::Bool, at);
      extent = makeSelect(none, i32(0, at), extent, at);
    }
    host &= onHost;
    Value first = Value::scalar(b);
    if (begin.kind == Value::Int)
      first = Value::exactInt(begin.integer);
    else if (!hostComputable(*b))
      first = snapshot(std::move(first), at);
    if (!hostComputable(*extent))
      extent = snapshot(Value::scalar(extent), at).expr;
    all[d] = {first, extent, type};
  }
  ExprRef total = all[0].extent;
  for (size_t d = 1; d < dims; ++d)
    total = mul(total, all[d].extent, at);
  Exact constantTotal = 0;
  bool isConstant = constInt(*total, constantTotal);
  if (isConstant) {
    Exact product = 1;
    for (auto &d : all) {
      Exact extent = 0;
      constInt(*d.extent, extent);
      product *= extent;
      if (product > maxOf(Type::I32)) {
        error(node.iterable->at, "a parallel loop of more than 2147483647 iterations");
        return;
      }
    }
  }
  hir::LaunchExpr launch;
  if (host) {
    host = toLaunch(*total, launch);
    if (host && !isConstant && dims == 1 && !std::holds_alternative<hir::ParamRead>(total->node)) {
      launch.items.push_back({hir::LaunchExpr::Constant, 0});
      launch.items.push_back({hir::LaunchExpr::Max, 0});
    }
  }
  if (!host)
    total = snapshot(Value::scalar(total), at).expr;

  forget(changedBy(node.body));

  // The task.
  closeSerialTask();
  tasks.push_back(std::make_unique<TaskBuild>());
  open = tasks.back().get();
  open->mayHaveReturned = returned.has_value();
  hir::Task &task = open->task;
  task.blockDim = config.blockDim;
  config = LoopConfig();
  task.at = at;
  if (isConstant)
    open->constantIterations = constantTotal;
  TaskBuild *mine = open;
  unsigned savedRegion = region;
  region = nextRegion++;
  topLevel = false;
  current = &task.body;
  ++frame().runtimeDepth;
  frame().scopes.emplace_back();

  // The linear index of the iteration.
  unsigned linear = newLocal("iteration", Type::I32);
  ExprRef linearRead = makeLocal(linear, Type::I32, at);
  hir::Block inner;
  current = &inner;
  std::vector<Value> index(dims);
  auto position = [&](size_t d, ExprRef offset) -> ExprRef {
    Exact step = dims == 1 ? range.step : 1;
    ExprRef e = makeCast(std::move(offset), all[d].type, at);
    e = mul(e, runtimeStep ? runtimeStep : makeInt(step, all[d].type, at), at);
    return add(e, convert(all[d].begin, all[d].type, at), at);
  };
  if (dims == 1) {
    index[0] = Value::scalar(position(0, linearRead));
  } else {
    // The last axis runs fastest; unsigned division of what is never negative.
    std::vector<unsigned> order = range.axes;
    if (order.empty())
      for (unsigned d = 0; d < dims; ++d)
        order.push_back(d);
    ExprRef rest = makeCast(linearRead, Type::U32, at);
    for (size_t k = dims; k-- > 0;) {
      unsigned d = order[k];
      ExprRef extent = makeCast(all[d].extent, Type::U32, at);
      ExprRef offset = k == 0 ? rest : makeBinary(hir::BinaryOp::CMod, rest, extent, Type::U32, at);
      index[d] = Value::scalar(position(d, makeCast(offset, Type::I32, at)));
      if (k > 0)
        rest =
            stable(Value::scalar(makeBinary(hir::BinaryOp::CDiv, rest, extent, Type::U32, at)), at)
                .expr;
    }
  }
  if (dims == 1) // the index is a local that the body may assign
    index[0] = temp(index[0].expr, at,
                    std::get_if<ast::Name>(&node.target->node)
                        ? std::string(std::get<ast::Name>(node.target->node).id).c_str()
                        : "i");

  LoopContext context;
  context.isParallel = true;
  hir::Block body;
  loopNesting = host ? 0 : 1; // else the whole body is in a grid-stride loop
  loopBody(node, index, range.grouped, body, context);
  loopNesting = 0;
  for (auto &s : body)
    inner.push_back(std::move(s));

  frame().scopes.pop_back();
  --frame().runtimeDepth;
  open = mine;

  // Who runs it.
  ExprRef blockStart = mul(makeId(hir::Id::BlockIdx, at), i32(task.blockDim, at), at);
  ExprRef thread = makeId(hir::Id::ThreadIdx, at);
  if (host) {
    task.iterations = std::move(launch);
    task.body.push_back(statement(at, hir::Assign{linear, take(add(blockStart, thread, at))}));
    bool exactFit = isConstant && constantTotal % task.blockDim == 0;
    if (mine->usesBarrier) {
      if (isConstant && !exactFit)
        error(mine->barrierAt,
              mine->barrierWhat + " needs whole blocks, but the loop has " + spell(constantTotal) +
                  " iterations in blocks of " + std::to_string(task.blockDim),
              "make the bound a multiple of block_dim and test the index in the body");
      task.fullBlocks = true;
      exactFit = true;
    }
    if (exactFit) {
      for (auto &s : inner)
        task.body.push_back(std::move(s));
    } else {
      ExprRef guard = makeBinary(hir::BinaryOp::Lt, linearRead, total, Type::Bool, at);
      task.body.push_back(statement(at, hir::If{take(guard), std::move(inner), {}}));
    }
  } else {
    // A grid-stride loop over whole blocks.
    unsigned base = newLocal("base", Type::I32);
    ExprRef baseRead = makeLocal(base, Type::I32, at);
    hir::Block loop;
    loop.push_back(statement(at, hir::Assign{linear, take(add(baseRead, thread, at))}));
    if (mine->usesBarrier) {
      // All threads of a block take part in each round. A bound that cuts a block, which no
      // launch can refuse, runs nothing: part of a block cannot wait, part of the work is worse.
      ExprRef rest = makeBinary(hir::BinaryOp::CMod, total, i32(task.blockDim, at), Type::I32, at);
      ExprRef fits = makeBinary(hir::BinaryOp::Eq, rest, i32(0, at), Type::Bool, at);
      if (options.checks) {
        ExprRef dim = makeInt(task.blockDim, Type::I64, at);
        task.body.push_back(
            statement(at, hir::Check{cutBlockSite(mine->barrierAt), take(fits),
                                     take(makeCast(total, Type::I64, at)), take(dim)}));
      }
      unsigned whole = newLocal("whole", Type::I32);
      task.body.push_back(
          statement(at, hir::Assign{whole, take(makeSelect(fits, total, i32(0, at), at))}));
      total = makeLocal(whole, Type::I32, at);
      for (auto &s : inner)
        loop.push_back(std::move(s));
      // The next round writes the shared arrays that this one may still read.
      loop.push_back(statement(at, hir::Barrier{}));
    } else {
      ExprRef guard = makeBinary(hir::BinaryOp::Lt, linearRead, total, Type::Bool, at);
      loop.push_back(statement(at, hir::If{take(guard), std::move(inner), {}}));
    }
    ExprRef stride = mul(makeId(hir::Id::GridDim, at), i32(task.blockDim, at), at);
    loop.push_back(statement(at, hir::Assign{base, take(add(baseRead, stride, at))}));
    task.body.push_back(statement(at, hir::Assign{base, take(blockStart)}));
    ExprRef more = makeBinary(hir::BinaryOp::Lt, baseRead, total, Type::Bool, at);
    task.body.push_back(statement(at, hir::While{take(more), std::move(loop)}));
  }
  region = savedRegion;
  topLevel = true;
  open = nullptr;
  current = nullptr;
}

} // namespace sextant::sema
