// Checks of calls on subgroups and blocks: they test which lanes are sure to be there, and answer
// what the library asks about its own calls (`subgroup._check_tile` and the like).
#include "frontend/sema/Context.h"
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/builtins/Shared.h"
#include "frontend/sema/eval/Calls.h"
#include "frontend/sema/values/Convert.h"

namespace sextant::sema {

using hir::Type;

namespace {
std::string threads(Exact n) { return spell(n) + (n == 1 ? " thread" : " threads"); }
std::string lanes(Exact n) { return spell(n) + (n == 1 ? " lane" : " lanes"); }
} // namespace

/// Every thread of each block has to run the body; parallelFor sees to it.
void needWholeBlocks(Context &cx, const CallSite &site) {
  if (cx.open->usesBarrier)
    return;
  cx.open->usesBarrier = true;
  cx.open->barrierAt = shownAt(cx, site.at);
  cx.open->barrierWhat = userCall(cx, site);
}

/// Subgroups of the task that have fewer lanes than the wave, as far as that is known: the
/// block's last one, and the loop's last one where its iterations are constant.
static std::vector<Tail> tails(Context &cx) {
  std::vector<Tail> found;
  unsigned dim = cx.blockDim(), wave = cx.wave();
  if (unsigned rest = dim % wave)
    found.push_back({rest, "the block has " + threads(dim),
                     cx.open && cx.open->task.serial ? "call it in a parallel loop"
                                                     : "make block_dim a multiple of the wave"});
  // Block operations need whole blocks in any case.
  if (!cx.open || !cx.open->constantIterations || cx.frame().module->library == "block")
    return found;
  Exact total = *cx.open->constantIterations;
  if (unsigned rest = unsigned(total % dim) % wave; rest && rest != dim % wave)
    found.push_back({rest,
                     "the loop has " + spell(total) + " iterations in blocks of " +
                         std::to_string(dim) + ", so that only " + lanes(rest) +
                         " of its last subgroup run" + (rest == 1 ? "s" : "") + " the body",
                     "make the bound a multiple of the wave and test the index in the body"});
  return found;
}

/// The tile that a call asks for: 2**log2_size lanes, or with no such value the whole wave.
bool checkTile(Context &cx, const std::string &what, SourceRange at, const Value *asked,
               unsigned &log2Size) {
  unsigned whole = 0;
  while ((2u << whole) <= cx.wave())
    ++whole;
  log2Size = whole;
  if (asked) {
    if (asked->isPoison())
      return false;
    if (asked->kind != Value::Int && asked->kind != Value::Bool)
      return error(cx, at, Problem::TileSizeNotStatic,
                   "`log2_size` of " + what + " has to be a compile-time integer, not " +
                       describe(*asked),
                   "use a literal, `subgroup.log2_group_size()` or a `qd.template()` parameter");
    Exact n = asked->integer;
    if (n < 0 || n > whole)
      return error(cx, at, Problem::TileWiderThanSubgroup,
                   what + " asks for a tile of 2**" + spell(n) + " lanes, but the subgroup has " +
                       std::to_string(cx.wave()),
                   "log2_size is between 0 and " + std::to_string(whole) +
                       " here; build this kernel for wider waves only if it needs more");
    log2Size = unsigned(n);
  }
  unsigned tile = 1u << log2Size;
  for (const Tail &tail : tails(cx)) {
    if (tail.lanes % tile == 0)
      continue;
    if (log2Size == whole)
      error(cx, at, Problem::SubgroupNotWhole,
            what + " works on whole subgroups of " + lanes(cx.wave()) + ", but " + tail.why,
            tail.fix + (tail.lanes > 1 && what.find("_tiled`") == std::string::npos
                            ? ", or use the `_tiled` form"
                            : ""));
    else
      error(cx, at, Problem::TileNotWhole,
            what + " works on tiles of " + lanes(tile) + ", but " + tail.why,
            cx.open && cx.open->task.serial ? tail.fix
            : tail.lanes == cx.blockDim() % cx.wave()
                ? "make block_dim a multiple of the tile"
                : "make the bound a multiple of the tile and test the index in the body");
    return false;
  }
  return true;
}

/// A lane that a shuffle reads has to be there, where the call says which it is. What the first
/// lanes of `shuffle_up` and the last ones of `shuffle_down` yield is not said in any case.
bool checkSourceLane(Context &cx, const std::string &what, SourceRange at, hir::ShuffleKind kind,
                     const ExprRef &lane) {
  Exact n = 0;
  if (!constInt(*lane, n))
    return true;
  using Kind = hir::ShuffleKind;
  bool isLane = kind == Kind::Index || kind == Kind::Broadcast;
  auto reaches = [&](unsigned count) {
    if (kind != Kind::Xor)
      return n < Exact(count);
    for (unsigned own = 0; own < count; ++own)
      if ((Exact(own) ^ n) >= Exact(count))
        return false;
    return true;
  };
  std::string asks = what +
                     (isLane              ? " reads lane "
                      : kind == Kind::Xor ? " exchanges values over a mask of "
                                          : " reads at a distance of ") +
                     spell(n);
  if (!reaches(cx.wave()))
    return error(cx, at, Problem::LaneOutsideSubgroup,
                 asks + ", but the subgroup has " + lanes(cx.wave()),
                 "lanes count from 0; `subgroup.group_size()` is how many there are");
  if (kind == Kind::Up)
    return true;
  // The library checks its tiles, and reads lanes whose value it only uses where they are.
  if (cx.frames.back()->module && !cx.frames.back()->module->library.empty())
    return true;
  for (const Tail &tail : tails(cx))
    if (!reaches(tail.lanes))
      return error(cx, at, Problem::LaneOutsideLastSubgroup, asks + ", but " + tail.why, tail.fix);
  return true;
}

/// All lanes of the subgroup, or its first `n`, have to be there.
bool checkBallot(Context &cx, const std::string &what, SourceRange at, std::optional<unsigned> n) {
  for (const Tail &tail : tails(cx)) {
    if (n && *n <= tail.lanes)
      continue;
    if (n)
      error(cx, at, Problem::BallotOfMissingLanes,
            what + " asks the first " + lanes(*n) + ", but " + tail.why,
            tail.fix + ", or ask for at most " + std::to_string(tail.lanes));
    else
      error(cx, at, Problem::SubgroupNotWhole,
            what + " works on whole subgroups of " + lanes(cx.wave()) + ", but " + tail.why,
            tail.fix + (tail.lanes > 1 ? ", or ask only the first lanes, with "
                                         "`subgroup.ballot_first_n`"
                                       : ""));
    return false;
  }
  return true;
}

//===--- What the library asks ---------------------------------------------===//

Value doCheckTile(Context &cx, CallSite &site) {
  const bool fits = checkTile(cx, userCall(cx, site), site.at, &site.args[0], site.log2Size);
  return fits ? Value::none() : Value();
}

/// `_check_integer(value, name)`, `_check_lane_id(value)`.
Value doCheckInteger(Context &cx, CallSite &site, bool isLane) {
  const Value &value = site.args[0];
  std::string name = isLane ? "lane_id" : site.args[1].text;
  bool isReal =
      value.kind == Value::Float || (value.kind == Value::Scalar && isFloat(value.expr->type));
  if (!value.isNumber() || isReal)
    return error(cx, site.at, Problem::LibraryArgumentNotInteger,
                 "`" + name + "` of " + userCall(cx, site) + " is an integer, not " +
                     describe(value),
                 isReal ? "compare it, as in `x != 0`, or cast it" : "");
  Exact n = value.integer;
  bool known =
      value.kind == Value::Int || (value.kind == Value::Scalar && constInt(*value.expr, n));
  if (isLane && known && (n < 0 || n > 31))
    return error(cx, site.at, Problem::LaneMaskBeyond31,
                 userCall(cx, site) + " has bits for the lanes 0 to 31, not for lane " + spell(n),
                 "`subgroup.ballot` has one for each of 64 lanes");
  return Value::none();
}

/// A value of fewer than 32 bits as one of 32 that compares alike: what lanes exchange.
Value doWiden(Context &cx, CallSite &site) {
  const Value &value = site.args[0];
  if (value.kind != Value::Scalar || bitWidth(value.expr->type) >= 32)
    return value.kind == Value::Bool ? Value::exactInt(value.integer) : value;
  Type type = value.expr->type;
  return Value::scalar(makeCast(value.expr, isSmallReal(type) ? Type::F32 : Type::I32, site.at));
}

/// `algorithms._number(n)`: a count, as a number. An array without dimensions stands for its
/// element.
Value doNumber(Context &cx, CallSite &site) {
  const Value &n = site.args[0];
  Value number = n;
  if (n.kind == Value::Array && n.array->shape.empty() && !n.array->structure)
    if (auto place = elementPlace(cx, n.array, Value::tuple({}), site.at))
      number = readPlace(cx, *place, site.at);
  const bool isInteger = number.kind == Value::Int ||
                         (number.kind == Value::Scalar && hir::isInteger(number.expr->type));
  if (n.isPoison() || isInteger)
    return number;
  return error(cx, site.at, Problem::CountNotInteger,
               "`n` of " + userCall(cx, site) +
                   " is an integer, or an array of one without "
                   "dimensions, not " +
                   describe(n));
}

/// `algorithms._is_scalar(array)`: true if the array's elements are scalars.
Value doIsScalar(Context &, CallSite &site) {
  const Value &array = site.args[0];
  return Value::exactBool(array.kind == Value::Array && !array.array->structure &&
                          !array.array->element.matrix);
}

/// `algorithms._dtype(value)`: the type of a number.
Value doDtype(Context &cx, CallSite &site) {
  if (site.args[0].isPoison() || !site.args[0].isNumber())
    return Value();
  return Value::ofElement({.type = typeOf(cx, site.args[0])});
}

/// The block's size as a call gives it: the loop's, of whole subgroups.
static bool checkBlockDim(Context &cx, const CallSite &site, Exact dim) {
  std::string what = userCall(cx, site);
  if (cx.open && cx.open->task.serial)
    return error(cx, site.at, Problem::BlockOperationInSerialCode,
                 what + " works on the threads of a block, but this is serial code, which one "
                        "thread runs",
                 "call it in a parallel loop");
  if (dim <= 0 || dim % cx.wave())
    return error(cx, site.at, Problem::BlockNotOfWholeSubgroups,
                 what + " works on blocks of whole subgroups of " + lanes(cx.wave()) +
                     ", but block_dim is " + spell(dim),
                 "make block_dim, here and in `qd.loop_config`, a multiple of the wave");
  if (dim != Exact(cx.blockDim()))
    return error(cx, site.at, Problem::BlockDimNotOfLoop,
                 what + " is told that block_dim is " + spell(dim) +
                     ", but the loop around it has blocks of " + threads(cx.blockDim()),
                 "write `qd.loop_config(block_dim=" + spell(dim) + ")` before the loop, or pass " +
                     std::to_string(cx.blockDim()));
  needWholeBlocks(cx, site);
  return true;
}

/// `_check(value, block_dim, dtype, op?)`
Value doCheckBlock(Context &cx, CallSite &site) {
  std::string what = userCall(cx, site);
  const Value &value = site.args[0];
  if (!checkBlockDim(cx, site, site.integer(1)))
    return Value();
  const Type type = site.dtype(2);
  if (type == Type::Bool || bitWidth(type) < 32)
    return error(cx, site.at, Problem::LanesTakeWord,
                 what + " takes i32, u32, i64, u64, f32 and f64, not " + spell(type),
                 isFloat(type) ? "cast the value to f32 and pass `qd.f32`"
                               : "cast the value to i32 and pass `qd.i32`");
  if (value.kind == Value::Scalar && value.expr->type != type)
    return error(cx, site.at, Problem::BlockDtypeNotOfValue,
                 what + " is told that dtype is " + spell(type) + ", but the value is " +
                     spell(value.expr->type),
                 "cast the value, as in `qd." + spell(type) + "(...)`, or pass `qd." +
                     spell(value.expr->type) + "`");
  if (!convert(cx, value, type, site.at))
    return Value();
  if (site.given[3] && site.args[3].kind != Value::Function && site.args[3].kind != Value::Builtin)
    return error(cx, site.at, Problem::BlockOperatorNotFunction,
                 "`op` of " + what + " has to be a `@qd.func` of (earlier, later), not " +
                     describe(site.args[3]));
  return Value::none();
}

/// One of the radix rank's two results: an array of the block with a number a digit.
static bool checkDigits(Context &cx, const CallSite &site, const Value &value, const char *name,
                        Exact digits) {
  std::string wanted = "`block.SharedArray((" + spell(digits) + ",), qd.i32)`";
  std::string is;
  if (value.kind != Value::Array)
    is = describe(value);
  else if (value.array->space != ArrayRef::Shared)
    is = "`" + value.array->name + "`, which is not a SharedArray";
  else if (value.array->element.matrix ||
           (value.array->element.type != Type::I32 && value.array->element.type != Type::U32))
    is = "an array of " + spell(value.array->element);
  else if (value.array->shape.size() != 1)
    is = "an array of " + std::to_string(value.array->shape.size()) + " dimensions";
  else if (value.array->shape[0].integer != digits)
    is = "an array of " + spell(value.array->shape[0].integer) + " elements";
  else
    return true;
  return error(cx, site.at, Problem::RadixResultNotArrayOfDigits,
               std::string("`") + name + "` of " + userCall(cx, site) + " has to be " + wanted +
                   ", not " + is);
}

/// `_check_radix(key, block_dim, radix_bits, bit_start, num_bits, bins, excl_prefix)`
Value doCheckRadix(Context &cx, CallSite &site) {
  std::string what = userCall(cx, site);
  SourceRange at = site.at;
  if (cx.wave() > 64)
    return error(cx, at, Problem::RadixSubgroupTooWide,
                 what + " needs subgroups of at most 64 lanes, and has " +
                     std::to_string(cx.wave()) + " here",
                 "build this kernel for narrower waves");
  const Exact dim = site.integer(1), radixBits = site.integer(2), bitStart = site.integer(3),
              numBits = site.integer(4);
  const Exact digits = Exact(1) << unsigned(radixBits);
  if (dim != digits)
    return error(cx, at, Problem::RadixBlockNotOfDigits,
                 what +
                     " needs one thread a digit: block_dim has to be 1 << radix_bits, which is " +
                     spell(digits) + ", not " + spell(dim),
                 "set block_dim, here and in `qd.loop_config`, to " + spell(digits));
  if (!checkBlockDim(cx, site, dim))
    return Value();
  if (numBits < 1 || numBits > radixBits)
    return error(cx, at, Problem::RadixNumBitsOutOfRange,
                 "`num_bits` of " + what + " has to be between 1 and radix_bits, which is " +
                     spell(radixBits) + ", not " + spell(numBits));
  if (bitStart < 0 || bitStart + numBits > 32)
    return error(cx, at, Problem::RadixDigitOutsideKey,
                 "the digit of " + what +
                     " has to lie within the key's 32 bits, but bit_start is " + spell(bitStart) +
                     " and num_bits " + spell(numBits));
  const Value &key = site.args[0];
  if (key.kind == Value::Scalar && bitWidth(key.expr->type) > 32)
    return error(cx, at, Problem::RadixKeyNotU32,
                 "`key` of " + what + " is u32, not " + describe(key),
                 "write `qd.u32(...)`, or `qd.bit_cast(...)` for the bits of a real");
  if (!checkDigits(cx, site, site.args[5], "bins", digits) ||
      !checkDigits(cx, site, site.args[6], "excl_prefix", digits))
    return Value();
  if (site.args[5].array == site.args[6].array)
    return error(cx, at, Problem::RadixResultsSameArray,
                 "`bins` and `excl_prefix` of " + what + " are the same array", "give it two");
  return Value::none();
}

} // namespace sextant::sema
