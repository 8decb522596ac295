// The loops of tasks: their bounds, known or not, the numbers of their threads, and their rounds
// in graphs.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz::generator {

/// The edges of i32, and steps that pass them; the i-th thread's place is `thread`.
void Generator::header(Place &at, int bound, unsigned number_) {
  const bool isUp = below(2);
  const int64_t step = (isUp ? 1 : -1) * int64_t(below(3) ? 1 + below(9) : 10000000);
  const int64_t span = step * bound, least = INT32_MIN, most = INT32_MAX;
  // Some of them stop within a step of the type's end.
  const int64_t begin = isUp ? (below(2) ? most - span + step - int64_t(below(unsigned(step)))
                                         : least + int64_t(below(20)))
                             : (below(2) ? least - span + step + int64_t(below(unsigned(-step)))
                                         : most - int64_t(below(20)));
  const int64_t end = isUp ? std::min(begin + span, most) : std::max(begin + span, least);
  Text first = number(begin), last = number(end), stride = number(step);
  if (below(2)) { // known when it runs
    const Text name = "b" + number(number_);
    const bool isMemory = below(2);
    Datum bounds{name, Scalar::I32, true, {3}, {}};
    for (int64_t value : {begin, end, step})
      bounds.data.push_back(wrap(Scalar::I32, Bits(value)));
    if (isMemory) {
      parameters.push_back(name + ": qd.types.ndarray(dtype=qd.i32, ndim=1)");
      program.launch.arguments.push_back(bounds);
      first = name + "[0]";
      last = name + "[1]";
      stride = name + "[2]";
    } else {
      for (int i = 0; i < 3; ++i)
        addScalar(name + "_" + number(i), Scalar::I32, bounds.data[size_t(i)]);
      first = name + "_0";
      last = name + "_1";
      stride = name + "_2";
    }
  }
  line(1, "for i in range(" + first + ", " + last + ", " + stride + "):");
  thread = "(qd.i32(i - " + first + ") // " + stride + ")";
  at.variables.push_back({"qd.i32(i)", Scalar::I32, false});
}

/// A bound: a literal, an argument, or an element of an array, which only the device reads.
Text Generator::bound(int value) {
  const Text name = fresh("h");
  switch (below(4)) {
  case 0:
    addScalar(name, pick({Scalar::I32, Scalar::I32, Scalar::I16, Scalar::U8}), Bits(value));
    return name;
  case 1:
    parameters.push_back(name + ": qd.types.ndarray(dtype=qd.i32, ndim=1)");
    program.launch.arguments.push_back({name, Scalar::I32, true, {1}, {Bits(value)}});
    return name + "[0]";
  default:
    return number(value);
  }
}

/// Loops over the index space of an array of several dimensions.
bool Generator::overArray(Place &at) {
  for (const ComposedMemory &memory : mineComposed) {
    if (memory.extents.size() < 2 || below(2))
      continue;
    const bool isGrouped = below(2);
    const Text names[] = {"i", "j", "k"};
    Text list;
    thread.clear();
    for (size_t axis = 0; axis < memory.extents.size(); ++axis) {
      const Text name = isGrouped ? "I[" + number(int64_t(axis)) + "]" : names[axis];
      list += (axis ? ", " : "") + name;
      thread =
          axis ? "(" + thread + " * " + number(memory.extents[axis]) + " + " + name + ")" : name;
      at.variables.push_back({name, Scalar::I32, false});
    }
    if (isGrouped)
      at.composed.push_back({"I", {Scalar::I32, int(memory.extents.size())}, false});
    line(1, isGrouped ? "for I in qd.grouped(" + memory.name + "):"
                      : "for " + list + " in " + memory.name + ":");
    return true;
  }
  return false;
}

/// The line of a task's loop; sets `thread` and `blockDim`.
void Generator::parallelLoop(Place &at, unsigned number_) {
  int count = threads;
  blockDim = 64u << below(2);
  const bool plain = !at.uniform && below(3) == 0;
  if (plain)
    count = int(1 + below(threads));
  if (!at.uniform && below(4) == 0) {
    blockDim = 128;
  } else {
    if (!at.uniform)
      blockDim = 1u << (5 + below(3));
    line(1, "qd.loop_config(block_dim=" + number(blockDim) + ")");
  }
  if (!at.uniform && below(4) == 0) {
    header(at, count, number_);
    return;
  }
  if (!plain && below(3) == 0 && overArray(at))
    return;
  thread = "i";
  at.variables.push_back({"i", Scalar::I32, false});
  if (!at.uniform && !plain && below(6) == 0) {
    line(1, "for i in x_i32:");
  } else if (!at.uniform && !plain && below(3) == 0) {
    const bool isOpen = below(2); // fewer threads than elements
    line(1, "for i, j in qd.ndrange(" + bound(isOpen ? int(below(9)) : 8) + ", " +
                bound(isOpen ? int(below(17)) : 16) + "):");
    thread = "(i * 16 + j)";
    at.variables.push_back({"j", Scalar::I32, false});
  } else {
    line(1, "for i in range(" +
                (count == threads && below(3) == 0 ? "x_i32.shape[0]" : bound(count)) + "):");
  }
}

Text Generator::indented(const Text &text) {
  Text result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at) + 1;
    result += "    " + text.substr(at, end - at);
    at = end;
  }
  return result;
}

/// A task that the device repeats until its flag is 0.
void Generator::repeated(Place &kernel, unsigned number_) {
  const Text flag = fresh("go"), rounds = fresh("r");
  parameters.push_back(flag + ": qd.types.ndarray(dtype=qd.i32, ndim=0)");
  program.launch.arguments.push_back({flag, Scalar::I32, true, {}, {below(2)}});
  line(1, rounds + " = 0");
  line(1, "while qd.graph.do_while(" + flag + "):");
  kernel.variables.push_back({rounds, Scalar::I32, false});
  Text outer;
  outer.swap(lines);
  task(kernel, number_);
  line(1, rounds + " += 1");
  line(1, flag + "[()] = 1 if " + rounds + " < " + number(1 + below(3)) + " else 0");
  lines = outer + indented(lines);
}

} // namespace fuzz::generator
