#include "tests/fuzz/Generator.h"

#include <algorithm>
#include <random>

namespace fuzz {

const char *const fileHead = "import quadrants as qd\n"
                             "from quadrants.lang.simt import block, subgroup\n\n";

namespace {

using Text = std::string;

struct Variable {
  Text name;
  Scalar type;
  bool writable;
};

/// Where a statement is: what it may see and do.
struct Place {
  int depth = 1;        ///< of the text
  int nesting = 3;      ///< control flow that may still come inside
  bool uniform = false; ///< collectives may stand here
  bool inLoop = false, inFunction = false;
  Scalar returns = Scalar::I32;
  std::vector<Variable> variables;
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
  Generator(uint64_t seed, unsigned number) : random(seed * 0x9e3779b97f4a7c15 + 1) {
    tag = std::to_string(number);
    chooseTypes();
  }

  Program make() {
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
      head += datum.name + ": " +
              (datum.isArray ? "qd.types.ndarray(dtype=" + type + ", ndim=1)" : type);
    }
    Text fields;
    for (const Datum &field : program.launch.fields)
      fields += field.name + " = qd.field(qd." + Text(nameOf(field.type)) + ", shape=(" +
                std::to_string(field.shape[0]) + ",))\n";
    program.text = fields + functions + head + ")" + returns + ":\n" + lines + "\n";
    return std::move(program);
  }

private:
  //===--- Choices ---------------------------------------------------------===//

  unsigned below(unsigned limit) { return unsigned(random() % limit); }
  template <class T> const T &pick(const std::vector<T> &from) {
    return from[below(unsigned(from.size()))];
  }
  Text pick(std::initializer_list<const char *> from) {
    return *(from.begin() + below(unsigned(from.size())));
  }
  Text number(int64_t value) { return std::to_string(value); }

  void chooseTypes() {
    // Few types in one kernel, so that values meet; i32 always.
    types = {Scalar::I32};
    static const std::vector<Scalar> common = {Scalar::U32, Scalar::F32, Scalar::I64, Scalar::U64};
    static const std::vector<Scalar> all = {Scalar::I8,  Scalar::I16, Scalar::U8,  Scalar::U16,
                                            Scalar::U32, Scalar::I64, Scalar::U64, Scalar::F16,
                                            Scalar::F32, Scalar::F64, Scalar::U1};
    for (unsigned count = below(4); count-- > 0;) {
      const Scalar type = below(2) ? pick(common) : pick(all);
      if (std::find(types.begin(), types.end(), type) == types.end())
        types.push_back(type);
    }
    for (Scalar type : types)
      if (type != Scalar::U1)
        numbers.push_back(type);
  }

  std::vector<Scalar> collectiveTypes() {
    std::vector<Scalar> result;
    for (Scalar type : types)
      if (type == Scalar::F32 || type == Scalar::F64 || (!isReal(type) && bitsOf(type) >= 32))
        result.push_back(type);
    return result;
  }
  std::vector<Scalar> integers() {
    std::vector<Scalar> result;
    for (Scalar type : numbers)
      if (!isReal(type))
        result.push_back(type);
    return result;
  }

  //===--- Text ------------------------------------------------------------===//

  void line(int depth, const Text &text) { lines += Text(size_t(depth) * 4, ' ') + text + "\n"; }
  Text fresh(const char *prefix) { return prefix + number(++names); }
  Text typed(Scalar type, const Text &value) {
    return below(2) ? "qd." + Text(nameOf(type)) + "(" + value + ")"
                    : "qd.cast(" + value + ", qd." + Text(nameOf(type)) + ")";
  }

  //===--- Expressions -----------------------------------------------------===//

  Text bareReal() {
    const int quarter = int(below(65)) - 32;
    const char *ends[] = {".0", ".25", ".5", ".75"};
    return (quarter < 0 ? "-" : "") + number(std::abs(quarter) / 4) + ends[std::abs(quarter) % 4];
  }

  Text literal(Scalar type) {
    if (type == Scalar::U1)
      return "qd.u1(" + number(below(2)) + ")";
    Text value;
    if (isReal(type)) {
      value = bareReal();
    } else {
      const unsigned width = bitsOf(type) - (isSigned(type) ? 1 : 0);
      const Bits highest = width == 64 ? ~Bits(0) : (Bits(1) << width) - 1;
      switch (below(8)) {
      case 0:
        value = std::to_string(highest);
        break;
      case 1:
        value = isSigned(type) ? "-" + std::to_string(highest) : std::to_string(highest - 1);
        break;
      case 2:
        value = std::to_string(Bits(1) << below(width));
        break;
      case 3:
        value = std::to_string(random() & highest);
        break;
      case 4:
        value = isSigned(type) ? "-" + number(1 + below(9)) : "1";
        break;
      default:
        value = number(below(12));
      }
    }
    return "qd." + Text(nameOf(type)) + "(" + value + ")";
  }

