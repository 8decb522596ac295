// The parts that the cpu backend's emitters are made of, each for itself: code that LaneBuilder and
// Combine make for every machine and number of lanes, run here, beside the same in plain C++; and
// which atomics are deferred.
#include "backends/Backend.h"
#include "backends/common/Codegen.h"
#include "backends/cpu/Combine.h"
#include "backends/cpu/DeferredAtomics.h"
#include "backends/cpu/Link.h"
#include "tests/cpu/Kernels.h"

#include "mlir/Parser/Parser.h"

using namespace sextant;
using cpu::LaneBuilder;
using cputest::Arg;
using cputest::Variant;
using llvm::Value;
using simt::CombineKind;

namespace {

/// A task of two arrays, `in` and `out`, whose body a test writes.
using Body = llvm::function_ref<void(LaneBuilder &b, Value *in, Value *out)>;

/// Returns `out` after the task. Both arrays end at a page that cannot be touched.
template <typename Out, typename In>
std::vector<Out> execute(const Variant &variant, const std::vector<In> &in, std::vector<Out> out,
                         Body body) {
  const cpu::Machine &machine = *cpu::findMachine(variant.arch);
  auto target = createTargetMachine(
      {machine.triple, machine.cpu, machine.features, 1, /*positionIndependent=*/true});
  REQUIRE(bool(target));
  llvm::LLVMContext context;
  llvm::Module module("lanes", context);
  module.setTargetTriple(machine.triple);
  module.setDataLayout((*target)->createDataLayout());
  LaneBuilder b(machine, {variant.wave, variant.wave, variant.wave}, context);
  llvm::Type *ptr = b.getPtrTy(), *i32 = b.getInt32Ty();
  b.function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr, i32, i32, i32}, false),
      llvm::Function::ExternalLinkage, "task", module);
  b.function->addFnAttr("no-builtins");
  b.SetInsertPoint(b.newBlock("entry"));
  llvm::BasicBlock *start = b.newBlock("start"); // the entry keeps the allocas
  b.CreateBr(start);
  b.SetInsertPoint(start);
  Value *args = b.function->getArg(0);
  Value *first = b.CreateLoad(ptr, args),
        *second = b.CreateLoad(ptr, b.CreateConstGEP1_64(ptr, args, 1));
  body(b, first, second);
  b.CreateRetVoid();
  auto object = emitFile(module, **target, llvm::CodeGenFileType::ObjectFile);
  REQUIRE(bool(object));
  auto linked = cpu::linkShared(*object, machine, /*keepSymbols=*/false);
  REQUIRE(bool(linked));
  Image image;
  image.bytes = std::move(*linked);
  image.tasks.emplace_back();
  std::vector<Arg> arrays{Arg::array(in), Arg::array(out)};
  cputest::run(image, variant, arrays, 1);
  return arrays[1].as<Out>();
}

Value *vectorAt(LaneBuilder &b, llvm::Type *element, Value *base, unsigned number) {
  return b.CreateAlignedLoad(b.widen(element), b.CreateConstGEP1_64(b.widen(element), base, number),
                             llvm::Align(cpu::elementBytes(element)));
}

void storeVector(LaneBuilder &b, Value *value, Value *base, unsigned number) {
  b.CreateAlignedStore(value, b.CreateConstGEP1_64(value->getType(), base, number),
                       llvm::Align(cpu::elementBytes(value->getType())));
}

/// Numbers without a pattern; the low bits of each differ between neighbours.
uint64_t scrambled(uint64_t i) { return (i + 1) * 0x9E3779B97F4A7C15u >> 13; }

/// The lanes that are on: some, the last one only, all but the first, all.
const std::vector<std::function<bool(unsigned, unsigned)>> patterns{
    [](unsigned lane, unsigned) { return scrambled(lane) % 3 == 0; },
    [](unsigned lane, unsigned width) { return lane == width - 1; },
    [](unsigned lane, unsigned) { return lane != 0; },
    [](unsigned, unsigned) { return true; },
};

} // namespace

