// The modules of tests/cuda/code through the whole backend, ptxas included, for
// every architecture; and what is read from ptxas's log.
#include "backends/Backend.h"
#include "backends/cuda/Occupancy.h"
#include "backends/cuda/Toolkit.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"

#include <filesystem>

using namespace sextant;

namespace {

/// The test modules that are valid, by path.
std::vector<std::string> codeTests() {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(SEXTANT_CODE_TESTS))
    if (entry.path().extension() == ".mlir" && entry.path().stem() != "errors")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

} // namespace

TEST_CASE("ptxas takes every test module for every architecture", "[cuda][ptxas]") {
  if (findCudaProgram("ptxas").empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  const Backend &cuda = *findBackend("cuda");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  for (const std::string &path : codeTests()) {
    for (const Arch &arch : cuda.archs()) {
      Target target{"cuda", arch.name, {}, 32};
      INFO(path << " for " << target.str());
      auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
      REQUIRE(module);
      REQUIRE(mlir::succeeded(cuda.check(*module, target)));
      CompileOptions options;
      options.verifyStages = true;
      options.lineInfo = arch.name == "sm_80";
      llvm::Expected<Image> image = cuda.compile(*module, target, options);
      std::string error = image ? "" : "refused: " + llvm::toString(image.takeError());
      REQUIRE(error == "");
      bool isVirtual = llvm::StringRef(arch.name).starts_with("compute_");
      CHECK(image->format == (isVirtual ? "ptx" : "cubin"));
      for (const TaskResources &task : image->tasks)
        CHECK((isVirtual || task.registers > 0));
    }
  }
}

TEST_CASE("PTX does not depend on what was compiled before", "[cuda]") {
  if (!libdevice()) {
    WARN("skipped: no libdevice");
    return;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  // A sine calls a function, and LLVM numbers the calls of the whole process.
  const char *sine = R"(
    module attributes {simt.wave = 32 : i32} {
      func.func @sine(%x: !simt.buffer<f64, global>, %v: f64)
          attributes {simt.task = {block_dim = 32 : i32}} {
        %zero = arith.constant 0 : i32
        %sine = math.sin %v : f64
        simt.store %sine, %x[%zero] : !simt.buffer<f64, global>, i32
        return
      }
    })";
  std::vector<std::string> texts;
  for (int round = 0; round < 2; ++round) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(sine, &context);
    REQUIRE(module);
    llvm::Expected<Image> image =
        findBackend("cuda")->compile(*module, {"cuda", "compute_80", {}, 32}, {});
    REQUIRE(bool(image));
    texts.emplace_back(image->bytes.data());
  }
  CHECK(texts[0].find("call.uni") != std::string::npos);
  CHECK(texts[0] == texts[1]);
}

TEST_CASE("resources are read from ptxas's log", "[cuda]") {
  const char *log =
      "ptxas info    : 77696 bytes gmem\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas info    : Function properties for b\n"
      "    48 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 31 registers, used 1 barriers, 48 bytes cumulative stack size, "
      "1024 bytes smem, 544 bytes cmem[0]\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "ptxas info    : Function properties for a\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n";
  TaskResources tasks[2];
  tasks[0].task = "a";
  tasks[1].task = "b";
  readResources(log, tasks);
  CHECK(tasks[0].registers == 8);
  CHECK(tasks[0].spillBytes == 0);
  CHECK(tasks[0].sharedBytes == 0);
  CHECK(tasks[1].registers == 31);
  CHECK(tasks[1].spillBytes == 20);
  CHECK(tasks[1].stackBytes == 48);
  CHECK(tasks[1].sharedBytes == 1024);
}

