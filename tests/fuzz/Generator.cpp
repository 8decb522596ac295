// Kernels, their functions, tasks and inputs.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz {

const char *const fileHead = "import quadrants as qd\n"
                             "from quadrants.lang.simt import block, subgroup\n\n";

namespace generator {

Program Generator::make() {
  isComposed = below(5) != 0;
  hasPrints = below(4) == 0;
  isGraph = below(8) == 0;
  isMethod = below(8) == 0;
  Text functions = helpers();
  if (isComposed && below(3)) {
    functions += recordClasses();
    if (below(2)) {
      recordFunction();
      functions += lines;
      lines.clear();
    }
  }
  for (unsigned count = below(3); count-- > 0;) {
    function();
    functions += lines;
    lines.clear();
  }
  manyShared = below(10) == 0;
  const bool isEmpty = below(30) == 0;
  const unsigned taskCount = isEmpty ? 0 : manyShared ? 3 + below(4) : below(3) ? 1 : 2 + below(2);
  inputs();
  Place kernel;
  for (const Datum &datum : program.launch.arguments)
    if (!datum.isArray)
      kernel.variables.push_back({datum.name, datum.type, false});
  if (isComposed && below(3) == 0)
    composedArgument(kernel);
  for (unsigned i = 0; i < taskCount && buffers() < 19; ++i) {
    if (below(2))
      serial(kernel);
    if (isGraph && below(2))
      repeated(kernel, i);
    else
      task(kernel, i);
    if (below(8) == 0)
      nothing();
  }
  if (isEmpty)
    line(1, emptyKernel());
  Text returns;
  if (!isEmpty && below(2)) {
    const Scalar type = pick(types);
    returns = " -> qd." + Text(nameOf(type));
    reachable = readable;
    readableComposed = writtenComposed;
    line(1, "return " + typed(type, expression(kernel, type, 2)));
    program.launch.results.push_back({"result", type, false, {}, {}});
  } else if (!isEmpty && isComposed && below(2)) {
    const Shape shape = records.empty() || below(2) ? matrixShape(pick(numbers))
                                                    : Shape{Scalar::I32, 0, 0, pick(records)};
    returns = " -> " + typeText(shape);
    reachable = readable;
    readableComposed = writtenComposed;
    line(1, "return " + composed(kernel, shape, 2));
    addData(program.launch.results, "result", shape, {}, true, false);
    for (Datum &datum : program.launch.results) {
      datum.isArray = false;
      datum.data.clear();
    }
  }
  program.launch.kernel = "k" + tag;
  const Text mark = isGraph ? "@qd.kernel(graph=True)\n" : "@qd.kernel\n";
  Text head = mark + "def k" + tag + "(";
  if (isMethod) {
    parameters.insert(parameters.begin(), "self");
    head = "@qd.data_oriented\nclass C" + tag +
           ":\n    SCALE = 3\n\n    @qd.func\n"
           "    def scaled(self, v):\n        return v * self.SCALE\n\n    " +
           mark + "    def k" + tag + "(";
    lines = indented(lines);
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    head += (i ? ", " : "") + parameters[i];
  program.text = functions + fields + head + ")" + returns + ":\n" + lines + "\n";
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

void Generator::addArray(const Text &name, Scalar type, int count) {
  parameters.push_back(name + ": qd.types.ndarray(dtype=qd." + Text(nameOf(type)) + ", ndim=1)");
  Datum datum{name, type, true, {count}, {}};
  for (int i = 0; i < count; ++i)
    datum.data.push_back(someBits(type));
  program.launch.arguments.push_back(std::move(datum));
}

void Generator::addScalar(const Text &name, Scalar type, Bits value) {
  parameters.push_back(name + ": qd." + Text(nameOf(type)));
  program.launch.arguments.push_back({name, type, false, {}, {value}});
}

void Generator::addField(const Text &name, Scalar type) {
  fields += name + " = qd.field(qd." + Text(nameOf(type)) + ", shape=(" + number(threads) + ",))\n";
  program.launch.fields.push_back({name, type, true, {threads}, std::vector<Bits>(threads)});
}

void Generator::inputs() {
  for (Scalar type : types) {
    const Text name = "x_" + Text(nameOf(type));
    addArray(name, type, threads);
    readable.push_back({name, type});
  }
  const Scalar type = pick(numbers);
  addScalar("n", Scalar::I32, Bits(1 + below(12)));
  addScalar("p", type, someBits(type));
  if (isComposed && below(2))
    writtenComposed.push_back(composedMemory("y", false));
}

void Generator::serial(Place &kernel) {
  calls = 1000; // no more calls of functions: their loops would be tasks here
  reachable = readable;
  mine.clear();
  mineComposed.clear();
  readableComposed = writtenComposed;
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
  if (hasPrints && below(2))
    print(kernel, "\"kernel\"");
  if (isComposed && below(2)) {
    const Shape shape = !records.empty() && below(2) ? Shape{Scalar::I32, 0, 0, pick(records)}
                                                     : matrixShape(pick(numbers));
    const Text local = fresh("q");
    line(1, local + " = " + composed(kernel, shape, 2));
    kernel.composed.push_back({local, shape, false});
  }
  if (below(3) == 0) {
    const Vector vector{fresh("m"), below(2) ? Scalar::I32 : Scalar::U32, 2 + below(3)};
    Text items;
    for (unsigned i = 0; i < vector.size; ++i)
      items += (i ? ", " : "") + typed(vector.type, expression(kernel, vector.type, 1));
    line(1, vector.name + " = qd.Vector([" + items + "])");
    vectors.push_back(vector);
  }
}

void Generator::shareVector(Place &kernel, const Place &at) {
  const Vector vector = vectors.back();
  vectors.pop_back();
  const Text op = pick({"+", "-", "&", "|", "^", "min", "max"});
  for (unsigned count = 1 + below(3); count-- > 0;) {
    int depth = at.depth;
    Place inner = at;
    if (below(3) == 0) {
      line(depth++, "if " + condition(at, 2) + ":");
      inner = inside(at);
    }
    const Text size = number(vector.size);
    Text index = below(2) ? number(below(vector.size)) : "abs((" + thread + ") % " + size + ")";
    if (below(4) == 0) {
      const Text name = fresh("i");
      line(depth++, "for " + name + " in qd.static(range(" + size + ")):");
      index = name;
    }
    const bool isNamed = index == "1" && below(2);
    const Text place = vector.name + (isNamed ? ".y" : "[" + index + "]");
    const Text value = expression(inner, vector.type, 2);
    if (op.size() > 1)
      line(depth, "qd.atomic_" + op + "(" + place + ", " + typed(vector.type, value) + ")");
    else
      line(depth, place + " " + op + "= " + typed(vector.type, value));
  }
  for (unsigned i = 0; i < vector.size; ++i)
    kernel.variables.push_back({vector.name + "[" + number(i) + "]", vector.type, false});
}

void Generator::nothing() {
  const Text first = fresh("e"), second = fresh("e"), never = "s" + tag + "never";
  line(1,
       "for " + first + ", " + second + " in qd.ndrange(" +
           pick({"-n, -n", "-n, n - 100", "n - 50, (n, 0)", "(n, -n), 7", "x_i32[0] % 3 - 3, -n"}) +
           "):");
  line(2, never + "[0] += 1");
  const auto &made = program.launch.fields;
  if (std::none_of(made.begin(), made.end(), [&](const Datum &f) { return f.name == never; }))
    addField(never, Scalar::I32);
}

Text Generator::emptyKernel() {
  return pick({"pass", "for i in range(0):\n        x_i32[i] = 1",
               "if qd.static(False):\n        x_i32[0] = 1",
               "for i in qd.static(range(3)):\n        pass", "'no statement at all'", "return"});
}

void Generator::task(Place &kernel, unsigned number_) {
  reachable = readable;
  mine.clear();
  accumulators.clear();
  shared.clear();
  calls = 0;
  Place at = kernel;
  at.depth = 2;
  at.uniform = manyShared || below(2);
  for (Variable &variable : at.variables)
    variable.writable = false;
  readableComposed = writtenComposed;
  mineComposed.clear();
  if (isComposed)
    for (unsigned count = 1 + below(2); count-- > 0 && buffers() < 12;)
      mineComposed.push_back(composedMemory("c" + number(number_) + "_" + number(count), true));
  sharedComposed.clear();
  if (isComposed && below(3) == 0 && buffers() < 12)
    if (const Scalar type = pick(numbers); !isReal(type) && bitsOf(type) >= 32) {
      const Text name = "a" + number(number_);
      const ComposedMemory memory{name, matrixShape(type), {16, 4}};
      parameters.push_back(name + ": qd.types.ndarray(dtype=" + typeText(memory.shape) +
                           ", ndim=2)");
      addData(program.launch.arguments, name, memory.shape, memory.extents, false, false);
      sharedComposed.push_back({memory, pick({"+", "add", "&", "|", "xor", "min", "max"})});
    }
  // The outputs of the task: arguments or a field.
  for (unsigned count = 1 + below(2); count-- > 0;) {
    const Scalar type = pick(types);
    const Text base = "o" + number(number_) + "_" + number(int64_t(mine.size()));
    if (below(4) == 0 && type != Scalar::U1) {
      mine.push_back({"s" + tag + base, type});
      addField(mine.back().name, type);
    } else {
      mine.push_back({base, type});
      addArray(base, type, threads);
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
    addArray(name, type, threads);
  }
  parallelLoop(at, number_);
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
  for (const ComposedMemory &memory : mineComposed)
    line(2, elementOf(at, memory, true) + " = " + composed(at, memory.shape, 2));
  for (const Memory &memory : mine)
    line(2, memory.name + "[" + thread + "] = " + expression(at, memory.type, 2));
  if (!vectors.empty() && below(4))
    shareVector(kernel, at);
  for (const Memory &memory : mine)
    readable.push_back(memory);
  for (const ComposedMemory &memory : mineComposed)
    writtenComposed.push_back(memory);
  for (const auto &[memory, op] : sharedComposed)
    writtenComposed.push_back(memory);
  for (const auto &accumulator : accumulators)
    readable.push_back(accumulator.first);
}

} // namespace generator

Program generate(uint64_t seed, unsigned number, bool realRemainders) {
  return generator::Generator(seed, number, realRemainders).make();
}

} // namespace fuzz
