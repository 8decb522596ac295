// `qd.simt`: what maps to operations of the IR. The rest of the namespaces is
// library code in the kernel language.
#include "frontend/sema/Analyzer.h"

namespace sextant::sema {

using hir::Type;

bool KernelAnalyzer::inKernel(CallSite &site) {
  if (!isHost()) {
    block(site.at);
    return true;
  }
  error(site.at, "`" + callName(site) + "` runs on the device only");
  return false;
}

/// A scalar of the types that move between lanes.
bool KernelAnalyzer::simtScalar(const Value &value, SourceRange at, const std::string &what,
                                ExprRef &out) {
  if (value.isPoison())
    return false;
  if (!value.isNumber()) {
    error(at, what + " takes a scalar, not " + describe(value),
          value.kind == Value::Matrix ? "call it for each component" : "");
    return false;
  }
  out = toRuntime(value, at);
  if (!out)
    return false;
  if (out->type == Type::Bool || bitWidth(out->type) < 32) {
    error(at, what + " takes i32, u32, i64, u64, f32 and f64, not " + spell(out->type),
          out->type == Type::F16 ? "cast it, as in `qd.f32(...)`" : "cast it, as in `qd.i32(...)`");
    return false;
  }
  return true;
}

/// Lane numbers, offsets and masks: u32, or what converts to it without loss.
ExprRef KernelAnalyzer::laneOperand(const Value &value, SourceRange at, const std::string &what) {
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
    error(at, "a lane number, offset or mask of " + what + " is u32, not " + spell(type),
          "write `qd.u32(...)`");
    return nullptr;
  }
  if (!value.isPoison())
    error(at, "a lane number, offset or mask of " + what + " is u32, not " + describe(value));
  return nullptr;
}

//===--- Identity ----------------------------------------------------------===//

Value KernelAnalyzer::doGroupSize(CallSite &site) {
  unsigned log2 = 0;
  while ((2u << log2) <= options.wave)
    ++log2;
  return Value::exactInt(site.builtin->data == 0 ? options.wave : log2);
}

Value KernelAnalyzer::doInvocation(CallSite &site) {
  if (!inKernel(site))
    return Value();
  return Value::scalar(makeId(hir::Id::Lane, site.at));
}

Value KernelAnalyzer::doThreadIdx(CallSite &site) {
  if (!inKernel(site))
    return Value();
  ExprRef thread = makeId(hir::Id::ThreadIdx, site.at);
  if (site.builtin->data == 0)
    return Value::scalar(thread);
  ExprRef start = makeBinary(hir::BinaryOp::Mul, makeId(hir::Id::BlockIdx, site.at),
                             makeInt(blockDim(), Type::I32, site.at), Type::I32, site.at);
  return Value::scalar(makeBinary(hir::BinaryOp::Add, start, thread, Type::I32, site.at));
}

/// What the library has to know about where it is called: the block's size, whether the call
/// may run again, whether a value has a type or is a literal that takes it.
Value KernelAnalyzer::doTaskFact(CallSite &site) {
  if (!inKernel(site))
    return Value();
  if (site.builtin->data == 2) {
    const Value &value = site.args[0], &dtype = site.args[1];
    if (value.isPoison() || dtype.isPoison())
      return Value();
    bool isScalarType = dtype.kind == Value::Type && dtype.type.kind == TypeValue::Element &&
                        !dtype.type.element.matrix;
    return Value::exactBool(isScalarType &&
                            (value.isExact() || (value.kind == Value::Scalar &&
                                                 value.expr->type == dtype.type.element.type)));
  }
  return site.builtin->data == 0 ? Value::exactInt(blockDim()) : Value::exactBool(loopNesting > 0);
}

//===--- Moving data -------------------------------------------------------===//

