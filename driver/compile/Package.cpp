// Translates HIR's hidden buffers and tasks to those of the module format.
#include "driver/compile/Package.h"

#include "driver/Version.h"
#include "driver/compile/CodegenJob.h"
#include "loader/abi/Features.h"
#include "packager/FrameMemo.h"
#include "packager/Merge.h"

namespace sextant {
namespace {

module::Hidden convert(const hir::HiddenBuffer &from) {
  module::Hidden hidden;
  hidden.role = from.role;
  hidden.name = isValue(from.role) ? abi::textOf(from.divisor) : from.name;
  hidden.dtype = from.type;
  hidden.count = from.count;
  hidden.shape = from.shape;
  hidden.rows = from.rows;
  hidden.cols = from.cols;
  return hidden;
}

/// As many threads as there are iterations, and no more than the largest GPUs run at once. If there
/// are more iterations than an ordinary launch may have, the number stays, so that loaders see it:
/// max(min(n, most), min(n, (n - ordinary) * 2^32)).
hir::LaunchExpr inTurns(const hir::LaunchExpr &iterations) {
  constexpr int64_t most = 1 << 18;
  using Op = hir::LaunchExpr::Op;
  if (iterations.isConstant())
    return {{{Op::Constant, std::min(iterations.items[0].value, most)}}};
  std::vector<hir::LaunchExpr::Item> all;
  auto add = [&](llvm::ArrayRef<hir::LaunchExpr::Item> items) {
    all.insert(all.end(), items.begin(), items.end());
  };
  const std::vector<hir::LaunchExpr::Item> &number = iterations.items;
  add(number);
  add({{Op::Constant, most}, {Op::Min, 0}});
  add(number);
  add(number);
  add({{Op::Constant, abi::mostOrdinary}, {Op::Sub, 0}, {Op::Constant, int64_t(1) << 32}});
  add({{Op::Mul, 0}, {Op::Min, 0}, {Op::Max, 0}});
  return {std::move(all)};
}

/// `sources` is indexed by file.
/// \param choice the target's
module::Plan planOf(const hir::Kernel &kernel,
                    const std::map<const SourceFile *, uint32_t> &sources,
                    const hir::Choice &choice) {
  module::Plan plan;
  for (const hir::HiddenBuffer &hidden : kernel.hidden) {
    plan.hidden.push_back(convert(hidden));
    if (auto home = sources.find(hidden.file); home != sources.end())
      plan.hidden.back().source = home->second;
  }
  for (const hir::Task &from : kernel.tasks) {
    module::Task task;
    task.symbol = from.name;
    task.blockDim = hir::blockDimOf(from, choice);
    task.serial = from.serial;
    task.fullBlocks = from.fullBlocks;
    task.waits = from.waits;
    task.iterations = from.iterations;
    if (hir::takesTurns(from, choice))
      task.iterations = inTurns(*from.iterations);
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

module::Target convert(const Target &from) {
  return {from.backend, from.arch, from.features, from.wave};
}

/// Returns the options that influence the code, in a fixed order. Kernel requests
/// are left out: they select kernels and do not change their code.
std::string optionsText(const CompileRequest &request) {
  std::string text = "-O" + std::to_string(request.optLevel);
  if (request.lineInfo)
    text += " -g";
  if (request.checks)
    text += " --check";
  else if (request.asserts)
    text += " --assert";
  if (request.largeArrays)
    text += " --large-arrays";
  if (request.fastMath)
    text += " --fast-math";
  if (request.outsideReads)
    text += " --outside-reads";
  if (request.keepOverwritten)
    text += " --keep-overwritten";
  if (request.defaultFloat != "f32")
    text += " --default-fp=" + request.defaultFloat;
  if (request.defaultInt != "i32")
    text += " --default-ip=" + request.defaultInt;
  for (const std::string &constant : request.constants)
    text += " --const " + constant;
  for (const std::string &constant : request.tune)
    text += " --tune " + constant;
  for (const std::string &pattern : request.tuneTargets)
    text += " --tune-targets " + pattern;
  return text;
}

std::span<const std::byte> asBytes(const char *data, size_t size) {
  return {reinterpret_cast<const std::byte *>(data), size};
}

void require(const module::Status &status) {
  if (!status.ok())
    throw Refusal(Problem::ModuleNotBuildable, status.message);
}

} // namespace

Packager::Packager(const CompileRequest &request, const FrontendResult &frontend)
    : request(request), builder(std::string("sextant ") + compilerVersion(), optionsText(request)) {
  for (const FrontendResult::Source &source : frontend.sources) {
    std::string_view text = source.file->text();
    sources[source.file] = builder.addSource(source.path, asBytes(text.data(), text.size()));
    if (!source.isStream)
      dependencies.push_back(source.path);
  }
}

void Packager::addKernel(const KernelUnit &unit) {
  source = unit.source;
  // If no wave size can have the kernel, that was reported, and no module is written.
  if (unit.byTarget.empty() || unit.isLarge || !unit.alternative.empty() || !unit.tuned.empty())
    return;
  const hir::Kernel &from = *unit.byTarget.begin()->second;
  module::Kernel to;
  to.name = from.name;
  to.instance = from.instance;
  to.doc = from.doc;
  to.source = static_cast<uint32_t>(unit.source);
  to.arguments = from.arguments;
  for (const auto &[target, other] : unit.byTarget)
    for (size_t i = 0; i < to.arguments.size(); ++i)
      to.arguments[i].isApart |= other->arguments[i].isApart;
  module::Result<uint32_t> added = builder.addKernel(std::move(to));
  if (!added)
    throw Refusal(Problem::ModuleNotBuildable, added.error().message);
  kernel = *added;
}

void Packager::addVariant(const hir::Kernel &from, const Target &target, const Image &image) {
  module::Variant variant;
  accesses.add(from, source);
  variant.target = convert(target);
  variant.image = builder.addImage(asBytes(image.bytes.data(), image.bytes.size()));
  variant.format = image.format;
  variant.requirements = image.requirements;
  for (const hir::Task &task : from.tasks) {
    module::Resources resources;
    for (const TaskResources &known : image.tasks)
      if (known.task == task.name)
        resources = {known.registers,   known.spillBytes,      known.stackBytes,
                     known.sharedBytes, known.scalarRegisters, known.occupancy};
    variant.resources.push_back(resources);
  }
  for (const hir::HiddenBuffer &hidden : from.hidden)
    if (const auto home = sources.find(hidden.file); home != sources.end())
      builder.describeField(home->second, hidden.name, hidden.structure);
  const hir::Choice choice = choiceOf(*findBackend(target.backend));
  require(builder.addVariant(kernel, planOf(from, sources, choice), std::move(variant)));
}

void Packager::addRefusal(const Target &target, const std::string &reason) {
  require(builder.addRefusal(kernel, convert(target), reason));
}

void Packager::attach(const std::string &name, std::string_view bytes) {
  require(builder.attach(name, asBytes(bytes.data(), bytes.size())));
}

namespace {

/// Compressed packs in the folder of the cache, beside images.
struct CachedFrames : packager::FrameStore {
  explicit CachedFrames(CacheFolder &folder) : folder(folder) {}
  std::optional<std::string> find(const std::string &key) override {
    return folder.find({key, "pack"});
  }
  void store(const std::string &key, std::string_view bytes) override {
    folder.store({key, "pack"}, bytes);
  }
  CacheFolder &folder;
};

} // namespace

CompiledModule Packager::finish(CacheFolder *cache) {
  if (const std::string text = accesses.text(); !text.empty())
    attach(packager::accessesAttachment, text);
  std::optional<CachedFrames> frames;
  packager::BuildOptions options;
  if (cache)
    options.frames = &frames.emplace(*cache);
  options.compression = request.compression;
  options.jobs = std::max(request.jobs, 1u);
  builder.canonicalize();
  module::Result<std::vector<std::byte>> bytes = builder.build(options);
  if (!bytes)
    throw Refusal(Problem::ModuleNotBuildable, bytes.error().message);
  return {std::move(*bytes), dependencies};
}

} // namespace sextant
