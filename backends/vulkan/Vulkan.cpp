// The vulkan backend: its checks and stages. Each variant is one SPIR-V module with an entry point
// for each task. The subgroup size is part of the target, because kernels use it at compile time.
#include "backends/vulkan/Vulkan.h"
#include "backends/common/Limits.h"
#include "backends/spirv/Pipeline.h"
#include "backends/vulkan/Matrices.h"
#include "backends/vulkan/MemoryModel.h"

#include "frontend/ir/Refuse.h"
#include "frontend/ir/transforms/Passes.h"
#include "loader/abi/BindingLayout.h"
#include "loader/abi/Features.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;
using namespace sextant;

/// The most shared memory that desktop devices have. Kernels may ask for it all; the image then
/// says what it needs.
static constexpr uint64_t sharedLimitOfBlock = 64 * 1024;

/// The shared memory that kernels count on: what nearly every device has (Vulkan demands 16 KiB),
/// and what NVIDIA's and AMD's have.
static constexpr uint64_t moreShared = 48 * 1024;

static StringRef sharedWord() { return abi::wordOf(abi::VulkanFeature::Shared48k); }
static StringRef matrixWord() { return abi::wordOf(abi::VulkanFeature::CooperativeMatrixMma); }

//===--- Stages ------------------------------------------------------------===//

using spirv::SpirvJob;

static Error expandBarrierReduce(SpirvJob &job) {
  simt::expandBarrierReduce(job.tasks);
  return Error::success();
}

/// The reductions that are faster than shuffles, by measurement
/// (docs/decisions/0006-subgroup-arithmetic.md).
static bool isNativeReduce(simt::ReduceOp op) {
  const unsigned wave = simt::getWaveSize(op->getParentOfType<mlir::ModuleOp>());
  return (1u << op.getLog2Size()) == wave && op.getType().isInteger(32) &&
         op.getKind() != simt::CombineKind::MulI;
}

static bool isNativeSubgroup(mlir::Operation *op) {
  if (auto reduce = dyn_cast<simt::ReduceOp>(op))
    return isNativeReduce(reduce);
  return !isa<simt::ScanOp, simt::MatchOp>(op);
}

static Error expandSubgroup(SpirvJob &job) {
  simt::expandSubgroup(job.tasks, isNativeSubgroup);
  return Error::success();
}

/// Vulkan demands too little of GLSL's functions (sine to 2^-11) and of the division of reals (2.5
/// units in the last place, which NVIDIA's driver uses up). The inverse square root is good enough,
/// and so is what devices have for f64. Fast math asks for no more of f32.
static bool isNativeMath(mlir::Operation *op) {
  namespace math = mlir::math;
  if (isa<math::RsqrtOp>(op))
    return !op->getResult(0).getType().isF64();
  return isa<mlir::arith::DivFOp, math::SqrtOp, math::SinOp, math::CosOp, math::ExpOp, math::Exp2Op,
             math::LogOp, math::Log2Op>(op) &&
         op->getResult(0).getType().isF32() && !simt::isPrecise(op) &&
         simt::isFastMath(op->getParentOfType<mlir::ModuleOp>());
}

static bool isLongMath(mlir::Operation *op) { return !isNativeMath(op) && simt::isLongMath(op); }

/// Simplified code has each division once, and constants where they are some.
static Error outlineMath(SpirvJob &job) {
  if (job.options.optLevel == 0)
    return Error::success();
  if (failed(simt::simplify(job.tasks)))
    return alreadyReported();
  simt::outlineMath(job.tasks, isLongMath);
  return Error::success();
}

/// Shorter ones are as fast in memory (docs/decisions/0016-components-at-run-time.md).
static Error chooseComponents(SpirvJob &job) {
  constexpr unsigned fewest = 16;
  if (job.options.optLevel > 0)
    simt::chooseComponents(job.tasks, fewest);
  return Error::success();
}

static Error expandMath(SpirvJob &job) {
  simt::expandMath(job.tasks, isNativeMath);
  return Error::success();
}

/// SPIR-V leaves conversions out of range open, and Mesa rounds f64 to f16 twice.
static Error expandConversions(SpirvJob &job) {
  simt::expandConversions(job.tasks, {.isTotal = false});
  return Error::success();
}

static Error simplify(SpirvJob &job) { return reported(simt::simplify(job.tasks)); }

static Error prepare(SpirvJob &job) {
  if (failed(spirv::narrowComparisons(job.tasks)))
    return alreadyReported();
  spirv::avoidDriverFaults(job.tasks); // last: simplification would undo it
  return Error::success();
}

/// SPIR-V forbids drivers to fuse operations that carry NoContraction, as ours do.
static Error fuse(SpirvJob &job) {
  simt::fuseProducts(job.tasks);
  return Error::success();
}

