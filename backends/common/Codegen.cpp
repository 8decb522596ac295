// Target machines, the optimiser's pipeline, and emission.
#include "backends/common/Codegen.h"
#include "backends/Errors.h"
#include "frontend/ir/SimtDialect.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

using namespace llvm;

/// Sets an option of LLVM's passes that no interface has. It becomes the default, to which lld sets
/// all options back.
template <class T> static void setOption(StringRef name, T value) {
  auto &options = cl::getRegisteredOptions();
  if (auto it = options.find(name); it != options.end())
    static_cast<cl::opt<T> *>(it->second)->setInitialValue(value);
}

/// InstCombine and MachineSink move arithmetic down to the branch that uses its result. But
/// shuffles cannot move, so that what they yield has to wait there in registers: of a chain of
/// shuffles and sums all of it, for a store that is under a condition. (A triangular solve of 32
/// rows took 168 registers and spilled 374 words; now it takes 125.)
static void keepArithmeticInPlace() {
  setOption("instcombine-code-sinking", false);
  setOption("disable-machine-sink", true);
}

/// The scheduler compares each access to memory with as many others as this allows, and kernels of
/// simulators have thousands in a block: one of 2000 statements took 14 seconds for gfx942.
static void limitScheduling() {
  setOption("dag-maps-huge-region", 200u);
  setOption("dag-maps-reduction-size", 100u);
}

/// LLVM's targets that backends use. A command with LLVM inside has the code of no others.
static void initializeTargets() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter(); // LLVM does not parse PTX
}

Expected<std::unique_ptr<TargetMachine>>
sextant::createTargetMachine(const MachineOptions &options) {
  static std::once_flag once;
  std::call_once(once, [] {
    initializeTargets();
    keepArithmeticInPlace();
    limitScheduling();
  });
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(options.triple, error);
  if (!target)
    return fail("LLVM has no target for " + options.triple + ": " + error);
  TargetOptions flags;
  // A product and a sum become one fma if both are marked for that, as ours are. Those of libdevice
  // and ocml are not: they compute what rounding lost, and fusing would make that wrong.
  flags.AllowFPOpFusion = FPOpFusion::Standard;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      options.triple, options.cpu, options.features, flags,
      options.positionIndependent ? std::optional(Reloc::PIC_) : std::nullopt, std::nullopt,
      CodeGenOpt::getLevel(options.optLevel).value_or(CodeGenOptLevel::Aggressive)));
  if (!machine)
    return fail("LLVM cannot generate code for " + options.triple);
  return machine;
}

sextant::Analyses::Analyses(PassBuilder &passes) {
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(sccs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, sccs, modules);
}

static bool isSmall(const Module &module, unsigned most) {
  return all_of(
      module, [most](const Function &function) { return function.getInstructionCount() <= most; });
}

/// The most instructions of a function for the SLP vectoriser. Its time grows faster than a
/// function: it took a quarter of the time of 32 kernels of a simulator, whose code it made 3 %
/// longer.
static constexpr unsigned mostForSlp = 3000;

namespace {

/// Keeps the first error that the code generator reports and frames that are too large, and passes
/// its remarks on.
struct ErrorKeeper : DiagnosticHandler {
  std::string &text;
  function_ref<void(const sextant::CodegenRemark &)> remark;
  std::vector<sextant::LargeFrame> *frames;
  ErrorKeeper(std::string &text, function_ref<void(const sextant::CodegenRemark &)> remark,
              std::vector<sextant::LargeFrame> *frames = nullptr)
      : text(text), remark(remark), frames(frames) {}
  bool isAnalysisRemarkEnabled(StringRef pass) const override {
    return remark && pass == "kernel-resource-usage";
  }
  bool isAnyRemarkEnabled() const override { return bool(remark); }
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (const auto *usage = dyn_cast<DiagnosticInfoOptimizationBase>(&info)) {
      for (const auto &argument : usage->getArgs())
        if (remark)
          remark({usage->getFunction().getName(), argument.Key, argument.Val});
      return true;
    }
    if (const auto *frame = dyn_cast<DiagnosticInfoStackSize>(&info)) {
      if (frames)
        frames->push_back({frame->getFunction().getName().str(), frame->getStackSize()});
      return true;
    }
    if (info.getSeverity() == DS_Error && text.empty()) {
      raw_string_ostream out(text);
      DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
    }
    return true;
  }
};

} // namespace

