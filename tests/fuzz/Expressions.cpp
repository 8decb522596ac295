// Names and operators.
#include "tests/fuzz/Machine.h"

#include <cmath>

namespace fuzz {

//===--- Values ------------------------------------------------------------===//

Val Machine::lanesOf(Scalar type) const {
  Val value;
  value.kind = Val::Lanes;
  value.type = type;
  value.bits.assign(lanes, 0);
  value.taint.assign(lanes, 0);
  return value;
}

Val Machine::constant(__int128 integer) const {
  Val value;
  value.kind = Val::Int;
  value.integer = integer;
  return value;
}

int64_t Machine::constantInt(const Val &value) const {
  if (value.kind == Val::Int || value.kind == Val::Bool)
    return int64_t(value.integer);
  throw Unsupported("a value where a compile-time integer is needed");
}

Scalar Machine::typeOf(const Val &value) const {
  switch (value.kind) {
  case Val::Lanes:
    return value.type;
  case Val::Int:
    return Scalar::I32;
  case Val::Real:
    return Scalar::F32;
  case Val::Bool:
    return Scalar::U1;
  default:
    throw Unsupported("no number");
  }
}

Val Machine::runtime(const Val &value) const {
  if (value.kind == Val::Lanes || value.kind == Val::List)
    return value;
  Val result = lanesOf(typeOf(value));
  Bits bits;
  if (value.kind == Val::Real) {
    bits = fromDouble(Scalar::F32, value.real);
  } else {
    bits = Bits(value.integer);
    if (value.kind == Val::Int && value.integer != int32_t(value.integer))
      throw Unsupported("an integer literal that does not fit i32");
  }
  result.bits.assign(lanes, bits);
  return result;
}

void Machine::usable(const Val &value, const Mask &mask) const {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane] && value.taint[lane] & Open)
      throw Unspecified("the use of a value that the language leaves open");
}

Val Machine::cast(const Val &value, Scalar type, const Mask &mask) {
  if (value.kind == Val::List) {
    Val result = value;
    for (Val &item : result.items)
      item = cast(item, type, mask);
    return result;
  }
  if (value.kind == Val::Lanes && value.type == type)
    return value;
  if (value.isConst()) { // exactly
    Val result = lanesOf(type);
    Bits bits;
    if (value.kind == Val::Real)
      bits = isReal(type) ? fromDouble(type, value.real)
                          : convert(Scalar::F64, type, fromDouble(Scalar::F64, value.real));
    else if (isReal(type))
      bits = fromDouble(type, double(value.integer));
    else
      bits = type == Scalar::U1 ? value.integer != 0 : wrap(type, Bits(value.integer));
    result.bits.assign(lanes, bits);
    return result;
  }
  if (value.kind != Val::Lanes)
    throw Unsupported("a cast of no number");
  const Scalar from = value.type;
  Val result = lanesOf(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    if (value.taint[lane] & Open) { // is moved
      result.taint[lane] = Open;
      continue;
    }
    result.bits[lane] = convert(from, type, value.bits[lane]);
    if (isReal(type) && isReal(from))
      result.taint[lane] = value.taint[lane];
  }
  return result;
}

//===--- Expressions -------------------------------------------------------===//

Val Machine::eval(const ast::Expr &expr, const Mask &mask) {
  if (const auto *node = std::get_if<ast::IntLit>(&expr.node))
    return constant(node->value);
  if (const auto *node = std::get_if<ast::FloatLit>(&expr.node)) {
    Val value;
    value.kind = Val::Real;
    value.real = node->value;
    return value;
  }
  if (const auto *node = std::get_if<ast::BoolLit>(&expr.node)) {
    Val value = constant(node->value);
    value.kind = Val::Bool;
    return value;
  }
  if (const auto *node = std::get_if<ast::Name>(&expr.node))
    return name(node->id);
  if (const auto *node = std::get_if<ast::Attribute>(&expr.node))
    return attribute(*node, mask);
  if (const auto *node = std::get_if<ast::Subscript>(&expr.node))
    return subscript(*node, mask);
  if (const auto *node = std::get_if<ast::Unary>(&expr.node))
    return unary(node->op, eval(*node->operand, mask), mask);
  if (const auto *node = std::get_if<ast::Binary>(&expr.node)) {
    const Val a = eval(*node->lhs, mask);
    return binary(node->op, a, eval(*node->rhs, mask), mask);
  }
  if (const auto *node = std::get_if<ast::Compare>(&expr.node))
    return comparison(*node, mask);
  if (const auto *node = std::get_if<ast::BoolOp>(&expr.node))
    return boolOp(*node, mask);
  if (const auto *node = std::get_if<ast::IfExpr>(&expr.node))
    return ifExpr(*node, mask);
  if (const auto *node = std::get_if<ast::Call>(&expr.node))
    return call(expr, *node, mask, true);
  const std::vector<ast::ExprPtr> *elements = nullptr;
  if (const auto *node = std::get_if<ast::TupleExpr>(&expr.node))
    elements = &node->elements;
  if (const auto *node = std::get_if<ast::ListExpr>(&expr.node))
    elements = &node->elements;
  if (!elements)
    throw Unsupported("this expression");
  Val value;
  value.kind = Val::List;
  for (const ast::ExprPtr &element : *elements)
    value.items.push_back(eval(*element, mask));
  return value;
}

