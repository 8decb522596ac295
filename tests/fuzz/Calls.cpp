// Calls: functions of the file, casts, functions of one thread, atomics.
#include "tests/fuzz/Machine.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fuzz {

Val Machine::callFunction(const ast::FunctionDef &function, std::vector<Val> arguments,
                          const Mask &mask) {
  if (arguments.size() != function.parameters.size())
    throw Unsupported("another number of arguments");
  if (frames.size() > 20)
    throw Unsupported("calls this deep");
  Frame frame;
  frame.returned = Mask(lanes, 0);
  frame.scopes.emplace_back();
  for (size_t i = 0; i < arguments.size(); ++i)
    frame.scopes.back()[std::string(function.parameters[i].name)] = std::move(arguments[i]);
  frames.push_back(std::move(frame));
  std::vector<Loop *> outer;
  outer.swap(loops);
  Mask inside = mask;
  const bool outerGhost = ghost;
  ghost = !any(mask);
  scoped(function.body, inside);
  ghost = outerGhost;
  loops.swap(outer);
  Val result = std::move(frames.back().result);
  if (result.kind != Val::None && any(inside))
    throw Unspecified("a function that does not return in all lanes");
  frames.pop_back();
  return result;
}

Val Machine::bitCast(const Val &value, Scalar type, const Mask &mask) {
  const Val from = runtime(value);
  if (bitsOf(from.type) != bitsOf(type))
    throw Unsupported("a bit cast to another width");
  return each(from, type, mask, [&](Bits bits) {
    if (isNan(from.type, bits))
      throw Unspecified("the bits of a NaN");
    const unsigned width = bitsOf(from.type);
    return wrap(type, width == 64 ? bits : bits & ((Bits(1) << width) - 1));
  });
}

/// `qd.X`, `qd.math.X` or Python's.
Val Machine::mathCall(std::string_view name, std::vector<Val> &arguments, const Mask &mask) {
  static constexpr std::string_view wholes[] = {"dot",       "cross", "norm_sqr",     "sum",
                                                "transpose", "trace", "outer_product"};
  if (std::find(std::begin(wholes), std::end(wholes), name) != std::end(wholes))
    return matrixCall(name, arguments, mask);
  const Val *vector = nullptr;
  for (const Val &argument : arguments)
    if (argument.kind == Val::List)
      vector = vector ? vector : &argument;
  if (vector && arguments.size() == 1 && (name == "min" || name == "max"))
    return matrixCall(name, arguments, mask);
  if (vector && name != "select") { // component by component
    Val result = *vector;
    for (size_t i = 0; i < result.items.size(); ++i) {
      std::vector<Val> each = arguments;
      for (Val &argument : each)
        if (argument.kind == Val::List) {
          if (!argument.isVector || argument.items.size() != result.items.size())
            throw Unsupported("vectors of different sizes");
          argument = Val(argument.items[i]);
        }
      result.items[i] = mathCall(name, each, mask);
    }
    return result;
  }
  if ((name == "min" || name == "max") && arguments.size() >= 2) {
    Val result = arguments[0];
    for (size_t i = 1; i < arguments.size(); ++i)
      result = compute(name == "min" ? Op::Min : Op::Max, result, arguments[i], mask);
    return result;
  }
  if (name == "select" && arguments.size() == 3)
    return select(arguments[0], arguments[1], arguments[2], mask);
  if (name == "bit_shr" && arguments.size() == 2) {
    const Val value = runtime(arguments[0]), amount = runtime(arguments[1]);
    usable(value, mask);
    usable(amount, mask);
    Val result = lanesOf(value.type);
    const unsigned width = bitsOf(value.type);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (!mask[lane])
        continue;
      if (amount.bits[lane] >= width)
        throw Unspecified("a shift past the width");
      const Bits plain =
          width == 64 ? value.bits[lane] : value.bits[lane] & ((Bits(1) << width) - 1);
      result.bits[lane] = wrap(value.type, plain >> amount.bits[lane]);
    }
    return result;
  }
  if (arguments.size() != 1)
    throw Unsupported("the function " + std::string(name));
  const Val value = runtime(arguments[0]);
  if (value.kind != Val::Lanes)
    throw Unsupported("the function " + std::string(name) + " of no number");
  const Scalar type = value.type;
  const unsigned width = bitsOf(type);
  auto plain = [&](Bits bits) { return width == 64 ? bits : bits & ((Bits(1) << width) - 1); };
  if (name == "abs") {
    if (isReal(type)) {
      Val result = each(value, type, mask, [&](Bits a) { return a & ~(Bits(1) << (width - 1)); });
      return result;
    }
    return each(value, type, mask,
                [&](Bits a) { return isSigned(type) && int64_t(a) < 0 ? wrap(type, -a) : a; });
  }
  if (!isReal(type) && type != Scalar::U1) {
    if (name == "popcnt")
      return each(value, Scalar::I32, mask, [&](Bits a) { return Bits(std::popcount(plain(a))); });
    if (name == "clz")
      return each(value, Scalar::I32, mask,
                  [&](Bits a) { return Bits(std::countl_zero(plain(a)) - int(64 - width)); });
    if (name == "ffs")
      return each(value, Scalar::I32, mask,
                  [&](Bits a) { return plain(a) ? Bits(std::countr_zero(plain(a)) + 1) : 0; });
  }
  if (isReal(type) && (name == "floor" || name == "ceil"))
    return each(value, type, mask, [&](Bits a) {
      const double x = toDouble(type, a);
      return fromDouble(type, name == "floor" ? std::floor(x) : std::ceil(x));
    });
  throw Unsupported("the function " + std::string(name));
}

