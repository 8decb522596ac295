// `qd.simt`: what maps to operations of the IR. The rest of the namespaces is
// library code in the kernel language.
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/tasks/Checks.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

static bool simtScalar(Context &cx, const Value &value, SourceRange at, const std::string &what,
                       ExprRef &out);
static ExprRef laneOperand(Context &cx, const Value &value, SourceRange at,
                           const std::string &what);

using hir::Type;

bool inKernel(Context &cx, CallSite &site) {
  if (!cx.isHost()) {
    block(cx, site.at);
    return true;
  }
  error(cx, site.at, "`" + callName(site) + "` runs on the device only");
  return false;
}

/// A scalar of the types that move between lanes.
bool simtScalar(Context &cx, const Value &value, SourceRange at, const std::string &what,
                ExprRef &out) {
  if (value.isPoison())
    return false;
  if (!value.isNumber()) {
    error(cx, at, what + " takes a scalar, not " + describe(value),
          value.kind == Value::Matrix ? "call it for each component" : "");
    return false;
  }
  out = toRuntime(cx, value, at);
  if (!out)
    return false;
  if (out->type == Type::Bool || bitWidth(out->type) < 32) {
    error(cx, at, what + " takes i32, u32, i64, u64, f32 and f64, not " + spell(out->type),
          out->type == Type::F16 ? "cast it, as in `qd.f32(...)`" : "cast it, as in `qd.i32(...)`");
    return false;
  }
  return true;
}

/// Lane numbers, offsets and masks: u32, or what converts to it without loss.
ExprRef laneOperand(Context &cx, const Value &value, SourceRange at, const std::string &what) {
  if (value.kind == Value::Int && value.integer >= 0 && value.integer <= maxOf(Type::U32))
    return makeInt(value.integer, Type::U32, at);
  if (value.kind == Value::Bool)
    return makeInt(value.integer, Type::U32, at);
  if (value.kind == Value::Scalar) {
    Type type = value.expr->type;
    Exact constant = 0;
    if (type == Type::Bool || (isUnsigned(type) && bitWidth(type) <= 32) ||
        (constInt(*value.expr, constant) && constant >= 0 && constant <= maxOf(Type::U32)))
      return makeCast(value.expr, Type::U32, at);
    error(cx, at, "a lane number, offset or mask of " + what + " is u32, not " + spell(type),
          "write `qd.u32(...)`");
    return nullptr;
  }
  if (!value.isPoison())
    error(cx, at, "a lane number, offset or mask of " + what + " is u32, not " + describe(value));
  return nullptr;
}

//===--- Identity ----------------------------------------------------------===//

Value doGroupSize(Context &cx, CallSite &site) {
  unsigned log2 = 0;
  while ((2u << log2) <= cx.options.wave)
    ++log2;
  return Value::exactInt(site.builtin->data == 0 ? cx.options.wave : log2);
}

Value doInvocation(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  return Value::scalar(makeId(hir::Id::Lane, site.at));
}

Value doThreadIdx(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  ExprRef thread = makeId(hir::Id::ThreadIdx, site.at);
  if (site.builtin->data == 0)
    return Value::scalar(thread);
  ExprRef start = makeBinary(hir::BinaryOp::Mul, makeId(hir::Id::BlockIdx, site.at),
                             makeInt(cx.blockDim(), Type::I32, site.at), Type::I32, site.at);
  return Value::scalar(makeBinary(hir::BinaryOp::Add, start, thread, Type::I32, site.at));
}

/// What the library has to know about where it is called: whether the call may run again.
Value doInLoop(Context &cx, CallSite &site) {
  return inKernel(cx, site) ? Value::exactBool(cx.loopNesting > 0) : Value();
}

//===--- Moving data -------------------------------------------------------===//

Value doShuffle(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  std::string what = userCall(cx, site);
  ExprRef value;
  if (!simtScalar(cx, site.args[0], site.at, what, value))
    return Value();
  ExprRef lane = makeInt(0, Type::U32, site.at);
  hir::ShuffleKind kind = hir::ShuffleKind::Broadcast;
  if (site.builtin->data >= 0) {
    kind = hir::ShuffleKind(site.builtin->data);
    lane = laneOperand(cx, site.args[1], site.at, what);
    if (!lane || !checkSourceLane(cx, what, site.at, kind, lane))
      return Value();
    checkLane(cx, kind, lane, site.at);
  }
  Type type = value->type;
  return temp(cx, makeExpr(type, hir::Shuffle{kind, take(cx, value), take(cx, lane)}, site.at),
              site.at, "shuffled");
}

//===--- Votes -------------------------------------------------------------===//

namespace {
bool integerOrBool(const Value &value, const ExprRef &e) {
  return value.kind != Value::Float && !isFloat(e->type);
}
} // namespace

