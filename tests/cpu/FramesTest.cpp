// Frames of compiled tasks: the caller is found at each instruction, large ones touch their pages
// one by one, and one that no thread has room for is refused.
#include "tests/cpu/Kernels.h"
#include "tests/loader/frames/Callers.h"

#include "loader/abi/Stack.h"
#include "loader/devices/cpu/ElfLayout.h"

using namespace cputest;
using namespace sextant::test;

namespace {

std::string name(const char *stem, unsigned i) {
  return "%" + std::string(stem) + std::to_string(i);
}

/// Each thread keeps `count` numbers across a barrier.
std::string keeps(unsigned blockDim, unsigned count) {
  std::string body, sums = "%s0 = arith.constant 0.0 : f64\n";
  for (unsigned i = 0; i < count; ++i) {
    body += name("k", i) + " = arith.constant " + std::to_string(i + 1) + ".0 : f64\n";
    body += name("p", i) + " = arith.mulf " + name("k", i) + ", %v : f64\n";
    sums += name("m", i) + " = arith.mulf " + name("p", i) + ", " + name("s", i) + " : f64\n";
    sums += name("s", i + 1) + " = arith.addf " + name("m", i) + ", " + name("p", i) + " : f64\n";
  }
  return task(blockDim, buffer("x", "f64"),
              "%v = simt.load %x[%i] : !simt.buffer<f64, global>, i32\n" + body + "simt.barrier\n" +
                  sums + "simt.store " + name("s", count) +
                  ", %x[%i] : !simt.buffer<f64, global>, i32\n",
              true);
}

/// A table that each thread indexes by data.
std::string table(unsigned blockDim, unsigned count) {
  return task(blockDim, buffer("x", "f64"),
              replaceAll(R"(
    %a = simt.private : !simt.buffer<f64, private, COUNT>
    %v = simt.load %x[%i] : !simt.buffer<f64, global>, i32
    %n = arith.fptosi %v : f64 to i32
    %most = arith.constant 3 : i32
    %at = arith.andi %n, %most : i32
    simt.store %v, %a[%at] : !simt.buffer<f64, private, COUNT>, i32
    %w = simt.load %a[%c2] : !simt.buffer<f64, private, COUNT>, i32
    simt.store %w, %x[%i] : !simt.buffer<f64, global>, i32
  )",
                         "COUNT", std::to_string(count)));
}

/// One thread's table of 20 bytes, which is all that its frame would hold.
std::string narrow() {
  return replaceAll(replaceAll(table(1, 5), "f64", "i32"), "arith.fptosi %v : i32 to i32",
                    "arith.addi %v, %v : i32");
}

std::string saxpy(unsigned blockDim) {
  return task(blockDim, buffer("x", "f64"), R"(
    %v = simt.load %x[%i] : !simt.buffer<f64, global>, i32
    %w = arith.mulf %v, %v : f64
    simt.store %w, %x[%i] : !simt.buffer<f64, global>, i32
  )");
}

unsigned steps;

/// Calls a task once for each way to find its caller.
void callInSteps(const Call &call) {
  sextant::loader::ElfLayout layout;
  const auto file = std::as_bytes(std::span(call.image));
  REQUIRE(sextant::loader::readLayout(file, 4096, layout) == nullptr);
  const sextant::system::FrameSections sections = layout.frameSections(file);
  REQUIRE(!sections.bytes.empty());
  const FrameTables tables(sections, call.base);
  // Windows has words for each row: frames are of whole words.
  size_t rows = 0;
  for (const sextant::system::CallFrame &frame : tables.frames)
    rows += frame.size();
  CHECK(rows > 0);
  CHECK(tables.records.functions.size() == rows);
  for (const Way &way : waysToCallers()) {
    INFO(way.name);
    Comparison comparison(tables, way, call.task);
    stepThrough([&] { call.task(call.args, call.shared, 0, call.grid, call.grid); }, comparison);
    INFO("first wrong at " << std::hex << comparison.firstWrong);
    CHECK(comparison.wrong == 0);
    steps = comparison.steps;
  }
}

bool probes(const std::string &code, const Variant &variant) {
  // A probe writes a zero to where the stack pointer points.
  return code.find(variant.arch == "aarch64" ? "xzr, [sp]" : "mov\tqword ptr [rsp], 0") !=
         std::string::npos;
}

} // namespace

TEST_CASE("the caller of a compiled task is found at each instruction") {
  const struct Restore {
    void (*before)(const Call &) = callTask;
    ~Restore() { callTask = before; }
  } restore;
  callTask = callInSteps;
  for (const std::string &text :
       {saxpy(64), keeps(64, 40), keeps(256, 20), table(64, 4), table(256, 32), narrow()})
    for (const char *arch : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
      std::vector<Variant> here = variants({32});
      if (std::none_of(here.begin(), here.end(), [&](const Variant &v) { return v.arch == arch; }))
        continue;
      INFO(arch);
      std::vector<Arg> args = {Arg::array(std::vector<double>(256, 2.0))};
      steps = 0;
      run(text, {arch, 32}, args, 1);
      CHECK(steps > 10);
    }
}

TEST_CASE("large frames touch their pages one by one, and small ones do not") {
  for (const char *arch : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    const Variant variant{arch, 32};
    INFO(arch);
    CHECK_FALSE(probes(assembly(saxpy(64), variant), variant));
    CHECK_FALSE(probes(assembly(table(32, 4), variant), variant));
    CHECK(probes(assembly(table(64, 100), variant), variant));
    CHECK(probes(assembly(keeps(1024, 40), variant), variant));
  }
}

TEST_CASE("a frame that no thread has room for is refused at its task") {
  for (const char *arch : {"x86-64-v3", "aarch64"}) {
    // 700 numbers of 1024 threads take 5.7 MB, 800 take 6.6.
    CHECK(compileError(keeps(1024, 700), {arch, 32}).empty());
    const std::string error = compileError(keeps(1024, 800), {arch, 32});
    INFO(error);
    CHECK(error.find("the cpu backend has room for " + std::to_string(sextant::abi::taskFrame)) !=
          std::string::npos);
    CHECK(error.find("bytes on a thread's stack") != std::string::npos);
  }
}

TEST_CASE("arrays of threads have the room that frames have") {
  CHECK(compileError(table(1024, 700), {"x86-64-v3", 32}).empty());
  CHECK(compileError(table(1024, 800), {"x86-64-v3", 32}).find("local arrays") !=
        std::string::npos);
}
