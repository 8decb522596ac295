// Many small kernels through one run of ptxas: the cubins are those that ptxas makes of each.
#include "backends/Backend.h"
#include "backends/cuda/AssembleMany.h"
#include "backends/cuda/JointCubin.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <filesystem>

using namespace sextant;

namespace {

const std::string head = ".version 7.8\n.target sm_90\n.address_size 64\n";

/// An entry that stores `value`, an instruction that computes %rd2 of %rd1.
std::string entry(const std::string &name, const std::string &value) {
  return ".visible .entry " + name + "(.param .u64 " + name +
         "_0)\n{\n .reg .b64 %rd<4>;\n ld.param.u64 %rd1, [" + name + "_0];\n " + value +
         "\n st.global.u64 [%rd1], %rd2;\n ret;\n}\n";
}
std::string adds(const std::string &name, int number) {
  return entry(name, "add.s64 %rd2, %rd1, " + std::to_string(number) + ";");
}
/// An entry whose division is a function that ptxas adds to it.
std::string divides(const std::string &name) {
  return entry(name, "mov.u64 %rd3, 7;\n div.u64 %rd2, %rd3, %rd1;");
}

PtxasRequest forHopper(llvm::StringRef ptxas) { return {ptxas, "sm_90", {}, 3, false}; }

PtxasResult assembled(const std::vector<std::string> &texts) {
  const std::string ptxas = findCudaProgram("ptxas");
  std::vector<llvm::StringRef> views(texts.begin(), texts.end());
  PtxasRequest request = forHopper(ptxas);
  request.texts = views;
  llvm::Expected<PtxasResult> result = runPtxas(request);
  const std::string error = result ? "" : llvm::toString(result.takeError());
  REQUIRE(error == "");
  return std::move(*result);
}

/// Returns what assembleMany() makes of each text: the error, or "" if it is ptxas's cubin of this
/// text.
std::vector<std::string> assembledTogether(const std::vector<std::string> &texts) {
  const std::string ptxas = findCudaProgram("ptxas");
  std::vector<llvm::StringRef> views(texts.begin(), texts.end());
  std::vector<std::string> found;
  for (auto &result : assembleMany(forHopper(ptxas), views)) {
    const std::string &text = texts[found.size()];
    if (!result)
      found.push_back(llvm::toString(result.takeError()));
    else
      found.push_back(result->cubin == assembled({text}).cubin ? "" : "another cubin");
  }
  return found;
}

/// The PTX of the valid modules of tests/cuda/code that assembleMany() is for.
std::vector<std::string> plainModules(mlir::MLIRContext &context) {
  std::vector<std::string> paths, texts;
  for (const auto &file : std::filesystem::directory_iterator(SEXTANT_CODE_TESTS))
    if (file.path().extension() == ".mlir" && file.path().stem() != "errors")
      paths.push_back(file.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) {
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
    llvm::Expected<Image> image =
        findBackend("cuda")->compile(*module, {"cuda", "compute_90", {}, 32}, {});
    REQUIRE(bool(image));
    if (isPlain(image->bytes.data()))
      texts.emplace_back(image->bytes.data());
  }
  return texts;
}

} // namespace

