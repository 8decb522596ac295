// Target strings: what each form expands to, and what the errors say.
#include "backends/Targets.h"
#include "tests/support/Catch.h"

using namespace sextant;

namespace {

/// A backend that has only names.
struct NamesOnly : Backend {
  std::string ownName;
  std::vector<Arch> table;
  std::vector<std::string> native;
  bool everyWave = true;
  llvm::StringRef name() const override { return ownName; }
  llvm::ArrayRef<Arch> archs() const override { return table; }
  std::vector<std::string> nativeArchs() const override { return native; }
  bool everyWaveByDefault() const override { return everyWave; }
  uint64_t sharedLimit(const Target &) const override { return 0; }
  mlir::LogicalResult check(mlir::ModuleOp, const Target &) const override {
    return mlir::success();
  }
  llvm::Expected<Image> compile(mlir::ModuleOp, const Target &,
                                const CompileOptions &) const override {
    return Image();
  }
  llvm::Expected<std::string> disassemble(llvm::ArrayRef<char>, const Target &) const override {
    return std::string();
  }
};

struct Fixture {
  NamesOnly cpu, gpu;
  Fixture() {
    cpu.ownName = "cpu";
    cpu.table = {{"x86-64-v2", {32, 8}, "", true},
                 {"x86-64-v3", {32, 8}, "", true},
                 {"aarch64", {32, 8}, "", false}};
    cpu.everyWave = false;
    cpu.native = {"x86-64-v3"};
    gpu.ownName = "gpu";
    gpu.table = {{"gfx10", {32, 64}, "", false}, {"gfx11", {32, 64}, "", true}};
  }
  /// The targets' texts joined by blanks, or "error: " and the message.
  std::string expand(std::vector<std::string> texts) {
    const Backend *all[] = {&cpu, &gpu};
    llvm::Expected<std::vector<Target>> targets = parseTargets(texts, all);
    if (!targets)
      return "error: " + llvm::toString(targets.takeError());
    std::string joined;
    for (const Target &target : *targets)
      joined += (joined.empty() ? "" : " ") + target.str();
    return joined;
  }
};

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("target strings expand", "[targets]") {
  Fixture f;
  CHECK(f.expand({"gpu:gfx10/wave64"}) == "gpu:gfx10/wave64");
  CHECK(f.expand({"gfx10"}) == "gpu:gfx10/wave32 gpu:gfx10/wave64");
  CHECK(f.expand({"cpu:x86-64-v3"}) == "cpu:x86-64-v3/wave32");
  CHECK(f.expand({"x86-64-v3/all-waves"}) == "cpu:x86-64-v3/wave32 cpu:x86-64-v3/wave8");
  CHECK(f.expand({"cpu/wave8"}) == "cpu:x86-64-v2/wave8 cpu:x86-64-v3/wave8");
  CHECK(f.expand({"cpu:all"}) == "cpu:x86-64-v2/wave32 cpu:x86-64-v3/wave32 cpu:aarch64/wave32");
  CHECK(f.expand({"native"}) == "cpu:x86-64-v3/wave32");
  CHECK(f.expand({"all-major"}) ==
        "cpu:x86-64-v2/wave32 cpu:x86-64-v3/wave32 gpu:gfx11/wave32 gpu:gfx11/wave64");
  CHECK(f.expand({"gfx11+b+a+b/wave32"}) == "gpu:gfx11+a+b/wave32");
}

TEST_CASE("lists keep their order and drop repetitions", "[targets]") {
  Fixture f;
  CHECK(f.expand({"gfx11/wave64, x86-64-v3,", "gpu:gfx11"}) ==
        "gpu:gfx11/wave64 cpu:x86-64-v3/wave32 gpu:gfx11/wave32");
}

TEST_CASE("bad target strings say what is wrong", "[targets]") {
  Fixture f;
  std::string unknown = f.expand({"gfx12"});
  CHECK(contains(unknown, "unknown target 'gfx12'"));
  CHECK(contains(unknown, "did you mean gfx10 or gfx11?"));
  CHECK(contains(f.expand({"gpo:gfx11"}), "unknown backend 'gpo'"));
  CHECK(contains(f.expand({"gpo:gfx11"}), "did you mean gpu?"));
  CHECK(contains(f.expand({"gfx11/wave16"}), "gfx11 has no wave of 16 lanes, but 32, 64"));
  CHECK(contains(f.expand({"gfx11/32"}), "bad wave size"));
  CHECK(contains(f.expand({"gfx11/"}), "bad wave size"));
  CHECK(contains(f.expand({"gpu:"}), "names no architecture"));
  CHECK(contains(f.expand({"gfx11+"}), "empty feature name"));
  CHECK(contains(f.expand({"", ","}), "no target named"));
  CHECK(contains(f.expand({"gpu:native"}), "no device of this machine"));
}

TEST_CASE("the build's own list has the cuda backend", "[targets]") {
  const Backend *cuda = findBackend("cuda");
  REQUIRE(cuda);
  CHECK(findBackend("nothing") == nullptr);
  llvm::Expected<std::vector<Target>> targets = parseTargets({"sm_90,compute_90"}, allBackends());
  REQUIRE(bool(targets));
  REQUIRE(targets->size() == 2);
  CHECK((*targets)[0].str() == "cuda:sm_90/wave32");
  CHECK((*targets)[1].str() == "cuda:compute_90/wave32");
}
