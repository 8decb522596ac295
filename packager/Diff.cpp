#include "packager/Diff.h"
#include "loader/format/Hash.h"
#include "loader/format/Text.h"
#include "loader/format/Try.h"
#include "packager/Describe.h"
#include "packager/Json.h"
#include "packager/Pattern.h"
#include "packager/Words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>
#include <set>

namespace sextant::packager {

using namespace module;

namespace {

constexpr std::array<std::string_view, 16> kindNames = {
    "compiler",      "options",         "source",  "kernel-added", "kernel-removed", "abi",
    "variant-added", "variant-removed", "code",    "format",       "requirements",   "resources",
    "spill",         "launch",          "refusal", "attachment"};

std::map<std::string, const Variant *> variantsOf(const Kernel &kernel) {
  std::map<std::string, const Variant *> variants;
  for (const Variant &variant : kernel.variants)
    variants.emplace(str(variant.target), &variant);
  return variants;
}

std::map<std::string, const RefusedTarget *> refusalsOf(const Kernel &kernel) {
  std::map<std::string, const RefusedTarget *> refusals;
  for (const RefusedTarget &refusal : kernel.refusals)
    refusals.emplace(str(refusal.target), &refusal);
  return refusals;
}

/// Calls back for each key of either map, in order, with null if one map lacks it.
template <class Map, class Function>
void forBoth(const Map &before, const Map &after, Function function) {
  for (const auto &[key, value] : before) {
    const auto other = after.find(key);
    function(key, value, other == after.end() ? nullptr : other->second);
  }
  for (const auto &[key, value] : after)
    if (before.find(key) == before.end())
      function(key, typename Map::mapped_type(nullptr), value);
}

/// One module's side of a comparison.
struct Side {
  ModuleInfo info;
  std::vector<Kernel> kernels;
  std::vector<ImageInfo> images;
  std::vector<std::vector<std::byte>> attachments; ///< as in `info`

