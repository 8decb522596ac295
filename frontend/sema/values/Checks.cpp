// The tests at run time of `--assert` and `--check` builds. If a test fails, it records a fault in
// a hidden buffer of the launch, and the thread goes on, but skips an access with an index out of
// bounds. docs/module-format.md describes the buffer's layout, and how the text of a check takes
// its two values.
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/Context.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

using hir::BinaryOp;
using hir::Type;

namespace {
/// The characters that stand for the values of a check in its text. An assertion's message has them
/// too.
constexpr char firstValue[] = "\1", secondValue[] = "\2";
/// The number of words in the fault buffer, and the index of the one that is not 0 once there is a
/// fault.
constexpr unsigned faultWords = 8, siteWord = 1;
} // namespace

/// Leaves the library, to the user's call.
static SourceRange outsideLibrary(Context &cx, SourceRange at) {
  for (size_t i = cx.frames.size(); i > 1; --i) {
    const Frame &f = *cx.frames[i - 1];
    if (!f.module || f.module->library.empty() || !f.callAt.file)
      break;
    at = f.callAt;
  }
  return at;
}

static unsigned faultParam(Context &cx) { return recordParam(cx, cx.faults, faultWords); }

/// Returns the number of a check with this text and place. Equal ones share a number.
static unsigned faultSite(Context &cx, SourceRange at, const std::string &text) {
  at = outsideLibrary(cx, at);
  std::string line;
  if (at.file) {
    LineColumn place = at.file->lineColumn(at.begin);
    line = at.file->path() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) +
           ": ";
  }
  line += text;
  faultParam(cx);
  return siteOf(cx, cx.faults, line);
}

void check(Context &cx, ExprRef ok, SourceRange at, const std::string &text, ExprRef first,
           ExprRef second) {
  auto value = [&](ExprRef e) -> std::optional<hir::ExprPtr> {
    if (!e)
      return std::nullopt;
    return take(cx, makeCast(std::move(e), Type::I64, at));
  };
  if (Exact constant = 0; !ok || (constInt(*ok, constant) && constant))
    return;
  unsigned site = faultSite(cx, at, text);
  emit(
      cx, at,
      hir::Check{site, take(cx, std::move(ok)), value(std::move(first)), value(std::move(second))});
}

void checkAssertion(Context &cx, ExprRef condition, const std::string &message, SourceRange at,
                    const std::vector<ExprRef> &values) {
  check(cx, std::move(condition), at,
        message.empty() ? "assertion failed" : "assertion failed: " + message,
        values.empty() ? nullptr : values[0], values.size() < 2 ? nullptr : values[1]);
}

void checkDivisor(Context &cx, const ExprRef &divisor, bool isModulo, SourceRange at) {
  if (!cx.options.checks || cx.isHost() || isFloat(divisor->type))
    return;
  check(cx, makeBinary(BinaryOp::Ne, divisor, makeInt(0, divisor->type, at), Type::Bool, at), at,
        isModulo ? "integer modulo by zero" : "integer division by zero");
}

//===--- Overflow ----------------------------------------------------------===//

/// The library wraps on purpose, in hashes and in sums that may be of bits.
static bool testsArithmetic(Context &cx) {
  return cx.options.checks && !cx.isHost() && cx.frame().module &&
         cx.frame().module->library.empty();
}

/// The operand's value in a form that can be used more than once.
static void settle(Context &cx, ExprRef &operand, SourceRange at) {
  operand = stable(cx, Value::scalar(std::move(operand)), at).expr;
}

/// The text of a check: "1 + 2 does not fit i32".
static std::string overflowText(const char *symbol, Type type) {
  return std::string(firstValue) + " " + symbol + " " + secondValue + " does not fit " +
         spell(type) + ", and wraps";
}