void sextant::hintUnroll(Instruction *back, unsigned unroll) {
  if (unroll == simt::unrollFreely)
    return;
  LLVMContext &context = back->getContext();
  auto named = [&](StringRef name) { return MDString::get(context, name); };
  MDNode *hint = unroll == 1 ? MDNode::get(context, named("llvm.loop.unroll.disable"))
                 : unroll == simt::unrollWhole
                     ? MDNode::get(context, named("llvm.loop.unroll.full"))
                     : MDNode::get(context, {named("llvm.loop.unroll.count"),
                                             ConstantAsMetadata::get(ConstantInt::get(
                                                 Type::getInt32Ty(context), unroll))});
  MDNode *loop = MDNode::getDistinct(context, {nullptr, hint});
  loop->replaceOperandWith(0, loop); // a loop's node begins with itself
  back->setMetadata(LLVMContext::MD_loop, loop);
}

void sextant::optimize(Module &module, TargetMachine &machine, unsigned optLevel,
                       Vectorizers vectorizers, function_ref<void(PassBuilder &)> extend) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = vectorizers.loops;
  tuning.LoopInterleaving = vectorizers.loops;
  tuning.SLPVectorization = vectorizers.slp && isSmall(module, mostForSlp);
  PassBuilder passes(&machine, tuning);
  if (extend)
    extend(passes);
  Analyses analyses(passes);
  static constexpr const OptimizationLevel *levels[] = {
      &OptimizationLevel::O0, &OptimizationLevel::O1, &OptimizationLevel::O2,
      &OptimizationLevel::O3};
  const OptimizationLevel &level = *levels[std::min(optLevel, 3u)];
  ModulePassManager pipeline = optLevel == 0 ? passes.buildO0DefaultPipeline(level)
                                             : passes.buildPerModuleDefaultPipeline(level);
  // LLVM warns of loops that it cannot unroll as they ask: they are wishes.
  std::string unused;
  module.getContext().setDiagnosticHandler(std::make_unique<ErrorKeeper>(unused, nullptr));
  pipeline.run(module, analyses.modules);
  module.getContext().setDiagnosticHandler(nullptr);
}

Expected<SmallVector<char, 0>>
sextant::emitFile(Module &module, TargetMachine &machine, CodeGenFileType type,
                  function_ref<void(const sextant::CodegenRemark &)> remark,
                  std::vector<sextant::LargeFrame> *frames) {
  std::string error;
  module.getContext().setDiagnosticHandler(std::make_unique<ErrorKeeper>(error, remark, frames));
  SmallVector<char, 0> bytes;
  raw_svector_ostream out(bytes);
  legacy::PassManager pipeline;
  if (machine.addPassesToEmitFile(pipeline, out, nullptr, type))
    return fail("LLVM cannot emit this kind of file for " + machine.getTargetTriple().str());
  pipeline.run(module);
  module.getContext().setDiagnosticHandler(nullptr);
  if (!error.empty())
    return fail("code generation failed: " + error);
  return bytes;
}

Error sextant::writeTemp(const std::string &path, StringRef text) {
  std::error_code error;
  if (sys::fs::file_status there; !sys::fs::status(path, there) && !is_regular_file(there))
    return fail("cannot write " + path + ": it is not a file");
  raw_fd_ostream out(path, error);
  if (!error) {
    out << text;
    out.close();
    error = out.error();
    out.clear_error();
  }
  return error ? fail("cannot write " + path + ": " + error.message()) : Error::success();
}

std::string sextant::printModule(const Module &module) {
  std::string text;
  raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}
