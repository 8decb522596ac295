// `sextant extract` and `diff`.
#include "loader/format/Select.h"
#include "packager/Describe.h"
#include "packager/Words.h"

#include <algorithm>
#include <map>

namespace sextant::packager {

using namespace module;

namespace {

std::string listed(const std::vector<std::string> &list) {
  std::string text;
  for (const std::string &item : list)
    text += (text.empty() ? "" : ", ") + item;
  return text;
}

} // namespace

Result<Kernel> pickKernel(const Reader &reader, std::string_view name) {
  if (!name.empty())
    if (const Result<uint32_t> exact = reader.findKernel(name); exact)
      return reader.kernel(*exact);
  Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  if (!kernels)
    return kernels.error();
  std::vector<std::string> all, fitting;
  Kernel *found = nullptr;
  for (Kernel &kernel : *kernels) {
    all.push_back(kernel.instance);
    if (!name.empty() && kernel.name != name)
      continue;
    fitting.push_back(kernel.instance);
    found = &kernel;
  }
  if (fitting.size() == 1)
    return std::move(*found);
  if (all.empty())
    return Status{Code::NotFound, "the module has no kernels"};
  if (fitting.empty())
    return Status{Code::NotFound,
                  "the module has no kernel '" + std::string(name) + "'; it has " + listed(all)};
  return Status{Code::NotFound,
                "name one of the module's kernels with --kernel: " + listed(fitting)};
}

Result<Extracted> extract(const Reader &reader, std::string_view kernelName,
                          std::string_view target) {
  const Result<Kernel> kernel = pickKernel(reader, kernelName);
  if (!kernel)
    return kernel.error();
  std::vector<std::string> all, fitting;
  const Variant *found = nullptr;
  for (const Variant &variant : kernel->variants) {
    all.push_back(str(variant.target));
    if (!matches(target, variant.target))
      continue;
    // A name in full is that variant's alone, also where others have more features.
    if (all.back() == target)
      fitting.clear();
    else if (found && str(found->target) == target)
      continue;
    fitting.push_back(all.back());
    found = &variant;
  }
  for (const Refusal &refusal : kernel->refusals)
    if (fitting.empty() && matches(target, refusal.target))
      return Status{Code::NotFound, "kernel '" + kernel->instance + "' has no code for " +
                                        str(refusal.target) + ": " + refusal.reason};
  if (fitting.empty())
    return Status{Code::NotFound, "kernel '" + kernel->instance + "' has no variant '" +
                                      std::string(target) + "'; it has " +
                                      (all.empty() ? "none" : listed(all))};
  if (fitting.size() > 1)
    return Status{Code::NotFound, "'" + std::string(target) + "' names several variants of '" +
                                      kernel->instance + "', name one: " + listed(fitting)};
  Result<std::vector<std::byte>> bytes = reader.image(found->image);
  if (!bytes)
    return bytes.error();
  return Extracted{std::move(*bytes), found->format, found->target};
}

//===--- diff --------------------------------------------------------------===//

namespace {

std::map<std::string, const Variant *> variantsOf(const Kernel &kernel) {
  std::map<std::string, const Variant *> variants;
  for (const Variant &variant : kernel.variants)
    variants.emplace(str(variant.target), &variant);
  return variants;
}

std::map<std::string, const Refusal *> refusalsOf(const Kernel &kernel) {
  std::map<std::string, const Refusal *> refusals;
  for (const Refusal &refusal : kernel.refusals)
    refusals.emplace(str(refusal.target), &refusal);
  return refusals;
}

/// Calls back for each key of either map, in order, with null where it is missing.
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
  const Reader &reader;
  ModuleInfo info;
  std::vector<Kernel> kernels;

