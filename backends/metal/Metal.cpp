// The metal backend's face. An image is text: for each task a heading line and what
// SPIRV-Cross makes of the task's SPIR-V.
#include "backends/metal/Metal.h"
#include "backends/common/Stages.h"
#include "backends/metal/CheckMetal.h"
#include "backends/metal/Msl.h"
#include "backends/spirv/Spirv.h"
#include "loader/abi/Features.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sextant;

static Error fail(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The optimizer is kept from reassociating by NoContraction. In SPIRV-Cross's text that would put
/// calls of helper functions for all arithmetic: Metal's compiler does not reassociate by itself.
static void allowContraction(spirv::Words &words) {
  constexpr uint32_t headerWords = 5, decorate = 71, noContraction = 42;
  for (size_t at = headerWords; at < words.size();) {
    const size_t length = words[at] >> 16;
    if ((words[at] & 0xffff) == decorate && length == 3 && words[at + 2] == noContraction)
      words.erase(words.begin() + long(at), words.begin() + long(at + length));
    else
      at += length;
  }
}

static MslVersion versionOf(const sextant::Target &target) {
  MslVersion version;
  auto [major, minor] = StringRef(target.arch).split('.');
  if (major.getAsInteger(10, version.major) || minor.getAsInteger(10, version.minor))
    llvm_unreachable("an architecture of the table");
  return version;
}

//===--- Steps -------------------------------------------------------------===//

namespace {

/// One compilation.
struct Job {
  const sextant::Target &target;
  const CompileOptions &options;
  MslVersion version;
  spirv::SpirvOptions how;
  Stages stages{target, options};

  Expected<std::string> emitTask(mlir::func::FuncOp task, Image &image) const;
};

} // namespace

/// SPIR-V with several entry points would give Metal text with the helpers and structures
/// of them all: each task goes through a module of its own.
Expected<std::string> Job::emitTask(mlir::func::FuncOp task, Image &image) const {
  auto module = task->getParentOfType<mlir::ModuleOp>();
  mlir::OwningOpRef<mlir::ModuleOp> own = mlir::cast<mlir::ModuleOp>(module->cloneWithoutRegions());
  own->getBodyRegion().emplaceBlock();
  own->push_back(task->clone());
  std::optional<spirv::SpirvCode> code = spirv::emit(*own, how);
  if (!code)
    return fail("");
  // Of what Vulkan devices may lack, the other Metal devices have all.
  static constexpr StringRef wideMinMax = abi::metalInt64MinMax;
  if (is_contained(code->requirements, wideMinMax) && !is_contained(image.requirements, wideMinMax))
    image.requirements.push_back(wideMinMax.str());
  std::string name = task.getName().str();
  Expected<spirv::Words> words = spirv::optimize(code->words, options.optLevel);
  if (!words)
    return words.takeError();
  allowContraction(*words);
  if (stages.dumps("spirv") || stages.saves()) {
    Expected<std::string> text = spirv::disassemble(*words);
    if (!text)
      return text.takeError();
    if (stages.dumps("spirv"))
      *options.dumpStream << "; " << target.str() << " after spirv\n" << *text;
    if (Error error = stages.save("." + name + ".spvasm", *text))
      return std::move(error);
  }
  if (Error error = spirv::validate(*words))
    return std::move(error);
  MslTask what{name, unsigned(count_if(task.getArgumentTypes(), [](mlir::Type type) {
                 return isa<simt::BufferType>(type);
               }))};
  Expected<std::string> text = emitMsl(*words, what, version);
  if (!text)
    return fail("task '" + name + "': " + toString(text.takeError()));
  // The loader splits images at such lines.
  return ("// Sextant: Metal " + target.arch + ", kernel " + name + "\n" + *text);
}

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
  Expected<Image> compile(mlir::ModuleOp module, const sextant::Target &target,
                          const CompileOptions &options) const override;
  Expected<std::string> disassemble(ArrayRef<char> image, const sextant::Target &) const override {
    return std::string(image.data(), image.size());
  }
};

} // namespace

Expected<Image> MetalBackend::compile(mlir::ModuleOp module, const sextant::Target &target,
                                      const CompileOptions &options) const {
  Job job{target, options, versionOf(target), {}};
  job.how.metal = true;
  if (!(job.version < firstWithFloatAtomics))
    job.how.features = {"float32-atomics"};
  job.how.lineInfo = false; // lines of the kernel's source would hide those of the text
  if (failed(spirv::prepare(module, job.how)))
    return fail("");
  job.stages.dump("spirv-prepare", module);
  Image image;
  image.format = "msl";
  std::string text;
  for (auto task : module.getOps<mlir::func::FuncOp>()) {
    TaskResources resources;
    resources.task = task.getName().str();
    resources.sharedBytes = int(spirv::sharedBytes(task, job.how));
    image.tasks.push_back(resources);
    Expected<std::string> one = job.emitTask(task, image);
    if (!one)
      return one.takeError();
    text += *one;
  }
  if (Error error = job.stages.save(".metal", text))
    return std::move(error);
  image.bytes.assign(text.begin(), text.end());
  return image;
}

const Backend &sextant::metalBackend() {
  static const MetalBackend backend;
  return backend;
}
