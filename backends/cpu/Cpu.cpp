// The cpu backend's face: what it refuses, and its steps from a module of tasks
// to an image.
#include "backends/cpu/Cpu.h"

#include "backends/common/Codegen.h"
#include "backends/common/Disassemble.h"
#include "backends/common/Stages.h"
#include "backends/cpu/Emitter.h"
#include "backends/cpu/Link.h"
#include "backends/cpu/Optimize.h"

#include "frontend/ir/transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::cpu;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// Stack that a block may use for arrays of its threads.
static constexpr uint64_t maxPrivateBytes = 1 << 20;

static bool usesSubgroups(mlir::func::FuncOp task) {
  return task
      .walk([](mlir::Operation *op) {
        bool isSubgroupOp = isa<simt::ShuffleOp, simt::BallotOp, simt::MatchOp, simt::VoteOp,
                                simt::ReduceOp, simt::ScanOp, simt::SubgroupBarrierOp>(op);
        return isSubgroupOp ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// How many threads run together. Where lanes exchange values, a subgroup.
/// Elsewhere what keeps the machine busy without spilling: four registers of
/// words a value, fewer where they are wide, or values many or of 64 bits.
/// Who steps through the code follows one thread; so it is in waves of one lane.
static Lanes chooseLanes(mlir::func::FuncOp task, const Machine &machine, unsigned wave,
                         bool isStepped) {
  Lanes lanes;
  lanes.wave = wave;
  lanes.blockDim = simt::getTaskInfo(task)->blockDim;
  if (usesSubgroups(task)) {
    lanes.width = wave;
    return lanes;
  }
  if (lanes.blockDim == 1 || isStepped || wave == 1)
    return lanes;
  unsigned ops = 0;
  bool isWide = false;
  task.walk([&](mlir::Operation *op) {
    ++ops;
    for (mlir::Type type : op->getResultTypes())
      isWide |= type.isF64() || type.isInteger(64);
  });
  unsigned width = machine.vectorBytes == 64 ? 32 : machine.vectorBytes;
  if (isWide || ops > 100)
    width /= 2;
  lanes.width = std::clamp<unsigned>(PowerOf2Ceil(lanes.blockDim), 4, std::max(width, 8u));
  return lanes;
}

static SmallVector<mlir::func::FuncOp> tasksOf(mlir::ModuleOp module) {
  SmallVector<mlir::func::FuncOp> tasks;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (simt::getTaskInfo(function))
      tasks.push_back(function);
  return tasks;
}

/// libmvec's functions are within 4 units in the last place; ours are taken where they are
/// no slower and closer, for remainders, which it does not have, and where there is no libmvec.
static bool isNativeMath(mlir::Operation *op, const Machine &machine) {
  namespace math = mlir::math;
  if (isa<mlir::arith::RemFOp>(op))
    return false;
  if (!isa<math::MathDialect>(op->getDialect()) ||
      isa<math::SqrtOp, math::RsqrtOp, math::CopySignOp>(op))
    return true;
  if (!machine.mathVectors)
    return false;
  return op->getResult(0).getType().isF64() ? !isa<math::LogOp>(op) : !isa<math::ExpOp>(op);
}

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
  if (!target.features.empty()) {
    module.emitError() << "cpu targets have no feature '" << target.features.front() << "'";
    isFine = false;
  }
  for (mlir::func::FuncOp task : tasksOf(module)) {
    uint64_t privateBytes = 0;
    mlir::Operation *largest = nullptr;
    task.walk([&](simt::PrivateOp op) {
      simt::BufferType type = op.getType();
      privateBytes += type.getCount() * (type.getElementType().getIntOrFloatBitWidth() / 8) *
                      std::max(simt::getTaskInfo(task)->blockDim, target.wave);
      largest = op;
    });
    if (privateBytes > maxPrivateBytes) {
      largest->emitError() << "local arrays of the block's threads take " << privateBytes
                           << " bytes; the cpu backend has room for " << maxPrivateBytes
                           << "; make the arrays or the block smaller";
      isFine = false;
    }
  }
  return mlir::success(isFine);
}

Expected<Image> CpuBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                    const CompileOptions &options) const {
  const Machine *machine = findMachine(target.arch);
  if (!machine)
    return fail("the cpu backend has no architecture " + target.arch);
  MachineOptions machineOptions{machine->triple, machine->cpu, machine->features};
  machineOptions.optLevel = options.optLevel;
  machineOptions.positionIndependent = true;
  auto codegen = createTargetMachine(machineOptions);
  if (!codegen)
    return codegen.takeError();

  LLVMContext context;
  Module code("kernel", context);
  code.setTargetTriple(machine->triple);
  code.setDataLayout((*codegen)->createDataLayout());
  code.setPICLevel(PICLevel::BigPIC);
  Image image;
  image.format = "elf";
  simt::expandMath(module, [&](mlir::Operation *op) { return isNativeMath(op, *machine); });
  bool isSerial = true;
  const bool isStepped = options.lineInfo && options.optLevel == 0;
  DebugLines lines(code, !options.lineInfo ? DebugDetail::None
                         : isStepped       ? DebugDetail::Variables
                                           : DebugDetail::Lines);
  for (mlir::func::FuncOp task : tasksOf(module)) {
    Lanes lanes = chooseLanes(task, *machine, simt::getWaveSize(module), isStepped);
    isSerial &= lanes.width == 1;
    Emitter emitter(*machine, lanes, code, task, lines);
    if (mlir::failed(emitter.emit()))
      return fail(""); // diagnosed at the op
    TaskResources resources;
    resources.task = task.getName().str();
    resources.sharedBytes = int(emitter.sharedBytes());
    image.tasks.push_back(resources);
  }
  lines.finish();
  Stages stages{target, options};
  stages.dump("cpu-emit", code);
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(code, &problems))
    return fail("the cpu backend made invalid code: " + problem);
  if (stages.saves())
    if (Error error = stages.save(".ll", printModule(code)))
      return error;
  if (!isStepped) // variables stay where debuggers find them
    if (Error error = optimizeVectorCode(code, **codegen, options.optLevel, isSerial))
      return error;
  stages.dump("cpu-optimize", code);
  if (stages.saves())
    if (Error error = stages.save(".opt.ll", printModule(code)))
      return error;
  limitCodegen(code, **codegen);
  auto object = emitFile(code, **codegen, CodeGenFileType::ObjectFile);
  if (!object)
    return object.takeError();
  auto linked = linkShared(*object, *machine, options.lineInfo);
  if (!linked)
    return linked.takeError();
  image.bytes = std::move(*linked);
  return image;
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