  Text variable(const Place &at, Scalar type) {
    std::vector<Text> same, other;
    for (const Variable &candidate : at.variables)
      if (candidate.type == type)
        same.push_back(candidate.name);
      else if (!isReal(candidate.type) && !isReal(type) && type != Scalar::U1)
        other.push_back(candidate.name);
    if (!same.empty() && below(8))
      return pick(same);
    if (!other.empty())
      return typed(type, pick(other));
    return same.empty() ? literal(type) : pick(same);
  }

  /// An element of an array that no thread writes now.
  Text element(const Place &at, Scalar type, int depth) {
    std::vector<Text> same;
    for (const Memory &memory : reachable)
      if (memory.type == type)
        same.push_back(memory.name);
    if (same.empty() || at.inFunction)
      return variable(at, type);
    return pick(same) + "[" + index(at, depth) + "]";
  }
  Text index(const Place &at, int depth) {
    return expression(at, Scalar::I32, std::min(depth - 1, 1)) + " & " +
           pick({"127", "63", "31", "7"});
  }

  Text condition(const Place &at, int depth) { return expression(at, Scalar::U1, depth); }

  Text truth(const Place &at, int depth) {
    const auto sub = [&](Scalar type) { return expression(at, type, depth - 1); };
    const Scalar type = pick(numbers);
    switch (depth <= 0 ? below(3) : below(9)) {
    case 0:
    case 3:
      return "(" + sub(type) + pick({" < ", " <= ", " > ", " >= "}) + sub(type) + ")";
    case 1:
      return "(" + sub(type) + pick({" == ", " != "}) + sub(type) + ")";
    case 2: { // types that meet in a comparison
      const Scalar other = pick(numbers);
      if (isReal(type) == isReal(other))
        return "(" + sub(type) + pick({" < ", " >= ", " == ", " != "}) + sub(other) + ")";
      return "(" + sub(type) + " > " + (isReal(type) ? bareReal() : number(below(20))) + ")";
    }
    case 4:
      return "(" + sub(type) + pick({" < ", " <= "}) + sub(type) + pick({" < ", " <= ", " != "}) +
             sub(type) + ")";
    case 5:
      return "(" + sub(Scalar::U1) + pick({" and ", " or "}) + sub(Scalar::U1) + ")";
    case 6:
      return "(not " + sub(Scalar::U1) + ")";
    case 7:
      return std::find(types.begin(), types.end(), Scalar::U1) != types.end()
                 ? variable(at, Scalar::U1)
                 : "(" + sub(type) + " != " + sub(type) + ")";
    default:
      return "(" + sub(Scalar::I32) + " % 3 == " + number(below(3)) + ")";
    }
  }

  Text fromOther(const Place &at, Scalar type, int depth) {
    const Scalar from = pick(numbers);
    const Text value = expression(at, from, depth - 1);
    if (isReal(from) && !isReal(type))
      return typed(type,
                   "min(max(" + value + ", " + (isSigned(type) ? "-100.0" : "1.0") + "), 100.0)");
    if (!isReal(from) && isReal(type))
      return typed(type, below(6) ? "(" + value + ") & " + pick({"63", "15", "255"}) : value);
    return typed(type, value);
  }

  Text realOperation(const Place &at, Scalar type, int depth) {
    const auto sub = [&] { return expression(at, type, depth - 1); };
    const Text own = "qd." + Text(nameOf(type));
    switch (below(9)) {
    case 0:
    case 1:
    case 2:
      return "(" + sub() + pick({" + ", " - "}) + sub() + ")";
    case 3:
      return "(" + sub() + " * " + own + "(" + pick({"0.5", "2.0", "0.25", "-1.0", "-2.0"}) + "))";
    case 4: // rounded, whatever it is
      return "qd.floor(" + sub() + " * " + sub() + ")";
    case 5:
      return "(" + sub() + " / " + own + "(" +
             (type == Scalar::F32 && below(2) ? pick({"3.0", "-7.0", "10.0"})
                                              : pick({"2.0", "4.0", "-0.5"})) +
             "))";
    case 6:
      return "(" + sub() + pick({" % ", " // "}) + own + "(" + pick({"3.0", "-2.5", "0.75"}) + "))";
    case 7:
      return pick({"qd.floor(", "qd.ceil(", "abs("}) + sub() + ")";
    default:
      return "(-" + sub() + ")";
    }
  }