Val Machine::name(std::string_view id) {
  const auto &scopes = frames.back().scopes;
  const Val *found = nullptr;
  for (size_t i = scopes.size(); i-- > 0 && !found;)
    if (auto at = scopes[i].find(id); at != scopes[i].end())
      found = &at->second;
  if (!found) {
    auto at = globals.find(id);
    if (at == globals.end()) { // a builtin of Python
      Val value;
      value.kind = Val::Path;
      value.path = id;
      return value;
    }
    found = &at->second;
  }
  Val value = *found;
  // A local of the kernel, carried into a task: the same for all threads.
  bool isCarried = false;
  auto widen = [&](Val &item) {
    if (item.kind == Val::Lanes && item.bits.size() != lanes) {
      isCarried = true;
      item.bits.assign(lanes, item.bits[0]);
      item.taint.assign(lanes, item.taint[0]);
    }
  };
  widen(value);
  for (Val &item : value.items)
    widen(item);
  if (isCarried)
    readCarried(*found);
  return value;
}

Val Machine::attribute(const ast::Attribute &node, const Mask &mask) {
  Val value = eval(*node.value, mask);
  if (value.kind == Val::Path) {
    value.path += "." + std::string(node.name);
    if (const int type = scalarOf(node.name); type >= 0 && value.path.starts_with("qd.")) {
      value.kind = Val::Type;
      value.type = Scalar(type);
    }
    return value;
  }
  if (value.kind == Val::Memory && node.name == "shape") {
    Val shape;
    shape.kind = Val::List;
    for (int64_t extent : value.array->shape)
      shape.items.push_back(runtime(constant(extent)));
    return shape;
  }
  static constexpr std::string_view components = "xyzw";
  const size_t component = node.name.size() == 1 ? components.find(node.name) : std::string::npos;
  if (value.kind == Val::List && component < value.items.size())
    return value.items[component];
  if (value.kind == Val::List) { // a method of a vector
    value.path = node.name;
    return value;
  }
  throw Unsupported("the attribute " + std::string(node.name));
}

Val Machine::subscript(const ast::Subscript &node, const Mask &mask) {
  if (Val *local = kernelLocal(*node.value); local && local->kind == Val::List)
    return load(placeIn(carriedOf(*local).array, eval(*node.index, mask), mask), mask);
  const Val value = eval(*node.value, mask);
  if (value.kind == Val::Memory) {
    return load(placeIn(*value.array, eval(*node.index, mask), mask), mask);
  }
  if (value.kind != Val::List)
    throw Unsupported("an index into what has no elements");
  const Val index = eval(*node.index, mask);
  if (index.isConst()) {
    const int64_t at = constantInt(index);
    if (at < 0 || at >= int64_t(value.items.size()))
      throw Unsupported("a constant index out of bounds");
    return value.items[size_t(at)];
  }
  if (index.kind != Val::Lanes || value.items.empty())
    throw Unsupported("an index of several");
  usable(index, mask);
  Val result = runtime(value.items[0]);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    if (index.bits[lane] >= value.items.size())
      throw Unspecified("an index out of bounds");
    const Val item = runtime(value.items[index.bits[lane]]);
    result.bits[lane] = item.bits[lane];
    result.taint[lane] = item.taint[lane];
  }
  return result;
}

//===--- Operators ---------------------------------------------------------===//

