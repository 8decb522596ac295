// The memory of a task: what is declared, loads and stores, atomics.
#include "backends/spirv/BufferUse.h"
#include "tests/spirv/Written.h"

using namespace spirvtest;

namespace {

std::string buffer(const std::string &type) { return "!simt.buffer<" + type + ", global>"; }

/// A task whose arguments and constants are declared.
struct Declared : Written {
  Declared(const std::string &params, const std::string &body, SpirvOptions options = {})
      : Written(params, body, std::move(options)), declarations(*function),
        memory(*function, declarations), atomics(*function, memory) {
    constants();
    declarations.arguments();
  }

  const Memory &of(unsigned argument) { return function->memories[source().getArgument(argument)]; }
  /// True if the block of the argument's variable has that decoration.
  bool isMember(unsigned argument, spv::Decoration decoration) {
    const Id block = pointee(of(argument).variable);
    return llvm::any_of(all(spv::OpMemberDecorate), [&](const Instruction &one) {
      return one.operands[0] == block && one.operands[2] == uint32_t(decoration);
    });
  }
  Id pointee(Id variable) const { return maker(maker(variable).type).operands[1]; }

  DeclarationWriter declarations;
  MemoryWriter memory;
  AtomicWriter atomics;
};

} // namespace

TEST_CASE("the use of a buffer is that of all its users") {
  Written task("%p: " + buffer("f32"),
               "%v = simt.load %p[%t] : " + buffer("f32") +
                   ", i32\n%o = simt.atomic_rmw addf %v, %p[%t] : " + buffer("f32") + ", i32");
  const mlir::Value argument = task.source().getArgument(0);
  BufferUse use = useOf(argument, task.options);
  CHECK((use.loads && use.writes && use.plain && use.atomics));
  CHECK(use.asBits); // no instruction on reals
  CHECK_FALSE(use.isVolatile);
  task.options.features = {"float32-atomics"};
  CHECK_FALSE(useOf(argument, task.options).asBits);
}

TEST_CASE("narrow elements of shared arrays are packed beyond what devices have") {
  const auto isPacked = [](unsigned count) {
    Written task("", "%s = simt.shared \"s\" : !simt.buffer<i8, shared, " + std::to_string(count) +
                         ">");
    const mlir::Value array = task.find<simt::SharedOp>();
    return std::pair(isPackedShared(array, task.source(), task.options),
                     sharedBytes(task.source(), task.options));
  };
  CHECK(isPacked(8192) == std::pair(false, uint64_t(32768)));
  CHECK(isPacked(8193) == std::pair(true, uint64_t(8208))); // 8193 bytes, in steps of 16
}

TEST_CASE("an array that nothing writes is not writable") {
  const std::string f32 = buffer("f32");
  Declared task("%p: " + f32 + ", %q: " + f32 + ", %r: " + f32,
                "%v = simt.load %p[%t] : " + f32 + ", i32\nsimt.store %v, %r[%t] : " + f32 +
                    ", i32");
  task.finish();
  CHECK(task.isMember(0, spv::DecorationNonWritable));
  CHECK_FALSE(task.isMember(2, spv::DecorationNonWritable));
  // A buffer without uses keeps its number, and is not declared.
  CHECK(task.of(0).binding == 0);
  CHECK(task.of(2).binding == 2);
  CHECK(task.count(spv::OpVariable) == 2);
}

TEST_CASE("memory that threads wait for is coherent") {
  const std::string i32 = buffer("i32");
  for (bool hasFence : {false, true}) {
    Declared task("%p: " + i32 + ", %q: " + i32,
                  "%v = simt.load %p[%t] : " + i32 + ", i32\nsimt.store %v, %p[%t] : " + i32 +
                      ", i32\nsimt.store %v, %q[%t] : " + i32 + ", i32\n" +
                      (hasFence ? "simt.fence device" : ""));
    task.finish();
    CHECK(task.isMember(0, spv::DecorationCoherent) == hasFence);
    CHECK_FALSE(task.isMember(1, spv::DecorationCoherent)); // nothing reads it
  }
}

