// The amdgpu backend: its checks, and its stages from simt tasks to a code object.
#include "backends/amdgpu/Amdgpu.h"
#include "backends/amdgpu/Addresses.h"
#include "backends/amdgpu/AmdTarget.h"
#include "backends/amdgpu/CodeObject.h"
#include "backends/amdgpu/Conversions.h"
#include "backends/amdgpu/Divisions.h"
#include "backends/amdgpu/NativeDevices.h"
#include "backends/amdgpu/Ocml.h"
#include "backends/amdgpu/Omissions.h"
#include "backends/amdgpu/Pairs.h"
#include "backends/amdgpu/Rename.h"
#include "backends/amdgpu/SingleLanes.h"
#include "backends/amdgpu/Unroll.h"
#include "backends/amdgpu/Workarounds.h"
#include "backends/common/CarriedProducts.h"
#include "backends/common/Codegen.h"
#include "backends/common/Disassemble.h"
#include "backends/common/Limits.h"
#include "backends/common/Lld.h"
#include "backends/common/NearAddresses.h"
#include "backends/common/Pipeline.h"
#include "backends/common/ThreadEmitter.h"

#include "frontend/ir/Refuse.h"
#include "frontend/ir/transforms/Passes.h"
#include "frontend/ir/transforms/Turns.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/OptBisect.h"

using namespace llvm;
using namespace sextant;

static constexpr const char *triple = "amdgcn-amd-amdhsa";
/// The most bytes of shared memory a block, on every processor of the table;
/// the most threads in a block; and the most bytes of arguments:
/// what CUDA takes. HIP names no limit for module launches; ROCclr copies them to a chunk of its
/// pool (ROCm/clr, rocvirtual.cpp, allocKernArg), which holds more.
static constexpr TaskLimits limits{64 * 1024, 1024, 32764};

//===--- Stages ------------------------------------------------------------===//

namespace {

struct AmdJob : LlvmJob {
  using LlvmJob::LlvmJob;
  const TargetId *id = nullptr;
};

} // namespace

/// Sine, cosine and tangent of f64 are Sextant's own. Up to 2^20 they take as many instructions as
/// ocml's (103 and 112 for a kernel of a sine on gfx942). Beyond that ocml uses v_trig_preop_f64,
/// which is shorter, but no device that we can test on has it.
static bool isNativeMath(mlir::Operation *op) {
  return !op->getResult(0).getType().isF64() ||
         !isa<mlir::math::SinOp, mlir::math::CosOp, mlir::math::TanOp>(op);
}

static Error simplify(AmdJob &job) { return reported(simt::simplify(job.tasks)); }

/// Tables of so many bytes leave a compute unit four blocks of 512 threads.
static constexpr uint64_t tableBytes = 16 * 1024;

static bool fitsShared(mlir::func::FuncOp task, uint64_t more) {
  const std::optional<simt::TaskInfo> info = simt::getTaskInfo(task);
  return sharedBytes(task) + more + LaneMoves::stageBytes(info->blockDim) <= limits.sharedBytes;
}

static Error tallyAtomics(AmdJob &job) {
  if (job.options.optLevel > 0)
    simt::tallyAtomics(job.tasks, {.mostBytes = tableBytes, .looks = false}, fitsShared);
  return Error::success();
}

static Error combineAtomics(AmdJob &job) {
  if (job.options.optLevel > 0)
    simt::combineAtomics(job.tasks, {simt::CombineThrough::Votes}, fitsShared);
  return Error::success();
}

static Error loadAhead(AmdJob &job) {
  if (job.options.optLevel > 0)
    simt::loadAhead(job.tasks);
  return Error::success();
}

static Error expandSubgroup(AmdJob &job) {
  simt::expandSubgroup(job.tasks, [](mlir::Operation *op) { return !isa<simt::MatchOp>(op); });
  return Error::success();
}

static Error expandBarrierReduce(AmdJob &job) {
  simt::expandBarrierReduce(job.tasks);
  return Error::success();
}

static Error expandMath(AmdJob &job) {
  simt::expandMath(job.tasks, isNativeMath);
  return Error::success();
}

/// `v_cvt_i32_f32` and its like saturate. Integers of 64 bits are made of two parts, which do not.
static Error expandConversions(AmdJob &job) {
  static constexpr unsigned words[] = {32};
  simt::expandConversions(job.tasks, {.toInt = words, .doubleToHalf = true});
  return Error::success();
}

