// Loops on the device, checkpoints and parallel sections (Quadrants' pages `graph` and `streams`).
// What they hold are tasks, so they stand where tasks do. Each makes a span of the draft. The
// decisions of the device are ordinary stores in serial tasks; hir/passes/GateTasks.cpp makes tasks
// obey them.
#include "frontend/sema/eval/Spans.h"
#include "frontend/sema/Builtin.h"
#include "frontend/sema/Casts.h"
#include "frontend/sema/eval/Expressions.h"
#include "frontend/sema/eval/Functions.h"
#include "frontend/sema/eval/MarkOptions.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/eval/Statements.h"
#include "frontend/sema/values/Convert.h"

#include <algorithm>
#include <utility>

namespace sextant::sema {

using hir::Span;
using hir::Type;

namespace {

/// True if a span of this kind is around the task that is about to be opened.
bool isInside(const Context &cx, Span::Kind kind) {
  for (unsigned span = cx.span; span; span = cx.draft.spans[span].parent)
    if (cx.draft.spans[span].kind == kind)
      return true;
  return false;
}

/// Runs the body in a span of its own. What the body writes are tasks of their own, too.
Flow inSpan(Context &cx, Span::Kind kind, const std::function<Flow()> &body) {
  closeSerialTask(cx);
  const unsigned around = cx.span;
  cx.span = unsigned(cx.draft.spans.size());
  cx.draft.spans.push_back({kind, around});
  const Flow flow = body();
  closeSerialTask(cx);
  cx.span = around;
  return flow;
}

/// The schedule's buffer, which the kernel has from now on.
hir::BufferRef scheduleOf(Context &cx) {
  if (!cx.draft.schedule) {
    hir::HiddenBuffer buffer;
    buffer.role = hir::HiddenBuffer::Schedule;
    buffer.name = "schedule";
    buffer.type = Type::U32;
    cx.draft.schedule = unsigned(cx.draft.kernel.hidden.size());
    cx.draft.addHidden(std::move(buffer));
  }
  return {hir::BufferRef::Param, cx.draft.paramOf(*cx.draft.schedule)};
}
void storeWord(Context &cx, unsigned word, ExprRef value, SourceRange at) {
  const hir::BufferRef buffer = scheduleOf(cx);
  emit(cx, at,
       hir::Store{buffer, take(cx, makeInt(word, Type::I32, at)), take(cx, std::move(value)),
                  false});
}

unsigned wordOfLoop(Context &cx, unsigned span) {
  return abi::FirstLoop + cx.draft.countBefore(span, Span::Loop);
}

/// Finds the array that the device looks at, of one integer. Absent after an error.
std::optional<Place> flagOf(Context &cx, const ast::Expr &expr, const std::string &what) {
  const Value value = eval(cx, expr);
  if (value.isPoison())
    return std::nullopt;
  const bool isScalar = value.kind == Value::Array && value.array->shape.empty() &&
                        value.array->space != ArrayRef::Shared && !value.array->element.matrix &&
                        !value.array->structure && isInteger(value.array->element.type);
  if (!isScalar)
    return error(cx, expr.at, Problem::FlagNotScalarArray,
                 what + " takes an array of one integer, not " + describe(value),
                 "declare it as `qd.types.ndarray(qd.i32, ndim=0)`, and pass the array itself");
  return elementPlace(cx, value.array, Value::tuple({}), expr.at);
}
/// Reads the flag: whether it is not 0.
ExprRef isSet(Context &cx, const Place &flag, SourceRange at) {
  return toBool(cx, readPlace(cx, flag, at), at);
}

/// Reports a span that cannot stand here. Returns false after an error.
bool mayStand(Context &cx, const SpanCall &asked, SourceRange at) {
  const std::string name = "`" + asked.name + "`";
  auto refuse = [&](Problem problem, std::string message, Fix fix) {
    return error(cx, at, problem, std::move(message), std::move(fix));
  };
  if (!cx.topLevel)
    return refuse(Problem::SpanNotAtTop,
                  name + " stands at the top of a kernel, or of a function that is called there",
                  "move it out of the loop, or of the `if` that is not `qd.static`");
  const bool inBranch = isInside(cx, Span::Branch);
  const Span::Kind here = cx.draft.spans[cx.span].kind;
  const bool isBranch = asked.kind == Span::Branch;
  if ((isBranch && !asked.isStream && here != Span::Fork) || (!isBranch && here == Span::Fork))
    return refuse(Problem::SpanNested,
                  "`with qd.graph.parallel():` stands in `with qd.graph.parallel_context():`, and "
                  "nothing else does",
                  "");
  if (inBranch)
    return refuse(Problem::SpanNested, name + " cannot stand in a parallel section",
                  "a section holds loops and other statements");
  if (asked.kind == Span::Checkpoint && isInside(cx, Span::Checkpoint))
    return refuse(Problem::SpanNested, "checkpoints cannot be nested",
                  "let the one end before the other begins");
  if (asked.isStream)
    return true;
  const bool isCheckpoint = asked.kind == Span::Checkpoint;
  const auto kernel = std::find_if(cx.frames.begin(), cx.frames.end(),
                                   [](const auto &frame) { return frame->isKernel; });
  const ast::FunctionDef &function = *(*kernel)->function;
  ModuleScope &module = *(*kernel)->module; // options are evaluated in a frame of their own
  for (const char *option : {"graph", "checkpoints"}) {
    if (option == std::string_view("checkpoints") && !isCheckpoint)
      continue;
    if (hasOption(cx, function, module, "kernel", option))
      continue;
    const bool lacksBoth = isCheckpoint &&
                           !hasOption(cx, function, module, "kernel", "checkpoints") &&
                           option == std::string_view("graph");
    return refuse(Problem::KernelNotGraph,
                  name + " needs a kernel that is decorated with `" + option + "=True`",
                  Fix(isCheckpoint ? "write `@qd.kernel(graph=True, checkpoints=True)`"
                                   : "write `@qd.kernel(graph=True)`",
                      optionEdits(function, module,
                                  lacksBoth ? "graph=True, checkpoints=True"
                                            : option + std::string("=True"))));
  }
  return true;
}

Flow execCheckpoint(Context &cx, const ast::With &node, const SpanCall &asked, SourceRange at) {
  const Value label = eval(cx, *asked.label);
  const std::optional<Place> flag = flagOf(cx, *asked.flag, "`yield_on`");
  if (label.isPoison() || !flag)
    return Flow::Normal;
  if (label.kind != Value::Int || label.integer < minOf(Type::I64) ||
      label.integer > maxOf(Type::I64)) {
    error(cx, asked.label->at, Problem::CheckpointLabelNotInteger,
          "the label of a checkpoint is an integer that is known when kernels are built, not " +
              describe(label),
          "write a literal, or a member of an IntEnum");
    return Flow::Normal;
  }
  for (const Span &other : cx.draft.spans)
    if (other.kind == Span::Checkpoint && other.label == int64_t(label.integer)) {
      error(cx, asked.label->at, Problem::CheckpointLabelTwice,
            "two checkpoints of the kernel have the label " + spell(label.integer),
            "give each one a label of its own");
      return Flow::Normal;
    }
  return inSpan(cx, Span::Checkpoint, [&] {
    const unsigned span = cx.span;
    cx.draft.spans[span].label = int64_t(label.integer);
    const Flow flow = execBlock(cx, node.body);
    ExprRef yields = isSet(cx, *flag, at);
    if (!yields)
      return flow;
    hir::Block stop, go;
    inRuntime(cx, stop, [&] {
      storeWord(cx, abi::YieldWord,
                makeInt(cx.draft.countBefore(span, Span::Checkpoint) + 1, Type::U32, at), at);
      storeWord(cx, abi::IdleWord, makeInt(1, Type::U32, at), at);
      for (unsigned outer = span; outer; outer = cx.draft.spans[outer].parent)
        if (cx.draft.spans[outer].kind == Span::Loop)
          storeWord(cx, wordOfLoop(cx, outer), makeInt(0, Type::U32, at), at);
      return Flow::Normal;
    });
    inRuntime(cx, go, [&] {
      storeWord(cx, abi::IdleWord, makeInt(0, Type::U32, at), at);
      return Flow::Normal;
    });
    emit(cx, at, hir::If{take(cx, yields), std::move(stop), std::move(go)});
    return flow;
  });
}

/// Sections need nothing of the device. The schedule's buffer names them to the loader.
Flow execSections(Context &cx, const ast::With &node, const SpanCall &asked) {
  if (asked.kind == Span::Branch && !asked.isStream)
    return inSpan(cx, Span::Branch, [&] { return execBlock(cx, node.body); });
  scheduleOf(cx);
  auto &spans = cx.draft.spans;
  if (!asked.isStream)
    return inSpan(cx, Span::Fork, [&] {
      const unsigned fork = cx.span;
      const size_t first = cx.tasks.size();
      const Flow flow = execBlock(cx, node.body);
      for (size_t t = first; t < cx.tasks.size(); ++t)
        if (cx.tasks[t]->span == fork)
          error(cx, cx.tasks[t]->task.at, Problem::SpanNested,
                "`with qd.graph.parallel_context():` holds only `with qd.graph.parallel():`",
                "move this into a section, or out of the `with`");
      return flow;
    });
  // The fork of the `with` before this one, if nothing stands between.
  closeSerialTask(cx);
  const unsigned around = cx.span;
  unsigned fork = unsigned(spans.size());
  if (cx.lastStreamTask && cx.lastStreamTask == cx.tasks.size())
    for (fork = unsigned(spans.size()) - 1; spans[fork].kind != Span::Fork;)
      --fork;
  else
    spans.push_back({Span::Fork, around});
  cx.span = fork;
  const Flow flow = inSpan(cx, Span::Branch, [&] { return execBlock(cx, node.body); });
  cx.span = around;
  cx.lastStreamTask = cx.tasks.size();
  return flow;
}

} // namespace

/// Reads the call. Absent after an error.
static std::optional<SpanCall> read(Context &cx, const ast::Expr &call) {
  SpanCall asked;
  cx.spanCall = &asked;
  const Value value = eval(cx, call);
  cx.spanCall = nullptr;
  if (value.isPoison())
    return std::nullopt;
  return asked;
}

void checkSpans(Context &cx, SourceRange at) {
  const auto &hidden = cx.draft.kernel.hidden;
  if (cx.draft.has(Span::Checkpoint) &&
      std::any_of(hidden.begin(), hidden.end(), [](const hir::HiddenBuffer &buffer) {
        return buffer.role == hir::HiddenBuffer::Return;
      }))
    error(cx, at, Problem::CheckpointsWithResult,
          "a kernel with checkpoints returns no value: a launch tells how it ended",
          "store the value in an array");
}

bool isDoWhile(Context &cx, const ast::While &node) {
  auto *call = std::get_if<ast::Call>(&node.condition->node);
  if (!call)
    return false;
  if (!std::holds_alternative<ast::Attribute>(call->callee->node) &&
      !std::holds_alternative<ast::Name>(call->callee->node))
    return false;
  Quietly quiet(cx);
  const Value callee = eval(cx, *call->callee);
  return callee.kind == Value::Builtin &&
         (callee.builtin->name == std::string_view("graph.do_while") ||
          (callee.builtin->current &&
           callee.builtin->current == std::string_view("graph.do_while")));
}

/// The body runs, then the device looks whether it runs again. A round ends with a serial task,
/// which is also that of the statements at the end of the body.
Flow execDoWhile(Context &cx, const ast::Stmt &stmt, const ast::While &node) {
  const std::optional<SpanCall> asked = read(cx, *node.condition);
  if (!asked || !mayStand(cx, *asked, node.condition->at))
    return Flow::Normal;
  if (!node.otherwise.empty())
    error(cx, stmt.at, Problem::WhileElse, "`while … else` is not supported",
          "write what is under `else` after the loop, which no `break` leaves");
  const std::optional<Place> flag = flagOf(cx, *asked->flag, "`" + asked->name + "`");
  if (!flag)
    return Flow::Normal;
  forget(cx, changedBy(cx, node.body));
  storeWord(cx, wordOfLoop(cx, unsigned(cx.draft.spans.size())), makeInt(1, Type::U32, stmt.at),
            stmt.at);
  inSpan(cx, Span::Loop, [&] {
    const unsigned span = cx.span;
    LoopContext context;
    context.isOnDevice = true;
    cx.frame().loops.push_back(context);
    execBlock(cx, node.body);
    cx.frame().loops.pop_back();
    if (cx.countsLaunch) // rounds draw different numbers
      callLibrary(cx, "random", "_count_launch", {}, stmt.at);
    if (ExprRef again = isSet(cx, *flag, stmt.at))
      storeWord(cx, wordOfLoop(cx, span), makeCast(again, Type::U32, stmt.at), stmt.at);
    return Flow::Normal;
  });
  return Flow::Normal;
}

Flow execWith(Context &cx, const ast::Stmt &stmt, const ast::With &node) {
  const std::optional<SpanCall> asked = read(cx, *node.context);
  if (!asked)
    return Flow::Normal;
  if (asked->kind == Span::Kernel || asked->kind == Span::Loop) {
    error(cx, node.context->at, Problem::WithOfOtherCall,
          "`with` of a kernel takes a checkpoint or a parallel section",
          "write `qd.checkpoint`, `qd.graph.parallel_context`, `qd.graph.parallel` or "
          "`qd.stream_parallel`");
    return Flow::Normal;
  }
  if (!mayStand(cx, *asked, node.context->at))
    return Flow::Normal;
  return asked->kind == Span::Checkpoint ? execCheckpoint(cx, node, *asked, stmt.at)
                                         : execSections(cx, node, *asked);
}

} // namespace sextant::sema