Value KernelAnalyzer::doShuffle(CallSite &site) {
  if (!inKernel(site))
    return Value();
  std::string what = "`" + callName(site) + "`";
  ExprRef value;
  if (!simtScalar(site.args[0], site.at, what, value))
    return Value();
  ExprRef lane = makeInt(0, Type::U32, site.at);
  hir::ShuffleKind kind = hir::ShuffleKind::Broadcast;
  if (site.builtin->data >= 0) {
    kind = hir::ShuffleKind(site.builtin->data);
    lane = laneOperand(site.args[1], site.at, what);
    if (!lane)
      return Value();
  }
  Type type = value->type;
  return temp(makeExpr(type, hir::Shuffle{kind, take(value), take(lane)}, site.at), site.at,
              "shuffled");
}

//===--- Votes -------------------------------------------------------------===//

namespace {
bool integerOrBool(const Value &value, const ExprRef &e) {
  return value.kind != Value::Float && !isFloat(e->type);
}
} // namespace

Value KernelAnalyzer::doBallot(CallSite &site) {
  if (!inKernel(site))
    return Value();
  SourceRange at = site.at;
  std::string what = "`" + callName(site) + "`";
  if (site.builtin->data == 1)
    warnOnce(callName(site), at, what + " is deprecated", "use `subgroup.ballot`");
  if (!site.args[0].isNumber())
    return error(at, what + " takes an integer predicate, not " + describe(site.args[0]));
  ExprRef e = toRuntime(site.args[0], at);
  if (!e)
    return Value();
  if (!integerOrBool(site.args[0], e))
    return error(at, what + " takes an integer predicate, not " + spell(e->type),
                 "compare it, as in `x != 0`");
  ExprRef predicate = makeCast(e, Type::Bool, at);
  if (site.builtin->data != 2)
    return temp(makeExpr(Type::U64, hir::Ballot{take(predicate)}, at), at, "ballot");
  auto n = exactInt(site.args[1], at, "`n` of `subgroup.ballot_first_n`");
  if (!n)
    return Value();
  if (*n < 1 || *n > 32)
    return error(at,
                 "`n` of `subgroup.ballot_first_n` has to be between 1 and 32, not " + spell(*n));
  // Lanes that the subgroup does not have contribute no bits.
  if (*n < Exact(options.wave) && *n < 32) {
    ExprRef inside = makeBinary(hir::BinaryOp::Lt, makeId(hir::Id::Lane, at),
                                makeInt(*n, Type::I32, at), Type::Bool, at);
    predicate = makeBinary(hir::BinaryOp::And, predicate, inside, Type::Bool, at);
  }
  Value ballot = temp(makeExpr(Type::U64, hir::Ballot{take(predicate)}, at), at, "ballot");
  return Value::scalar(makeCast(ballot.expr, Type::U32, at));
}

/// The tile that a call asks for; its last parameter, or the whole wave.
bool KernelAnalyzer::tileSize(CallSite &site, size_t param, unsigned &log2Size) {
  unsigned whole = 0;
  while ((2u << whole) <= options.wave)
    ++whole;
  std::string what = "`" + callName(site) + "`";
  if (param >= site.args.size()) {
    log2Size = whole;
    if (blockDim() % options.wave) {
      error(site.at,
            what + " works on whole subgroups of " + std::to_string(options.wave) +
                " lanes, but the block has " + std::to_string(blockDim()) +
                (blockDim() == 1 ? " thread" : " threads"),
            open && open->task.serial
                ? "call it in a parallel loop"
                : "make block_dim a multiple of the wave, or use the `_tiled` form");
      return false;
    }
    return true;
  }
  if (site.args[param].isPoison())
    return false;
  if (site.args[param].kind != Value::Int && site.args[param].kind != Value::Bool) {
    error(site.at,
          "`log2_size` of " + what + " has to be a compile-time integer, not " +
              describe(site.args[param]),
          "use a literal, `subgroup.log2_group_size()` or a `qd.template()` parameter");
    return false;
  }
  Exact n = site.args[param].integer;
  if (n < 0 || n > whole) {
    error(site.at,
          what + " asks for a tile of 2**" + spell(n) + " lanes, but the subgroup has " +
              std::to_string(options.wave),
          "log2_size is between 0 and " + std::to_string(whole) +
              " here; build this kernel for wider waves only if it needs more");
    return false;
  }
  log2Size = unsigned(n);
  unsigned tile = 1u << log2Size;
  if (blockDim() % tile) {
    error(site.at,
          what + " works on tiles of " + std::to_string(tile) + " lanes, but the block has " +
              std::to_string(blockDim()) + (blockDim() == 1 ? " thread" : " threads"),
          open && open->task.serial ? "call it in a parallel loop"
                                    : "make block_dim a multiple of the tile");
    return false;
  }
  return true;
}