Val Machine::unary(ast::UnaryOp op, const Val &operand, const Mask &mask) {
  if (operand.kind == Val::List) {
    Val result = operand;
    for (Val &item : result.items)
      item = unary(op, item, mask);
    return result;
  }
  if (operand.isConst()) {
    Val result = operand;
    if (op == ast::UnaryOp::Not) {
      result.integer = operand.kind == Val::Real ? operand.real == 0 : operand.integer == 0;
      result.kind = Val::Bool;
      return result;
    }
    if (operand.kind == Val::Bool)
      result.kind = Val::Int;
    if (op == ast::UnaryOp::Neg) {
      result.integer = -operand.integer;
      result.real = -operand.real;
    } else if (op == ast::UnaryOp::BitNot) {
      if (operand.kind == Val::Real)
        throw Unsupported("~ of a real");
      result.integer = ~operand.integer;
    }
    return result;
  }
  if (operand.kind != Val::Lanes)
    throw Unsupported("an operator on no number");
  const Scalar type = operand.type;
  switch (op) {
  case ast::UnaryOp::Not: {
    const Mask yes = truth(operand, mask);
    Val result = lanesOf(Scalar::U1);
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.bits[lane] = mask[lane] && !yes[lane];
    return result;
  }
  case ast::UnaryOp::Plus:
    return operand;
  case ast::UnaryOp::BitNot:
    if (isReal(type) || type == Scalar::U1)
      throw Unsupported("~ of this type");
    return each(operand, type, mask, [&](Bits a) { return wrap(type, ~a); });
  case ast::UnaryOp::Neg:
    break;
  }
  if (type == Scalar::U1)
    throw Unsupported("- of a truth value");
  if (!isReal(type))
    return each(operand, type, mask, [&](Bits a) { return wrap(type, -a); });
  Val result = each(operand, type, mask, [&](Bits a) { return a ^ Bits(1) << (bitsOf(type) - 1); });
  for (unsigned lane = 0; lane < lanes; ++lane)
    result.taint[lane] = mask[lane] ? operand.taint[lane] : 0;
  return result;
}

/// Both known: Python's numbers.
Val Machine::binaryConst(ast::BinaryOp op, const Val &a, const Val &b) {
  Val result;
  const bool real = a.kind == Val::Real || b.kind == Val::Real || op == ast::BinaryOp::Div;
  if (real) {
    const double x = a.kind == Val::Real ? a.real : double(a.integer);
    const double y = b.kind == Val::Real ? b.real : double(b.integer);
    result.kind = Val::Real;
    switch (op) {
    case ast::BinaryOp::Add:
      result.real = x + y;
      return result;
    case ast::BinaryOp::Sub:
      result.real = x - y;
      return result;
    case ast::BinaryOp::Mul:
      result.real = x * y;
      return result;
    case ast::BinaryOp::Div:
      if (y == 0)
        throw Unsupported("a constant division by zero");
      result.real = x / y;
      return result;
    default:
      throw Unsupported("this operator on real constants");
    }
  }
  const __int128 x = a.integer, y = b.integer;
  result.kind = Val::Int;
  switch (op) {
  case ast::BinaryOp::Add:
    result.integer = x + y;
    return result;
  case ast::BinaryOp::Sub:
    result.integer = x - y;
    return result;
  case ast::BinaryOp::Mul:
    result.integer = x * y;
    break;
  case ast::BinaryOp::FloorDiv:
  case ast::BinaryOp::Mod: {
    if (y == 0)
      throw Unsupported("a constant division by zero");
    __int128 quotient = x / y, rest = x % y;
    if (rest != 0 && (rest < 0) != (y < 0)) {
      quotient -= 1;
      rest += y;
    }
    result.integer = op == ast::BinaryOp::Mod ? rest : quotient;
    return result;
  }
  case ast::BinaryOp::Shl:
    if (y < 0 || y > 62 || x > (__int128(1) << 60) || x < 0)
      throw Unsupported("this constant shift");
    result.integer = x << int(y);
    return result;
  case ast::BinaryOp::Shr:
    if (y < 0 || y > 100)
      throw Unsupported("this constant shift");
    result.integer = x >> int(y);
    return result;
  case ast::BinaryOp::And:
    result.integer = x & y;
    return result;
  case ast::BinaryOp::Or:
    result.integer = x | y;
    return result;
  case ast::BinaryOp::Xor:
    result.integer = x ^ y;
    return result;
  default:
    throw Unsupported("this operator on constants");
  }
  if (result.integer > __int128(UINT64_MAX) || result.integer < -__int128(UINT64_MAX))
    throw Unsupported("a constant this large");
  return result;
}

