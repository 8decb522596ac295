// The cpu backend: its checks, and its stages from a module of tasks to an image.
#include "backends/cpu/Cpu.h"

#include "backends/common/Codegen.h"
#include "backends/common/Disassemble.h"
#include "backends/common/Pipeline.h"
#include "backends/cpu/BlockEmitter.h"
#include "backends/cpu/Frames.h"
#include "backends/cpu/LargeTasks.h"
#include "backends/cpu/Link.h"
#include "backends/cpu/Optimize.h"
#include "backends/cpu/VectorAdds.h"
#include "backends/cpu/Width.h"
#include "backends/cpu/Workarounds.h"

#include "frontend/ir/Refuse.h"
#include "frontend/ir/transforms/Passes.h"
#include "loader/abi/Stack.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

static SmallVector<mlir::func::FuncOp> tasksOf(mlir::ModuleOp module) {
  SmallVector<mlir::func::FuncOp> tasks;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (simt::getTaskInfo(function))
      tasks.push_back(function);
  return tasks;
}

/// Images call no library: a function that is not an instruction of every machine is expanded.
static bool isNativeMath(mlir::Operation *op) {
  if (!isa<mlir::math::MathDialect>(op->getDialect()))
    return !isa<mlir::arith::RemFOp>(op);
  return isa<mlir::math::SqrtOp, mlir::math::CopySignOp>(op);
}

//===--- Stages ------------------------------------------------------------===//

namespace {

struct CpuJob : LlvmJob {
  using LlvmJob::LlvmJob;
  const Machine *cpu = nullptr;
  bool isSerial = true; ///< no task runs threads in lanes

  /// True if debuggers step through the code. They find variables only in memory.
  bool isStepped() const { return options.lineInfo && options.optLevel == 0; }
};

} // namespace

static Error expandMath(CpuJob &job) {
  simt::expandMath(job.tasks, isNativeMath,
                   {.hasFma = job.cpu->hasFma,
                    .hasLanes = true,
                    .hasFastRoots = job.cpu->isX86 && job.cpu->vectorBytes == 32,
                    .estimatesRoots = job.cpu->isX86 && job.cpu->hasFma});
  return Error::success();
}

/// LLVM's own conversions that saturate are good on Arm, and one lane after the other on x86.
static Error expandConversions(CpuJob &job) {
  static constexpr unsigned all[] = {8, 16, 32, 64};
  simt::expandConversions(job.tasks,
                          {.toInt = job.cpu->isX86 ? ArrayRef<unsigned>() : ArrayRef(all)});
  return Error::success();
}

static Error vectorizeAccesses(CpuJob &job) {
  if (job.isStepped())
    return Error::success();
  // x86 swaps 16 bytes at once.
  const auto isSwapped = [&](simt::AtomicRmwOp op) {
    const simt::BufferType buffer = op.getBuffer().getType();
    mlir::Type element = buffer.getElementType();
    return job.cpu->isX86 && buffer.getSpace() == simt::Space::Global &&
           (element.isF32() || element.isF64());
  };
  simt::vectorizeAccesses(job.tasks, {.access = [](simt::BufferType) { return true; },
                                      .atomicAdd = isSwapped,
                                      .takesAnyRun = true});
  splitVectorAdds(job.tasks);
  return Error::success();
}

static Error emitLlvm(CpuJob &job) {
  MachineOptions options{job.cpu->triple, job.cpu->cpu, job.cpu->features};
  options.optLevel = job.options.optLevel;
  options.positionIndependent = true;
  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  job.machine = std::move(*machine);
  job.code = std::make_unique<Module>("kernel", job.context);
  job.code->setTargetTriple(job.cpu->triple);
  job.code->setDataLayout(job.machine->createDataLayout());
  job.code->setPICLevel(PICLevel::BigPIC);
  DebugLines lines(*job.code, !job.options.lineInfo ? DebugDetail::None
                              : job.isStepped()     ? DebugDetail::Variables
                                                    : DebugDetail::Lines);
  for (mlir::func::FuncOp task : tasksOf(job.tasks)) {
    Lanes lanes = chooseLanes(task, *job.cpu, simt::getWaveSize(job.tasks), job.isStepped());
    job.isSerial &= lanes.width == 1;
    lanes.anywhere = BlockEmitter::goesAlongRows(*job.cpu, lanes, job.context, task, lines);
    TaskCode code(*job.cpu, lanes, job.context, task, lines);
    mlir::FailureOr<uint64_t> sharedBytes = BlockEmitter(code).emit(*job.code);
    if (mlir::failed(sharedBytes))
      return alreadyReported();
    TaskResources resources;
    resources.task = task.getName().str();
    resources.sharedBytes = int(*sharedBytes);
    if (code.tableBytes)
      resources.stackBytes = int(code.tableBytes);
    job.image.tasks.push_back(resources);
  }
  lines.finish();
  if (Error error = job.verify(Form::Llvm))
    return error;
  return job.saveCode(".ll");
}

static Error optimize(CpuJob &job) {
  if (!job.isStepped())
    if (Error error =
            optimizeVectorCode(*job.code, *job.machine, job.options.optLevel, job.isSerial))
      return error;
  return job.saveCode(".opt.ll");
}

