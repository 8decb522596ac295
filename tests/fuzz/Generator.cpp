// Kernels, their functions, tasks and inputs.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz {

const char *const fileHead = "import quadrants as qd\n"
                             "from quadrants.lang.simt import block, subgroup\n\n";

namespace generator {

Program Generator::make() {
  Text functions = helpers();
  for (unsigned count = below(3); count-- > 0;) {
    function();
    functions += lines;
    lines.clear();
  }
  const unsigned taskCount = below(3) ? 1 : 2 + below(2);
  inputs();
  Place kernel;
  for (const Datum &datum : program.launch.arguments)
    if (!datum.isArray)
      kernel.variables.push_back({datum.name, datum.type, false});
  for (unsigned i = 0; i < taskCount; ++i) {
    if (below(2))
      serial(kernel);
    task(kernel, i);
  }
  Text returns;
  if (below(2)) {
    const Scalar type = pick(types);
    returns = " -> qd." + Text(nameOf(type));
    reachable = readable;
    line(1, "return " + typed(type, expression(kernel, type, 2)));
    program.launch.results.push_back({"result", type, false, {}, {}});
  }
  program.launch.kernel = "k" + tag;
  Text head = "@qd.kernel\ndef k" + tag + "(";
  bool first = true;
  for (const Datum &datum : program.launch.arguments) {
    head += first ? "" : ", ";
    first = false;
    const Text type = "qd." + Text(nameOf(datum.type));
    head +=
        datum.name + ": " + (datum.isArray ? "qd.types.ndarray(dtype=" + type + ", ndim=1)" : type);
  }
  Text fields;
  for (const Datum &field : program.launch.fields)
    fields += field.name + " = qd.field(qd." + Text(nameOf(field.type)) + ", shape=(" +
              std::to_string(field.shape[0]) + ",))\n";
  program.text = fields + functions + head + ")" + returns + ":\n" + lines + "\n";
  return std::move(program);
}

void Generator::function() {
  Function made;
  made.name = "f" + tag + "_" + number(int64_t(functions.size()));
  made.result = pick(numbers);
  Place at;
  at.inFunction = true;
  at.returns = made.result;
  at.nesting = 2;
  Text parameters;
  for (unsigned count = 1 + below(3); count-- > 0;) {
    const Text name = "a" + number(int64_t(made.parameters.size()));
    made.parameters.push_back(pick(numbers));
    at.variables.push_back({name, made.parameters.back(), false});
    parameters += (parameters.empty() ? "" : ", ") + name;
  }
  line(0, "@qd.func");
  line(0, "def " + made.name + "(" + parameters + "):");
  for (unsigned count = 1 + below(4); count-- > 0;)
    statement(at);
  line(1, "return " + typed(made.result, expression(at, made.result, 2)));
  line(0, "");
  functions.push_back(made);
}

Bits Generator::someBits(Scalar type) {
  if (type == Scalar::U1)
    return below(2);
  if (isReal(type)) {
    if (below(40) == 0 && type != Scalar::F16)
      return fromDouble(type, below(2) ? __builtin_inf() : 1e30);
    return fromDouble(type, (int(below(161)) - 80) * 0.25);
  }
  if (below(2))
    return wrap(type, Bits(int64_t(below(40)) - (isSigned(type) ? 20 : 0)));
  return wrap(type, random() >> below(64));
}

Datum Generator::array(const Text &name, Scalar type, bool zero) {
  Datum datum{name, type, true, {threads}, {}};
  for (int i = 0; i < threads; ++i)
    datum.data.push_back(zero ? 0 : someBits(type));
  return datum;
}

void Generator::inputs() {
  for (Scalar type : types) {
    const Text name = "x_" + Text(nameOf(type));
    program.launch.arguments.push_back(array(name, type, false));
    readable.push_back({name, type});
  }
  const Scalar type = pick(numbers);
  program.launch.arguments.push_back({"n", Scalar::I32, false, {}, {Bits(1 + below(12))}});
  program.launch.arguments.push_back({"p", type, false, {}, {someBits(type)}});
}

void Generator::serial(Place &kernel) {
  calls = 1000; // of functions: their loops would be tasks here
  reachable = readable;
  mine.clear();
  accumulators.clear();
  const Scalar type = pick(numbers);
  const Text name = fresh("g");
  line(1, name + " = " + expression(kernel, type, 2));
  if (below(2)) {
    Place inner = kernel;
    inner.variables.push_back({name, type, true});
    line(1, "if " + condition(kernel, 2) + ":");
    line(2, name + " = " + expression(inner, type, 2));
  }
  kernel.variables.push_back({name, type, false});
}

void Generator::task(const Place &kernel, unsigned number_) {
  reachable = readable;
  mine.clear();
  accumulators.clear();
  shared.clear();
  calls = 0;
  Place at = kernel;
  at.depth = 2;
  at.uniform = below(2);
  for (Variable &variable : at.variables)
    variable.writable = false;
  // What the task writes: arguments or a field.
  for (unsigned count = 1 + below(2); count-- > 0;) {
    const Scalar type = pick(types);
    const Text base = "o" + number(number_) + "_" + number(int64_t(mine.size()));
    if (below(4) == 0 && type != Scalar::U1) {
      mine.push_back({"s" + tag + base, type});
      program.launch.fields.push_back(array(mine.back().name, type, true));
    } else {
      mine.push_back({base, type});
      program.launch.arguments.push_back(array(base, type, false));
    }
  }
  for (Scalar type : numbers) {
    const bool wide = bitsOf(type) == 32 || (bitsOf(type) == 64 && below(3) == 0);
    if (!wide || below(2))
      continue;
    const Text name = "t" + number(number_) + "_" + Text(nameOf(type));
    accumulators.push_back(
        {{name, type},
         isReal(type) ? pick({"min", "max"}) : pick({"add", "and", "or", "xor", "min", "max"})});
    program.launch.arguments.push_back(array(name, type, false));
  }
  int bound = threads;
  blockDim = 64u << below(2);
  const bool plain = !at.uniform && below(3) == 0;
  if (plain)
    bound = int(1 + below(threads));
  if (!at.uniform && below(4) == 0) {
    blockDim = 128;
  } else {
    if (!at.uniform)
      blockDim = 1u << (5 + below(3));
    line(1, "qd.loop_config(block_dim=" + number(blockDim) + ")");
  }
  if (!at.uniform && !plain && below(6) == 0) {
    line(1, "for i in x_i32:");
    thread = "i";
  } else if (!at.uniform && !plain && below(4) == 0) {
    line(1, "for i, j in qd.ndrange(8, 16):");
    thread = "i * 16 + j";
    at.variables.push_back({"j", Scalar::I32, false});
  } else {
    line(1, "for i in range(" + (bound == threads && below(2) ? "x_i32.shape[0]" : number(bound)) +
                "):");
    thread = "i";
  }
  at.variables.push_back({"i", Scalar::I32, false});
  if (at.uniform)
    for (unsigned count = 1 + below(2); count-- > 0;) {
      const Text name = "s" + number(int64_t(shared.size()));
      shared.push_back({name, pick(types)});
      line(2, name + " = block.SharedArray((" + number(blockDim) + ",), qd." +
                  Text(nameOf(shared.back().type)) + ")");
    }
  for (unsigned count = 1 + below(3); count-- > 0;)
    declare(at);
  for (unsigned count = 2 + below(5); count-- > 0;)
    statement(at);
  for (const Memory &memory : mine)
    line(2, memory.name + "[" + thread + "] = " + expression(at, memory.type, 2));
  for (const Memory &memory : mine)
    readable.push_back(memory);
  for (const auto &accumulator : accumulators)
    readable.push_back(accumulator.first);
}

} // namespace generator

Program generate(uint64_t seed, unsigned number, bool constantDivisors) {
  return generator::Generator(seed, number, constantDivisors).make();
}

} // namespace fuzz