/// a * b fits if the product of twice the width does; or, of 64 bits, if a division gives b back.
static ExprRef productFits(const ExprRef &a, const ExprRef &b, SourceRange at) {
  const Type type = a->type;
  auto test = [&](BinaryOp op, ExprRef x, ExprRef y) {
    return makeBinary(op, std::move(x), std::move(y), Type::Bool, at);
  };
  if (bitWidth(type) < 64) {
    ExprRef wide = makeBinary(BinaryOp::Mul, makeCast(a, Type::I64, at), makeCast(b, Type::I64, at),
                              Type::I64, at);
    return test(BinaryOp::Eq, makeCast(makeCast(wide, type, at), Type::I64, at), wide);
  }
  ExprRef product = makeBinary(BinaryOp::Mul, a, b, type, at);
  ExprRef back = test(BinaryOp::Eq, makeBinary(BinaryOp::CDiv, product, a, type, at), b);
  // The one quotient that overflows itself.
  ExprRef isSmall = test(BinaryOp::Or, test(BinaryOp::Ne, a, makeInt(-1, type, at)),
                         test(BinaryOp::Ne, b, makeInt(minOf(type), type, at)));
  return test(BinaryOp::Or, test(BinaryOp::Eq, a, makeInt(0, type, at)),
              test(BinaryOp::And, back, isSmall));
}

/// Tests that a sum, difference, product or quotient of signed integers fits their type. Operands
/// become locals, as they are used more than once.
void checkOverflow(Context &cx, BinaryOp op, std::vector<ExprRef> &operands, SourceRange at) {
  const Type type = operands[0]->type;
  const bool isQuotient = op == BinaryOp::FloorDiv || op == BinaryOp::CDiv;
  const bool isSum = op == BinaryOp::Add;
  if (!isSum && op != BinaryOp::Sub && op != BinaryOp::Mul && !isQuotient)
    return;
  if (!testsArithmetic(cx) || !isSigned(type))
    return;
  for (ExprRef &operand : operands)
    settle(cx, operand, at);
  const ExprRef &a = operands[0], &b = operands[1];
  auto test = [&](BinaryOp how, ExprRef x, ExprRef y) {
    return makeBinary(how, std::move(x), std::move(y), Type::Bool, at);
  };
  if (isQuotient)
    return check(cx,
                 test(BinaryOp::Or, test(BinaryOp::Ne, a, makeInt(minOf(type), type, at)),
                      test(BinaryOp::Ne, b, makeInt(-1, type, at))),
                 at, overflowText("divided by", type), a, b);
  if (op == BinaryOp::Mul)
    return check(cx, productFits(a, b, at), at, overflowText("*", type), a, b);
  // The result is on that side of a to which b's sign points.
  ExprRef result = makeBinary(op, a, b, type, at);
  ExprRef isUp = test(isSum ? BinaryOp::Ge : BinaryOp::Le, b, makeInt(0, type, at));
  check(cx, test(BinaryOp::Eq, isUp, test(BinaryOp::Ge, result, a)), at,
        overflowText(isSum ? "+" : "-", type), a, b);
}

/// Tests that -operand and abs(operand) fit its type.
void checkNegation(Context &cx, ExprRef &operand, SourceRange at) {
  const Type type = operand->type;
  if (!testsArithmetic(cx) || !isSigned(type))
    return;
  settle(cx, operand, at);
  check(cx, makeBinary(BinaryOp::Ne, operand, makeInt(minOf(type), type, at), Type::Bool, at), at,
        std::string("the negative of ") + firstValue + " does not fit " + spell(type) +
            ", and wraps",
        operand);
}

/// Tests that a shift moves by fewer bits than the value's type has.
void checkShift(Context &cx, Type type, ExprRef &amount, SourceRange at) {
  if (!testsArithmetic(cx))
    return;
  settle(cx, amount, at);
  const Type bits = bitWidth(amount->type) == 64 ? Type::U64 : Type::U32;
  const Type wide = bits == Type::U64 ? Type::I64 : Type::I32;
  // One unsigned comparison, as of indices.
  ExprRef distance = isSigned(amount->type) ? makeCast(amount, wide, at) : amount;
  check(cx,
        makeBinary(BinaryOp::Lt, makeCast(distance, bits, at), makeInt(bitWidth(type), bits, at),
                   Type::Bool, at),
        at,
        std::string("a shift by ") + firstValue + ", of a value of " +
            std::to_string(bitWidth(type)) + " bits",
        amount);
}