Val Machine::atomicCall(std::string_view name, const ast::Call &node, const Mask &mask, bool used) {
  static constexpr std::pair<std::string_view, uint8_t> kinds[] = {
      {"add", 1}, {"sub", 2}, {"and", 3}, {"or", 4},      {"xor", 5},
      {"min", 6}, {"max", 7}, {"mul", 8}, {"exchange", 9}};
  const Val target = reach(*node.args.at(0), mask);
  if (name == "cas" && node.args.size() == 3 && target.kind == Val::Ref) {
    // It has to run by itself, as the order decides.
    const Val old = load(*target.place, mask);
    const Val expected = cast(eval(*node.args[1], mask), old.type, mask);
    const Val desired = cast(eval(*node.args[2], mask), old.type, mask);
    if (isReal(old.type))
      throw Unsupported("cas of reals");
    usable(expected, mask);
    Val next = old;
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (mask[lane] && old.bits[lane] == expected.bits[lane])
        next.bits[lane] = desired.bits[lane];
    store(*target.place, next, mask);
    return old;
  }
  if (node.args.size() == 2)
    for (const auto &[spelled, kind] : kinds)
      if (spelled == name)
        return atomicAll(kind, target, eval(*node.args[1], mask), mask, used);
  throw Unsupported("the atomic " + std::string(name));
}

/// `range(…)`, `qd.ndrange(…)`, known or not.
Val Machine::rangeCall(std::vector<Val> arguments, bool isStatic) {
  if (!isStatic) {
    Val range;
    range.kind = Val::Range;
    range.path = "range";
    range.items = std::move(arguments);
    return range;
  }
  std::vector<int64_t> bounds; // qd.static(range(…)): its numbers
  for (const Val &bound : arguments)
    bounds.push_back(constantInt(bound));
  const int64_t begin = bounds.size() > 1 ? bounds[0] : 0;
  const int64_t end = bounds.size() > 1 ? bounds[1] : bounds.at(0);
  const int64_t step = bounds.size() > 2 ? bounds[2] : 1;
  Val list;
  list.kind = Val::List;
  for (int64_t i = begin; step > 0 ? i < end : step < 0 && i > end; i += step)
    list.items.push_back(constant(i));
  return list;
}

