// The cuda backend: its checks, and its stages from simt tasks to PTX or a cubin.
#include "backends/cuda/Cuda.h"
#include "backends/common/CarriedProducts.h"
#include "backends/common/Codegen.h"
#include "backends/common/Limits.h"
#include "backends/common/NearAddresses.h"
#include "backends/common/Pipeline.h"
#include "backends/common/ThreadEmitter.h"
#include "backends/cuda/Approximate.h"
#include "backends/cuda/AssembleMany.h"
#include "backends/cuda/Conversions.h"
#include "backends/cuda/CudaArch.h"
#include "backends/cuda/CudaTarget.h"
#include "backends/cuda/EarlyLoads.h"
#include "backends/cuda/Libdevice.h"
#include "backends/cuda/LowestBits.h"
#include "backends/cuda/NativeDevices.h"
#include "backends/cuda/Occupancy.h"
#include "backends/cuda/PtxasFaults.h"
#include "backends/cuda/SerialUpdates.h"
#include "backends/cuda/ShortLoops.h"
#include "backends/cuda/SinCos.h"
#include "backends/cuda/Toolkit.h"

#include "frontend/ir/Refuse.h"
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Turns.h"
#include "loader/abi/Features.h"

using namespace llvm;
using namespace sextant;

/// The most bytes of a kernel's parameters: on every driver, and with PTX 8.1, which drivers accept
/// since CUDA 12.1.
static constexpr uint64_t plainParameters = 4096, parameterLimit = 32764;

//===--- Stages ------------------------------------------------------------===//

namespace {

struct CudaJob : LlvmJob {
  using LlvmJob::LlvmJob;
  const CudaArch *arch = nullptr;
};

} // namespace

/// Loops of graphs are told their next round by code for one architecture. Code for all later ones,
/// and for GPUs before Hopper, also runs where the driver knows no such loops: there the host asks.
static bool tellsLoops(const CudaJob &job) {
  return !job.arch->isVirtual() && job.arch->capability >= 90;
}
static bool hasLoops(mlir::ModuleOp module) {
  auto tasks = module.getOps<mlir::func::FuncOp>();
  return any_of(tasks, [](mlir::func::FuncOp task) {
    std::optional<simt::TaskInfo> info = simt::getTaskInfo(task);
    return info && info->loops;
  });
}

static CudaTarget threadsOf(const CudaJob &job) {
  CudaTarget threads(std::min(job.arch->capability, 90u), tellsLoops(job));
  threads.approximates = simt::isFastMath(job.tasks);
  return threads;
}

static Error simplify(CudaJob &job) { return reported(simt::simplify(job.tasks)); }

static bool fitsShared(mlir::func::FuncOp task, uint64_t more) {
  return sharedBytes(task) + more <= CudaTarget::staticShared;
}

static Error matchInShared(CudaJob &job) {
  simt::matchInShared(job.tasks, fitsShared);
  return Error::success();
}

static Error chooseComponents(CudaJob &job) {
  constexpr unsigned fewest = 2; // all that sema has in memory
  if (job.options.optLevel > 0)
    simt::chooseComponents(job.tasks, fewest);
  return Error::success();
}

/// Tables of so many bytes leave a multiprocessor four blocks of 512 threads.
static constexpr uint64_t tableBytes = 32 * 1024;

static Error tallyAtomics(CudaJob &job) {
  if (job.options.optLevel > 0)
    simt::tallyAtomics(job.tasks, {.mostBytes = tableBytes}, fitsShared);
  return Error::success();
}

static Error combineAtomics(CudaJob &job) {
  if (job.options.optLevel > 0)
    simt::combineAtomics(job.tasks, {simt::CombineThrough::Lanes}, fitsShared);
  return Error::success();
}

static Error loadAhead(CudaJob &job) {
  if (job.options.optLevel > 0)
    simt::loadAhead(job.tasks);
  return Error::success();
}

static Error vectorizeRows(CudaJob &job) {
  if (job.options.optLevel > 0)
    simt::vectorizeRows(job.tasks, [](simt::BufferType) { return true; });
  return Error::success();
}