Value KernelAnalyzer::doVote(CallSite &site) {
  if (!inKernel(site))
    return Value();
  SourceRange at = site.at;
  bool tiled = site.builtin->data & 2, all = site.builtin->data & 1;
  unsigned log2Size = 0;
  if (!tileSize(site, tiled ? 1 : 9, log2Size))
    return Value();
  if (!site.args[0].isNumber())
    return error(at, "`" + callName(site) + "` takes a scalar predicate, not " +
                         describe(site.args[0]));
  ExprRef predicate = toBool(site.args[0], at);
  if (!predicate)
    return Value();
  Value vote =
      temp(makeExpr(Type::Bool, hir::Vote{all, take(predicate), log2Size}, at), at, "vote");
  return Value::scalar(makeCast(vote.expr, Type::I32, at));
}

//===--- Reductions and scans ----------------------------------------------===//

namespace {
bool isBitwise(hir::Combine op) {
  return op == hir::Combine::And || op == hir::Combine::Or || op == hir::Combine::Xor;
}
} // namespace

Value KernelAnalyzer::doReduce(CallSite &site) {
  if (!inKernel(site))
    return Value();
  int data = site.builtin->data;
  hir::Combine op = hir::Combine(data & 15);
  unsigned log2Size = 0;
  ExprRef value;
  if (!simtScalar(site.args[0], site.at, "`" + callName(site) + "`", value) ||
      !tileSize(site, data & 32 ? 1 : 9, log2Size))
    return Value();
  Type type = value->type;
  return temp(makeExpr(type, hir::Reduce{op, take(value), log2Size, (data & 16) != 0}, site.at),
              site.at, "reduced");
}

Value KernelAnalyzer::doScan(CallSite &site) {
  if (!inKernel(site))
    return Value();
  int data = site.builtin->data;
  hir::Combine op = hir::Combine(data & 15);
  unsigned log2Size = 0;
  ExprRef value;
  if (!simtScalar(site.args[0], site.at, "`" + callName(site) + "`", value) ||
      !tileSize(site, data & 32 ? 1 : 9, log2Size))
    return Value();
  if (isBitwise(op) && isFloat(value->type))
    return error(site.at, "`" + callName(site) + "` is bitwise and takes integers, not " +
                              spell(value->type));
  Type type = value->type;
  return temp(makeExpr(type, hir::Scan{op, take(value), log2Size, (data & 16) != 0}, site.at),
              site.at, "scanned");
}

//===--- Barriers and fences -----------------------------------------------===//

Value KernelAnalyzer::doSubgroupSync(CallSite &site) {
  if (!inKernel(site))
    return Value();
  if (site.builtin->data)
    warnOnce(callName(site), site.at, "`" + callName(site) + "` is deprecated",
             "use `subgroup.sync`");
  emit(site.at, hir::SubgroupBarrier{});
  return Value::none();
}

