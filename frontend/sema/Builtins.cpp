// The table of all functions that sema itself knows, by the namespace that they
// are found in. `math` shares `qd`'s.
#include "frontend/sema/Analyzer.h"
#include "frontend/sema/NameGuess.h"

namespace sextant::sema {

namespace {

using K = KernelAnalyzer;
using hir::UnaryOp;

constexpr int op(UnaryOp o) { return int(o); }
constexpr int op(hir::AtomicOp o) { return int(o); }

const Builtin kBuiltins[] = {
#define UNARY(NAME, OP) {"qd." NAME, "x", &K::doUnaryMath, op(UnaryOp::OP)}
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
    {"qd.floor", "x,dtype?", &K::doRounding, op(UnaryOp::Floor)},
    {"qd.ceil", "x,dtype?", &K::doRounding, op(UnaryOp::Ceil)},
    {"qd.round", "x,dtype?", &K::doRounding, op(UnaryOp::Round)},
    {"qd.trunc", "x,dtype?", &K::doRounding, op(UnaryOp::Trunc)},
    {"py.round", "x", &K::doRounding, op(UnaryOp::Round)},
    {"qd.abs", "x", &K::doAbs},
    {"py.abs", "x", &K::doAbs},
    {"qd.min", "*", &K::doMinMax, 1},
    {"qd.max", "*", &K::doMinMax, 0},
    {"py.min", "*", &K::doMinMax, 1},
    {"py.max", "*", &K::doMinMax, 0},
    {"qd.atan2", "y,x", &K::doAtan2},
    {"qd.pow", "base,exponent", &K::doPow},
    {"py.pow", "base,exponent", &K::doPow},
    {"qd.popcnt", "x", &K::doBits, op(UnaryOp::Popcnt)},
    {"qd.clz", "x", &K::doBits, op(UnaryOp::Clz)},
    {"qd.ffs", "x", &K::doBits, op(UnaryOp::Ffs)},
    {"qd.fns", "mask,base,offset", &K::doBits, -1},
    {"qd.frexp", "x", &K::doFrexp},
    {"qd.add", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Add)},
    {"qd.sub", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Sub)},
    {"qd.mul", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Mul)},
    {"qd.mod", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Mod)},
    {"qd.floordiv", "a,b", &K::doBinaryOp, int(ast::BinaryOp::FloorDiv)},
    {"qd.truediv", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Div)},
    {"qd.bit_and", "a,b", &K::doBinaryOp, int(ast::BinaryOp::And)},
    {"qd.bit_or", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Or)},
    {"qd.bit_xor", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Xor)},
    {"qd.bit_shl", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Shl)},
    {"qd.bit_sar", "a,b", &K::doBinaryOp, int(ast::BinaryOp::Shr)},
    {"qd.bit_shr", "a,b", &K::doBinaryOp, -1},
    {"qd.raw_div", "a,b", &K::doBinaryOp, -2},
    {"qd.raw_mod", "a,b", &K::doBinaryOp, -3},
    {"qd.logical_not", "x", &K::doLogicNot},

    {"qd.static", "*", &K::doStatic},
    {"qd.static_assert", "condition,message?", &K::doStaticAssert},
    {"qd.static_print", "*", &K::doStaticPrint},
    {"qd.cast", "value,dtype", &K::doCast},
    {"qd.bit_cast", "value,dtype", &K::doBitCast},
    {"py.int", "x?", &K::doPyCast, 0},
    {"py.float", "x?", &K::doPyCast, 1},
    {"py.bool", "x?", &K::doPyCast, 2},
    {"py.len", "x", &K::doLen},
    {"py.range", "*", &K::doRange},
    {"py.tuple", "x", &K::doTuple},
    {"py.list", "x", &K::doTuple},
    {"py.sum", "x", &K::doSum},
    {"py.any", "x", &K::doAnyAll, 0},
    {"py.all", "x", &K::doAnyAll, 1},
    {"py.enumerate", "x", &K::doEnumerateZip, 0},
    {"py.zip", "*", &K::doEnumerateZip, 1},
    {"py.print", "*", &K::doNotDevice, 0, true},
    {"qd.print", "*", &K::doNotDevice, 0, true},
    {"qd.ndrange", "*", &K::doNdrange, 0, true},
    {"qd.grouped", "x", &K::doGrouped},
    {"qd.loop_config", "*", &K::doLoopConfig, 0, true},
    {"qd.block_dim", "n", &K::doLoopConfig, 1, true},
    {"qd.zero", "x", &K::doZeroOne, 0},
    {"qd.one", "x", &K::doZeroOne, 1},
    {"qd.select", "condition,when_true,when_false", &K::doSelect},
    {"qd.random", "dtype?", &K::doRandom},
    {"qd.Vector", "arr,dt?", &K::doVector},
    {"qd.Matrix", "arr,dt?", &K::doMatrix},
    {"qd.Vector.field", "n,dtype,shape?,name?", &K::doField, 1},
    {"qd.Matrix.field", "n,m,dtype,shape?,name?", &K::doField, 2},
    {"qd.Vector.zero", "dt,n", &K::doVector, 1},
    {"qd.Vector.one", "dt,n", &K::doVector, 2},
    {"qd.Matrix.zero", "dt,n,m?", &K::doMatrix, 1},
    {"qd.Matrix.one", "dt,n,m?", &K::doMatrix, 2},
    {"qd.Matrix.identity", "dt,n", &K::doMatrix, 3},
    {"qd.Matrix.rows", "rows", &K::doRows, 0},
    {"qd.Matrix.cols", "cols", &K::doRows, 1},
    {"qd.Matrix.diag", "dim,val", &K::doDiag},
    {"qd.Matrix.unit", "n,i,dt?", &K::doUnit},
    {"qd.Vector.unit", "n,i,dt?", &K::doUnit},
    {"qd.field", "dtype,shape?,name?", &K::doField, 0},
    {"qd.template", "", &K::doTemplateType},
    {"qd.Template", "", &K::doTemplateType},
    {"types.ndarray", "dtype?,ndim?,needs_grad?", &K::doNdarrayType},
    {"types.NDArray", "dtype?,ndim?,needs_grad?", &K::doNdarrayType},
    {"types.vector", "n,dtype", &K::doMatrixType, 1},
    {"types.matrix", "n,m,dtype", &K::doMatrixType, 2},
    {"qd.kernel", "*", &K::doDecorator, 0, true},
    {"qd.func", "*", &K::doDecorator, 0, true},
    {"qd.pyfunc", "*", &K::doDecorator, 0, true},
    {"qd.init", "*", &K::doDecorator, 0, true},
    {"qd.sync", "*", &K::doDecorator, 0, true},
    {"qd.ndarray", "*", &K::doDecorator, 0, true},

    {"qd.atomic_add", "x,y", &K::doAtomic, op(hir::AtomicOp::Add), true},
    {"qd.atomic_sub", "x,y", &K::doAtomic, -1, true},
    {"qd.atomic_mul", "x,y", &K::doAtomic, op(hir::AtomicOp::Mul), true},
    {"qd.atomic_min", "x,y", &K::doAtomic, op(hir::AtomicOp::Min), true},
    {"qd.atomic_max", "x,y", &K::doAtomic, op(hir::AtomicOp::Max), true},
    {"qd.atomic_and", "x,y", &K::doAtomic, op(hir::AtomicOp::And), true},
    {"qd.atomic_or", "x,y", &K::doAtomic, op(hir::AtomicOp::Or), true},
    {"qd.atomic_xor", "x,y", &K::doAtomic, op(hir::AtomicOp::Xor), true},
    {"qd.atomic_exchange", "x,y", &K::doAtomic, op(hir::AtomicOp::Exchange), true},
    {"qd.atomic_cas", "x,expected,desired", &K::doAtomicCas, 0, true},
    {"qd.volatile_load", "target", &K::doVolatileLoad, 0, true},