/// Tests 0 <= index < extent, and returns the result in a local, as the guard of the access. Null
/// if it is known to hold.
ExprRef checkIndex(Context &cx, const ExprRef &index, const Value &extent, SourceRange at,
                   const std::string &before, const std::string &after, Exact first) {
  Exact known = 0;
  if (constInt(*index, known) && extent.kind == Value::Int && known >= first &&
      known - first < extent.integer)
    return nullptr;
  // One unsigned comparison: an index before the first becomes larger than any extent.
  bool isWide = bitWidth(index->type) == 64 || index->type == Type::U32 ||
                (extent.kind == Value::Int ? extent.integer > maxOf(Type::I32)
                                           : bitWidth(extent.expr->type) == 64);
  Type type = isWide ? Type::I64 : Type::I32, bits = isWide ? Type::U64 : Type::U32;
  ExprRef wide = makeCast(index, type, at), size = convert(cx, extent, type, at);
  ExprRef distance = makeCast(wide, bits, at);
  if (first)
    distance = makeBinary(BinaryOp::Sub, std::move(distance),
                          makeInt(hir::wrapBits(first, bits), bits, at), bits, at);
  ExprRef ok =
      temp(cx,
           makeBinary(BinaryOp::Lt, std::move(distance), makeCast(size, bits, at), Type::Bool, at),
           at, "inside")
          .expr;
  check(cx, ok, at, before + firstValue + after + secondValue, wide, size);
  return ok;
}

/// Tests that `size` elements from `offset` on are elements of an array of one dimension. Returns
/// the result.
ExprRef checkView(Context &cx, const Value &offset, const Value &size, const ArrayRef &array,
                  SourceRange at) {
  ExprRef from = convert(cx, offset, Type::I64, at), count = convert(cx, size, Type::I64, at);
  ExprRef rest =
      makeBinary(BinaryOp::Sub, convert(cx, array.shape[0], Type::I64, at), from, Type::I64, at);
  auto isPart = [&](const ExprRef &least, const ExprRef &most) {
    return makeBinary(BinaryOp::Le, least, most, Type::Bool, at);
  };
  const ExprRef none = makeInt(0, Type::I64, at);
  ExprRef ok = both(both(isPart(none, from), isPart(none, count), at), isPart(count, rest), at);
  ok = temp(cx, std::move(ok), at, "inside").expr;
  check(cx, ok, at,
        std::string("a view of ") + firstValue + " elements from " + secondValue +
            " on is outside of '" + array.name + "'",
        count, from);
  return ok;
}

/// The guard of a component of a vector or matrix. The tested value is used from then on.
ExprRef checkComponents(Context &cx, std::vector<Value> &index, unsigned rows, unsigned cols,
                        bool isVector, SourceRange at) {
  ExprRef guard;
  if (!cx.options.checks || cx.isHost())
    return guard;
  for (size_t k = 0; k < index.size(); ++k) {
    if (index[k].kind != Value::Scalar || isFloat(index[k].expr->type))
      continue;
    index[k] = snapshot(cx, std::move(index[k]), at);
    guard = both(guard,
                 checkIndex(cx, index[k].expr, Value::exactInt(k == 0 ? rows : cols), at,
                            isVector ? "component "
                            : k == 0 ? "row "
                                     : "column ",
                            " is out of bounds: there are "),
                 at);
  }
  return guard;
}

ExprRef both(ExprRef a, ExprRef b, SourceRange at) {
  return !a || !b ? (a ? a : b) : makeBinary(BinaryOp::And, a, b, Type::Bool, at);
}

/// Emits `effect`, a Load or an atomic, if the guard holds; otherwise yields zero.
ExprRef guarded(Context &cx, const ExprRef &guard, ExprRef effect) {
  if (!guard)
    return effect;
  Type type = effect->type;
  SourceRange at = effect->at;
  ExprRef zero = isFloat(type)        ? makeFloat(0, type, at)
                 : type == Type::Bool ? makeBool(false, at)
                                      : makeInt(0, type, at);
  return makeExpr(
      type,
      hir::Conditional{take(cx, guard), take(cx, std::move(effect)), take(cx, std::move(zero))},
      at);
}

void emitGuarded(Context &cx, const ExprRef &guard, SourceRange at, hir::Store store) {
  if (!guard)
    return emit(cx, at, std::move(store));
  hir::Block then;
  then.push_back(statement(cx, at, std::move(store)));
  emit(cx, at, hir::If{take(cx, guard), std::move(then), {}});
}