/// LLVM's SLP vectoriser packs an fma, but no product and sum that will be one.
static Error fuse(AmdJob &job) {
  if (job.options.optLevel > 0 && job.id->arch->hasPackedF32()) {
    simt::evaluateConditions(job.tasks);
    simt::fuseProducts(job.tasks);
  }
  return Error::success();
}

static Error vectorizeAccesses(AmdJob &job) {
  if (job.options.optLevel > 0)
    simt::vectorizeAccesses(job.tasks, {[](simt::BufferType) { return true; }, nullptr});
  return Error::success();
}

/// Returns true if every task leaves the shared memory that moves between halves may need.
static bool hasRoom(mlir::ModuleOp module) {
  return llvm::all_of(module.getOps<mlir::func::FuncOp>(), [](mlir::func::FuncOp function) {
    std::optional<simt::TaskInfo> task = simt::getTaskInfo(function);
    return !task ||
           sharedBytes(function) + LaneMoves::stageBytes(task->blockDim) <= limits.sharedBytes;
  });
}

/// Before gfx10, arrays of a thread stay in memory: registers are indexed there by a mode of the
/// processor that no device which we can test on has.
static MachineOptions machineOptions(const TargetId &id, unsigned wave, unsigned optLevel) {
  std::string features = id.features(wave);
  if (id.arch->generation() < 10)
    features += features.empty() ? "-promote-alloca" : ",-promote-alloca";
  if (id.arch->machine) // 8-bit reals differ between the two processors
    features += ",-fp8-insts,-fp8-conversion-insts";
  return {.triple = triple,
          .cpu = id.arch->llvmName,
          .features = std::move(features),
          .optLevel = optLevel};
}

static Error unroll(AmdJob &job) {
  if (job.options.optLevel > 0)
    unrollReads(job.tasks);
  return Error::success();
}

static Error emitLlvm(AmdJob &job) {
  const AmdArch &arch = *job.id->arch;
  const unsigned wave = job.target.wave;
  job.image.tasks = resourcesOf(job.tasks, [](mlir::func::FuncOp) { return -1; });
  AmdTarget threads(arch, wave, hasRoom(job.tasks));
  threads.approximates = simt::isFastMath(job.tasks);
  auto machine = createTargetMachine(machineOptions(*job.id, wave, job.options.optLevel));
  if (!machine)
    return machine.takeError();
  job.machine = std::move(*machine);
  job.code = emitThreads(job.tasks, job.context, threads, *job.machine, job.options.lineInfo);
  if (!job.code)
    return alreadyReported();
  // Generic processors need version 6.
  job.code->addModuleFlag(Module::Error, "amdhsa_code_object_version", arch.isGeneric ? 600 : 500);
  return job.verify(Form::Llvm);
}

static Error linkLibrary(AmdJob &job) {
  return linkOcml(*job.code, *job.id->arch, job.target.wave);
}

static Error optimize(AmdJob &job) {
  optimize(*job.code, *job.machine, job.options.optLevel,
           {.loops = false, .slp = job.id->arch->hasPackedF32()});
  if (job.options.optLevel > 0) {
    fuseCarriedProducts(*job.code);
    shareAddresses(*job.code, {.joins = true, .subtracts = !job.id->arch->hasShiftAndAdd()});
  }
  return Error::success();
}

/// Schedules long blocks in parts. The scheduler gives an instruction that it moves a number, and
/// new ones to those after it, so that its time grows with the square of the part.
static void cutLongBlocks(Function &function) {
  constexpr size_t most = 3000;
  for (BasicBlock &block : function) {
    size_t count = 0;
    for (Instruction &instruction : block)
      if (!isa<PHINode>(instruction) && ++count % most == 0) {
        IRBuilder<> b(&instruction);
        b.CreateIntrinsic(Intrinsic::amdgcn_sched_barrier, {}, {b.getInt32(0)});
      }
  }
}

static Error workAround(AmdJob &job) {
  selectAmdConversions(*job.code);
  orderWaits(*job.code);
  if (job.options.optLevel > 0)
    for (Function &function : *job.code) {
      loadAddressesNearUses(function);
      leaveSingleLanes(function);
      if (job.id->arch->generation() >= 11)
        orderFactors(function);
      cutLongBlocks(function);
    }
  for (Function &function : *job.code)
    divideSmall(function);
  avoidMiscompiles(*job.code, *job.machine);
  return job.saveCode(".ll");
}