TEST_CASE("scalars are push constants up to 128 bytes") {
  for (unsigned count : {16u, 17u}) {
    std::string params;
    for (unsigned number = 0; number < count; ++number)
      params += (number ? ", %a" : "%a") + std::to_string(number) + ": i64";
    Declared task(params, "%s = arith.addi %a0, %a" + std::to_string(count - 1) + " : i64");
    task.finish();
    CHECK(task.maker(task.code.values).operands[0] ==
          uint32_t(count == 16 ? spv::StorageClassPushConstant : spv::StorageClassStorageBuffer));
    CHECK(task.count(spv::OpLoad) == 2); // those that are used
  }
}

TEST_CASE("with addresses, a task of few arrays reads the table where it begins") {
  SpirvOptions options;
  options.features = {"buffer-addresses"};
  const std::string f32 = buffer("f32");
  for (const uint64_t arrays : {8, 9}) {
    std::string params = "%a0: " + f32, body = "%v = simt.load %a0[%t] : " + f32 + ", i32\n";
    for (uint64_t i = 1; i < arrays; ++i) {
      const std::string name = "%a" + std::to_string(i);
      params += ", " + name + ": " + f32;
      body += "simt.store %v, " + name + "[%t] : " + f32 + ", i32\n";
    }
    Declared task(params, body, options);
    CHECK(task.needs("buffer-addresses"));
    CHECK(task.declarations.keepsAddresses() == (arrays == 8));
    auto load = task.find<simt::LoadOp>();
    for (unsigned times = 0; times < 2; ++times)
      task.values[load] = task.memory.load(load);
    task.finish();
    std::vector<uint64_t> places;
    for (const Instruction &chain : task.all(spv::OpAccessChain))
      if (task.maker(chain.operands[0]).op == spv::OpVariable)
        places.push_back(task.number(chain.operands[2]));
    CHECK(places == (arrays == 8 ? std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}
                                 : std::vector<uint64_t>{0, 0}));
    const Words aligned{uint32_t(spv::MemoryAccessAlignedMask), 4};
    const Words element = task.all(spv::OpLoad).back().operands;
    CHECK(Words(element.begin() + 1, element.end()) == aligned);
  }
}

TEST_CASE("bytes are widened when they are loaded, and narrowed when they are stored") {
  const std::string i8 = buffer("i8");
  Declared task("%p: " + i8,
                "%v = simt.load %p[%t] : " + i8 + ", i32\nsimt.store %v, %p[%t] : " + i8 + ", i32");
  auto load = task.find<simt::LoadOp>();
  task.values[load] = task.memory.load(load);
  task.memory.store(task.find<simt::StoreOp>());
  task.finish();
  CHECK(task.needs("storage8"));
  const std::vector<Instruction> converts = task.all(spv::OpUConvert);
  REQUIRE(converts.size() == 2);
  CHECK(converts[0].type == task.code.w.u32Type());
  CHECK(converts[0].operands[0] == task.only(spv::OpLoad).result);
  CHECK(converts[1].type == task.code.w.intType(8));
  CHECK(task.only(spv::OpStore).operands[1] == converts[1].result);
}

TEST_CASE("indices of 64 bits stay wide only where bindings are large") {
  for (bool wide : {false, true}) {
    SpirvOptions options;
    options.wideIndices = wide;
    Declared task("%p: " + buffer("f32"),
                  "%i = arith.constant 7 : i64\n%v = simt.load %p[%i] : " + buffer("f32") + ", i64",
                  options);
    task.memory.load(task.find<simt::LoadOp>());
    task.finish();
    CHECK(task.count(spv::OpUConvert) == (wide ? 0 : 1));
  }
}

