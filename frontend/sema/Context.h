// The state of one run. Sema runs a kernel symbolically: it evaluates what is static, inlines
// functions, and writes everything else as HIR. Functions of eval/, tasks/ and builtins/ take the
// state as their first parameter. Each kernel instance has its own; threads do not share it.
#pragma once

#include "frontend/hir/Draft.h"
#include "frontend/sema/Program.h"
#include "frontend/sema/Value.h"

#include <concepts>
#include <deque>

namespace sextant::sema {

using hir::Derivative;

struct Place;

/// A name in a function that is being run.
struct Variable {
  std::string name;
  SourceRange at;
  /// The leaves are reads of the variable's own locals, unless `alias` is set.
  Value value;
  bool alias = false;         ///< bound to something static, or to a function argument
  bool readOnly = false;      ///< kernel arguments
  unsigned region = 0;        ///< the parallel task that it lives in; 0: the kernel's own
  unsigned depth = 0;         ///< run-time control flow that was open where it was declared
  unsigned changedIn = 0;     ///< the latest parallel task that may change it from outside
  std::optional<Value> known; ///< its value as an expression that the host can compute
  /// Set for the `self` of a method: the struct that it is called on, in memory or in a variable.
  /// There is no value then.
  std::shared_ptr<const Place> place;
};
using VariablePtr = std::shared_ptr<Variable>;
using NameScope = std::unordered_map<std::string_view, VariablePtr>;

struct SpanCall;

/// The targets of break and continue.
struct LoopContext {
  bool isStatic = false, isParallel = false, isOnDevice = false;
  unsigned depth = 0; ///< Frame::runtimeDepth inside the body
  unsigned breakScope = 0, continueScope = 0;
  bool breakUsed = false, continueUsed = false;
};

/// A function call that is being inlined, or the kernel itself.
struct Frame {
  ModuleScope *module = nullptr;
  const ast::FunctionDef *function = nullptr;
  SourceRange callAt;
  unsigned call = 0;     ///< an index into Kernel::calls
  unsigned codeCall = 0; ///< the call that its code is for: the caller's until arguments are bound
  /// The user's call of the library that the frame stands in, where the library's code is shown and
  /// debugged. No file: it stands in none.
  SourceRange libraryCall;
  std::vector<NameScope> scopes;
  std::vector<LoopContext> loops;
  bool isKernel = false, isHost = false;
  unsigned errorsAtEntry = 0;
  unsigned runtimeDepth = 0;  ///< run-time control flow that is open since the entry
  unsigned preciseDepth = 0;  ///< calls of `qd.precise` around the expression
  size_t statementScopes = 0; ///< how many of `scopes` were open where the statement began
  unsigned returnScope = 0;
  bool returnScopeUsed = false;
  std::optional<TypeValue> returnType;
  std::optional<Value> directResult; ///< the value of a return that nothing at run time guards
  /// For each leaf, a type that all guarded returns fit. Once the types are known, the body runs
  /// again.
  std::vector<hir::Type> resultTypes;
  bool runAgain = false;
  std::optional<Value> resultLocals; ///< where guarded returns store their results
  /// The first return with a value, and the first without one. A function must have only one kind.
  std::optional<SourceRange> valueReturn, bareReturn;
};

/// How a statement ended.
enum class Flow : uint8_t {
  Normal,
  Dead, ///< the code after it is not reached
  Break,
  Continue, ///< it continues a static loop, and nothing at run time guards it
};

/// A task that is being written.
struct TaskBuild : hir::DraftTask {
  bool hasOwnBlock = false;  ///< the kernel says how many threads a block has, or how many fit
  bool asksBlockDim = false; ///< the code depends on it
  bool usesBarrier = false;
  SourceRange barrierAt;
  std::string barrierWhat;
  struct Random {
    unsigned drawn; ///< local: how many numbers the thread drew
    unsigned mix;   ///< local: of the seed and the launch
  };
  std::optional<Random> random; ///< set at the start of the task, if it draws
  std::optional<Exact> constantIterations;
};

/// The settings of `qd.loop_config` for the next loop.
struct LoopConfig {
  std::optional<unsigned> blockDim;
  unsigned minBlocks = 0;
  bool serialize = false;
  std::optional<unsigned> unroll; ///< as in hir::For; serial loops only
  std::string label;              ///< `name=`: letters, digits and underscores
  bool given = false;             ///< something that only parallel loops have
  SourceRange at;
};

/// A hidden buffer that records name places in: faults, or prints. Its name has their texts.
struct Sites {
  hir::HiddenBuffer::Role role;
  std::optional<unsigned> hidden = {}; ///< an index into draft.kernel.hidden; absent: no record
  std::map<std::string, unsigned> numbers = {};
};

/// The text of a value that is stored, which a cast may go around. Null: none is known.
struct Written {
  const ast::Expr *value = nullptr;
  const ast::AugAssign *augmented = nullptr; ///< the value is one operand of what is stored
};

struct Context {
  explicit Context(Program &program) : program(program), options(program.options) {}

