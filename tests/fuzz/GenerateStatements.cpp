// Locals and control flow.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz::generator {

Place Generator::inside(const Place &at, bool uniform) {
  Place inner = at;
  inner.depth += 1;
  inner.nesting -= 1;
  inner.uniform = at.uniform && uniform;
  return inner;
}

const Variable *Generator::writable(const Place &at) {
  std::vector<const Variable *> candidates;
  for (const Variable &candidate : at.variables)
    if (candidate.writable)
      candidates.push_back(&candidate);
  return candidates.empty() ? nullptr : pick(candidates);
}

void Generator::declare(Place &at) {
  const Scalar type = pick(types);
  const Text name = fresh("v");
  line(at.depth, name + " = " + expression(at, type, 3));
  at.variables.push_back({name, type, true});
}

void Generator::statement(Place &at) {
  const unsigned kind = at.nesting > 0 ? below(20) : below(8);
  if (at.uniform && below(2)) {
    collective(at);
    return;
  }
  if (hasPrints && !at.inFunction && below(6) == 0) {
    print(at, "(" + thread + ")");
    return;
  }
  if (isComposed && below(3) == 0) {
    composedStatement(at);
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
    // The type is another one now and then: an assignment casts.
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
  } else if (kind == 18 && at.inFunction && !at.noReturn) {
    line(at.depth, "if " + condition(at, 2) + ":");
    line(at.depth + 1, "return " + typed(at.returns, expression(at, at.returns, 2)));
  } else {
    atomic(at);
  }
}

void Generator::special(Place &at) {
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
      line(at.depth, name + " = " + name + pick({" + ", " * ", " ^ "}) + pick({name.c_str(), "3"}));
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
  case 6: // a function as an argument, or of the kernel's object
    if (!at.inFunction && isMethod && below(2)) {
      line(at.depth, name + " = self.scaled(" + sub(Scalar::I32) + ") + self.SCALE");
      at.variables.push_back({name, Scalar::I32, true});
      return;
    }
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

Text Generator::helpers() {
  return "@qd.func\ndef plus" + tag + "(a, b):\n    return a + b\n\n" + "@qd.func\ndef mix" + tag +
         "(a, b):\n    if a < b:\n        return b\n    return a\n\n" + "@qd.func\ndef later" +
         tag + "(a, b):\n    return a if b == 0 else b\n\n" + "@qd.func\ndef product" + tag +
         "(a, b):\n    return a * b\n\n" + "@qd.func\ndef twice" + tag +
         "(op: qd.template(), a, b):\n    return op(op(a, b), b)\n\n" + "@qd.func\ndef power" +
         tag +
         "(x, n: qd.template()):\n    if qd.static(n == 0):\n        return qd.i32(1)\n"
         "    else:\n        return x * power" +
         tag + "(x, n - 1)\n\n";
}

void Generator::augmented(Place &at, const Variable &target) {
  Text op = "+";
  if (target.type == Scalar::U1) {
    line(at.depth, target.name + " = " + condition(at, 2));
    return;
  }
  op = isReal(target.type) ? pick({"+", "-"}) : pick({"+", "-", "*", "&", "|", "^"});
  line(at.depth, target.name + " " + op + "= " + expression(at, target.type, 2));
}

void Generator::loop(Place &at) {
  const Text name = fresh("i");
  const auto sub = [&] { return expression(at, Scalar::I32, 1); };
  Place inner = inside(at, true);
  switch (below(7)) {
  case 5: { // up to the ends of i32
    const Text least = "(" + sub() + " % 20 - 2147483647 - 1)",
               most = "(2147483647 - " + sub() + " % 20)";
    const Text step = below(2) ? number(1 + below(9)) : "(1 + " + sub() + " % 9)";
    line(at.depth, "for " + name + " in range(" +
                       (below(4)   ? most + ", 2147483647, " + step
                        : below(2) ? least + ", -2147483648, -" + step
                        : below(2) ? least + ", " + most + ", " + pick({"2147483647", "1000000000"})
                                   : most + ", " + least + ", -1000000000") +
                       "):");
    inner.uniform = false;
    break;
  }
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

} // namespace fuzz::generator
