// Pipelines: the order of stages, what is printed after them, and what verification finds.
#include "backends/common/Pipeline.h"
#include "frontend/ir/SimtDialect.h"
#include "tests/support/Catch.h"

#include "mlir/Parser/Parser.h"
#include "llvm/IR/IRBuilder.h"

using namespace sextant;

namespace {

const char *const task = R"(
module attributes {simt.wave = 32 : i32} {
  func.func @add(%a: i32, %b: i32) {
    %sum = arith.addi %a, %b : i32
    %twice = arith.addi %sum, %sum : i32
    return
  }
})";

llvm::Error keep(LlvmJob &) { return llvm::Error::success(); }

/// A value is used before it is there.
llvm::Error breakTasks(LlvmJob &job) {
  auto function = *job.tasks.getOps<mlir::func::FuncOp>().begin();
  mlir::Block &body = function.getBody().front();
  body.front().moveAfter(body.front().getNextNode());
  return llvm::Error::success();
}

/// A block without an end.
llvm::Error emitBroken(LlvmJob &job) {
  job.code = std::make_unique<llvm::Module>("broken", job.context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(job.context), false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f", *job.code);
  llvm::BasicBlock::Create(job.context, "entry", function);
  return llvm::Error::success();
}

llvm::Error refuse(LlvmJob &) { return fail("refused"); }

/// Runs stages on `task`; the error's text, or "".
struct Run {
  std::string error, dump, diagnostics;

  Run(llvm::ArrayRef<Stage<LlvmJob>> stages, bool verify, std::vector<std::string> dumpIr = {}) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    simt::loadDialects(context);
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      diagnostics += diagnostic.str();
      return mlir::success();
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(task, &context);
    REQUIRE(module);
    llvm::raw_string_ostream out(dump);
    const Target target{"test", "none", {}, 32};
    CompileOptions options;
    options.verifyStages = verify;
    options.dumpIr = std::move(dumpIr);
    options.dumpStream = &out;
    LlvmJob job(*module, target, options);
    error = llvm::toString(runStages(stages, job));
  }
};

const Stage<LlvmJob> breaking[] = {{{"keep", ""}, Form::Tasks, keep},
                                   {{"break", ""}, Form::Tasks, breakTasks},
                                   {{"refuse", ""}, Form::Tasks, refuse}};

} // namespace

TEST_CASE("a pipeline ends at the first error", "[pipeline]") {
  const Stage<LlvmJob> stages[] = {{{"keep", ""}, Form::Tasks, keep},
                                   {{"refuse", ""}, Form::Tasks, refuse},
                                   {{"break", ""}, Form::Tasks, breakTasks}};
  CHECK(Run(stages, true).error == "refused");
}

TEST_CASE("verification names the stage that broke the tasks", "[pipeline]") {
  Run run(breaking, true);
  CHECK(run.error == "after break: the module of tasks is not valid");
  CHECK(run.diagnostics.find("does not dominate this use") != std::string::npos);
}

TEST_CASE("verification can be off", "[pipeline]") {
  Run run(breaking, false);
  CHECK(run.error == "refused");
  CHECK(run.diagnostics == "");
}

TEST_CASE("verification finds broken LLVM IR", "[pipeline]") {
  const Stage<LlvmJob> stages[] = {{{"emit", ""}, Form::Llvm, emitBroken}};
  const std::string error = Run(stages, true).error;
  CHECK(llvm::StringRef(error).starts_with("after emit: the test backend made invalid code: "));
  CHECK(Run(stages, false).error == "");
}

TEST_CASE("what a stage made is printed where it is asked for", "[pipeline]") {
  const Stage<LlvmJob> stages[] = {{{"first", ""}, Form::Tasks, keep},
                                   {{"second", ""}, Form::Tasks, keep},
                                   {{"bytes", ""}, Form::Bytes, keep}};
  const std::string dump = Run(stages, false, {"second", "bytes"}).dump;
  CHECK(llvm::StringRef(dump).starts_with("// test:none/wave32 after second\nmodule attributes"));
  CHECK(dump.find("after first") == std::string::npos);
  CHECK(dump.find("after bytes") == std::string::npos);
  CHECK(Run(stages, false, {"all"}).dump.find("after first") != std::string::npos);
}

TEST_CASE("every backend's stages have names of their own, and help", "[pipeline]") {
  for (const Backend *backend : allBackends()) {
    INFO(backend->name().str());
    std::vector<std::string> names;
    for (const StageInfo &stage : backend->stages()) {
      CHECK(stage.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == llvm::StringRef::npos);
      CHECK(!stage.help.empty());
      CHECK(!llvm::is_contained(names, stage.name.str()));
      names.push_back(stage.name.str());
    }
    CHECK(!names.empty());
  }
}
