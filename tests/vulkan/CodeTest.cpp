// The vulkan backend's records of a kernel's needs, which variants it makes, and that
// all it makes is valid.
#include "backends/Backend.h"
#include "backends/Targets.h"
#include "backends/spirv/Spirv.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sextant;
using Words = std::vector<std::string>;

namespace {

struct Compiler {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  const Backend &vulkan = *findBackend("vulkan");
  Compiler() { simt::loadDialects(context); }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
    return module;
  }
  Image compile(const std::string &text, const Words &features = {}, unsigned level = 3) {
    auto module = parse(text);
    Target target{"vulkan", "1.1", features, simt::getWaveSize(*module)};
    REQUIRE(mlir::succeeded(vulkan.check(*module, target)));
    CompileOptions options;
    options.verifyStages = true;
    options.optLevel = level;
    llvm::Expected<Image> image = vulkan.compile(*module, target, options);
    std::string error = image ? "" : "refused: " + llvm::toString(image.takeError());
    REQUIRE(error == "");
    CHECK(image->format == "spirv");
    return std::move(*image);
  }
};

/// A module of one task over `params`, with a value `%t`, the thread's index.
std::string moduleOf(const std::string &params, const std::string &body, unsigned block = 64,
                     unsigned wave = 32) {
  return "module attributes {simt.wave = " + std::to_string(wave) + " : i32} {\nfunc.func @task(" +
         params + ") attributes {simt.task = {block_dim = " + std::to_string(block) +
         " : i32}} {\n%t = simt.thread_idx\n%z = arith.constant 0 : i32\n" + body +
         "return\n}\n}\n";
}

/// A task that adds an element to itself.
std::string doubles(const std::string &type) {
  std::string buffer = "!simt.buffer<" + type + ", global>";
  std::string op = type[0] == 'f' ? "addf" : "addi";
  return moduleOf("%p: " + buffer, "%v = simt.load %p[%t] : " + buffer + ", i32\n%w = arith." + op +
                                       " %v, %v : " + type + "\nsimt.store %w, %p[%t] : " + buffer +
                                       ", i32\n");
}

std::string atomic(const std::string &kind, const std::string &type, bool shared = false) {
  std::string buffer = "!simt.buffer<" + type + (shared ? ", shared, 4>" : ", global>");
  std::string value = type[0] == 'f' ? "1.0" : "1";
  return moduleOf(shared ? "" : "%p: " + buffer,
                  (shared ? "%p = simt.shared \"s\" : " + buffer + "\n" : std::string()) +
                      "%v = arith.constant " + value + " : " + type + "\n%o = simt.atomic_rmw " +
                      kind + " %v, %p[%z] : " + buffer + ", i32\n");
}

} // namespace

TEST_CASE("an image names the features that its code needs and no other", "[vulkan]") {
  Compiler compiler;
  auto needs = [&](const std::string &text, const Words &features = {}) {
    return compiler.compile(text, features).requirements;
  };
  CHECK(needs(doubles("i32")) == Words{});
  CHECK(needs(doubles("f32")) == Words{});
  CHECK(needs(doubles("i8")) == Words{"storage8"});
  CHECK(needs(doubles("i16")) == Words{"storage16"});
  CHECK(needs(doubles("f16")) == Words{"float16", "storage16"});
  CHECK(needs(doubles("i64")) == Words{"int64"});
  CHECK(needs(doubles("f64")) == Words{"float64"});
  CHECK(needs(atomic("addi", "i32")) == Words{});
  CHECK(needs(atomic("addi", "i64")) == Words{"int64", "int64-atomics"});
  CHECK(needs(atomic("addi", "i64", true)) == Words{"int64", "shared-int64-atomics"});
  CHECK(needs(atomic("addf", "f32")) == Words{});
  CHECK(needs(atomic("addf", "f32"), {"float32-atomics"}) == Words{"float32-atomics"});
  CHECK(needs(atomic("addf", "f64")) == Words{"float64", "int64", "int64-atomics"});
  CHECK(needs(atomic("addf", "f64"), {"float64-atomics"}) == Words{"float64", "float64-atomics"});
  // A half by its word, which it shares with another: 16-bit storage for nothing else.
  CHECK(needs(atomic("addf", "f16")) == Words{"float16"});
  CHECK(needs(atomic("addf", "f16", true)) == Words{"float16"});
  CHECK(needs(atomic("addf", "f16"), {"float16-atomics"}) ==
        Words{"float16", "float16-atomics", "storage16"});
  CHECK(needs(atomic("exchange", "f16"), {"float16-atomics"}) ==
        Words{"float16", "float16-atomics", "storage16"});
  CHECK(needs(atomic("addf", "f16", true), {"shared-float16-atomics"}) ==
        Words{"float16", "shared-float16-atomics"});
  for (const char *type : {"f16", "f32", "f64"})
    for (bool shared : {false, true}) {
      std::string word =
          std::string(shared ? "shared-" : "") + "float" + (type + 1) + "-minmax-atomics";
      Words needed = needs(atomic("minf", type, shared), {word});
      CHECK(std::count(needed.begin(), needed.end(), word) == 1);
      CHECK(std::count(needed.begin(), needed.end(), "int64-atomics") == 0);
    }
}