Value doBallot(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  SourceRange at = site.at;
  std::string what = userCall(cx, site);
  if (site.builtin->data == 1)
    warnDeprecated(cx, callName(site), at, what + " is deprecated", "use `subgroup.ballot`");
  if (!site.args[0].isNumber())
    return error(cx, at, what + " takes an integer predicate, not " + describe(site.args[0]));
  ExprRef e = toRuntime(cx, site.args[0], at);
  if (!e)
    return Value();
  if (!integerOrBool(site.args[0], e))
    return error(cx, at, what + " takes an integer predicate, not " + spell(e->type),
                 "compare it, as in `x != 0`");
  ExprRef predicate = makeCast(e, Type::Bool, at);
  if (site.builtin->data != 2) {
    if (site.builtin->data != 3 && !checkBallot(cx, what, at, std::nullopt))
      return Value();
    return temp(cx, makeExpr(Type::U64, hir::Ballot{take(cx, predicate)}, at), at, "ballot");
  }
  auto n = exactInt(cx, site.args[1], at, "`n` of `subgroup.ballot_first_n`");
  if (!n)
    return Value();
  if (*n < 1 || *n > 32)
    return error(cx, at,
                 "`n` of `subgroup.ballot_first_n` has to be between 1 and 32, not " + spell(*n),
                 "`subgroup.ballot` covers the whole subgroup");
  if (*n > Exact(cx.options.wave) && *n < 32) // 32 asks all lanes that the result has bits for
    return error(cx, at,
                 what + " asks the first " + spell(*n) + " lanes, but the subgroup has " +
                     std::to_string(cx.options.wave),
                 "ask for at most " + std::to_string(cx.options.wave) +
                     ", or build this kernel for wider waves only");
  if (!checkBallot(cx, what, at, unsigned(*n)))
    return Value();
  // Lanes that the subgroup does not have contribute no bits.
  if (*n < Exact(cx.options.wave) && *n < 32) {
    ExprRef inside = makeBinary(hir::BinaryOp::Lt, makeId(hir::Id::Lane, at),
                                makeInt(*n, Type::I32, at), Type::Bool, at);
    predicate = makeBinary(hir::BinaryOp::And, predicate, inside, Type::Bool, at);
  }
  Value ballot = temp(cx, makeExpr(Type::U64, hir::Ballot{take(cx, predicate)}, at), at, "ballot");
  return Value::scalar(makeCast(ballot.expr, Type::U32, at));
}

/// The library's own: which lanes hold the same low bits.
Value doMatch(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  ExprRef value = toRuntime(cx, site.args[0], site.at);
  auto bits = exactInt(cx, site.args[1], site.at, "`bits` of `subgroup._match`");
  if (!value || !bits)
    return Value();
  if (isFloat(value->type) || *bits < 1 || *bits > 32)
    return error(cx, site.at, "`subgroup._match` compares 1 to 32 bits of an integer");
  ExprRef word = makeCast(value, Type::U32, site.at);
  return temp(cx, makeExpr(Type::U64, hir::Match{take(cx, word), unsigned(*bits)}, site.at),
              site.at, "match");
}

Value doVote(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  SourceRange at = site.at;
  bool tiled = site.builtin->data & 2, all = site.builtin->data & 1;
  unsigned log2Size = 0;
  if (!checkTile(cx, userCall(cx, site), at, tiled ? &site.args[1] : nullptr, log2Size))
    return Value();
  if (!site.args[0].isNumber())
    return error(cx, at,
                 userCall(cx, site) + " takes a scalar predicate, not " + describe(site.args[0]));
  ExprRef predicate = toBool(cx, site.args[0], at);
  if (!predicate)
    return Value();
  Value vote =
      temp(cx, makeExpr(Type::Bool, hir::Vote{all, take(cx, predicate), log2Size}, at), at, "vote");
  return Value::scalar(makeCast(vote.expr, Type::I32, at));
}

//===--- Reductions and scans ----------------------------------------------===//

namespace {
bool isBitwise(hir::Combine op) {
  return op == hir::Combine::And || op == hir::Combine::Or || op == hir::Combine::Xor;
}

/// What a reduction or a scan combines.
struct Combined {
  hir::Combine op;
  std::string what; ///< the call, for messages
  ExprRef value;
  unsigned log2Size = 0; ///< of the tile
};

/// Absent after an error.
std::optional<Combined> combined(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return std::nullopt;
  const int data = site.builtin->data;
  Combined result{hir::Combine(data & 15), userCall(cx, site), nullptr};
  if (!simtScalar(cx, site.args[0], site.at, result.what, result.value) ||
      !checkTile(cx, result.what, site.at, data & 32 ? &site.args[1] : nullptr, result.log2Size))
    return std::nullopt;
  return result;
}
} // namespace

