// The generator's inside. GenerateExpressions.cpp writes expressions, GenerateStatements.cpp
// control flow and locals, GenerateMemory.cpp what threads share, GenerateMatrices.cpp vectors,
// matrices and arrays of several dimensions, GenerateRecords.cpp structs, GeneratePrints.cpp
// prints; Generator.cpp puts kernels together.
#pragma once

#include "tests/fuzz/Generator.h"

#include <algorithm>
#include <deque>
#include <random>

namespace fuzz::generator {

using Text = std::string;

struct Variable {
  Text name;
  Scalar type;
  bool writable;
};

struct Record;
/// The form of a value: a number (no rows), a vector (no columns), a matrix or a record.
struct Shape {
  Scalar type = Scalar::I32;
  int rows = 0, columns = 0;
  const Record *record = nullptr;
  bool operator==(const Shape &) const = default;
};

struct Method {
  Text name;
  Shape result;
  Scalar parameter = Scalar::I32;
  bool changes = false; ///< it changes what it is called on
};

struct Record {
  Text name;
  std::vector<std::pair<Text, Shape>> members;
  std::vector<Method> methods;

  bool isOfOneType() const;
  Scalar firstType() const;
  int size() const;    ///< in numbers
  int buffers() const; ///< as an array
};

/// A local of several numbers, or a part of one.
struct Composed {
  Text name;
  Shape shape;
  bool writable;
  bool isPiece = false; ///< a swizzle or a slice, which an index of run time does not store to
};

/// An array with such elements, or of several dimensions.
struct ComposedMemory {
  Text name;
  Shape shape;
  std::vector<int> extents;
};

/// Where a statement is: what it may see and do.
struct Place {
  int depth = 1;        ///< depth of the text
  int nesting = 3;      ///< control flow that may still come inside
  bool uniform = false; ///< collectives may stand here
  bool inLoop = false, inFunction = false;
  bool noReturn = false; ///< in a function, but for its end
  Scalar returns = Scalar::I32;
  std::vector<Variable> variables;
  std::vector<Composed> composed;
};

struct Function {
  Text name;
  Scalar result;
  std::vector<Scalar> parameters;
};

struct Memory {
  Text name;
  Scalar type;
};

constexpr int threads = 128; // the extent of every array that has one element a thread

class Generator {
public:
  Generator(uint64_t seed, unsigned number, bool realRemainders)
      : random(seed * 0x9e3779b97f4a7c15 + 1), realRemainders(realRemainders) {
    tag = std::to_string(number);
    chooseTypes();
  }

  Program make();

private:
  //===--- Choices ---------------------------------------------------------===//

  unsigned below(unsigned limit) { return unsigned(random() % limit); }
  template <class T> const T &pick(const std::vector<T> &from) {
    return from[below(unsigned(from.size()))];
  }
  Text pick(std::initializer_list<const char *> from);
  Scalar pick(std::initializer_list<Scalar> from) {
    return *(from.begin() + below(unsigned(from.size())));
  }
  Text number(int64_t value) { return std::to_string(value); }

  void chooseTypes();
  std::vector<Scalar> collectiveTypes();
  std::vector<Scalar> integers();

  //===--- Text ------------------------------------------------------------===//

  void line(int depth, const Text &text) { lines += Text(size_t(depth) * 4, ' ') + text + "\n"; }
  Text fresh(const char *prefix) { return prefix + number(++names); }
  Text typed(Scalar type, const Text &value);

  //===--- Expressions -----------------------------------------------------===//

  Text bareReal();
  Text literal(Scalar type);
  Text variable(const Place &at, Scalar type);
  /// An element of an array that no thread writes now.
  Text element(const Place &at, Scalar type, int depth);
  Text index(const Place &at, int depth);
  Text condition(const Place &at, int depth) { return expression(at, Scalar::U1, depth); }

  Text truth(const Place &at, int depth);
  Text fromOther(const Place &at, Scalar type, int depth);
  Text realOperation(const Place &at, Scalar type, int depth);
  Text integerOperation(const Place &at, Scalar type, int depth);
  /// Text whose value has the type.
  Text expression(const Place &at, Scalar type, int depth);

  //===--- Statements ------------------------------------------------------===//

  void block(Place at) { // a copy: what is declared inside stays inside
    for (unsigned count = 1 + below(3); count-- > 0;)
      statement(at);
  }