TEST_CASE("lanes: what masks say") {
  for (const Variant &variant : cputest::variants())
    for (const auto &isOn : patterns) {
      const unsigned width = variant.wave;
      INFO(variant.str());
      std::vector<uint32_t> in(width), out(width + 4, 99);
      uint64_t bits = 0;
      for (unsigned lane = 0; lane < width; ++lane)
        bits |= uint64_t(in[lane] = isOn(lane, width)) << lane;
      out = execute(variant, in, out, [&](LaneBuilder &b, Value *from, Value *to) {
        b.mask = b.CreateIsNotNull(vectorAt(b, b.getInt32Ty(), from, 0));
        storeVector(b, b.whereActive(b.iota(b.getInt32Ty(), 3), b.splat(b.getInt32(7))), to, 0);
        Value *rest = b.CreateConstGEP1_64(b.getInt32Ty(), to, width);
        Value *facts[] = {b.firstActiveLane(), b.lastActiveLane(),
                          b.CreateZExt(b.isAll(b.mask), b.getInt32Ty()),
                          b.CreateZExt(b.isAny(b.CreateNot(b.mask)), b.getInt32Ty())};
        for (auto [i, fact] : llvm::enumerate(facts))
          b.CreateStore(fact, b.CreateConstGEP1_64(b.getInt32Ty(), rest, i));
      });
      for (unsigned lane = 0; lane < width; ++lane)
        CHECK(out[lane] == (isOn(lane, width) ? 3 * lane : 7));
      const bool isAll = llvm::popcount(bits) == int(width);
      CHECK(out[width] == unsigned(llvm::countr_zero(bits)));
      CHECK(out[width + 1] == unsigned(63 - llvm::countl_zero(bits)));
      CHECK(out[width + 2] == unsigned(isAll));
      CHECK(out[width + 3] == unsigned(!isAll));
    }
}

TEST_CASE("lanes: one after the other, in their order") {
  for (const Variant &variant : cputest::variants())
    for (size_t pattern = 0; pattern <= patterns.size();
         ++pattern) { // the last one: without a mask
      const unsigned width = variant.wave;
      INFO(variant.str() << ", pattern " << pattern);
      const bool hasMask = pattern < patterns.size();
      std::vector<uint32_t> in(width), expected;
      for (unsigned lane = 0; lane < width; ++lane)
        if ((in[lane] = !hasMask || patterns[pattern](lane, width)))
          expected.push_back(lane + 1);
      expected.resize(width);
      auto out = execute(
          variant, in, std::vector<uint32_t>(width), [&](LaneBuilder &b, Value *from, Value *to) {
            llvm::Type *i32 = b.getInt32Ty();
            if (hasMask)
              b.mask = b.CreateIsNotNull(vectorAt(b, i32, from, 0));
            Value *count = b.entryAlloca(i32, "count");
            b.CreateStore(b.getInt32(0), count);
            b.forEachActiveLane([&](Value *lane) {
              Value *at = b.CreateLoad(i32, count);
              b.CreateStore(b.CreateAdd(lane, b.getInt32(1)), b.CreateGEP(i32, to, at));
              b.CreateStore(b.CreateAdd(at, b.getInt32(1)), count);
            });
          });
      CHECK(out == expected);
    }
}

/// Lane i takes lane `in[i]`, by numbers known at run time only, some of them too large; and one
/// lane for all.
template <typename T> static void permutes() {
  for (const Variant &variant : cputest::variants()) {
    const unsigned width = variant.wave;
    INFO(variant.str() << ", " << sizeof(T) << " bytes");
    std::vector<T> in(2 * width); // values, and lanes to take
    for (unsigned lane = 0; lane < width; ++lane) {
      in[lane] = T(scrambled(lane));
      in[width + lane] = T(scrambled(lane + 100) % 100);
    }
    auto out = execute(
        variant, in, std::vector<T>(2 * width), [&](LaneBuilder &b, Value *from, Value *to) {
          llvm::Type *element = b.getIntNTy(8 * sizeof(T));
          Value *value = vectorAt(b, element, from, 0);
          Value *indices =
              b.CreateZExtOrTrunc(vectorAt(b, element, from, 1), b.widen(b.getInt32Ty()));
          storeVector(b, b.permute(value, indices), to, 0);
          Value *one = b.CreateAnd(b.laneOfVector(indices, b.getInt32(1)), b.getInt32(width - 1));
          storeVector(b, b.splat(b.laneOfVector(value, one)), to, 1);
        });
    for (unsigned lane = 0; lane < width; ++lane) {
      CHECK(out[lane] == in[in[width + lane] % width]);
      CHECK(out[width + lane] == in[in[width + 1] % width]);
    }
  }
}

TEST_CASE("lanes: permutations") {
  permutes<uint8_t>();
  permutes<uint16_t>();
  permutes<uint32_t>();
  permutes<uint64_t>();
}

