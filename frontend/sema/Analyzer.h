// Runs one kernel symbolically: evaluates what is static, inlines functions, and
// writes the rest down as HIR. One object a kernel instance. Its methods are
// spread over the files that the headings name.
#pragma once

#include "frontend/hir/Draft.h"
#include "frontend/sema/Program.h"
#include "frontend/sema/Value.h"

#include <optional>

namespace sextant::sema {

/// A name in a function that is being run.
struct Variable {
  std::string name;
  SourceRange at;
  /// Leaves are reads of the variable's own locals, unless `alias`.
  Value value;
  bool alias = false;         ///< bound to something static, or to a function argument
  bool readOnly = false;      ///< kernel arguments
  unsigned region = 0;        ///< the parallel task that it lives in; 0: the kernel's own
  unsigned changedIn = 0;     ///< the latest parallel task that may change it from outside
  std::optional<Value> known; ///< its value as an expression that the host can compute
};
using VariablePtr = std::shared_ptr<Variable>;
using NameScope = std::unordered_map<std::string_view, VariablePtr>;

/// Where break and continue go.
struct LoopContext {
  bool isStatic = false, isParallel = false;
  unsigned depth = 0; ///< Frame::runtimeDepth inside the body
  unsigned breakScope = 0, continueScope = 0;
  bool breakUsed = false, continueUsed = false;
};

/// A function call that is being inlined, or the kernel itself.
struct Frame {
  ModuleScope *module = nullptr;
  const ast::FunctionDef *function = nullptr;
  SourceRange callAt;
  unsigned call = 0; ///< of Kernel::calls
  std::vector<NameScope> scopes;
  std::vector<LoopContext> loops;
  bool isKernel = false, isHost = false;
  unsigned errorsAtEntry = 0;
  unsigned runtimeDepth = 0; ///< run-time control flow that is open since the entry
  unsigned returnScope = 0;
  bool returnScopeUsed = false;
  std::optional<TypeValue> returnType;
  std::optional<Value> directResult; ///< of a return that nothing at run time guards
  /// Types that all guarded returns fit, by leaf; the body runs again once they are known.
  std::vector<hir::Type> resultTypes;
  bool runAgain = false;
  std::optional<Value> resultLocals; ///< where guarded returns put theirs
  /// The first return with a value, and the first without: a function has one kind.
  std::optional<SourceRange> valueReturn, bareReturn;
};

/// How a statement ended.
enum class Flow : uint8_t {
  Normal,
  Dead, ///< what follows is not reached
  Break,
  Continue, ///< of a static loop, not guarded at run time
};

/// Something that can be stored to.
struct Place {
  enum Kind : uint8_t {
    None,
    Local,
    Memory,
    Whole,   ///< an array itself
    Items,   ///< a tuple, of which an item may be a place
    Several, ///< components of a vector
  } kind = None;
  VariablePtr variable;
  std::vector<Value> path; ///< Local: index of the component, if one is selected
  // Memory.
  std::shared_ptr<ArrayRef> array;
  hir::BufferRef buffer;
  ElementType element;      ///< what is selected
  ExprRef index;            ///< of its first scalar
  ExprRef guard;            ///< that it is inside of the array, where that is tested; else null
  std::vector<Value> items; ///< Items
  std::vector<Place> parts; ///< Several
  SourceRange at;
};

/// An error's words.
struct Refused {
  std::string message, fix;
};
/// Why `import path as name` gives no kernel language, where `path` is a package that ours comes
/// from; empty for others.
Refused refusedPackage(std::string_view name, std::string_view path);

struct CallSite {
  const ast::Call *node = nullptr;
  SourceRange at;
  const Builtin *builtin = nullptr;
  std::vector<Value> args; ///< by parameter; None-kind Poison where `given` is false
  std::vector<bool> given;
  std::vector<const ast::Expr *> nodes; ///< by parameter
};

struct Range;
class KernelAnalyzer;
/// A function of the language that sema itself knows.
struct Builtin {
  const char *name;   ///< "qd.sqrt", "subgroup.shuffle", "py.min"
  const char *params; ///< "value,index,dtype?"; "*" takes any number
  Value (KernelAnalyzer::*handler)(CallSite &);
  int data = 0;
  bool lazy = false; ///< the handler evaluates its arguments itself
};
const Builtin *findBuiltin(std::string_view name);
/// Whether vectors, matrices or numbers have a method of this name.
bool isVectorMethod(std::string_view name);
/// Close names, for "did you mean".
std::string closestBuiltin(std::string_view space, std::string_view name);

class KernelAnalyzer {
public:
  explicit KernelAnalyzer(Program &program) : program(program), options(program.options) {}

