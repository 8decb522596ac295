// The amdgpu backend's face, and the road from simt tasks to a code object: shared
// transforms, LLVM IR, ocml, the optimiser, ways round miscompiles, machine code, lld.
#include "backends/amdgpu/Amdgpu.h"
#include "backends/amdgpu/AmdTarget.h"
#include "backends/amdgpu/CodeObject.h"
#include "backends/amdgpu/NativeDevices.h"
#include "backends/amdgpu/Ocml.h"
#include "backends/amdgpu/Workarounds.h"
#include "backends/common/Codegen.h"
#include "backends/common/Disassemble.h"
#include "backends/common/Limits.h"
#include "backends/common/Lld.h"
#include "backends/common/Stages.h"

#include "frontend/ir/transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;
using namespace sextant;

static constexpr const char *triple = "amdgcn-amd-amdhsa";
/// A block's shared memory, on every processor of the table.
static constexpr uint64_t sharedLimit = 64 * 1024;
/// Threads of a block likewise; of arguments, HIP refuses more.
static constexpr TaskLimits limits{sharedLimit, 1024, 4096};

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The error that says: the diagnostics have been emitted already.
static Error failSilently() { return fail(""); }

//===--- Steps -------------------------------------------------------------===//

namespace {

/// One compilation.
struct Job {
  const TargetId &id;
  const sextant::Target &target;
  const CompileOptions &options;
  Stages stages{target, options};
};

} // namespace

/// Sine, cosine and tangent of f64 are ours. Up to 2^20 they take as many instructions as ocml's
/// (103 and 112 for a kernel of a sine on gfx942); beyond, ocml's go through v_trig_preop_f64,
/// which is shorter, but which no device that we can test on has.
static bool isNativeMath(mlir::Operation *op) {
  return !op->getResult(0).getType().isF64() ||
         !isa<mlir::math::SinOp, mlir::math::CosOp, mlir::math::TanOp>(op);
}

/// What remains for the emitter are ops with instructions of their own.
static mlir::LogicalResult transform(mlir::ModuleOp module, const Job &job) {
  if (failed(simt::simplify(module)))
    return mlir::failure();
  job.stages.dump("simplify", module);
  simt::expandSubgroup(module,
                       {[](simt::ReduceOp) { return true; }, [](simt::ScanOp) { return true; },
                        [](simt::VoteOp) { return true; }, nullptr});
  simt::expandBarrierReduce(module);
  job.stages.dump("expand-barrier-reduce", module);
  simt::expandMath(module, isNativeMath);
  job.stages.dump("expand-math", module);
  return mlir::success();
}

/// Whether every task leaves the shared memory that moves between halves may need.
static bool hasRoom(mlir::ModuleOp module) {
  return llvm::all_of(module.getOps<mlir::func::FuncOp>(), [](mlir::func::FuncOp function) {
    std::optional<simt::TaskInfo> task = simt::getTaskInfo(function);
    return !task || sharedBytes(function) + LaneMoves::stageBytes(task->blockDim) <= sharedLimit;
  });
}

static MachineOptions machineOptions(const TargetId &id, unsigned wave, unsigned optLevel) {
  return {.triple = triple,
          .cpu = id.arch->arch.name,
          .features = id.features(wave),
          .optLevel = optLevel};
}

/// The module's machine code as a relocatable object.
static Expected<SmallVector<char, 0>> emitObject(mlir::ModuleOp source, const Job &job,
                                                 MutableArrayRef<TaskResources> tasks) {
  if (failed(transform(source, job)))
    return failSilently();
  unsigned wave = job.target.wave;
  AmdTarget threads(*job.id.arch, wave, hasRoom(source));
  auto machine = createTargetMachine(machineOptions(job.id, wave, job.options.optLevel));
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  std::unique_ptr<Module> module =
      emitThreads(source, context, threads, **machine, job.options.lineInfo);
  if (!module)
    return failSilently();
  // Generic processors exist from version 6 on.
  module->addModuleFlag(Module::Error, "amdhsa_code_object_version",
                        job.id.arch->isGeneric ? 600 : 500);
  job.stages.dump("amdgpu-llvm", *module);
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(*module, &problems))
    return fail("the amdgpu backend made invalid code: " + problem);
  if (Error error = linkOcml(*module, *job.id.arch, wave))
    return std::move(error);
  optimize(*module, **machine, job.options.optLevel);
  job.stages.dump("amdgpu-optimize", *module);
  orderWaits(*module);
  avoidMiscompiles(*module, **machine);
  job.stages.dump("amdgpu-workarounds", *module);
  if (job.stages.saves())
    if (Error error = job.stages.save(".ll", printModule(*module)))
      return std::move(error);
  Expected<SmallVector<char, 0>> object =
      emitFile(*module, **machine, CodeGenFileType::ObjectFile, [&](const CodegenRemark &remark) {
        for (TaskResources &task : tasks)
          if (task.task == remark.function && remark.key == "Occupancy")
            StringRef(remark.value).getAsInteger(10, task.occupancy);
      });
  return object;
}

