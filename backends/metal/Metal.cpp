// The metal backend: its checks and stages. An image is text: for each task a heading line, then
// the text that SPIRV-Cross makes of the task's SPIR-V.
#include "backends/metal/Metal.h"
#include "backends/metal/CheckMetal.h"
#include "backends/metal/Msl.h"
#include "backends/metal/MslRepairs.h"
#include "backends/metal/Raise.h"
#include "backends/spirv/Pipeline.h"

#include "frontend/ir/transforms/Passes.h"
#include "loader/abi/BindingLayout.h"
#include "loader/abi/Features.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;
using namespace sextant;

static MslVersion versionOf(const sextant::Target &target) {
  MslVersion version;
  auto [major, minor] = StringRef(target.arch).split('.');
  if (major.getAsInteger(10, version.major) || minor.getAsInteger(10, version.minor))
    llvm_unreachable("an architecture of the table");
  return version;
}

//===--- Stages ------------------------------------------------------------===//

using spirv::SpirvJob;

static Error expandBarrierReduce(SpirvJob &job) {
  simt::expandBarrierReduce(job.tasks);
  return Error::success();
}

static bool isWhole(mlir::Operation *op, unsigned log2Size) {
  return (1u << log2Size) == simt::getWaveSize(op->getParentOfType<mlir::ModuleOp>());
}

/// The instruction is not exact for minima of reals: if all lanes hold NaN, its result is
/// undefined.
static bool isNativeCombine(simt::CombineKind kind, mlir::Type type) {
  return type.getIntOrFloatBitWidth() == 32 && kind != simt::CombineKind::MinF &&
         kind != simt::CombineKind::MaxF;
}

static bool isNativeReduce(simt::ReduceOp op) {
  return isWhole(op, op.getLog2Size()) && isNativeCombine(op.getKind(), op.getType());
}

/// MSL has prefix sums and products.
static bool isNativeScan(simt::ScanOp op) {
  simt::CombineKind kind = op.getKind();
  bool isSum = kind == simt::CombineKind::AddI || kind == simt::CombineKind::AddF;
  bool isProduct = kind == simt::CombineKind::MulI || kind == simt::CombineKind::MulF;
  return isWhole(op, op.getLog2Size()) && isNativeCombine(kind, op.getType()) &&
         (isSum || isProduct);
}

static bool isNativeSubgroup(mlir::Operation *op) {
  return TypeSwitch<mlir::Operation *, bool>(op)
      .Case([](simt::ReduceOp reduce) { return isNativeReduce(reduce); })
      .Case([](simt::ScanOp scan) { return isNativeScan(scan); })
      .Default([](mlir::Operation *other) { return !isa<simt::MatchOp>(other); });
}

static Error expandSubgroup(SpirvJob &job) {
  simt::expandSubgroup(job.tasks, isNativeSubgroup);
  return Error::success();
}

/// MSL's precise functions are good. But its remainder is inexact, and its log10 has no name in
/// SPIR-V.
static bool isNativeMath(mlir::Operation *op) {
  return !isa<mlir::arith::RemFOp, mlir::math::Log10Op>(op);
}

static Error expandMath(SpirvJob &job) {
  simt::expandMath(job.tasks, isNativeMath);
  return Error::success();
}

/// MSL's casts are C++'s, undefined out of range.
static Error expandConversions(SpirvJob &job) {
  simt::expandConversions(job.tasks, {.isTotal = false});
  return Error::success();
}

static Error simplify(SpirvJob &job) { return reported(simt::simplify(job.tasks)); }

static Error prepare(SpirvJob &job) { return reported(spirv::narrowComparisons(job.tasks)); }

static Error raise(SpirvJob &job) {
  // Metal devices have everything that Vulkan devices may lack.
  if (raiseForMetal(job.tasks))
    job.image.requirements.push_back(std::string(abi::metalInt64MinMax));
  return Error::success();
}

/// Each task goes through a module of its own. SPIR-V with several entry points would give Metal
/// text with the helpers and structures of all of them.
static Error emitSpirv(SpirvJob &job) {
  job.image.tasks = resourcesOf(
      job.tasks, [&](mlir::func::FuncOp task) { return int(spirv::sharedBytes(task, job.how)); });
  for (auto task : job.tasks.getOps<mlir::func::FuncOp>()) {
    mlir::OwningOpRef<mlir::ModuleOp> own =
        mlir::cast<mlir::ModuleOp>(job.tasks->cloneWithoutRegions());
    own->getBodyRegion().emplaceBlock();
    own->push_back(task->clone());
    std::optional<spirv::SpirvCode> code = spirv::emit(*own, job.how);
    if (!code)
      return alreadyReported();
    job.modules.push_back(std::move(*code));
  }
  return Error::success();
}

static Error optimize(SpirvJob &job) {
  for (auto [task, code] : zip(job.image.tasks, job.modules)) {
    Expected<spirv::Words> words = spirv::optimize(code.words, job.options.optLevel);
    if (!words)
      return words.takeError();
    code.words = std::move(*words);
    allowContraction(code.words);
    copyForLanes(code.words);
    if (!job.saves())
      continue;
    Expected<std::string> text = spirv::disassemble(code.words);
    if (!text)
      return text.takeError();
    if (Error error = job.save("." + task.task + ".spvasm", *text))
      return error;
  }
  return Error::success();
}