  /// Binds arguments and runs the body; nullopt after errors.
  std::optional<hir::Kernel> run(const ast::FunctionDef &function,
                                 const std::vector<std::pair<std::string, Value>> &bound,
                                 std::string instance);
  /// Evaluates in the main module, outside of any kernel.
  Value evalHost(const ast::Expr &expr, ModuleScope &module);
  /// What the text of an option means in a module; poison: nothing, and `problem` says why.
  /// Reports nothing itself: who wrote the option has no file to look at.
  Value evalText(const std::string &text, ModuleScope &module, std::string &problem);
  /// Names.cpp: what a module-level name means; nullopt: the module does not bind it.
  std::optional<Value> moduleName(ModuleScope &module, std::string_view name, SourceRange at);
  bool isDecorated(const ast::FunctionDef &function, ModuleScope &module, std::string_view with);
  TypeValue *annotation(const ast::Expr &expr, TypeValue &out);
  /// Marks.cpp: errors for kernels that are written, but not where they can be built.
  void refuseLostKernels(ModuleScope &module);
  std::optional<int> dimensions(const Value &value, SourceRange at);
  unsigned errorsHere = 0;

private:
  Program &program;
  const SemaOptions &options;
  friend struct FrameGuard;

  //--- Diagnostics (Analyzer.cpp)
  Value error(SourceRange at, std::string message, std::string fix = {},
              std::vector<Diagnostic> notes = {});
  /// \param name as `-W…` has it; driver/Messages.cpp lists the names
  void warn(SourceRange at, std::string message, std::string fix, std::string name);
  /// Of an old name: once for each `key`.
  void warnDeprecated(const std::string &key, SourceRange at, std::string message, std::string fix);
  Diagnostic located(Severity severity, SourceRange at, std::string message, std::string fix);
  void errorWithNote(SourceRange at, std::string message, std::string fix, SourceRange noteAt,
                     std::string note);
  bool budget(SourceRange at, uint64_t amount = 1);
  uint64_t spent = 0;
  bool exhausted = false;

  //--- Emission (Analyzer.cpp)
  struct TaskBuild : hir::DraftTask {
    bool usesBarrier = false;
    SourceRange barrierAt;
    std::string barrierWhat;
    std::optional<unsigned> randomCounter;
    std::optional<Exact> constantIterations;
  };
  Frame &frame() { return *frames.back(); }
  bool isHost() { return frame().isHost; }
  hir::Block &block(SourceRange at);
  void emit(SourceRange at, decltype(hir::Stmt::node) node);
  void openSerialTask(SourceRange at);
  void closeSerialTask();
  unsigned newLocal(std::string name, hir::Type type);
  /// The gate by which expressions become part of the kernel's code.
  hir::ExprPtr take(ExprRef expr);
  SourceRange statementAt; ///< of the statement that is being run
  Value temp(ExprRef expr, SourceRange at, const char *name = "t");
  /// The same value, cheap to name more than once.
  Value stable(Value value, SourceRange at);
  unsigned newScope() { return nextScope++; }
  TaskBuild *task() { return open; }
  unsigned blockDim() { return open ? open->task.blockDim : 1; }

  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<TaskBuild>> tasks;
  TaskBuild *open = nullptr;
  hir::Block *current = nullptr; ///< where statements go; null: between tasks
  unsigned loopNesting = 0;      ///< run-time loops that are open inside the task
  bool waiting = false;          ///< in the condition of a `while` that does nothing else
  unsigned staticDepth = 0;      ///< calls of `qd.static` around the expression
  std::optional<hir::FenceScope>
      waitedFor;        ///< the widest memory that such a condition reads plainly
  bool topLevel = true; ///< a `for` here is a task
  /// At the top of the kernel, under an `if` that is known but not `qd.static`.
  bool underKnownIf = false;
  unsigned region = 0, nextRegion = 1, nextScope = 1;
  hir::Draft draft; ///< without its tasks, which are in `tasks`
  std::map<const ArrayRef *, unsigned> fieldParams;
  std::vector<std::shared_ptr<ArrayRef>> keepAlive;
  std::string sharedName; ///< of the variable that a SharedArray is about to be bound to
  struct LoopConfig {
    unsigned blockDim = 128;
    bool serialize = false;
    bool given = false;
    SourceRange at;
  } config;

