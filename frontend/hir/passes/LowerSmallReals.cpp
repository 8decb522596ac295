// bf16, the upper half of an f32, and f8e4m3 and f8e5m2, the formats of 8 bits of the Open Compute
// Project (OCP 8-bit Floating Point Specification 1.0). No target has all of their arithmetic, so
// they are gone after this pass: a value is its bits, a u16 or u8, and an operation on it is one on
// f32 whose result is rounded to the nearest number of the type, halves to the even side. Sums,
// products, quotients and roots are right that way, as f32 has more than twice the digits
// (Figueroa, "When is double rounding innocuous?", 1995). What f32 does not hold is brought to odd
// first: f64, and integers past 2**24. What is past the largest number of 8 bits becomes that one.
#include "frontend/hir/Builder.h"
#include "frontend/hir/passes/Passes.h"
#include "loader/abi/SmallReal.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sextant::hir {

namespace {

using B = BinaryOp;

constexpr unsigned f32Digits = 24;
constexpr unsigned f32Bias = 127;
constexpr uint32_t f32Infinity = 0x7f800000;

bool isLowered(Type type) { return type == Type::BF16 || saturates(type); }
Type bitsOf(Type type) { return type == Type::BF16 ? Type::U16 : Type::U8; }
uint64_t signOf(Type type) { return uint64_t(1) << (bitWidth(type) - 1); }

/// Where a type of 8 bits has its fields, and how far its exponents are from those of f32.
struct Fields {
  unsigned fraction; ///< bits of it
  unsigned moved;    ///< bits that an f32 has below them
  unsigned rebias;

  explicit Fields(Type type)
      : fraction(digitsOf(type) - 1), moved(f32Digits - digitsOf(type)),
        rebias(f32Bias - ((1u << (6 - fraction)) - 1)) {}
};

class Lowering {
public:
  explicit Lowering(Task &task) : task(task) { findScopes(task.body); }

  void run() {
    for (Local &local : task.locals)
      lower(local.type);
    for (std::vector<ArrayDecl> *arrays : {&task.shared, &task.privates})
      for (ArrayDecl &array : *arrays)
        lower(array.type);
    block(task.body);
  }

  static void lower(Type &type) {
    if (isLowered(type))
      type = bitsOf(type);
  }

private:
  void findScopes(Block &body);
  void block(Block &body);
  void expr(Expr &e);
  void unary(Expr &e, Type from);
  void binary(Expr &e, Type left, Type right);
  void cast(Expr &e, Type from);
  void bitcast(Expr &e);
  void atomic(Expr &e);

  ExprRef wide(Type from, ExprRef bits);
  ExprRef wideByte(Type from, ExprRef bits);
  ExprRef narrow(Type to, ExprRef real);
  ExprRef narrowByte(Type to, ExprRef real);
  ExprRef narrowDouble(Type to, ExprRef real);
  ExprRef narrowInteger(Type to, ExprRef integer);

  /// A local that holds `value`, assigned in `body`.
  ExprRef keep(Block &body, ExprRef value) {
    const Type type = value->type;
    return makeLocal(hir::keep(task.locals, "real", body, take(std::move(value)), at), type, at);
  }
  ExprRef sequence(Block body, ExprRef result) {
    const Type type = result->type;
    return makeExpr(type, Sequence{std::move(body), take(std::move(result))}, at);
  }
  ExprRef word(uint64_t value) { return makeInt(Exact(value), Type::U32, at); }
  ExprRef op(B kind, ExprRef a, ExprRef b) {
    const Type type = a->type;
    return makeBinary(kind, std::move(a), std::move(b), type, at);
  }
  ExprRef test(B kind, ExprRef a, ExprRef b) {
    return makeBinary(kind, std::move(a), std::move(b), Type::Bool, at);
  }
  ExprRef bitsAs(Type type, ExprRef value) {
    return makeExpr(type, Bitcast{take(std::move(value))}, at);
  }
  /// The expression that `operand` holds.
  static ExprRef own(ExprPtr &operand) { return std::make_shared<Expr>(std::move(*operand)); }
  void replace(Expr &e, ExprRef by) {
    e = std::move(*by);
    e.at = at;
  }

