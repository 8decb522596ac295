// Reads a module of tasks in MLIR's text form, runs named passes on it, and
// prints it, or compiles it for one target. For tests of the dialect, of the
// shared transforms and of the backends; not installed.
#include "frontend/ir/SimtDialect.h"
#include "frontend/ir/transforms/Passes.h"
#ifdef SEXTANT_HAVE_BACKENDS
#include "backends/Errors.h"
#include "backends/Targets.h"
#endif

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace sextant;
namespace cl = llvm::cl;

namespace {

/// The options of the command line. Not LLVM's options themselves: lld sets those back.
struct Options {
  std::string inputName, outputName, passNames, targetName, emitKind, dumpIr;
  unsigned optLevel;
  bool verifyDiagnostics, splitInput, locations;
};

} // namespace

static Options options;

static void parseOptions(int argc, char **argv) {
  // They stay registered: lld goes through all that there are.
  static cl::opt<std::string> inputName(cl::Positional, cl::init("-"), cl::desc("<input>"));
  static cl::opt<std::string> outputName("o", cl::init("-"), cl::desc("output file"));
  static cl::opt<std::string> passNames(
      "pass", cl::desc("passes to run, in order: name or name{words}, separated by ';' or ','"));
  static cl::opt<std::string> targetName("target", cl::desc("backend:arch[+feature...][/waveN]"));
  static cl::opt<std::string> emitKind("emit", cl::desc("image or asm, for --target"));
  static cl::opt<unsigned> optLevel("O", cl::Prefix, cl::init(3), cl::desc("optimisation level"));
  static cl::opt<std::string> dumpIr("dump-ir",
                                     cl::desc("dump the backend's IR after these passes"));
  static cl::opt<bool> verifyDiagnostics("verify-diagnostics",
                                         cl::desc("check diagnostics against expected-error"));
  static cl::opt<bool> splitInput("split-input-file", cl::desc("modules apart at // -----"));
  static cl::opt<bool> locations("locations", cl::desc("print locations"));
  cl::ParseCommandLineOptions(argc, argv, "simt module tool for tests\n");
  options = {inputName, outputName, passNames,         targetName, emitKind,
             dumpIr,    optLevel,   verifyDiagnostics, splitInput, locations};
}

/// Runs `text`: `name{words},name,…`.
static LogicalResult runPasses(ModuleOp module, StringRef text) {
  while (!text.empty()) {
    size_t end = text.find_first_of(",;{");
    StringRef name = text.take_front(end), words;
    text = end == StringRef::npos ? StringRef() : text.drop_front(end);
    if (text.consume_front("{")) {
      std::tie(words, text) = text.split('}');
    }
    if (!text.consume_front(","))
      text.consume_front(";");
    const simt::NamedPass *pass = simt::findPass(name);
    if (!pass)
      return module.emitError() << "no pass is called '" << name << "'";
    if (failed(pass->run(module, words)))
      return failure();
    if (failed(verify(module)))
      return module.emitError() << "the module is broken after " << name;
  }
  return success();
}

#ifdef SEXTANT_HAVE_BACKENDS
/// One target; without a wave size, that of the module.
static FailureOr<Target> parseTarget(std::string text, ModuleOp module) {
  if (!StringRef(text).contains('/'))
    text += "/wave" + std::to_string(simt::getWaveSize(module));
  llvm::Expected<std::vector<Target>> targets = parseTargets({text}, allBackends());
  if (!targets)
    return module.emitError() << toString(targets.takeError()), failure();
  if (targets->size() != 1)
    return module.emitError() << "'" << text << "' is not one target", failure();
  return targets->front();
}

static LogicalResult emit(ModuleOp module, raw_ostream &output) {
  FailureOr<Target> target = parseTarget(options.targetName, module);
  if (failed(target))
    return failure();
  const Backend *backend = findBackend(target->backend);
  if (!backend)
    return module.emitError() << "no backend is called '" << target->backend << "'";
  if (target->wave != simt::getWaveSize(module))
    return module.emitError() << "the module is for wave size " << simt::getWaveSize(module);
  if (failed(backend->check(module, *target)))
    return failure();
  CompileOptions compile;
  compile.optLevel = options.optLevel;
  compile.verifyStages = true;
  if (!options.dumpIr.empty()) {
    compile.dumpIr = {options.dumpIr};
    compile.dumpStream = &output;
  }
  llvm::Expected<Image> image = backend->compile(module, *target, compile);
  if (!image) {
    handleAllErrors(
        image.takeError(), [](const AlreadyReported &) {},
        [&](const llvm::ErrorInfoBase &error) { module.emitError() << error.message(); });
    return failure();
  }
  if (options.emitKind == "asm") {
    llvm::Expected<std::string> text = backend->disassemble(image->bytes, *target);
    if (!text)
      return module.emitError() << toString(text.takeError());
    output << *text;
  } else if (options.emitKind == "image") {
    output.write(image->bytes.data(), image->bytes.size());
  } else if (options.emitKind != "none") {
    return module.emitError() << "--emit is image, asm or none";
  }
  return success();
}
#else
static LogicalResult emit(ModuleOp module, raw_ostream &) {
  return module.emitError() << "this build has no backends";
}
#endif

static LogicalResult process(std::unique_ptr<llvm::MemoryBuffer> buffer, raw_ostream &output) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  simt::loadDialects(context);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());

  auto run = [&]() -> LogicalResult {
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
    if (!module || failed(runPasses(*module, options.passNames)))
      return failure();
    if (!options.targetName.empty())
      return emit(*module, output);
    module->print(output, OpPrintingFlags().enableDebugInfo(options.locations));
    return success();
  };
  if (options.verifyDiagnostics) {
    SourceMgrDiagnosticVerifierHandler handler(sources, &context);
    (void)run();
    return handler.verify();
  }
  SourceMgrDiagnosticHandler handler(sources, &context);
  return run();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  parseOptions(argc, argv);
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(options.inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? openOutputFile(options.outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << "sextant-opt: " << error << "\n";
    return 1;
  }
  LogicalResult result = options.splitInput
                             ? splitAndProcessBuffer(std::move(input), process, output->os())
                             : process(std::move(input), output->os());
  if (succeeded(result))
    output->keep();
  return failed(result);
}
