// Diagnostics with the chain of inlined calls, and the places to which statements are written.
#include "frontend/sema/Context.h"

#include "frontend/sema/Declarations.h"

namespace sextant::sema {

//===--- Diagnostics -------------------------------------------------------===//

/// An error inside the library is shown at the user's call. Every further inlined call becomes a
/// note.
Diagnostic located(Context &cx, Severity severity, SourceRange at, Problem problem,
                   std::string message, Fix fix) {
  Diagnostic d;
  d.problem = problem;
  d.severity = severity;
  d.at = at;
  d.message = std::move(message);
  d.fix = std::move(fix);
  size_t i = cx.frames.size();
  // The place belongs to the innermost frame. The search leaves the library first, whose text
  // nobody edits.
  std::vector<Diagnostic> inner;
  while (i > 1 && cx.frames[i - 1]->module && !cx.frames[i - 1]->module->library.empty() &&
         cx.frames[i - 1]->callAt.file) {
    Frame &f = *cx.frames[i - 1];
    Diagnostic note;
    note.severity = Severity::Note;
    note.at = d.at;
    note.message =
        "in `" + f.module->library + "." + std::string(f.function->name) + "` of the library";
    if (inner.empty())
      inner.push_back(std::move(note));
    d.at = f.callAt;
    d.fix.edits.clear();
    --i;
  }
  const Frame *shown = nullptr;
  for (; i > 1 && inner.size() <= 8; --i) {
    const Frame &f = *cx.frames[i - 1];
    if (!f.function || !f.callAt.file)
      continue;
    // A recursion is shown once.
    if (shown && f.function == shown->function && f.callAt.file == shown->callAt.file &&
        f.callAt.begin == shown->callAt.begin)
      continue;
    shown = &f;
    Diagnostic note;
    note.severity = Severity::Note;
    note.at = f.callAt;
    note.message = "in the call of `" + std::string(f.function->name) + "`";
    inner.push_back(std::move(note));
  }
  d.notes = std::move(inner);
  return d;
}

Failed error(Context &cx, SourceRange at, Problem problem, std::string message, Fix fix,
             std::vector<Label> labels) {
  // Reports a wrong call of the library only once.
  for (auto &f : cx.frames)
    if (f->module && !f->module->library.empty() && f->callAt.file &&
        cx.errorsHere > f->errorsAtEntry) {
      ++cx.errorsHere;
      return {};
    }
  ++cx.errorsHere;
  auto key = std::make_pair((const void *)at.file, std::make_pair(at.begin, message));
  if (cx.isHost() || cx.program.quiet > 0 || cx.program.reported.insert(key).second) {
    Diagnostic report =
        located(cx, Severity::Error, at, problem, std::move(message), std::move(fix));
    report.labels = std::move(labels);
    if (report.labels.empty() && isAboutOperands(problem))
      report.labels = declarationsIn(cx, at);
    cx.program.sink->report(std::move(report));
  } else {
    cx.program.sink->repeated(located(cx, Severity::Error, at, problem, message, {}).at, message);
  }
  return {};
}

void warn(Context &cx, SourceRange at, Warning warning, Problem problem, std::string message,
          Fix fix, std::vector<Label> labels) {
  auto key = std::make_pair((const void *)at.file, std::make_pair(at.begin, message));
  if (cx.program.quiet == 0 && !cx.program.reported.insert(key).second)
    return;
  Diagnostic diagnostic =
      located(cx, Severity::Warning, at, problem, std::move(message), std::move(fix));
  diagnostic.warning = warning;
  diagnostic.labels = std::move(labels);
  cx.program.sink->report(std::move(diagnostic));
}

void warnDeprecated(Context &cx, const std::string &key, SourceRange at, std::string message,
                    Fix fix) {
  if (cx.program.warnedOnce.insert(key).second)
    warn(cx, at, Warning::Deprecated, Problem::OldName, std::move(message), std::move(fix));
}

/// Unrolled loops and recursion multiply code. This is the limit.
bool budget(Context &cx, SourceRange at, uint64_t amount) {
  constexpr uint64_t limit = 2000000;
  cx.spent += amount;
  if (cx.spent <= limit)
    return true;
  if (!cx.exhausted) {
    cx.exhausted = true;
    error(cx, at, Problem::KernelTooLarge,
          "this kernel unrolls and inlines to more than " + std::to_string(limit) +
              " statements and expressions",
          "use `range` instead of `qd.static(range(...))` where the loop need not be unrolled");
  }
  return false;
}

/// Inlining and nested expressions use the machine's stack, which must not run out.
bool stackLeft(Context &cx, SourceRange at) {
  char here = 0;
  if (!cx.stackBase)
    cx.stackBase = &here;
  size_t used = size_t(cx.stackBase > &here ? cx.stackBase - &here : &here - cx.stackBase);
  if (used < (size_t(3) << 20) && cx.frames.size() < 400)
    return true;
  if (!cx.exhausted) {
    cx.exhausted = true;
    if (cx.frames.size() > 32)
      error(cx, at, Problem::CallsTooDeep, "functions call each other too deeply",
            "recursion has to end under a condition that `qd.static(...)` decides");
    else
      error(cx, at, Problem::NestingTooDeep, "expressions and blocks are nested too deeply here",
            "split the expression over several assignments, or move inner blocks into functions");
  }
  return false;
}

//===--- Emission ----------------------------------------------------------===//

hir::Block &block(Context &cx, SourceRange at) {
  if (!cx.current)
    openSerialTask(cx, at);
  return *cx.current;
}

SourceRange shownAt(Context &cx, SourceRange at) {
  const SourceRange &call = cx.frame().libraryCall;
  return call.file && cx.program.isLibrary(at.file) ? call : at;
}

void locate(Context &cx, hir::Expr &expr) {
  const Frame &frame = cx.frame();
  if (expr.at.call || (!frame.codeCall && !frame.libraryCall.file))
    return;
  expr.at = {shownAt(cx, expr.at), frame.codeCall};
  // The statements of a sequence are located already.
  forEachOperand(expr, [&](hir::Expr &operand) { locate(cx, operand); }, [](hir::Block &) {});
}

hir::Stmt statement(Context &cx, SourceRange at, decltype(hir::Stmt::node) node) {
  hir::Stmt stmt{{shownAt(cx, at), cx.frame().codeCall}, std::move(node)};
  forEachOperand(stmt, [&](hir::Expr &operand) { locate(cx, operand); }, [](hir::Block &) {});
  return stmt;
}

void emit(Context &cx, SourceRange at, decltype(hir::Stmt::node) node) {
  if (cx.isHost()) {
    error(cx, at, Problem::NotComputedOnHost, "this cannot be computed when kernels are built");
    return;
  }
  block(cx, at).push_back(statement(cx, at, std::move(node)));
}

void openSerialTask(Context &cx, SourceRange at) {
  cx.tasks.push_back(std::make_unique<TaskBuild>());
  cx.open = cx.tasks.back().get();
  cx.open->mayHaveReturned = cx.draft.returned.has_value();
  cx.open->span = cx.span;
  cx.open->task.serial = true;
  cx.open->task.blockDim = 1;
  cx.open->task.at = shownAt(cx, at);
  cx.current = &cx.open->task.body;
}

void closeSerialTask(Context &cx) {
  cx.open = nullptr;
  cx.current = nullptr;
}

unsigned newLocal(Context &cx, std::string name, hir::Type type) {
  cx.draft.locals.push_back({std::move(name), type, {}, 0});
  return unsigned(cx.draft.locals.size() - 1);
}

unsigned recordParam(Context &cx, Sites &sites, uint64_t words) {
  if (!sites.hidden) {
    hir::HiddenBuffer buffer;
    buffer.role = sites.role;
    buffer.type = hir::Type::U32;
    buffer.count = words;
    sites.hidden = unsigned(cx.draft.kernel.hidden.size());
    cx.draft.addHidden(std::move(buffer));
  }
  return cx.draft.paramOf(*sites.hidden);
}

unsigned siteOf(Context &cx, Sites &sites, const std::string &text) {
  auto [entry, isNew] = sites.numbers.try_emplace(text, unsigned(sites.numbers.size() + 1));
  if (isNew)
    cx.draft.kernel.hidden[*sites.hidden].name += text + "\n";
  return entry->second;
}

/// After an error an expression may be missing. The kernel is then dropped, and a constant stands
/// in for the missing expression. A missing expression without an error is an error itself.
hir::ExprPtr take(Context &cx, ExprRef expr) {
  if (expr && !cx.frames.empty() && cx.frame().preciseDepth)
    hir::markPrecise(*expr);
  if (expr)
    return hir::take(std::move(expr));
  if (!cx.errorsHere)
    error(cx, cx.statementAt, Problem::InternalMissingValue,
          "internal error: an expression of this statement has no value",
          "please report it with the statement");
  return hir::take(makeBool(false));
}

Value temp(Context &cx, ExprRef expr, SourceRange at, const char *name) {
  if (!expr)
    return Value();
  if (cx.isHost())
    return error(cx, at, Problem::NotComputedOnHost,
                 "this cannot be computed when kernels are built");
  hir::Type type = expr->type;
  unsigned local = newLocal(cx, name, type);
  emit(cx, at, hir::Assign{local, take(cx, std::move(expr))});
  return Value::scalar(makeLocal(local, type, at));
}

Value stable(Context &cx, Value value, SourceRange at) {
  if (value.kind == Value::Scalar && value.expr && !isTrivial(*value.expr))
    return temp(cx, std::move(value.expr), at);
  if (value.isCompound())
    for (Value &item : value.items)
      item = stable(cx, std::move(item), at);
  return value;
}

Value snapshot(Context &cx, Value value, SourceRange at) {
  if (value.kind == Value::Scalar &&
      !(asConst(*value.expr) || std::holds_alternative<hir::ParamRead>(value.expr->node)))
    return temp(cx, std::move(value.expr), at);
  if (value.isCompound())
    for (Value &item : value.items)
      item = snapshot(cx, std::move(item), at);
  return value;
}

} // namespace sextant::sema
