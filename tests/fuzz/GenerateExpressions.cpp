// Expressions whose type is known.
#include "tests/fuzz/GeneratorParts.h"

namespace fuzz::generator {

Text Generator::pick(std::initializer_list<const char *> from) {
  return *(from.begin() + below(unsigned(from.size())));
}

void Generator::chooseTypes() {
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

std::vector<Scalar> Generator::collectiveTypes() {
  std::vector<Scalar> result;
  for (Scalar type : types)
    if (type == Scalar::F32 || type == Scalar::F64 || (!isReal(type) && bitsOf(type) >= 32))
      result.push_back(type);
  return result;
}

std::vector<Scalar> Generator::integers() {
  std::vector<Scalar> result;
  for (Scalar type : numbers)
    if (!isReal(type))
      result.push_back(type);
  return result;
}

Text Generator::typed(Scalar type, const Text &value) {
  return below(2) ? "qd." + Text(nameOf(type)) + "(" + value + ")"
                  : "qd.cast(" + value + ", qd." + Text(nameOf(type)) + ")";
}

Text Generator::bareReal() {
  const int quarter = int(below(65)) - 32;
  const char *ends[] = {".0", ".25", ".5", ".75"};
  return (quarter < 0 ? "-" : "") + number(std::abs(quarter) / 4) + ends[std::abs(quarter) % 4];
}

Text Generator::literal(Scalar type) {
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

Text Generator::variable(const Place &at, Scalar type) {
  std::vector<Text> same, other;
  for (const Variable &candidate : at.variables)
    if (candidate.type == type)
      same.push_back(candidate.name);
    else if (!isReal(candidate.type) && !isReal(type) && type != Scalar::U1)
      other.push_back(candidate.name);
  if (isComposed && below(4) == 0)
    if (const Text text = piece(at, Shape{type}); !text.empty())
      return text;
  if (!same.empty() && below(8))
    return pick(same);
  if (!other.empty())
    return typed(type, pick(other));
  return same.empty() ? literal(type) : pick(same);
}

Text Generator::element(const Place &at, Scalar type, int depth) {
  if (isComposed && below(2))
    if (const Text text = component(at, type, depth); !text.empty())
      return text;
  std::vector<Text> same;
  for (const Memory &memory : reachable)
    if (memory.type == type)
      same.push_back(memory.name);
  if (same.empty() || at.inFunction)
    return variable(at, type);
  return pick(same) + "[" + index(at, depth) + "]";
}

Text Generator::index(const Place &at, int depth) {
  return expression(at, Scalar::I32, std::min(depth - 1, 1)) + " & " +
         pick({"127", "63", "31", "7"});
}

Text Generator::truth(const Place &at, int depth) {
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

Text Generator::fromOther(const Place &at, Scalar type, int depth) {
  const Scalar from = pick(numbers);
  const Text value = expression(at, from, depth - 1);
  if (isReal(from) && !isReal(type))
    return typed(type,
                 "min(max(" + value + ", " + (isSigned(type) ? "-100.0" : "1.0") + "), 100.0)");
  if (!isReal(from) && isReal(type))
    return typed(type, below(6) ? "(" + value + ") & " + pick({"63", "15", "255"}) : value);
  return typed(type, value);
}

Text Generator::realOperation(const Place &at, Scalar type, int depth) {
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
    if (!realRemainders)
      return "(abs(" + sub() + ") + " + sub() + ")";
    return "(" + sub() + pick({" % ", " // "}) +
           (below(2) ? own + "(" + pick({"3.0", "-2.5", "0.75"}) + ")"
                     : "max(abs(" + sub() + "), " + own + "(0.75))") +
           ")";
  case 7:
    return pick({"qd.floor(", "qd.ceil(", "abs("}) + sub() + ")";
  default:
    return "(-" + sub() + ")";
  }
}

Text Generator::integerOperation(const Place &at, Scalar type, int depth) {
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

Text Generator::expression(const Place &at, Scalar type, int depth) {
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

} // namespace fuzz::generator