  Text integerOperation(const Place &at, Scalar type, int depth) {
    const auto sub = [&] { return expression(at, type, depth - 1); };
    const Text own = "qd." + Text(nameOf(type));
    const bool wide = bitsOf(type) >= 32; // a bare literal does not change the type
    switch (below(16)) {
    case 0:
    case 1:
      return "(" + sub() + pick({" + ", " - ", " * "}) + sub() + ")";
    case 2:
      if (wide)
        return "(" + sub() + pick({" + ", " - ", " * ", " & ", " | ", " ^ "}) +
               number(below(3) ? below(100) : 65535) + ")";
      [[fallthrough]];
    case 3:
      return "(" + sub() + pick({" & ", " | ", " ^ "}) + sub() + ")";
    case 4:
      return "(~" + sub() + ")";
    case 5:
      return "(-" + sub() + ")";
    case 6: {
      const Text by = sub();
      const Text divisor = "(" + by + " % " + own + "(7) + " + own + "(8))";
      return "(" + sub() + pick({" // ", " % "}) + (isSigned(type) && below(3) == 0 ? "-" : "") +
             divisor + ")";
    }
    case 7: {
      static const char *const divisors[] = {"3", "10", "7", "1", "2", "100", "127", "16"};
      const Text divisor = divisors[below(8)];
      return "(" + sub() + pick({" // ", " % "}) +
             (isSigned(type) && below(3) == 0 ? own + "(-" + (divisor == "1" ? "2" : divisor) + ")"
                                              : own + "(" + divisor + ")") +
             ")";
    }
    case 8:
    case 9:
      return "(" + sub() + pick({" << ", " >> "}) + "(" +
             expression(at, pick(integers()), depth - 1) + " & " + number(bitsOf(type) - 1) + "))";
    case 10:
      return "(" + sub() + pick({" << ", " >> "}) + number(below(bitsOf(type))) + ")";
    case 11:
      return "qd.bit_shr(" + sub() + ", " + number(below(bitsOf(type))) + ")";
    case 12:
      return isSigned(type) ? "abs(" + sub() + ")" : "(" + sub() + " ^ " + sub() + ")";
    case 13:
      if (type == Scalar::I32)
        return pick({"qd.math.popcnt(", "qd.math.clz(", "qd.math.ffs("}) +
               expression(at, pick(integers()), depth - 1) + ")";
      return "(" + sub() + " * " + sub() + ")";
    case 14: {
      std::vector<Scalar> same;
      for (Scalar other : numbers)
        if (bitsOf(other) == bitsOf(type) && other != type)
          same.push_back(other);
      if (same.empty())
        return "(" + sub() + " ** " + number(below(5)) + ")";
      return "qd.bit_cast(" + expression(at, pick(same), depth - 1) + ", " + own + ")";
    }
    default: { // the narrower operand is promoted
      std::vector<Scalar> narrower;
      for (Scalar other : integers())
        if (other != type && promote(other, type) == type)
          narrower.push_back(other);
      if (narrower.empty())
        return "(" + sub() + " | " + sub() + ")";
      return "(" + sub() + pick({" + ", " - ", " * ", " & "}) +
             expression(at, pick(narrower), depth - 1) + ")";
    }
    }
  }