  //--- Run-time tests (Checks.cpp)
  std::optional<unsigned> faultHidden; ///< of draft.kernel.hidden
  std::map<std::string, unsigned> faultSites;
  SourceRange outsideLibrary(SourceRange at);
  unsigned faultParam();
  unsigned faultSite(SourceRange at, const std::string &text);
  void check(ExprRef ok, SourceRange at, const std::string &text, ExprRef first = nullptr,
             ExprRef second = nullptr);
  void checkAssertion(ExprRef condition, const std::string &message, SourceRange at,
                      const std::vector<ExprRef> &values);
  void checkDivisor(const ExprRef &divisor, bool isModulo, SourceRange at);
  ExprRef checkIndex(const ExprRef &index, const Value &extent, SourceRange at,
                     const std::string &before, const std::string &after);
  ExprRef checkComponents(std::vector<Value> &index, unsigned rows, unsigned cols, bool isVector,
                          SourceRange at);
  ExprRef both(ExprRef a, ExprRef b, SourceRange at);
  ExprRef guarded(const ExprRef &guard, ExprRef effect);
  void emitGuarded(const ExprRef &guard, SourceRange at, hir::Store store);
  void checkLane(hir::ShuffleKind kind, const ExprRef &lane, SourceRange at);
  unsigned barrierSite(SourceRange at);
  void checkStep(const Range &range, SourceRange at);
  unsigned cutBlockSite(SourceRange at);
  ExprRef noFaultYet(SourceRange at);

  //--- Names (Names.cpp)
  VariablePtr findVariable(std::string_view name);
  Value lookup(std::string_view name, SourceRange at);
  Value undefined(std::string_view name, SourceRange at);
  Value member(const Value &object, std::string_view name, SourceRange at);
  std::optional<Value> findMember(const std::string &path, std::string_view name, SourceRange at);
  Value namespaceMember(const std::string &path, std::string_view name, SourceRange at);
  Value importPath(const std::string &path, SourceRange at);
  Value evalDefinition(ModuleScope &module, Definition &definition, std::string_view name,
                       SourceRange at);
  VariablePtr declare(std::string_view name, SourceRange at);
  void forget(const std::unordered_set<std::string_view> &names);
  /// Names that running the block may change, by assignment or by reference.
  std::unordered_set<std::string_view> changedBy(const ast::Block &block,
                                                 const ast::Expr *condition = nullptr);

  //--- Expressions (Expressions.cpp)
  Value eval(const ast::Expr &expr);
  Value evalNode(const ast::Expr &expr);
  Value evalIf(const ast::Expr &expr, const ast::IfExpr &node);
  Value evalBoolOp(const ast::Expr &expr, const ast::BoolOp &node);
  Value shortCircuit(bool isAnd, Value lhs, const std::function<Value()> &rest, SourceRange at);
  Value evalCompare(const ast::Expr &expr, const ast::Compare &node);
  Value evalSubscript(const ast::Expr &expr, const ast::Subscript &node);
  Value evalAttribute(const ast::Expr &expr, const ast::Attribute &node);
  Value evalListComp(const ast::Expr &expr, const ast::ListComp &node);
  bool evalCompFor(const ast::Expr &expr, const ast::ListComp &node, size_t depth,
                   std::vector<Value> &items);
  std::vector<Value> evalItems(const std::vector<ast::ExprPtr> &exprs, bool &bad);
  /// What iterating over a tuple, a vector or a matrix gives: a matrix gives its rows.
  std::vector<Value> elementsOf(const Value &value, SourceRange at);
  /// One of two values, chosen at run time; each made by a function that may emit.
  Value choose(ExprRef condition, const std::function<Value()> &whenTrue,
               const std::function<Value()> &whenFalse, SourceRange at);
  bool isTemplateExpr(const ast::Expr &expr);