TEST_CASE("a joint cubin is cut into those of its texts", "[cuda][ptxas]") {
  if (findCudaProgram("ptxas").empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  const std::vector<std::string> texts = {head + adds("one", 1),
                                          head + adds("two", 2) + adds("second_of_two", 3),
                                          head + adds("a_third_one", 0)};
  const std::vector<std::vector<llvm::StringRef>> names = {
      {"one"}, {"two", "second_of_two"}, {"a_third_one"}};
  const PtxasResult joint = assembled(texts);
  const auto cubin = JointCubin::read(joint.cubin);
  REQUIRE(cubin);
  CHECK(cubin->unknown().empty());
  for (size_t text = 0; text < texts.size(); ++text)
    CHECK((cubin->cut(names[text]) == assembled({texts[text]}).cubin));

  const PtxasResult strange = assembled({texts[0], head + divides("divides"), texts[2]});
  REQUIRE(JointCubin::read(strange.cubin));
  CHECK(JointCubin::read(strange.cubin)->unknown() == llvm::ArrayRef<llvm::StringRef>{"divides"});
  CHECK_FALSE(JointCubin::read(llvm::ArrayRef<char>(joint.cubin).drop_back(200)));
  CHECK_FALSE(JointCubin::read({}));
}

TEST_CASE("cubins do not depend on what is assembled with them", "[cuda][ptxas]") {
  if (findCudaProgram("ptxas").empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  std::vector<std::string> texts = plainModules(context);
  REQUIRE(texts.size() > 5);
  // Two of one name, and such as must be assembled by itself.
  for (const std::string &text : {adds("twice", 1), divides("divides"), adds("twice", 2)})
    texts.insert(texts.begin() + 2, head + text);
  CHECK(assembledTogether(texts) == std::vector<std::string>(texts.size()));
  std::rotate(texts.begin(), texts.begin() + 3, texts.end());
  CHECK(assembledTogether(texts) == std::vector<std::string>(texts.size()));
}

TEST_CASE("a text without entries is assembled by itself", "[cuda][ptxas]") {
  if (findCudaProgram("ptxas").empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  std::vector<std::string> texts{head, head};
  for (int k = 0; k < 10; ++k)
    texts.push_back(head + adds("adds" + std::to_string(k), k));
  CHECK(assembledTogether(texts) == std::vector<std::string>(texts.size()));
}

TEST_CASE("the error of one text is not another's", "[cuda][ptxas]") {
  if (findCudaProgram("ptxas").empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  std::vector<std::string> texts;
  for (int number = 0; number < 6; ++number)
    texts.push_back(head + adds("entry" + std::to_string(number), number));
  texts[4] = head + entry("wrong", "no.such.instruction;");
  const std::vector<std::string> found = assembledTogether(texts);
  for (size_t text = 0; text < texts.size(); ++text)
    if (text == 4)
      CHECK(found[text].find("ptxas refused the code for sm_90") == 0);
    else
      CHECK(found[text] == "");
}

TEST_CASE("drafts become the images that are made at once", "[cuda][ptxas]") {
  if (findCudaProgram("ptxas").empty()) {
    WARN("skipped: no ptxas");
    return;
  }
  const Backend &cuda = *findBackend("cuda");
  const Target target{"cuda", "sm_90", {}, 32};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  simt::loadDialects(context);
  const auto compiled = [&](int number, bool drafts) {
    const std::string name = "task" + std::to_string(number);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        "module attributes {simt.wave = 32 : i32} {\n  func.func @" + name +
            "(%a: i8) attributes {simt.task = {block_dim = " + std::to_string(32 << number) +
            " : i32}} {\n    return\n  }\n}\n",
        &context);
    REQUIRE(module);
    CompileOptions options;
    options.drafts = drafts;
    llvm::Expected<Image> image = cuda.compile(*module, target, options);
    REQUIRE(bool(image));
    CHECK(image->isDraft == drafts);
    return std::move(*image);
  };
  std::vector<Image> images;
  for (int number = 0; number < 5; ++number)
    images.push_back(compiled(number, true));
  std::vector<Image *> drafts;
  for (Image &image : images)
    drafts.push_back(&image);
  for (llvm::Error &error : cuda.complete(drafts, target, {}))
    CHECK_FALSE(bool(error));
  for (int number = 0; number < 5; ++number) {
    const Image atOnce = compiled(number, false);
    const TaskResources &task = images[number].tasks.front(), &known = atOnce.tasks.front();
    CHECK_FALSE(images[number].isDraft);
    CHECK(images[number].format == "cubin");
    CHECK((images[number].bytes == atOnce.bytes));
    CHECK(task.registers == known.registers);
    CHECK(task.registers > 0);
    CHECK(task.occupancy == known.occupancy);
    CHECK(task.occupancy > 0);
  }
}