/// Takes `count` components of each lane apart, adds their number, and puts them together in the
/// reverse order.
template <typename T> static void interleaves() {
  for (const Variant &variant : cputest::variants())
    for (unsigned count : {2u, 3u, 4u}) {
      const unsigned width = variant.wave;
      INFO(variant.str() << ", " << count << " of " << sizeof(T) << " bytes");
      std::vector<T> in(width * count), expected(width * count);
      for (unsigned i = 0; i < in.size(); ++i)
        in[i] = T(scrambled(i));
      for (unsigned i = 0; i < in.size(); ++i) {
        const unsigned component = count - 1 - i % count;
        expected[i] = T(in[i / count * count + component] + component);
      }
      auto out = execute(
          variant, in, std::vector<T>(width * count), [&](LaneBuilder &b, Value *from, Value *to) {
            llvm::Type *element = b.getIntNTy(8 * sizeof(T));
            auto *wide = llvm::FixedVectorType::get(element, width * count);
            llvm::SmallVector<Value *> parts =
                b.deinterleave(b.CreateAlignedLoad(wide, from, llvm::Align(sizeof(T))), count);
            for (auto [i, part] : llvm::enumerate(parts))
              part = b.CreateAdd(part, b.splat(llvm::ConstantInt::get(element, i)));
            std::reverse(parts.begin(), parts.end());
            b.CreateAlignedStore(b.interleave(parts), to, llvm::Align(sizeof(T)));
          });
      CHECK(out == expected);
    }
}

TEST_CASE("lanes: interleaved components") {
  interleaves<uint8_t>();
  interleaves<uint16_t>();
  interleaves<uint32_t>();
  interleaves<uint64_t>();
}

/// Under a mask, the elements of lanes that are off need not exist, and are not written.
template <typename T> static void moves() {
  for (const Variant &variant : cputest::variants()) {
    const unsigned width = variant.wave,
                   on = width - 1; // the last lane is off, and its element past the end
    INFO(variant.str() << ", " << sizeof(T) << " bytes");
    std::vector<T> in(on);
    for (unsigned i = 0; i < on; ++i)
      in[i] = T(scrambled(i));
    // `out` has the elements doubled, and after them gathered from the end, each at every second
    // place.
    auto out = execute(variant, in, std::vector<T>(on + 2 * on - 1, T(0x55)),
                       [&](LaneBuilder &b, Value *from, Value *to) {
                         llvm::Type *element = b.getIntNTy(8 * sizeof(T));
                         Value *numbers = b.iota(b.getInt32Ty());
                         b.mask = b.CreateICmpULT(numbers, b.splat(b.getInt32(on)));
                         Value *value = b.loadConsecutive(element, from);
                         b.storeConsecutive(b.CreateAdd(value, value), to);
                         Value *back = b.CreateSub(b.splat(b.getInt32(on - 1)), numbers);
                         Value *taken = b.gather(element, b.CreateGEP(element, from, back));
                         Value *places = b.CreateAdd(b.CreateMul(numbers, b.splat(b.getInt32(2))),
                                                     b.splat(b.getInt32(on)));
                         b.scatter(taken, b.CreateGEP(element, to, places));
                       });
    for (unsigned i = 0; i < on; ++i) {
      CHECK(out[i] == T(2 * in[i]));
      CHECK(out[on + 2 * i] == in[on - 1 - i]);
      if (i + 1 < on)
        CHECK(out[on + 2 * i + 1] == T(0x55));
    }
  }
}

TEST_CASE("lanes: memory under a mask") {
  moves<uint8_t>();
  moves<uint16_t>();
  moves<uint32_t>();
  moves<uint64_t>();
}