/// Tests for source lanes that the subgroup or the block does not have. The library's own shuffles
/// read such lanes on purpose, and drop what they get.
void checkLane(Context &cx, hir::ShuffleKind kind, const ExprRef &lane, SourceRange at) {
  if (!cx.options.checks || !cx.frame().module || !cx.frame().module->library.empty())
    return;
  auto u32 = [&](Exact value) { return makeInt(value, Type::U32, at); };
  auto less = [&](ExprRef a, ExprRef b) { return makeBinary(BinaryOp::Lt, a, b, Type::Bool, at); };
  ExprRef own = makeCast(makeId(hir::Id::Lane, at), Type::U32, at);
  // The number of this subgroup's lanes that are threads of the block.
  ExprRef lanes = u32(std::min(cx.wave(), cx.blockDim()));
  if (cx.blockDim() > cx.wave() && cx.blockDim() % cx.wave()) {
    ExprRef thread = makeCast(makeId(hir::Id::ThreadIdx, at), Type::U32, at);
    ExprRef start = makeBinary(BinaryOp::Sub, thread, own, Type::U32, at);
    ExprRef rest = makeBinary(BinaryOp::Sub, u32(cx.blockDim()), start, Type::U32, at);
    lanes = makeBinary(BinaryOp::Min, u32(cx.wave()), rest, Type::U32, at);
  }
  std::string last = std::string(": there are ") + secondValue;
  switch (kind) {
  case hir::ShuffleKind::Up:
  case hir::ShuffleKind::Down:
    // The lanes at the end have no source, which the docs allow.
    check(cx, less(lane, u32(cx.wave())), at,
          std::string("offset ") + firstValue + " is outside of the subgroup's lanes" + last, lane,
          u32(cx.wave()));
    return;
  case hir::ShuffleKind::Xor: {
    ExprRef source = makeBinary(BinaryOp::Xor, own, lane, Type::U32, at);
    check(cx, less(source, lanes), at,
          std::string("source lane ") + firstValue + " is outside of the subgroup's lanes" + last,
          source, lanes);
    return;
  }
  case hir::ShuffleKind::Index:
  case hir::ShuffleKind::Broadcast:
    check(cx, less(lane, lanes), at,
          std::string("source lane ") + firstValue + " is outside of the subgroup's lanes" + last,
          lane, lanes);
  }
  if (kind != hir::ShuffleKind::Broadcast || asConst(*lane))
    return;
  ExprRef first =
      temp(cx,
           makeExpr(Type::U32,
                    hir::Shuffle{hir::ShuffleKind::Broadcast, take(cx, lane), take(cx, u32(0))},
                    at),
           at, "first")
          .expr;
  check(cx, makeBinary(BinaryOp::Eq, lane, first, Type::Bool, at), at,
        std::string("the lanes of the subgroup broadcast from different lanes: ") + firstValue +
            " here, " + secondValue + " in lane 0",
        lane, first);
}

unsigned barrierSite(Context &cx, SourceRange at) {
  return cx.options.checks ? faultSite(cx, at,
                                       "block barrier in divergent control flow: threads of the "
                                       "block do not all reach it")
                           : 0;
}

/// A step of 0 that no launch can refuse: nothing runs.
void checkStep(Context &cx, const Value &step, SourceRange at) {
  if (!cx.options.checks || cx.isHost() || knownInt(step))
    return;
  const ExprRef zero = makeInt(0, step.expr->type, at);
  check(cx, makeBinary(BinaryOp::Ne, step.expr, zero, Type::Bool, at), at,
        "the step of a range is 0: nothing runs");
}

/// A bound in device memory that would cut a block; see parallelFor.
unsigned cutBlockSite(Context &cx, SourceRange at) {
  return faultSite(cx, at,
                   std::string("block barrier in a loop of ") + firstValue +
                       " iterations, which are not whole blocks of " + secondValue +
                       " threads: nothing runs");
}

/// True if no fault is recorded. A loop that waits for another thread ends when there is a fault,
/// since that fault may have kept the other thread from its work.
ExprRef noFaultYet(Context &cx, SourceRange at) {
  ExprRef site = temp(cx,
                      makeExpr(Type::U32,
                               hir::Load{{hir::BufferRef::Param, faultParam(cx)},
                                         take(cx, makeInt(siteWord, Type::I32, at)),
                                         true},
                               at),
                      at, "fault")
                     .expr;
  return makeBinary(BinaryOp::Eq, site, makeInt(0, Type::U32, at), Type::Bool, at);
}

} // namespace sextant::sema
