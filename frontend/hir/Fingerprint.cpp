// Writes a kernel as bytes. Every struct is taken apart by a structured binding, so that a new
// member does not compile until it has a place here.
#include "frontend/hir/Fingerprint.h"

#include <type_traits>

namespace sextant::hir {

namespace {

template <class T> void putNumber(std::string &to, const T &value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  to.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

class Writer {
public:
  explicit Writer(KernelBytes &bytes) : code(bytes.code), places(bytes.places) {}

  void put(const Kernel &kernel);

private:
  std::string &code, &places;
  const SourceFile *file = nullptr; ///< of the place before

  // Numbers have their own size, texts and lists lead with theirs, so no two kernels have the same
  // bytes.
  template <class T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>)
  void put(const T &value) {
    putNumber(code, value);
  }
  void put(const std::string &text) {
    put(text.size());
    code += text;
  }
  template <class T> void put(const std::vector<T> &list) {
    put(list.size());
    for (const T &item : list)
      put(item);
  }
  template <class T> void put(const std::optional<T> &value) {
    put(value.has_value());
    if (value)
      put(*value);
  }
  template <class... T> void putAll(const T &...values) { (put(values), ...); }

  void name(const std::string &text) {
    putNumber(places, text.size());
    places += text;
  }
  void place(const SourceRange &at) {
    if (at.file != file) {
      file = at.file;
      name(file ? file->path() : "");
    }
    if (!file)
      return;
    for (const uint32_t offset : {at.begin, at.end}) {
      const LineColumn place = file->lineColumn(offset);
      putNumber(places, place.line);
      putNumber(places, place.column);
    }
  }

  void put(const ExprPtr &expr) { put(*expr); }
  void put(const Expr &expr) {
    const auto &[at, type, node, call] = expr;
    place(at);
    putNumber(places, call);
    put(type);
    put(node.index());
    std::visit([&](const auto &one) { putNode(one); }, node);
  }
  void put(const Stmt &stmt) {
    const auto &[at, node, call] = stmt;
    place(at);
    putNumber(places, call);
    put(node.index());
    std::visit([&](const auto &one) { putNode(one); }, node);
  }
  void put(const BufferRef &ref) {
    const auto &[kind, index] = ref;
    putAll(kind, index);
  }

  void putNode(const Const &node) {
    const auto &[bits, real] = node;
    putAll(bits, real);
  }
  void putNode(const LocalRead &node) {
    const auto &[local] = node;
    put(local);
  }
  void putNode(const ParamRead &node) {
    const auto &[param] = node;
    put(param);
  }
  void putNode(const Load &node) {
    const auto &[buffer, index, isVolatile, cache] = node;
    putAll(buffer, index, isVolatile, cache);
  }
  void putNode(const Unary &node) {
    const auto &[op, operand] = node;
    putAll(op, operand);
  }
  void putNode(const Binary &node) {
    const auto &[op, lhs, rhs, isPrecise, isPosition] = node;
    putAll(op, lhs, rhs, isPrecise, isPosition);
  }
  void putNode(const Cast &node) {
    const auto &[operand] = node;
    put(operand);
  }
  void putNode(const Bitcast &node) {
    const auto &[operand] = node;
    put(operand);
  }
  void putNode(const Select &node) {
    const auto &[condition, whenTrue, whenFalse] = node;
    putAll(condition, whenTrue, whenFalse);
  }
  void putNode(const Conditional &node) {
    const auto &[condition, whenTrue, whenFalse] = node;
    putAll(condition, whenTrue, whenFalse);
  }
  void putNode(const Sequence &node) {
    const auto &[body, result] = node;
    putAll(body, result);
  }
  void putNode(const Atomic &node) {
    const auto &[op, buffer, index, value] = node;
    putAll(op, buffer, index, value);
  }
  void putNode(const AtomicCas &node) {
    const auto &[buffer, index, expected, desired] = node;
    putAll(buffer, index, expected, desired);
  }
  void putNode(const Clock &) {}
  void putNode(const ReadId &node) {
    const auto &[id] = node;
    put(id);
  }
  void putNode(const Shuffle &node) {
    const auto &[kind, value, lane] = node;
    putAll(kind, value, lane);
  }
  void putNode(const Ballot &node) {
    const auto &[predicate] = node;
    put(predicate);
  }
  void putNode(const Match &node) {
    const auto &[value, bits] = node;
    putAll(value, bits);
  }
  void putNode(const Vote &node) {
    const auto &[all, predicate, log2Size] = node;
    putAll(all, predicate, log2Size);
  }
  void putNode(const Reduce &node) {
    const auto &[op, value, log2Size, allLanes] = node;
    putAll(op, value, log2Size, allLanes);
  }
  void putNode(const Scan &node) {
    const auto &[op, value, log2Size, exclusive] = node;
    putAll(op, value, log2Size, exclusive);
  }
  void putNode(const BarrierReduce &node) {
    const auto &[kind, predicate, site] = node;
    putAll(kind, predicate, site);
  }
  void putNode(const Assign &node) {
    const auto &[local, value] = node;
    putAll(local, value);
  }
  void putNode(const Store &node) {
    const auto &[buffer, index, value, isVolatile, cache] = node;
    putAll(buffer, index, value, isVolatile, cache);
  }
  void putNode(const Eval &node) {
    const auto &[value] = node;
    put(value);
  }
  void putNode(const If &node) {
    const auto &[condition, then, otherwise] = node;
    putAll(condition, then, otherwise);
  }
  void putNode(const While &node) {
    const auto &[condition, body] = node;
    putAll(condition, body);
  }
  void putNode(const For &node) {
    const auto &[local, begin, end, step, body, unroll] = node;
    putAll(local, begin, end, step, body, unroll);
  }
  void putNode(const Scope &node) {
    const auto &[id, body] = node;
    putAll(id, body);
  }
  void putNode(const Leave &node) {
    const auto &[scope] = node;
    put(scope);
  }
  void putNode(const Barrier &node) {
    const auto &[site] = node;
    put(site);
  }
  void putNode(const SubgroupBarrier &) {}
  void putNode(const Pause &) {}
  void putNode(const AsyncCopies &node) {
    const auto &[pending] = node;
    put(pending.has_value());
    put(pending.value_or(0));
  }
  void putNode(const Fence &node) {
    const auto &[scope] = node;
    put(scope);
  }
  void putNode(const Check &node) {
    const auto &[site, ok, first, second] = node;
    putAll(site, ok, first, second);
  }

  void put(const ArrayDecl &array) {
    const auto &[text, type, count, at] = array;
    place(at);
    putAll(text, type, count);
  }
  void put(const Local &local) {
    const auto &[text, type, variable, component] = local;
    name(text);
    putNumber(places, variable ? *variable + 1 : 0);
    putNumber(places, component);
    put(type);
  }
  void put(const LaunchExpr::Item &item) {
    const auto &[op, value] = item;
    putAll(op, value);
  }
  void put(const LaunchExpr &expr) {
    const auto &[items] = expr;
    put(items);
  }
  void put(const Task &task) {
    const auto &[text, blockDim, light, scatters, serial, fullBlocks, waits, minBlocks, iterations,
                 locals, shared, privates, body, at] = task;
    place(at);
    putAll(text, blockDim, light, scatters, serial, fullBlocks, waits, minBlocks, iterations,
           locals, shared, privates, body);
  }
  void put(const Argument &argument) {
    const auto &[kind, text, dtype, ndim, rows, cols, structure] = argument;
    putAll(kind, text, dtype, ndim, rows, cols, structure);
  }
  void put(const HiddenBuffer &buffer) {
    const auto &[role, text, type, count, shape, rows, cols, structure, source, divisor] = buffer;
    // The texts of faults and prints, in which lines stand, are no part of the code.
    const bool isName = role == HiddenBuffer::Field || role == HiddenBuffer::Carry;
    if (isName)
      put(text);
    putAll(role, type, count, shape, rows, cols, structure, divisor);
  }
  void put(const Param &param) {
    const auto &[kind, type, text] = param;
    putAll(kind, type, text);
  }
  void put(const InlinedCall &call) {
    const auto &[function, at, calledAt, caller] = call;
    name(function);
    place(at);
    place(calledAt);
    putNumber(places, caller);
  }
  void put(const Variable &variable) {
    const auto &[text, at, rows, cols, call, parameter] = variable;
    name(text);
    place(at);
    for (const unsigned number : {rows, cols, call, parameter})
      putNumber(places, number);
  }
};

void Writer::put(const Kernel &kernel) {
  // The documentation is the module's; which implementation a kernel is, its code does not know.
  // The wave size is the target's, and this may be the kernel of several.
  const auto &[text, instance, doc, implementation, isAlternative, wave, fastMath, arguments,
               hidden, params, tasks, at, calls, variables] = kernel;
  place(at);
  putAll(text, instance, fastMath, arguments, hidden, params, tasks);
  putNumber(places, calls.size());
  for (const InlinedCall &call : calls)
    put(call);
  putNumber(places, variables.size());
  for (const Variable &variable : variables)
    put(variable);
}

} // namespace

KernelBytes bytesOf(const Kernel &kernel) {
  KernelBytes bytes;
  Writer(bytes).put(kernel);
  return bytes;
}

} // namespace sextant::hir
