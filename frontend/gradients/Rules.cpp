// The derivatives of operations (Abramowitz and Stegun, 3.3 and 4), written with the result of the
// operation where that saves work.
#include "frontend/gradients/Rules.h"

#include <cmath>
#include <numbers>

namespace sextant::gradients {

using namespace hir;

Type typeOfGradient(Type real) { return isSmallReal(real) ? Type::F32 : real; }

namespace {

/// An expression of one real type, for formulas that read as formulas.
class Real {
public:
  Real(ExprRef expr) : expr(std::move(expr)) {}
  Real(const Expr &code, Type type) : expr(makeCast(share(code), type, code.at)) {}
  ExprRef code() const { return share(*expr); }
  Type type() const { return expr->type; }
  Real number(double value) const { return makeFloat(value, type(), expr->at); }
  Real call(UnaryOp op) const { return makeUnary(op, code(), type(), expr->at); }
  Real with(BinaryOp op, const Real &other) const {
    return makeBinary(op, code(), other.code(), type(), expr->at);
  }
  ExprRef compare(BinaryOp op, const Real &other) const {
    return makeBinary(op, code(), other.code(), Type::Bool, expr->at);
  }

private:
  ExprRef expr;
};

Real operator+(const Real &a, const Real &b) { return a.with(BinaryOp::Add, b); }
Real operator-(const Real &a, const Real &b) { return a.with(BinaryOp::Sub, b); }
Real operator*(const Real &a, const Real &b) { return a.with(BinaryOp::Mul, b); }
Real operator/(const Real &a, const Real &b) { return a.with(BinaryOp::Div, b); }
Real operator-(const Real &a) { return a.call(UnaryOp::Neg); }
Real choose(ExprRef condition, const Real &a, const Real &b) {
  return makeSelect(std::move(condition), a.code(), b.code());
}

constexpr double ln2 = std::numbers::ln2, ln10 = std::numbers::ln10;

/// \param x the operand, \param y the result, \param g the gradient by it
ExprRef ofUnary(UnaryOp op, const Real &x, const Real &y, const Real &g) {
  const Real one = g.number(1), zero = g.number(0);
  switch (op) {
  case UnaryOp::Neg:
    return (-g).code();
  case UnaryOp::Abs:
    return choose(x.compare(BinaryOp::Gt, zero), g, choose(x.compare(BinaryOp::Lt, zero), -g, zero))
        .code();
  case UnaryOp::Sqrt:
    return (g * g.number(0.5) / y).code();
  case UnaryOp::Rsqrt:
    return (g * g.number(-0.5) * (y * y * y)).code();
  case UnaryOp::Exp:
    return (g * y).code();
  case UnaryOp::Exp2:
    return (g * y * g.number(ln2)).code();
  case UnaryOp::Log:
    return (g / x).code();
  case UnaryOp::Log2:
    return (g / (x * g.number(ln2))).code();
  case UnaryOp::Log10:
    return (g / (x * g.number(ln10))).code();
  case UnaryOp::Sin:
    return (g * x.call(UnaryOp::Cos)).code();
  case UnaryOp::Cos:
    return (-(g * x.call(UnaryOp::Sin))).code();
  case UnaryOp::Tan:
    return (g * (one + y * y)).code();
  case UnaryOp::Asin:
    return (g / (one - x * x).call(UnaryOp::Sqrt)).code();
  case UnaryOp::Acos:
    return (-(g / (one - x * x).call(UnaryOp::Sqrt))).code();
  case UnaryOp::Atan:
    return (g / (one + x * x)).code();
  case UnaryOp::Sinh:
    return (g * x.call(UnaryOp::Cosh)).code();
  case UnaryOp::Cosh:
    return (g * x.call(UnaryOp::Sinh)).code();
  case UnaryOp::Tanh:
    return (g * (one - y * y)).code();
  case UnaryOp::BitNot:
  case UnaryOp::LogicNot:
  case UnaryOp::Floor:
  case UnaryOp::Ceil:
  case UnaryOp::Round:
  case UnaryOp::Trunc:
  case UnaryOp::Popcnt:
  case UnaryOp::Clz:
  case UnaryOp::Ffs:
    return nullptr; // constant between its steps
  }
  return nullptr;
}

using Pair = std::vector<ExprRef>;

Pair ofPower(const Expr &base, const Expr &exponent, const Real &y, const Real &g) {
  const Real x(base, g.type()), n(exponent, g.type());
  const Real zero = g.number(0);
  // x ** (n - 1) with the exponent's own type: whole numbers have powers of negative bases.
  const Type type = exponent.type;
  ExprRef power = share(exponent);
  ExprRef less = makeBinary(BinaryOp::Sub, power,
                            isFloat(type) ? makeFloat(1, type) : makeInt(1, type), type, base.at);
  const Real lower =
      makeBinary(BinaryOp::Pow, x.code(), isFloat(type) ? makeCast(less, g.type(), base.at) : less,
                 g.type(), base.at);
  // Where n is 0, 0 ** -1 would make NaN of the product.
  ExprRef byBase = choose(n.compare(BinaryOp::Eq, zero), zero, g * n * lower).code();
  if (!isFloat(type))
    return {byBase, nullptr};
  ExprRef byExponent =
      choose(x.compare(BinaryOp::Gt, zero), g * y * x.call(UnaryOp::Log), zero).code();
  return {byBase, byExponent};
}

Pair ofBinary(const Binary &binary, const Expr &result, const Real &g) {
  const Real y(result, g.type());
  if (binary.op == BinaryOp::Pow)
    return ofPower(*binary.lhs, *binary.rhs, y, g);
  const Real a(*binary.lhs, g.type()), b(*binary.rhs, g.type());
  switch (binary.op) {
  case BinaryOp::Add:
    return {g.code(), g.code()};
  case BinaryOp::Sub:
    return {g.code(), (-g).code()};
  case BinaryOp::Mul:
    return {(g * b).code(), (g * a).code()};
  case BinaryOp::Div:
    return {(g / b).code(), (-(g / b * y)).code()};
  case BinaryOp::Mod: // a - b * floor(a / b)
    return {g.code(), (-(g * (a / b).call(UnaryOp::Floor))).code()};
  case BinaryOp::Atan2: {
    const Real square = a * a + b * b;
    return {(g * b / square).code(), (-(g * a / square)).code()};
  }
  case BinaryOp::Min:
  case BinaryOp::Max: {
    const auto isFirst = [&] {
      ExprRef isNan = b.compare(BinaryOp::Ne, b);
      return makeBinary(BinaryOp::Or,
                        a.compare(binary.op == BinaryOp::Min ? BinaryOp::Lt : BinaryOp::Gt, b),
                        isNan, Type::Bool, result.at);
    };
    const Real zero = g.number(0);
    return {choose(isFirst(), g, zero).code(), choose(isFirst(), zero, g).code()};
  }
  default:
    return {nullptr, nullptr}; // whole numbers, comparisons, and steps
  }
}

} // namespace

std::vector<ExprRef> pullBack(const Expr &operation, const Expr &result, const Expr &gradient) {
  const Type type = gradient.type;
  const Real g(gradient, type);
  if (auto *unary = std::get_if<Unary>(&operation.node))
    return {ofUnary(unary->op, Real(*unary->operand, type), Real(result, type), g)};
  if (auto *binary = std::get_if<Binary>(&operation.node))
    return ofBinary(*binary, result, g);
  if (auto *cast = std::get_if<Cast>(&operation.node)) {
    if (!isFloat(cast->operand->type))
      return {nullptr};
    return {makeCast(g.code(), typeOfGradient(cast->operand->type), operation.at)};
  }
  if (auto *select = std::get_if<Select>(&operation.node)) {
    const auto condition = [&] { return share(*select->condition); };
    const Real zero = g.number(0);
    return {nullptr, choose(condition(), g, zero).code(), choose(condition(), zero, g).code()};
  }
  return {};
}

} // namespace sextant::gradients