TEST_CASE("line information names the source's lines", "[cuda]") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(std::string(SEXTANT_CODE_TESTS) + "/ids.mlir",
                                                      &context);
  REQUIRE(module);
  CompileOptions options;
  options.verifyStages = true;
  options.lineInfo = true;
  llvm::Expected<Image> image =
      findBackend("cuda")->compile(*module, {"cuda", "compute_75", {}, 32}, options);
  REQUIRE(bool(image));
  CHECK(image->requirements == std::vector<std::string>{"ptx>=6.3"});
  std::string ptx(image->bytes.data());
  CHECK(ptx.find(".file") != std::string::npos);
  CHECK(ptx.find("ids.mlir") != std::string::npos);
  CHECK(ptx.find(".loc") != std::string::npos);
}

/// A task of an i8 and `count` f64.
static std::string taskOf(int count) {
  std::string text = "module attributes {simt.wave = 32 : i32} {\n  func.func @many(%a: i8";
  for (int i = 0; i < count; ++i)
    text += ", %b" + std::to_string(i) + ": f64";
  return text + ") attributes {simt.task = {block_dim = 32 : i32}} {\n    return\n  }\n}\n";
}

TEST_CASE("arguments past 4096 bytes need PTX 8.1, others do not", "[cuda]") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  for (auto [count, version] :
       {std::pair(511, "ptx>=6.3"), std::pair(512, "ptx>=8.1"), std::pair(4094, "ptx>=8.1")}) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(taskOf(count), &context);
    REQUIRE(module);
    const sextant::Target target{"cuda", "compute_75", {}, 32};
    CHECK(mlir::succeeded(findBackend("cuda")->check(*module, target)));
    llvm::Expected<Image> image = findBackend("cuda")->compile(*module, target, {});
    REQUIRE(bool(image));
    CHECK(image->requirements == std::vector<std::string>{version});
  }
}

TEST_CASE("too many arguments are refused", "[cuda]") {
  const std::string text = taskOf(4096);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  std::string message;
  context.getDiagEngine().registerHandler([&](mlir::Diagnostic &d) { message = d.str(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  CHECK(mlir::failed(findBackend("cuda")->check(*module, {"cuda", "sm_80", {}, 32})));
  CHECK(message.find("need 32776 bytes, but cuda:sm_80/wave32 takes 32764") != std::string::npos);
}

// Worked out by hand from the tables of the CUDA C++ Programming Guide.
TEST_CASE("warps that a multiprocessor holds", "[cuda]") {
  // Nothing but the number of warps: 2048 and 1536 threads, and 1024 on Turing.
  CHECK(residentWarps(90, {128, 32, 0}) == 64);
  CHECK(residentWarps(89, {128, 32, 0}) == 48);
  CHECK(residentWarps(75, {128, 32, 0}) == 32);
  // The number of blocks: 32 of one warp, 16 on 8.6, 24 on 12.0.
  CHECK(residentWarps(80, {32, 16, 0}) == 32);
  CHECK(residentWarps(86, {32, 16, 0}) == 16);
  CHECK(residentWarps(120, {32, 16, 0}) == 24);
  // Registers: 65 take 2304 a warp, 7 warps a partition, so 28, so 3 blocks of 8.
  CHECK(residentWarps(90, {256, 65, 0}) == 24);
  CHECK(residentWarps(90, {256, 255, 0}) == 8);
  CHECK(residentWarps(90, {1024, 65, 0}) == 0); // 32 warps do not fit into 28
  // Shared memory: 48 KiB and 1 KiB of the system's are 4 blocks of 228 KiB, and one of 64 KiB
  // without.
  CHECK(residentWarps(90, {128, 32, 48 * 1024}) == 16);
  CHECK(residentWarps(80, {128, 32, 163 * 1024}) == 4);
  CHECK(residentWarps(75, {128, 32, 48 * 1024}) == 4);
  // A block that is not whole warps takes whole ones.
  CHECK(residentWarps(90, {48, 32, 0}) == 64);
  // Unknown: what ptxas did not say, and a capability that is not in the table.
  CHECK(residentWarps(90, {128, -1, 0}) == -1);
  CHECK(residentWarps(70, {128, 32, 0}) == -1);
}
