// `for`: decides the kind of a loop; unrolled loops and serial loops.
#include "frontend/sema/eval/Loops.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/LoopBody.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/ParallelFor.h"
#include "frontend/sema/eval/Placement.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/tasks/Ranges.h"
#include "frontend/sema/values/Checks.h"

namespace sextant::sema {

using hir::Type;

static void refuseUnroll(Context &cx, const LoopConfig &config, bool isStatic) {
  if (isStatic)
    error(cx, config.at, Problem::UnrollOfNoSerialLoop,
          "`unroll` stands before a loop that `qd.static` unrolls as a whole",
          "leave `unroll` out, or write `range(...)` without `qd.static`");
  else
    error(cx, config.at, Problem::UnrollOfNoSerialLoop,
          "`unroll` stands before a parallel loop, whose iterations are threads",
          "write it before a loop in the body; or add `serialize=True`, if one thread shall run "
          "this loop");
}

/// A loop's names live in the loop. If one hides a variable, the loop would mean something else in
/// Python, where the variable changes.
static void checkLoopNames(Context &cx, const ast::For &node, const Value &iterable) {
  if (std::holds_alternative<ast::Subscript>(node.target->node) ||
      std::holds_alternative<ast::Attribute>(node.target->node)) {
    error(cx, node.target->at, Problem::LoopIndexIsVariable,
          "the index of a loop is a name, not an element or a member",
          "name it, and store it in the body");
    return;
  }
  std::set<std::string_view> names;
  collectTargets(*node.target, names);
  for (auto name : names) {
    if (name == "_" || !findVariable(cx, name))
      continue;
    std::string hidden = "`" + std::string(name) + "`";
    if (!iterable.isStatic && !iterable.isNdrange)
      error(cx, node.target->at, Problem::LoopIndexIsVariable,
            hidden + " is a variable already, which a loop would not change",
            "give the loop's index a name of its own");
    else
      warn(cx, node.target->at, Warning::HiddenVariable, Problem::LoopHidesVariable,
           "this loop hides the variable " + hidden + ", and does not change it",
           "give the loop's index a name of its own");
  }
}

/// The ranges that a loop runs over, as begins and ends.
std::optional<Value> rangeOf(Context &cx, const Value &iterable, SourceRange at) {
  if (iterable.kind == Value::Range)
    return iterable;
  if (iterable.kind == Value::Array) {
    Value range = Value::of(Value::Range);
    if (iterable.array->space == ArrayRef::Shared) {
      error(cx, at, Problem::LoopOverSharedArray, "a loop cannot run over a SharedArray",
            "use `range`");
      return std::nullopt;
    }
    for (size_t k = 0; k < iterable.array->shape.size(); ++k) {
      const Exact first = firstIndex(*iterable.array, k);
      const Value &extent = iterable.array->shape[k];
      range.items.push_back(Value::exactInt(first));
      range.items.push_back(first ? Value::exactInt(first + extent.integer) : extent);
    }
    return range;
  }
  if (iterable.kind == Value::Node && !iterable.items.empty()) {
    Value range = Value::of(Value::Range);
    for (const Value &extent : shapeOf(iterable).items) {
      range.items.push_back(Value::exactInt(0));
      range.items.push_back(extent);
    }
    return range;
  }
  if (iterable.kind == Value::Tuple || iterable.kind == Value::Matrix)
    error(cx, at, Problem::LoopOverStaticValues,
          "a loop over " + describe(iterable) + " is unrolled only under `qd.static`",
          callFix(cx, "write `for … in qd.static(...)`", "static", at));
  else if (!iterable.isPoison())
    error(cx, at, Problem::LoopOverNoRange, "a loop cannot run over " + describe(iterable),
          iterable.isNumber() ? Fix("write `range(...)`", calledWith("range", at)) : Fix());
  return std::nullopt;
}

//===--- Unrolled ----------------------------------------------------------===//

bool staticPoints(Context &cx, const Value &range, std::vector<std::vector<Value>> &points,
                  SourceRange at) {
  size_t dims = range.items.size() / 2;
  for (const Value &bound : range.items)
    if (bound.kind != Value::Int && bound.kind != Value::Bool)
      return error(
          cx, at, Problem::UnrolledBoundNotStatic,
          "the bounds of an unrolled loop have to be known at compile time, but this has " +
              describe(bound),
          "use `range` without `qd.static`, or a constant bound");
  points.push_back({});
  for (size_t d = 0; d < dims; ++d) {
    std::vector<std::vector<Value>> longer;
    Exact step = dims == 1 ? range.step : 1;
    for (auto &point : points)
      for (Exact i = range.items[2 * d].integer;
           step > 0 ? i < range.items[2 * d + 1].integer : i > range.items[2 * d + 1].integer;
           i += step) {
        if (longer.size() >= 65536)
          return error(cx, at, Problem::UnrolledTooOften,
                       "this loop would be unrolled more than 65536 times",
                       "use `range` without `qd.static`");
        longer.push_back(point);
        longer.back().push_back(Value::exactInt(i));
      }
    points = std::move(longer);
  }
  return true;
}

/// The points that an unrolled loop runs over; nullopt after an error.
static std::optional<std::vector<std::vector<Value>>>
unrolledPoints(Context &cx, const Value &iterable, SourceRange at) {
  std::vector<std::vector<Value>> points;
  if (iterable.kind == Value::Tuple || iterable.kind == Value::Matrix) {
    for (const Value &item : elementsOf(cx, iterable, at))
      points.push_back({item});
    return points;
  }
  if (iterable.kind != Value::Range)
    return error(cx, at, Problem::UnrolledOverNoRange,
                 "a loop cannot be unrolled over " + describe(iterable));
  if (iterable.runtimeStep)
    return error(cx, at, Problem::UnrolledStepNotStatic,
                 "the step of an unrolled loop has to be known at compile time");
  return staticPoints(cx, iterable, points, at) ? std::optional(std::move(points)) : std::nullopt;
}

/// True if a `break` or `continue` of the block stands under a condition of run time.
static bool hasGuardedJump(const ast::Block &block, bool isGuarded) {
  return std::ranges::any_of(block, [&](const ast::StmtPtr &stmt) {
    if (isGuarded && (std::holds_alternative<ast::Break>(stmt->node) ||
                      std::holds_alternative<ast::Continue>(stmt->node)))
      return true;
    auto *branch = std::get_if<ast::If>(&stmt->node);
    if (!branch)
      return false;
    const bool isInner = isGuarded || !looksStatic(*branch->condition);
    return hasGuardedJump(branch->then, isInner) || hasGuardedJump(branch->otherwise, isInner);
  });
}

/// One iteration. Its statements go into a scope of its own, if there are guarded jumps.
static Flow unrolledBody(Context &cx, const ast::For &node, const std::vector<Value> &point,
                         bool isGrouped, bool jumps, LoopContext &context, SourceRange at) {
  context.continueScope = cx.newScope();
  context.continueUsed = false;
  hir::Block *before = cx.current;
  hir::Block iteration;
  if (jumps)
    cx.current = &iteration;
  cx.frame().scopes.emplace_back();
  bindLoopTarget(cx, *node.target, point, isGrouped, node.target->at);
  cx.frame().loops.push_back(context);
  const Flow flow = execBlock(cx, node.body, false);
  context = cx.frame().loops.back();
  cx.frame().loops.pop_back();
  cx.frame().scopes.pop_back();
  if (jumps) {
    cx.current = before;
    addLeft(cx, *before, context.continueScope, context.continueUsed, std::move(iteration), at);
  }
  return flow;
}

static Flow staticFor(Context &cx, const ast::Stmt &stmt, const ast::For &node,
                      const Value &iterable) {
  const auto points = unrolledPoints(cx, iterable, node.iterable->at);
  if (!points)
    return Flow::Normal;
  const bool isGrouped = iterable.kind == Value::Range && iterable.grouped;
  LoopContext context;
  context.isStatic = true;
  context.depth = cx.frame().runtimeDepth;
  context.breakScope = cx.newScope();
  // Guarded jumps need scopes to leave. Only afterwards is it known if there are any. At the top of
  // a kernel tasks cannot nest in scopes, so the body is searched first.
  const bool jumps = hasGuardedJump(node.body, false);
  const bool savedTop = cx.topLevel;
  const char *savedIn = cx.serialIn;
  hir::Block whole;
  hir::Block *outer = nullptr;
  if (jumps) {
    cx.serialIn = "in an unrolled loop that a jump leaves under a condition";
    outer = &block(cx, stmt.at);
    cx.topLevel = false;
    cx.current = &whole;
  }
  Flow result = Flow::Normal;
  for (const std::vector<Value> &point : *points) {
    if (cx.exhausted || !budget(cx, stmt.at))
      break;
    const Flow flow = unrolledBody(cx, node, point, isGrouped, jumps, context, stmt.at);
    if (flow == Flow::Break)
      break;
    if (flow == Flow::Dead && !context.continueUsed) {
      if (!context.breakUsed)
        result = Flow::Dead; // it returned
      break;
    }
  }
  if (jumps) {
    cx.current = outer;
    cx.topLevel = savedTop;
    cx.serialIn = savedIn;
    addLeft(cx, *outer, context.breakScope, context.breakUsed, std::move(whole), stmt.at);
  }
  return result;
}

//===--- Serial ------------------------------------------------------------===//

/// Makes `local` run over one dimension.
static void serialLoop(Context &cx, const Range &range, unsigned local, Type type, hir::Block body,
                       unsigned unroll, hir::Block &into, SourceRange at) {
  auto add = [&](decltype(hir::Stmt::node) node, hir::Block &to) {
    to.push_back(statement(cx, at, std::move(node)));
  };
  auto step = knownInt(range.step);
  auto fits = [&](const Value &bound) { // an u64 may not
    auto constant = knownInt(bound);
    return constant ? *constant <= maxOf(type) : bound.expr->type != Type::U64;
  };
  if (step && *step > minOf(Type::I64) && fits(range.begin) && fits(range.end)) {
    add(hir::For{local, take(cx, boundOf(range.begin, type, at)),
                 take(cx, boundOf(range.end, type, at)), int64_t(*step), std::move(body), unroll},
        into);
    return;
  }
  // Counts the iterations, from the type's least number on, since there may be more than its
  // greatest number.
  ExprRef least = makeInt(minOf(type), type, at);
  ExprRef count = makeCast(countOf(range, type, at), type, at);
  unsigned counter = newLocal(cx, "counter", type);
  ExprRef number = makeBinary(hir::BinaryOp::Sub, makeLocal(counter, type, at), least, type, at);
  hir::Block whole;
  add(hir::Assign{local, take(cx, indexAt(range, number, type, at))}, whole);
  for (auto &stmt : body)
    whole.push_back(std::move(stmt));
  ExprRef end = makeBinary(hir::BinaryOp::Add, count, least, type, at);
  add(hir::For{counter, take(cx, least), take(cx, end), 1, std::move(whole), unroll}, into);
}

/// `unroll` is of the innermost loop.
static Flow serialFor(Context &cx, const ast::Stmt &stmt, const ast::For &node, const Value &range,
                      unsigned unroll) {
  SourceRange at = stmt.at;
  block(cx, at);
  forget(cx, changedBy(cx, node.body));
  size_t dims = dimensionsOf(range);
  std::vector<Range> all(dims);
  std::vector<unsigned> locals(dims);
  std::vector<Value> index(dims);
  const std::vector<ast::ExprPtr> *names = nullptr;
  if (auto *t = std::get_if<ast::TupleExpr>(&node.target->node))
    names = &t->elements;
  for (size_t d = 0; d < dims; ++d) {
    all[d] = dimension(range, d);
    Type type = indexTypeOf(all[d], cx.options.defaultInt);
    std::string name = "i";
    const ast::Expr *target = !names              ? node.target.get()
                              : d < names->size() ? (*names)[d].get()
                                                  : nullptr;
    if (auto *n = target ? std::get_if<ast::Name>(&target->node) : nullptr)
      name = std::string(n->id);
    if (dims > 1 || range.runtimeStep || type == Type::I64) // evaluated once, before any iteration
      for (Value *bound : {&all[d].begin, &all[d].end, &all[d].step})
        *bound = snapshot(cx, *bound, at);
    checkStep(cx, all[d].step, at);
    locals[d] = newLocal(cx, name, type);
    index[d] = Value::scalar(makeLocal(locals[d], type, at));
  }
  LoopContext context;
  context.breakScope = cx.newScope();
  hir::Block body;
  ++cx.loopNesting;
  ++cx.openFors;
  loopBody(cx, node, index, range.grouped, body, context);
  --cx.openFors;
  --cx.loopNesting;
  std::vector<unsigned> order = axesOf(range);
  for (size_t k = dims; k-- > 0;) {
    unsigned d = order[k];
    hir::Block loop;
    serialLoop(cx, all[d], locals[d], index[d].expr->type, std::move(body), unroll, loop, at);
    unroll = hir::unrollFreely;
    body = std::move(loop);
  }
  addLeft(cx, block(cx, at), context.breakScope, context.breakUsed, std::move(body), at);
  return Flow::Normal;
}

//===--- All loops ---------------------------------------------------------===//

Flow execFor(Context &cx, const ast::Stmt &stmt, const ast::For &node) {
  if (!node.otherwise.empty())
    error(cx, stmt.at, Problem::ForElse, "`for … else` is not supported",
          "set a variable before each `break`, and test it after the loop");
  LoopConfig mine = cx.config;
  Value iterable = eval(cx, *node.iterable);
  if (iterable.isPoison()) {
    // The body may have errors of its own, but its indices are not known.
    return Flow::Normal;
  }
  checkLoopNames(cx, node, iterable);
  // A field that is passed as a template argument works like any other field.
  const bool isStatic =
      iterable.isStatic && (iterable.kind != Value::Array || looksStatic(*node.iterable));
  const bool isParallel = !isStatic && cx.topLevel && !mine.serialize;
  if (mine.unroll && (isStatic || isParallel)) {
    refuseUnroll(cx, mine, isStatic);
    cx.config.unroll.reset();
  }
  if (isStatic)
    return staticFor(cx, stmt, node, iterable);
  cx.config = LoopConfig();
  auto range = rangeOf(cx, iterable, node.iterable->at);
  if (!range)
    return Flow::Normal;
  if (cx.serialIn && cx.openFors == 0 && !mine.serialize)
    warn(cx, shownAt(cx, stmt.at), Warning::SerialLoop, Problem::LoopSerialUnderIf,
         std::string("this loop is serial, since it stands ") + cx.serialIn,
         cx.underKnownIf
             ? "write `if qd.static(...)`, or `qd.loop_config(serialize=True)` before the loop"
             : "move it to the top of the kernel, with any test inside; or write "
               "`qd.loop_config(serialize=True)` before it, if one thread shall run it");
  if (isParallel) {
    cx.config = mine;
    parallelFor(cx, stmt, node, *range); // takes the configuration before it runs the body
    cx.config = LoopConfig();
    return Flow::Normal;
  }
  if (mine.given && !cx.topLevel)
    warn(cx, mine.at, Warning::IgnoredLoopConfig, Problem::LoopConfigWithoutEffect,
         "`qd.loop_config` has no effect on a loop that is not at the top of the kernel");
  const Flow end = serialFor(cx, stmt, node, *range, mine.unroll.value_or(hir::unrollFreely));
  if (cx.topLevel && cx.open && cx.open->label.empty()) // several such loops may be one task
    cx.open->label = mine.label;
  return end;
}

} // namespace sextant::sema
