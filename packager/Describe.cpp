// `sextant inspect` as text and as JSON.
#include "packager/Describe.h"
#include "frontend/spelling/Texts.h"
#include "loader/abi/Features.h"
#include "loader/format/Hash.h"
#include "loader/format/Text.h"
#include "loader/format/Try.h"
#include "packager/Json.h"
#include "packager/Sign.h"
#include "packager/Words.h"

#include <algorithm>
#include <map>
#include <set>

namespace sextant::packager {

using namespace module;

Result<std::vector<Kernel>> kernelsByName(const Reader &reader) {
  Result<std::vector<Kernel>> kernels = reader.kernels();
  if (kernels)
    std::sort(kernels->begin(), kernels->end(),
              [](const Kernel &a, const Kernel &b) { return a.instance < b.instance; });
  return kernels;
}

namespace {

struct ImageSize {
  uint64_t bytes, storedBytes;
};

/// Reads the sizes of all images without putting the images together.
Result<std::vector<ImageSize>> imageSizes(const Reader &reader) {
  std::vector<ImageSize> images;
  Status status = reader.forEachImage([&](uint32_t, const EachImage &image) {
    images.push_back({image.bytes, image.storedBytes});
    return Status{};
  });
  SXT_MODULE_TRY(status);
  return images;
}

std::string versionText(const Reader &reader) {
  return std::to_string(reader.versionMajor()) + "." + std::to_string(reader.versionMinor());
}

/// The largest value of a number over a variant's tasks; "-" if no task has it.
std::string largest(const Variant &variant, int32_t Resources::*member) {
  int32_t value = -1;
  for (const Resources &resources : variant.resources)
    value = std::max(value, resources.*member);
  return value < 0 ? "-" : std::to_string(value);
}

/// The least occupancy of a variant's tasks; "-" if no task has it.
std::string leastOccupancy(const Variant &variant) {
  int32_t value = -1;
  for (const Resources &resources : variant.resources)
    if (resources.occupancy >= 0)
      value = value < 0 ? resources.occupancy : std::min(value, resources.occupancy);
  return value < 0 ? "-" : std::to_string(value);
}

/// Returns true if any task of the kernel's variants has that number.
bool anyTells(const Kernel &kernel, int32_t Resources::*member) {
  for (const Variant &variant : kernel.variants)
    if (largest(variant, member) != "-")
      return true;
  return false;
}

/// Texts in the order in which they came, each once.
class Once {
public:
  void add(const std::string &item) {
    if (known.insert(item).second)
      items.push_back(item);
  }
  const std::vector<std::string> &all() const { return items; }

private:
  std::vector<std::string> items;
  std::set<std::string> known;
};

/// The parts that the variants of a plan share.
struct PlanUse {
  Once words; ///< implementations, tuned constants, large arrays
  Once backends, waves;
};

/// For each plan, the wave sizes of its variants, and the implementations, tuned constants and
/// large arrays that it is for. Backends of one wave size may have different plans: then they are
/// named.
std::vector<std::string> usesOfPlans(const Kernel &kernel) {
  std::vector<PlanUse> uses(kernel.plans.size());
  for (const Variant &variant : kernel.variants) {
    PlanUse &use = uses[variant.plan];
    use.backends.add(variant.target.backend);
    use.waves.add(std::to_string(variant.target.wave));
    for (const std::string &feature : variant.target.features)
      if (feature == abi::largeArrays || abi::isChoice(feature))
        use.words.add("+" + feature);
  }
  std::map<std::pair<std::string, std::string>, size_t> plans; // keyed by words and wave size
  for (const PlanUse &use : uses)
    for (const std::string &wave : use.waves.all())
      ++plans[{joined(use.words.all()), wave}];
  std::vector<std::string> texts;
  for (const PlanUse &use : uses) {
    const std::string words = joined(use.words.all());
    const bool isUnique = std::ranges::all_of(
        use.waves.all(), [&](const std::string &wave) { return plans.at({words, wave}) == 1; });
    texts.push_back((words.empty() ? "" : words + ", ") +
                    (isUnique ? "" : joined(use.backends.all()) + ", ") + "waves of " +
                    joined(use.waves.all()));
  }
  return texts;
}

/// The structs that elements of arrays are, each once.
std::string structuresText(const Kernel &kernel) {
  Once structures;
  for (const Argument &argument : kernel.arguments)
    if (!argument.structure.empty())
      structures.add(argument.structure);
  std::vector<std::vector<std::string>> rows;
  for (const std::string &structure : structures.all())
    rows.push_back({"struct", structureText(structure)});
  return tableText(rows, {}, "  ");
}

std::string planText(const Kernel &kernel, const LaunchWords &words, const Plan &plan,
                     const std::string &uses) {
  std::string text;
  if (kernel.plans.size() > 1)
    text += "  for " + uses + ":\n";
  std::vector<std::vector<std::string>> rows;
  for (const Task &task : plan.tasks)
    rows.push_back({"task", task.symbol, words.task(task)});
  for (const Hidden &buffer : plan.hidden)
    if (buffer.role == Hidden::Field)
      rows.push_back(
          {"field", buffer.name, typeText(buffer.dtype, buffer.shape, buffer.rows, buffer.cols)});
    else if (buffer.role == Hidden::Carry)
      rows.push_back(
          {"carried", buffer.name,
           std::string(nameOf(buffer.dtype)) + ", " + countText(buffer.count, "scalar")});
    else if (buffer.role == Hidden::Fault)
      rows.push_back({"checked", "at run time",
                      countText(std::count(buffer.name.begin(), buffer.name.end(), '\n'), "site") +
                          "; a launch waits for the result"});
    else if (buffer.role == Hidden::Schedule)
      rows.push_back({"scheduled", "by the device", words.schedule(buffer)});
    else if (buffer.role == Hidden::Print)
      rows.push_back({"prints", "at synchronisations",
                      countText(std::count(buffer.name.begin(), buffer.name.end(), '\n'), "text")});
  return text + tableText(rows, {}, "  ");
}

std::string variantsText(const Kernel &kernel, const std::vector<ImageSize> &images) {
  if (kernel.variants.empty())
    return "  no variants\n";
  // Scalar registers are shown if some target has them.
  const bool hasScalars = anyTells(kernel, &Resources::scalarRegisters);
  std::vector<std::vector<std::string>> rows = {
      {"variant", "image", "format", "bytes", "stored", "registers"}};
  std::vector<bool> isRight = {false, false, false};
  auto endRow = [&](std::vector<std::string> &row, std::string scalars, std::string spill,
                    std::string stack, std::string shared, std::string occupancy,
                    std::string requirements) {
    if (hasScalars)
      row.push_back(std::move(scalars));
    row.insert(row.end(), {std::move(spill), std::move(stack), std::move(shared),
                           std::move(occupancy), std::move(requirements)});
  };
  endRow(rows[0], "scalar", "spill", "stack", "shared", "occupancy", "requires");
  isRight.resize(rows[0].size() - 1, true);
  for (const Variant &variant : kernel.variants) {
    const ImageSize &image = images[variant.image]; // the reader checked the number
    rows.push_back({str(variant.target), "#" + std::to_string(variant.image), variant.format,
                    std::to_string(image.bytes), std::to_string(image.storedBytes),
                    largest(variant, &Resources::registers)});
    endRow(rows.back(), largest(variant, &Resources::scalarRegisters),
           largest(variant, &Resources::spillBytes), largest(variant, &Resources::stackBytes),
           largest(variant, &Resources::sharedBytes), leastOccupancy(variant),
           joined(variant.requirements));
  }
  return tableText(rows, isRight, "  ");
}

//===--- JSON --------------------------------------------------------------===//

void putShape(JsonWriter &json, std::span<const int64_t> shape, unsigned rows, unsigned cols) {
  json.key("shape").beginArray();
  for (int64_t extent : shape)
    json.value(extent);
  json.endArray().member("rows", rows).member("cols", cols);
}

void putTarget(JsonWriter &json, const Target &target) {
  json.member("target", str(target)).member("backend", target.backend).member("arch", target.arch);
  json.key("features").beginArray();
  for (const std::string &feature : target.features)
    json.value(feature);
  json.endArray().member("wave", target.wave);
}

void putStructure(JsonWriter &json, const std::string &structure) {
  if (!structure.empty())
    json.member("structure", structure);
}

void putArgument(JsonWriter &json, const Argument &argument) {
  constexpr const char *kinds[] = {"", "array", "scalar", "matrix"};
  json.beginObject().member("name", argument.name).member("kind", kinds[argument.kind]);
  json.member("dtype", nameOf(argument.dtype)).member("ndim", argument.ndim);
  json.member("rows", argument.rows).member("cols", argument.cols);
  putStructure(json, argument.structure);
  json.endObject();
}

void putPlan(JsonWriter &json, const LaunchWords &words, const Plan &plan) {
  json.beginObject().key("hidden").beginArray();
  for (const Hidden &buffer : plan.hidden) {
    json.beginObject().member("role", wordOf(buffer.role)).member("name", buffer.name);
    json.member("dtype", nameOf(buffer.dtype)).member("count", buffer.count);
    putShape(json, buffer.shape, buffer.rows, buffer.cols);
    if (buffer.role == Hidden::Field)
      json.member("global", buffer.global);
    json.endObject();
  }
  json.endArray().key("tasks").beginArray();
  for (const Task &task : plan.tasks) {
    json.beginObject().member("symbol", task.symbol).member("blockDim", task.blockDim);
    json.member("serial", task.serial).member("fullBlocks", task.fullBlocks);
    json.member("waits", task.waits).key("iterations");
    if (task.iterations)
      json.value(words.iterations(*task.iterations));
    else
      json.null();
    json.endObject();
  }
  json.endArray().endObject();
}

void putVariant(JsonWriter &json, const Variant &variant) {
  json.beginObject();
  putTarget(json, variant.target);
  json.member("plan", variant.plan).member("image", variant.image);
  json.member("format", variant.format).key("requirements").beginArray();
  for (const std::string &requirement : variant.requirements)
    json.value(requirement);
  json.endArray().key("resources").beginArray();
  for (const Resources &resources : variant.resources) {
    json.beginObject();
    auto put = [&](const char *name, int32_t value) {
      json.key(name);
      value < 0 ? json.null() : json.value(value);
    };
    put("registers", resources.registers);
    put("spillBytes", resources.spillBytes);
    put("stackBytes", resources.stackBytes);
    put("sharedBytes", resources.sharedBytes);
    put("scalarRegisters", resources.scalarRegisters);
    put("occupancy", resources.occupancy);
    json.endObject();
  }
  json.endArray().endObject();
}

void putKernel(JsonWriter &json, const Kernel &kernel) {
  json.beginObject().member("name", kernel.name).member("instance", kernel.instance);
  if (!kernel.doc.empty())
    json.member("doc", kernel.doc);
  json.member("source", kernel.source).member("abiHash", hex(kernel.abiHash));
  json.member("signature", signatureText(kernel)).key("arguments").beginArray();
  for (const Argument &argument : kernel.arguments)
    putArgument(json, argument);
  json.endArray().key("plans").beginArray();
  const LaunchWords words(kernel);
  for (const Plan &plan : kernel.plans)
    putPlan(json, words, plan);
  json.endArray().key("variants").beginArray();
  for (const Variant &variant : kernel.variants)
    putVariant(json, variant);
  json.endArray().key("refusals").beginArray();
  for (const RefusedTarget &refusal : kernel.refusals) {
    json.beginObject();
    putTarget(json, refusal.target);
    json.member("reason", refusal.reason).endObject();
  }
  json.endArray().endObject();
}

void putInfo(JsonWriter &json, const ModuleInfo &info) {
  json.member("compiler", info.compiler).member("options", info.options);
  json.key("sources").beginArray();
  for (const Source &source : info.sources)
    json.beginObject().member("path", source.path).member("xxh3", hex(source.hash)).endObject();
  json.endArray().key("globals").beginArray();
  for (const Global &global : info.globals) {
    json.beginObject().member("name", global.name).member("source", global.source);
    json.member("dtype", nameOf(global.dtype)).member("count", global.count);
    putShape(json, global.shape, global.rows, global.cols);
    putStructure(json, global.structure);
    json.endObject();
  }
  json.endArray().key("attachments").beginArray();
  for (const Attachment &attachment : info.attachments)
    json.beginObject()
        .member("name", attachment.name)
        .member("bytes", attachment.bytes)
        .endObject();
  json.endArray();
}

} // namespace

Result<std::string> describeText(const Reader &reader) {
  const Result<ModuleInfo> info = reader.info();
  SXT_MODULE_TRY(info);
  const Result<std::vector<ImageSize>> images = imageSizes(reader);
  SXT_MODULE_TRY(images);
  const Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  SXT_MODULE_TRY(kernels);
  uint64_t total = 0;
  for (const ImageSize &image : *images)
    total += image.bytes;
  std::string text = "module format " + versionText(reader) + ", " +
                     countText(reader.fileBytes(), "byte") + ": " +
                     countText(kernels->size(), "kernel") + ", " +
                     countText(images->size(), "image") + " of " + countText(total, "byte") + "\n";
  std::vector<std::vector<std::string>> facts = {{"compiler", printable(info->compiler)},
                                                 {"options", printable(info->options)}};
  if (const std::optional<PublicKey> signer = reader.signer())
    facts.push_back({"signed by", hex(*signer)});
  for (const Source &source : info->sources)
    facts.push_back({"source", printable(source.path) + "  " + hex(source.hash)});
  for (const Global &global : info->globals)
    facts.push_back({"field", global.name + ": " +
                                  typeText(global.dtype, global.shape, global.rows, global.cols) +
                                  "  " + printable(info->sources[global.source].path)});
  for (const Attachment &attachment : info->attachments)
    facts.push_back({"attachment", attachment.name + ", " + countText(attachment.bytes, "byte")});
  text += tableText(facts, {}, "");
  for (const Kernel &kernel : *kernels) {
    text += "\nkernel " + signatureText(kernel) + "\n";
    text +=
        "  abi " + hex(kernel.abiHash) + "  " + printable(info->sources[kernel.source].path) + "\n";
    text += structuresText(kernel);
    const LaunchWords words(kernel);
    const std::vector<std::string> uses = usesOfPlans(kernel);
    for (size_t plan = 0; plan < kernel.plans.size(); ++plan)
      text += planText(kernel, words, kernel.plans[plan], uses[plan]);
    text += variantsText(kernel, *images);
    for (const RefusedTarget &refusal : kernel.refusals)
      text += "  refused " + str(refusal.target) + ": " + printable(refusal.reason) + "\n";
  }
  return text;
}

Result<std::string> describeJson(const Reader &reader) {
  const Result<ModuleInfo> info = reader.info();
  SXT_MODULE_TRY(info);
  const Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  SXT_MODULE_TRY(kernels);
  JsonWriter json;
  json.beginDocument().member("format", versionText(reader)).member("bytes", reader.fileBytes());
  json.key("signedBy");
  const std::optional<PublicKey> signer = reader.signer();
  signer ? json.value(hex(*signer)) : json.null();
  putInfo(json, *info);
  json.key("kernels").beginArray();
  for (const Kernel &kernel : *kernels)
    putKernel(json, kernel);
  json.endArray().key("images").beginArray();
  Status status = reader.forEachImage([&](uint32_t, const EachImage &image) -> Status {
    const Result<std::vector<std::byte>> bytes = image.read();
    SXT_MODULE_TRY(bytes);
    json.beginObject().member("bytes", image.bytes).member("storedBytes", image.storedBytes);
    json.member("xxh3", hex(hash128(*bytes))).member("sha256", hex(sha256(*bytes))).endObject();
    return {};
  });
  SXT_MODULE_TRY(status);
  json.endArray().endObject();
  return json.str();
}

} // namespace sextant::packager
