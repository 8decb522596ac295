// `qd.simt`: what maps to operations of the IR. The rest of the namespaces is
// library code in the kernel language.
#include "frontend/sema/Context.h"
#include "frontend/sema/Struct.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/eval/Names.h"
#include "frontend/sema/eval/Places.h"
#include "frontend/sema/values/Checks.h"
#include "frontend/sema/values/Convert.h"

#include <bit>

namespace sextant::sema {

using hir::Type;

//===--- Identity ----------------------------------------------------------===//

static unsigned log2Wave(const Context &cx) { return unsigned(std::bit_width(cx.wave())) - 1; }

Value doGroupSize(Context &cx, CallSite &) { return Value::exactInt(cx.wave()); }

Value doSharedLimit(Context &cx, CallSite &) { return Value::exactInt(Exact(cx.sharedLimit())); }

Value doLog2GroupSize(Context &cx, CallSite &) { return Value::exactInt(log2Wave(cx)); }

Value doInvocation(Context &, CallSite &site) {
  return Value::scalar(makeId(hir::Id::Lane, site.at));
}

Value doThreadIdx(Context &, CallSite &site) {
  return Value::scalar(makeId(hir::Id::ThreadIdx, site.at));
}

Value doGlobalThreadIdx(Context &cx, CallSite &site) {
  ExprRef start = makeBinary(hir::BinaryOp::Mul, makeId(hir::Id::BlockIdx, site.at),
                             makeInt(cx.blockDim(), Type::I32, site.at), Type::I32, site.at);
  return Value::scalar(makeBinary(hir::BinaryOp::Add, start, makeId(hir::Id::ThreadIdx, site.at),
                                  Type::I32, site.at));
}

/// Tells the library whether a call stands in a loop, and may run again.
Value doInLoop(Context &cx, CallSite &) { return Value::exactBool(cx.loopNesting > 0); }

//===--- Moving data -------------------------------------------------------===//

static Value shuffle(Context &cx, CallSite &site, hir::ShuffleKind kind, ExprRef lane) {
  ExprRef value = std::move(site.operands[0]);
  Type type = value->type;
  return temp(cx, makeExpr(type, hir::Shuffle{kind, take(cx, value), take(cx, lane)}, site.at),
              site.at, "shuffled");
}

Value doShuffle(Context &cx, CallSite &site, hir::ShuffleKind kind) {
  ExprRef lane = std::move(site.operands[1]);
  if (!checkSourceLane(cx, userCall(cx, site), site.at, kind, lane))
    return Value();
  checkLane(cx, kind, lane, site.at);
  return shuffle(cx, site, kind, std::move(lane));
}

Value doBroadcastFirst(Context &cx, CallSite &site) {
  return shuffle(cx, site, hir::ShuffleKind::Broadcast, makeInt(0, Type::U32, site.at));
}

//===--- Votes -------------------------------------------------------------===//

Value ballotOf(Context &cx, CallSite &site) {
  return temp(cx, makeExpr(Type::U64, hir::Ballot{take(cx, site.operands[0])}, site.at), site.at,
              "ballot");
}

Value doBallot(Context &cx, CallSite &site) {
  return checkBallot(cx, userCall(cx, site), site.at, std::nullopt) ? ballotOf(cx, site) : Value();
}

Value doBallotFirstN(Context &cx, CallSite &site) {
  SourceRange at = site.at;
  std::string what = userCall(cx, site);
  const auto n = unsigned(site.integer(1));
  if (n > cx.wave() && n < 32) // 32 asks all lanes that the result has bits for
    return error(cx, at, Problem::BallotBeyondSubgroup,
                 what + " asks the first " + std::to_string(n) + " lanes, but the subgroup has " +
                     std::to_string(cx.wave()),
                 "ask for at most " + std::to_string(cx.wave()) +
                     ", or build this kernel for wider waves only");
  if (!checkBallot(cx, what, at, n))
    return Value();
  // Lanes that the subgroup does not have contribute no bits.
  if (n < cx.wave() && n < 32) {
    ExprRef inside = makeBinary(hir::BinaryOp::Lt, makeId(hir::Id::Lane, at),
                                makeInt(n, Type::I32, at), Type::Bool, at);
    site.operands[0] = makeBinary(hir::BinaryOp::And, site.operands[0], inside, Type::Bool, at);
  }
  return Value::scalar(makeCast(ballotOf(cx, site).expr, Type::U32, at));
}

/// The library's own: which lanes hold the same low bits.
Value doMatch(Context &cx, CallSite &site) {
  ExprRef value = toRuntime(cx, site.args[0], site.at);
  if (!value)
    return Value();
  ExprRef word = makeCast(value, Type::U32, site.at);
  return temp(cx,
              makeExpr(Type::U64, hir::Match{take(cx, word), unsigned(site.integer(1))}, site.at),
              site.at, "match");
}

/// Returns the lanes that hold the same value. Values of 64 bits have to match in both halves.
Value doMatchAny(Context &cx, CallSite &site) {
  SourceRange at = site.at;
  if (!checkBallot(cx, userCall(cx, site), at, std::nullopt))
    return Value();
  auto matching = [&](ExprRef word) {
    return temp(cx,
                makeExpr(Type::U64, hir::Match{take(cx, makeCast(word, Type::U32, at)), 32}, at),
                at, "match");
  };
  ExprRef value = std::move(site.operands[0]);
  const bool isWide = bitWidth(value->type) == 64;
  if (isFloat(value->type))
    value = makeExpr(isWide ? Type::U64 : Type::U32, hir::Bitcast{take(cx, value)}, at);
  if (!isWide)
    return matching(value);
  const ExprRef bits = stable(cx, Value::scalar(makeCast(value, Type::U64, at)), at).expr;
  const ExprRef high =
      makeBinary(hir::BinaryOp::BitShr, bits, makeInt(32, Type::U64, at), Type::U64, at);
  const ExprRef low = matching(bits).expr;
  return Value::scalar(makeBinary(hir::BinaryOp::And, low, matching(high).expr, Type::U64, at));
}

/// Sets the tile that a call names, or the whole subgroup; false after an error.
static bool findTile(Context &cx, CallSite &site) {
  const bool isTiled = site.args.size() > 1;
  return checkTile(cx, userCall(cx, site), site.at, isTiled ? &site.args[1] : nullptr,
                   site.log2Size);
}

Value doVote(Context &cx, CallSite &site, Vote kind) {
  if (!findTile(cx, site))
    return Value();
  hir::Vote node{kind == Vote::All, take(cx, site.operands[0]), site.log2Size};
  Value vote = temp(cx, makeExpr(Type::Bool, std::move(node), site.at), site.at, "vote");
  return Value::scalar(makeCast(vote.expr, Type::I32, site.at));
}

//===--- Reductions and scans ----------------------------------------------===//

Value doReduce(Context &cx, CallSite &site, hir::Combine op, Holds who) {
  if (!findTile(cx, site))
    return Value();
  ExprRef value = std::move(site.operands[0]);
  Type type = value->type;
  hir::Reduce node{op, take(cx, value), site.log2Size, who == Holds::All};
  return temp(cx, makeExpr(type, std::move(node), site.at), site.at, "reduced");
}

Value doScan(Context &cx, CallSite &site, hir::Combine op, Scanned how) {
  if (!findTile(cx, site))
    return Value();
  ExprRef value = std::move(site.operands[0]);
  Type type = value->type;
  hir::Scan node{op, take(cx, value), site.log2Size, how == Scanned::Exclusive};
  return temp(cx, makeExpr(type, std::move(node), site.at), site.at, "scanned");
}

//===--- Barriers and fences -----------------------------------------------===//

Value doSubgroupSync(Context &cx, CallSite &site) {
  emit(cx, site.at, hir::SubgroupBarrier{});
  return Value::none();
}

/// A warp is a tile of 32 lanes, all of which take part. Returns false after an error.
static bool isWholeWarp(Context &cx, CallSite &site) {
  const std::string what = userCall(cx, site);
  const Exact mask = site.integer(0);
  if (mask != -1 && mask != maxOf(Type::U32))
    return error(cx, site.at, Problem::WarpMaskPartial,
                 what + " is of all 32 lanes: its mask is 0xFFFFFFFF, not " + spell(mask),
                 "let all lanes reach the call; `qd.simt.subgroup` has operations on tiles");
  const Value warp = Value::exactInt(5);
  unsigned log2Size = 0;
  return checkTile(cx, what, site.at, &warp, log2Size);
}

/// A subgroup that is wider than a warp waits for all of its lanes.
Value doWarpSync(Context &cx, CallSite &site) {
  return isWholeWarp(cx, site) ? doSubgroupSync(cx, site) : Value();
}

Value doCheckWarp(Context &cx, CallSite &site) {
  return isWholeWarp(cx, site) ? Value::none() : Value();
}

Value doFence(Context &cx, CallSite &site, hir::FenceScope scope) {
  emit(cx, site.at, hir::Fence{scope});
  return Value::none();
}

Value doPause(Context &cx, CallSite &site) {
  emit(cx, site.at, hir::Pause{});
  return Value::none();
}

Value doClock(Context &cx, CallSite &site) {
  return temp(cx, makeExpr(Type::I64, hir::Clock{}, site.at), site.at, "clock");
}

/// `block._copy(to, at, from, index)`: one element of device memory to one of shared memory, where
/// it may arrive later.
Value doCopy(Context &cx, CallSite &site) {
  const Value &to = site.args[0], &from = site.args[2];
  const bool isToShared =
      to.array->space == ArrayRef::Shared && from.array->space != ArrayRef::Shared;
  if (!isToShared || to.array->shape.size() != 1 || from.array->shape.size() != 1)
    return error(cx, site.at, Problem::CopyNotToShared,
                 userCall(cx, site) +
                     " copies from an ndarray or a field of one dimension to a "
                     "`block.SharedArray` of one dimension, not from " +
                     describe(from) + " to " + describe(to));
  if (to.array->structure || from.array->structure ||
      spell(to.array->element) != spell(from.array->element))
    return error(cx, site.at, Problem::CopyOfOtherType,
                 userCall(cx, site) + " copies elements as they are, but " + describe(from) +
                     " has others than " + describe(to),
                 "give both arrays the same `dtype`");
  const auto source = elementPlace(cx, from.array, site.args[3], site.at);
  const auto place = elementPlace(cx, to.array, site.args[1], site.at);
  if (source && place)
    writePlace(cx, *place, readPlace(cx, *source, site.at), site.at, hir::Cache::Async);
  return Value::none();
}

/// Ends a group of copies, or waits for all but the last `pending` ones.
Value doCopies(Context &cx, CallSite &site, bool waits) {
  hir::AsyncCopies copies;
  if (waits)
    copies.pending = unsigned(site.integer(0));
  emit(cx, site.at, hir::AsyncCopies(copies));
  return Value::none();
}

Value doSync(Context &cx, CallSite &site) {
  needWholeBlocks(cx, site);
  emit(cx, site.at, hir::Barrier{barrierSite(cx, site.at)});
  return Value::none();
}

Value doBarrierReduce(Context &cx, CallSite &site, hir::BarrierReduceKind kind) {
  needWholeBlocks(cx, site);
  hir::BarrierReduce node{kind, take(cx, site.operands[0]), barrierSite(cx, site.at)};
  return temp(cx, makeExpr(Type::I32, std::move(node), site.at), site.at, "reduced");
}

//===--- Shared memory -----------------------------------------------------===//

/// Makes the array, or one for each member of a struct.
static std::shared_ptr<ArrayRef> makeShared(Context &cx, const TypeValue &type,
                                            const std::vector<Value> &shape, std::string name,
                                            SourceRange at) {
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Shared;
  array->name = name;
  array->element = type.element;
  array->shape = shape;
  array->at = at;
  if (type.kind == TypeValue::Struct) {
    array->structure = type.structure;
    for (const StructMember &member : type.structure->members)
      array->members.push_back(makeShared(cx, member.type, shape, name + "." + member.name, at));
    return array;
  }
  hir::ArrayDecl decl;
  decl.name = std::move(name);
  decl.type = type.element.type;
  decl.count = type.element.count();
  for (const Value &extent : shape)
    decl.count *= uint64_t(extent.integer);
  decl.at = shownAt(cx, at);
  array->buffer = {hir::BufferRef::Shared, unsigned(cx.draft.shared.size())};
  cx.draft.shared.push_back(std::move(decl));
  return array;
}

Value doSharedArray(Context &cx, CallSite &site) {
  if (cx.isHost())
    return error(cx, site.at, Problem::SharedArrayOutsideKernel,
                 "a SharedArray is made inside a kernel or function");
  SourceRange at = site.at;
  const TypeValue &type = site.args[1].type;
  Exact count = type.element.count();
  std::vector<Value> shape;
  const std::vector<Value> extents = indexList(site.args[0]);
  if (extents.empty())
    return error(cx, at, Problem::SharedArrayWithoutExtents,
                 "`block.SharedArray` needs at least one extent");
  for (const Value &extent : extents) {
    auto n = exactInt(cx, extent, at, "the shape of a SharedArray");
    if (!n)
      return Value();
    if (*n < 1)
      return error(cx, at, Problem::SharedArrayExtentNotPositive,
                   "the extents of a SharedArray have to be positive, not " + spell(*n));
    count *= *n;
    if (count > Exact(1) << 28)
      return error(cx, at, Problem::SharedArrayTooLarge,
                   "this SharedArray is larger than any device's shared memory");
    shape.push_back(Value::exactInt(*n));
  }
  std::string name = "shared" + std::to_string(cx.draft.shared.size());
  if (cx.frames.size() > 1 && cx.frame().function && !cx.frame().isKernel)
    name = std::string(cx.frame().function->name) + "." + name;
  if (!cx.sharedName.empty())
    name = cx.sharedName;
  return Value::ofArray(makeShared(cx, type, shape, std::move(name), at));
}

//===--- Tiles -------------------------------------------------------------===//

/// The library's own: the class of a tile's values. Its member `row` is the thread's row.
Value doTileType(Context &cx, CallSite &site) {
  const auto size = unsigned(site.args[0].integer);
  const std::string name = "Tile" + std::to_string(size) + "x" + std::to_string(size);
  Type type = cx.options.defaultFloat;
  const Value &dtype = site.args[1];
  if (dtype.kind != Value::None &&
      (!dtypeOf(dtype, cx.options, type) || (type != Type::F32 && type != Type::F64)))
    return error(cx, site.at, Problem::TileDtype,
                 "a tile holds f32 or f64, not " + describe(dtype));
  const unsigned blockDim = cx.blockDim();
  if (blockDim < size || (blockDim > 32 && blockDim % 32 != 0))
    return error(cx, site.at, Problem::TileBlockDim,
                 "a `" + name + "` needs blocks of " + (size < 32 ? "16 to 32 threads" : "32") +
                     ", or of a multiple of 32, but these have " + std::to_string(blockDim),
                 "write `qd.loop_config(block_dim=" + std::to_string(size) + ")` before the loop");
  auto &known = cx.program.tiles[{size, type}];
  if (!known) {
    const ast::Module *library = cx.options.library("tile");
    const auto base = moduleName(cx, cx.program.scopeOf(*library, "tile"), name, site.at);
    auto tile = std::make_shared<StructType>();
    tile->name = name;
    tile->isTile = true;
    tile->bases = {base->type.structure};
    StructMember row;
    row.name = "row";
    row.type.element = {type, size, 1, true, true};
    tile->members.push_back(std::move(row));
    known = std::move(tile);
  }
  return Value::ofType(TypeValue::of(known));
}

/// The library's own: where threads of a tile exchange values, an array of (group, thread), or None
/// if their subgroup holds the tile.
Value doTileStaging(Context &cx, CallSite &site) {
  const Exact size = site.args[0].integer;
  if (Exact(cx.wave()) >= size)
    return Value::none();
  TypeValue type;
  dtypeOf(site.args[1], cx.options, type.element.type);
  return Value::ofArray(
      makeShared(cx, type, {Value::exactInt((cx.blockDim() + 31) / 32), Value::exactInt(size)},
                 "tile" + std::to_string(cx.draft.shared.size()), site.at));
}

} // namespace sextant::sema
