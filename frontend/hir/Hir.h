// The kernels that sema hands to irgen, which are typed, instantiated and inlined.
//
// One hir::Kernel is one kernel instance for one wave size. Functions are
// inlined, static code is evaluated, vectors and matrices are scalars, names are
// resolved. A kernel consists of structured statements, and of scalar expression
// trees over locals, arguments and memory. An expression may have effects. It is
// evaluated once, its operands from left to right.
//
// A node is a struct of at most six members. Its operands are evaluated in the order of the
// members. Walks, copies and fingerprints come from the members (Fields.h).
#pragma once

#include "frontend/syntax/Source.h"
#include "loader/abi/LaunchExpr.h"
#include "loader/abi/Words.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sextant::hir {

//===--- Types -------------------------------------------------------------===//

/// The scalar types of the language.
using Type = abi::ScalarType;

/// Enumerations have words in the text of HIR.
using abi::fromWord;
using abi::wordOf;

//===--- Places in the source ----------------------------------------------===//

/// Where code was written, and the inlined call that it was written for.
struct Loc : SourceRange {
  Loc() = default;
  Loc(const SourceRange &place, unsigned call = 0) : SourceRange(place), call(call) {}
  unsigned call = 0; ///< index into Kernel::calls
};

//===--- Memory ------------------------------------------------------------===//

/// A run of scalars that a task can index. An access may be of another type than the buffer's: its
/// index then counts scalars of its own type from the buffer's start. So structs in memory have
/// members of several types.
struct BufferRef {
  enum Kind : uint8_t {
    Param,    ///< Kernel::params[index], of kind Buffer
    Shared,   ///< Task::shared[index]
    Private,  ///< Task::privates[index]
    Carry,    ///< a kernel's variable, by its first local; carryLocals() makes it a Param
    Variable, ///< a thread's variable, by its first local; placeVariables() makes it a Private or
              ///< choices among locals
  } kind = Param;
  unsigned index = 0;
};

/// A shared or thread-private array of a task.
struct ArrayDecl {
  std::string name; ///< for errors
  Type type = Type::F32;
  uint64_t count = 0; ///< scalars
  SourceRange at;
};

//===--- Expressions -------------------------------------------------------===//

struct Expr;
struct Stmt;
using Block = std::vector<Stmt>;

/// Owns one expression, and is never null. After a move, the source can only be destroyed or
/// assigned to.
class ExprPtr {
public:
  ExprPtr(Expr &&expr);
  ExprPtr(ExprPtr &&) noexcept;
  ExprPtr &operator=(ExprPtr &&) noexcept;
  ~ExprPtr();
  Expr &operator*() const { return *held; }
  Expr *operator->() const { return held.get(); }

private:
  std::unique_ptr<Expr> held;
};

// A node declares facts of itself as a `static constexpr bool`, so that passes need no lists:
// `hasEffect`: an expression does more than yield a value. `isOfThread`: the place of the thread,
// or what other threads do, matters. `waits`: it waits for other threads, or orders memory for
// them.

/// A constant: `bits` for Bool and integers (sign- or zero-extended), `real` for floats.
struct Const {
  uint64_t bits = 0;
  double real = 0;
};
/// A local's current value. Locals are numbered in Task::locals.
struct LocalRead {
  unsigned local = 0;
};
/// A scalar argument, or an array's extent: Kernel::params[param].
struct ParamRead {
  unsigned param = 0;
};

/// Advice of an access to the caches; it changes no value.
enum class Cache : uint8_t {
  All,      ///< nothing
  Stream,   ///< the element is not accessed again
  Global,   ///< other blocks write it: it is read past the caches of one multiprocessor
  ReadOnly, ///< nothing writes it while the task runs
  Async,    ///< a store to shared memory of what was just loaded: it may come later (AsyncCopies)
};
constexpr auto words(Cache) {
  return abi::wordsUpTo<Cache::Async>("all", "stream", "global", "readonly", "async");
}

/// `index` counts scalars of Expr::type from the buffer's start and is I32 or I64.
struct Load {
  BufferRef buffer;
  ExprPtr index;
  bool isVolatile = false;
  Cache cache = Cache::All;
  bool isAligned = false; ///< the array begins at a multiple of 16 bytes
};