  /// Text whose value has the type.
  Text expression(const Place &at, Scalar type, int depth) {
    if (type == Scalar::U1)
      return below(4) == 0 && depth <= 0 ? literal(type) : truth(at, depth);
    if (depth <= 0)
      return below(4) == 0 ? literal(type) : variable(at, type);
    const auto sub = [&] { return expression(at, type, depth - 1); };
    switch (below(14)) {
    case 0:
      return literal(type);
    case 1:
    case 2:
      return variable(at, type);
    case 3:
      return element(at, type, depth);
    case 4:
      return fromOther(at, type, depth);
    case 5:
      return "(" + sub() + " if " + condition(at, depth - 1) + " else " + sub() + ")";
    case 6:
      return "qd.select(" + condition(at, depth - 1) + ", " + sub() + ", " + sub() + ")";
    case 7:
      return pick({"min(", "max(", "qd.min(", "qd.max("}) + sub() + ", " + sub() + ")";
    case 8: {
      std::vector<const Function *> fitting;
      for (const Function &candidate : functions)
        if (candidate.result == type)
          fitting.push_back(&candidate);
      if (fitting.empty() || calls > 6)
        return below(3) ? sub() : "(" + sub() + pick({" and ", " or "}) + sub() + ")";
      ++calls;
      const Function &callee = *pick(fitting);
      Text text = callee.name + "(";
      for (size_t i = 0; i < callee.parameters.size(); ++i)
        text += (i ? ", " : "") + expression(at, callee.parameters[i], depth - 1);
      return text + ")";
    }
    default:
      return isReal(type) ? realOperation(at, type, depth) : integerOperation(at, type, depth);
    }
  }

  //===--- Statements ------------------------------------------------------===//

  void block(Place at) { // a copy: what is declared inside stays inside
    for (unsigned count = 1 + below(3); count-- > 0;)
      statement(at);
  }

  Place inside(const Place &at, bool uniform = false) {
    Place inner = at;
    inner.depth += 1;
    inner.nesting -= 1;
    inner.uniform = at.uniform && uniform;
    return inner;
  }

  const Variable *writable(const Place &at) {
    std::vector<const Variable *> candidates;
    for (const Variable &candidate : at.variables)
      if (candidate.writable)
        candidates.push_back(&candidate);
    return candidates.empty() ? nullptr : pick(candidates);
  }

  void declare(Place &at) {
    const Scalar type = pick(types);
    const Text name = fresh("v");
    line(at.depth, name + " = " + expression(at, type, 3));
    at.variables.push_back({name, type, true});
  }

  void statement(Place &at) {
    const unsigned kind = at.nesting > 0 ? below(20) : below(8);
    if (at.uniform && below(2)) {
      collective(at);
      return;
    }
    if (below(9) == 0) {
      special(at);
      return;
    }
    const Variable *target = writable(at);
    if (kind < 2 || !target) {
      declare(at);
    } else if (kind < 5) {
      // Of another type now and then: an assignment casts.
      const Scalar from = pick(numbers);
      const bool casts = below(4) == 0 && target->type != Scalar::U1 && !isReal(from) &&
                         (!isReal(target->type) || bitsOf(from) < 16);
      line(at.depth, target->name + " = " + expression(at, casts ? from : target->type, 3));
    } else if (kind < 7) {
      augmented(at, *target);
    } else if (kind == 7) {
      own(at);
    } else if (kind < 12) {
      line(at.depth, "if " + condition(at, 2) + ":");
      block(inside(at));
      if (below(4) == 0) {
        line(at.depth, "elif " + condition(at, 1) + ":");
        block(inside(at));
      }
      if (below(2)) {
        line(at.depth, "else:");
        block(inside(at));
      }
    } else if (kind < 15) {
      loop(at);
    } else if (kind == 15) {
      const Text name = fresh("w");
      line(at.depth, name + " = 0");
      line(at.depth, "while " + name + " < " + number(1 + below(5)) +
                         (below(2) ? " and " + condition(at, 1) : "") + ":");
      line(at.depth + 1, name + " += 1");
      Place inner = inside(at);
      inner.inLoop = true;
      inner.variables.push_back({name, Scalar::I32, false});
      block(inner);
    } else if (kind < 18 && at.inLoop) {
      line(at.depth, "if " + condition(at, 2) + ":");
      line(at.depth + 1, pick({"break", "continue"}));
    } else if (kind == 18 && at.inFunction) {
      line(at.depth, "if " + condition(at, 2) + ":");
      line(at.depth + 1, "return " + typed(at.returns, expression(at, at.returns, 2)));
    } else {
      atomic(at);
    }
  }