  Program &program;
  const SemaOptions &options;

  /// The lanes of a subgroup, and other facts of the target. All code that depends on one asks
  /// here.
  unsigned wave() const { return ask(Fact::Wave).wave; }
  const std::string &backend() const { return ask(Fact::Backend).backend; }
  const std::string &matrixUnit() const { return ask(Fact::MatrixUnit).matrixUnit; }
  uint64_t sharedLimit() const { return ask(Fact::SharedLimit).sharedLimit; }

  //--- What is being run
  std::vector<std::unique_ptr<Frame>> frames;
  SourceRange statementAt;        ///< the range of the statement
  bool inOption = false;          ///< the text of an option, where names of `qd` need no prefix
  std::deque<Value> ofProperties; ///< objects and arrays that properties yielded
  unsigned staticDepth = 0;       ///< calls of `qd.static` around the expression
  bool waiting = false;           ///< in the condition of a `while` that does nothing else
  /// The widest memory that such a condition reads without a volatile or atomic access.
  std::optional<hir::FenceScope> waitedFor;
  bool topLevel = true; ///< a `for` here is a task
  /// True at the top of the kernel, under an `if` whose condition is known but not `qd.static`.
  bool underKnownIf = false;
  /// The statement that keeps a `for` here from being a task, for messages. Null at the top.
  const char *serialIn = nullptr;
  unsigned openFors = 0;    ///< run-time `for` loops around the code, in any function
  unsigned loopNesting = 0; ///< run-time loops that are open inside the task
  LoopConfig config;        ///< the next loop's settings
  Written written;          ///< the statement's or the argument's text: Casts.h sets it
  std::string sharedName;   ///< the variable that a SharedArray is about to be bound to

  //--- What is written
  hir::Draft draft;                         ///< without its tasks, which are in `tasks`
  Derivative derivative = Derivative::None; ///< that the draft will become
  bool isConstant = false;   ///< the code has no derivative: functions need none of their own
  bool inDerivative = false; ///< the code is the derivative of tasks: arrays may have no gradient
  std::vector<std::unique_ptr<TaskBuild>> tasks;
  TaskBuild *open = nullptr;     ///< null: between tasks
  hir::Block *current = nullptr; ///< the block that statements are written to; null: between tasks
  unsigned region = 0, nextRegion = 1, nextScope = 1;
  /// The declarations of variables that parallel loops change, by the first local of each.
  std::map<unsigned, SourceRange> declaredAt;
  std::map<const ArrayRef *, unsigned> fieldParams;
  std::vector<std::shared_ptr<ArrayRef>> keepAlive;
  bool countsLaunch = false; ///< the kernel takes random numbers, and has to count its launches
  Sites faults{hir::HiddenBuffer::Fault}, prints{hir::HiddenBuffer::Print};
  SpanCall *spanCall = nullptr; ///< the call of a `with` or `while` that is being read
  unsigned span = 0;            ///< the element of draft.spans that new tasks belong to
  size_t lastStreamTask = 0;    ///< the number of tasks when the last `qd.stream_parallel` ended

  //--- How much is left
  unsigned errorsHere = 0;
  uint64_t spent = 0;
  bool exhausted = false;
  const char *stackBase = nullptr;

