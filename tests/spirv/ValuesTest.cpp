// Scalars, control flow, ops on single values, and the operators of atomics.
#include "backends/spirv/Arith.h"
#include "backends/spirv/Combine.h"
#include "tests/spirv/Written.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace spirvtest;
namespace arith = mlir::arith;
using simt::CombineKind;

namespace {

mlir::Type integerType(Written &task, unsigned width) {
  return mlir::IntegerType::get(&task.context, width);
}

} // namespace

TEST_CASE("narrow integers are carried in 32 bits") {
  Written task("", "");
  ScalarWriter &w = task.code.w;
  for (unsigned width : {8u, 16u, 32u})
    CHECK(w.typeOf(integerType(task, width)) == w.u32Type());
  CHECK(w.typeOf(integerType(task, 1)) == w.boolType());
  CHECK(w.requirements().empty());
  const Id value = w.op(spv::OpIAdd, w.u32Type(), {w.u32(250), w.u32(10)});
  CHECK(w.normalized(value, integerType(task, 32)) == value);
  CHECK(w.signExtended(value, integerType(task, 32)) == value);
  w.normalized(value, integerType(task, 8));
  w.signExtended(value, integerType(task, 16));
  task.finish();
  CHECK(task.number(task.only(spv::OpBitwiseAnd).operands[1]) == 255);
  const Instruction extract = task.only(spv::OpBitFieldSExtract);
  CHECK(task.number(extract.operands[1]) == 0);
  CHECK(task.number(extract.operands[2]) == 16);
}

TEST_CASE("types that not every device has are requirements") {
  Written task("", "");
  ScalarWriter &w = task.code.w;
  w.typeOf(mlir::Float32Type::get(&task.context));
  CHECK(w.requirements().empty());
  w.typeOf(integerType(task, 64));
  CHECK(w.requirements() == std::set<std::string>{"int64"});
  w.typeOf(mlir::Float64Type::get(&task.context));
  w.typeOf(mlir::Float16Type::get(&task.context));
  CHECK(w.requirements() == std::set<std::string>{"float16", "float64", "int64"});
}

TEST_CASE("bits of a half go through GLSL's packing, both ways") {
  Written task("", "");
  ScalarWriter &w = task.code.w;
  mlir::Type half = mlir::Float16Type::get(&task.context), bits = integerType(task, 16);
  mlir::Type f32 = mlir::Float32Type::get(&task.context), i32 = integerType(task, 32);
  const Id one = w.integer(half, 0x3c00);
  CHECK(w.bitcast(one, half, half) == one);
  w.bitcast(w.bitcast(one, half, bits), bits, half);
  w.bitcast(w.integer(f32, 0x3f800000), f32, i32);
  task.finish();
  CHECK(task.count(spv::OpBitcast) == 1); // the one to f32
  std::vector<uint32_t> functions;
  for (const Instruction &call : task.all(spv::OpExtInst))
    functions.push_back(call.operands[1]);
  CHECK(functions == std::vector<uint32_t>{GLSLstd450PackHalf2x16, GLSLstd450UnpackHalf2x16});
}

TEST_CASE("operations on reals must not be contracted") {
  Written task("", "");
  ScalarWriter &w = task.code.w;
  mlir::Type f32 = mlir::Float32Type::get(&task.context);
  const Id one = w.integer(f32, 0x3f800000);
  const Id sum = w.floatOp(spv::OpFAdd, f32, {one, one});
  const Id root = w.floatFunction(GLSLstd450Sqrt, f32, {sum});
  task.finish();
  CHECK(task.isDecorated(sum, spv::DecorationNoContraction));
  CHECK(task.isDecorated(root, spv::DecorationNoContraction));
}

TEST_CASE("choose joins the values of the last blocks of its sides") {
  Written task("", "");
  ScalarWriter &w = task.code.w;
  Id inner = 0;
  const Id type = w.u32Type();
  const Id result = choose(
      w, type, w.boolConstant(true),
      [&] {
        return choose(
            w, type, w.boolConstant(false), [&] { return w.u32(1); }, [&] { return w.u32(2); });
      },
      [&] {
        inner = w.block();
        return w.u32(3);
      });
  task.finish();
  const std::vector<Instruction> phis = task.all(spv::OpPhi);
  REQUIRE(phis.size() == 2);
  const Instruction outer = task.maker(result);
  CHECK(outer.operands[0] == phis[0].result);
  CHECK(outer.operands[1] == task.all(spv::OpSelectionMerge)[1].operands[0]);
  CHECK(task.number(outer.operands[2]) == 3);
  CHECK(outer.operands[3] == inner);
}