  /// Less common parts of the language.
  void special(Place &at) {
    const Scalar type = pick(numbers);
    const auto sub = [&](Scalar of) { return expression(at, of, 2); };
    const Text name = fresh("u"), own = "qd." + Text(nameOf(type));
    switch (below(8)) {
    case 0: { // a vector, an element of it changed, and one read that is chosen at run time
      const unsigned size = 2 + below(3);
      Text items;
      for (unsigned i = 0; i < size; ++i)
        items += (i ? ", " : "") + sub(type);
      line(at.depth, name + " = qd.Vector([" + items + "])");
      if (below(2))
        line(at.depth, name + "[" +
                           (below(2) ? number(below(size))
                                     : "abs(" + sub(Scalar::I32) + " % " + number(size) + ")") +
                           "] = " + sub(type));
      if (below(2) && !isReal(type))
        line(at.depth,
             name + " = " + name + pick({" + ", " * ", " ^ "}) + pick({name.c_str(), "3"}));
      const Text read = fresh("v");
      line(at.depth, read + " = " + own + "(" + name +
                         (below(3)       ? "[" + sub(Scalar::I32) + " % " + number(size) + "]"
                          : isReal(type) ? Text(".max()")
                                         : pick({".sum()", ".max()", ".min()", ".x"})) +
                         ")");
      at.variables.push_back({read, type, true});
      return;
    }
    case 1: { // two at once
      const Text second = fresh("u");
      line(at.depth, name + ", " + second + " = " + sub(type) + ", " + sub(Scalar::I32));
      at.variables.push_back({name, type, true});
      at.variables.push_back({second, Scalar::I32, true});
      if (type == Scalar::I32)
        line(at.depth, name + ", " + second + " = " + second + ", " + name);
      return;
    }
    case 2: // compile-time choices
      line(at.depth, name + " = " + sub(type));
      at.variables.push_back({name, type, true});
      line(at.depth, "if qd.static(subgroup.group_size() " + pick({">", "==", "<"}) + " 16):");
      block(inside(at, true));
      if (below(2)) {
        line(at.depth, "else:");
        block(inside(at, true));
      }
      return;
    case 3: // operands meet in a conditional
      line(at.depth, name + " = " + own + "(" + "(" + sub(type) + " if " + condition(at, 1) +
                         " else " + sub(isReal(type) ? type : pick(integers())) + "))");
      at.variables.push_back({name, type, true});
      return;
    case 4: { // a loop that only a break ends
      line(at.depth, name + " = 0");
      line(at.depth, "while True:");
      line(at.depth + 1, name + " += 1");
      line(at.depth + 1, "if " + name + " > " + number(1 + below(4)) +
                             (below(2) ? " or " + condition(at, 1) : Text()) + ":");
      line(at.depth + 2, "break");
      Place inner = inside(at);
      inner.inLoop = true;
      inner.variables.push_back({name, Scalar::I32, false});
      block(inner);
      return;
    }
    case 5: // the old value of an element that is the thread's own
      if (!at.inFunction && !mine.empty()) {
        const Memory &memory = pick(mine);
        const bool wide = !isReal(memory.type) && bitsOf(memory.type) == 32;
        const Text place = memory.name + "[" + thread + "]";
        if (wide) {
          line(at.depth,
               name + " = qd.atomic_" +
                   pick({"add", "sub", "and", "or", "xor", "min", "max", "exchange", "mul"}) + "(" +
                   place + ", " + sub(memory.type) + ")");
          if (below(3) == 0)
            line(at.depth, name + " += qd.atomic_cas(" + place + ", " + sub(memory.type) + ", " +
                               sub(memory.type) + ")");
        } else {
          line(at.depth, name + " = qd.volatile_load(" + place + ")");
        }
        at.variables.push_back({name, memory.type, true});
        return;
      }
      [[fallthrough]];
    case 6: // a function as an argument
      if (!at.inFunction && !below(2)) {
        line(at.depth, name + " = twice" + tag + "(" + pick({"plus", "mix"}) + tag + ", " +
                           sub(type) + ", " + sub(type) + ")");
        at.variables.push_back({name, type, true});
        return;
      }
      [[fallthrough]];
    default:
      line(at.depth,
           name + " = power" + tag + "(" + sub(Scalar::I32) + ", " + number(below(4)) + ")");
      at.variables.push_back({name, Scalar::I32, true});
    }
  }

  /// Functions that `special` and `blockwide` call.
  Text helpers() {
    return "@qd.func\ndef plus" + tag + "(a, b):\n    return a + b\n\n" + "@qd.func\ndef mix" +
           tag + "(a, b):\n    if a < b:\n        return b\n    return a\n\n" +
           "@qd.func\ndef later" + tag + "(a, b):\n    return a if b == 0 else b\n\n" +
           "@qd.func\ndef product" + tag + "(a, b):\n    return a * b\n\n" + "@qd.func\ndef twice" +
           tag + "(op: qd.template(), a, b):\n    return op(op(a, b), b)\n\n" +
           "@qd.func\ndef power" + tag +
           "(x, n: qd.template()):\n    if qd.static(n == 0):\n        return qd.i32(1)\n"
           "    else:\n        return x * power" +
           tag + "(x, n - 1)\n\n";
  }