/// The address of an element in bytes: U64 in device memory, U32 in shared memory. Only for targets
/// that have addresses. `index` counts the buffer's own scalars.
struct Address {
  BufferRef buffer;
  ExprPtr index;
};

enum class UnaryOp : uint8_t {
  Neg,
  BitNot,
  LogicNot,
  Abs,
  Floor,
  Ceil,
  Round /*half to even*/,
  Trunc,
  Sqrt,
  Rsqrt,
  Exp,
  Exp2,
  Log,
  Log2,
  Log10,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Popcnt,
  Clz,
  Ffs, ///< for the unsigned bit pattern; yield I32; clz(0) = width, ffs(0) = 0
};
constexpr auto words(UnaryOp) {
  return abi::wordsUpTo<UnaryOp::Ffs>("neg", "bitnot", "not", "abs", "floor", "ceil", "round",
                                      "trunc", "sqrt", "rsqrt", "exp", "exp2", "log", "log2",
                                      "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
                                      "cosh", "tanh", "popcnt", "clz", "ffs");
}
struct Unary {
  UnaryOp op;
  ExprPtr operand;
};

/// Both operands have one type. Only the right side of Shl, Shr, BitShr and Pow may be
/// another integer. Comparisons yield Bool. The type of the operands says if they are signed.
enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,      ///< for reals
  FloorDiv, ///< rounds to minus infinity, as Python
  Mod,      ///< takes the divisor's sign, as Python
  CDiv,
  CMod,    ///< for integers, toward zero, as C
  MulHigh, ///< the upper half of the product, of U32
  Pow,
  Atan2,
  Min,
  Max, ///< minNum and maxNum on floats
  And,
  Or,
  Xor, ///< for integers and Bool
  Shl,
  Shr,    ///< Shr is arithmetic on signed types
  BitShr, ///< logical
  Lt,
  Le,
  Gt,
  Ge,
  Eq,
  Ne, ///< IEEE: ordered, but Ne is true on NaN
};
constexpr auto words(BinaryOp) {
  return abi::wordsUpTo<BinaryOp::Ne>("+", "-", "*", "/", "//", "%", "cdiv", "cmod", "mulhigh",
                                      "**", "atan2", "min", "max", "&", "|", "^", "<<", ">>", ">>>",
                                      "<", "<=", ">", ">=", "==", "!=");
}
struct Binary {
  BinaryOp op;
  ExprPtr lhs, rhs;
  bool isPrecise = false;  ///< for reals: rounded as written, never part of an fma
  bool isPosition = false; ///< for integers: a step to an element's position, which does not wrap
};

/// Value conversion to Expr::type. Float to int truncates; to Bool tests != 0.
struct Cast {
  ExprPtr operand;
};
/// Same bits, same width, as Expr::type.
struct Bitcast {
  ExprPtr operand;
};
/// Both sides are evaluated.
struct Select {
  ExprPtr condition, whenTrue, whenFalse;
};
/// Only the chosen side is evaluated (`a if c else b`, `and`, `or`).
struct Conditional {
  ExprPtr condition, whenTrue, whenFalse;
};
/// Statements, then a value.
struct Sequence {
  static constexpr bool hasEffect = true;
  Block body;
  ExprPtr result;
};

/// The operators of atomics, reductions and scans. Only atomics have Exchange.
enum class Combine : uint8_t { Add, Mul, Min, Max, And, Or, Xor, Exchange };
constexpr auto words(Combine) {
  return abi::wordsUpTo<Combine::Exchange>("add", "mul", "min", "max", "and", "or", "xor",
                                           "exchange");
}
/// Yields the old element. The value has the element's type, which is Expr::type.
struct Atomic {
  static constexpr bool hasEffect = true;
  Combine op;
  BufferRef buffer;
  ExprPtr index, value;
};
struct AtomicCas {
  static constexpr bool hasEffect = true;
  BufferRef buffer;
  ExprPtr index, expected, desired;
};