  Task &task;
  Loc at; ///< the expression at work
  unsigned scopes = 0;
};

void Lowering::findScopes(Block &body) {
  std::function<void(Block &)> visit = [&](Block &block) {
    for (Stmt &stmt : block) {
      if (auto *scope = std::get_if<Scope>(&stmt.node))
        scopes = std::max(scopes, scope->id);
      std::function<void(Expr &)> each = [&](Expr &e) { forEachOperand(e, each, visit); };
      forEachOperand(stmt, each, visit);
    }
  };
  visit(body);
}

//===--- Between small reals and f32 ---------------------------------------===//

ExprRef Lowering::wide(Type from, ExprRef bits) {
  if (from != Type::BF16)
    return wideByte(from, std::move(bits));
  ExprRef word = makeCast(std::move(bits), Type::U32, at);
  return bitsAs(Type::F32, op(B::Shl, std::move(word), this->word(16)));
}

/// The fields at their places in f32, with its bias. A subnormal number is the fraction after the
/// point of the least normal one, less that one.
ExprRef Lowering::wideByte(Type from, ExprRef byte) {
  const Fields fields(from);
  Block body;
  const ExprRef bits = keep(body, makeCast(std::move(byte), Type::U32, at));
  const ExprRef size = keep(body, op(B::And, bits, word(0x7f)));
  const ExprRef placed = keep(body, op(B::Shl, size, word(fields.moved)));
  const ExprRef normal = op(B::Add, placed, word(fields.rebias << 23));
  const ExprRef least = word((fields.rebias + 1) << 23);
  ExprRef subnormal = makeBinary(B::Sub, bitsAs(Type::F32, op(B::Add, placed, least)),
                                 bitsAs(Type::F32, least), Type::F32, at);
  ExprRef number = makeSelect(test(B::Lt, size, word(uint64_t(1) << fields.fraction)),
                              bitsAs(Type::U32, std::move(subnormal)), normal, at);
  // f8e4m3 has one NaN and no infinity; f8e5m2 has both where f32 has them, past the largest one.
  const bool hasInfinity = abi::hasInfinity(from);
  const ExprRef isSpecial = test(B::Gt, size, word(abi::largestBitsOf(from)));
  const ExprRef special =
      hasInfinity ? op(B::Or, placed, word(f32Infinity)) : word(f32Infinity | 0x400000);
  number = makeSelect(isSpecial, special, std::move(number), at);
  const ExprRef sign = op(B::Shl, op(B::And, bits, word(0x80)), word(24));
  return sequence(std::move(body), bitsAs(Type::F32, op(B::Or, std::move(number), sign)));
}

/// Adds half of the last place, less one bit where that is even: what carries is the rounding. A
/// NaN stays one, and is quiet.
ExprRef Lowering::narrow(Type to, ExprRef real) {
  if (to != Type::BF16)
    return narrowByte(to, std::move(real));
  Block body;
  const ExprRef bits = keep(body, bitsAs(Type::U32, std::move(real)));
  const ExprRef odd = op(B::And, op(B::BitShr, bits, word(16)), word(1));
  const ExprRef rounded = op(B::Add, op(B::Add, bits, word(0x7fff)), odd);
  const ExprRef isNan = test(B::Gt, op(B::And, bits, word(0x7fffffff)), word(f32Infinity));
  ExprRef chosen = makeSelect(isNan, op(B::Or, bits, word(0x400000)), rounded, at);
  return sequence(std::move(body),
                  makeCast(op(B::BitShr, std::move(chosen), word(16)), Type::U16, at));
}

/// The same for 8 bits, of no more than the largest number. Below the least normal number, the sum
/// with a number whose last place is that of subnormal ones rounds.
ExprRef Lowering::narrowByte(Type to, ExprRef real) {
  const Fields fields(to);
  const uint32_t largest = std::bit_cast<uint32_t>(abi::numberOf(to, abi::largestBitsOf(to)));
  Block body;
  const ExprRef bits = keep(body, bitsAs(Type::U32, std::move(real)));
  const ExprRef size = keep(body, op(B::And, bits, word(0x7fffffff)));
  const ExprRef held = keep(body, op(B::Min, size, word(largest)));
  const ExprRef odd = op(B::And, op(B::BitShr, held, word(fields.moved)), word(1));
  const ExprRef half = word((uint64_t(1) << (fields.moved - 1)) - 1);
  const ExprRef rounded =
      op(B::Sub, op(B::BitShr, op(B::Add, op(B::Add, held, half), odd), word(fields.moved)),
         word(uint64_t(fields.rebias) << fields.fraction));
  const ExprRef unit = word(uint64_t(fields.rebias + 1 + fields.moved) << 23);
  const ExprRef sum =
      makeBinary(B::Add, bitsAs(Type::F32, held), bitsAs(Type::F32, unit), Type::F32, at);
  const ExprRef subnormal = op(B::Sub, bitsAs(Type::U32, sum), unit);
  ExprRef chosen = makeSelect(test(B::Lt, held, word(uint64_t(fields.rebias + 1) << 23)), subnormal,
                              rounded, at);
  const ExprRef isNan = test(B::Gt, size, word(f32Infinity));
  chosen = makeSelect(isNan, word(0x7f), std::move(chosen), at);
  const ExprRef sign = op(B::And, op(B::BitShr, bits, word(24)), word(0x80));
  return sequence(std::move(body), makeCast(op(B::Or, std::move(chosen), sign), Type::U8, at));
}

/// Rounds f64 to f32 toward zero and sets the last bit if inexact (round to odd), then rounds
/// again.
ExprRef Lowering::narrowDouble(Type to, ExprRef real) {
  Block body;
  const ExprRef exact = keep(body, std::move(real));
  const ExprRef nearest = keep(body, makeCast(exact, Type::F32, at));
  const ExprRef back = keep(body, makeCast(nearest, Type::F64, at));
  const ExprRef bits = keep(body, bitsAs(Type::U32, nearest));
  auto magnitude = [&](const ExprRef &e) { return makeUnary(UnaryOp::Abs, e, Type::F64, at); };
  const ExprRef isTooFar = test(B::Gt, magnitude(back), magnitude(exact));
  const ExprRef towards = op(B::Sub, bits, makeCast(isTooFar, Type::U32, at));
  ExprRef odd = makeSelect(test(B::Ne, back, exact), op(B::Or, towards, word(1)), bits, at);
  return sequence(std::move(body), narrow(to, bitsAs(Type::F32, std::move(odd))));
}

/// Goes by the integer's highest 24 bits, of which the last is set where something was left over.
ExprRef Lowering::narrowInteger(Type to, ExprRef integer) {
  const Type type = integer->type;
  if (type == Type::Bool || bitWidth(type) < f32Digits)
    return narrow(to, makeCast(std::move(integer), Type::F32, at));
  const unsigned width = bitWidth(type);
  const Type natural = width == 64 ? Type::U64 : Type::U32;
  auto number = [&](uint64_t n) { return makeInt(Exact(n), natural, at); };
  Block body;
  const ExprRef value = keep(body, std::move(integer));
  const ExprRef isNegative =
      isSigned(type) ? keep(body, test(B::Lt, value, makeInt(0, type, at))) : makeBool(false, at);
  const ExprRef bits = makeCast(value, natural, at);
  const ExprRef size = keep(body, makeSelect(isNegative, op(B::Sub, number(0), bits), bits, at));
  const ExprRef zeros = makeUnary(UnaryOp::Clz, size, Type::I32, at);
  const ExprRef spare =
      makeBinary(B::Sub, makeInt(width - f32Digits, Type::I32, at), zeros, Type::I32, at);
  const ExprRef shift =
      keep(body, makeCast(makeBinary(B::Max, spare, makeInt(0, Type::I32, at), Type::I32, at),
                          natural, at));
  const ExprRef kept = keep(body, op(B::Shl, op(B::BitShr, size, shift), shift));
  const ExprRef last = op(B::Shl, number(1), shift);
  const ExprRef odd = makeSelect(test(B::Ne, kept, size), op(B::Or, kept, last), kept, at);
  const ExprRef real = keep(body, makeCast(odd, Type::F32, at)); // exact
  const ExprRef negative = makeUnary(UnaryOp::Neg, real, Type::F32, at);
  return sequence(std::move(body), narrow(to, makeSelect(isNegative, negative, real, at)));
}

//===--- Expressions -------------------------------------------------------===//

void Lowering::unary(Expr &e, Type from) {
  auto &node = std::get<Unary>(e.node);
  ExprRef operand = own(node.operand);
  const auto bits = [&](uint64_t value) { return makeInt(Exact(value), bitsOf(from), at); };
  if (node.op == UnaryOp::Neg)
    return replace(e, op(B::Xor, std::move(operand), bits(signOf(from))));
  if (node.op == UnaryOp::Abs)
    return replace(e, op(B::And, std::move(operand), bits(signOf(from) - 1)));
  const bool isTruth = e.type == Type::Bool;
  ExprRef result =
      makeUnary(node.op, wide(from, std::move(operand)), isTruth ? Type::Bool : Type::F32, at);
  replace(e, isTruth ? std::move(result) : narrow(e.type, std::move(result)));
}

void Lowering::binary(Expr &e, Type left, Type right) {
  auto &node = std::get<Binary>(e.node);
  auto operand = [&](ExprPtr &from, Type type) {
    ExprRef held = own(from);
    return isLowered(type) ? wide(type, std::move(held)) : held;
  };
  ExprRef lhs = operand(node.lhs, left), rhs = operand(node.rhs, right);
  const bool isRounded = isLowered(e.type);
  ExprRef result =
      makeBinary(node.op, std::move(lhs), std::move(rhs), isRounded ? Type::F32 : e.type, at);
  replace(e, isRounded ? narrow(e.type, std::move(result)) : std::move(result));
}

void Lowering::cast(Expr &e, Type from) {
  ExprRef operand = own(std::get<Cast>(e.node).operand);
  if (isLowered(from))
    operand = wide(std::exchange(from, Type::F32), std::move(operand));
  if (!isLowered(e.type))
    return replace(e, makeCast(std::move(operand), e.type, at));
  if (from == Type::F64)
    return replace(e, narrowDouble(e.type, std::move(operand)));
  replace(e, isFloat(from) ? narrow(e.type, makeCast(std::move(operand), Type::F32, at))
                           : narrowInteger(e.type, std::move(operand)));
}

void Lowering::bitcast(Expr &e) {
  ExprRef operand = own(std::get<Bitcast>(e.node).operand);
  lower(e.type);
  const Type type = e.type;
  replace(e, operand->type == type ? std::move(operand) : bitsAs(type, std::move(operand)));
}

/// A loop of compare-and-swaps; an exchange is one of bits.
void Lowering::atomic(Expr &e) {
  auto &node = std::get<Atomic>(e.node);
  if (node.op == Combine::Exchange)
    return;
  static constexpr B kinds[] = {B::Add, B::Mul, B::Min, B::Max};
  const B kind = kinds[unsigned(node.op)];
  const Type real = e.type, bits = bitsOf(real);
  const BufferRef buffer = node.buffer;
  Block body;
  const ExprRef index = keep(body, own(node.index));
  const ExprRef operand = keep(body, wide(real, own(node.value)));
  // Read as an atomic reads: other threads are changing it. `| 0` is that on all targets.
  Atomic read{Combine::Or, buffer, take(ExprRef(index)), take(makeInt(0, bits, at))};
  const ExprRef old = keep(body, makeExpr(bits, std::move(read), at));
  const unsigned oldLocal = std::get<LocalRead>(old->node).local;
  const unsigned scope = ++scopes;
  Block round;
  ExprRef desired = narrow(real, makeBinary(kind, wide(real, old), operand, Type::F32, at));
  const ExprRef seen = keep(round, makeExpr(bits,
                                            AtomicCas{buffer, take(ExprRef(index)),
                                                      take(ExprRef(old)), take(std::move(desired))},
                                            at));
  Block leave;
  leave.push_back({at, Leave{scope}});
  round.push_back({at, If{take(test(B::Eq, seen, old)), std::move(leave), {}}});
  round.push_back({at, Assign{oldLocal, take(ExprRef(seen))}});
  Block loop;
  loop.push_back({at, While{take(makeBool(true, at)), std::move(round)}});
  body.push_back({at, Scope{scope, std::move(loop)}});
  replace(e, sequence(std::move(body), old));
}

void Lowering::expr(Expr &e) {
  // The operands' types before they are bits.
  Type left = Type::Bool, right = Type::Bool;
  if (auto *node = std::get_if<Unary>(&e.node))
    left = node->operand->type;
  else if (auto *node = std::get_if<Cast>(&e.node))
    left = node->operand->type;
  else if (auto *node = std::get_if<Bitcast>(&e.node))
    left = node->operand->type;
  else if (auto *node = std::get_if<Binary>(&e.node)) {
    left = node->lhs->type;
    right = node->rhs->type;
  }
  forEachOperand(e, [&](Expr &x) { expr(x); }, [&](Block &inner) { block(inner); });
  at = e.at;
  if (!isLowered(e.type) && !isLowered(left) && !isLowered(right))
    return;
  if (auto *constant = std::get_if<Const>(&e.node))
    *constant = {abi::roundTo(e.type, constant->real), 0};
  else if (std::holds_alternative<Unary>(e.node))
    unary(e, left);
  else if (std::holds_alternative<Binary>(e.node))
    binary(e, left, right);
  else if (std::holds_alternative<Cast>(e.node))
    cast(e, left);
  else if (std::holds_alternative<Bitcast>(e.node))
    bitcast(e);
  else if (std::holds_alternative<Atomic>(e.node))
    atomic(e);
  lower(e.type);
}

void Lowering::block(Block &body) {
  for (Stmt &stmt : body)
    forEachOperand(stmt, [&](Expr &e) { expr(e); }, [&](Block &inner) { block(inner); });
}

} // namespace

void lowerSmallReals(Kernel &kernel) {
  for (Param &param : kernel.params)
    Lowering::lower(param.type);
  for (HiddenBuffer &hidden : kernel.hidden)
    if (hidden.role == HiddenBuffer::Carry) // applications see the type of the others
      Lowering::lower(hidden.type);
  for (Task &task : kernel.tasks)
    Lowering(task).run();
}

} // namespace sextant::hir