  void augmented(Place &at, const Variable &target) {
    Text op = "+";
    if (target.type == Scalar::U1) {
      line(at.depth, target.name + " = " + condition(at, 2));
      return;
    }
    op = isReal(target.type) ? pick({"+", "-"}) : pick({"+", "-", "*", "&", "|", "^"});
    line(at.depth, target.name + " " + op + "= " + expression(at, target.type, 2));
  }

  void loop(Place &at) {
    const Text name = fresh("i");
    const auto sub = [&] { return expression(at, Scalar::I32, 1); };
    Place inner = inside(at, true);
    switch (below(6)) {
    case 0:
      line(at.depth, "for " + name + " in range(" + sub() + " % 5):");
      inner.uniform = false;
      break;
    case 1:
      line(at.depth, "for " + name + " in range(" + sub() + " % 4, " + sub() + " % 7):");
      inner.uniform = false;
      break;
    case 2:
      line(at.depth, "for " + name + " in range(" + sub() + " % 8, " + sub() + " % 4, -" +
                         number(1 + below(3)) + "):");
      inner.uniform = false;
      break;
    case 3:
      line(at.depth, "for " + name + " in qd.static(range(" + number(1 + below(3)) + ")):");
      inner.inLoop = false; // `break` would need a static condition
      inner.variables.push_back({"qd.i32(" + name + ")", Scalar::I32, false});
      block(inner);
      return;
    case 4: {
      const Text second = fresh("i");
      line(at.depth, "for " + name + ", " + second + " in qd.ndrange(" + number(1 + below(3)) +
                         ", (1, " + number(2 + below(2)) + ")):");
      inner.inLoop = false;
      inner.variables.push_back({second, Scalar::I32, false});
      break;
    }
    default:
      line(at.depth, "for " + name + " in range(" + number(1 + below(4)) + "):");
    }
    if (!inner.uniform)
      inner.inLoop = inner.inLoop || true;
    else
      inner.inLoop = false; // a break by some lanes would end uniform flow
    inner.variables.push_back({name, Scalar::I32, false});
    block(inner);
  }

  //===--- Memory ----------------------------------------------------------===//

  /// A thread's own element of an array of the task.
  void own(Place &at) {
    if (at.inFunction || mine.empty()) {
      declare(at);
      return;
    }
    const Memory &memory = pick(mine);
    const Text place = memory.name + "[" + thread + "]";
    if (below(3) == 0) {
      const Text name = fresh("v");
      line(at.depth, name + " = " + place);
      at.variables.push_back({name, memory.type, true});
    } else {
      line(at.depth, place + " = " + expression(at, memory.type, 2));
    }
  }

  /// An update of an element that many threads update, all by the same operator.
  void atomic(Place &at) {
    if (at.inFunction || accumulators.empty()) {
      declare(at);
      return;
    }
    const auto &[memory, op] = pick(accumulators);
    Text value = expression(at, memory.type, 2);
    const Text place = memory.name + "[" + index(at, 2) + "]";
    static const char *const signs[] = {"+", "&", "|", "^"};
    static const char *const names[] = {"add", "and", "or", "xor"};
    for (int i = 0; i < 4; ++i)
      if (op == names[i] && below(2)) {
        line(at.depth, place + " " + signs[i] + "= " + value);
        return;
      }
    line(at.depth, "qd.atomic_" + (op == "add" && below(4) == 0 ? Text("sub") : op) + "(" + place +
                       ", " + value + ")");
  }