enum class Id : uint8_t { ThreadIdx, BlockIdx, GridDim, Lane, BlockDim };
constexpr auto words(Id) {
  return abi::wordsUpTo<Id::BlockDim>("thread_idx", "block_idx", "grid_dim", "lane", "block_dim");
}
/// Only light tasks have BlockDim: in others it is a constant.
struct ReadId {
  static constexpr bool isOfThread = true;
  Id id;
};

/// Yields the target's counter of cycles, an I64. Two reads are two values, in their order.
struct Clock {
  static constexpr bool hasEffect = true;
};

enum class ShuffleKind : uint8_t { Index, Xor, Up, Down, Broadcast };
constexpr auto words(ShuffleKind) {
  return abi::wordsUpTo<ShuffleKind::Broadcast>("index", "xor", "up", "down", "broadcast");
}
/// `lane` is U32 or I32.
struct Shuffle {
  static constexpr bool isOfThread = true;
  ShuffleKind kind;
  ExprPtr value, lane;
};
/// Yields U64. The predicate is Bool.
struct Ballot {
  static constexpr bool isOfThread = true;
  ExprPtr predicate;
};
/// Yields the lanes whose value has the same low `bits` bits, as U64. The value is U32.
struct Match {
  static constexpr bool isOfThread = true;
  ExprPtr value;
  unsigned bits = 32;
};
/// Yields Bool in every lane of the tile of 2**log2Size lanes.
struct Vote {
  static constexpr bool isOfThread = true;
  bool all = true;
  ExprPtr predicate;
  unsigned log2Size = 0;
};

/// The result is valid in the tile's first lane, or in all its lanes.
struct Reduce {
  static constexpr bool isOfThread = true;
  Combine op;
  ExprPtr value;
  unsigned log2Size = 0;
  bool allLanes = false;
};
struct Scan {
  static constexpr bool isOfThread = true;
  Combine op;
  ExprPtr value;
  unsigned log2Size = 0;
  bool exclusive = false;
};

enum class BarrierReduceKind : uint8_t { All, Any, Count };
constexpr auto words(BarrierReduceKind) {
  return abi::wordsUpTo<BarrierReduceKind::Count>("all", "any", "count");
}
/// Yields I32. The predicate is Bool.
struct BarrierReduce {
  static constexpr bool hasEffect = true, isOfThread = true, waits = true;
  BarrierReduceKind kind;
  ExprPtr predicate;
  unsigned site = 0; ///< as Barrier::site
};

// Only drafts of derivatives have the next two, and frontend/gradients takes them out.

/// Yields `value`. Its derivative is that of `slope`. Reverse mode leaves the derivative by it in
/// the local that `gradient` reads.
struct Derived {
  ExprPtr value, slope;
  std::optional<ExprPtr> gradient = {};
};
/// Yields nothing that matters: it is the slope of values whose derivative other code pulls back.
/// Once their gradients are in their locals, `body` computes the derivatives by the operands, one
/// each, which are reads of locals.
struct Pullback {
  std::vector<ExprPtr> operands;
  Block body;
  std::vector<ExprPtr> derivatives;
};

struct Expr {
  Loc at;
  Type type = Type::I32;
  std::variant<Const, LocalRead, ParamRead, Load, Address, Unary, Binary, Cast, Bitcast, Select,
               Conditional, Sequence, Atomic, AtomicCas, ReadId, Clock, Shuffle, Ballot, Match,
               Vote, Reduce, Scan, BarrierReduce, Derived, Pullback>
      node;
};

inline ExprPtr::ExprPtr(Expr &&expr) : held(std::make_unique<Expr>(std::move(expr))) {}
inline ExprPtr::ExprPtr(ExprPtr &&) noexcept = default;
inline ExprPtr &ExprPtr::operator=(ExprPtr &&) noexcept = default;
inline ExprPtr::~ExprPtr() = default;

//===--- Statements --------------------------------------------------------===//