/// Resources as far as the IR tells them.
static std::vector<TaskResources> resourcesOf(mlir::ModuleOp module) {
  std::vector<TaskResources> tasks;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    tasks.push_back({.task = function.getName().str()});
  return tasks;
}

//===--- The backend -------------------------------------------------------===//

namespace {

class AmdgpuBackend : public Backend {
public:
  AmdgpuBackend() {
    for (const AmdArch &row : amdArchs())
      archTable.push_back(row.arch);
  }
  StringRef name() const override { return "amdgpu"; }
  ArrayRef<Arch> archs() const override { return archTable; }
  Expected<std::optional<Arch>> parseArch(StringRef name) const override;
  std::vector<std::string> nativeArchs() const override {
    return nativeAmdArchs("/sys/class/kfd/kfd/topology");
  }
  std::vector<std::string> toolFiles(const sextant::Target &) const override {
    return {ocml() ? ocml()->getBufferIdentifier().str() : ""};
  }
  mlir::LogicalResult check(mlir::ModuleOp module, const sextant::Target &target) const override;
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
                          const CompileOptions &options) const override;
  Expected<std::string> disassemble(ArrayRef<char> image,
                                    const sextant::Target &target) const override;

private:
  std::vector<Arch> archTable;
};

} // namespace

Expected<std::optional<Arch>> AmdgpuBackend::parseArch(StringRef name) const {
  Expected<std::optional<TargetId>> id = parseTargetId(name);
  if (!id)
    return id.takeError();
  if (!*id)
    return std::nullopt;
  Arch arch = (*id)->arch->arch;
  arch.name = (*id)->str();
  return arch;
}

static Expected<TargetId> findTarget(const sextant::Target &target) {
  Expected<std::optional<TargetId>> id = parseTargetId(target.arch);
  if (!id)
    return id.takeError();
  if (!*id)
    return fail("unknown architecture " + target.str());
  return **id;
}

mlir::LogicalResult AmdgpuBackend::check(mlir::ModuleOp module,
                                         const sextant::Target &target) const {
  bool ok = true;
  if (!target.features.empty()) {
    module.emitError() << "amdgpu targets have no feature '" << target.features.front()
                       << "'; settings of the processor are written gfx90a:xnack+";
    ok = false;
  }
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    // A reducing barrier brings a counter of its own.
    TaskLimits own = limits;
    function.walk([&](simt::BarrierReduceOp) { own.sharedBytes = sharedLimit - 16; });
    ok &= succeeded(checkLimits(function, own, target.str()));
    if (ocml())
      continue;
    function.walk([&](mlir::Operation *op) {
      StringRef name = mathLibraryName(*op);
      if (name.empty())
        return;
      op->emitError() << "'" << name << "' on " << target.str() << " needs ROCm's "
                      << ocmlSearchPlaces();
      ok = false;
    });
  }
  return mlir::success(ok);
}

Expected<Image> AmdgpuBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                       const CompileOptions &options) const {
  Expected<TargetId> id = findTarget(target);
  if (!id)
    return id.takeError();
  Job job{*id, target, options};
  Image image;
  image.format = "hsaco";
  image.tasks = resourcesOf(module);
  Expected<SmallVector<char, 0>> object = emitObject(module, job, image.tasks);
  if (!object)
    return object.takeError();
  SmallVector<const char *> arguments{"-shared", "--no-undefined"};
  if (!options.lineInfo)
    arguments.push_back("--strip-all");
  Expected<SmallVector<char, 0>> linked = runLld(*object, arguments);
  if (!linked)
    return linked.takeError();
  image.bytes = std::move(*linked);
  if (Error error = readResources(image.bytes, image.tasks))
    return std::move(error);
  if (Error error = job.stages.save(".hsaco", StringRef(image.bytes.data(), image.bytes.size())))
    return std::move(error);
  return image;
}

Expected<std::string> AmdgpuBackend::disassemble(ArrayRef<char> image,
                                                 const sextant::Target &target) const {
  Expected<TargetId> id = findTarget(target);
  if (!id)
    return id.takeError();
  MachineOptions machine = machineOptions(*id, target.wave, 0);
  return disassembleImage(image, {machine.triple, machine.cpu, machine.features, std::nullopt});
}

const Backend &sextant::amdgpuBackend() {
  static const AmdgpuBackend backend;
  return backend;
}
