// Top-level loops: each is a task, its iterations are the threads of a grid.
#include "frontend/sema/tasks/ParallelFor.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/eval/FirstUse.h"
#include "frontend/sema/eval/Loops.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/tasks/Checks.h"
#include "frontend/sema/tasks/Ranges.h"

#include <algorithm>

namespace sextant::sema {

struct ParallelRange;

static std::vector<VariablePtr> ownVariables(Context &cx, const ast::Stmt &stmt,
                                             const ast::For &node,
                                             const std::unordered_set<std::string_view> &changed);
static bool evaluateBounds(Context &cx, const Value &range, ParallelRange &all, SourceRange at);
static bool isExtent(Context &cx, const Value &bound);
static std::optional<hir::LaunchExpr> totalToLaunch(Context &cx, const ParallelRange &all);
static void totalOnDevice(Context &cx, ParallelRange &all, SourceRange at);

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

/// What a parallel loop runs over, once its bounds are evaluated.
struct ParallelRange {
  struct Dim {
    Range range;
    Type type;      ///< of the index
    ExprRef extent; ///< its iterations, if there are any: of i32, or unsigned on the device
  };
  std::vector<Dim> dims;
  std::optional<Exact> constant;         ///< the number of all iterations
  std::optional<hir::LaunchExpr> launch; ///< the same, for the host
  ExprRef total; ///< the same, if there are any: of i32, or unsigned and also 0 on the device
};

/// Evaluates the bounds before the task. False after an error.
bool evaluateBounds(Context &cx, const Value &range, ParallelRange &all, SourceRange at) {
  size_t dims = dimensionsOf(range);
  Exact product = 1;
  bool isKnown = true, isNone = false;
  for (size_t d = 0; d < dims; ++d) {
    Range dim = dimension(range, d);
    auto count = constantCount(dim);
    isKnown &= count.has_value();
    isNone |= count == Exact(0);
    if (count > maxOf(Type::I32) && dims == 1) {
      error(cx, at, "a parallel loop of " + spell(*count) + " iterations is more than 2147483647");
      return false;
    }
    product *= std::min(count.value_or(1), Exact(1) << 32);
    product = std::min(product, Exact(1) << 64);
    all.dims.push_back({dim, indexTypeOf(dim, cx.options.defaultInt), nullptr});
  }
  if (isNone) {
    all.constant = 0;
  } else if (product > maxOf(Type::I32)) {
    error(cx, at, "a parallel loop of more than 2147483647 iterations");
    return false;
  } else if (isKnown) {
    all.constant = product;
  }
  all.launch = totalToLaunch(cx, all);
  if (!all.launch) {
    totalOnDevice(cx, all, at);
    return true;
  }
  // The launch makes sure that there are any, and that they fit.
  all.total = i32(1, at);
  for (auto &dim : all.dims) {
    dim.extent = countOfSome(dim.range, dim.type, at);
    all.total = mul(std::move(all.total), dim.extent, at);
  }
  if (all.constant)
    all.total = i32(*all.constant, at);
  return true;
}

/// Whether a bound cannot be negative, as an array's extent.
bool isExtent(Context &cx, const Value &bound) {
  auto *read =
      bound.kind == Value::Scalar ? std::get_if<hir::ParamRead>(&bound.expr->node) : nullptr;
  unsigned first = 0;
  for (const hir::Argument &argument : cx.draft.kernel.arguments) {
    bool isArray = argument.kind == hir::Argument::Array;
    unsigned count = isArray ? 1 + argument.ndim : argument.rows * argument.cols;
    if (read && read->param - first < count)
      return isArray;
    first += count;
  }
  return false;
}

/// The number of iterations as the launch computes it; nullopt: it cannot.
std::optional<hir::LaunchExpr> totalToLaunch(Context &cx, const ParallelRange &all) {
  hir::LaunchExpr launch;
  if (all.constant)
    launch.items.push_back({hir::LaunchExpr::Constant, int64_t(*all.constant)});
  for (size_t d = 0; d < all.dims.size() && !all.constant; ++d) {
    const Range &range = all.dims[d].range;
    size_t before = launch.items.size();
    if (!countToLaunch(range, launch))
      return std::nullopt;
    // A negative extent is none, also where it is multiplied with another. Alone, an argument
    // may be negative: the launch then has nothing to do.
    bool isArgument = launch.items.size() == before + 1;
    if (!constantCount(range) &&
        !(isArgument && (all.dims.size() == 1 || isExtent(cx, range.end)))) {
      launch.items.push_back({hir::LaunchExpr::Constant, 0});
      launch.items.push_back({hir::LaunchExpr::Max, 0});
    }
    if (d > 0)
      launch.items.push_back({hir::LaunchExpr::Mul, 0});
  }
  return isLaunchable(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

/// The number of iterations as the device computes it before the task. Of one dimension it may
/// be any; the product of more has to fit an u32, else nothing runs.
void totalOnDevice(Context &cx, ParallelRange &all, SourceRange at) {
  using hir::BinaryOp;
  auto named = [&](ExprRef e) { return stable(cx, Value::scalar(std::move(e)), at).expr; };
  for (auto &dim : all.dims) {
    for (Value *bound : {&dim.range.begin, &dim.range.end, &dim.range.step})
      *bound = snapshot(cx, *bound, at);
    checkStep(cx, dim.range, at);
    dim.extent = named(countOf(dim.range, dim.type, at));
  }
  all.total = all.dims[0].extent;
  if (all.dims.size() == 1)
    return;
  auto test = [&](BinaryOp op, const ExprRef &a, const ExprRef &b) {
    return makeBinary(op, a, b, Type::Bool, at);
  };
  ExprRef zero = makeInt(0, Type::U32, at), many = makeInt(maxOf(Type::U32), Type::U32, at);
  for (auto &dim : all.dims) {
    Type type = dim.extent->type;
    ExprRef most = makeInt(maxOf(Type::U32), type, at);
    if (type == Type::U64)
      dim.extent = makeCast(makeBinary(BinaryOp::Min, dim.extent, most, type, at), Type::U32, at);
    dim.extent = named(dim.extent);
    if (&dim == &all.dims[0]) {
      all.total = dim.extent;
      continue;
    }
    ExprRef room = makeBinary(BinaryOp::CDiv, many, dim.extent, Type::U32, at);
    ExprRef product = makeBinary(BinaryOp::Mul, all.total, dim.extent, Type::U32, at);
    product = makeSelect(test(BinaryOp::Gt, all.total, room), many, product, at);
    all.total = named(makeSelect(test(BinaryOp::Eq, dim.extent, zero), zero, product, at));
  }
  if (cx.options.checks)
    check(cx, test(BinaryOp::Ne, all.total, many), at,
          "a parallel loop of more than 4294967294 iterations: nothing runs");
  all.total = named(makeSelect(test(BinaryOp::Eq, all.total, many), zero, all.total, at));
}

/// The kernel's variables that each iteration has for itself, as it assigns them before it reads
/// them and nothing reads them behind the loop.
std::vector<VariablePtr> ownVariables(Context &cx, const ast::Stmt &stmt, const ast::For &node,
                                      const std::unordered_set<std::string_view> &changed) {
  std::vector<VariablePtr> own;
  for (std::string_view name : changed) {
    VariablePtr variable = findVariable(cx, name);
    if (!variable || variable->alias || variable->readOnly || !variable->value.isRuntime())
      continue;
    bool isCallers = false; // by reference
    for (size_t f = 0; f + 1 < cx.frames.size() && !isCallers; ++f)
      for (auto &scope : cx.frames[f]->scopes)
        for (auto &entry : scope)
          isCallers |= entry.second == variable;
    if (!isCallers && firstUse(node.body, name) == FirstUse::Assigns &&
        firstUseBehind(stmt, cx.frame().function->body, name) != FirstUse::Reads)
      own.push_back(std::move(variable));
  }
  return own;
}

void parallelFor(Context &cx, const ast::Stmt &stmt, const ast::For &node, const Value &range) {
  SourceRange at = stmt.at;
  ParallelRange all;
  if (!evaluateBounds(cx, range, all, node.iterable->at))
    return;
  size_t dims = all.dims.size();
  bool host = all.launch.has_value();
  ExprRef total = all.total;
  Type counter = total->type;

  auto changed = changedBy(cx, node.body);
  forget(cx, changed);

  // The task.
  closeSerialTask(cx);
  cx.tasks.push_back(std::make_unique<TaskBuild>());
  cx.open = cx.tasks.back().get();
  cx.open->mayHaveReturned = cx.draft.returned.has_value();
  hir::Task &task = cx.open->task;
  task.blockDim = cx.config.blockDim;
  cx.config = LoopConfig();
  task.at = at;
  cx.open->constantIterations = all.constant;
  TaskBuild *mine = cx.open;
  unsigned savedRegion = cx.region;
  cx.region = cx.nextRegion++;
  for (auto name : changed)
    if (auto variable = findVariable(cx, name))
      variable->changedIn = cx.region;
  auto ownHere = ownVariables(cx, stmt, node, changed);
  cx.topLevel = false;
  cx.current = &task.body;
  ++cx.frame().runtimeDepth;
  cx.frame().scopes.emplace_back();
  for (auto &outer : ownHere)
    declare(cx, outer->name, outer->at)->value =
        newVariableLeaves(cx, outer->name, outer->value, at);

  // The linear index of the iteration.
  unsigned linear = newLocal(cx, "iteration", counter);
  ExprRef linearRead = makeLocal(linear, counter, at);
  hir::Block inner;
  cx.current = &inner;
  std::vector<Value> index(dims);
  auto position = [&](size_t d, ExprRef number) {
    Type type = all.dims[d].type;
    return Value::scalar(
        indexAt(all.dims[d].range, makeCast(std::move(number), type, at), type, at));
  };
  if (dims == 1) {
    // The index is a local that the body may assign.
    auto *name = std::get_if<ast::Name>(&node.target->node);
    index[0] =
        temp(cx, position(0, linearRead).expr, at, name ? std::string(name->id).c_str() : "i");
  } else if (dims > 1) {
    // The last axis runs fastest; unsigned division of what is never negative.
    std::vector<unsigned> order = axesOf(range);
    ExprRef rest = makeCast(linearRead, Type::U32, at);
    for (size_t k = dims; k-- > 0;) {
      unsigned d = order[k];
      ExprRef extent = makeCast(all.dims[d].extent, Type::U32, at);
      ExprRef offset = k == 0 ? rest : makeBinary(hir::BinaryOp::CMod, rest, extent, Type::U32, at);
      index[d] = position(d, host ? makeCast(offset, Type::I32, at) : offset);
      if (k > 0)
        rest =
            stable(cx, Value::scalar(makeBinary(hir::BinaryOp::CDiv, rest, extent, Type::U32, at)),
                   at)
                .expr;
    }
  }

  LoopContext context;
  context.isParallel = true;
  hir::Block body;
  cx.loopNesting = host ? 0 : 1; // else the whole body is in a grid-stride loop
  loopBody(cx, node, index, range.grouped, body, context);
  cx.loopNesting = 0;
  for (auto &s : body)
    inner.push_back(std::move(s));

  cx.frame().scopes.pop_back();
  --cx.frame().runtimeDepth;
  cx.open = mine;

  // Who runs it.
  ExprRef blockStart = mul(makeId(hir::Id::BlockIdx, at), i32(task.blockDim, at), at);
  ExprRef thread = makeId(hir::Id::ThreadIdx, at);
  if (host) {
    task.iterations = std::move(all.launch);
    task.body.push_back(statement(at, hir::Assign{linear, take(cx, add(blockStart, thread, at))}));
    bool exactFit = all.constant && *all.constant % task.blockDim == 0;
    if (mine->usesBarrier) {
      if (all.constant && !exactFit)
        error(cx, mine->barrierAt,
              mine->barrierWhat + " needs whole blocks, but the loop has " + spell(*all.constant) +
                  " iterations in blocks of " + std::to_string(task.blockDim),
              "make the bound a multiple of block_dim and test the index in the body");
      task.fullBlocks = true;
      exactFit = true;
    }
    if (exactFit) {
      for (auto &s : inner)
        task.body.push_back(std::move(s));
    } else {
      // Of blocks that are no power of two, the last one's threads may pass the ends of i32.
      bool mayPass = (task.blockDim & (task.blockDim - 1)) != 0;
      Type type = mayPass ? Type::U32 : Type::I32;
      ExprRef guard = makeBinary(hir::BinaryOp::Lt, makeCast(linearRead, type, at),
                                 makeCast(total, type, at), Type::Bool, at);
      task.body.push_back(statement(at, hir::If{take(cx, guard), std::move(inner), {}}));
    }
  } else {
    // A grid-stride loop over whole blocks. The counter comes to stand at the bound and not
    // behind it, so that it fits its type.
    auto unsignedCounter = [&](ExprRef e) {
      return makeCast(makeCast(std::move(e), Type::U32, at), counter, at);
    };
    unsigned base = newLocal(cx, "base", counter);
    ExprRef baseRead = makeLocal(base, counter, at), none = makeInt(0, counter, at);
    ExprRef threadOffset = unsignedCounter(thread);
    hir::Block loop;
    loop.push_back(statement(at, hir::Assign{linear, take(cx, add(baseRead, threadOffset, at))}));
    if (mine->usesBarrier) {
      // All threads of a block take part in each round. A bound that cuts a block, which no
      // launch can refuse, runs nothing: part of a block cannot wait, part of the work is worse.
      ExprRef dim = makeInt(task.blockDim, counter, at);
      ExprRef rest = makeBinary(hir::BinaryOp::CMod, total, dim, counter, at);
      ExprRef fits = makeBinary(hir::BinaryOp::Eq, rest, none, Type::Bool, at);
      if (cx.options.checks)
        task.body.push_back(
            statement(at, hir::Check{cutBlockSite(cx, mine->barrierAt), take(cx, fits),
                                     take(cx, makeCast(total, Type::I64, at)),
                                     take(cx, makeInt(task.blockDim, Type::I64, at))}));
      unsigned whole = newLocal(cx, "whole", counter);
      task.body.push_back(
          statement(at, hir::Assign{whole, take(cx, makeSelect(fits, total, none, at))}));
      total = makeLocal(whole, counter, at);
      for (auto &s : inner)
        loop.push_back(std::move(s));
      // The next round writes the shared arrays that this one may still read.
      loop.push_back(statement(at, hir::Barrier{}));
    } else {
      ExprRef left = sub(total, baseRead, at);
      ExprRef guard = makeBinary(hir::BinaryOp::Lt, threadOffset, left, Type::Bool, at);
      loop.push_back(statement(at, hir::If{take(cx, guard), std::move(inner), {}}));
    }
    ExprRef stride = unsignedCounter(mul(makeId(hir::Id::GridDim, at), i32(task.blockDim, at), at));
    ExprRef isLast =
        makeBinary(hir::BinaryOp::Le, sub(total, baseRead, at), stride, Type::Bool, at);
    ExprRef next = makeSelect(isLast, total, add(baseRead, stride, at), at);
    loop.push_back(statement(at, hir::Assign{base, take(cx, next)}));
    task.body.push_back(statement(at, hir::Assign{base, take(cx, unsignedCounter(blockStart))}));
    ExprRef more = makeBinary(hir::BinaryOp::Lt, baseRead, total, Type::Bool, at);
    task.body.push_back(statement(at, hir::While{take(cx, more), std::move(loop)}));
  }
  cx.region = savedRegion;
  cx.topLevel = true;
  cx.open = nullptr;
  cx.current = nullptr;
}

} // namespace sextant::sema