#define VECTOR(NAME, PARAMS) {"qd." NAME, PARAMS, &K::doVectorMethod}
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

    {"subgroup.shuffle", "value,index", &K::doShuffle, int(hir::ShuffleKind::Index)},
    {"subgroup.shuffle_xor", "value,mask", &K::doShuffle, int(hir::ShuffleKind::Xor)},
    {"subgroup.shuffle_up", "value,offset", &K::doShuffle, int(hir::ShuffleKind::Up)},
    {"subgroup.shuffle_down", "value,offset", &K::doShuffle, int(hir::ShuffleKind::Down)},
    {"subgroup.broadcast", "value,index", &K::doShuffle, int(hir::ShuffleKind::Broadcast)},
    {"subgroup.broadcast_first", "value", &K::doShuffle, -1},
    {"subgroup.invocation_id", "", &K::doInvocation},
    {"subgroup.group_size", "", &K::doGroupSize, 0},
    {"subgroup.log2_group_size", "", &K::doGroupSize, 1},
    {"subgroup.ballot", "predicate", &K::doBallot, 0},
    {"subgroup.ballot_full_subgroup", "predicate", &K::doBallot, 1},
    {"subgroup.ballot_first_n", "predicate,n", &K::doBallot, 2},
    {"subgroup._match", "value,bits", &K::doMatch, 0},
    {"subgroup.all_true", "predicate", &K::doVote, 1},
    {"subgroup.any_true", "predicate", &K::doVote, 0},
    {"subgroup.all_true_tiled", "predicate,log2_size", &K::doVote, 3},
    {"subgroup.any_true_tiled", "predicate,log2_size", &K::doVote, 2},