/// Emits the machine code as a relocatable object, under the name of the target's processor.
static Error emitObject(AmdJob &job) {
  auto takeOccupancy = [&](const CodegenRemark &remark) {
    for (TaskResources &task : job.image.tasks)
      if (task.task == remark.function && remark.key == "Occupancy")
        StringRef(remark.value).getAsInteger(10, task.occupancy);
  };
  Omissions omissions(*job.code);
  job.code->getContext().setOptPassGate(omissions);
  Expected<SmallVector<char, 0>> object =
      emitFile(*job.code, *job.machine, CodeGenFileType::ObjectFile, takeOccupancy);
  job.code->getContext().setOptPassGate(getGlobalPassGate());
  if (!object)
    return object.takeError();
  job.code.reset();
  if (job.id->arch->machine)
    object = renameProcessor(*object, *job.id->arch);
  if (!object)
    return object.takeError();
  job.image.bytes = std::move(*object);
  return Error::success();
}

static Error link(AmdJob &job) {
  SmallVector<const char *> arguments{"-shared", "--no-undefined"};
  if (!job.options.lineInfo)
    arguments.push_back("--strip-all");
  Expected<SmallVector<char, 0>> linked = runLld(job.image.bytes, arguments);
  if (!linked)
    return linked.takeError();
  job.image.format = "hsaco";
  job.image.bytes = std::move(*linked);
  if (Error error = readResources(job.image.bytes, job.image.tasks))
    return error;
  return job.save(".hsaco", textOf(job.image.bytes));
}

static constexpr Stage<AmdJob> pipeline[] = {
    {stages::simplify, Form::Tasks, simplify},
    {stages::tallyAtomics, Form::Tasks, tallyAtomics},
    {stages::combineAtomics, Form::Tasks, combineAtomics},
    {stages::loadAhead, Form::Tasks, loadAhead},
    {stages::expandSubgroup, Form::Tasks, expandSubgroup},
    {stages::expandBarrierReduce, Form::Tasks, expandBarrierReduce},
    {stages::expandMath, Form::Tasks, expandMath},
    {stages::expandConversions, Form::Tasks, expandConversions},
    {stages::vectorizeAccesses, Form::Tasks, vectorizeAccesses},
    {{"amdgpu-fuse", "products and sums as one fma, where the processor packs these"},
     Form::Tasks,
     fuse},
    {{"amdgpu-unroll", "loops that LLVM shall unroll"}, Form::Tasks, unroll},
    {{"amdgpu-llvm", "LLVM IR for one thread"}, Form::Llvm, emitLlvm},
    {{"amdgpu-ocml", "with the functions of ocml"}, Form::Llvm, linkLibrary},
    {{"amdgpu-optimize", "optimised"}, Form::Llvm, optimize},
    {{"amdgpu-workarounds", "ways round what LLVM miscompiles"}, Form::Llvm, workAround},
    {{"object", "machine code"}, Form::Bytes, emitObject},
    {{"hsaco", "linked by lld"}, Form::Bytes, link},
};

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
  uint64_t sharedLimit(const sextant::Target &) const override { return limits.sharedBytes; }
  StringRef matrixUnit(const sextant::Target &target) const override;
  unsigned lightBlock() const override { return 256; } // as on NVIDIA
  unsigned turnBlock() const override { return 512; }
  std::vector<StageInfo> stages() const override { return printedStages<AmdJob>(pipeline); }
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

StringRef AmdgpuBackend::matrixUnit(const sextant::Target &target) const {
  Expected<std::optional<TargetId>> id = parseTargetId(target.arch);
  if (id && *id)
    return (*id)->arch->matrixUnit();
  consumeError(id.takeError());
  return "";
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
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    // A reducing barrier adds a counter in shared memory.
    TaskLimits own = limits;
    function.walk([&](simt::BarrierReduceOp) { own.sharedBytes = limits.sharedBytes - 16; });
    ok &= succeeded(checkLimits(function, own, target.str()));
    if (ocml())
      continue;
    function.walk([&](mlir::Operation *op) {
      StringRef name = mathLibraryName(*op);
      if (name.empty())
        return;
      simt::refuse(op, Problem::MathLibraryMissing)
          << "'" << name << "' on " << target.str() << " needs ROCm's " << ocmlSearchPlaces();
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
  AmdJob job(module, target, options);
  job.id = &*id;
  if (Error error = runStages<AmdJob>(pipeline, job))
    return std::move(error);
  return std::move(job.image);
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
