// The interpreter's inside: the walk over the tree. Lanes.h has its values. Tasks.cpp has launches,
// Statements.cpp and Loops.cpp control flow, Expressions.cpp, Operators.cpp and Choices.cpp what
// computes, Places.cpp and Assignments.cpp what can be stored to, Memory.cpp the watch for races,
// Calls.cpp functions of one thread, Matrices.cpp and Records.cpp those of composed values,
// Prints.cpp prints, Collectives.cpp those of subgroups and blocks, Carried.cpp locals of the
// kernel that threads share.
#pragma once

#include "tests/fuzz/Interpreter.h"
#include "tests/fuzz/Lanes.h"

#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace fuzz {

/// `qd.static(…)`, or null.
const ast::Call *staticCall(const ast::Expr &expr);
/// The reducer tries kernels that the language refuses.
void checkBounds(const std::vector<Val> &bounds);
/// The names of a record type's members, and their types.
std::vector<std::pair<std::string_view, Val>> membersOf(const Val &type);
/// True if two values have the same branches.
bool sameShape(const Val &a, const Val &b);

class Machine {
public:
  Machine(const ast::Module &module, unsigned wave, Launch &launch);
  void run();

private:
  using Scope = std::map<std::string, Val, std::less<>>;
  struct Frame {
    std::vector<Scope> scopes;
    Mask returned;
    Val result;
  };
  struct Loop {
    Mask broken, continued;
  };

  // Tasks.cpp
  void define(const ast::Stmt &statement);
  Val argument(const Val &type, const std::string &name);
  void bind(const ast::FunctionDef &kernel);
  void topLevel(const ast::Block &body);
  void parallelFor(const ast::For &loop);

  // Statements.cpp
  void block(const ast::Block &body, Mask &mask);
  void scoped(const ast::Block &body, Mask &mask);
  void statement(const ast::Stmt &statement, Mask &mask);
  void ifStatement(const ast::If &node, Mask &mask);
  void returnStatement(const ast::Return &node, Mask &mask);
  std::optional<bool> staticCondition(const ast::Expr &condition);

  // Loops.cpp
  void whileLoop(const ast::While &node, Mask &mask);
  void runRound(const ast::Block &body, Loop &state, Mask &live);
  void forLoop(const ast::For &node, Mask &mask);
  void rangeLoop(const ast::For &node, const Val &range, Mask &mask);

  // Assignments.cpp
  void assign(const ast::Expr &target, const Val &value, const Mask &mask);
  void assignName(std::string_view name, const Val &value, const Mask &mask);
  void merge(Val &to, const Val &from, const Mask &mask);
  void augment(const ast::AugAssign &node, const Mask &mask);

  // Places.cpp
  Val *variable(std::string_view name);
  Val reach(const ast::Expr &expr, const Mask &mask);
  Val element(const Val &memory, const Val &index, const Mask &mask);
  Val selected(const Val &base, const ast::Expr &index, const Mask &mask);
  Val slice(const Val &list, const ast::Slice &node, const Mask &mask);
  Val chosen(const Val &list, const Val &index, const Mask &mask);
  Val member(Val value, std::string_view name);
  Val loaded(const Val &places, const Mask &mask);
  void storeAll(const Val &places, const Val &value, const Mask &mask);

  // Expressions.cpp
  Val eval(const ast::Expr &expr, const Mask &mask);
  Val name(std::string_view id);
  Val attribute(const ast::Attribute &node, const Mask &mask);
  Val unary(ast::UnaryOp op, const Val &operand, const Mask &mask);
  Val binary(ast::BinaryOp op, const Val &a, const Val &b, const Mask &mask);
  Val binaryConst(ast::BinaryOp op, const Val &a, const Val &b);
  Val compute(Op op, const Val &a, const Val &b, const Mask &mask);
  Val power(const Val &base, const Val &exponent, const Mask &mask);
  Val comparison(const ast::Compare &node, const Mask &mask);
  Val relate(ast::CompareOp op, const Val &a, const Val &b, const Mask &mask);
  Val boolOp(const ast::BoolOp &node, const Mask &mask);
  Val ifExpr(const ast::IfExpr &node, const Mask &mask);
  Val select(const Val &condition, const Val &a, const Val &b, const Mask &mask);
  Mask truth(const Val &value, const Mask &mask); ///< active and true

  // Memory.cpp
  Place placeIn(Array &array, const Val &index, const Mask &mask);
  Val load(const Place &place, const Mask &mask);
  void store(const Place &place, const Val &value, const Mask &mask);
  Val atomic(uint8_t kind, const Place &place, const Val &value, const Mask &mask, bool used);
  Val atomicAll(uint8_t kind, const Val &places, const Val &value, const Mask &mask, bool used);
  void touchRead(Cell &cell, unsigned lane);
  void touchWrite(Cell &cell, unsigned lane, uint8_t kind);