  //--- Conversions (Convert.cpp)
  hir::Type typeOf(const Value &number) const;
  ExprRef toRuntime(const Value &number, SourceRange at);
  ExprRef convert(const Value &number, hir::Type type, SourceRange at);
  ExprRef toBool(const Value &value, SourceRange at);
  Value castTo(const Value &value, const ElementType &type, SourceRange at);
  /// A value as an annotation has it: a scalar type casts each component, a number is no vector.
  Value asAnnotated(const Value &value, const ElementType &type, SourceRange at,
                    const std::string &what);
  ExprRef makeReal(double value, hir::Type type, SourceRange at);
  Value castItems(const Value &value, hir::Type type, SourceRange at);
  ElementType elementOf(const Value &matrix) const;
  Value spread(const Value &value, const Value &shape, SourceRange at);
  Value materialise(const Value &value, SourceRange at);
  bool isTruthy(const Value &value, bool &known, SourceRange at);
  std::optional<Exact> exactInt(const Value &value, SourceRange at, const char *what);
  bool commonType(std::vector<ExprRef> &out, const std::vector<Value> &in, SourceRange at,
                  bool forceFloat = false);
  Value toMatrix(const Value &value, SourceRange at);
  Value withOneType(Value v, CallSite &site);

  //--- Operators (Operators.cpp)
  Value unary(ast::UnaryOp op, const Value &operand, SourceRange at);
  Value binary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange at);
  Value scalarBinary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange at);
  Value exactBinary(ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange at);
  Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs, SourceRange at);
  Value power(const Value &lhs, const Value &rhs, SourceRange at);
  Value matMul(const Value &lhs, const Value &rhs, SourceRange at);
  Value elementwise(const Value &a, const Value &b, SourceRange at,
                    const std::function<Value(const Value &, const Value &)> &op);
  Value mapItems(const Value &a, const std::function<Value(const Value &)> &op);
  Value minMax(bool isMin, const Value &a, const Value &b, SourceRange at);

  //--- Places (Places.cpp)
  std::optional<Place> evalPlace(const ast::Expr &expr, bool forWrite);
  bool isShared(const Variable &variable) const;
  bool isChanging(const Variable &variable) const;
  Place sharedPlace(Variable &variable, SourceRange at);
  std::optional<Place> elementPlace(const std::shared_ptr<ArrayRef> &array, const Value &index,
                                    SourceRange at);
  std::optional<Place> componentPlace(Place place, std::vector<Value> index, SourceRange at);
  Value readPlace(const Place &place, SourceRange at, bool isVolatile = false);
  void writePlace(const Place &place, const Value &value, SourceRange at);
  Value indexMatrix(const Value &matrix, std::vector<Value> index, SourceRange at);
  hir::BufferRef bufferOf(const std::shared_ptr<ArrayRef> &array);
  std::vector<Value> indexList(const Value &index);
  void assignVariable(const VariablePtr &variable, const Value &value, SourceRange at);
  Value newVariableLeaves(const std::string &name, const Value &value, SourceRange at);
  /// The same for a variable of the source, which debuggers know.
  /// \param parameter which of its function's it is, from 1; 0: none
  Value newVariable(const Variable &variable, const Value &value, SourceRange at,
                    unsigned parameter = 0);
  bool showsVariables();
  void nameLeaves(const std::string &name, const Value &leaves, SourceRange at,
                  unsigned parameter = 0);
  void assignLeaves(const Value &leaves, const Value &value, const VariablePtr &variable,
                    SourceRange at);
  std::vector<unsigned> swizzle(std::string_view name);
  std::optional<Place> componentPlaces(const Place &whole,
                                       const std::vector<std::vector<Value>> &indices,
                                       SourceRange at);
  std::optional<Place> placeOf(const Value &value, SourceRange at);
  ExprRef indexScalar(const Value &value, SourceRange at);
  /// A copy that later assignments do not change.
  Value snapshot(Value value, SourceRange at);

  //--- Calls (Calls.cpp)
  Value evalCall(const ast::Expr &expr, const ast::Call &node);
  Value callBuiltin(const Builtin &builtin, const ast::Call &node, SourceRange at,
                    const Value *self = nullptr);
  Value callFunction(const Value &function, const ast::Call &node, SourceRange at);
  struct BoundArgument {
    const ast::Parameter *parameter = nullptr;
    Value value;
    VariablePtr reference; ///< template parameters share the caller's variable
    SourceRange at;
  };
  Value inlineBody(const Value &function, std::vector<BoundArgument> args, SourceRange at);
  bool bindParameter(const BoundArgument &argument, const FunctionFacts &facts);
  bool stackLeft(SourceRange at);
  const char *stackBase = nullptr;
  Value callMethod(const Value &method, const ast::Call &node, SourceRange at);
  /// A function of the library, with the arguments in order.
  Value callLibrary(std::string_view module, std::string_view name, std::vector<Value> args,
                    SourceRange at);
  Value evalFill(const ast::Expr &target, const ast::Call &node, SourceRange at);
  bool bindBuiltin(CallSite &site);
  bool isTemplateParameter(const ast::Parameter &parameter, ModuleScope &module);

  std::string misspelledMark(const ast::Expr &decorator, ModuleScope &module);

  //--- Code that never runs (Unreached.cpp)
  /// Runs `body` for its errors; what it emits and changes is dropped.
  void analyseUnreached(const std::function<void()> &body);
  void analyseRest(const ast::Block &block, size_t from);

  //--- Statements (Statements.cpp)
  Flow execBlock(const ast::Block &block, bool newScope = true);
  Flow exec(const ast::Stmt &stmt);
  Flow execIf(const ast::Stmt &stmt, const ast::If &node);
  /// An `if` with its chain of `elif`.
  struct Chain {
    bool isLong = false;                           ///< not all arms are nested in each other
    bool isRuntime = false;                        ///< some condition is not known at compile time
    std::unordered_set<std::string_view> assigned; ///< by arms from the first of these on
    unsigned nested = 0;                           ///< arms
    std::optional<unsigned> pending;               ///< local: no arm so far ran, and there are more
    const ast::Stmt *rest = nullptr;               ///< the arms that follow where `pending` holds
  };
  Flow execArm(const ast::Stmt &stmt, const ast::If &node, Chain &chain);
  Flow execWhile(const ast::Stmt &stmt, const ast::While &node);
  Flow execReturn(const ast::Stmt &stmt, const ast::Return &node);
  Flow execKernelReturn(const ast::Stmt &stmt, const ast::Return &node);
  void noteReturn(const ast::Return &node, SourceRange at, const Value &value);
  Value annotatedResult(const Value &value, SourceRange at);
  std::optional<std::vector<Value>> kernelResults(const Value &value, SourceRange at);
  void checkReturns(const ast::FunctionDef &function, Flow end);
  bool reannotated(const ast::AnnAssign &node, const TypeValue &type, SourceRange at);
  /// The text of an assertion; `%` takes values, those of run time as check() does.
  struct Message {
    std::string text;
    std::vector<ExprRef> values;
  };
  std::optional<Message> assertionMessage(const ast::Expr *expr);
  std::optional<Message> formatMessage(const std::string &format, const Value &given,
                                       SourceRange at);
  Flow execJump(const ast::Stmt &stmt, bool isBreak);
  void execAssert(const ast::Stmt &stmt, const ast::Assert &node);
  void assignTarget(const ast::Expr &target, const Value &value, SourceRange at);
  void execAugAssign(const ast::Stmt &stmt, const ast::AugAssign &node);
  void execAnnAssign(const ast::Stmt &stmt, const ast::AnnAssign &node);
  /// Runs `body` with its statements going to `into`, under run-time control flow.
  Flow inRuntime(hir::Block &into, const std::function<Flow()> &body);

  //--- Loops (Loops.cpp, Tasks.cpp)
  Flow execFor(const ast::Stmt &stmt, const ast::For &node);
  Flow staticFor(const ast::Stmt &stmt, const ast::For &node, const Value &iterable);
  Flow serialFor(const ast::Stmt &stmt, const ast::For &node, const Value &range);
  void serialLoop(const Range &range, unsigned local, hir::Type type, hir::Block body,
                  hir::Block &into, SourceRange at);
  /// One iteration's code: target bound, body run, `continue` taken care of.
  Flow loopBody(const ast::For &node, const std::vector<Value> &index, bool grouped,
                hir::Block &into, LoopContext &context);
  void bindLoopTarget(const ast::Expr &target, std::vector<Value> index, bool grouped,
                      SourceRange at);
  void checkLoopNames(const ast::For &node, const Value &range);
  void parallelFor(const ast::Stmt &stmt, const ast::For &node, const Value &range);
  std::vector<VariablePtr> ownVariables(const ast::Stmt &stmt, const ast::For &node,
                                        const std::unordered_set<std::string_view> &changed);
  struct ParallelRange;
  bool evaluateBounds(const Value &range, ParallelRange &all, SourceRange at);
  bool isExtent(const Value &bound);
  std::optional<hir::LaunchExpr> totalToLaunch(const ParallelRange &all);
  void totalOnDevice(ParallelRange &all, SourceRange at);
  std::optional<Value> rangeOf(const Value &iterable, SourceRange at);
  /// The points of a compile-time range; false after an error.
  bool staticPoints(const Value &range, std::vector<std::vector<Value>> &points, SourceRange at);

  //--- Launch.cpp
  bool hostComputable(const hir::Expr &expr);

  //--- Arguments (Instantiate.cpp)
  bool bindArguments(const ast::FunctionDef &function,
                     const std::vector<std::pair<std::string, Value>> &bound);

