// The cuda backend's face, and the road from simt tasks to an image: shared
// transforms, LLVM IR, libdevice, the optimiser, PTX, ptxas.
#include "backends/cuda/Cuda.h"
#include "backends/common/Codegen.h"
#include "backends/common/Limits.h"
#include "backends/common/Stages.h"
#include "backends/cuda/CudaArch.h"
#include "backends/cuda/CudaTarget.h"
#include "backends/cuda/Libdevice.h"
#include "backends/cuda/NativeDevices.h"
#include "backends/cuda/PtxasFaults.h"
#include "backends/cuda/Toolkit.h"

#include "frontend/ir/transforms/Passes.h"

using namespace llvm;
using namespace sextant;

/// What a kernel's parameters may take: on every driver, and by PTX 8.1, which drivers know since
/// CUDA 12.1.
static constexpr uint64_t plainParameters = 4096, parameterLimit = 32764;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The error that says: the diagnostics have been emitted already.
static Error failSilently() { return fail(""); }

//===--- Steps -------------------------------------------------------------===//

namespace {

/// One compilation.
struct Job {
  const CudaArch &arch;
  const sextant::Target &target;
  const CompileOptions &options;
  Stages stages{target, options};
};

} // namespace

/// The PTX version to write: a later one only for tasks that need it, as older drivers refuse it.
static std::string ptxFeature(mlir::ModuleOp module, const CudaArch &arch) {
  for (auto task : module.getOps<mlir::func::FuncOp>())
    if (argumentBytes(task) > plainParameters)
      return "+ptx81";
  return "+" + arch.llvmPtx;
}

/// What remains for the emitter are ops with an instruction of their own.
static mlir::LogicalResult transform(mlir::ModuleOp module, const Job &job,
                                     const CudaTarget &threads) {
  if (failed(simt::simplify(module)))
    return mlir::failure();
  job.stages.dump("simplify", module);
  simt::matchInShared(module, [](mlir::func::FuncOp task, uint64_t more) {
    return sharedBytes(task) + more <= CudaTarget::staticShared;
  });
  simt::expandSubgroup(module,
                       {[&](simt::ReduceOp op) { return threads.hasReduce(op); },
                        [](simt::ScanOp) { return true; }, [](simt::VoteOp) { return true; },
                        [](simt::MatchOp) { return true; }});
  job.stages.dump("expand-subgroup", module);
  return mlir::success();
}

static Expected<SmallVector<char, 0>> emitPtx(mlir::ModuleOp source, const Job &job) {
  CudaTarget threads(std::min(job.arch.capability, 90u));
  if (failed(transform(source, job, threads)))
    return failSilently();
  const std::string features = ptxFeature(source, job.arch);
  auto machine = createTargetMachine({.triple = "nvptx64-nvidia-cuda",
                                      .cpu = job.arch.llvmCpu,
                                      .features = features,
                                      .optLevel = job.options.optLevel});
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  std::unique_ptr<Module> module =
      emitThreads(source, context, threads, **machine, job.options.lineInfo);
  if (!module)
    return failSilently();
  job.stages.dump("cuda-llvm", *module);
  if (Error error = linkLibdevice(*module))
    return std::move(error);
  optimize(*module, **machine, job.options.optLevel);
  avoidPtxasFaults(*module);
  job.stages.dump("cuda-optimize", *module);
  if (job.stages.saves())
    if (Error error = job.stages.save(".ll", printModule(*module)))
      return std::move(error);
  return emitFile(*module, **machine, CodeGenFileType::AssemblyFile);
}

/// Resources as far as the IR tells them.
static std::vector<TaskResources> resourcesOf(mlir::ModuleOp module) {
  std::vector<TaskResources> tasks;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    tasks.push_back({.task = function.getName().str(), .sharedBytes = int(sharedBytes(function))});
  }
  return tasks;
}

/// The X.Y of the text's `.version X.Y`.
static StringRef ptxVersion(StringRef ptx) {
  StringRef rest = ptx.split(".version ").second;
  return rest.take_front(rest.find_first_not_of("0123456789."));
}

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
  mlir::LogicalResult check(mlir::ModuleOp module, const sextant::Target &target) const override;
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
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
  if (!target.features.empty()) {
    module.emitError() << "cuda targets have no feature '" << target.features.front() << "'";
    ok = false;
  }
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    ok &= succeeded(checkLimits(function, limits, target.str()));
    if (libdevice())
      continue;
    function.walk([&](mlir::Operation *op) {
      StringRef name = mathLibraryName(*op);
      if (name.empty())
        return;
      op->emitError() << "'" << name << "' on " << target.str() << " needs " << libdeviceMissing();
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
  Job job{*arch, target, options};
  Image image;
  Expected<SmallVector<char, 0>> ptx = emitPtx(module, job);
  if (!ptx)
    return ptx.takeError();
  image.tasks = resourcesOf(module);
  StringRef text(ptx->data(), ptx->size());
  if (Error error = job.stages.save(".ptx", text))
    return std::move(error);
  std::string ptxas = arch->isVirtual() ? "" : findCudaProgram("ptxas");
  if (ptxas.empty()) {
    image.format = "ptx";
    image.requirements.push_back("ptx>=" + ptxVersion(text).str());
    image.bytes = std::move(*ptx);
    image.bytes.push_back('\0');
    return image;
  }
  Expected<PtxasResult> assembled =
      runPtxas({ptxas, text, target.arch, options.optLevel, options.lineInfo});
  if (!assembled)
    return assembled.takeError();
  // ptxas sees no shared memory that comes with the launch.
  std::vector<TaskResources> fromIr = image.tasks;
  readResources(assembled->log, image.tasks);
  for (auto [task, known] : zip(image.tasks, fromIr))
    if (known.sharedBytes > int(CudaTarget::staticShared))
      task.sharedBytes = known.sharedBytes;
  image.format = "cubin";
  image.bytes = std::move(assembled->cubin);
  if (Error error = job.stages.save(".cubin", StringRef(image.bytes.data(), image.bytes.size())))
    return std::move(error);
  return image;
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