  const TargetFacts &ask(Fact fact) const {
    if (options.onFact)
      options.onFact(fact);
    return options.target;
  }
  Frame &frame() { return *frames.back(); }
  /// How much run-time control flow is open, in all functions.
  unsigned runtimeDepth() const {
    unsigned depth = 0;
    for (const auto &each : frames)
      depth += each->runtimeDepth;
    return depth;
  }
  bool isHost() { return frame().isHost; }
  unsigned newScope() { return nextScope++; }
  TaskBuild *task() { return open; }
  /// The threads of a block, on which the code then depends.
  unsigned blockDim() {
    if (!open)
      return 1;
    open->asksBlockDim = true;
    return open->task.blockDim;
  }
};

/// Returns the variable of this name in the function that is being run, or null.
inline VariablePtr findVariable(Context &cx, std::string_view name) {
  auto &scopes = cx.frame().scopes;
  for (size_t i = scopes.size(); i-- > 0;)
    if (auto it = scopes[i].find(name); it != scopes[i].end())
      return it->second;
  return nullptr;
}

/// Keeps the diagnostics of a scope to itself: of code that may mean nothing to kernels, where an
/// error matters only if a kernel uses it.
class Quietly {
public:
  explicit Quietly(Context &cx) : cx(cx), outer(cx.program.sink), before(cx.errorsHere) {
    cx.program.sink = &kept;
    ++cx.program.quiet;
  }
  ~Quietly() {
    --cx.program.quiet;
    cx.program.sink = outer;
    cx.errorsHere = before;
  }
  Quietly(const Quietly &) = delete;

  const std::vector<Diagnostic> &diagnostics() const { return kept.diagnostics(); }
  bool hasErrors() const { return kept.hasErrors(); }

private:
  Context &cx;
  DiagnosticSink kept;
  DiagnosticSink *outer;
  unsigned before;
};

//===--- Diagnostics and emission (Context.cpp) ----------------------------===//

/// The result of an error is nothing, whatever a function returns: `return error(…)` ends it. Where
/// that could be a poison or no value at all, say which: `Value(error(…))`, or `std::nullopt`.
struct Failed {
  operator Value() const { return {}; }
  operator std::optional<Value>() && = delete;
  template <std::same_as<bool> T> operator T() const { return false; }
  template <class T> operator T *() const { return nullptr; }
  template <class T> operator std::optional<T>() && { return {}; }
  template <class T> operator std::shared_ptr<T>() && { return {}; }
};
Failed error(Context &cx, SourceRange at, Problem problem, std::string message, Fix fix = {},
             std::vector<Label> labels = {});
void warn(Context &cx, SourceRange at, Warning warning, Problem problem, std::string message,
          Fix fix = {}, std::vector<Label> labels = {});
/// Warns of an old name, once for each `key`.
void warnDeprecated(Context &cx, const std::string &key, SourceRange at, std::string message,
                    Fix fix);
Diagnostic located(Context &cx, Severity severity, SourceRange at, Problem problem,
                   std::string message, Fix fix);
bool budget(Context &cx, SourceRange at, uint64_t amount = 1);
hir::Block &block(Context &cx, SourceRange at);
/// Returns the place at which code that is written at `at` is shown.
SourceRange shownAt(Context &cx, SourceRange at);
/// Gives the expression's nodes their call, and the library's nodes the place where they are shown.
/// Nodes that an inlined function gave a call keep it.
void locate(Context &cx, hir::Expr &expr);
/// A located statement. All statements are made here.
hir::Stmt statement(Context &cx, SourceRange at, decltype(hir::Stmt::node) node);
void emit(Context &cx, SourceRange at, decltype(hir::Stmt::node) node);
void openSerialTask(Context &cx, SourceRange at);
void closeSerialTask(Context &cx);
unsigned newLocal(Context &cx, std::string name, hir::Type type);
/// Returns the parameter of the buffer of records, which has this many words of U32.
unsigned recordParam(Context &cx, Sites &sites, uint64_t words);
/// Returns the number of a text, from 1. Equal ones share a number. The buffer must be there.
unsigned siteOf(Context &cx, Sites &sites, const std::string &text);
/// All expressions pass through here on their way into the kernel's code.
hir::ExprPtr take(Context &cx, ExprRef expr);
Value temp(Context &cx, ExprRef expr, SourceRange at, const char *name = "t");
/// Returns the same value in a form that is cheap to use more than once.
Value stable(Context &cx, Value value, SourceRange at);
/// Returns a copy that later assignments do not change.
Value snapshot(Context &cx, Value value, SourceRange at);
bool stackLeft(Context &cx, SourceRange at);

} // namespace sextant::sema