Value KernelAnalyzer::doFence(CallSite &site) {
  if (!inKernel(site))
    return Value();
  if (site.builtin->data & 16) {
    std::string name = callName(site);
    warnOnce(name, site.at, "`" + name + "` is deprecated",
             "use `" + name.substr(0, name.find('.')) + ".mem_fence`");
  }
  emit(site.at, hir::Fence{hir::FenceScope(site.builtin->data & 15)});
  return Value::none();
}

Value KernelAnalyzer::doSync(CallSite &site) {
  if (!inKernel(site))
    return Value();
  if (!open->usesBarrier) {
    open->usesBarrier = true;
    open->barrierAt = site.at;
    open->barrierWhat = "`" + callName(site) + "`";
    for (size_t i = frames.size(); i-- > 1;) // shown where the user wrote it
      if (!frames[i]->module->library.empty() && frames[i]->callAt.file) {
        open->barrierAt = frames[i]->callAt;
        open->barrierWhat =
            "`" + frames[i]->module->library + "." + std::string(frames[i]->function->name) + "`";
      }
  }
  emit(site.at, hir::Barrier{});
  return Value::none();
}

Value KernelAnalyzer::doBarrierReduce(CallSite &site) {
  if (!inKernel(site))
    return Value();
  SourceRange at = site.at;
  std::string what = "`" + callName(site) + "`";
  if (!site.args[0].isNumber())
    return error(at, what + " takes an integer predicate, not " + describe(site.args[0]));
  ExprRef e = toRuntime(site.args[0], at);
  if (!e)
    return Value();
  if (isFloat(e->type))
    return error(at, what + " takes an integer predicate, not " + spell(e->type),
                 "compare it, as in `x != 0`");
  if (!open->usesBarrier) {
    open->usesBarrier = true;
    open->barrierAt = at;
    open->barrierWhat = what;
  }
  ExprRef predicate = makeCast(e, Type::Bool, at);
  return temp(
      makeExpr(Type::I32,
               hir::BarrierReduce{hir::BarrierReduceKind(site.builtin->data), take(predicate)}, at),
      at, "reduced");
}

//===--- Shared memory -----------------------------------------------------===//

Value KernelAnalyzer::doSharedArray(CallSite &site) {
  if (isHost())
    return error(site.at, "a SharedArray is made inside a kernel or function");
  SourceRange at = site.at;
  const Value &dtype = site.args[1];
  if (dtype.kind != Value::Type || dtype.type.kind != TypeValue::Element)
    return error(at, "`block.SharedArray` needs a dtype, not " + describe(dtype));
  auto array = std::make_shared<ArrayRef>();
  array->space = ArrayRef::Shared;
  array->element = dtype.type.element;
  array->at = at;
  Exact count = array->element.count();
  std::vector<Value> shape = indexList(site.args[0]);
  if (shape.empty())
    return error(at, "`block.SharedArray` needs at least one extent");
  for (const Value &extent : shape) {
    auto n = exactInt(extent, at, "the shape of a SharedArray");
    if (!n)
      return Value();
    if (*n < 1)
      return error(at, "the extents of a SharedArray have to be positive, not " + spell(*n));
    count *= *n;
    if (count > Exact(1) << 28)
      return error(at, "this SharedArray is larger than any device's shared memory");
    array->shape.push_back(Value::exactInt(*n));
  }
  hir::ArrayDecl decl;
  decl.name = "shared" + std::to_string(sharedArrays.size());
  if (frames.size() > 1 && frame().function && !frame().isKernel)
    decl.name = std::string(frame().function->name) + "." + decl.name;
  if (!sharedName.empty())
    decl.name = std::string(sharedName);
  decl.type = array->element.type;
  decl.count = uint64_t(count);
  decl.at = at;
  array->name = decl.name;
  array->buffer = {hir::BufferRef::Shared, unsigned(sharedArrays.size())};
  sharedArrays.push_back(std::move(decl));
  Value v = Value::of(Value::Array);
  v.array = std::move(array);
  return v;
}

} // namespace sextant::sema
