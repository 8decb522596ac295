// A thread's place, what subgroups do, and functions as a whole.
#include "backends/spirv/ThreadWriter.h"
#include "tests/spirv/Written.h"

#include "mlir/IR/Diagnostics.h"

using namespace spirvtest;

/// The value of the op with that number among those of its kind.
template <class Op> static Id valueOf(Written &task, unsigned number = 0) {
  return emitThreadValue(*task.find<Op>(number).getOperation(), *task.function);
}

TEST_CASE("threads are numbered by subgroups only where lanes matter") {
  for (bool usesLanes : {false, true}) {
    Written task("", "%own = simt.thread_idx");
    task.function->usesLanes = usesLanes;
    const Id index = valueOf<simt::ThreadIdxOp>(task);
    task.finish();
    CHECK(task.needs("subgroup-basic") == usesLanes);
    if (!usesLanes) {
      CHECK(task.maker(index).op == spv::OpLoad);
      continue;
    }
    const Instruction product = task.only(spv::OpIMul);
    CHECK(task.number(product.operands[1]) == 32);
    CHECK(task.maker(index).operands[0] == product.result);
  }
}

TEST_CASE("a block of one subgroup needs no number of subgroups") {
  Written task("", "%own = simt.thread_idx", {}, /*block=*/32);
  task.function->usesLanes = true;
  valueOf<simt::ThreadIdxOp>(task);
  task.finish();
  CHECK(task.count(spv::OpIMul) == 0);
  CHECK(task.count(spv::OpVariable) == 1);
}

TEST_CASE("blocks are counted through rows, whose length is one constant of the module") {
  Written task("", "%a = simt.block_idx\n%b = simt.block_idx\n%c = simt.block_idx {one_row}");
  for (unsigned number : {0, 1, 2})
    valueOf<simt::BlockIdxOp>(task, number);
  task.finish();
  CHECK(task.count(spv::OpSpecConstant) == 1);
  CHECK(task.count(spv::OpIMul) == 2);
  CHECK(task.count(spv::OpVariable) == 1);
}

TEST_CASE("a ballot is as wide as its uses") {
  for (bool isShort : {false, true}) {
    Written task(
        "", std::string("%q = arith.constant true\n%b = simt.ballot %q\n") +
                (isShort ? "%n = arith.trunci %b : i64 to i32" : "%n = arith.addi %b, %b : i64"));
    task.constants();
    valueOf<simt::BallotOp>(task);
    task.finish();
    CHECK(task.needs("int64") != isShort);
    CHECK(task.needs("subgroup-ballot"));
  }
}

TEST_CASE("votes of a tile look at its lanes of the ballot") {
  Written task("", "%q = arith.constant true\n%a = simt.vote all %q tile 5\n"
                   "%b = simt.vote any %q tile 3\n%c = simt.vote any %q tile 0");
  task.constants();
  for (unsigned number : {0, 1})
    valueOf<simt::VoteOp>(task, number);
  CHECK(valueOf<simt::VoteOp>(task, 2) ==
        task.values.lookup(task.find<simt::VoteOp>(2).getPredicate()));
  task.finish();
  CHECK(task.count(spv::OpGroupNonUniformAll) == 1);
  const Instruction extract = task.only(spv::OpBitFieldUExtract);
  CHECK(task.number(extract.operands[2]) == 8);
  CHECK(task.number(task.maker(extract.operands[1]).operands[1]) == 24); // the tile's first lane
}

TEST_CASE("shuffles by a distance that lanes do not share go by the lane's number") {
  Written task("%d: i32", "%v = arith.constant 4 : i32\n%a = simt.shuffle up %v, %v : i32\n"
                          "%b = simt.shuffle up %v, %d : i32");
  task.constants();
  DeclarationWriter(*task.function).arguments();
  for (unsigned number : {0, 1})
    valueOf<simt::ShuffleOp>(task, number);
  task.finish();
  CHECK(task.count(spv::OpGroupNonUniformShuffleUp) == 1);
  const Instruction byIndex = task.only(spv::OpGroupNonUniformShuffle);
  CHECK(task.maker(byIndex.operands[2]).op == spv::OpISub);
  CHECK(task.needs("subgroup-shuffle"));
  CHECK(task.needs("subgroup-shuffle-relative"));
}

TEST_CASE("fences say which threads see the writes") {
  Written task("", "simt.barrier");
  fence(simt::Scope::Device, allMemory, task.code.w);
  const uint32_t ofBuffers = uint32_t(spv::MemorySemanticsAcquireReleaseMask) |
                             uint32_t(spv::MemorySemanticsUniformMemoryMask);
  fence(simt::Scope::Block, ofBuffers, task.code.w);
  CHECK(emitThreadEffect(*task.find<simt::BarrierOp>().getOperation(), *task.function));
  task.finish();
  const std::vector<Instruction> fences = task.all(spv::OpMemoryBarrier);
  REQUIRE(fences.size() == 2);
  CHECK(task.number(fences[0].operands[0]) == spv::ScopeDevice);
  CHECK(task.number(fences[0].operands[1]) == allMemory);
  CHECK(task.number(fences[1].operands[0]) == spv::ScopeWorkgroup);
  CHECK(task.number(fences[1].operands[1]) == ofBuffers);
  CHECK_FALSE(task.needs("subgroup-basic"));
}

TEST_CASE("functions that tasks call come before them, and vectors give all their values") {
  mlir::MLIRContext context;
  simt::loadDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      R"(module attributes {simt.wave = 32 : i32} {
func.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
func.func @task(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
  %t = simt.thread_idx
  %a, %b = simt.load_vector %p[%t] : !simt.buffer<f32, global>, i32 -> f32, f32
  %c = func.call @twice(%b) : (f32) -> f32
  %d = arith.addf %c, %a : f32
  simt.store %d, %p[%t] : !simt.buffer<f32, global>, i32
  return
}
})",
      &context);
  REQUIRE(module);
  SpirvOptions options;
  std::optional<SpirvCode> code = emit(*module, options);
  REQUIRE(code);
  REQUIRE_FALSE(bool(validate(code->words)));
  llvm::Expected<std::string> text = disassemble(code->words);
  REQUIRE(bool(text));
  const size_t parameter = text->find("OpFunctionParameter"), call = text->find("OpFunctionCall");
  CHECK(parameter < call);
  CHECK(call != std::string::npos);
  const size_t extracts = text->find("OpCompositeExtract");
  CHECK(text->find(" 0\n", extracts) < text->find(" 1\n", extracts));
  CHECK(text->find(" 1\n", extracts) < call);
}

TEST_CASE("an op without code is refused at its place") {
  Written task("", "%v = arith.constant 1 : i32\n%m = simt.match %v bits 4");
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      &task.context, [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str(); });
  SpirvOptions options;
  CHECK_FALSE(emit(*task.module, options).has_value());
  CHECK(said.find("no code for 'simt.match' on this target") != std::string::npos);
}
