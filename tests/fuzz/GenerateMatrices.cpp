// Vectors, matrices, and arrays of several dimensions with such elements. What is said of shapes
// holds for records, too (GenerateRecords.cpp).
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz::generator {

/// A type's name, as annotations have it.
Text Generator::typeText(const Shape &shape) {
  if (shape.record)
    return shape.record->name;
  const Text own = "qd." + Text(nameOf(shape.type));
  if (!shape.rows)
    return own;
  if (!shape.columns)
    return "qd.types.vector(" + number(shape.rows) + ", " + own + ")";
  return "qd.types.matrix(" + number(shape.rows) + ", " + number(shape.columns) + ", " + own + ")";
}

Shape Generator::matrixShape(Scalar type) {
  Shape shape{type};
  shape.rows = int(2 + below(3));
  if (below(3) == 0)
    shape.columns = int(2 + below(2));
  return shape;
}

/// The parts of what a name holds: itself, its members, its components, and some pieces. Those that
/// are stored to name no component twice.
void Generator::parts(const Text &name, const Shape &shape, std::vector<Composed> &into,
                      bool writable) {
  into.push_back({name, shape, writable});
  if (shape.record) {
    for (const auto &[member, inner] : shape.record->members)
      parts(name + "." + member, inner, into, writable);
    return;
  }
  if (!shape.rows)
    return;
  Shape part = shape;
  const auto piece = [&](const Text &text, int rows, int columns) {
    part.rows = rows;
    part.columns = columns;
    into.push_back({text, part, writable, true});
  };
  const int rows = shape.rows, columns = shape.columns;
  const Text row = number(below(unsigned(rows)));
  if (columns) {
    const Text column = number(below(unsigned(columns)));
    piece(name + "[" + row + ", " + column + "]", 0, 0);
    piece(name + "[" + row + (below(2) ? "]" : ", :]"), columns, 0);
    piece(name + "[:, " + column + "]", rows, 0);
    if (rows > 2)
      piece(name + "[1:3, :2]", 2, 2);
    return;
  }
  static const char *const letters[] = {"xyzw", "rgba", "stpq"};
  const char *const set = letters[below(4) ? 0 : 1 + below(2)];
  piece(name + "[" + row + "]", 0, 0);
  piece(name + "." + set[below(unsigned(rows))], 0, 0);
  const unsigned first = below(unsigned(rows));
  const unsigned second = (first + 1 + below(unsigned(rows) - 1)) % unsigned(rows);
  piece(name + "." + set[first] + set[second], 2, 0);
  if (rows > 2)
    piece(name + pick({"[1:3]", "[:2]", "[1:]"}), 2, 0);
  if (part.rows == 2 && into.back().name.ends_with("[1:]"))
    into.back().shape.rows = rows - 1;
  if (rows > 2)
    piece(name + "[::2]", (rows + 1) / 2, 0);
  if (!writable)
    piece(name + "." + set[first] + set[second] + set[first], 3, 0);
}

/// An element of an array of composed values, for reading (any thread's) or the thread's own.
Text Generator::elementOf(const Place &at, const ComposedMemory &memory, bool isOwn) {
  Text text = memory.name + "[";
  int inner = 1;
  for (int extent : memory.extents)
    inner *= extent;
  for (size_t axis = 0; axis < memory.extents.size(); ++axis) {
    const int extent = memory.extents[axis];
    inner /= extent;
    text += axis ? ", " : "";
    if (!isOwn)
      text += expression(at, Scalar::I32, 1) + " & " + number(extent - 1);
    else if (memory.extents.size() == 1)
      text += thread;
    else
      text += "(" + thread + ") // " + number(inner) + " % " + number(extent);
  }
  return text + "]";
}

/// Something of that shape that can be read; "" if there is nothing.
Text Generator::piece(const Place &at, const Shape &shape) {
  std::vector<Composed> all, fitting;
  for (const Composed &composed : at.composed)
    parts(composed.name, composed.shape, all, false);
  if (!at.inFunction && !readableComposed.empty() && below(3) == 0) {
    const ComposedMemory &memory = pick(readableComposed);
    parts(elementOf(at, memory, false), memory.shape, all, false);
  }
  for (const Composed &candidate : all)
    if (candidate.shape == shape)
      fitting.push_back(candidate);
  return fitting.empty() ? "" : pick(fitting).name;
}

/// A vector or matrix of that shape from its numbers.
Text Generator::construct(const Place &at, const Shape &shape, int depth) {
  const auto numbersOf = [&](int count) {
    Text items;
    for (int i = 0; i < count; ++i)
      items += (i ? ", " : "") + expression(at, shape.type, std::min(depth - 1, 1));
    return items;
  };
  const Text own = "qd." + Text(nameOf(shape.type));
  if (!shape.columns) {
    if (below(6) == 0 && (shape.type == Scalar::I32 || shape.type == Scalar::U32))
      return (shape.type == Scalar::I32 ? "qd.math.ivec" : "qd.math.uvec") + number(shape.rows) +
             "(" + numbersOf(shape.rows) + ")";
    if (below(8) == 0)
      return "qd.Vector." + pick({"zero(", "one("}) + own + ", " + number(shape.rows) + ")";
    return "qd.Vector([" + numbersOf(shape.rows) + "]" + (below(4) ? "" : ", dt=" + own) + ")";
  }
  if (below(8) == 0 && shape.rows == shape.columns)
    return "qd.Matrix.identity(" + own + ", " + number(shape.rows) + ")";
  Shape row = shape;
  row.rows = below(2) ? shape.columns : shape.rows;
  const bool isColumns = row.rows == shape.rows && row.rows != shape.columns;
  row.columns = 0;
  Text rows;
  if (below(3) == 0) {
    for (int i = 0; i < (isColumns ? shape.columns : shape.rows); ++i)
      rows += (i ? ", " : "") + composed(at, row, 1);
    return Text("qd.Matrix.") + (isColumns ? "cols([" : "rows([") + rows + "])";
  }
  for (int i = 0; i < shape.rows; ++i)
    rows += (i ? ", [" : "[") + numbersOf(shape.columns) + "]";
  return "qd.Matrix([" + rows + "])";
}

/// Text whose value has the shape.
Text Generator::composed(const Place &at, const Shape &shape, int depth) {
  if (!shape.record && !shape.rows)
    return expression(at, shape.type, depth);
  if (depth <= 0 || below(4) == 0) {
    const Text found = piece(at, shape);
    return !found.empty() ? found : shape.record ? record(at, shape, 1) : construct(at, shape, 1);
  }
  const auto sub = [&] { return composed(at, shape, depth - 1); };
  if (shape.record || below(7) == 0) {
    if (below(4) == 0)
      return "(" + sub() + " if " + condition(at, 1) + " else " + sub() + ")";
    return shape.record ? record(at, shape, depth) : construct(at, shape, depth);
  }
  const Scalar type = shape.type;
  const auto one = [&] { return expression(at, type, depth - 1); };
  switch (below(isReal(type) ? 6 : 10)) {
  case 0:
    return "(" + sub() + pick({" + ", " - "}) + (below(3) ? sub() : one()) + ")";
  case 1:
    return isReal(type) ? "(" + sub() + " * qd." + Text(nameOf(type)) + pick({"(0.5))", "(-2.0))"})
                        : "(" + (below(3) ? sub() : one()) + " * " + sub() + ")";
  case 2:
    return pick({"min(", "max(", "qd.min(", "qd.max("}) + sub() + ", " +
           (below(2) ? sub() : one()) + ")";
  case 3:
    return "qd.select(" +
           (below(2) ? condition(at, 1) : sub() + pick({" < ", " != ", " >= "}) + sub()) + ", " +
           sub() + ", " + sub() + ")";
  case 4:
    return isReal(type) || isSigned(type) ? pick({"(-", "abs("}) + sub() + ")" : "(~" + sub() + ")";
  case 5:
    if (shape.columns) {
      Shape turned = shape;
      std::swap(turned.rows, turned.columns);
      return composed(at, turned, depth - 1) + ".transpose()";
    }
    return shape.rows == 3 && !isReal(type) ? sub() + ".cross(" + sub() + ")"
                                            : construct(at, shape, depth);
  case 6:
    return "(" + sub() + pick({" & ", " | ", " ^ "}) + (below(2) ? sub() : one()) + ")";
  case 7: { // a product of matrices
    Shape left{type}, right{type};
    left.rows = shape.rows;
    left.columns = right.rows = int(2 + below(2));
    right.columns = shape.columns;
    return "(" + composed(at, left, depth - 1) + " @ " + composed(at, right, depth - 1) + ")";
  }
  case 8: {
    Shape other = shape;
    other.type = pick(integers());
    return "qd.cast(" + composed(at, other, depth - 1) + ", qd." + Text(nameOf(type)) + ")";
  }
  default:
    return "(" + sub() + pick({" << ", " >> "}) + number(below(bitsOf(type))) + ")";
  }
}

/// A number of a composed value; "" if there is none.
Text Generator::component(const Place &at, Scalar type, int depth) {
  if (at.composed.empty() || depth <= 0 || isReal(type) || below(3))
    return piece(at, Shape{type});
  for (const Composed &local : at.composed)
    if (local.writable && local.shape.record && calls < 6 && below(3) == 0)
      for (const Method &method : local.shape.record->methods)
        if (method.result == Shape{type} && !method.changes) {
          ++calls;
          return local.name + "." + method.name + "(" + expression(at, method.parameter, 1) + ")";
        }
  Shape shape = matrixShape(type);
  if (at.composed.size() > 0 && below(4)) { // the matrix of one that is there
    const Composed &chosen = pick(at.composed);
    if (chosen.shape.type == type && chosen.shape.rows)
      shape = chosen.shape;
  }
  const Text value = composed(at, shape, depth - 1);
  if (!shape.columns && below(2))
    return value + ".dot(" + composed(at, shape, depth - 1) + ")";
  if (shape.rows == shape.columns && below(2))
    return value + ".trace()";
  return value + pick({".sum()", ".max()", ".min()", ".norm_sqr()"});
}

/// An update of elements that many threads update, all by the same operator.
void Generator::composedAtomic(Place &at) {
  const auto &[memory, op] = pick(sharedComposed);
  std::vector<Composed> places;
  parts(elementOf(at, memory, false), memory.shape, places, true);
  const Composed place = pick(places);
  const Text value = composed(at, below(3) ? place.shape : Shape{place.shape.type}, 2);
  if (op.size() == 1)
    line(at.depth, place.name + " " + op + "= " + value);
  else
    line(at.depth, "qd.atomic_" + op + "(" + place.name + ", " + value + ")");
}

/// Vectors or records in shared memory: own elements, a barrier, those of others, a barrier.
void Generator::blockwideComposed(Place &at) {
  Shape shape = matrixShape(pick(numbers));
  for (const Record *record : records)
    if (record->size() <= 12 && below(2)) // a target has 32 KiB
      shape = {Scalar::I32, 0, 0, record};
  const Text array = fresh("s"), name = fresh("q"), tid = "block.thread_idx()";
  line(at.depth,
       array + " = block.SharedArray((" + number(blockDim) + ",), " + typeText(shape) + ")");
  line(at.depth, array + "[" + tid + "] = " + composed(at, shape, 2));
  std::vector<Composed> places;
  parts(array + "[" + tid + "]", shape, places, true);
  const Composed place = pick(places);
  line(at.depth, place.name + " = " + composed(at, place.shape, 1));
  line(at.depth, "block.sync()");
  line(at.depth, name + " = " + array + "[(" + tid + " + " + number(1 + below(40)) + ") % " +
                     number(blockDim) + "]");
  line(at.depth, "block.sync()");
  at.composed.push_back({name, shape, true});
}

/// An argument by value.
void Generator::composedArgument(Place &kernel) {
  const Text name = fresh("w");
  const Shape shape = records.empty() || below(2) ? matrixShape(pick(numbers))
                                                  : Shape{Scalar::I32, 0, 0, pick(records)};
  parameters.push_back(name + ": " + typeText(shape));
  const size_t first = program.launch.arguments.size();
  addData(program.launch.arguments, name, shape, {}, false, false);
  for (size_t i = first; i < program.launch.arguments.size(); ++i)
    program.launch.arguments[i].isArray = false;
  kernel.composed.push_back({name, shape, false});
}

/// Statements about composed values.
void Generator::composedStatement(Place &at) {
  std::vector<Composed> targets;
  for (const Composed &composed : at.composed)
    if (composed.writable)
      targets.push_back(composed);
  if (at.uniform && below(4) == 0) {
    blockwideComposed(at);
    return;
  }
  if (!at.inFunction && !sharedComposed.empty() && below(5) == 0) {
    composedAtomic(at);
    return;
  }
  if (!at.inFunction && !mineComposed.empty() && below(2)) {
    const ComposedMemory &memory = pick(mineComposed);
    if (below(4) == 0) {
      const Text name = fresh("q");
      line(at.depth, name + " = " + elementOf(at, memory, true));
      if (memory.shape.rows || memory.shape.record)
        at.composed.push_back({name, memory.shape, true});
      else
        at.variables.push_back({name, memory.shape.type, true});
      return;
    }
    targets = {{elementOf(at, memory, true), memory.shape, true}};
  }
  if (targets.empty() || below(3) == 0) {
    const Shape shape = !records.empty() && below(2) ? Shape{Scalar::I32, 0, 0, pick(records)}
                                                     : matrixShape(pick(numbers));
    const Text name = fresh("q");
    line(at.depth, name + " = " + composed(at, shape, 2));
    at.composed.push_back({name, shape, true});
    return;
  }
  const Composed target = pick(targets);
  if (target.shape.record && below(2) && callMethod(at, target))
    return;
  std::vector<Composed> places;
  parts(target.name, target.shape, places, true);
  if (target.name == "self") // a method changes its members
    places.erase(places.begin());
  Composed place = pick(places);
  const bool isVector = place.shape.rows && !place.shape.columns && !place.shape.record;
  if (isVector && !place.isPiece && below(3) == 0) { // a component that is chosen at run time
    place.name += "[" + expression(at, Scalar::I32, 1) + " % " + number(place.shape.rows) + "]";
    place.shape.rows = 0;
  } else if (place.shape.columns && !place.isPiece && below(3) == 0) {
    place.name += "[" + expression(at, Scalar::I32, 1) + " % " + number(place.shape.rows) + ", " +
                  expression(at, Scalar::I32, 1) + " % " + number(place.shape.columns) + "]";
    place.shape.rows = place.shape.columns = 0;
  }
  if (place.shape.record || below(2)) {
    line(at.depth, place.name + " = " + composed(at, place.shape, 2));
    return;
  }
  const Scalar type = place.shape.type;
  Shape value = place.shape;
  if (below(3) == 0)
    value.rows = value.columns = 0;
  line(at.depth, place.name + " " +
                     (isReal(type) ? pick({"+", "-"}) : pick({"+", "-", "*", "&", "|", "^"})) +
                     "= " + composed(at, value, 2));
}

/// Arrays and fields so far: Vulkan's devices and Metal bind about 30.
int Generator::buffers() const {
  const auto &arguments = program.launch.arguments;
  return int(program.launch.fields.size()) +
         int(std::count_if(arguments.begin(), arguments.end(),
                           [](const Datum &datum) { return datum.isArray; }));
}

/// Arrays, or a field, of composed elements that a task writes or that are there at first.
ComposedMemory Generator::composedMemory(const Text &base, bool zero) {
  ComposedMemory memory;
  memory.name = base;
  const Record *record = records.empty() || below(2) ? nullptr : pick(records);
  const bool fits = record && buffers() + record->buffers() <= 14;
  memory.shape = fits       ? Shape{Scalar::I32, 0, 0, record}
                 : below(3) ? matrixShape(pick(numbers))
                            : Shape{pick(numbers)};
  static const std::vector<std::vector<int>> extents = {
      {128}, {8, 16}, {32, 4}, {4, 8, 4}, {2, 16, 4}};
  const bool isScalar = !memory.shape.rows && !memory.shape.record;
  memory.extents = extents[isScalar ? 1 + below(4) : below(5)];
  Text shape;
  for (int extent : memory.extents)
    shape += number(extent) + ", ";
  const bool isField = zero && below(3) == 0;
  const bool inOnePiece =
      isField && memory.shape.record && memory.shape.record->isOfOneType() && below(2);
  if (isField) {
    memory.name = "s" + tag + base;
    const Text rest = "shape=(" + shape + ")" + (inOnePiece ? ", layout=qd.Layout.AOS)" : ")");
    const Shape &s = memory.shape;
    const Text own = ", qd." + Text(nameOf(s.type)) + ", ";
    fields += memory.name + " = " +
              (s.record    ? s.record->name + ".field("
               : s.columns ? "qd.Matrix.field(" + number(s.rows) + ", " + number(s.columns) + own
               : s.rows    ? "qd.Vector.field(" + number(s.rows) + own
                           : "qd.field(" + own.substr(2)) +
              rest + "\n";
  } else {
    parameters.push_back(memory.name + ": qd.types.ndarray(dtype=" + typeText(memory.shape) +
                         ", ndim=" + number(int64_t(memory.extents.size())) + ")");
  }
  addData(isField ? program.launch.fields : program.launch.arguments, memory.name, memory.shape,
          memory.extents, isField, inOnePiece);
  return memory;
}

void Generator::addData(std::vector<Datum> &into, const Text &name, const Shape &shape,
                        const std::vector<int> &extents, bool zero, bool inOnePiece) {
  if (shape.record && !inOnePiece) {
    for (const auto &[member, inner] : shape.record->members)
      addData(into, name + "." + member, inner, extents, zero, false);
    return;
  }
  Datum datum{name, shape.record ? shape.record->firstType() : shape.type, true, {}, {}};
  size_t count = 1;
  for (int extent : extents) {
    datum.shape.push_back(extent);
    count *= size_t(extent);
  }
  if (shape.record)
    datum.element = {shape.record->size()};
  else if (shape.columns)
    datum.element = {shape.rows, shape.columns};
  else if (shape.rows)
    datum.element = {shape.rows};
  for (int64_t extent : datum.element)
    count *= size_t(extent);
  for (size_t i = 0; i < count; ++i)
    datum.data.push_back(zero ? 0 : someBits(datum.type));
  into.push_back(std::move(datum));
}

} // namespace fuzz::generator