Value doReduce(Context &cx, CallSite &site) {
  std::optional<Combined> c = combined(cx, site);
  if (!c)
    return Value();
  Type type = c->value->type;
  return temp(
      cx,
      makeExpr(type,
               hir::Reduce{c->op, take(cx, c->value), c->log2Size, (site.builtin->data & 16) != 0},
               site.at),
      site.at, "reduced");
}

Value doScan(Context &cx, CallSite &site) {
  std::optional<Combined> c = combined(cx, site);
  if (!c)
    return Value();
  if (isBitwise(c->op) && isFloat(c->value->type))
    return error(cx, site.at,
                 c->what + " is bitwise and takes integers, not " + spell(c->value->type),
                 "`qd.bit_cast` gives the bits of a real");
  Type type = c->value->type;
  return temp(
      cx,
      makeExpr(type,
               hir::Scan{c->op, take(cx, c->value), c->log2Size, (site.builtin->data & 16) != 0},
               site.at),
      site.at, "scanned");
}

//===--- Barriers and fences -----------------------------------------------===//

Value doSubgroupSync(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  if (site.builtin->data)
    warnDeprecated(cx, callName(site), site.at, "`" + callName(site) + "` is deprecated",
                   "use `subgroup.sync`");
  emit(cx, site.at, hir::SubgroupBarrier{});
  return Value::none();
}

Value doFence(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  if (site.builtin->data & 16) {
    std::string name = callName(site);
    warnDeprecated(cx, name, site.at, "`" + name + "` is deprecated",
                   "use `" + name.substr(0, name.find('.')) + ".mem_fence`");
  }
  emit(cx, site.at, hir::Fence{hir::FenceScope(site.builtin->data & 15)});
  return Value::none();
}

Value doSync(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  needWholeBlocks(cx, site);
  emit(cx, site.at, hir::Barrier{barrierSite(cx, site.at)});
  return Value::none();
}

Value doBarrierReduce(Context &cx, CallSite &site) {
  if (!inKernel(cx, site))
    return Value();
  SourceRange at = site.at;
  std::string what = "`" + callName(site) + "`";
  if (!site.args[0].isNumber())
    return error(cx, at, what + " takes an integer predicate, not " + describe(site.args[0]));
  ExprRef e = toRuntime(cx, site.args[0], at);
  if (!e)
    return Value();
  if (isFloat(e->type))
    return error(cx, at, what + " takes an integer predicate, not " + spell(e->type),
                 "compare it, as in `x != 0`");
  needWholeBlocks(cx, site);
  ExprRef predicate = makeCast(e, Type::Bool, at);
  return temp(cx,
              makeExpr(Type::I32,
                       hir::BarrierReduce{hir::BarrierReduceKind(site.builtin->data),
                                          take(cx, predicate), barrierSite(cx, at)},
                       at),
              at, "reduced");
}

//===--- Shared memory -----------------------------------------------------===//

Value doSharedArray(Context &cx, CallSite &site) {
  if (cx.isHost())
    return error(cx, site.at, "a SharedArray is made inside a kernel or function");
  SourceRange at = site.at;
  const Value &dtype = site.args[1];
  ElementType element;
  if (dtype.kind == Value::Type && dtype.type.kind == TypeValue::Element)
    element = dtype.type.element;
  else if (!dtypeOf(dtype, cx.options, element.type))
    return error(cx, at, "`block.SharedArray` needs a dtype, not " + describe(dtype));
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Shared;
  array->element = element;
  array->at = at;
  Exact count = array->element.count();
  std::vector<Value> shape = indexList(site.args[0]);
  if (shape.empty())
    return error(cx, at, "`block.SharedArray` needs at least one extent");
  for (const Value &extent : shape) {
    auto n = exactInt(cx, extent, at, "the shape of a SharedArray");
    if (!n)
      return Value();
    if (*n < 1)
      return error(cx, at, "the extents of a SharedArray have to be positive, not " + spell(*n));
    count *= *n;
    if (count > Exact(1) << 28)
      return error(cx, at, "this SharedArray is larger than any device's shared memory");
    array->shape.push_back(Value::exactInt(*n));
  }
  hir::ArrayDecl decl;
  decl.name = "shared" + std::to_string(cx.draft.shared.size());
  if (cx.frames.size() > 1 && cx.frame().function && !cx.frame().isKernel)
    decl.name = std::string(cx.frame().function->name) + "." + decl.name;
  if (!cx.sharedName.empty())
    decl.name = std::string(cx.sharedName);
  decl.type = array->element.type;
  decl.count = uint64_t(count);
  decl.at = at;
  array->name = decl.name;
  array->buffer = {hir::BufferRef::Shared, unsigned(cx.draft.shared.size())};
  cx.draft.shared.push_back(std::move(decl));
  Value v = Value::of(Value::Array);
  v.array = std::move(array);
  return v;
}

} // namespace sextant::sema
