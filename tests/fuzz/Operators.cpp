// Operators, component by component.
#include "tests/fuzz/Machine.h"

namespace fuzz {

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
    if (op == ast::BinaryOp::MatMul)
      return product(a, b, mask);
    if (a.kind == Val::List && b.kind == Val::List && !sameShape(a, b))
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

} // namespace fuzz