struct Assign {
  unsigned local = 0;
  ExprPtr value;
};
/// The element has the value's type.
struct Store {
  BufferRef buffer;
  ExprPtr index, value;
  bool isVolatile = false;
  Cache cache = Cache::All; ///< All, Stream or Async
};
/// Evaluates an expression for its effects.
struct Eval {
  ExprPtr value;
};
struct If {
  ExprPtr condition;
  Block then, otherwise;
};
struct While {
  ExprPtr condition;
  Block body;
};
/// How many iterations of a loop one step of the code does: as many as the target likes, or all.
inline constexpr unsigned unrollFreely = 0, unrollWhole = ~0u;
/// `local` runs from `begin` while it is below `end`, or above it if the constant `step`
/// is negative. The bounds are evaluated once. The body may assign to `local`, which does
/// not change the iteration.
struct For {
  unsigned local = 0;
  ExprPtr begin, end;
  int64_t step = 1;
  Block body;
  unsigned unroll = unrollFreely;
};
/// A block. A `Leave` with the same id ends it at once. `break` leaves a scope around the
/// loop, `continue` leaves one around the loop's body, and `return` leaves one around the
/// body of an inlined function.
struct Scope {
  unsigned id = 0;
  Block body;
};
struct Leave {
  unsigned scope = 0;
};
/// If not all threads of the block get here, a fault of `site` is recorded. 0: nothing is
/// checked.
struct Barrier {
  static constexpr bool isOfThread = true, waits = true;
  unsigned site = 0;
};
struct SubgroupBarrier {
  static constexpr bool isOfThread = true, waits = true;
};
/// In a loop that waits: lets other threads run for a moment.
struct Pause {
  static constexpr bool isOfThread = true, waits = true;
};
/// Ends a group of the thread's stores with Cache::Async. Or, with a number, waits until all of
/// them have come but those of so many last groups.
struct AsyncCopies {
  static constexpr bool isOfThread = true;
  std::optional<unsigned> pending;
};
/// An instruction of the target, in the target's own words (simt.instruction): those of matrix
/// units. The lanes of a subgroup run it together, or each thread by itself. Each result becomes
/// the value of a local.
struct Instruction {
  static constexpr bool isOfThread = true;
  std::string text;
  bool accessesMemory = false, isOfOneThread = false;
  std::vector<unsigned> results;
  std::vector<ExprPtr> operands;
};
enum class FenceScope : uint8_t { Subgroup, Block, Device };
constexpr auto words(FenceScope) {
  return abi::wordsUpTo<FenceScope::Device>("subgroup", "block", "device");
}
struct Fence {
  static constexpr bool isOfThread = true, waits = true;
  FenceScope scope;
};
/// Records a fault of `site` if `ok`, a Bool, is false. The thread goes on. The text of the
/// site may show the two values, which are I64.
struct Check {
  static constexpr bool isOfThread = true;
  unsigned site = 0;
  ExprPtr ok;
  std::optional<ExprPtr> first, second;
};

struct Stmt {
  Loc at;
  std::variant<Leave, Assign, Store, Eval, If, While, For, Scope, Barrier, SubgroupBarrier, Pause,
               AsyncCopies, Instruction, Fence, Check>
      node;
};

template <class Code> bool isOfThread(const Code &code) {
  return std::visit([]<class Node>(const Node &) { return requires { Node::isOfThread; }; },
                    code.node);
}
template <class Code> bool waits(const Code &code) {
  return std::visit([]<class Node>(const Node &) { return requires { Node::waits; }; }, code.node);
}

//===--- Tasks and kernels -------------------------------------------------===//

/// A variable of the source, for debuggers: a scalar, or a vector or matrix of `rows` x `cols`
/// locals.
struct Variable {
  std::string name;
  Loc at;
  unsigned rows = 1, cols = 1;
  unsigned parameter = 0; ///< the function's that it belongs to, numbered from 1; 0: none
};

struct Local {
  std::string name;
  Type type = Type::I32;
  std::optional<unsigned> variable = {}; ///< index into Kernel::variables
  unsigned component = 0;                ///< which one of it, row by row
};

/// A call that was inlined, for debuggers. The first one of a kernel is the kernel itself.
struct InlinedCall {
  std::string function;
  SourceRange at; ///< the function's definition
  Loc calledAt;
};

/// A formula by which the loader computes a grid.
using LaunchExpr = abi::LaunchExpr;

/// Threads a block, where the kernel does not say how many; and of light tasks, on targets whose
/// light loops would take as long as their blocks take to begin; and the most of those whose
/// blocks take turns.
inline constexpr unsigned defaultBlock = 128, largeBlock = 256, largestTurnBlock = 512;