  // Carried.cpp
  Val *kernelLocal(const ast::Expr &expr);
  Val carriedPlaces(Val &variable);
  Array &carriedOf(Val &variable);
  void readCarried(const Val &variable);
  void leaveCarried();

  // Values.
  Val lanesOf(Scalar type) const;
  Val constant(__int128 value) const;
  /// A typed value a thread: a constant gets the default type.
  Val runtime(const Val &value) const;
  Val cast(const Val &value, Scalar type, const Mask &mask);
  /// A value of another type for each thread that takes part.
  template <class F> Val each(const Val &a, Scalar result, const Mask &mask, F f) {
    Val value = lanesOf(result);
    usable(a, mask);
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (mask[lane])
        value.bits[lane] = f(a.bits[lane]);
    return value;
  }
  void usable(const Val &value, const Mask &mask) const;
  int64_t constantInt(const Val &value) const;
  Scalar indexTypeOf(const std::vector<Val> &bounds) const;
  Wide integerOf(const Val &value, unsigned lane) const;
  Scalar typeOf(const Val &value) const;

  // Calls.cpp
  Val call(const ast::Expr &site, const ast::Call &node, const Mask &mask, bool used);
  Val callFunction(const ast::FunctionDef &function, std::vector<Val> arguments, const Mask &mask);
  Val rangeCall(std::vector<Val> arguments, bool isStatic);
  Val mathCall(std::string_view name, std::vector<Val> &arguments, const Mask &mask);
  Val atomicCall(std::string_view name, const ast::Call &node, const Mask &mask, bool used);
  Val bitCast(const Val &value, Scalar type, const Mask &mask);

  // Matrices.cpp
  Val vectorOf(std::vector<Val> items, std::optional<Scalar> type, const Mask &mask);
  Val makeMatrix(std::string_view name, std::vector<Val> &arguments, std::optional<Scalar> type,
                 const Mask &mask);
  Val vectorType(std::string_view name, const std::vector<Val> &arguments);
  Val matrixCall(std::string_view name, const std::vector<Val> &arguments, const Mask &mask);
  Val product(const Val &a, const Val &b, const Mask &mask);
  Val sumOf(const std::vector<Val> &items, const Mask &mask);

  // Records.cpp
  Val recordType(const ast::ClassDef &node);
  Val make(const Val &type, std::vector<Val> arguments,
           const std::vector<std::pair<std::string_view, Val>> &named, const Mask &mask);
  Val castTo(const Val &value, const Val &type, const Mask &mask);
  /// The array of that name with such elements; null: each member has its own.
  using FindArray = std::function<Array *(const std::string &name, const Val &type)>;
  Val memoryOf(const Val &type, const std::string &name, const FindArray &find);
  const ast::FunctionDef *method(const ast::ClassDef &record, std::string_view name);

  // Prints.cpp
  std::vector<std::string> textsOf(const Val &value, const std::string &format, const Mask &mask);
  void print(const ast::Call &node, const Mask &mask);

  // Collectives.cpp
  Val simtCall(const ast::Expr &site, std::string_view name, std::vector<Val> &arguments,
               const Mask &mask);
  Val subgroupCall(std::string_view name, std::vector<Val> &arguments, const Mask &mask);
  Val blockCall(const ast::Expr &site, std::string_view name, std::vector<Val> &arguments,
                const Mask &mask);
  Val foldBlock(std::string_view name, std::vector<Val> &arguments, const Mask &mask);
  Val scan(std::string_view name, Val value, unsigned tile, const Mask &mask);
  Val segmented(Op op, const Val &value, const Val &heads, unsigned tile, const Mask &mask);
  Val sort(Val key, Val value, unsigned tile, const Mask &mask);
  void wholeTiles(unsigned tile, const Mask &mask) const;
  void wholeBlock(const Mask &mask) const;
  void barrier(const Mask &mask);

  const ast::Module &module;
  unsigned wave;
  Launch &launch;
  Scope globals;
  std::map<std::string, Array> arrays; ///< arguments and fields by name
  std::deque<Frame> frames;            ///< references to them hold while more are pushed
  std::vector<Loop *> loops;
  unsigned lanes = 1;    ///< threads that run together
  unsigned blockDim = 1; ///< threads of a block of the task
  unsigned nextBlockDim = 128;
  int64_t blockIndex = 0;
  bool inTask = false;
  int branches = 0;      ///< run-time ifs and whiles around: a loop inside is serial
  bool ghost = false;    ///< a call that no lane makes is walked for its type
  bool finished = false; ///< the kernel returned
  std::map<std::pair<const void *, std::string>, std::deque<Array>> shared;
  /// Locals of the kernel that the task names: their memory.
  std::map<const Val *, Array> carried;
  std::string callPath; ///< call sites that lead here: a shared array is one for each
  int64_t epoch = 0, blockEpoch = 0, taskEpoch = 0, taskNumber = 0;
  uint64_t steps = 0; ///< executed; a program may take some millions
};

} // namespace fuzz
