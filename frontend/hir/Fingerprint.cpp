// Writes a kernel as bytes: the members of every struct in their order. A struct that has members
// for debuggers too is taken apart by a structured binding, so that a new member does not compile
// until it has a place here.
#include "frontend/hir/Fingerprint.h"

#include "frontend/hir/Fields.h"

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
  const SourceFile *file = nullptr; ///< the last place's

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
  void put(const SourceRange &at) {
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

  void put(const Loc &at) {
    put(static_cast<const SourceRange &>(at));
    putNumber(places, at.call);
  }

  void put(const ExprPtr &expr) { put(*expr); }
  void put(const Expr &expr) {
    const auto &[at, type, node] = expr;
    put(at);
    put(type);
    put(node.index());
    std::visit([&](const auto &one) { put(one); }, node);
  }
  void put(const Stmt &stmt) {
    const auto &[at, node] = stmt;
    put(at);
    put(node.index());
    std::visit([&](const auto &one) { put(one); }, node);
  }
  /// Nodes and other structs of which each member is the code's, or a place.
  template <class Struct>
    requires std::is_aggregate_v<Struct>
  void put(const Struct &all) {
    std::apply([&](const auto &...each) { putAll(each...); }, fields(all));
  }

  void put(const Local &local) {
    const auto &[text, type, variable, component] = local;
    name(text);
    putNumber(places, variable ? *variable + 1 : 0);
    putNumber(places, component);
    put(type);
  }
  void put(const Task &task) {
    const auto &[text, blockDim, light, turns, serial, fullBlocks, waits, minBlocks, iterations,
                 locals, shared, privates, body, at] = task;
    put(at);
    putAll(text, blockDim, light, turns, serial, fullBlocks, waits, minBlocks, iterations, locals,
           shared, privates, body);
  }
  void put(const Argument &argument) {
    const auto &[kind, text, dtype, ndim, rows, cols, structure, isApart] = argument;
    putAll(kind, text, dtype, ndim, rows, cols, structure, isApart);
  }
  void put(const HiddenBuffer &buffer) {
    const auto &[role, text, type, count, shape, rows, cols, structure, source, divisor] = buffer;
    // The texts of faults and prints, in which lines stand, are not a part of the code.
    const bool isName = role == HiddenBuffer::Field || role == HiddenBuffer::Carry;
    if (isName)
      put(text);
    putAll(role, type, count, shape, rows, cols, structure, divisor);
  }
  void put(const InlinedCall &call) {
    const auto &[function, at, calledAt] = call;
    name(function);
    put(at);
    put(calledAt);
  }
  void put(const Variable &variable) {
    const auto &[text, at, rows, cols, parameter] = variable;
    name(text);
    put(at);
    for (const unsigned number : {rows, cols, parameter})
      putNumber(places, number);
  }
};

void Writer::put(const Kernel &kernel) {
  // The documentation is the module's; which implementation a kernel is, its code does not know.
  // The wave size is the target's, and this may be the kernel of several.
  const auto &[text, instance, doc, implementation, isAlternative, wave, fastMath, arguments,
               hidden, params, tasks, at, calls, variables] = kernel;
  put(at);
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