  std::map<std::string, const Kernel *> byName() const {
    std::map<std::string, const Kernel *> map;
    for (const Kernel &kernel : kernels)
      map.emplace(kernel.instance, &kernel);
    return map;
  }
};

Result<Side> sideOf(const Reader &reader) {
  Result<ModuleInfo> info = reader.info();
  if (!info)
    return info.error();
  Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  if (!kernels)
    return kernels.error();
  return Side{reader, std::move(*info), std::move(*kernels)};
}

void diffInfo(const ModuleInfo &before, const ModuleInfo &after, std::vector<std::string> &lines) {
  if (before.compiler != after.compiler)
    lines.push_back("compiler: " + before.compiler + " -> " + after.compiler);
  if (before.options != after.options)
    lines.push_back("options: " + before.options + " -> " + after.options);
  std::map<std::string, const Source *> first, second;
  for (const Source &source : before.sources)
    first.emplace(source.path, &source);
  for (const Source &source : after.sources)
    second.emplace(source.path, &source);
  forBoth(first, second, [&](const std::string &path, const Source *a, const Source *b) {
    if (a == nullptr || b == nullptr)
      lines.push_back("source " + path + (a == nullptr ? ": added" : ": removed"));
    else if (a->hash != b->hash)
      lines.push_back("source " + path + ": changed");
  });
}

Status diffVariant(const Side &before, const Side &after, const Variant &a, const Variant &b,
                   const std::string &who, std::vector<std::string> &lines) {
  const Result<ImageInfo> first = before.reader.imageInfo(a.image);
  if (!first)
    return first.error();
  const Result<ImageInfo> second = after.reader.imageInfo(b.image);
  if (!second)
    return second.error();
  if (first->hash != second->hash)
    lines.push_back(who + ": code changed, " + std::to_string(first->bytes) + " -> " +
                    std::to_string(second->bytes) + " bytes");
  if (a.format != b.format)
    lines.push_back(who + ": format " + a.format + " -> " + b.format);
  if (a.requirements != b.requirements)
    lines.push_back(who + ": requires '" + listed(a.requirements) + "' -> '" +
                    listed(b.requirements) + "'");
  if (a.resources != b.resources)
    lines.push_back(who + ": resources changed");
  return {};
}

Status diffKernel(const Side &before, const Side &after, const Kernel &a, const Kernel &b,
                  std::vector<std::string> &lines) {
  const std::string who = "kernel " + a.instance;
  if (signatureText(a) != signatureText(b))
    lines.push_back(who + ": " + signatureText(a) + " -> " + signatureText(b));
  Status status;
  bool isPlanChanged = false;
  forBoth(variantsOf(a), variantsOf(b),
          [&](const std::string &target, const Variant *x, const Variant *y) {
            const std::string which = who + ", " + target;
            if (x == nullptr || y == nullptr) {
              lines.push_back(which + (x == nullptr ? ": added" : ": removed"));
              return;
            }
            isPlanChanged |= a.plans[x->plan].tasks != b.plans[y->plan].tasks;
            if (status.ok())
              status = diffVariant(before, after, *x, *y, which, lines);
          });
  if (isPlanChanged)
    lines.push_back(who + ": tasks or launch bounds changed");
  forBoth(refusalsOf(a), refusalsOf(b),
          [&](const std::string &target, const Refusal *x, const Refusal *y) {
            const std::string which = who + ", " + target + ": ";
            if (x == nullptr)
              lines.push_back(which + "now refused: " + y->reason);
            else if (y == nullptr)
              lines.push_back(which + "no longer refused");
            else if (x->reason != y->reason)
              lines.push_back(which + "refused for another reason: " + y->reason);
          });
  return status;
}

} // namespace

Result<std::vector<std::string>> diff(const Reader &before, const Reader &after) {
  const Result<Side> first = sideOf(before);
  if (!first)
    return first.error();
  const Result<Side> second = sideOf(after);
  if (!second)
    return second.error();
  std::vector<std::string> lines;
  diffInfo(first->info, second->info, lines);
  Status status;
  forBoth(first->byName(), second->byName(),
          [&](const std::string &name, const Kernel *a, const Kernel *b) {
            if (a == nullptr || b == nullptr)
              lines.push_back("kernel " + name + (a == nullptr ? ": added" : ": removed"));
            else if (status.ok())
              status = diffKernel(*first, *second, *a, *b, lines);
          });
  if (!status.ok())
    return status;
  return lines;
}

} // namespace sextant::packager
