// Records: their classes, values, methods, and functions that take and return them.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz::generator {

bool Record::isOfOneType() const {
  for (const auto &[name, shape] : members)
    if (shape.record ? !shape.record->isOfOneType() || shape.record->firstType() != firstType()
                     : shape.type != firstType())
      return false;
  return true;
}

Scalar Record::firstType() const {
  const Shape &first = members.at(0).second;
  return first.record ? first.record->firstType() : first.type;
}

int Record::buffers() const {
  int count = 0;
  for (const auto &[name, shape] : members)
    count += shape.record ? shape.record->buffers() : 1;
  return count;
}

int Record::size() const {
  int size = 0;
  for (const auto &[name, shape] : members)
    size +=
        shape.record ? shape.record->size() : std::max(shape.rows, 1) * std::max(shape.columns, 1);
  return size;
}

/// One or two classes; the second may hold the first.
Text Generator::recordClasses() {
  Text text;
  for (unsigned count = 1 + below(2); count-- > 0;) {
    Record made;
    made.name = "R" + tag + "_" + number(int64_t(records.size()));
    const bool oneType = below(3) == 0;
    Scalar type = pick(numbers);
    for (unsigned i = 0, size = 2 + below(3); i < size; ++i) {
      if (!oneType)
        type = pick(numbers);
      Shape shape{type};
      if (below(2))
        shape = matrixShape(type);
      else if (!records.empty() && !oneType && below(2))
        shape = {Scalar::I32, 0, 0, records[0]};
      made.members.push_back({Text(1, "abcde"[i]) + pick({"", "0"}), shape});
    }
    recordStore.push_back(made);
    Record &record = recordStore.back();
    text += "@qd.dataclass\nclass " + record.name + ":\n";
    for (const auto &[name, shape] : record.members)
      text += "    " + name + ": " + typeText(shape) + "\n";
    for (unsigned methods = 1 + below(2); methods-- > 0;)
      text += method(record);
    text += "\n";
    records.push_back(&record);
  }
  return text;
}

/// A method: it may change what it is called on, and returns a number or a record.
Text Generator::method(Record &record) {
  Method made;
  made.name = "m" + number(int64_t(record.methods.size()));
  made.changes = below(2);
  made.result = below(3) ? Shape{pick(numbers)} : Shape{Scalar::I32, 0, 0, &record};
  made.parameter = pick(numbers);
  Place at;
  at.depth = 2;
  at.inFunction = true;
  at.noReturn = true;
  at.nesting = 1;
  at.composed.push_back({"self", {Scalar::I32, 0, 0, &record}, made.changes});
  at.variables.push_back({"by", made.parameter, false});
  Text outer;
  outer.swap(lines);
  line(1, "@qd.func");
  line(1, "def " + made.name + "(self, by):");
  if (!made.changes && below(2)) { // a copy, which leaves the other as it is
    line(2, "other = self");
    at.composed.push_back({"other", {Scalar::I32, 0, 0, &record}, true});
  }
  for (unsigned count = 1 + below(3); count-- > 0;)
    below(3) ? composedStatement(at) : statement(at);
  const Text value = composed(at, made.result, 2);
  line(2, "return " + (made.result.record ? value : typed(made.result.type, value)));
  line(0, "");
  lines.swap(outer);
  record.methods.push_back(made);
  return outer;
}

/// A function of a record and a number, which returns a record.
void Generator::recordFunction() {
  const Record *type = pick(records);
  const Text name = "g" + tag + "_" + number(int64_t(recordFunctions.size()));
  Place at;
  at.inFunction = true;
  at.noReturn = true;
  at.nesting = 2;
  at.composed.push_back({"p", {Scalar::I32, 0, 0, type}, true}); // a value: the caller's stays
  at.variables.push_back({"by", Scalar::I32, false});
  line(0, "@qd.func");
  line(0, "def " + name + "(p" + (below(2) ? ": " + type->name : Text()) + ", by)" +
              (below(2) ? " -> " + type->name : Text()) + ":");
  for (unsigned count = 1 + below(3); count-- > 0;)
    below(2) ? composedStatement(at) : statement(at);
  if (below(2)) {
    line(1, "if " + condition(at, 1) + ":");
    line(2, "return " + composed(at, {Scalar::I32, 0, 0, type}, 1));
  }
  line(1, "return " + composed(at, {Scalar::I32, 0, 0, type}, 2));
  line(0, "");
  recordFunctions.push_back({name, type});
}

/// A value of a record: a call of its type, of a function or of a method.
Text Generator::record(const Place &at, const Shape &shape, int depth) {
  if (depth > 1 && calls < 6) {
    std::vector<Text> fitting;
    for (const auto &[name, type] : recordFunctions)
      if (type == shape.record)
        fitting.push_back(name);
    if (!fitting.empty() && below(2)) {
      ++calls;
      return pick(fitting) + "(" + composed(at, shape, 1) + ", " + expression(at, Scalar::I32, 1) +
             ")";
    }
    for (const Method &method : shape.record->methods)
      if (method.result.record == shape.record && !method.changes && below(2)) {
        ++calls;
        return composed(at, shape, 1) + "." + method.name + "(" +
               expression(at, method.parameter, 1) + ")";
      }
  }
  Text text = shape.record->name + "(";
  const bool byName = below(3) == 0;
  bool first = true;
  const auto &members = shape.record->members;
  for (size_t i = 0; i < members.size(); ++i) {
    if (byName && i > 1 && below(5) == 0)
      continue; // is 0
    text += (first ? "" : ", ") + (byName && i ? members[i].first + "=" : Text()) +
            composed(at, members[i].second, depth - 1);
    first = false;
  }
  return text + ")";
}

/// A call of a method that may change the target; whether there is one.
bool Generator::callMethod(Place &at, const Composed &target) {
  if (target.shape.record->methods.empty() || calls > 6)
    return false;
  ++calls;
  const Method &method = pick(target.shape.record->methods);
  const Text call =
      target.name + "." + method.name + "(" + expression(at, method.parameter, 2) + ")";
  if (below(4) == 0) {
    line(at.depth, call);
    return true;
  }
  const Text name = fresh("q");
  line(at.depth, name + " = " + call);
  if (method.result.record)
    at.composed.push_back({name, method.result, true});
  else
    at.variables.push_back({name, method.result.type, true});
  return true;
}

} // namespace fuzz::generator
