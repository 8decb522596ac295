// Diagnostics with the chain of inlined calls, and where emitted statements go.
#include "frontend/sema/Analyzer.h"

namespace sextant::sema {

//===--- Diagnostics -------------------------------------------------------===//

/// Errors inside the library are shown at the user's call; every further inlined
/// call is a note.
Diagnostic KernelAnalyzer::located(Severity severity, SourceRange at, std::string message,
                                   std::string fix) {
  Diagnostic d;
  d.severity = severity;
  d.at = at;
  d.message = std::move(message);
  d.fix = std::move(fix);
  size_t i = frames.size();
  // The place belongs to the innermost frame: out of the library first.
  std::vector<Diagnostic> inner;
  while (i > 1 && frames[i - 1]->module && !frames[i - 1]->module->library.empty() &&
         frames[i - 1]->callAt.file) {
    Frame &f = *frames[i - 1];
    Diagnostic note;
    note.severity = Severity::Note;
    note.at = d.at;
    note.message =
        "in `" + f.module->library + "." + std::string(f.function->name) + "` of the library";
    if (inner.empty())
      inner.push_back(std::move(note));
    d.at = f.callAt;
    --i;
  }
  for (; i > 1; --i) {
    Frame &f = *frames[i - 1];
    if (!f.function || !f.callAt.file)
      continue;
    Diagnostic note;
    note.severity = Severity::Note;
    note.at = f.callAt;
    note.message = "in the call of `" + std::string(f.function->name) + "`";
    inner.push_back(std::move(note));
    if (inner.size() > 8)
      break;
  }
  d.notes = std::move(inner);
  return d;
}

Value KernelAnalyzer::error(SourceRange at, std::string message, std::string fix,
                            std::vector<Diagnostic> notes) {
  // A call of the library that is wrong is wrong once.
  for (auto &f : frames)
    if (f->module && !f->module->library.empty() && f->callAt.file &&
        errorsHere > f->errorsAtEntry) {
      ++errorsHere;
      return Value();
    }
  ++errorsHere;
  auto key = std::make_pair((const void *)at.file, std::make_pair(at.begin, message));
  if (isHost() || program.reported.insert(key).second) {
    Diagnostic report = located(Severity::Error, at, std::move(message), std::move(fix));
    report.notes.insert(report.notes.begin(), std::make_move_iterator(notes.begin()),
                        std::make_move_iterator(notes.end()));
    program.sink->report(std::move(report));
  }
  return Value();
}

/// An error that clashes with another place.
void KernelAnalyzer::errorWithNote(SourceRange at, std::string message, std::string fix,
                                   SourceRange noteAt, std::string note) {
  ++errorsHere;
  auto key = std::make_pair((const void *)at.file, std::make_pair(at.begin, message));
  if (!isHost() && !program.reported.insert(key).second)
    return;
  Diagnostic d = located(Severity::Error, at, std::move(message), std::move(fix));
  Diagnostic other;
  other.severity = Severity::Note;
  other.at = noteAt;
  other.message = std::move(note);
  d.notes.insert(d.notes.begin(), std::move(other));
  program.sink->report(std::move(d));
}

void KernelAnalyzer::warn(SourceRange at, std::string message, std::string fix, std::string name) {
  auto key = std::make_pair((const void *)at.file, std::make_pair(at.begin, message));
  if (!program.reported.insert(key).second)
    return;
  Diagnostic diagnostic = located(Severity::Warning, at, std::move(message), std::move(fix));
  diagnostic.name = std::move(name);
  program.sink->report(std::move(diagnostic));
}

void KernelAnalyzer::warnDeprecated(const std::string &key, SourceRange at, std::string message,
                                    std::string fix) {
  if (program.warnedOnce.insert(key).second)
    warn(at, std::move(message), std::move(fix), "deprecated");
}

/// Unrolled loops and recursion multiply code; this is where it ends.
bool KernelAnalyzer::budget(SourceRange at, uint64_t amount) {
  constexpr uint64_t kLimit = 2000000;
  spent += amount;
  if (spent <= kLimit)
    return true;
  if (!exhausted) {
    exhausted = true;
    error(at,
          "this kernel unrolls and inlines to more than " + std::to_string(kLimit) +
              " statements and expressions",
          "use `range` instead of `qd.static(range(...))` where the loop need not be unrolled");
  }
  return false;
}

/// Inlining and nested expressions use the machine's stack; it has to last.
bool KernelAnalyzer::stackLeft(SourceRange at) {
  char here = 0;
  if (!stackBase)
    stackBase = &here;
  size_t used = size_t(stackBase > &here ? stackBase - &here : &here - stackBase);
  if (used < (size_t(3) << 20) && frames.size() < 400)
    return true;
  if (!exhausted) {
    exhausted = true;
    if (frames.size() > 32)
      error(at, "functions call each other too deeply",
            "recursion has to end under a condition that `qd.static(...)` decides");
    else
      error(at, "expressions and blocks are nested too deeply here",
            "split the expression over several assignments, or move inner blocks into functions");
  }
  return false;
}

//===--- Emission ----------------------------------------------------------===//

hir::Block &KernelAnalyzer::block(SourceRange at) {
  if (!current)
    openSerialTask(at);
  return *current;
}

void KernelAnalyzer::emit(SourceRange at, decltype(hir::Stmt::node) node) {
  if (isHost()) {
    error(at, "this cannot be computed when kernels are built");
    return;
  }
  hir::Stmt stmt;
  stmt.at = at;
  stmt.node = std::move(node);
  block(at).push_back(std::move(stmt));
}

void KernelAnalyzer::openSerialTask(SourceRange at) {
  tasks.push_back(std::make_unique<TaskBuild>());
  open = tasks.back().get();
  open->mayHaveReturned = draft.returned.has_value();
  open->task.serial = true;
  open->task.blockDim = 1;
  open->task.at = at;
  current = &open->task.body;
}

void KernelAnalyzer::closeSerialTask() {
  open = nullptr;
  current = nullptr;
}

unsigned KernelAnalyzer::newLocal(std::string name, hir::Type type) {
  draft.locals.push_back({std::move(name), type, {}, 0});
  return unsigned(draft.locals.size() - 1);
}

/// After an error an expression may be missing; the kernel is not handed out then, and a constant
/// stands in for what is missing. Missing without an error is one.
hir::ExprPtr KernelAnalyzer::take(ExprRef expr) {
  if (expr)
    return hir::take(std::move(expr));
  if (!errorsHere)
    error(statementAt, "internal error: an expression of this statement has no value",
          "please report it with the statement");
  return hir::take(makeBool(false));
}

Value KernelAnalyzer::temp(ExprRef expr, SourceRange at, const char *name) {
  if (!expr)
    return Value();
  if (isHost())
    return error(at, "this cannot be computed when kernels are built");
  hir::Type type = expr->type;
  unsigned local = newLocal(name, type);
  emit(at, hir::Assign{local, take(std::move(expr))});
  return Value::scalar(makeLocal(local, type, at));
}

Value KernelAnalyzer::stable(Value value, SourceRange at) {
  if (value.kind == Value::Scalar && value.expr && !isTrivial(*value.expr))
    return temp(std::move(value.expr), at);
  if (value.kind == Value::Matrix || value.kind == Value::Tuple)
    for (Value &item : value.items)
      item = stable(std::move(item), at);
  return value;
}

} // namespace sextant::sema
