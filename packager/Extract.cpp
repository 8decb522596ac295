// `sextant extract`.
#include "frontend/spelling/Suggestion.h"
#include "frontend/spelling/Texts.h"
#include "loader/format/Select.h"
#include "loader/format/Try.h"
#include "packager/Describe.h"
#include "packager/Pattern.h"

#include <map>

namespace sextant::packager {

using namespace module;

namespace {

/// \param all the targets of the kernel's variants
Status noVariant(const Kernel &kernel, std::string_view target,
                 const std::vector<std::string> &all) {
  return {Code::NotFound, "kernel '" + kernel.instance + "' has no variant '" +
                              std::string(target) + "'; it has " +
                              listNear(all, targetSuggestion(target, all))};
}

} // namespace

Result<Kernel> pickKernel(const Reader &reader, std::string_view name) {
  if (!name.empty())
    if (const Result<uint32_t> exact = reader.findKernel(name); exact)
      return reader.kernel(*exact);
  Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  SXT_MODULE_TRY(kernels);
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
    return Status{Code::NotFound, "the module has no kernel '" + std::string(name) + "'; it has " +
                                      listNear(all, suggestion(name, all))};
  return Status{Code::NotFound,
                "name one of the module's kernels with --kernel: " + joined(fitting)};
}

Result<Extracted> extract(const Reader &reader, std::string_view kernelName,
                          std::string_view target) {
  const Result<Kernel> kernel = pickKernel(reader, kernelName);
  SXT_MODULE_TRY(kernel);
  std::vector<std::string> all, fitting;
  const Variant *found = nullptr;
  for (const Variant &variant : kernel->variants) {
    all.push_back(str(variant.target));
    if (!matches(target, variant.target))
      continue;
    // A full name means only that variant, even if others have more features.
    if (all.back() == target)
      fitting.clear();
    else if (found && str(found->target) == target)
      continue;
    fitting.push_back(all.back());
    found = &variant;
  }
  for (const RefusedTarget &refusal : kernel->refusals)
    if (fitting.empty() && matches(target, refusal.target))
      return Status{Code::NotFound, "kernel '" + kernel->instance + "' has no code for " +
                                        str(refusal.target) + ": " + refusal.reason};
  if (fitting.empty())
    return noVariant(*kernel, target, all);
  if (fitting.size() > 1)
    return Status{Code::NotFound,
                  (target.empty() ? "kernel '" + kernel->instance + "' has several variants"
                                  : "'" + std::string(target) + "' names several variants of '" +
                                        kernel->instance + "'") +
                      ", name one with --target: " + joined(fitting)};
  Result<std::vector<std::byte>> bytes = reader.image(found->image);
  SXT_MODULE_TRY(bytes);
  return Extracted{std::move(*bytes), found->format, found->target, kernel->instance};
}

Result<std::vector<Extracted>> extractEach(const Reader &reader, std::string_view kernelName,
                                           std::string_view target) {
  const Result<Kernel> kernel = pickKernel(reader, kernelName);
  SXT_MODULE_TRY(kernel);
  Pattern pattern;
  pattern.target = target.empty() ? "*" : target;
  std::vector<Extracted> images;
  std::vector<std::string> all;
  std::multimap<uint32_t, size_t> wanted; // keyed by the module's number: the place among `images`
  for (const Variant &variant : kernel->variants) {
    all.push_back(str(variant.target));
    if (!pattern.namesTarget(variant.target))
      continue;
    wanted.emplace(variant.image, images.size());
    images.push_back({{}, variant.format, variant.target, kernel->instance});
  }
  Status status = reader.forEachImage([&](uint32_t number, const EachImage &image) -> Status {
    for (auto [place, end] = wanted.equal_range(number); place != end; ++place) {
      Result<std::vector<std::byte>> bytes = image.read();
      SXT_MODULE_TRY(bytes);
      images[place->second].bytes = std::move(*bytes);
    }
    return {};
  });
  SXT_MODULE_TRY(status);
  if (images.empty())
    return noVariant(*kernel, target, all);
  return images;
}

} // namespace sextant::packager