static Error workAround(CpuJob &job) {
  if (job.cpu->hasMaskRegisters && !job.isStepped())
    avoidMiscompiles(*job.code);
  widenHalves(*job.code);
  if (job.machine->getTargetTriple().isAArch64())
    quietNans(*job.code);
  prepareLargeTasks(*job.code, *job.machine);
  if (job.cpu->isX86)
    alignFrames(*job.code);
  return Error::success();
}

static Error emitObject(CpuJob &job) {
  limitCodegen(*job.code, *job.machine);
  std::vector<LargeFrame> tooLarge;
  auto object = emitFile(*job.code, *job.machine, CodeGenFileType::ObjectFile, nullptr, &tooLarge);
  if (!object)
    return object.takeError();
  if (mlir::failed(refuseFrames(job.tasks, tooLarge)))
    return alreadyReported();
  job.code.reset();
  job.image.bytes = std::move(*object);
  return Error::success();
}

static Error link(CpuJob &job) {
  auto linked = linkShared(job.image.bytes, *job.cpu, job.options.lineInfo);
  if (!linked)
    return linked.takeError();
  job.image.format = "elf";
  job.image.bytes = std::move(*linked);
  return Error::success();
}

static constexpr Stage<CpuJob> pipeline[] = {
    {stages::expandMath, Form::Tasks, expandMath},
    {stages::expandConversions, Form::Tasks, expandConversions},
    {stages::vectorizeAccesses, Form::Tasks, vectorizeAccesses},
    {{"cpu-emit", "LLVM IR, vectors of threads"}, Form::Llvm, emitLlvm},
    {{"cpu-optimize", "optimised, unless debuggers step through it"}, Form::Llvm, optimize},
    {{"cpu-workarounds", "ways round what LLVM miscompiles, or takes too long for"},
     Form::Llvm,
     workAround},
    {{"object", "machine code"}, Form::Bytes, emitObject},
    {{"elf", "linked by lld"}, Form::Bytes, link},
};

//===--- The backend -------------------------------------------------------===//

namespace {

class CpuBackend final : public Backend {
public:
  CpuBackend() {
    for (const Machine &machine : machines())
      rows.push_back(machine.arch);
  }

  StringRef name() const override { return "cpu"; }
  ArrayRef<Arch> archs() const override { return rows; }
  std::vector<std::string> nativeArchs() const override;
  bool everyWaveByDefault() const override { return false; }
  bool showsVariables() const override { return true; }
  /// The same limit as other targets have: here any size works.
  uint64_t sharedLimit(const sextant::Target &) const override { return 64 * 1024; }
  std::vector<StageInfo> stages() const override { return printedStages<CpuJob>(pipeline); }
  mlir::LogicalResult check(mlir::ModuleOp module, const sextant::Target &target) const override;
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
                          const CompileOptions &options) const override;
  Expected<std::string> disassemble(ArrayRef<char> image,
                                    const sextant::Target &target) const override;

private:
  std::vector<Arch> rows;
};

} // namespace

/// The most capable architecture that this machine runs.
std::vector<std::string> CpuBackend::nativeArchs() const {
  for (const Machine &machine : llvm::reverse(machines()))
    if (runsHere(machine))
      return {machine.arch.name};
  return {};
}

mlir::LogicalResult CpuBackend::check(mlir::ModuleOp module, const sextant::Target &target) const {
  bool isFine = true;
  for (mlir::func::FuncOp task : tasksOf(module)) {
    uint64_t privateBytes = 0;
    mlir::Operation *largest = nullptr;
    task.walk([&](simt::PrivateOp op) {
      simt::BufferType type = op.getType();
      privateBytes += type.getCount() * (type.getElementType().getIntOrFloatBitWidth() / 8) *
                      std::max(simt::getTaskInfo(task)->blockDim, target.wave);
      largest = op;
    });
    if (privateBytes > abi::taskFrame) {
      simt::refuse(largest, Problem::LocalArraysBeyondTarget)
          << "local arrays of the block's threads take " << privateBytes
          << " bytes; the cpu backend has room for " << abi::taskFrame
          << "; make the arrays or the block smaller";
      isFine = false;
    }
  }
  return mlir::success(isFine);
}

Expected<Image> CpuBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                    const CompileOptions &options) const {
  CpuJob job(module, target, options);
  job.cpu = findMachine(target.arch);
  if (!job.cpu)
    return fail("the cpu backend has no architecture " + target.arch);
  if (Error error = runStages<CpuJob>(pipeline, job))
    return std::move(error);
  return std::move(job.image);
}

Expected<std::string> CpuBackend::disassemble(ArrayRef<char> image,
                                              const sextant::Target &target) const {
  const Machine *machine = findMachine(target.arch);
  if (!machine)
    return fail("the cpu backend has no architecture " + target.arch);
  InstructionSet instructions{machine->triple, machine->cpu, machine->features, std::nullopt};
  if (machine->isX86)
    instructions.dialect = 1; // Intel's syntax
  return disassembleImage(image, instructions);
}

const Backend &sextant::cpuBackend() {
  static const CpuBackend backend;
  return backend;
}
