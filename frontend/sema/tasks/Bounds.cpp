// The bounds of parallel loops. They are evaluated before the loop's task: by the host if it can,
// otherwise by the device.
#include "frontend/sema/tasks/Bounds.h"
#include "frontend/hir/Division.h"
#include "frontend/sema/values/Checks.h"

namespace sextant::sema {

using hir::BinaryOp;
using hir::Type;

static ExprRef i32(Exact value, SourceRange at) { return makeInt(value, Type::I32, at); }
ExprRef mul(ExprRef a, ExprRef b, SourceRange at) {
  const Type type = a->type;
  return makeBinary(BinaryOp::Mul, std::move(a), std::move(b), type, at);
}

/// True if a bound cannot be negative, like an array's extent.
static bool isExtent(Context &cx, const Value &bound) {
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

/// The number of iterations as the launch computes it, or nullopt if it cannot.
static std::optional<hir::LaunchExpr> totalToLaunch(Context &cx, const ParallelRange &all) {
  hir::LaunchExpr launch;
  if (all.constant)
    launch.items.push_back({hir::LaunchExpr::Constant, int64_t(*all.constant)});
  for (size_t d = 0; d < all.dims.size() && !all.constant; ++d) {
    const Range &range = all.dims[d].range;
    size_t before = launch.items.size();
    if (!countToLaunch(range, launch))
      return std::nullopt;
    // A negative extent means no iterations, even if it is multiplied with another one. A single
    // argument may be negative: then the launch has nothing to do.
    bool isArgument = launch.items.size() == before + 1;
    if (!constantCount(range) &&
        !(isArgument && (all.dims.size() == 1 || isExtent(cx, range.end)))) {
      launch.items.push_back({hir::LaunchExpr::Constant, 0});
      launch.items.push_back({hir::LaunchExpr::Max, 0});
    }
    if (d > 0)
      launch.items.push_back({hir::LaunchExpr::Mul, 0});
  }
  return hir::isLaunchable(launch) ? std::optional(std::move(launch)) : std::nullopt;
}

/// The number of iterations of a strided loop whose bounds the launch knows. The launch makes sure
/// that it fits.
static void totalInTask(ParallelRange &all, SourceRange at) {
  for (auto &dim : all.dims) {
    dim.extent = countOfSome(dim.range, dim.type, unsignedOf(dim.type), at);
    all.total = !all.total ? dim.extent
                           : mul(makeCast(all.total, Type::U64, at),
                                 makeCast(dim.extent, Type::U64, at), at);
  }
  if (all.constant)
    all.total =
        makeInt(*all.constant, *all.constant > maxOf(Type::U32) ? Type::U64 : Type::U32, at);
}

/// The number of iterations as the device computes it before the task. A single dimension may have
/// any number. The product of several must fit a word, u32 unless arrays are large; otherwise
/// nothing runs.
static void totalOnDevice(Context &cx, ParallelRange &all, SourceRange at) {
  using hir::BinaryOp;
  auto named = [&](ExprRef e) { return stable(cx, Value::scalar(std::move(e)), at).expr; };
  for (auto &dim : all.dims) {
    for (Value *bound : {&dim.range.begin, &dim.range.end, &dim.range.step})
      *bound = snapshot(cx, *bound, at);
    checkStep(cx, dim.range.step, at);
    dim.extent = named(countOf(dim.range, dim.type, at));
  }
  all.total = all.dims[0].extent;
  if (all.dims.size() == 1)
    return;
  auto test = [&](BinaryOp op, const ExprRef &a, const ExprRef &b) {
    return makeBinary(op, a, b, Type::Bool, at);
  };
  const Type word = cx.options.largeArrays ? Type::U64 : Type::U32;
  ExprRef zero = makeInt(0, word, at), many = makeInt(maxOf(word), word, at);
  for (auto &dim : all.dims) {
    Type type = dim.extent->type;
    if (type == Type::U64 && word == Type::U32)
      dim.extent = makeBinary(BinaryOp::Min, dim.extent, makeInt(maxOf(word), type, at), type, at);
    dim.extent = named(makeCast(dim.extent, word, at));
    if (&dim == &all.dims[0]) {
      all.total = dim.extent;
      continue;
    }
    ExprRef room = makeBinary(BinaryOp::CDiv, many, dim.extent, word, at);
    ExprRef product = mul(all.total, dim.extent, at);
    product = makeSelect(test(BinaryOp::Gt, all.total, room), many, product, at);
    all.total = named(makeSelect(test(BinaryOp::Eq, dim.extent, zero), zero, product, at));
  }
  if (cx.options.checks)
    check(cx, test(BinaryOp::Ne, all.total, many), at,
          "a parallel loop of more than " + spell(maxOf(word) - 1) + " iterations: nothing runs");
  all.total = named(makeSelect(test(BinaryOp::Eq, all.total, many), zero, all.total, at));
}

/// Evaluates the bounds before the task. Returns false after an error.
bool evaluateBounds(Context &cx, const Value &range, ParallelRange &all, SourceRange at) {
  constexpr Exact most = Exact(1) << 62; // so that counters do not pass the end of their type
  size_t dims = dimensionsOf(range);
  Exact product = 1;
  bool isKnown = true, isNone = false;
  for (size_t d = 0; d < dims; ++d) {
    Range dim = dimension(range, d);
    auto count = constantCount(dim);
    isKnown &= count.has_value();
    isNone |= count == Exact(0);
    product = std::min(product * std::min(count.value_or(1), most + 1), most + 1);
    all.dims.push_back({dim, indexTypeOf(dim, cx.options.defaultInt), nullptr});
  }
  if (isNone) {
    all.constant = 0;
  } else if (product > most) {
    return error(cx, at, Problem::IterationsTooMany,
                 "a parallel loop of more than " + spell(most) + " iterations");
  } else if (isKnown) {
    all.constant = product;
  }
  all.launch = totalToLaunch(cx, all);
  all.isStrided =
      !all.launch || (all.constant ? *all.constant > maxOf(Type::I32) : cx.options.largeArrays);
  if (all.isStrided) {
    all.launch ? totalInTask(all, at) : totalOnDevice(cx, all, at);
    return true;
  }
  // The launch makes sure that there are iterations, and that they fit.
  all.total = i32(1, at);
  for (auto &dim : all.dims) {
    dim.extent = countOfSome(dim.range, dim.type, Type::I32, at);
    all.total = mul(std::move(all.total), dim.extent, at);
  }
  if (all.constant)
    all.total = i32(*all.constant, at);
  return true;
}

} // namespace sextant::sema