  Place inside(const Place &at, bool uniform = false);
  const Variable *writable(const Place &at);
  void declare(Place &at);
  void statement(Place &at);
  /// Less common parts of the language.
  void special(Place &at);
  /// Functions that `special` and `blockwide` call.
  Text helpers();
  void augmented(Place &at, const Variable &target);
  void loop(Place &at);

  //===--- Composed values -------------------------------------------------===//

  Text typeText(const Shape &shape);
  Shape matrixShape(Scalar type);
  void parts(const Text &name, const Shape &shape, std::vector<Composed> &into, bool writable);
  Text elementOf(const Place &at, const ComposedMemory &memory, bool isOwn);
  Text piece(const Place &at, const Shape &shape);
  Text construct(const Place &at, const Shape &shape, int depth);
  Text composed(const Place &at, const Shape &shape, int depth);
  Text component(const Place &at, Scalar type, int depth);
  void composedAtomic(Place &at);
  void blockwideComposed(Place &at);
  void composedArgument(Place &kernel);
  void composedStatement(Place &at);
  int buffers() const;
  ComposedMemory composedMemory(const Text &base, bool zero);
  void addData(std::vector<Datum> &into, const Text &name, const Shape &shape,
               const std::vector<int> &extents, bool zero, bool inOnePiece);

  Text recordClasses();
  Text method(Record &record);
  void recordFunction();
  Text record(const Place &at, const Shape &shape, int depth);
  bool callMethod(Place &at, const Composed &target);

  Text printed(const Place &at, Text &format);
  void print(Place &at, const Text &who);

  //===--- Memory ----------------------------------------------------------===//

  /// A thread's own element of an array of the task.
  void own(Place &at);
  /// An update of an element that many threads update, all by the same operator.
  void atomic(Place &at);
  /// An operation of the whole block: the place is uniform.
  void collective(Place &at);
  void blockwide(Place &at, const Text &name, Scalar type, const Text &value, const Text &small);

  //===--- Functions, tasks, the kernel ------------------------------------===//

  void function();
  Bits someBits(Scalar type);
  /// Parameters and fields, with their data.
  void addArray(const Text &name, Scalar type, int count);
  void addScalar(const Text &name, Scalar type, Bits value);
  void addField(const Text &name, Scalar type);
  void inputs();
  /// One thread between the tasks; what it computes is carried into them.
  void serial(Place &kernel);
  void task(Place &kernel, unsigned number_);
  Text bound(int value);
  bool overArray(Place &at);
  void parallelLoop(Place &at, unsigned number_);
  void repeated(Place &kernel, unsigned number_);
  static Text indented(const Text &text);
  void header(Place &at, int bound, unsigned number_);
  /// Updates of a vector of the kernel, all by one operator; it is read after the task.
  void shareVector(Place &kernel, const Place &at);
  /// Loops that run nothing, and kernels without any task.
  void nothing();
  Text emptyKernel();

  std::mt19937_64 random;
  bool realRemainders; ///< `%` and `//` of reals
  Program program;
  Text tag, lines, fields;
  std::vector<Text> parameters; ///< the kernel's
  int names = 0, calls = 0;
  std::vector<Scalar> types, numbers;
  std::vector<Function> functions;
  std::vector<Memory> readable;  ///< arrays that were written before this task, or never
  std::vector<Memory> reachable; ///< those that expressions may read now
  std::vector<Memory> mine, shared;
  std::vector<std::pair<Memory, Text>> accumulators;
  struct Vector {
    Text name;
    Scalar type;
    unsigned size;
  };
  std::vector<Vector> vectors;            ///< the kernel's, that no task has changed yet
  bool isGraph = false, isMethod = false; ///< the kernel is
  bool hasPrints = false;
  bool isComposed = false; ///< the kernel has vectors, matrices and the like
  std::deque<Record> recordStore;
  std::vector<const Record *> records;
  std::vector<std::pair<Text, const Record *>> recordFunctions;
  std::vector<std::pair<ComposedMemory, Text>> sharedComposed; ///< and the operator
  std::vector<ComposedMemory> writtenComposed, readableComposed, mineComposed;
  bool manyShared = false; ///< all tasks have shared memory
  Text thread = "i";
  unsigned blockDim = 128;
};

} // namespace fuzz::generator