TEST_CASE("a loop of compare-and-swaps goes on from the word that it found") {
  Written task("", "");
  ScalarWriter &w = task.code.w;
  const Id word = w.variable(spv::StorageClassWorkgroup, w.u32Type());
  const Id before = w.block();
  const Id old = casLoop(w, word, w.u32Type(), w.u32(spv::ScopeWorkgroup),
                         [&](Id now) { return w.op(spv::OpIMul, w.u32Type(), {now, w.u32(3)}); });
  task.finish();
  const Instruction phi = task.only(spv::OpPhi), swap = task.only(spv::OpAtomicCompareExchange);
  CHECK(phi.result == old);
  CHECK(phi.operands[0] == task.only(spv::OpAtomicLoad).result);
  CHECK(phi.operands[1] == before);
  CHECK(phi.operands[2] == swap.result);
  CHECK(swap.operands[4] == task.only(spv::OpIMul).result);
  CHECK(swap.operands[5] == old);
}

TEST_CASE("an op on narrow integers extends only what its result depends on") {
  Written task("", "%a = arith.constant -7 : i8\n%b = arith.constant 2 : i8\n"
                   "%s = arith.shrsi %a, %b : i8\n%m = arith.minsi %a, %b : i8\n"
                   "%q = arith.divsi %a, %b : i8\n%v = arith.divsi %b, %s : i8");
  task.constants();
  auto emit = [&](mlir::Operation &op) {
    Words operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(task.values.lookup(operand));
    return task.values[op.getResult(0)] = elementwise(op, operands, false, task.code.w);
  };
  ScalarWriter &w = task.code.w;
  const Id shifted = emit(*task.find<arith::ShRSIOp>());
  const Id mark = w.newId();
  const Id least = emit(*task.find<arith::MinSIOp>());
  emit(*task.find<arith::DivSIOp>(0));
  const Id last = w.newId();
  emit(*task.find<arith::DivSIOp>(1));
  CHECK(elementwise(*task.source().getBody().front().getTerminator(), {}, false, w) == 0);
  task.finish();
  unsigned inShift = 0, selects = 0;
  for (const Instruction &one : task.all(spv::OpBitFieldSExtract))
    inShift += one.result < mark;
  CHECK(inShift == 1); // the distance has no sign
  // A divisor that is neither 0 nor -1 is taken as it is.
  for (const Instruction &one : task.all(spv::OpSelect)) {
    ++selects;
    CHECK(one.result > last);
  }
  CHECK(selects == 1);
  CHECK(task.maker(shifted).op == spv::OpBitwiseAnd);
  CHECK(task.maker(least).op == spv::OpBitwiseAnd);
}

TEST_CASE("precise operations are told from others where the backend asks for it") {
  const char *body = "%a = arith.constant 1.0 : f32\n%s = arith.addf %a, %a {simt.precise} : f32\n"
                     "%u = arith.addf %a, %a : f32";
  for (bool marks : {false, true}) {
    Written task("", body);
    task.constants();
    Id sums[2];
    for (unsigned number : {0, 1}) {
      auto op = task.find<arith::AddFOp>(number);
      const Id a = task.values.lookup(op.getLhs());
      sums[number] = elementwise(*op, {a, a}, marks, task.code.w);
    }
    task.finish();
    CHECK(task.isDecorated(sums[0], spv::DecorationRelaxedPrecision) == marks);
    CHECK_FALSE(task.isDecorated(sums[1], spv::DecorationRelaxedPrecision));
  }
}

TEST_CASE("which operators are loops on integers") {
  Written task("", "");
  mlir::Type i8 = integerType(task, 8), i32 = integerType(task, 32);
  for (CombineKind kind : {CombineKind::AddI, CombineKind::MinS, CombineKind::MaxS}) {
    CHECK(isLoopOnIntegers(kind, i8));
    CHECK_FALSE(isLoopOnIntegers(kind, i32));
  }
  CHECK(isLoopOnIntegers(CombineKind::MulI, i32));
  CHECK_FALSE(isLoopOnIntegers(CombineKind::MaxU, i8));
  CHECK(atomicOnIntegers(CombineKind::MaxU) == spv::OpAtomicUMax);
  CHECK(atomicOnIntegers(CombineKind::MinS) == spv::OpAtomicSMin);
}

TEST_CASE("combine compares narrow integers with their sign") {
  Written task("", "");
  ScalarWriter &w = task.code.w;
  const Id a = w.u32(0xf9), b = w.u32(2); // -7 and 2
  combine(CombineKind::MinS, integerType(task, 8), a, b, w);
  combine(CombineKind::MinU, integerType(task, 8), a, b, w);
  CHECK(combine(CombineKind::Exchange, integerType(task, 8), a, b, w) == b);
  task.finish();
  CHECK(task.count(spv::OpBitFieldSExtract) == 2);
  const Instruction less = task.only(spv::OpSLessThan);
  CHECK(task.maker(less.operands[0]).operands[0] == a);
  // The choice is of the values as they are carried.
  CHECK(task.all(spv::OpSelect)[0].operands == Words{less.result, a, b});
  CHECK(task.only(spv::OpULessThan).operands == Words{a, b});
}