  /// What the whole block does: the place is uniform.
  void collective(Place &at) {
    const auto types = collectiveTypes();
    const Scalar type = pick(types);
    const Text own = "qd." + Text(nameOf(type));
    Text value = expression(at, type, 2);
    // Sums of reals are exact.
    const Text small =
        isReal(type) ? own + "(" + expression(at, Scalar::I32, 2) + " & 15) * " + own + "(0.25)"
                     : value;
    const Text name = fresh("c");
    Scalar result = type;
    const unsigned k = below(2);
    Text tile =
        pick({"0", "1", "2", "subgroup.log2_group_size()", "subgroup.log2_group_size() - 1"});
    const Text tileSize = "(1 << (" + tile + "))";
    const bool tiled = below(2);
    const Text suffix = tiled ? "_tiled(" : "(", tail = tiled ? ", " + tile + ")" : ")";
    const Text lane = "subgroup.invocation_id()";
    const std::vector<Text> integerOps = {"add", "mul", "min", "max", "and", "or", "xor"};
    Text text;
    switch (below(14)) {
    case 0: {
      const Text op = pick({"add", "min", "max"});
      text = "subgroup.reduce_all_" + op + suffix + (op == "add" ? small : value) + tail;
      break;
    }
    case 1: {
      const Text op = pick({"add", "min", "max"});
      text = "qd.select(" + lane + " % " + (tiled ? tileSize : "subgroup.group_size()") +
             " == 0, subgroup.reduce_" + op + suffix + (op == "add" ? small : value) + tail + ", " +
             value + ")";
      break;
    }
    case 2:
    case 3: {
      const Text op = isReal(type) ? pick({"add", "min", "max"}) : pick(integerOps);
      text = Text("subgroup.") + pick({"inclusive_", "exclusive_"}) + op + suffix +
             (op == "add" ? small : value) + tail;
      break;
    }
    case 4:
      text = "subgroup.shuffle(" + value + ", qd.u32((" + expression(at, Scalar::I32, 2) +
             ") & (subgroup.group_size() - 1)))";
      break;
    case 5:
      text = "subgroup.shuffle_xor(" + value + ", qd.u32(" + number(1 + below(3)) + "))";
      break;
    case 6: {
      const Text by = number(1 + below(3));
      text = k ? "qd.select(" + lane + " >= " + by + ", subgroup.shuffle_up(" + value +
                     ", qd.u32(" + by + ")), " + literal(type) + ")"
               : "qd.select(" + lane + " < subgroup.group_size() - " + by +
                     ", subgroup.shuffle_down(" + value + ", qd.u32(" + by + ")), " +
                     literal(type) + ")";
      break;
    }
    case 7:
      text = k ? "subgroup.broadcast(" + value + ", qd.u32(" + number(below(4)) + "))"
               : "subgroup.broadcast_first(" + value + ")";
      break;
    case 8:
      text = Text("subgroup.") + pick({"all_true", "any_true"}) + suffix + condition(at, 2) + tail;
      result = Scalar::I32;
      break;
    case 9:
      if (k) {
        text = "subgroup.all_equal" + suffix + value + tail;
        result = Scalar::I32;
      } else {
        text = typed(type, "subgroup.ballot_first_n(" + condition(at, 2) + ", " +
                               pick({"32", "4", "7", "1"}) + ")" + (isReal(type) ? " & 255" : ""));
      }
      break;
    case 10:
      text = "qd.math.popcnt(subgroup.ballot(" + condition(at, 2) + "))";
      result = Scalar::I32;
      break;
    case 11: {
      const Text op = pick({"add", "min", "max"});
      text = "subgroup.segmented_reduce_" + op + suffix + (op == "add" ? small : value) + ", " +
             expression(at, Scalar::I32, 1) + " % 3" + tail;
      break;
    }
    case 12: {
      const Text other = fresh("c");
      const Scalar second = pick(types);
      line(at.depth, name + ", " + other + " = subgroup.bitonic_sort_kv" + suffix + value + ", " +
                         expression(at, second, 2) + tail);
      at.variables.push_back({name, type, true});
      at.variables.push_back({other, second, true});
      return;
    }
    default:
      blockwide(at, name, type, value, small);
      return;
    }
    line(at.depth, name + " = " + text);
    at.variables.push_back({name, result, true});
  }