TEST_CASE("a store to a packed array leaves the word's other elements") {
  Declared task("", "%s = simt.shared \"s\" : !simt.buffer<i16, shared, 40000>\n"
                    "%v = arith.constant 9 : i16\n"
                    "simt.store %v, %s[%t] : !simt.buffer<i16, shared, 40000>, i32");
  task.declarations.array(task.find<simt::SharedOp>());
  task.memory.store(task.find<simt::StoreOp>());
  task.finish();
  CHECK(task.count(spv::OpStore) == 0);
  const Instruction swap = task.only(spv::OpAtomicCompareExchange);
  const Instruction insert = task.maker(swap.operands[4]);
  CHECK(insert.op == spv::OpBitFieldInsert);
  CHECK(insert.operands[0] == task.only(spv::OpPhi).result);
  CHECK(task.number(insert.operands[1]) == 9);
  CHECK(task.number(insert.operands[3]) == 16);
  CHECK(task.number(swap.operands[1]) == spv::ScopeWorkgroup);
}

TEST_CASE("an addition of reals is an instruction where the variant has it") {
  const std::string f32 = buffer("f32");
  for (bool isNative : {false, true}) {
    SpirvOptions options;
    if (isNative)
      options.features = {"float32-atomics"};
    Declared task("%p: " + f32,
                  "%v = arith.constant 1.0 : f32\n%o = simt.atomic_rmw addf %v, %p[%t] : " + f32 +
                      ", i32",
                  options);
    const Id old = task.atomics.rmw(task.find<simt::AtomicRmwOp>());
    task.finish();
    CHECK(task.needs("float32-atomics") == isNative);
    CHECK(task.count(spv::OpAtomicFAddEXT) == (isNative ? 1 : 0));
    CHECK(task.count(spv::OpAtomicCompareExchange) == (isNative ? 0 : 1));
    CHECK(task.maker(old).op == (isNative ? spv::OpAtomicFAddEXT : spv::OpBitcast));
  }
}

TEST_CASE("a minimum of reals is that of their bits, by the operand's sign") {
  const std::string f32 = buffer("f32");
  Declared task("%p: " + f32,
                "%v = arith.constant 1.0 : f32\n%o = simt.atomic_rmw minf %v, %p[%t] : " + f32 +
                    ", i32");
  task.atomics.rmw(task.find<simt::AtomicRmwOp>());
  task.finish();
  const Instruction positive = task.only(spv::OpAtomicSMin),
                    negative = task.only(spv::OpAtomicUMax);
  CHECK(positive.operands == negative.operands);
  // A NaN becomes what is larger than all bits.
  const Instruction operand = task.maker(positive.operands[3]);
  CHECK(operand.op == spv::OpSelect);
  CHECK(task.number(operand.operands[1]) == 0x7fffffff);
}

TEST_CASE("atomics see the threads that the memory belongs to") {
  const std::string i32 = buffer("i32"), shared = "!simt.buffer<i32, shared, 4>";
  Declared task("%p: " + i32,
                "%s = simt.shared \"s\" : " + shared + "\n%a = simt.atomic_rmw addi %t, %p[%t] : " +
                    i32 + ", i32\n%b = simt.atomic_rmw ori %t, %s[%t] : " + shared +
                    ", i32\n%c = simt.atomic_cas %t, %a, %s[%t] : " + shared + ", i32");
  task.declarations.array(task.find<simt::SharedOp>());
  for (unsigned number : {0, 1}) {
    auto op = task.find<simt::AtomicRmwOp>(number);
    task.values[op] = task.atomics.rmw(op);
  }
  task.atomics.cas(task.find<simt::AtomicCasOp>());
  task.finish();
  CHECK(task.number(task.only(spv::OpAtomicIAdd).operands[1]) == spv::ScopeDevice);
  CHECK(task.number(task.only(spv::OpAtomicOr).operands[1]) == spv::ScopeWorkgroup);
  const Instruction swap = task.only(spv::OpAtomicCompareExchange);
  CHECK(task.number(swap.operands[1]) == spv::ScopeWorkgroup);
  CHECK(swap.operands[4] == task.only(spv::OpAtomicIAdd).result); // desired, then expected
  CHECK(task.number(swap.operands[5]) == 5);
}