static Error emitSpirv(SpirvJob &job) {
  job.image.tasks = resourcesOf(
      job.tasks, [&](mlir::func::FuncOp task) { return int(spirv::sharedBytes(task, job.how)); });
  std::optional<spirv::SpirvCode> code = spirv::emit(job.tasks, job.how);
  if (!code)
    return alreadyReported();
  job.modules = {std::move(*code)};
  return Error::success();
}

static Error optimize(SpirvJob &job) {
  spirv::Words &words = job.modules.front().words;
  Expected<spirv::Words> optimized = spirv::optimize(words, job.options.optLevel);
  if (!optimized)
    return optimized.takeError();
  words = std::move(*optimized);
  if (job.saves()) {
    Expected<std::string> text = job.print(Form::Spirv);
    if (!text)
      return text.takeError();
    if (Error error = job.save(".spvasm", *text))
      return error;
  }
  return Error::success();
}

/// Products of matrices demand the Vulkan memory model.
static Error matrices(SpirvJob &job) {
  spirv::SpirvCode &code = job.modules.front();
  if (code.instructions.empty())
    return Error::success();
  code.words = writeMatrices(withVulkanMemoryModel(code.words), code.instructions);
  code.requirements.push_back(matrixWord().str()); // which the memory model is a part of
  llvm::sort(code.requirements);
  return Error::success();
}

static Error write(SpirvJob &job) {
  spirv::SpirvCode &code = job.modules.front();
  if (Error error = spirv::validate(withOlderMatrices(code.words)))
    return error;
  const char *bytes = reinterpret_cast<const char *>(code.words.data());
  job.image.format = "spirv";
  job.image.bytes.assign(bytes, bytes + code.words.size() * sizeof(uint32_t));
  job.image.requirements = std::move(code.requirements);
  return job.save(".spv", textOf(job.image.bytes));
}

static constexpr Stage<SpirvJob> pipeline[] = {
    {stages::chooseComponents, Form::Tasks, chooseComponents},
    {stages::tallyAtomics, Form::Tasks, spirv::tallyAtomics},
    {stages::combineAtomics, Form::Tasks, spirv::combineAtomics},
    {stages::loadAhead, Form::Tasks, spirv::loadAhead},
    {stages::vectorizeRows, Form::Tasks, spirv::vectorizeRows},
    {stages::expandBarrierReduce, Form::Tasks, expandBarrierReduce},
    {stages::expandSubgroup, Form::Tasks, expandSubgroup},
    {{"outline-math", "long math functions shared"}, Form::Tasks, outlineMath},
    {stages::expandMath, Form::Tasks, expandMath},
    {stages::expandConversions, Form::Tasks, expandConversions},
    {stages::simplify, Form::Tasks, simplify},
    {stages::evaluateConditions, Form::Tasks, spirv::evaluateConditions},
    {stages::vectorizeAccesses, Form::Tasks, spirv::vectorizeAccesses},
    {stages::spirvPrepare, Form::Tasks, prepare},
    {{"vulkan-fuse", "products and sums as one fma"}, Form::Tasks, fuse},
    {stages::spirv, Form::Spirv, emitSpirv},
    {stages::spirvOptimize, Form::Spirv, optimize},
    {{"vulkan-matrices", "products by cooperative matrices"}, Form::Bytes, matrices},
    {{"image", "valid SPIR-V"}, Form::Bytes, write},
};

//===--- The backend -------------------------------------------------------===//

static bool hasWord(const sextant::Target &target, StringRef word) {
  return is_contained(target.features, word);
}

/// The GPUs with such matrices have 32 lanes.
static bool hasMatrices(const sextant::Target &target) {
  return target.wave == 32 && hasWord(target, matrixWord());
}

namespace {

class VulkanBackend : public Backend {
public:
  StringRef name() const override { return "vulkan"; }
  ArrayRef<std::string> features() const override { return spirv::variantFeatures(); }
  ArrayRef<Arch> archs() const override {
    static const Arch table[] = {
        {"1.1", {32, 4, 8, 16, 64}, "SPIR-V 1.3, any device with Vulkan 1.1", true, {128}}};
    return table;
  }
  std::vector<sextant::Target> variants(mlir::ModuleOp module,
                                        const sextant::Target &target) const override;
  /// Only operations on lanes depend on how many there are, and no stage adds one that does.
  bool ignoresWave(mlir::ModuleOp module) const override { return !simt::usesLanes(module); }
  uint64_t sharedLimit(const sextant::Target &target) const override {
    return hasWord(target, sharedWord()) ? moreShared : spirv::usualShared;
  }
  std::vector<std::string> factFeatures() const override {
    return {sharedWord().str(), matrixWord().str()};
  }
  StringRef matrixUnit(const sextant::Target &target) const override {
    return hasMatrices(target) ? matrixWord() : "";
  }
  unsigned lightBlock() const override { return 256; } // as on NVIDIA
  unsigned turnBlock() const override { return spirv::turnBlock; }
  std::vector<StageInfo> stages() const override { return printedStages<SpirvJob>(pipeline); }
  mlir::LogicalResult check(mlir::ModuleOp module, const sextant::Target &target) const override;
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
                          const CompileOptions &options) const override;
  Expected<std::string> disassemble(ArrayRef<char> image,
                                    const sextant::Target &target) const override;
};

} // namespace

