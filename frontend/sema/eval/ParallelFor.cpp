// Top-level loops. Each is a task; its iterations are the threads of a grid.
#include "frontend/sema/eval/ParallelFor.h"
#include "frontend/hir/Division.h"
#include "frontend/sema/eval/FirstUse.h"
#include "frontend/sema/eval/LoopBody.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Variables.h"
#include "frontend/sema/tasks/Bounds.h"
#include "frontend/sema/tasks/Guard.h"
#include "frontend/sema/tasks/Sharing.h"

namespace sextant::sema {

using hir::Type;

/// The kernel's variables of which each iteration has its own: it assigns them before it reads
/// them, and nothing reads them after the loop.
static std::vector<VariablePtr> ownVariables(Context &cx, const ast::Stmt &stmt,
                                             const ast::For &node,
                                             const std::set<std::string_view> &changed) {
  std::vector<VariablePtr> own;
  for (std::string_view name : changed) {
    VariablePtr variable = findVariable(cx, name);
    if (!variable || variable->alias || variable->readOnly || !variable->value.isRuntime())
      continue;
    bool isCallers = false; // a caller passed it by reference
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

static TaskBuild &openTask(Context &cx, const ParallelRange &all, SourceRange at) {
  closeSerialTask(cx);
  TaskBuild &build = *cx.tasks.emplace_back(std::make_unique<TaskBuild>());
  build.mayHaveReturned = cx.draft.returned.has_value();
  build.span = cx.span;
  build.task.blockDim = cx.config.blockDim.value_or(hir::defaultBlock);
  build.hasOwnBlock = cx.config.blockDim || cx.config.minBlocks;
  build.task.minBlocks = cx.config.minBlocks;
  build.label = cx.config.label;
  build.task.at = shownAt(cx, at);
  build.constantIterations = all.constant;
  cx.config = LoopConfig();
  cx.open = &build;
  return build;
}

/// `number`, which is below 2^31, over the extent of a dimension. A launch that knows the extent
/// makes a multiplication of it (abi::Division).
static ExprRef overExtent(Context &cx, const ExprRef &number, const ParallelRange &all,
                          const ParallelRange::Dim &dim, SourceRange at) {
  const Type word = number->type;
  hir::LaunchExpr divisor;
  ExprRef quotient;
  if (!all.isStrided && !constantCount(dim.range) && countToLaunch(dim.range, divisor))
    quotient = hir::makeQuotient(cx.draft, number, divisor, at);
  return quotient
             ? quotient
             : makeBinary(hir::BinaryOp::CDiv, number, makeCast(dim.extent, word, at), word, at);
}

/// The indices of iteration `number`, one for each dimension.
static std::vector<Value> indicesOf(Context &cx, const ParallelRange &all, const ExprRef &number,
                                    const ast::For &node, const Value &range, SourceRange at) {
  const size_t dims = all.dims.size();
  std::vector<Value> index(dims);
  auto position = [&](size_t d, ExprRef offset) {
    const Type type = all.dims[d].type;
    return Value::scalar(
        indexAt(all.dims[d].range, makeCast(std::move(offset), type, at), type, at));
  };
  if (dims == 1) {
    // The index is a local that the body may assign.
    auto *name = std::get_if<ast::Name>(&node.target->node);
    index[0] = temp(cx, position(0, number).expr, at, name ? std::string(name->id).c_str() : "i");
    return index;
  }
  // The last axis runs fastest. The division is unsigned, since the number is never negative.
  const std::vector<unsigned> order = axesOf(range);
  const Type word = all.isStrided ? number->type : Type::U32;
  ExprRef rest = dims ? makeCast(number, word, at) : nullptr;
  for (size_t k = dims; k-- > 0;) {
    const unsigned d = order[k];
    ExprRef offset = rest;
    if (k > 0) {
      ExprRef extent = makeCast(all.dims[d].extent, word, at);
      ExprRef quotient =
          stable(cx, Value::scalar(overExtent(cx, rest, all, all.dims[d], at)), at).expr;
      ExprRef whole = makeBinary(hir::BinaryOp::Mul, quotient, extent, word, at);
      offset = makeBinary(hir::BinaryOp::Sub, rest, whole, word, at);
      rest = quotient;
    }
    index[d] = position(d, all.isStrided ? offset : makeCast(offset, Type::I32, at));
  }
  return index;
}

/// Has the draft know which local has the index of each axis. So a derivative can tell whose
/// elements are whose.
static void nameAxes(Context &cx, TaskBuild &build, const ParallelRange &all,
                     std::vector<Value> &index, SourceRange at) {
  if (cx.derivative == Derivative::None || all.isStrided)
    return;
  for (size_t d = 0; d < index.size(); ++d) {
    const Range &range = all.dims[d].range;
    if (index.size() > 1)
      index[d] = temp(cx, index[d].expr, at, "i");
    hir::Axis axis;
    axis.local = std::get<hir::LocalRead>(index[d].expr->node).local;
    axis.begin = boundOf(range.begin, all.dims[d].type, at);
    axis.step = int64_t(knownInt(range.step).value_or(0));
    axis.extent = all.dims[d].extent;
    if (!countToLaunch(range, axis.launch))
      return build.axes.clear();
    build.axes.push_back(std::move(axis));
  }
}

void parallelFor(Context &cx, const ast::Stmt &stmt, const ast::For &node, const Value &range) {
  const SourceRange at = stmt.at;
  ParallelRange all;
  if (!evaluateBounds(cx, range, all, node.iterable->at))
    return;
  const auto changed = changedBy(cx, node.body);
  forget(cx, changed);

  TaskBuild &build = openTask(cx, all, at);
  const unsigned savedRegion = cx.region;
  cx.region = cx.nextRegion++;
  for (auto name : changed)
    if (auto variable = findVariable(cx, name)) {
      variable->changedIn = cx.region;
      noteDeclaration(cx, *variable);
    }
  const auto own = ownVariables(cx, stmt, node, changed);
  cx.topLevel = false;
  cx.current = &build.task.body;
  ++cx.frame().runtimeDepth;
  cx.frame().scopes.emplace_back();
  for (auto &outer : own)
    declare(cx, outer->name, outer->at)->value =
        newVariableLeaves(cx, outer->name, outer->value, at);

  Iteration iteration;
  const Type counter = all.total->type;
  iteration.number = newLocal(cx, "iteration", counter);
  cx.current = &iteration.body;
  std::vector<Value> index =
      indicesOf(cx, all, makeLocal(iteration.number, counter, at), node, range, at);
  nameAxes(cx, build, all, index, at);
  LoopContext context;
  context.isParallel = true;
  hir::Block body;
  cx.loopNesting = all.isStrided ? 1 : 0; // the whole body is in a grid-stride loop
  ++cx.openFors;
  loopBody(cx, node, index, range.grouped, body, context);
  --cx.openFors;
  cx.loopNesting = 0;
  for (auto &each : body)
    iteration.body.push_back(std::move(each));
  cx.frame().scopes.pop_back();
  --cx.frame().runtimeDepth;
  cx.open = &build;

  if (all.isStrided)
    runByStride(cx, build, all, std::move(iteration));
  else
    runByThreads(cx, build, all, std::move(iteration));
  cx.region = savedRegion;
  cx.topLevel = true;
  cx.open = nullptr;
  cx.current = nullptr;
}

} // namespace sextant::sema
