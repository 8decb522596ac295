// `qd.random`: a hash of the thread, of how many numbers it drew, of the seed and of the launch.
// The seed and the number of launches are in a field of library/random.py.
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Convert.h"

#include <cmath>
#include <functional>

namespace sextant::sema {

using hir::Type;

/// Mixes the bits of a word, so that all of them depend on all. 0 stays 0. \param keep holds the
/// value of each step
static ExprRef scrambled(ExprRef word, const std::function<ExprRef(ExprRef)> &keep,
                         SourceRange at) {
  using B = hir::BinaryOp;
  auto u32 = [&](Exact n) { return makeInt(n, Type::U32, at); };
  auto bin = [&](B op, ExprRef a, ExprRef b) { return makeBinary(op, a, b, Type::U32, at); };
  word = keep(bin(B::Xor, word, bin(B::BitShr, word, u32(16))));
  word = keep(bin(B::Mul, word, u32(0x7FEB352D)));
  word = keep(bin(B::Xor, word, bin(B::BitShr, word, u32(15))));
  word = keep(bin(B::Mul, word, u32(0x846CA68B)));
  return keep(bin(B::Xor, word, bin(B::BitShr, word, u32(16))));
}

/// Sets what a task draws from at its start: how many numbers were drawn, none, and the launch's
/// own number, a mix of the seed and of how many launches drew before. Returns false after an
/// error.
static bool startDrawing(Context &cx, SourceRange at) {
  const ast::Module *library = cx.options.library("random");
  const auto state =
      moduleName(cx, cx.program.scopeOf(*library, "random"), "qd_random", at).value_or(Value());
  if (state.kind != Value::Array)
    return false;
  using B = hir::BinaryOp;
  auto bin = [&](B op, ExprRef a, ExprRef b) { return makeBinary(op, a, b, Type::U32, at); };
  auto u32 = [&](Exact n) { return makeInt(n, Type::U32, at); };
  auto word = [&](Exact k) {
    const auto place = elementPlace(cx, state.array, Value::exactInt(k), at);
    return makeExpr(Type::U32, hir::Load{place->buffer, take(cx, place->index)}, at);
  };
  hir::Block start;
  auto assign = [&](unsigned local, ExprRef value) {
    start.push_back(statement(cx, at, hir::Assign{local, take(cx, std::move(value))}));
  };
  const unsigned drawn = newLocal(cx, "drawn", Type::U32), mix = newLocal(cx, "mix", Type::U32);
  auto mixed = [&](ExprRef value) {
    assign(mix, std::move(value));
    return makeLocal(mix, Type::U32, at);
  };
  assign(drawn, u32(0));
  // A gradient draws again what the launch drew, which has counted itself. It does not count.
  const bool isAgain = cx.derivative == Derivative::Reverse;
  ExprRef launch = isAgain ? bin(B::Sub, word(1), u32(1)) : word(1);
  scrambled(mixed(bin(B::Add, bin(B::Mul, word(0), u32(0xC2B2AE35)),
                      bin(B::Mul, std::move(launch), u32(0x27D4EB2F)))),
            mixed, at);
  cx.open->random = {drawn, mix};
  hir::Block &body = cx.open->task.body;
  body.insert(body.begin(), std::make_move_iterator(start.begin()),
              std::make_move_iterator(start.end()));
  cx.countsLaunch = !isAgain;
  return true;
}

Value doRandom(Context &cx, CallSite &site) {
  SourceRange at = site.at;
  const Type type = site.given[0] ? site.dtype(0) : cx.options.defaultFloat;
  if (cx.isHost())
    return error(cx, at, Problem::RandomOnHost,
                 "`qd.random` cannot be called when kernels are built");
  if (!isFloat(type) && (type == Type::Bool || bitWidth(type) < 32))
    return error(cx, at, Problem::RandomOfNarrowType,
                 "`qd.random` gives reals, and integers of 32 and 64 bits", "cast the result");
  block(cx, at);
  if (!cx.open->random && !startDrawing(cx, at))
    return Value();
  const unsigned counter = cx.open->random->drawn, mix = cx.open->random->mix;
  using B = hir::BinaryOp;
  auto u32 = [&](Exact n) { return makeInt(n, Type::U32, at); };
  auto bin = [&](B op, ExprRef a, ExprRef b) { return makeBinary(op, a, b, Type::U32, at); };
  auto keep = [&](ExprRef e) { return stable(cx, Value::scalar(std::move(e)), at).expr; };
  auto word = [&]() {
    emit(cx, at,
         hir::Assign{counter, take(cx, bin(B::Add, makeLocal(counter, Type::U32, at), u32(1)))});
    ExprRef thread =
        makeCast(makeBinary(B::Add,
                            makeBinary(B::Mul, makeId(hir::Id::BlockIdx, at),
                                       makeInt(cx.blockDim(), Type::I32, at), Type::I32, at),
                            makeId(hir::Id::ThreadIdx, at), Type::I32, at),
                 Type::U32, at);
    ExprRef h = bin(B::Mul, bin(B::Xor, thread, makeLocal(mix, Type::U32, at)), u32(0x9E3779B1));
    h = keep(bin(B::Add, h, u32(Exact(cx.tasks.size()) * 0x85EBCA6B & 0xFFFFFFFF)));
    h = scrambled(h, keep, at);
    h = keep(bin(B::Add, bin(B::Add, h, bin(B::Mul, makeLocal(mix, Type::U32, at), u32(5))),
                 bin(B::Mul, makeLocal(counter, Type::U32, at), u32(0x9E3779B9))));
    return scrambled(h, keep, at);
  };
  ExprRef low = word();
  if (type == Type::U32)
    return Value::scalar(low);
  if (type == Type::I32)
    return Value::scalar(makeCast(low, Type::I32, at));
  // As many bits as the type is exact for: a real is below 1, and no rounding makes it 1.
  if (isFloat(type) && type != Type::F64) {
    const unsigned digits = digitsOf(type);
    ExprRef top = makeCast(bin(B::BitShr, low, u32(32 - digits)), type, at);
    return Value::scalar(
        makeBinary(B::Mul, top, makeFloat(std::ldexp(1.0, -int(digits)), type, at), type, at));
  }
  ExprRef high = word();
  ExprRef wide =
      makeBinary(B::Or, makeBinary(B::Shl, makeCast(high, Type::U64, at), u32(32), Type::U64, at),
                 makeCast(low, Type::U64, at), Type::U64, at);
  if (type == Type::U64 || type == Type::I64)
    return Value::scalar(makeCast(wide, type, at));
  ExprRef top = makeCast(makeBinary(B::BitShr, wide, u32(11), Type::U64, at), Type::F64, at);
  return Value::scalar(
      makeBinary(B::Mul, top, makeFloat(1.0 / 9007199254740992.0, Type::F64, at), Type::F64, at));
}

} // namespace sextant::sema