/// True if devices may lack bindings for the kernel's buffers. All of its tasks take the same.
static bool hasManyBuffers(mlir::ModuleOp module) {
  auto tasks = module.getOps<mlir::func::FuncOp>();
  return !tasks.empty() &&
         count_if((*tasks.begin()).getArgumentTypes(), llvm::IsaPred<simt::BufferType>) >
             abi::BindingPlaces::usualVulkanBuffers;
}

/// True if some array of the kernel has elements of 8 or 16 bits. By address, such arrays have to
/// begin at a multiple of 4 bytes.
static bool hasNarrowBuffers(mlir::ModuleOp module) {
  return any_of(module.getOps<mlir::func::FuncOp>(), [](mlir::func::FuncOp task) {
    return any_of(task.getArgumentTypes(), [](mlir::Type type) {
      auto buffer = dyn_cast<simt::BufferType>(type);
      return buffer && buffer.getElementType().getIntOrFloatBitWidth() < 32;
    });
  });
}

std::vector<sextant::Target> VulkanBackend::variants(mlir::ModuleOp module,
                                                     const sextant::Target &target) const {
  if (any_of(target.features, [](const std::string &word) { return word != sharedWord(); }))
    return {target};
  std::vector<std::vector<std::string>> sets = spirv::usefulFeatures(module);
  sets.emplace_back();
  // Each set so far also comes with the word, before those without it.
  auto alsoWith = [&](StringRef word) {
    std::vector<std::vector<std::string>> more = sets;
    for (std::vector<std::string> &features : more)
      features.insert(features.begin(), word.str());
    sets.insert(sets.begin(), more.begin(), more.end());
  };
  const bool gainsByAddress = simt::combinesMoreByAddress(module) || spirv::hasRows(module);
  if (hasManyBuffers(module) || (gainsByAddress && !hasNarrowBuffers(module)))
    alsoWith(abi::wordOf(abi::VulkanFeature::BufferAddresses));
  if (target.features.empty() && spirv::hasTallies(module))
    alsoWith(sharedWord());
  std::vector<sextant::Target> all;
  for (std::vector<std::string> &features : sets) {
    all.push_back(target);
    features.insert(features.end(), target.features.begin(), target.features.end());
    llvm::sort(features);
    all.back().features = std::move(features);
  }
  return all;
}

/// Common devices run 1024 threads in a block.
static mlir::LogicalResult checkResources(mlir::func::FuncOp task, const sextant::Target &target) {
  return checkLimits(task, {.sharedBytes = sharedLimitOfBlock, .blockThreads = 1024}, target.str());
}

static mlir::LogicalResult checkOps(mlir::func::FuncOp task, const sextant::Target &target) {
  bool ok = true;
  task.walk([&](mlir::Operation *op) {
    if (isa<simt::BallotOp, simt::MatchOp>(op) && target.wave > 64) {
      simt::refuse(op, Problem::BallotBeyondTarget)
          << "a ballot holds 64 lanes, but " << target.str() << " has " << target.wave
          << "; use votes, or reductions of 0 and 1";
      ok = false;
    }
  });
  return mlir::success(ok);
}

mlir::LogicalResult VulkanBackend::check(mlir::ModuleOp module,
                                         const sextant::Target &target) const {
  bool ok = true;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    ok &= succeeded(checkResources(function, target));
    ok &= succeeded(checkOps(function, target));
  }
  return mlir::success(ok);
}

Expected<Image> VulkanBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                       const CompileOptions &options) const {
  spirv::SpirvJob job(module, target, options);
  job.how.features = target.features;
  job.how.lineInfo = options.lineInfo;
  if (Error error = runStages<spirv::SpirvJob>(pipeline, job))
    return std::move(error);
  return std::move(job.image);
}

Expected<std::string> VulkanBackend::disassemble(ArrayRef<char> image,
                                                 const sextant::Target &) const {
  spirv::Words words(image.size() / sizeof(uint32_t));
  std::memcpy(words.data(), image.data(), words.size() * sizeof(uint32_t));
  Expected<std::string> text = spirv::disassemble(withOlderMatrices(words));
  if (!text)
    return text.takeError();
  return withNewerNames(std::move(*text));
}

const Backend &sextant::vulkanBackend() {
  static const VulkanBackend backend;
  return backend;
}