/// All tasks of a kernel have its arguments.
static MslTask outlineOf(mlir::func::FuncOp task) {
  const unsigned arguments = task.getNumArguments();
  const auto buffers = unsigned(count_if(task.getArgumentTypes(), llvm::IsaPred<simt::BufferType>));
  return {task.getName().str(), buffers,
          abi::BindingPlaces::takesMetalTable(buffers, arguments > buffers)};
}

static Error write(SpirvJob &job) {
  std::string all;
  bool needsAddresses = false;
  for (auto [task, code] : zip(job.tasks.getOps<mlir::func::FuncOp>(), job.modules)) {
    if (Error error = spirv::validate(code.words))
      return error;
    MslTask what = outlineOf(task);
    what.instructions = std::move(code.instructions);
    needsAddresses |= what.hasTable;
    Expected<std::string> text = emitMsl(code.words, what, versionOf(job.target));
    if (!text)
      return fail("task '" + what.kernel + "': " + toString(text.takeError()));
    // The loader splits images at such lines.
    all += "// Sextant: Metal " + job.target.arch + ", kernel " + what.kernel + "\n" + *text;
  }
  if (needsAddresses)
    job.image.requirements.push_back(std::string(abi::metalAddresses));
  job.image.format = "msl";
  job.image.bytes.assign(all.begin(), all.end());
  return job.save(".metal", all);
}

static constexpr Stage<SpirvJob> pipeline[] = {
    {stages::tallyAtomics, Form::Tasks, spirv::tallyAtomics},
    {stages::combineAtomics, Form::Tasks, spirv::combineAtomics},
    {stages::loadAhead, Form::Tasks, spirv::loadAhead},
    {stages::expandBarrierReduce, Form::Tasks, expandBarrierReduce},
    {stages::expandSubgroup, Form::Tasks, expandSubgroup},
    {stages::expandMath, Form::Tasks, expandMath},
    {stages::expandConversions, Form::Tasks, expandConversions},
    {stages::simplify, Form::Tasks, simplify},
    {stages::evaluateConditions, Form::Tasks, spirv::evaluateConditions},
    {stages::vectorizeAccesses, Form::Tasks, spirv::vectorizeAccesses},
    {stages::spirvPrepare, Form::Tasks, prepare},
    {{"metal-raise", "rewritten and marked for Metal"}, Form::Tasks, raise},
    {stages::spirv, Form::Spirv, emitSpirv},
    {stages::spirvOptimize, Form::Spirv, optimize},
    {{"msl", "SPIRV-Cross's text, repaired"}, Form::Bytes, write},
};

//===--- The backend -------------------------------------------------------===//

namespace {

class MetalBackend : public Backend {
public:
  StringRef name() const override { return "metal"; }
  ArrayRef<Arch> archs() const override {
    static const Arch table[] = {
        {"2.3", {32}, "Metal 2.3: macOS 11, iOS 14"},
        {"3.0", {32}, "Metal 3.0: macOS 13, iOS 16; atomic additions of reals", true},
        {"3.2", {32}, "Metal 3.2: macOS 15, iOS 18; memory fences"},
    };
    return table;
  }
  mlir::LogicalResult check(mlir::ModuleOp module, const sextant::Target &target) const override {
    return checkMetal(module, target, versionOf(target));
  }
  ArrayRef<std::string> features() const override {
    static const std::string words[] = {abi::metalMatrices};
    return words;
  }
  std::vector<std::string> factFeatures() const override { return features(); }
  uint64_t sharedLimit(const sextant::Target &) const override { return metalSharedLimit; }
  StringRef matrixUnit(const sextant::Target &target) const override {
    if (!is_contained(target.features, abi::metalMatrices))
      return "";
    return versionOf(target) < firstWithBfloat ? "apple7" : "apple7-bf16";
  }
  unsigned turnBlock() const override { return spirv::turnBlock; }
  std::vector<StageInfo> stages() const override { return printedStages<SpirvJob>(pipeline); }
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
                          const CompileOptions &options) const override;
  Expected<std::string> disassemble(ArrayRef<char> image, const sextant::Target &) const override {
    return std::string(image.data(), image.size());
  }
};

} // namespace

Expected<Image> MetalBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                      const CompileOptions &options) const {
  SpirvJob job(module, target, options);
  if (!(versionOf(target) < firstWithFloatAtomics))
    job.how.features = {"float32-atomics"};
  job.how.wideIndices = true;
  job.how.marksPrecise = true;
  job.how.lineInfo = false; // lines of the kernel's source would hide those of the text
  if (Error error = runStages<SpirvJob>(pipeline, job))
    return std::move(error);
  return std::move(job.image);
}

const Backend &sextant::metalBackend() {
  static const MetalBackend backend;
  return backend;
}