  void blockwide(Place &at, const Text &name, Scalar type, const Text &value, const Text &small) {
    const Text dim = number(blockDim), own = "qd." + Text(nameOf(type));
    Scalar result = type;
    switch (below(7)) {
    case 5: // an operator that does not commute, too
      if (!isReal(type)) {
        const Text op = pick({"plus", "later", "product", "mix"}) + tag;
        const Text rest = own + "(" + value + "), " + dim + ", " + op + ", ";
        const unsigned kind = below(4);
        if (kind == 0)
          line(at.depth, name + " = block.reduce_all(" + rest + own + ")");
        else if (kind == 1)
          line(at.depth, name + " = block.inclusive_scan(" + rest + own + ")");
        else if (kind == 2)
          line(at.depth,
               name + " = block.exclusive_scan(" + rest + literal(type) + ", " + own + ")");
        else
          line(at.depth, name + " = qd.select(block.thread_idx() == 0, block.reduce(" + rest + own +
                             "), " + literal(type) + ")");
        break;
      }
      [[fallthrough]];
    case 6: { // two dimensions
      const Text square = fresh("s");
      line(at.depth,
           square + " = block.SharedArray((8, " + number(blockDim / 8) + "), " + own + ")");
      line(at.depth, square + "[block.thread_idx() % 8, block.thread_idx() // 8] = " + value);
      line(at.depth, "block.sync()");
      line(at.depth, name + " = " + square + "[" + expression(at, Scalar::I32, 1) +
                         " & 7, block.thread_idx() % " + number(blockDim / 8) + "]");
      line(at.depth, "block.sync()");
      break;
    }
    case 0:
      line(at.depth, name + " = block.sync_" + pick({"all", "any", "count"}) + "_nonzero(qd.i32(" +
                         condition(at, 2) + "))" + "");
      result = Scalar::I32;
      break;
    case 1: {
      const Text op = pick({"add", "min", "max"});
      line(at.depth, name + " = block." + pick({"reduce_all_", "inclusive_", "exclusive_"}) + op +
                         "(" + own + "(" + (op == "add" ? small : value) + "), " + dim + ", " +
                         own + ")");
      break;
    }
    default: {
      // Own elements, a barrier, those of others, a barrier.
      const Memory &array = pick(shared);
      result = array.type;
      const Text tid = "block.thread_idx()";
      if (below(3) == 0 && bitsOf(array.type) >= 32 && !isReal(array.type)) {
        line(at.depth, array.name + "[" + tid + "] = " + literal(array.type));
        line(at.depth, "block.sync()");
        const Text update = "qd.atomic_" + pick({"add", "or", "xor", "min", "max"}) + "(" +
                            array.name + "[" + expression(at, Scalar::I32, 1) + " & " +
                            number(blockDim - 1) + "], " + expression(at, array.type, 2) + ")";
        if (below(2)) {
          line(at.depth, "if " + condition(at, 2) + ":");
          line(at.depth + 1, update);
        } else {
          line(at.depth, update);
        }
      } else {
        line(at.depth, array.name + "[" + tid + "] = " + expression(at, array.type, 2));
      }
      line(at.depth, "block.sync()");
      const Text from = below(2) ? "(" + tid + " + " + number(1 + below(40)) + ") % " + dim
                                 : expression(at, Scalar::I32, 2) + " & " + number(blockDim - 1);
      line(at.depth, name + " = " + array.name + "[" + from + "]");
      line(at.depth, "block.sync()");
    }
    }
    at.variables.push_back({name, result, true});
  }

  //===--- Functions, tasks, the kernel ------------------------------------===//

  void function() {
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

  Bits someBits(Scalar type) {
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

  Datum array(const Text &name, Scalar type, bool zero) {
    Datum datum{name, type, true, {threads}, {}};
    for (int i = 0; i < threads; ++i)
      datum.data.push_back(zero ? 0 : someBits(type));
    return datum;
  }

  void inputs() {
    for (Scalar type : types) {
      const Text name = "x_" + Text(nameOf(type));
      program.launch.arguments.push_back(array(name, type, false));
      readable.push_back({name, type});
    }
    const Scalar type = pick(numbers);
    program.launch.arguments.push_back({"n", Scalar::I32, false, {}, {Bits(1 + below(12))}});
    program.launch.arguments.push_back({"p", type, false, {}, {someBits(type)}});
  }

  /// One thread between the tasks; what it computes is carried into them.
  void serial(Place &kernel) {
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

  void task(const Place &kernel, unsigned number_) {
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
      line(1, "for i in range(" +
                  (bound == threads && below(2) ? "x_i32.shape[0]" : number(bound)) + "):");
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

  std::mt19937_64 random;
  Program program;
  Text tag, lines;
  int names = 0, calls = 0;
  std::vector<Scalar> types, numbers;
  std::vector<Function> functions;
  std::vector<Memory> readable;  ///< arrays that were written before this task, or never
  std::vector<Memory> reachable; ///< those that expressions may read now
  std::vector<Memory> mine, shared;
  std::vector<std::pair<Memory, Text>> accumulators;
  Text thread = "i";
  unsigned blockDim = 128;
};

} // namespace

Program generate(uint64_t seed, unsigned number) { return Generator(seed, number).make(); }

} // namespace fuzz