TEST_CASE("lanes: folds of tiles, and what comes before") {
  struct {
    CombineKind kind;
    uint32_t (*fold)(uint32_t, uint32_t);
    uint32_t identity;
  } const operators[] = {
      {CombineKind::AddI, [](uint32_t a, uint32_t c) { return a + c; }, 0},
      {CombineKind::MaxS,
       [](uint32_t a, uint32_t c) { return uint32_t(std::max(int32_t(a), int32_t(c))); },
       0x80000000},
      {CombineKind::MinU, [](uint32_t a, uint32_t c) { return std::min(a, c); }, 0xffffffff},
      {CombineKind::XorI, [](uint32_t a, uint32_t c) { return a ^ c; }, 0},
  };
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::Type type = mlir::IntegerType::get(&context, 32);
  for (const Variant &variant : cputest::variants())
    for (const auto &op : operators) {
      const unsigned width = variant.wave, tile = width / 2;
      INFO(variant.str() << ", " << int(op.kind));
      std::vector<uint32_t> in(width);
      for (unsigned lane = 0; lane < width; ++lane)
        in[lane] = uint32_t(scrambled(lane));
      auto out = execute(
          variant, in, std::vector<uint32_t>(4 * width),
          [&](LaneBuilder &b, Value *from, Value *to) {
            Value *value = vectorAt(b, b.getInt32Ty(), from, 0);
            storeVector(b, b.splat(cpu::reduceAll(op.kind, value, type, b)), to, 0);
            storeVector(b, cpu::reduceTile(op.kind, value, type, tile, b), to, 1);
            storeVector(b, cpu::scanTile(op.kind, value, type, tile, /*exclusive=*/false, b), to,
                        2);
            storeVector(b, cpu::scanTile(op.kind, value, type, tile, /*exclusive=*/true, b), to, 3);
          });
      auto folded = [&](unsigned begin, unsigned end) {
        uint32_t result = op.identity;
        for (unsigned lane = begin; lane < end; ++lane)
          result = op.fold(result, in[lane]);
        return result;
      };
      for (unsigned lane = 0; lane < width; ++lane) {
        const unsigned begin = lane / tile * tile;
        CHECK(out[lane] == folded(0, width));
        CHECK(out[width + lane] == folded(begin, begin + tile));
        CHECK(out[2 * width + lane] == folded(begin, lane + 1));
        CHECK(out[3 * width + lane] == folded(begin, lane));
      }
    }
}

//===--- Which atomics are deferred ----------------------------------------===//

using cpu::Places;

/// The places of the deferred atomics of a task with arrays %x and %y, the last atomic first.
static std::vector<Places> deferredIn(const std::string &body, unsigned blockDim = 64) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  const std::string text = cputest::task(
      blockDim, cputest::buffer("x", "i32") + "," + cputest::buffer("y", "i32") + ", %n: i32",
      body);
  auto module = mlir::parseSourceString<mlir::ModuleOp>("module {\n" + text + "\n}", &context);
  REQUIRE(module);
  auto task = *module->getOps<mlir::func::FuncOp>().begin();
  const cpu::Lanes lanes{8, 8, blockDim};
  std::vector<Places> result;
  for (auto [op, places] : cpu::findDeferred(task, cpu::ShapeAnalysis(task, lanes), lanes))
    result.push_back(places);
  return result;
}

static std::string atomic(const std::string &kind, const std::string &index) {
  static unsigned number = 0;
  return "%old" + std::to_string(number++) + " = simt.atomic_rmw " + kind + " %c1, %x[" + index +
         "] : !simt.buffer<i32, global>, i32\n";
}

TEST_CASE("deferred: one place, the threads', the data's") {
  const std::string load = "%at = simt.load %y[%i] : !simt.buffer<i32, global>, i32\n";
  CHECK(deferredIn(atomic("addi", "%n")) == std::vector{Places::One});
  CHECK(deferredIn(atomic("addi", "%thread")) == std::vector{Places::OfThreads});
  CHECK(deferredIn(load + atomic("addi", "%at")) == std::vector{Places::OfData});
  CHECK(deferredIn(atomic("addi", "%n") + atomic("addi", "%thread")) ==
        std::vector{Places::OfThreads, Places::One});
  // Under a condition, one place still, but not one for each thread.
  const std::string guard = "%some = arith.cmpi slt, %i, %n : i32\nscf.if %some {\n";
  CHECK(deferredIn(guard + atomic("addi", "%n") + "}\n") == std::vector{Places::One});
  CHECK(deferredIn(guard + atomic("addi", "%thread") + "}\n").empty());
}

TEST_CASE("deferred: not what could be noticed") {
  CHECK(deferredIn(atomic("addi", "%block")).empty());      // a place of the block
  CHECK(deferredIn(atomic("exchange", "%n")).empty());      // its order shows
  CHECK(deferredIn(atomic("addi", "%thread"), 60).empty()); // the last chunk is not full
  // Different operators, at places that may be one, stay in order.
  CHECK(deferredIn(atomic("addi", "%n") + atomic("maxs", "%c0")) == std::vector{Places::One});
  const std::string load = "%late = simt.load %x[%i] : !simt.buffer<i32, global>, i32\n"
                           "simt.store %late, %y[%i] : !simt.buffer<i32, global>, i32\n";
  CHECK(deferredIn(atomic("addi", "%n") + load).empty());
}