TEST_CASE("an image names the limits that go beyond what every device has", "[vulkan]") {
  Compiler compiler;
  auto needs = [&](const std::string &text) { return compiler.compile(text).requirements; };
  std::string buffer = "!simt.buffer<i32, global>", five, four;
  for (int i = 0; i < 5; ++i)
    (i < 4 ? four : five) += (i % 4 ? ", %p" : "%p") + std::to_string(i) + ": " + buffer;
  std::string store = "simt.store %t, %p0[%t] : " + buffer + ", i32\n";
  CHECK(needs(moduleOf(four, store)) == Words{});
  CHECK(needs(moduleOf(four + ", " + five, store)) == Words{"storage-buffers>=5"});
  CHECK(needs(moduleOf(four, store, 128)) == Words{});
  CHECK(needs(moduleOf(four, store, 256)) == Words{"block-threads>=256"});
  auto shared = [&](int bytes) {
    std::string array = "!simt.buffer<i32, shared, " + std::to_string(bytes / 4) + ">";
    return moduleOf(four, "%s = simt.shared \"s\" : " + array +
                              "\nsimt.store %t, %s[%t] : " + array + ", i32\n" + store);
  };
  CHECK(needs(shared(16384)) == Words{});
  CHECK(needs(shared(16400)) == Words{"shared-bytes>=16400"});
  // 32 values of 4 bytes are push constants, one more makes them a buffer.
  for (int values : {32, 33}) {
    std::string params = four;
    for (int i = 0; i < values; ++i)
      params += ", %v" + std::to_string(i) + ": i32";
    std::string use = "simt.store %v0, %p0[%t] : " + buffer + ", i32\n";
    CHECK(needs(moduleOf(params, use)) == (values == 32 ? Words{} : Words{"storage-buffers>=5"}));
  }
}

TEST_CASE("subgroup operations are required one by one", "[vulkan]") {
  Compiler compiler;
  std::string buffer = "!simt.buffer<i32, global>";
  auto needs = [&](const std::string &op) {
    return compiler
        .compile(moduleOf("%p: " + buffer, "%v = simt.load %p[%t] : " + buffer +
                                               ", i32\n%r = " + op +
                                               "\nsimt.store %r, %p[%t] : " + buffer + ", i32\n"))
        .requirements;
  };
  CHECK(needs("simt.lane") == Words{"subgroup-basic"});
  CHECK(needs("simt.shuffle xor %v, %z : i32") == Words{"subgroup-basic", "subgroup-shuffle"});
  CHECK(needs("simt.shuffle up %v, %z : i32") ==
        Words{"subgroup-basic", "subgroup-shuffle-relative"});
  // The distance may differ between lanes.
  CHECK(needs("simt.shuffle up %v, %t : i32") == Words{"subgroup-basic", "subgroup-shuffle"});
  // 32 lanes of a ballot need no 64-bit integers.
  CHECK(needs("arith.addi %z, %z : i32\n%q = arith.cmpi eq, %v, %z : i32\n"
              "%b = simt.ballot %q\n%m = arith.trunci %b : i64 to i32\n"
              "simt.store %m, %p[%z] : !simt.buffer<i32, global>, i32") ==
        Words{"subgroup-ballot", "subgroup-basic"});
  CHECK(needs("simt.reduce addi %v tile 5 : i32") ==
        Words{"subgroup-arithmetic", "subgroup-basic"});
  CHECK(needs("simt.scan addi %v tile 5 : i32") ==
        Words{"subgroup-basic", "subgroup-shuffle-relative"});
  CHECK(needs("simt.reduce addi %v tile 4 : i32") ==
        Words{"subgroup-basic", "subgroup-shuffle-relative"});
}

