#include "packager/Merge.h"
#include "frontend/spelling/Request.h"
#include "loader/format/Try.h"
#include "packager/Thin.h"
#include "packager/Tuning.h"
#include "packager/Words.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

namespace sextant::packager {

using namespace module;

namespace {

Status contradiction(std::string message) { return {Code::InvalidInput, std::move(message)}; }

/// An item, and the shard that it came from first.
template <class Thing> struct From {
  const Shard *shard;
  Thing thing;
};

/// A variant, with what its numbers mean in its own shard.
struct VariantOf {
  Variant variant; ///< its image counts the merged images
  /// The result of withSources(), with sources numbered as merged. Variants share their plan, so
  /// that many variants of a large plan do not copy it.
  std::shared_ptr<const Plan> plan;
};

struct MergedKernel {
  const Shard *shard;
  Kernel head; ///< its source numbered as merged; without variants
  std::optional<Plan> returns;
  std::map<std::string, From<VariantOf>> variants;
  std::map<std::pair<const Plan *, const Plan *>, bool> areSame; ///< plans that were compared
  std::map<std::string, From<RefusedTarget>> refusals;
};

/// Joins the parts that differ with "; ", sorted.
std::string listDifferent(const std::set<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : "; ") + part;
  return text;
}

void addParts(std::set<std::string> &parts, std::string_view text) {
  for (size_t end = text.find("; "); end != text.npos; end = text.find("; ")) {
    parts.emplace(text.substr(0, end));
    text.remove_prefix(end + 2);
  }
  parts.emplace(text);
}

void addLines(std::set<std::string> &lines, std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    lines.emplace(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

/// Adds one shard after the other to the result.
class Merger {
public:
  explicit Merger(const MergeOptions &options) : options(options) {}

  /// Takes the shard's images.
  Status add(Shard &shard);
  Result<Contents> finish();

private:
  const MergeOptions &options;
  std::set<std::string> compilers, optionTexts;
  const Shard *first = nullptr;
  std::map<std::string, From<Source>> sources;
  std::map<std::string, uint32_t> sourceNumbers;
  std::map<std::pair<uint32_t, std::string>, From<Global>> globals;
  std::map<std::string, MergedKernel> kernels;
  std::map<std::string, From<std::vector<std::byte>>> attachments;
  std::map<std::string, From<std::set<std::string>>> requests; ///< requests by instance
  std::set<std::string> accesses;                              ///< lines
  std::vector<Measurement> measured;
  ImageSet images;
  std::unordered_map<uint32_t, uint32_t> imageNumbers; ///< new ones, of the shard that is added

  Status addCompiler(const Shard &shard);
  Status addAttachments(const Shard &shard);
  Status addRequests(const Shard &shard, std::span<const std::byte> bytes);
  Status addSources(const Shard &shard, std::vector<uint32_t> &numbers);
  Status addGlobals(const Shard &shard, const std::vector<uint32_t> &numbers);
  Status addKernel(Shard &shard, const Kernel &kernel, const std::vector<uint32_t> &numbers);
  Status addVariant(MergedKernel &merged, const Shard &shard, Variant variant,
                    std::shared_ptr<const Plan> plan);
};

Status Merger::addCompiler(const Shard &shard) {
  const std::string &compiler = shard.contents.info.compiler;
  if (first == nullptr)
    first = &shard;
  else if (first->contents.info.compiler != compiler && !options.allowMixedCompilers)
    return contradiction("'" + first->name + "' was written by " + first->contents.info.compiler +
                         ", '" + shard.name + "' by " + compiler +
                         "; compile both with one compiler, or pass --allow-mixed-compilers");
  addParts(compilers, compiler);
  addParts(optionTexts, shard.contents.info.options);
  return {};
}

/// Two instances of one name are one kernel only if they were built for the same. One kernel may
/// have several requests.
Status Merger::addRequests(const Shard &shard, std::span<const std::byte> bytes) {
  std::map<std::string, std::set<std::string>> own;
  for (const auto &[instance, request] :
       parseRequests({reinterpret_cast<const char *>(bytes.data()), bytes.size()}))
    own[instance].insert(request);
  for (auto &[instance, texts] : own) {
    const auto [known, isNew] =
        requests.try_emplace(instance, From<std::set<std::string>>{&shard, texts});
    std::set<std::string> &all = known->second.thing;
    if (std::none_of(texts.begin(), texts.end(), [&](const auto &text) { return all.count(text); }))
      return contradiction("kernel '" + instance + "' was built for '" + *all.begin() + "' in '" +
                           known->second.shard->name + "', and for '" + *texts.begin() + "' in '" +
                           shard.name + "'; name one of them, as in --kernel '" + *texts.begin() +
                           " as NAME'");
    all.merge(texts);
  }
  return {};
}

Status Merger::addAttachments(const Shard &shard) {
  Result<std::vector<Measurement>> own = measurementsOf(shard.contents);
  if (!own)
    return {own.error().code, "'" + shard.name + "': " + own.error().message};
  addAll(measured, std::move(*own));
  for (const auto &[name, bytes] : shard.contents.attachments) {
    if (name == measuredAttachment || name == tunedAttachment)
      continue;
    if (name == accessesAttachment) {
      addLines(accesses, bytes);
      continue;
    }
    if (name == requestsAttachment) {
      SXT_MODULE_TRY(addRequests(shard, bytes));
      continue;
    }
    const auto [known, isNew] =
        attachments.try_emplace(name, From<std::vector<std::byte>>{&shard, bytes});
    if (!isNew && known->second.thing != bytes)
      return contradiction("attachment '" + name + "' has other bytes in '" +
                           known->second.shard->name + "' than in '" + shard.name +
                           "'; compile both with the same file, or give one another name");
  }
  return {};
}

/// "kernels scan, total of it", for errors.
std::string kernelsOf(const Contents &contents, uint32_t source) {
  std::string text;
  for (const Kernel &kernel : contents.kernels)
    if (kernel.source == source)
      text += (text.empty() ? "" : ", ") + kernel.instance;
  return text.empty() ? "" : " (kernels " + text + ")";
}

Status Merger::addSources(const Shard &shard, std::vector<uint32_t> &numbers) {
  const std::vector<Source> &all = shard.contents.info.sources;
  for (uint32_t i = 0; i < all.size(); ++i) {
    const auto [known, isNew] = sources.try_emplace(all[i].path, From<Source>{&shard, all[i]});
    if (!isNew && known->second.thing.hash != all[i].hash)
      return contradiction("'" + all[i].path + "'" + kernelsOf(shard.contents, i) +
                           " is another text in '" + known->second.shard->name + "' (hash " +
                           hex(known->second.thing.hash) + ") than in '" + shard.name + "' (hash " +
                           hex(all[i].hash) + "); compile both from the same sources");
    numbers.push_back(
        sourceNumbers.try_emplace(all[i].path, static_cast<uint32_t>(sourceNumbers.size()))
            .first->second);
  }
  return {};
}

Status Merger::addGlobals(const Shard &shard, const std::vector<uint32_t> &numbers) {
  for (const Global &global : shard.contents.info.globals) {
    Global wanted = global;
    wanted.source = numbers[global.source];
    const auto [known, isNew] =
        globals.try_emplace(std::pair(wanted.source, global.name), From<Global>{&shard, wanted});
    if (isNew || known->second.thing == wanted)
      continue;
    auto words = [](const Global &one) {
      return typeText(one.dtype, one.shape, one.rows, one.cols);
    };
    return contradiction(
        "field '" + global.name + "' of '" + shard.contents.info.sources[global.source].path +
        "' is " + words(known->second.thing) + " in '" + known->second.shard->name + "', " +
        words(global) + " in '" + shard.name + "'; compile both with the same constants");
  }
  return {};
}

/// Returns in what two variants of one target differ, or "".
std::string difference(const VariantOf &a, const VariantOf &b, MergedKernel &merged) {
  if (a.variant.image != b.variant.image || a.variant.format != b.variant.format)
    return "code";
  const auto [known, isNew] = merged.areSame.try_emplace({a.plan.get(), b.plan.get()}, true);
  if (isNew)
    known->second = *a.plan == *b.plan;
  if (!known->second)
    return "launch (tasks, grids or hidden buffers)";
  if (a.variant.requirements != b.variant.requirements)
    return "requirements";
  return a.variant.resources != b.variant.resources ? "resources" : "";
}

Status Merger::addVariant(MergedKernel &merged, const Shard &shard, Variant variant,
                          std::shared_ptr<const Plan> plan) {
  const std::string target = str(variant.target);
  variant.plan = 0;
  VariantOf whole{std::move(variant), std::move(plan)};
  const auto known = merged.variants.find(target);
  if (known == merged.variants.end()) {
    merged.variants.emplace(target, From<VariantOf>{&shard, std::move(whole)});
    return {};
  }
  const std::string what = difference(known->second.thing, whole, merged);
  if (what.empty())
    return {};
  return contradiction("kernel '" + merged.head.instance + "', " + target + ": '" +
                       known->second.shard->name + "' and '" + shard.name + "' differ in its " +
                       what + "; drop it from one of them: sextant thin --drop '" +
                       merged.head.instance + "@" + target + "'");
}

Status Merger::addKernel(Shard &shard, const Kernel &kernel, const std::vector<uint32_t> &numbers) {
  Kernel head = kernel;
  head.source = numbers[kernel.source];
  head.plans.clear();
  head.variants.clear();
  head.refusals.clear();
  MergedKernel &merged =
      kernels.try_emplace(kernel.instance, MergedKernel{&shard, head, {}, {}, {}, {}})
          .first->second;
  const std::string who = "kernel '" + kernel.instance + "' ";
  const Contents &other = merged.shard->contents;
  if (merged.head.source != head.source || merged.head.name != head.name) {
    std::string path;
    for (const auto &[name, number] : sourceNumbers)
      if (number == merged.head.source)
        path = name;
    return contradiction(who + "comes from '" + path + "' in '" + merged.shard->name + "', from '" +
                         shard.contents.info.sources[kernel.source].path + "' in '" + shard.name +
                         "'; rename one, or compile both from one folder");
  }
  const bool areReturnsSame =
      kernel.plans.empty() || !merged.returns ||
      sameReturns(returnsOf(kernel.plans.front()), returnsOf(*merged.returns));
  if (merged.head.arguments != head.arguments || !areReturnsSame) {
    std::string signature;
    for (const Kernel &one : other.kernels)
      if (one.instance == kernel.instance)
        signature = signatureText(one);
    return contradiction(who + "has another signature in '" + merged.shard->name + "': " +
                         signature + ", than in '" + shard.name + "': " + signatureText(kernel) +
                         "; compile both from the same sources with the same constants");
  }
  for (size_t i = 0; i < head.arguments.size(); ++i)
    merged.head.arguments[i].isApart |= head.arguments[i].isApart;
  auto renumbered = [&](uint32_t number) {
    Plan plan = withSources(kernel.plans[number], shard.contents.info);
    for (Hidden &buffer : plan.hidden)
      if (buffer.role == Hidden::Field)
        buffer.source = numbers[buffer.source];
    return plan;
  };
  if (!merged.returns && !kernel.plans.empty())
    merged.returns = renumbered(0);
  std::vector<std::shared_ptr<const Plan>> plans(kernel.plans.size()); // kept by their variants
  for (Variant variant : kernel.variants) {
    const auto [known, isNew] = imageNumbers.try_emplace(variant.image, 0);
    if (isNew)
      known->second = images.add(std::move(shard.contents.images[variant.image]));
    variant.image = known->second;
    std::shared_ptr<const Plan> &plan = plans[variant.plan];
    if (!plan)
      plan = std::make_shared<const Plan>(renumbered(variant.plan));
    SXT_MODULE_TRY(addVariant(merged, shard, std::move(variant), plan));
  }
  for (const RefusedTarget &refusal : kernel.refusals) {
    const auto [known, isNew] =
        merged.refusals.try_emplace(str(refusal.target), From<RefusedTarget>{&shard, refusal});
    std::string &reason = known->second.thing.reason;
    // Any rule will do that does not depend on the order of the shards.
    if (!isNew && refusal.reason != droppedReason &&
        (reason == droppedReason || refusal.reason < reason))
      reason = refusal.reason;
  }
  return {};
}

Status Merger::add(Shard &shard) {
  SXT_MODULE_TRY(addCompiler(shard));
  SXT_MODULE_TRY(addAttachments(shard));
  std::vector<uint32_t> numbers;
  imageNumbers.clear();
  SXT_MODULE_TRY(addSources(shard, numbers));
  SXT_MODULE_TRY(addGlobals(shard, numbers));
  for (const Kernel &kernel : shard.contents.kernels)
    SXT_MODULE_TRY(addKernel(shard, kernel, numbers));
  return {};
}

Result<Contents> Merger::finish() {
  Contents contents;
  contents.info.compiler = listDifferent(compilers);
  contents.info.options = listDifferent(optionTexts);
  contents.info.sources.resize(sources.size());
  for (const auto &[path, source] : sources)
    contents.info.sources[sourceNumbers[path]] = source.thing;
  std::map<std::pair<uint32_t, std::string>, uint32_t> globalNumbers;
  for (const auto &[key, global] : globals) {
    globalNumbers.emplace(key, static_cast<uint32_t>(contents.info.globals.size()));
    contents.info.globals.push_back(global.thing);
  }
  auto addPlan = [&](Kernel &kernel, Plan plan) {
    for (Hidden &buffer : plan.hidden)
      if (buffer.role == Hidden::Field) {
        buffer.global = globalNumbers.at({buffer.source, buffer.name});
        buffer.source = Hidden::noGlobal;
      }
    kernel.plans.push_back(std::move(plan));
    return static_cast<uint32_t>(kernel.plans.size() - 1);
  };
  for (auto &[instance, merged] : kernels) {
    Kernel kernel = std::move(merged.head);
    std::map<const Plan *, uint32_t> plans;
    for (auto &[target, placed] : merged.variants) {
      const auto [known, isNew] = plans.try_emplace(placed.thing.plan.get(), 0);
      if (isNew)
        known->second = addPlan(kernel, *placed.thing.plan);
      placed.thing.variant.plan = known->second;
      kernel.variants.push_back(std::move(placed.thing.variant));
    }
    if (kernel.variants.empty() && merged.returns)
      addPlan(kernel, std::move(*merged.returns));
    for (auto &[target, refusal] : merged.refusals)
      if (!merged.variants.count(target))
        kernel.refusals.push_back(std::move(refusal.thing));
    contents.kernels.push_back(std::move(kernel));
  }
  contents.images = std::move(images).take();
  for (auto &[name, attachment] : attachments)
    contents.attachments.emplace(name, std::move(attachment.thing));
  Requests own;
  for (const auto &[instance, texts] : requests)
    for (const std::string &text : texts.thing)
      own.emplace(instance, text);
  if (!own.empty()) {
    const std::string text = sextant::textOf(own);
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
    contents.attachments[requestsAttachment].assign(bytes.begin(), bytes.end());
  }
  std::vector<std::byte> lines;
  for (const std::string &line : accesses) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(line));
    lines.insert(lines.end(), bytes.begin(), bytes.end());
    lines.push_back(std::byte('\n'));
  }
  if (!lines.empty())
    contents.attachments[accessesAttachment] = std::move(lines);
  SXT_MODULE_TRY(setMeasurements(contents, measured));
  return contents;
}

} // namespace

Result<Contents> merge(std::vector<Shard> shards, const MergeOptions &options) {
  Merger merger(options);
  for (Shard &shard : shards)
    SXT_MODULE_TRY(merger.add(shard));
  return merger.finish();
}

} // namespace sextant::packager