Val Machine::compute(Op op, const Val &first, const Val &second, const Mask &mask) {
  const Scalar type = promote(typeOf(first), typeOf(second));
  if (type == Scalar::U1 && op != Op::And && op != Op::Or && op != Op::Xor)
    throw Unsupported("arithmetic on truth values");
  const Val a = cast(runtime(first), type, mask), b = cast(runtime(second), type, mask);
  usable(a, mask);
  usable(b, mask);
  Val result = lanesOf(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    if ((op == Op::Add || op == Op::Sub) && (a.taint[lane] | b.taint[lane]) & Product)
      throw Unspecified("a sum of a rounded product, which may be an fma");
    result.bits[lane] = fuzz::compute(op, type, a.bits[lane], b.bits[lane]);
    if (op == Op::Mul && isReal(type) && roundsProduct(type, a.bits[lane], b.bits[lane]))
      result.taint[lane] = Product;
  }
  return result;
}

Val Machine::power(const Val &base, const Val &exponent, const Mask &mask) {
  if (exponent.kind != Val::Int || base.kind != Val::Lanes || isReal(base.type) ||
      base.type == Scalar::U1)
    throw Unsupported("a power but of an integer by a constant");
  const int64_t count = constantInt(exponent);
  if (count < 0 || count > 64)
    throw Unsupported("this exponent");
  return each(base, base.type, mask, [&](Bits a) {
    Bits product = 1;
    for (int64_t i = 0; i < count; ++i)
      product = fuzz::compute(Op::Mul, base.type, product, a);
    return product;
  });
}

Val Machine::binary(ast::BinaryOp op, const Val &a, const Val &b, const Mask &mask) {
  if (a.kind == Val::List || b.kind == Val::List) {
    Val result = a.kind == Val::List ? a : b;
    if (a.kind == Val::List && b.kind == Val::List && a.items.size() != b.items.size())
      throw Unsupported("vectors of different sizes");
    for (size_t i = 0; i < result.items.size(); ++i)
      result.items[i] = binary(op, a.kind == Val::List ? a.items[i] : a,
                               b.kind == Val::List ? b.items[i] : b, mask);
    return result;
  }
  if (a.isConst() && b.isConst())
    return binaryConst(op, a, b);
  switch (op) {
  case ast::BinaryOp::Add:
    return compute(Op::Add, a, b, mask);
  case ast::BinaryOp::Sub:
    return compute(Op::Sub, a, b, mask);
  case ast::BinaryOp::Mul:
    return compute(Op::Mul, a, b, mask);
  case ast::BinaryOp::Div:
    if (!isReal(promote(typeOf(a), typeOf(b))))
      throw Unsupported("a real division of integers");
    return compute(Op::Div, a, b, mask);
  case ast::BinaryOp::FloorDiv:
    return compute(Op::FloorDiv, a, b, mask);
  case ast::BinaryOp::Mod:
    return compute(Op::Mod, a, b, mask);
  case ast::BinaryOp::And:
    return compute(Op::And, a, b, mask);
  case ast::BinaryOp::Or:
    return compute(Op::Or, a, b, mask);
  case ast::BinaryOp::Xor:
    return compute(Op::Xor, a, b, mask);
  case ast::BinaryOp::Pow:
    return power(a, b, mask);
  case ast::BinaryOp::Shl:
  case ast::BinaryOp::Shr: {
    const Val value = runtime(a), amount = runtime(b);
    if (isReal(value.type) || isReal(amount.type) || value.type == Scalar::U1)
      throw Unsupported("a shift of this type");
    usable(value, mask);
    usable(amount, mask);
    Val result = lanesOf(value.type);
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (mask[lane])
        result.bits[lane] = fuzz::compute(op == ast::BinaryOp::Shl ? Op::Shl : Op::Shr, value.type,
                                          value.bits[lane], amount.bits[lane]);
    return result;
  }
  case ast::BinaryOp::MatMul:
    break;
  }
  throw Unsupported("this operator");
}

Mask Machine::truth(const Val &value, const Mask &mask) {
  if (value.isConst()) {
    const bool on = value.kind == Val::Real ? value.real != 0 : value.integer != 0;
    return on ? mask : Mask(lanes, 0);
  }
  if (value.kind != Val::Lanes)
    throw Unsupported("the truth of no number");
  usable(value, mask);
  Mask result(lanes, 0);
  for (unsigned lane = 0; lane < lanes; ++lane)
    result[lane] = mask[lane] && convert(value.type, Scalar::U1, value.bits[lane]);
  return result;
}

