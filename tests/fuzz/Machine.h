// The interpreter's inside: values of all threads of a block at once, memory that watches
// for races, and the walk over the tree. Statements.cpp has control flow, Expressions.cpp operators
// and places, Calls.cpp functions of one thread, Collectives.cpp those of subgroups and blocks,
// Carried.cpp locals of the kernel that threads share.
#pragma once

#include "tests/fuzz/Interpreter.h"

#include <deque>
#include <map>
#include <optional>

namespace fuzz {

namespace ast = sextant::ast;
__extension__ using Wide = __int128;

/// Which threads of the block take part.
using Mask = std::vector<uint8_t>;
bool any(const Mask &mask);

/// What is known of a lane's value beside its bits.
enum Taint : uint8_t {
  Product = 1, ///< a rounded product: an addition of it may be an fma
  Open = 2,    ///< some value: it may be moved, not used
};

/// Who touched an element, and when.
struct Touch {
  int64_t epoch = -1;
  int64_t thread = -1;    ///< of the grid; -2: several
  int64_t otherTask = -1; ///< the task in which another block did
};
struct Cell {
  Touch read, write;
  uint8_t atomic = 0; ///< the kind of the last write, 0: plain
  bool defined = true;
  uint8_t taint = 0;
};
/// Shared memory holds some value at first.
inline Cell undefinedCell() {
  Cell cell;
  cell.defined = false;
  return cell;
}

struct Array {
  Scalar type = Scalar::I32;
  std::vector<int64_t> shape;
  std::vector<Bits> data;
  std::vector<Cell> cells;
};

struct Val {
  enum Kind : uint8_t { None, Int, Real, Bool, Lanes, List, Type, Function, Memory, Path, Range };
  Kind kind = None;
  Wide integer = 0; ///< Int, Bool
  double real = 0;
  Scalar type = Scalar::I32; ///< Lanes, Type
  std::vector<Bits> bits;    ///< Lanes: one a thread
  std::vector<uint8_t> taint;
  std::vector<Val> items; ///< List
  bool isVector = false;  ///< a List that arithmetic goes through
  Array *array = nullptr;
  const ast::FunctionDef *function = nullptr;
  std::string path; ///< "qd.simt.block"

  bool isConst() const { return kind == Int || kind == Real || kind == Bool; }
  bool isNumber() const { return isConst() || kind == Lanes; }
};

/// An element of memory for each thread.
struct Place {
  Array *array = nullptr;
  std::vector<size_t> index;
};

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

  // Statements.cpp
  void topLevel(const ast::Block &body);
  void parallelFor(const ast::For &loop);
  void block(const ast::Block &body, Mask &mask);
  void scoped(const ast::Block &body, Mask &mask);
  void statement(const ast::Stmt &statement, Mask &mask);
  void ifStatement(const ast::If &node, Mask &mask);
  void whileLoop(const ast::While &node, Mask &mask);
  void forLoop(const ast::For &node, Mask &mask);
  void rangeLoop(const ast::For &node, const Val &range, Mask &mask);
  void returnStatement(const ast::Return &node, Mask &mask);
  void assign(const ast::Expr &target, const Val &value, const Mask &mask);
  void assignName(std::string_view name, const Val &value, const Mask &mask);
  void augment(const ast::AugAssign &node, const Mask &mask);
  std::optional<bool> staticCondition(const ast::Expr &condition);

  // Expressions.cpp
  Val eval(const ast::Expr &expr, const Mask &mask);
  Val name(std::string_view id);
  Val attribute(const ast::Attribute &node, const Mask &mask);
  Val subscript(const ast::Subscript &node, const Mask &mask);
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
  Place place(const ast::Expr &target, const Mask &mask);
  Val load(const Place &place, const Mask &mask);
  void store(const Place &place, const Val &value, const Mask &mask);
  Val atomic(uint8_t kind, const Place &place, const Val &value, const Mask &mask, bool used);
  void touchRead(Cell &cell, unsigned lane);
  void touchWrite(Cell &cell, unsigned lane, uint8_t kind);

  // Carried.cpp
  Val *kernelLocal(const ast::Expr &expr);
  std::optional<Place> carriedPlace(const ast::Expr &target, const Mask &mask);
  struct Carried;
  Carried &carriedOf(Val &variable);
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
  Val mathCall(std::string_view name, std::vector<Val> &arguments, const Mask &mask);
  Val atomicCall(std::string_view name, const ast::Call &node, const Mask &mask, bool used);
  Val bitCast(const Val &value, Scalar type, const Mask &mask);

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
  std::vector<Array> arrays; ///< of arguments and fields, in that order
  std::deque<Frame> frames;  ///< references to them hold while more are pushed
  std::vector<Loop *> loops;
  unsigned lanes = 1;    ///< threads that run together
  unsigned blockDim = 1; ///< of the task
  unsigned nextBlockDim = 128;
  int64_t blockIndex = 0;
  bool inTask = false;
  int branches = 0;      ///< run-time ifs and whiles around: a loop inside is serial
  bool ghost = false;    ///< a call that no lane makes is walked for its type
  bool finished = false; ///< the kernel returned
  std::map<std::pair<const void *, std::string>, Array> shared;
  /// Locals of the kernel that the task names: their memory, or that they were read as a whole.
  struct Carried {
    Array array;
    bool isRead = false;
  };
  std::map<const Val *, Carried> carried;
  std::string callPath; ///< call sites that lead here: a shared array is one for each
  int64_t epoch = 0, blockEpoch = 0, taskEpoch = 0, taskNumber = 0;
  uint64_t steps = 0; ///< executed; a program may take some millions
};

} // namespace fuzz