public: // Builtin handlers, by file
  //--- BuiltinsQd.cpp
  Value doStatic(CallSite &), doStaticAssert(CallSite &), doCast(CallSite &), doBitCast(CallSite &);
  Value doTypeCall(const TypeValue &type, const ast::Call &node, SourceRange at);
  Value doPyCast(CallSite &), doLen(CallSite &), doRange(CallSite &), doNdrange(CallSite &);
  Value doGrouped(CallSite &), doLoopConfig(CallSite &), doZeroOne(CallSite &),
      doSelect(CallSite &);
  Value doNdarrayType(CallSite &), doTemplateType(CallSite &), doMatrixType(CallSite &);
  bool shapeField(ArrayRef &field, const Value &shape, SourceRange at);
  Value doVector(CallSite &), doMatrix(CallSite &), doField(CallSite &), doNotDevice(CallSite &);
  Value doRows(CallSite &), doDiag(CallSite &), doUnit(CallSite &);
  Value doStaticPrint(CallSite &), doRandom(CallSite &), doVolatileLoad(CallSite &);
  Value doDecorator(CallSite &), doEnumerateZip(CallSite &), doSum(CallSite &), doNoOp(CallSite &);
  Value doTuple(CallSite &), doAnyAll(CallSite &);
  //--- BuiltinsMath.cpp
  Value doUnaryMath(CallSite &), doRounding(CallSite &), doAbs(CallSite &), doMinMax(CallSite &);
  Value doAtan2(CallSite &), doPow(CallSite &), doBits(CallSite &), doBinaryOp(CallSite &);
  Value findNthSet(CallSite &), doFrexp(CallSite &);
  Value doLogicNot(CallSite &);
  //--- BuiltinsVector.cpp
  Value doVectorMethod(CallSite &);
  Value eliminate(const std::string &name, const Value &matrix, SourceRange at);
  Value vectorMethod(const std::string &name, const Value &self, std::vector<Value> args,
                     SourceRange at);
  //--- BuiltinsAtomic.cpp
  Value doAtomic(CallSite &), doAtomicCas(CallSite &);
  Value atomicOn(int op, const Place &place, const Value &value, SourceRange at,
                 const std::string &what);
  //--- BuiltinsSimt.cpp
  Value doShuffle(CallSite &), doInvocation(CallSite &), doGroupSize(CallSite &);
  Value doBallot(CallSite &), doMatch(CallSite &), doVote(CallSite &), doReduce(CallSite &),
      doScan(CallSite &);
  Value doFence(CallSite &), doSync(CallSite &), doBarrierReduce(CallSite &);
  Value doSharedArray(CallSite &), doThreadIdx(CallSite &), doSubgroupSync(CallSite &);
  Value doInLoop(CallSite &);
  bool simtScalar(const Value &value, SourceRange at, const std::string &what, ExprRef &out);
  ExprRef laneOperand(const Value &value, SourceRange at, const std::string &what);
  bool inKernel(CallSite &site);
  std::string callName(const CallSite &site);
  //--- BuiltinsChecks.cpp
  struct Tail {
    unsigned lanes;       ///< of a subgroup that has fewer than the wave
    std::string why, fix; ///< for messages
  };
  std::vector<Tail> tails();
  std::string userCall(const CallSite &site);
  bool checkTile(const std::string &what, SourceRange at, const Value *asked, unsigned &log2Size);
  bool checkSourceLane(const std::string &what, SourceRange at, hir::ShuffleKind kind,
                       const ExprRef &lane);
  bool checkBallot(const std::string &what, SourceRange at, std::optional<unsigned> n);
  std::optional<Exact> staticArgument(const CallSite &site, const Value &value, const char *name);
  void needWholeBlocks(const CallSite &site);
  bool checkBlockDim(const CallSite &site, Exact dim);
  bool checkDigits(const CallSite &site, const Value &value, const char *name, Exact digits);
  Value doCheckTile(CallSite &), doCheckInteger(CallSite &), doWiden(CallSite &);
  Value doCheckBlock(CallSite &), doCheckRadix(CallSite &);
};

/// A dtype argument: a scalar type, or Python's int, float, bool. False: it is none.
bool dtypeOf(const Value &value, const SemaOptions &options, hir::Type &type);

} // namespace sextant::sema