/// Only ops with an instruction of their own remain for the emitter.
static Error expandSubgroup(CudaJob &job) {
  const CudaTarget threads = threadsOf(job);
  simt::expandSubgroup(job.tasks, [&](mlir::Operation *op) {
    auto reduce = mlir::dyn_cast<simt::ReduceOp>(op);
    return !reduce || threads.hasReduce(reduce);
  });
  return Error::success();
}

static Error vectorizeAccesses(CudaJob &job) {
  if (job.options.optLevel == 0)
    return Error::success();
  const CudaTarget threads = threadsOf(job);
  simt::vectorizeAccesses(job.tasks, {[](simt::BufferType) { return true; },
                                      [&](simt::AtomicRmwOp op) {
                                        return threads.hasVectorAdd(op.getBuffer().getType());
                                      }});
  return Error::success();
}

static bool hasVectorAdds(mlir::func::FuncOp task) {
  return task.walk([](simt::AtomicAddVectorOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The PTX version that has all instructions of a task's matrix unit (PTX ISA, "mma"), or "".
static std::string ptxOfUnit(mlir::ModuleOp module, const CudaArch &arch) {
  bool multiplies = false, hasBytes = false;
  module.walk([&](simt::InstructionOp op) {
    multiplies = true;
    hasBytes |= op.getText().contains(".e4m3.") || op.getText().contains(".e5m2.") ||
                op.getText().contains("tensormap");
  });
  return hasBytes ? "+ptx84" : multiplies && arch.capability < 80 ? "+ptx65" : "";
}

/// The PTX version to write. Older drivers refuse a later one, so only tasks that need it get it.
static std::string ptxFeature(mlir::ModuleOp module, const CudaArch &arch) {
  if (std::string ofUnit = ptxOfUnit(module, arch); !ofUnit.empty())
    return ofUnit;
  for (auto task : module.getOps<mlir::func::FuncOp>())
    if (argumentBytes(task) > plainParameters || hasVectorAdds(task))
      return "+ptx81";
  return "+" + arch.llvmPtx;
}

static Error expandConversions(CudaJob &job) {
  static constexpr unsigned native[] = {32, 64};
  simt::expandConversions(job.tasks, {.toInt = native, .doubleToHalf = true});
  return Error::success();
}

static Error emitLlvm(CudaJob &job) {
  const std::string features = ptxFeature(job.tasks, *job.arch);
  auto machine = createTargetMachine({.triple = "nvptx64-nvidia-cuda",
                                      .cpu = job.arch->llvmCpu,
                                      .features = features,
                                      .optLevel = job.options.optLevel});
  if (!machine)
    return machine.takeError();
  job.machine = std::move(*machine);
  job.code =
      emitThreads(job.tasks, job.context, threadsOf(job), *job.machine, job.options.lineInfo);
  if (tellsLoops(job) && hasLoops(job.tasks))
    job.image.requirements.insert(job.image.requirements.end(),
                                  {abi::conditionalGraphs, abi::graphAddresses});
  job.image.tasks =
      resourcesOf(job.tasks, [](mlir::func::FuncOp task) { return int(sharedBytes(task)); });
  return job.code ? Error::success() : alreadyReported();
}

static Error linkLibrary(CudaJob &job) {
  if (job.options.optLevel > 0) {
    joinSinCos(*job.code);
    loadBeforeCalls(*job.code);
  }
  return linkLibdevice(*job.code, simt::isFastMath(job.tasks));
}

static Error optimize(CudaJob &job) {
  optimize(*job.code, *job.machine, job.options.optLevel, {}, unrollShortLoops);
  if (simt::isFastMath(job.tasks))
    approximate(*job.code);
  if (job.options.optLevel > 0) {
    fuseCarriedProducts(*job.code);
    shortenSerialUpdates(*job.code);
    shareAddresses(*job.code);
    loadBeforeBranches(*job.code);
    testLowestBits(*job.code);
  }
  selectPtxConversions(*job.code);
  avoidPtxasFaults(*job.code);
  return job.saveCode(".ll");
}

/// The X.Y of the text's `.version X.Y`.
static StringRef ptxVersion(StringRef ptx) {
  StringRef rest = ptx.split(".version ").second;
  return rest.take_front(rest.find_first_not_of("0123456789."));
}

/// The text without the numbers that LLVM gives to calls, in comments. It counts the calls of the
/// whole process, so they tell which kernels other threads compiled meanwhile.
static SmallVector<char, 0> withoutCallNumbers(StringRef ptx) {
  SmallVector<char, 0> kept;
  kept.reserve(ptx.size());
  while (!ptx.empty()) {
    const auto [line, rest] = ptx.split('\n');
    const StringRef code = line.ltrim();
    const bool isNumbered = code.starts_with("{ // callseq ") || code.starts_with("} // callseq ");
    append_range(kept, isNumbered ? line.split(" //").first : line);
    kept.push_back('\n');
    ptx = rest;
  }
  return kept;
}

static Error emitPtx(CudaJob &job) {
  Expected<SmallVector<char, 0>> ptx =
      emitFile(*job.code, *job.machine, CodeGenFileType::AssemblyFile);
  if (!ptx)
    return ptx.takeError();
  job.code.reset(); // its memory is not needed while ptxas runs
  job.image.bytes = withoutCallNumbers(textOf(*ptx));
  return job.save(".ptx", textOf(job.image.bytes));
}

/// Fills in the code and resources of an image by ptxas's result.
static void finish(Image &image, PtxasResult &&assembled, const CudaArch &arch) {
  // ptxas does not count shared memory that comes with the launch.
  std::vector<TaskResources> fromIr = image.tasks;
  readResources(assembled.log, image.tasks);
  for (auto [task, known] : zip(image.tasks, fromIr)) {
    if (known.sharedBytes > int(CudaTarget::staticShared))
      task.sharedBytes = known.sharedBytes;
    task.occupancy =
        residentWarps(arch.capability, {task.blockDim, task.registers, task.sharedBytes});
  }
  image.format = "cubin";
  image.bytes = std::move(assembled.cubin);
}

static PtxasRequest requestFor(StringRef ptxas, const sextant::Target &target,
                               const CompileOptions &options) {
  return {ptxas, target.arch, {}, options.optLevel, options.lineInfo};
}

/// Makes a cubin of the PTX. For a virtual architecture, or without ptxas, the image stays PTX.
static Error assemble(CudaJob &job) {
  const StringRef ptx = textOf(job.image.bytes);
  const std::string ptxas = job.arch->isVirtual() ? "" : findCudaProgram("ptxas");
  if (ptxas.empty()) {
    job.image.format = "ptx";
    job.image.requirements.push_back("ptx>=" + ptxVersion(ptx).str());
    job.image.bytes.push_back('\0');
    return Error::success();
  }
  job.image.isDraft = job.options.drafts && isPlain(ptx);
  if (job.image.isDraft)
    return Error::success();
  PtxasRequest request = requestFor(ptxas, job.target, job.options);
  request.texts = ptx;
  Expected<PtxasResult> assembled = runPtxas(request);
  if (!assembled)
    return assembled.takeError();
  finish(job.image, std::move(*assembled), *job.arch);
  return job.save(".cubin", textOf(job.image.bytes));
}

static constexpr Stage<CudaJob> pipeline[] = {
    {stages::simplify, Form::Tasks, simplify},
    {{"match-in-shared", "matches of 6 to 10 bits through shared memory"},
     Form::Tasks,
     matchInShared},
    {stages::chooseComponents, Form::Tasks, chooseComponents},
    {stages::tallyAtomics, Form::Tasks, tallyAtomics},
    {stages::combineAtomics, Form::Tasks, combineAtomics},
    {stages::loadAhead, Form::Tasks, loadAhead},
    {stages::vectorizeRows, Form::Tasks, vectorizeRows},
    {stages::expandSubgroup, Form::Tasks, expandSubgroup},
    {stages::expandConversions, Form::Tasks, expandConversions},
    {stages::vectorizeAccesses, Form::Tasks, vectorizeAccesses},
    {{"cuda-llvm", "LLVM IR for one thread"}, Form::Llvm, emitLlvm},
    {{"cuda-libdevice", "with the functions of libdevice, and loads in front of their calls"},
     Form::Llvm,
     linkLibrary},
    {{"cuda-optimize", "optimised; approximations; ways round what ptxas miscompiles"},
     Form::Llvm,
     optimize},
    {{"ptx", "PTX"}, Form::Bytes, emitPtx},
    {{"cubin", "ptxas's code"}, Form::Bytes, assemble},
};

//===--- The backend -------------------------------------------------------===//

namespace {

class CudaBackend : public Backend {
public:
  CudaBackend() {
    for (const CudaArch &row : cudaArchs())
      archTable.push_back(row.arch);
  }
  StringRef name() const override { return "cuda"; }
  ArrayRef<Arch> archs() const override { return archTable; }
  std::vector<std::string> nativeArchs() const override { return nativeCudaArchs(); }
  std::string toolWarning(const sextant::Target &target) const override;
  std::vector<std::string> toolFiles(const sextant::Target &target) const override;
  uint64_t sharedLimit(const sextant::Target &target) const override {
    return sharedLimitOfAll(target.arch);
  }
  StringRef matrixUnit(const sextant::Target &target) const override {
    const CudaArch *arch = findCudaArch(target.arch);
    return arch ? arch->matrixUnit() : "";
  }
  unsigned lightBlock() const override { return 256; } // docs/results/2026-11-24-grids.md
  unsigned turnBlock() const override { return 512; }
  std::vector<StageInfo> stages() const override { return printedStages<CudaJob>(pipeline); }
  mlir::LogicalResult check(mlir::ModuleOp module, const sextant::Target &target) const override;
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
                          const CompileOptions &options) const override;
  std::vector<Error> complete(ArrayRef<Image *> drafts, const sextant::Target &target,
                              const CompileOptions &options) const override;
  Expected<std::string> disassemble(ArrayRef<char> image,
                                    const sextant::Target &target) const override;

private:
  std::vector<Arch> archTable;
};

} // namespace

std::string CudaBackend::toolWarning(const sextant::Target &target) const {
  const CudaArch *arch = findCudaArch(target.arch);
  if (!arch || arch->isVirtual() || !findCudaProgram("ptxas").empty())
    return "";
  return cudaProgramMissing("ptxas") +
         ": cuda variants hold PTX, which the driver compiles when it is first launched";
}

std::vector<std::string> CudaBackend::toolFiles(const sextant::Target &target) const {
  const CudaArch *arch = findCudaArch(target.arch);
  return {libdevice() ? libdevice()->getBufferIdentifier().str() : "",
          !arch || arch->isVirtual() ? "" : findCudaProgram("ptxas")};
}

mlir::LogicalResult CudaBackend::check(mlir::ModuleOp module, const sextant::Target &target) const {
  const CudaArch *arch = findCudaArch(target.arch);
  TaskLimits limits{arch ? arch->sharedLimit : 0, 1024, parameterLimit};
  bool ok = true;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    ok &= succeeded(checkLimits(function, limits, target.str()));
    if (libdevice())
      continue;
    function.walk([&](mlir::Operation *op) {
      StringRef name = mathLibraryName(*op);
      if (name.empty())
        return;
      simt::refuse(op, Problem::MathLibraryMissing)
          << "'" << name << "' on " << target.str() << " needs " << libdeviceMissing();
      ok = false;
    });
  }
  return mlir::success(ok);
}

Expected<Image> CudaBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                     const CompileOptions &options) const {
  const CudaArch *arch = findCudaArch(target.arch);
  if (!arch)
    return fail("unknown architecture " + target.str());
  CudaJob job(module, target, options);
  job.arch = arch;
  if (Error error = runStages<CudaJob>(pipeline, job))
    return std::move(error);
  return std::move(job.image);
}

std::vector<Error> CudaBackend::complete(ArrayRef<Image *> drafts, const sextant::Target &target,
                                         const CompileOptions &options) const {
  const std::string ptxas = findCudaProgram("ptxas");
  const SmallVector<StringRef> texts(
      map_range(drafts, [](const Image *draft) { return textOf(draft->bytes); }));
  std::vector<Error> errors;
  for (auto [draft, result] :
       zip(drafts, assembleMany(requestFor(ptxas, target, options), texts))) {
    if (result) {
      finish(*draft, std::move(*result), *findCudaArch(target.arch));
      draft->isDraft = false;
    }
    errors.push_back(result.takeError());
  }
  return errors;
}

Expected<std::string> CudaBackend::disassemble(ArrayRef<char> image,
                                               const sextant::Target &) const {
  StringRef bytes(image.data(), image.size());
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return disassembleCubin(image);
  return bytes.rtrim('\0').str();
}

const Backend &sextant::cudaBackend() {
  static const CudaBackend backend;
  return backend;
}