/// One hardware kernel. The body is the code of one thread. It includes the test against the
/// bound, or the grid-stride loop.
struct Task {
  std::string name;                 ///< unique in the module: instance, "_t", number, "_" and label
  unsigned blockDim = defaultBlock; ///< threads a block; 1 for serial tasks
  bool light = false;               ///< blocks may be of more threads, too: each target chooses
  bool turns = false;      ///< blocks may take turns: it ends by updates that a block can collect
  bool serial = false;     ///< one block of one thread
  bool fullBlocks = false; ///< iterations are a multiple of blockDim, or the launch is refused
  bool waits = false;      ///< its blocks may wait for each other
  unsigned minBlocks = 0;  ///< so many blocks have to fit a multiprocessor; 0: none is asked
  /// The number of iterations, if the host can compute it. The grid is then
  /// ceil(iterations / blockDim). If it is absent, the bound comes from device memory, the body
  /// is a grid-stride loop, and the loader picks the grid. So it does where there are more than
  /// 2^31 - 1 iterations, and the body is such a loop if there may be. A serial task has none.
  std::optional<LaunchExpr> iterations;
  std::vector<Local> locals;
  std::vector<ArrayDecl> shared, privates;
  Block body;
  SourceRange at;
};

/// A target's answers for loops that leave it a choice.
struct Choice {
  unsigned lightBlock = defaultBlock; ///< threads a block of light tasks
  /// Threads a block where blocks may take turns, and each runs the code of several; 0: it does
  /// not.
  unsigned turnBlock = 0;
};

inline bool takesTurns(const Task &task, const Choice &choice) {
  return task.turns && choice.turnBlock != 0;
}
/// The threads a block of a task.
inline unsigned blockDimOf(const Task &task, const Choice &choice) {
  return !task.light                ? task.blockDim
         : takesTurns(task, choice) ? choice.turnBlock
                                    : choice.lightBlock;
}

/// One argument as the application passes it.
using Argument = abi::Argument;

/// A buffer that the loader supplies: one for each device and module (fields), or one for each
/// launch (returns, carried locals, the record of the first fault). Or a value that it computes for
/// each launch: the two that make a division by `divisor` a multiplication (abi::Division).
struct HiddenBuffer {
  using Role = abi::Hidden::Role;
  using enum abi::Hidden::Role;
  Role role = Field;
  /// The name of the field or local; "return" and a number for returns. For faults: the texts of
  /// the sites, in order from number 1, each with a line end after it (docs/module-format.md). For
  /// prints: those of the `print`s, likewise. For schedules: the spans, likewise.
  std::string name;
  Type type = Type::F32;
  uint64_t count = 1;         ///< scalars
  std::vector<int64_t> shape; ///< fields: extents; rows and cols below are the element's
  unsigned rows = 1, cols = 1;
  std::string structure = {};       ///< fields: as Argument::structure
  const SourceFile *file = nullptr; ///< fields: with the name, the field's identity
  LaunchExpr divisor = {};          ///< multipliers and shifts: what is divided by
};

/// A parameter of every task, in the order of the argument block (abi::BlockLayout).
struct Param {
  enum Kind : uint8_t { Buffer, Value } kind = Value;
  Type type = Type::I32;
  std::string name;
};

struct Kernel {
  std::string name;     ///< as written
  std::string instance; ///< name plus what it was instantiated with; a C identifier
  std::string doc;      ///< the docstring, without its indentation
  /// The function that implements it, if `@qd.perf_dispatch` gives it several. Else empty.
  std::string implementation;
  bool isAlternative = false; ///< an implementation after the first
  unsigned wave = 32;
  bool fastMath = false; ///< f32 divisions, roots and functions may be approximated
  std::vector<Argument> arguments;
  std::vector<HiddenBuffer> hidden;
  std::vector<Param> params; ///< derived from the two above
  /// Shape of the return value: one Return buffer each, in order.
  std::vector<Task> tasks;
  SourceRange at;
  std::vector<InlinedCall> calls;  ///< empty unless SemaOptions::calls
  std::vector<Variable> variables; ///< empty unless SemaOptions::variables
};

} // namespace sextant::hir