Val Machine::call(const ast::Expr &site, const ast::Call &node, const Mask &mask, bool used) {
  const Val callee = eval(*node.callee, mask);
  std::string_view path = callee.path;
  if (callee.kind == Val::Path && path == "qd.loop_config") {
    for (const ast::Keyword &keyword : node.keywords) {
      if (keyword.name != "block_dim")
        throw Unsupported("this option of a loop");
      nextBlockDim = unsigned(constantInt(eval(*keyword.value, mask)));
    }
    return {};
  }
  if (callee.kind == Val::Path && path == "print") {
    print(node, mask);
    return {};
  }
  if (callee.kind == Val::Path && path.starts_with("qd.atomic_"))
    return atomicCall(path.substr(10), node, mask, used);
  if (callee.kind == Val::Path && path == "qd.volatile_load" && node.args.size() == 1)
    return loaded(reach(*node.args[0], mask), mask);
  std::vector<Val> arguments;
  for (const ast::ExprPtr &argument : node.args)
    arguments.push_back(eval(*argument, mask));
  std::vector<std::pair<std::string_view, Val>> named;
  for (const ast::Keyword &keyword : node.keywords)
    named.emplace_back(keyword.name, eval(*keyword.value, mask));
  if (callee.isType(true))
    return make(callee, std::move(arguments), named, mask);
  if (path == "qd.Vector" || path.starts_with("qd.Vector.") || path == "qd.Matrix" ||
      path.starts_with("qd.Matrix.")) {
    std::optional<Scalar> type;
    for (const auto &[name, value] : named)
      if (name == "dt" && value.isType(false))
        type = value.type;
    return makeMatrix(path.substr(3), arguments, type, mask);
  }
  if (!named.empty())
    throw Unsupported("a keyword argument");
  if (callee.kind == Val::Type && arguments.size() == 1)
    return cast(arguments[0], callee.type, mask);
  if (callee.kind == Val::Function && callee.function) {
    if (callee.self) // places, if it is called on some
      arguments.insert(arguments.begin(), *callee.self);
    // A compile-time number that is passed stays one.
    const std::string outer = callPath;
    callPath += "/" + std::to_string(site.at.begin);
    Val result = callFunction(*callee.function, std::move(arguments), mask);
    callPath = outer;
    return result;
  }
  if (callee.kind == Val::Function) { // a method of a vector
    arguments.insert(arguments.begin(), loaded(*callee.self, mask));
    return matrixCall(path, arguments, mask);
  }
  if (callee.kind != Val::Path)
    throw Unsupported("a call of no function");
  if (path == "range")
    return rangeCall(std::move(arguments), false);
  if (path == "qd.ndrange" || path == "qd.grouped") {
    Val range;
    range.kind = Val::Range;
    range.path = path.substr(3);
    range.items = std::move(arguments);
    return range;
  }
  if (path == "qd.static" && arguments.size() == 1)
    return arguments[0].kind == Val::Range ? rangeCall(arguments[0].items, true) : arguments[0];
  if (path == "qd.cast" && arguments.size() == 2 && arguments[1].isType(false))
    return cast(arguments[0], arguments[1].type, mask);
  if (path == "qd.bit_cast" && arguments.size() == 2 && arguments[1].isType(false))
    return bitCast(arguments[0], arguments[1].type, mask);
  if (path == "int" || path == "float")
    return cast(arguments.at(0), path == "int" ? Scalar::I32 : Scalar::F32, mask);
  if (path == "qd.types.vector" || path == "qd.types.matrix")
    return vectorType(path.substr(9), arguments);
  if (path.starts_with("qd.math.ivec") || path.starts_with("qd.math.uvec")) {
    Val type;
    type.kind = Val::Type;
    type.type = path[8] == 'i' ? Scalar::I32 : Scalar::U32;
    const Val extent = constant(path.back() - '0');
    return make(vectorType("vector", {extent, type}), std::move(arguments), {}, mask);
  }
  if (path.starts_with("qd.simt."))
    return simtCall(site, path.substr(8), arguments, mask);
  if (path.starts_with("qd.math."))
    return mathCall(path.substr(8), arguments, mask);
  if (path.starts_with("qd."))
    return mathCall(path.substr(3), arguments, mask);
  return mathCall(path, arguments, mask);
}

} // namespace fuzz
