// The table of all functions that sema itself knows, by the namespace that they
// are found in. `math` shares `qd`'s.
#include "frontend/sema/builtins/Builtins.h"
#include "frontend/sema/eval/NameGuess.h"

namespace sextant::sema {

namespace {

using hir::UnaryOp;

constexpr int op(UnaryOp o) { return int(o); }
constexpr int op(hir::AtomicOp o) { return int(o); }

const Builtin kBuiltins[] = {
#define UNARY(NAME, OP) {"qd." NAME, "x", doUnaryMath, op(UnaryOp::OP)}
    UNARY("sqrt", Sqrt),
    UNARY("rsqrt", Rsqrt),
    UNARY("exp", Exp),
    UNARY("exp2", Exp2),
    UNARY("log", Log),
    UNARY("log2", Log2),
    UNARY("log10", Log10),
    UNARY("sin", Sin),
    UNARY("cos", Cos),
    UNARY("tan", Tan),
    UNARY("asin", Asin),
    UNARY("acos", Acos),
    UNARY("atan", Atan),
    UNARY("sinh", Sinh),
    UNARY("cosh", Cosh),
    UNARY("tanh", Tanh),
#undef UNARY
    {"qd.floor", "x,dtype?", doRounding, op(UnaryOp::Floor)},
    {"qd.ceil", "x,dtype?", doRounding, op(UnaryOp::Ceil)},
    {"qd.round", "x,dtype?", doRounding, op(UnaryOp::Round)},
    {"qd.trunc", "x,dtype?", doRounding, op(UnaryOp::Trunc)},
    {"py.round", "x", doRounding, op(UnaryOp::Round)},
    {"qd.abs", "x", doAbs},
    {"py.abs", "x", doAbs},
    {"qd.min", "*", doMinMax, 1},
    {"qd.max", "*", doMinMax, 0},
    {"py.min", "*", doMinMax, 1},
    {"py.max", "*", doMinMax, 0},
    {"qd.atan2", "y,x", doAtan2},
    {"qd.pow", "base,exponent", doPow},
    {"py.pow", "base,exponent", doPow},
    {"qd.popcnt", "x", doBits, op(UnaryOp::Popcnt)},
    {"qd.clz", "x", doBits, op(UnaryOp::Clz)},
    {"qd.ffs", "x", doBits, op(UnaryOp::Ffs)},
    {"qd.fns", "mask,base,offset", doBits, -1},
    {"qd.frexp", "x", doFrexp},
    {"qd.add", "a,b", doBinaryOp, int(ast::BinaryOp::Add)},
    {"qd.sub", "a,b", doBinaryOp, int(ast::BinaryOp::Sub)},
    {"qd.mul", "a,b", doBinaryOp, int(ast::BinaryOp::Mul)},
    {"qd.mod", "a,b", doBinaryOp, int(ast::BinaryOp::Mod)},
    {"qd.floordiv", "a,b", doBinaryOp, int(ast::BinaryOp::FloorDiv)},
    {"qd.truediv", "a,b", doBinaryOp, int(ast::BinaryOp::Div)},
    {"qd.bit_and", "a,b", doBinaryOp, int(ast::BinaryOp::And)},
    {"qd.bit_or", "a,b", doBinaryOp, int(ast::BinaryOp::Or)},
    {"qd.bit_xor", "a,b", doBinaryOp, int(ast::BinaryOp::Xor)},
    {"qd.bit_shl", "a,b", doBinaryOp, int(ast::BinaryOp::Shl)},
    {"qd.bit_sar", "a,b", doBinaryOp, int(ast::BinaryOp::Shr)},
    {"qd.bit_shr", "a,b", doBinaryOp, -1},
    {"qd.raw_div", "a,b", doBinaryOp, -2},
    {"qd.raw_mod", "a,b", doBinaryOp, -3},
    {"qd.logical_not", "x", doLogicNot},

    {"qd.static", "*", doStatic},
    {"qd.static_assert", "condition,message?", doStaticAssert},
    {"qd.static_print", "*", doStaticPrint},
    {"qd.cast", "value,dtype", doCast},
    {"qd.bit_cast", "value,dtype", doBitCast},
    {"py.int", "x?", doPyCast, 0},
    {"py.float", "x?", doPyCast, 1},
    {"py.bool", "x?", doPyCast, 2},
    {"py.len", "x", doLen},
    {"py.range", "*", doRange},
    {"py.tuple", "x", doTuple},
    {"py.list", "x", doTuple},
    {"py.sum", "x", doSum},
    {"py.any", "x", doAnyAll, 0},
    {"py.all", "x", doAnyAll, 1},
    {"py.enumerate", "x", doEnumerateZip, 0},
    {"py.zip", "*", doEnumerateZip, 1},
    {"py.print", "*", doNotDevice, 0, true},
    {"qd.print", "*", doNotDevice, 0, true},
    {"qd.ndrange", "*", doNdrange, 0, true},
    {"qd.grouped", "x", doGrouped},
    {"qd.loop_config", "*", doLoopConfig, 0, true},
    {"qd.block_dim", "n", doLoopConfig, 1, true},
    {"qd.zero", "x", doZeroOne, 0},
    {"qd.one", "x", doZeroOne, 1},
    {"qd.select", "condition,when_true,when_false", doSelect},
    {"qd.random", "dtype?", doRandom},
    {"qd.Vector", "arr,dt?", doVector},
    {"qd.Matrix", "arr,dt?", doMatrix},
    {"qd.Vector.field", "n,dtype,shape?,name?", doField, 1},
    {"qd.Matrix.field", "n,m,dtype,shape?,name?", doField, 2},
    {"qd.Vector.zero", "dt,n", doVector, 1},
    {"qd.Vector.one", "dt,n", doVector, 2},
    {"qd.Matrix.zero", "dt,n,m?", doMatrix, 1},
    {"qd.Matrix.one", "dt,n,m?", doMatrix, 2},
    {"qd.Matrix.identity", "dt,n", doMatrix, 3},
    {"qd.Matrix.rows", "rows", doRows, 0},
    {"qd.Matrix.cols", "cols", doRows, 1},
    {"qd.Matrix.diag", "dim,val", doDiag},
    {"qd.Matrix.unit", "n,i,dt?", doUnit},
    {"qd.Vector.unit", "n,i,dt?", doUnit},
    {"qd.field", "dtype,shape?,name?", doField, 0},
    {"qd.template", "", doTemplateType},
    {"qd.Template", "", doTemplateType},
    {"types.ndarray", "dtype?,ndim?,needs_grad?", doNdarrayType},
    {"types.NDArray", "dtype?,ndim?,needs_grad?", doNdarrayType},
    {"types.vector", "n,dtype", doMatrixType, 1},
    {"types.matrix", "n,m,dtype", doMatrixType, 2},
    {"qd.kernel", "*", doDecorator, 0, true},
    {"qd.func", "*", doDecorator, 0, true},
    {"qd.pyfunc", "*", doDecorator, 0, true},
    {"qd.init", "*", doDecorator, 0, true},
    {"qd.sync", "*", doDecorator, 0, true},
    {"qd.ndarray", "*", doDecorator, 0, true},

    {"qd.atomic_add", "x,y", doAtomic, op(hir::AtomicOp::Add), true},
    {"qd.atomic_sub", "x,y", doAtomic, -1, true},
    {"qd.atomic_mul", "x,y", doAtomic, op(hir::AtomicOp::Mul), true},
    {"qd.atomic_min", "x,y", doAtomic, op(hir::AtomicOp::Min), true},
    {"qd.atomic_max", "x,y", doAtomic, op(hir::AtomicOp::Max), true},
    {"qd.atomic_and", "x,y", doAtomic, op(hir::AtomicOp::And), true},
    {"qd.atomic_or", "x,y", doAtomic, op(hir::AtomicOp::Or), true},
    {"qd.atomic_xor", "x,y", doAtomic, op(hir::AtomicOp::Xor), true},
    {"qd.atomic_exchange", "x,y", doAtomic, op(hir::AtomicOp::Exchange), true},
    {"qd.atomic_cas", "x,expected,desired", doAtomicCas, 0, true},
    {"qd.volatile_load", "target", doVolatileLoad, 0, true},

#define VECTOR(NAME, PARAMS) {"qd." NAME, PARAMS, doVectorMethod}
    VECTOR("dot", "self,other"),
    VECTOR("cross", "self,other"),
    VECTOR("norm", "self,eps?"),
    VECTOR("norm_sqr", "self"),
    VECTOR("normalized", "self,eps?"),
    VECTOR("outer_product", "self,other"),
    VECTOR("transpose", "self"),
    VECTOR("trace", "self"),
    VECTOR("determinant", "self"),
    VECTOR("inverse", "self"),
    VECTOR("sum", "self"),
    VECTOR("any", "self"),
    VECTOR("all", "self"),
    VECTOR("length", "self"),
    VECTOR("normalize", "self"),
    VECTOR("distance", "self,other"),
    VECTOR("clamp", "self,lo,hi"),
    VECTOR("mix", "self,other,t"),
    VECTOR("fract", "self"),
    VECTOR("sign", "self"),
    VECTOR("step", "self,x"),
    VECTOR("isnan", "self"),
    VECTOR("isinf", "self"),
    VECTOR("degrees", "self"),
    VECTOR("radians", "self"),
    VECTOR("fma", "self,b,c"),
    VECTOR("reflect", "self,n"),
    VECTOR("smoothstep", "self,hi,x"),
    VECTOR("cdiv", "self,other"),
#undef VECTOR

    {"subgroup.shuffle", "value,index", doShuffle, int(hir::ShuffleKind::Index)},
    {"subgroup.shuffle_xor", "value,mask", doShuffle, int(hir::ShuffleKind::Xor)},
    {"subgroup.shuffle_up", "value,offset", doShuffle, int(hir::ShuffleKind::Up)},
    {"subgroup.shuffle_down", "value,offset", doShuffle, int(hir::ShuffleKind::Down)},
    {"subgroup.broadcast", "value,index", doShuffle, int(hir::ShuffleKind::Broadcast)},
    {"subgroup.broadcast_first", "value", doShuffle, -1},
    {"subgroup.invocation_id", "", doInvocation},
    {"subgroup.group_size", "", doGroupSize, 0},
    {"subgroup.log2_group_size", "", doGroupSize, 1},
    {"subgroup.ballot", "predicate", doBallot, 0},
    {"subgroup.ballot_full_subgroup", "predicate", doBallot, 1},
    {"subgroup.ballot_first_n", "predicate,n", doBallot, 2},
    {"subgroup._match", "value,bits", doMatch, 0},
    {"subgroup.all_true", "predicate", doVote, 1},
    {"subgroup.any_true", "predicate", doVote, 0},
    {"subgroup.all_true_tiled", "predicate,log2_size", doVote, 3},
    {"subgroup.any_true_tiled", "predicate,log2_size", doVote, 2},
// Reductions and scans: the operator, plus 16 for all lanes or exclusive, plus 32 for tiled.
#define REDUCE(NAME, OP)                                                                           \
  {"subgroup.reduce_" NAME, "value", doReduce, int(hir::Combine::OP)},                             \
      {"subgroup.reduce_all_" NAME, "value", doReduce, int(hir::Combine::OP) + 16},                \
      {"subgroup.reduce_" NAME "_tiled", "value,log2_size", doReduce, int(hir::Combine::OP) + 32}, \
      {"subgroup.reduce_all_" NAME "_tiled", "value,log2_size", doReduce,                          \
       int(hir::Combine::OP) + 48}
    REDUCE("add", Add),
    REDUCE("min", Min),
    REDUCE("max", Max),
#undef REDUCE
#define SCAN(NAME, OP)                                                                             \
  {"subgroup.inclusive_" NAME, "value", doScan, int(hir::Combine::OP)},                            \
      {"subgroup.exclusive_" NAME, "value", doScan, int(hir::Combine::OP) + 16},                   \
      {"subgroup.inclusive_" NAME "_tiled", "value,log2_size", doScan,                             \
       int(hir::Combine::OP) + 32},                                                                \
      {"subgroup.exclusive_" NAME "_tiled", "value,log2_size", doScan, int(hir::Combine::OP) + 48}
    SCAN("add", Add),
    SCAN("mul", Mul),
    SCAN("min", Min),
    SCAN("max", Max),
    SCAN("and", And),
    SCAN("or", Or),
    SCAN("xor", Xor),
#undef SCAN
    {"subgroup.sync", "", doSubgroupSync, 0},
    {"subgroup.barrier", "", doSubgroupSync, 1},
    {"subgroup.mem_fence", "", doFence, int(hir::FenceScope::Subgroup)},
    {"subgroup.memory_barrier", "", doFence, int(hir::FenceScope::Subgroup) + 16},
    {"block.sync", "", doSync},
    {"block.sync_all_nonzero", "predicate", doBarrierReduce, int(hir::BarrierReduceKind::All)},
    {"block.sync_any_nonzero", "predicate", doBarrierReduce, int(hir::BarrierReduceKind::Any)},
    {"block.sync_count_nonzero", "predicate", doBarrierReduce, int(hir::BarrierReduceKind::Count)},
    {"block.mem_fence", "", doFence, int(hir::FenceScope::Block)},
    {"block.mem_sync", "", doFence, int(hir::FenceScope::Block) + 16},
    {"block.SharedArray", "shape,dtype", doSharedArray},
    {"block.thread_idx", "", doThreadIdx, 0},
    {"block.global_thread_idx", "", doThreadIdx, 1},
    // For the library alone.
    {"subgroup._ballot", "predicate", doBallot, 3},
    {"subgroup._check_tile", "log2_size", doCheckTile},
    {"subgroup._check_integer", "value,name", doCheckInteger, 0},
    {"subgroup._check_lane_id", "value", doCheckInteger, 1},
    {"subgroup._widen", "value", doWiden},
    {"block._in_loop", "", doInLoop},
    {"block._check", "value,block_dim,dtype,op?", doCheckBlock},
    {"block._check_radix", "key,block_dim,radix_bits,bit_start,num_bits,bins,excl_prefix",
     doCheckRadix},
    {"grid.mem_fence", "", doFence, int(hir::FenceScope::Device)},
    {"grid.memfence", "", doFence, int(hir::FenceScope::Device) + 16},
};

} // namespace

const Builtin *findBuiltin(std::string_view name) {
  for (const Builtin &builtin : kBuiltins)
    if (name == builtin.name)
      return &builtin;
  return nullptr;
}

std::string closestBuiltin(std::string_view space, std::string_view name) {
  NameGuess guess(name);
  for (const Builtin &builtin : kBuiltins) {
    std::string_view full = builtin.name;
    if (full.substr(0, space.size()) == space && full[space.size()] == '.')
      guess.consider(full.substr(space.size() + 1));
  }
  return guess.best().empty() ? "" : std::string(space) + "." + guess.best();
}

} // namespace sextant::sema
