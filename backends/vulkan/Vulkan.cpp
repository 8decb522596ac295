// The vulkan backend's face: one SPIR-V module a variant, with an entry point a task.
// The subgroup size is part of the target, as kernels know it when they are compiled.
#include "backends/vulkan/Vulkan.h"
#include "backends/common/Limits.h"
#include "backends/common/Stages.h"
#include "backends/spirv/Spirv.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;
using namespace sextant;

/// Shared memory that desktop devices have at most.
static constexpr uint64_t sharedLimit = 64 * 1024;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

//===--- The backend -------------------------------------------------------===//

namespace {

class VulkanBackend : public Backend {
public:
  StringRef name() const override { return "vulkan"; }
  ArrayRef<Arch> archs() const override {
    static const Arch table[] = {
        {"1.1", {32, 4, 8, 16, 64}, "SPIR-V 1.3, any device with Vulkan 1.1", true, {128}}};
    return table;
  }
  std::vector<sextant::Target> variants(mlir::ModuleOp module,
                                        const sextant::Target &target) const override;
  mlir::LogicalResult check(mlir::ModuleOp module, const sextant::Target &target) const override;
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
                          const CompileOptions &options) const override;
  Expected<std::string> disassemble(ArrayRef<char> image,
                                    const sextant::Target &target) const override;
};

} // namespace

std::vector<sextant::Target> VulkanBackend::variants(mlir::ModuleOp module,
                                                     const sextant::Target &target) const {
  std::vector<sextant::Target> all;
  if (target.features.empty())
    for (std::vector<std::string> &features : spirv::usefulFeatures(module)) {
      all.push_back(target);
      all.back().features = std::move(features);
    }
  all.push_back(target);
  return all;
}

/// Narrow elements take 32 bits in the block's memory. Common devices run 1024 threads.
static mlir::LogicalResult checkResources(mlir::func::FuncOp task, const sextant::Target &target) {
  if (failed(checkLimits(task, {.sharedBytes = sharedLimit, .blockThreads = 1024}, target.str())))
    return mlir::failure();
  spirv::SpirvOptions how;
  how.features = target.features;
  uint64_t bytes = spirv::sharedBytes(task, how);
  if (bytes <= sharedLimit)
    return mlir::success();
  return task.emitError() << "the shared arrays need " << bytes << " bytes, as elements of 8 and "
                          << "16 bits take 32 there, but " << target.str() << " gives a block "
                          << sharedLimit << "; use fewer elements, or pack them into 32-bit words";
}

static mlir::LogicalResult checkOps(mlir::func::FuncOp task, const sextant::Target &target) {
  bool ok = true;
  task.walk([&](mlir::Operation *op) {
    if (isa<simt::BallotOp, simt::MatchOp>(op) && target.wave > 64) {
      op->emitError() << "a ballot holds 64 lanes, but " << target.str() << " has " << target.wave
                      << "; use votes, or reductions of 0 and 1";
      ok = false;
    }
  });
  return mlir::success(ok);
}

mlir::LogicalResult VulkanBackend::check(mlir::ModuleOp module,
                                         const sextant::Target &target) const {
  bool ok = true;
  for (const std::string &feature : target.features) {
    if (is_contained(spirv::variantFeatures(), feature))
      continue;
    module.emitError() << "vulkan targets have no variant feature '" << feature << "'; there are "
                       << llvm::join(spirv::variantFeatures(), ", ");
    ok = false;
  }
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    ok &= succeeded(checkResources(function, target));
    ok &= succeeded(checkOps(function, target));
  }
  return mlir::success(ok);
}

static spirv::SpirvOptions spirvOptions(const sextant::Target &target,
                                        const CompileOptions &options) {
  spirv::SpirvOptions result;
  result.features = target.features;
  result.lineInfo = options.lineInfo;
  return result;
}

Expected<Image> VulkanBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                       const CompileOptions &options) const {
  spirv::SpirvOptions how = spirvOptions(target, options);
  Stages stages{target, options};
  if (failed(spirv::prepare(module, how)))
    return fail("");
  stages.dump("spirv-prepare", module);
  Image image;
  image.format = "spirv";
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    TaskResources resources;
    resources.task = function.getName().str();
    resources.sharedBytes = int(spirv::sharedBytes(function, how));
    image.tasks.push_back(resources);
  }
  std::optional<spirv::SpirvCode> code = spirv::emit(module, how);
  if (!code)
    return fail("");
  if (stages.dumps("spirv")) {
    Expected<std::string> text = spirv::disassemble(code->words);
    if (!text)
      return text.takeError();
    *options.dumpStream << "; " << target.str() << " after spirv\n" << *text;
  }
  Expected<spirv::Words> words = spirv::optimize(code->words, options.optLevel);
  if (!words)
    return words.takeError();
  if (stages.saves()) {
    Expected<std::string> text = spirv::disassemble(*words);
    if (!text)
      return text.takeError();
    if (Error error = stages.save(".spvasm", *text))
      return std::move(error);
  }
  if (Error error = spirv::validate(*words))
    return std::move(error);
  const char *bytes = reinterpret_cast<const char *>(words->data());
  image.bytes.assign(bytes, bytes + words->size() * sizeof(uint32_t));
  if (Error error = stages.save(".spv", StringRef(image.bytes.data(), image.bytes.size())))
    return std::move(error);
  image.requirements = std::move(code->requirements);
  return image;
}

Expected<std::string> VulkanBackend::disassemble(ArrayRef<char> image,
                                                 const sextant::Target &) const {
  spirv::Words words(image.size() / sizeof(uint32_t));
  std::memcpy(words.data(), image.data(), words.size() * sizeof(uint32_t));
  return spirv::disassemble(words);
}

const Backend &sextant::vulkanBackend() {
  static const VulkanBackend backend;
  return backend;
}
