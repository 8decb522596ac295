// Computes how many iterations a range has, at compile time and on the device.
#include "frontend/sema/tasks/Ranges.h"

namespace sextant::sema {

using hir::BinaryOp;
using hir::Type;

size_t dimensionsOf(const Value &range) { return range.items.size() / 2; }

Range dimension(const Value &range, size_t number) {
  Range dim{range.items[2 * number], range.items[2 * number + 1]};
  if (dimensionsOf(range) == 1)
    dim.step = range.runtimeStep ? range.items[2] : Value::exactInt(range.step);
  return dim;
}

std::vector<unsigned> axesOf(const Value &range) {
  std::vector<unsigned> axes = range.axes;
  if (axes.empty())
    for (unsigned d = 0; d < dimensionsOf(range); ++d)
      axes.push_back(d);
  return axes;
}

Type indexTypeOf(const Range &range, Type defaultInt) {
  auto fits = [](const Value &v) {
    if (v.kind == Value::Scalar && bitWidth(v.expr->type) == 64)
      return false; // as it is written, also of a constant
    if (auto constant = knownInt(v))
      return *constant >= minOf(Type::I32) && *constant <= maxOf(Type::I32);
    return v.expr->type != Type::U32;
  };
  bool narrow = fits(range.begin) && fits(range.end) && fits(range.step);
  return narrow && defaultInt != Type::I64 ? Type::I32 : Type::I64;
}

std::optional<Exact> constantCount(const Range &range) {
  auto begin = knownInt(range.begin), end = knownInt(range.end), step = knownInt(range.step);
  if (!begin || !end || !step || *step == 0)
    return std::nullopt;
  Exact distance = *step > 0 ? *end - *begin : *begin - *end;
  Exact size = *step > 0 ? *step : -*step;
  return distance > 0 ? (distance - 1) / size + 1 : 0;
}

ExprRef boundOf(const Value &bound, Type index, SourceRange at) {
  if (auto constant = knownInt(bound))
    return makeInt(*constant, index, at);
  return makeCast(bound.expr, index, at);
}

namespace {

ExprRef binary(BinaryOp op, ExprRef a, ExprRef b, SourceRange at) {
  Type type = a->type;
  return makeBinary(op, std::move(a), std::move(b), type, at);
}
ExprRef test(BinaryOp op, ExprRef a, ExprRef b, SourceRange at) {
  return makeBinary(op, std::move(a), std::move(b), Type::Bool, at);
}

/// a < b, also for a u64 that the index's type does not hold.
ExprRef isBelow(const Value &a, const Value &b, Type index, SourceRange at) {
  auto constantA = knownInt(a), constantB = knownInt(b);
  if (constantA && constantB)
    return makeBool(*constantA < *constantB, at);
  auto isUnsigned = [&](const Value &v, std::optional<Exact> constant) {
    return constant ? *constant > maxOf(index) : index == Type::I64 && v.expr->type == Type::U64;
  };
  auto isNegative = [&](std::optional<Exact> constant) { return constant && *constant < 0; };
  bool unsignedA = isUnsigned(a, constantA), unsignedB = isUnsigned(b, constantB);
  ExprRef left = boundOf(a, index, at), right = boundOf(b, index, at);
  if (!unsignedA && !unsignedB)
    return test(BinaryOp::Lt, left, right, at);
  if ((unsignedA && isNegative(constantB)) || (unsignedB && isNegative(constantA)))
    return makeBool(unsignedB, at);
  Type wide = unsignedOf(index);
  ExprRef zero = makeInt(0, index, at);
  ExprRef asUnsigned = test(BinaryOp::Lt, makeCast(left, wide, at), makeCast(right, wide, at), at);
  if (!unsignedA && !constantA)
    return makeBinary(BinaryOp::Or, test(BinaryOp::Lt, left, zero, at), asUnsigned, Type::Bool, at);
  if (!unsignedB && !constantB)
    return makeBinary(BinaryOp::And, test(BinaryOp::Gt, right, zero, at), asUnsigned, Type::Bool,
                      at);
  return asUnsigned;
}

/// The iterations if `runs` holds, or always if it is null.
ExprRef steps(ExprRef distance, const ExprRef &size, const ExprRef &runs, SourceRange at) {
  Type type = distance->type;
  Exact constant = 0;
  if (!constInt(*size, constant) || constant != 1) {
    ExprRef one = makeInt(1, type, at);
    distance = binary(BinaryOp::CDiv, binary(BinaryOp::Sub, distance, one, at), size, at);
    distance = binary(BinaryOp::Add, distance, one, at);
  }
  return runs ? makeSelect(runs, distance, makeInt(0, type, at), at) : distance;
}

ExprRef count(const Range &range, Type index, bool isSome, SourceRange at) {
  Type type = unsignedOf(index);
  if (auto constant = constantCount(range))
    return makeInt(*constant, type, at);
  ExprRef begin = makeCast(boundOf(range.begin, index, at), type, at);
  ExprRef end = makeCast(boundOf(range.end, index, at), type, at);
  ExprRef upwards = binary(BinaryOp::Sub, end, begin, at);
  ExprRef downwards = binary(BinaryOp::Sub, begin, end, at);
  if (auto step = knownInt(range.step)) {
    bool isUp = *step > 0;
    ExprRef runs = isSome ? nullptr
                   : isUp ? isBelow(range.begin, range.end, index, at)
                          : isBelow(range.end, range.begin, index, at);
    return steps(isUp ? upwards : downwards, makeInt(isUp ? *step : -*step, type, at), runs, at);
  }
  ExprRef step = boundOf(range.step, index, at);
  ExprRef size = makeCast(step, type, at), zero = makeInt(0, index, at);
  if (range.step.expr->type == Type::U64) {
    ExprRef runs = makeBinary(BinaryOp::And, test(BinaryOp::Ne, step, zero, at),
                              isBelow(range.begin, range.end, index, at), Type::Bool, at);
    return steps(upwards, size, isSome ? nullptr : runs, at);
  }
  ExprRef isUp = test(BinaryOp::Gt, step, zero, at), isDown = test(BinaryOp::Lt, step, zero, at);
  ExprRef runs = makeBinary(
      BinaryOp::Or,
      makeBinary(BinaryOp::And, isUp, isBelow(range.begin, range.end, index, at), Type::Bool, at),
      makeBinary(BinaryOp::And, isDown, isBelow(range.end, range.begin, index, at), Type::Bool, at),
      Type::Bool, at);
  size = makeSelect(isUp, size, binary(BinaryOp::Sub, makeInt(0, type, at), size, at), at);
  return steps(makeSelect(isUp, upwards, downwards, at), size, isSome ? nullptr : runs, at);
}

} // namespace

ExprRef countOf(const Range &range, Type index, SourceRange at) {
  return count(range, index, false, at);
}

ExprRef countOfSome(const Range &range, Type index, Type type, SourceRange at) {
  auto step = knownInt(range.step);
  if (constantCount(range) || !step || (*step != 1 && *step != -1))
    return makeCast(count(range, index, true, at), type, at);
  ExprRef begin = boundOf(range.begin, index, at), end = boundOf(range.end, index, at);
  ExprRef distance = binary(BinaryOp::Sub, *step > 0 ? end : begin, *step > 0 ? begin : end, at);
  return makeCast(std::move(distance), type, at);
}

ExprRef indexAt(const Range &range, ExprRef number, Type index, SourceRange at) {
  ExprRef offset = binary(BinaryOp::Mul, std::move(number), boundOf(range.step, index, at), at);
  return binary(BinaryOp::Add, std::move(offset), boundOf(range.begin, index, at), at);
}

} // namespace sextant::sema