Val Machine::relate(ast::CompareOp op, const Val &first, const Val &second, const Mask &mask) {
  if (op > ast::CompareOp::Ne)
    throw Unsupported("this comparison");
  const auto relation = Relation(op); // in the same order
  if (first.isConst() && second.isConst()) {
    Val result = constant(0);
    result.kind = Val::Bool;
    if (first.kind == Val::Real || second.kind == Val::Real)
      throw Unsupported("a comparison of real constants");
    const __int128 a = first.integer, b = second.integer;
    result.integer = relation == Relation::Lt   ? a < b
                     : relation == Relation::Le ? a <= b
                     : relation == Relation::Gt ? a > b
                     : relation == Relation::Ge ? a >= b
                     : relation == Relation::Eq ? a == b
                                                : a != b;
    return result;
  }
  const Scalar type = promote(typeOf(first), typeOf(second));
  const Val a = cast(runtime(first), type, mask), b = cast(runtime(second), type, mask);
  usable(a, mask);
  usable(b, mask);
  Val result = lanesOf(Scalar::U1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    if (mask[lane])
      result.bits[lane] = compare(relation, type, a.bits[lane], b.bits[lane]);
  return result;
}

/// Each operand is evaluated once, and those behind a false comparison not at all.
Val Machine::comparison(const ast::Compare &node, const Mask &mask) {
  Val left = eval(*node.first, mask);
  Val all;
  Mask live = mask;
  for (size_t i = 0; i < node.ops.size(); ++i) {
    Val right = eval(*node.rest[i], live);
    const Val holds = relate(node.ops[i], left, right, live);
    if (node.ops.size() == 1)
      return holds;
    live = truth(holds, live);
    left = std::move(right);
  }
  all = lanesOf(Scalar::U1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    all.bits[lane] = live[lane];
  return all;
}

/// Lane by lane one of two values, in their common type.
Val Machine::select(const Val &condition, const Val &a, const Val &b, const Mask &mask) {
  if (a.kind == Val::List && b.kind == Val::List && a.items.size() == b.items.size()) {
    Val result = a;
    for (size_t i = 0; i < a.items.size(); ++i)
      result.items[i] = select(condition, a.items[i], b.items[i], mask);
    return result;
  }
  const Mask yes = truth(condition, mask);
  const Scalar type = promote(typeOf(a), typeOf(b));
  Mask no = mask;
  for (unsigned lane = 0; lane < lanes; ++lane)
    no[lane] = mask[lane] && !yes[lane];
  const Val x = cast(a, type, yes), y = cast(b, type, no);
  Val result = lanesOf(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!mask[lane])
      continue;
    const Val &from = yes[lane] ? x : y;
    result.bits[lane] = from.bits[lane];
    result.taint[lane] = from.taint[lane];
  }
  return result;
}

/// Short-circuit; yields an operand.
Val Machine::boolOp(const ast::BoolOp &node, const Mask &mask) {
  Val result = eval(*node.operands[0], mask);
  for (size_t i = 1; i < node.operands.size(); ++i) {
    const Mask yes = truth(result, mask);
    Mask live(lanes, 0);
    for (unsigned lane = 0; lane < lanes; ++lane)
      live[lane] = mask[lane] && bool(yes[lane]) == node.isAnd;
    const Val next = eval(*node.operands[i], live);
    Val goesOn = lanesOf(Scalar::U1);
    for (unsigned lane = 0; lane < lanes; ++lane)
      goesOn.bits[lane] = live[lane];
    result = select(goesOn, next, result, mask);
  }
  return result;
}

Val Machine::ifExpr(const ast::IfExpr &node, const Mask &mask) {
  const Val condition = eval(*node.condition, mask);
  if (condition.isConst())
    return eval(condition.integer || (condition.kind == Val::Real && condition.real != 0)
                    ? *node.whenTrue
                    : *node.whenFalse,
                mask);
  const Mask yes = truth(condition, mask);
  Mask no = mask;
  for (unsigned lane = 0; lane < lanes; ++lane)
    no[lane] = mask[lane] && !yes[lane];
  const Val a = eval(*node.whenTrue, yes), b = eval(*node.whenFalse, no);
  Val flag = lanesOf(Scalar::U1);
  for (unsigned lane = 0; lane < lanes; ++lane)
    flag.bits[lane] = yes[lane];
  return select(flag, a, b, mask);
}

} // namespace fuzz