// Reductions and scans: the operator, plus 16 for all lanes or exclusive, plus 32 for tiled.
#define REDUCE(NAME, OP)                                                                           \
  {"subgroup.reduce_" NAME, "value", &K::doReduce, int(hir::Combine::OP)},                         \
      {"subgroup.reduce_all_" NAME, "value", &K::doReduce, int(hir::Combine::OP) + 16},            \
      {"subgroup.reduce_" NAME "_tiled", "value,log2_size", &K::doReduce,                          \
       int(hir::Combine::OP) + 32},                                                                \
      {"subgroup.reduce_all_" NAME "_tiled", "value,log2_size", &K::doReduce,                      \
       int(hir::Combine::OP) + 48}
    REDUCE("add", Add),
    REDUCE("min", Min),
    REDUCE("max", Max),
#undef REDUCE
#define SCAN(NAME, OP)                                                                             \
  {"subgroup.inclusive_" NAME, "value", &K::doScan, int(hir::Combine::OP)},                        \
      {"subgroup.exclusive_" NAME, "value", &K::doScan, int(hir::Combine::OP) + 16},               \
      {"subgroup.inclusive_" NAME "_tiled", "value,log2_size", &K::doScan,                         \
       int(hir::Combine::OP) + 32},                                                                \
      {"subgroup.exclusive_" NAME "_tiled", "value,log2_size", &K::doScan,                         \
       int(hir::Combine::OP) + 48}
    SCAN("add", Add),
    SCAN("mul", Mul),
    SCAN("min", Min),
    SCAN("max", Max),
    SCAN("and", And),
    SCAN("or", Or),
    SCAN("xor", Xor),
#undef SCAN
    {"subgroup.sync", "", &K::doSubgroupSync, 0},
    {"subgroup.barrier", "", &K::doSubgroupSync, 1},
    {"subgroup.mem_fence", "", &K::doFence, int(hir::FenceScope::Subgroup)},
    {"subgroup.memory_barrier", "", &K::doFence, int(hir::FenceScope::Subgroup) + 16},
    {"block.sync", "", &K::doSync},
    {"block.sync_all_nonzero", "predicate", &K::doBarrierReduce, int(hir::BarrierReduceKind::All)},
    {"block.sync_any_nonzero", "predicate", &K::doBarrierReduce, int(hir::BarrierReduceKind::Any)},
    {"block.sync_count_nonzero", "predicate", &K::doBarrierReduce,
     int(hir::BarrierReduceKind::Count)},
    {"block.mem_fence", "", &K::doFence, int(hir::FenceScope::Block)},
    {"block.mem_sync", "", &K::doFence, int(hir::FenceScope::Block) + 16},
    {"block.SharedArray", "shape,dtype", &K::doSharedArray},
    {"block.thread_idx", "", &K::doThreadIdx, 0},
    {"block.global_thread_idx", "", &K::doThreadIdx, 1},
    // For the library alone.
    {"subgroup._ballot", "predicate", &K::doBallot, 3},
    {"subgroup._check_tile", "log2_size", &K::doCheckTile},
    {"subgroup._check_integer", "value,name", &K::doCheckInteger, 0},
    {"subgroup._check_lane_id", "value", &K::doCheckInteger, 1},
    {"subgroup._widen", "value", &K::doWiden},
    {"block._in_loop", "", &K::doInLoop},
    {"block._check", "value,block_dim,dtype,op?", &K::doCheckBlock},
    {"block._check_radix", "key,block_dim,radix_bits,bit_start,num_bits,bins,excl_prefix",
     &K::doCheckRadix},
    {"grid.mem_fence", "", &K::doFence, int(hir::FenceScope::Device)},
    {"grid.memfence", "", &K::doFence, int(hir::FenceScope::Device) + 16},
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