  std::map<std::string, const Kernel *> byName() const {
    std::map<std::string, const Kernel *> map;
    for (const Kernel &kernel : kernels)
      map.emplace(kernel.instance, &kernel);
    return map;
  }
};

Result<Side> sideOf(const Reader &reader) {
  Result<ModuleInfo> info = reader.info();
  SXT_MODULE_TRY(info);
  Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  SXT_MODULE_TRY(kernels);
  std::vector<ImageInfo> images;
  Status status = reader.forEachImage([&](uint32_t, const EachImage &image) -> Status {
    const Result<std::vector<std::byte>> bytes = image.read();
    SXT_MODULE_TRY(bytes);
    images.push_back({image.bytes, image.storedBytes, hash128(*bytes)});
    return {};
  });
  SXT_MODULE_TRY(status);
  Result<std::vector<std::vector<std::byte>>> attachments = reader.attachments();
  SXT_MODULE_TRY(attachments);
  return Side{std::move(*info), std::move(*kernels), std::move(images), std::move(*attachments)};
}

using Changes = std::vector<Change>;

void diffInfo(const ModuleInfo &before, const ModuleInfo &after, Changes &changes) {
  if (before.compiler != after.compiler)
    changes.push_back(
        {Change::Compiler,
         {},
         {},
         "compiler: " + printable(before.compiler) + " -> " + printable(after.compiler)});
  if (before.options != after.options)
    changes.push_back(
        {Change::Options,
         {},
         {},
         "options: " + printable(before.options) + " -> " + printable(after.options)});
  std::map<std::string, const Source *> first, second;
  for (const Source &source : before.sources)
    first.emplace(source.path, &source);
  for (const Source &source : after.sources)
    second.emplace(source.path, &source);
  forBoth(first, second, [&](const std::string &path, const Source *a, const Source *b) {
    const char *what = a == nullptr         ? ": added"
                       : b == nullptr       ? ": removed"
                       : a->hash != b->hash ? ": changed"
                                            : nullptr;
    if (what != nullptr)
      changes.push_back({Change::Source, {}, {}, "source " + printable(path) + what});
  });
}

void diffAttachments(const Side &before, const Side &after, Changes &changes) {
  using Bytes = std::vector<std::byte>;
  std::map<std::string, const Bytes *> first, second;
  for (size_t i = 0; i < before.attachments.size(); ++i)
    first.emplace(before.info.attachments[i].name, &before.attachments[i]);
  for (size_t i = 0; i < after.attachments.size(); ++i)
    second.emplace(after.info.attachments[i].name, &after.attachments[i]);
  forBoth(first, second, [&](const std::string &name, const Bytes *a, const Bytes *b) {
    const std::string what = a == nullptr   ? ": added"
                             : b == nullptr ? ": removed"
                             : *a != *b     ? ": changed, " + std::to_string(a->size()) + " -> " +
                                              std::to_string(b->size()) + " bytes"
                                        : "";
    if (!what.empty())
      changes.push_back({Change::Attachment, {}, {}, "attachment " + name + what});
  });
}

/// A number over a variant's tasks: the largest, or for occupancies the least; -1: unknown.
int32_t worst(const Variant &variant, int32_t Resources::*member) {
  int32_t value = -1;
  for (const Resources &resources : variant.resources) {
    const int32_t one = resources.*member;
    const bool isLeast = member == &Resources::occupancy;
    if (one >= 0)
      value = value < 0 ? one : isLeast ? std::min(value, one) : std::max(value, one);
  }
  return value;
}

std::string resourcesText(const Variant &a, const Variant &b) {
  constexpr std::pair<const char *, int32_t Resources::*> members[] = {
      {"registers", &Resources::registers},      {"scalar registers", &Resources::scalarRegisters},
      {"spilled bytes", &Resources::spillBytes}, {"stack bytes", &Resources::stackBytes},
      {"shared bytes", &Resources::sharedBytes}, {"occupancy", &Resources::occupancy},
  };
  auto number = [](int32_t value) { return value < 0 ? std::string("-") : std::to_string(value); };
  std::string text;
  for (const auto &[name, member] : members)
    if (const int32_t x = worst(a, member), y = worst(b, member); x != y)
      text += std::string(text.empty() ? "" : ", ") + name + " " + number(x) + " -> " + number(y);
  return text.empty() ? "resources of a task changed" : text;
}

void diffVariant(const Side &before, const Side &after, const Variant &a, const Variant &b,
                 const Change &at, Changes &changes) {
  const ImageInfo &first = before.images[a.image], &second = after.images[b.image];
  auto add = [&](Change::Kind kind, const std::string &text) {
    changes.push_back({kind, at.kernel, at.target, at.text + text});
  };
  if (first.hash != second.hash)
    add(Change::Code, ": code changed, " + std::to_string(first.bytes) + " -> " +
                          std::to_string(second.bytes) + " bytes");
  if (a.format != b.format)
    add(Change::Format, ": format " + a.format + " -> " + b.format);
  if (a.requirements != b.requirements)
    add(Change::Requirements,
        ": requires '" + listSome(a.requirements) + "' -> '" + listSome(b.requirements) + "'");
  const bool spills =
      worst(b, &Resources::spillBytes) > std::max(0, worst(a, &Resources::spillBytes));
  if (a.resources != b.resources)
    add(spills ? Change::Spill : Change::Resources, ": " + resourcesText(a, b));
}

void diffKernel(const Side &before, const Side &after, const Kernel &a, const Kernel &b,
                Changes &changes) {
  const std::string who = "kernel " + a.instance;
  if (a.abiHash != b.abiHash || signatureText(a) != signatureText(b))
    changes.push_back(
        {Change::Abi, a.instance, {}, who + ": " + signatureText(a) + " -> " + signatureText(b)});
  bool isPlanChanged = false;
  std::set<std::pair<uint32_t, uint32_t>> compared; // variants share plans
  forBoth(variantsOf(a), variantsOf(b),
          [&](const std::string &target, const Variant *x, const Variant *y) {
            Change at{x == nullptr ? Change::VariantAdded : Change::VariantRemoved, a.instance,
                      target, who + ", " + target};
            if (x == nullptr || y == nullptr) {
              at.text += x == nullptr ? ": added" : ": removed";
              changes.push_back(std::move(at));
              return;
            }
            if (compared.emplace(x->plan, y->plan).second)
              isPlanChanged |= a.plans[x->plan].tasks != b.plans[y->plan].tasks;
            diffVariant(before, after, *x, *y, at, changes);
          });
  if (isPlanChanged)
    changes.push_back({Change::Launch, a.instance, {}, who + ": tasks or launch bounds changed"});
  forBoth(refusalsOf(a), refusalsOf(b),
          [&](const std::string &target, const RefusedTarget *x, const RefusedTarget *y) {
            std::string text = x == nullptr   ? "now refused: " + printable(y->reason)
                               : y == nullptr ? "no longer refused"
                               : x->reason != y->reason
                                   ? "refused for another reason: " + printable(y->reason)
                                   : "";
            if (!text.empty())
              changes.push_back(
                  {Change::Refusal, a.instance, target, who + ", " + target + ": " + text});
          });
}

std::string growthText(uint64_t before, uint64_t after) {
  char text[32];
  std::snprintf(text, sizeof(text), "%+.1f%%",
                100.0 * (double(after) - double(before)) / double(before));
  return text;
}

} // namespace

std::string_view nameOf(Change::Kind kind) { return kindNames[kind]; }

Result<Difference> diff(const Reader &before, const Reader &after) {
  const Result<Side> first = sideOf(before);
  SXT_MODULE_TRY(first);
  const Result<Side> second = sideOf(after);
  SXT_MODULE_TRY(second);
  Difference difference{before.fileBytes(), after.fileBytes(), {}};
  Changes &changes = difference.changes;
  diffInfo(first->info, second->info, changes);
  diffAttachments(*first, *second, changes);
  forBoth(first->byName(), second->byName(),
          [&](const std::string &name, const Kernel *a, const Kernel *b) {
            if (a == nullptr)
              changes.push_back({Change::KernelAdded, name, {}, "kernel " + name + ": added"});
            else if (b == nullptr)
              changes.push_back({Change::KernelRemoved, name, {}, "kernel " + name + ": removed"});
            else
              diffKernel(*first, *second, *a, *b, changes);
          });
  return difference;
}

std::string diffText(const Difference &difference) {
  std::string text;
  for (const Change &change : difference.changes)
    text += change.text + "\n";
  if (difference.bytesBefore != difference.bytesAfter)
    text += "module: " + std::to_string(difference.bytesBefore) + " -> " +
            std::to_string(difference.bytesAfter) + " bytes (" +
            growthText(difference.bytesBefore, difference.bytesAfter) + ")\n";
  return text;
}

std::string diffJson(const Difference &difference) {
  JsonWriter json;
  json.beginDocument().member("bytesBefore", difference.bytesBefore);
  json.member("bytesAfter", difference.bytesAfter).key("changes").beginArray();
  for (const Change &change : difference.changes) {
    json.beginObject().member("kind", nameOf(change.kind));
    if (!change.kernel.empty())
      json.member("kernel", change.kernel);
    if (!change.target.empty())
      json.member("target", change.target);
    json.member("text", change.text).endObject();
  }
  json.endArray().endObject();
  return json.str();
}

//===--- What fails --------------------------------------------------------===//

std::optional<FailRule> parseFailRule(std::string_view text) {
  for (size_t kind = 0; kind < kindNames.size(); ++kind)
    if (kindNames[kind] == text)
      return FailRule{static_cast<Change::Kind>(kind), 0};
  double percent = 0;
  if (!text.starts_with("size+") || !text.ends_with("%"))
    return std::nullopt;
  text = text.substr(5, text.size() - 6);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !(percent >= 0))
    return std::nullopt;
  return FailRule{std::nullopt, percent / 100};
}

std::vector<std::string> failRuleNames() {
  std::vector<std::string> names{"size+N%"};
  names.insert(names.end(), kindNames.begin(), kindNames.end());
  return names;
}

bool isBroken(const FailRule &rule, const Difference &difference) {
  if (!rule.kind)
    return double(difference.bytesAfter) > double(difference.bytesBefore) * (1 + rule.growth);
  return std::any_of(difference.changes.begin(), difference.changes.end(),
                     [&](const Change &change) { return change.kind == *rule.kind; });
}

} // namespace sextant::packager