TEST_CASE("atomics on reals make variants, other kernels have one", "[vulkan]") {
  Compiler compiler;
  auto variants = [&](const std::string &text, const Words &features = {}) {
    auto module = compiler.parse(text);
    Words names;
    for (const Target &target : compiler.vulkan.variants(*module, {"vulkan", "1.1", features, 32}))
      names.push_back(target.str());
    return names;
  };
  CHECK(variants(doubles("f32")) == Words{"vulkan:1.1/wave32"});
  CHECK(variants(atomic("addi", "i32")) == Words{"vulkan:1.1/wave32"});
  CHECK(variants(atomic("maxf", "f32")) ==
        Words{"vulkan:1.1+float32-minmax-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(atomic("minf", "f64", true)) ==
        Words{"vulkan:1.1+shared-float64-minmax-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(atomic("exchange", "f16")) ==
        Words{"vulkan:1.1+float16-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(atomic("addf", "f16", true)) ==
        Words{"vulkan:1.1+shared-float16-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(atomic("mulf", "f32")) == Words{"vulkan:1.1/wave32"});
  CHECK(variants(atomic("exchange", "f32")) == Words{"vulkan:1.1/wave32"});
  CHECK(variants(atomic("addf", "f32")) ==
        Words{"vulkan:1.1+float32-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(atomic("addf", "f64")) ==
        Words{"vulkan:1.1+float64-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(atomic("addf", "f32"), {"float32-atomics"}) ==
        Words{"vulkan:1.1+float32-atomics/wave32"});
  // Both on one array are instructions together or not at all; a product beside them makes all
  // of them loops.
  std::string buffer = "!simt.buffer<f32, global>", other = "%q: " + buffer;
  auto rmw = [&](const std::string &kind, const std::string &array) {
    return "%" + kind + array + " = simt.atomic_rmw " + kind + " %v, %" + array +
           "[%z] : " + buffer + ", i32\n";
  };
  std::string one = "%v = arith.constant 1.0 : f32\n", params = "%p: " + buffer + ", " + other;
  CHECK(variants(moduleOf(params, one + rmw("addf", "p") + rmw("maxf", "p"))) ==
        Words{"vulkan:1.1+float32-atomics+float32-minmax-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(moduleOf(params, one + rmw("addf", "p") + rmw("mulf", "p"))) ==
        Words{"vulkan:1.1/wave32"});
  // On two arrays, devices that only add use that.
  CHECK(variants(moduleOf(params, one + rmw("addf", "p") + rmw("maxf", "q"))) ==
        Words{"vulkan:1.1+float32-atomics+float32-minmax-atomics/wave32",
              "vulkan:1.1+float32-atomics/wave32", "vulkan:1.1/wave32"});
}

TEST_CASE("kernels of more than 30 arrays come with a table of addresses, too", "[vulkan]") {
  Compiler compiler;
  auto variants = [&](int arrays) {
    std::string parameters = "%p: !simt.buffer<f32, global>, %n: i32";
    for (int i = 1; i < arrays; ++i)
      parameters += ", %a" + std::to_string(i) + ": !simt.buffer<i32, global>";
    auto module = compiler.parse(moduleOf(parameters, "%v = arith.constant 1.0 : f32\n%old = "
                                                      "simt.atomic_rmw addf %v, %p[%n] : "
                                                      "!simt.buffer<f32, global>, i32\n"));
    Words names;
    for (const Target &target : compiler.vulkan.variants(*module, {"vulkan", "1.1", {}, 32}))
      names.push_back(target.str());
    return names;
  };
  CHECK(variants(30) == Words{"vulkan:1.1+float32-atomics/wave32", "vulkan:1.1/wave32"});
  CHECK(variants(31) == Words{"vulkan:1.1+buffer-addresses+float32-atomics/wave32",
                              "vulkan:1.1+buffer-addresses/wave32",
                              "vulkan:1.1+float32-atomics/wave32", "vulkan:1.1/wave32"});
}

// A loop of one thread loads, and its updates may be those of the block if it loads other memory.
TEST_CASE("kernels that compare addresses come with a table of them, too", "[vulkan]") {
  Compiler compiler;
  auto variants = [&](const std::string &added, const std::string &other) {
    const std::string i32 = "!simt.buffer<i32, global>";
    auto module = compiler.parse(moduleOf(
        "%x: " + i32 + ", %p: " + i32 + ", %n: i32, %q: !simt.buffer<" + other + ", global>",
        "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n"
        "scf.for %j = %zero to %n step %one : i32 {\n"
        "%v = simt.load %x[%j] : " +
            i32 +
            ", i32\n"
            "%old = simt.atomic_rmw addi %v, %" +
            added + "[%zero] : " + i32 + ", i32\n}\n"));
    Words names;
    for (const Target &target : compiler.vulkan.variants(*module, {"vulkan", "1.1", {}, 32}))
      names.push_back(target.str());
    return names;
  };
  const Words bound{"vulkan:1.1/wave32"};
  CHECK(variants("p", "f64") == Words{"vulkan:1.1+buffer-addresses/wave32", bound.front()});
  CHECK(variants("x", "f64") == bound); // it loads what it updates
  // An array of bytes may begin anywhere, and by address only at each fourth byte.
  CHECK(variants("p", "i8") == bound);
}

TEST_CASE("128 lanes are built where they are asked for", "[vulkan]") {
  auto count = [](const std::string &text) {
    llvm::Expected<std::vector<Target>> targets = parseTargets({text}, {findBackend("vulkan")});
    REQUIRE(bool(targets));
    unsigned wide = 0;
    for (const Target &target : *targets)
      wide += target.wave == 128;
    return std::pair(targets->size(), wide);
  };
  CHECK(count("vulkan:1.1") == std::pair(size_t(5), 0u));
  CHECK(count("vulkan:1.1/all-waves") == std::pair(size_t(5), 0u));
  CHECK(count("vulkan:1.1/wave128") == std::pair(size_t(1), 1u));
}

// The backend validates what it makes; so each module compiles, or this fails.
TEST_CASE("every test module is valid for every wave size, optimised or not", "[vulkan]") {
  Compiler compiler;
  unsigned count = 0;
  const Words every = spirv::variantFeatures().vec(), table = {every.front()},
              bound(every.begin() + 1, every.end());
  REQUIRE(table == Words{"buffer-addresses"});
  for (const auto &entry : std::filesystem::directory_iterator(SEXTANT_CODE_TESTS)) {
    if (entry.path().extension() != ".mlir" || entry.path().stem() == "errors")
      continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    for (unsigned log2Wave : {2, 3, 4, 5, 6}) {
      std::string own = text.str();
      auto replace = [&](const std::string &from, const std::string &to) {
        for (size_t at; (at = own.find(from)) != std::string::npos;)
          own.replace(at, from.size(), to);
      };
      std::string wave = std::to_string(1u << log2Wave);
      replace("simt.wave = WAVE", "simt.wave = " + wave);
      replace("simt.wave = 32 :", "simt.wave = " + wave + ":");
      replace("tile LOG", "tile " + std::to_string(log2Wave));
      if (log2Wave < 3)
        replace("tile 3", "tile 2");
      INFO(entry.path() << " with waves of " << wave);
      for (const Words &features :
           {Words{}, Words{"float32-atomics", "float64-atomics"}, bound, table, every})
        for (unsigned level : {0, 3})
          compiler.compile(own, features, level);
      ++count;
    }
  }
  CHECK(count >= 40);
}

TEST_CASE("the validator refuses what is not valid, the disassembler what is not SPIR-V",
          "[vulkan]") {
  Compiler compiler;
  Image image = compiler.compile(doubles("f32"));
  std::vector<uint32_t> words(image.bytes.size() / 4);
  std::memcpy(words.data(), image.bytes.data(), image.bytes.size());
  CHECK(llvm::toString(spirv::validate(words)) == "");
  std::vector<uint32_t> broken = words;
  broken.resize(broken.size() - 1); // without OpFunctionEnd
  CHECK(llvm::toString(spirv::validate(broken)).find("not valid") != std::string::npos);
  broken = words;
  broken[1] = 0x00010600; // SPIR-V 1.6 is not for Vulkan 1.1
  CHECK(llvm::toString(spirv::validate(broken)).find("not valid") != std::string::npos);
  llvm::Expected<std::string> text = compiler.vulkan.disassemble({"\x7f"
                                                                  "ELF....",
                                                                  8},
                                                                 {});
  REQUIRE(!text);
  CHECK(llvm::toString(text.takeError()).find("not SPIR-V") != std::string::npos);
}

TEST_CASE("source lines are in the code where they are asked for", "[vulkan]") {
  Compiler compiler;
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      std::string(SEXTANT_CODE_TESTS) + "/memory.mlir", &compiler.context);
  REQUIRE(module);
  CompileOptions options;
  options.verifyStages = true;
  options.lineInfo = true;
  Target target{"vulkan", "1.1", {}, 32};
  llvm::Expected<Image> image = compiler.vulkan.compile(*module, target, options);
  REQUIRE(bool(image));
  std::string text = llvm::cantFail(compiler.vulkan.disassemble(image->bytes, target));
  CHECK(text.find("memory.mlir\"") != std::string::npos);
  CHECK(text.find("OpLine") != std::string::npos);
  CHECK(text.find("OpName %saxpy \"saxpy\"") != std::string::npos);
}
