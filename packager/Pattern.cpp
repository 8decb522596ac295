#include "packager/Pattern.h"
#include "frontend/spelling/Suggestion.h"
#include "loader/format/Select.h"
#include "packager/Canonical.h"

#include <algorithm>

namespace sextant::packager {

using module::Code;
using module::Kernel;
using module::Result;
using module::Status;
using module::Target;

bool matchesGlob(std::string_view glob, std::string_view text) {
  // Where the match continues after the last '*' if the text after it does not fit.
  size_t star = glob.npos, resume = 0, i = 0, j = 0;
  while (j < text.size()) {
    if (i < glob.size() && glob[i] == '*') {
      star = i++;
      resume = j;
    } else if (i < glob.size() && (glob[i] == '?' || glob[i] == text[j])) {
      ++i, ++j;
    } else if (star != glob.npos) {
      i = star + 1;
      j = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', i) == glob.npos;
}

bool Pattern::namesKernel(const Kernel &one) const {
  return matchesGlob(kernel, one.instance) || matchesGlob(kernel, one.name);
}

bool Pattern::namesTarget(const Target &one) const {
  if (target.find_first_of("*?") == target.npos)
    return module::matches(target, one);
  // Tries all the ways in which the target may be written.
  const std::string wave = "/wave" + std::to_string(one.wave);
  std::string features;
  for (const std::string &feature : one.features)
    features += "+" + feature;
  for (const std::string &head : {one.arch, one.backend + ":" + one.arch, one.backend})
    for (const std::string &middle : {std::string(), features})
      for (const std::string &end : {std::string(), wave})
        if (matchesGlob(target, head + middle + end))
          return true;
  return false;
}

Result<Pattern> parsePattern(std::string_view text) {
  Pattern pattern;
  pattern.text = text;
  if (text.starts_with("kernel:")) {
    pattern.kernel = text.substr(7);
  } else if (const size_t at = text.rfind('@'); at != text.npos) {
    pattern.kernel = text.substr(0, at);
    pattern.target = text.substr(at + 1);
  } else {
    pattern.target = text;
  }
  if (pattern.kernel.empty() || pattern.target.empty())
    return Status{Code::InvalidInput, "'" + pattern.text +
                                          "' names nothing; write TARGET, KERNEL@TARGET or "
                                          "kernel:KERNEL, with * for any"};
  return pattern;
}

Result<std::vector<Pattern>> parsePatterns(const std::vector<std::string> &texts) {
  std::vector<Pattern> patterns;
  for (const std::string &text : texts) {
    Result<Pattern> pattern = parsePattern(text);
    if (!pattern)
      return pattern.error();
    patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

Status checkPatterns(std::span<const Kernel> kernels, std::span<const Pattern> patterns) {
  for (const Pattern &pattern : patterns) {
    bool anyKernel = false, anyTarget = false;
    for (const Kernel &kernel : kernels) {
      if (!pattern.namesKernel(kernel))
        continue;
      anyKernel = true;
      auto isNamed = [&](const auto &one) { return pattern.namesTarget(one.target); };
      anyTarget |= std::any_of(kernel.variants.begin(), kernel.variants.end(), isNamed) ||
                   std::any_of(kernel.refusals.begin(), kernel.refusals.end(), isNamed);
    }
    if (!anyKernel)
      return Status{Code::NotFound, "'" + pattern.text +
                                        "' names no kernel of the module; it has " +
                                        kernelsNear(kernels, pattern.kernel)};
    if (!anyTarget && !pattern.isAnyTarget()) {
      const std::vector<std::string> targets = targetsOf(kernels);
      return Status{Code::NotFound,
                    "'" + pattern.text + "' names no target of the module; it has " +
                        listNear(targets, targetSuggestion(pattern.target, targets))};
    }
  }
  return {};
}

std::string listSome(const std::vector<std::string> &list, size_t most) {
  if (list.empty())
    return "none";
  std::string text;
  for (size_t i = 0; i < std::min(most, list.size()); ++i)
    text += (i == 0 ? "" : ", ") + list[i];
  return list.size() <= most ? text : text + " and " + std::to_string(list.size() - most) + " more";
}

std::string listNear(const std::vector<std::string> &list, const std::string &near) {
  return listSome(list) + (near.empty() ? "" : "; " + near);
}

std::string kernelsNear(std::span<const Kernel> kernels, std::string_view wanted) {
  std::vector<std::string> names;
  for (const Kernel &kernel : kernels)
    names.push_back(kernel.instance);
  return listNear(names, suggestion(wanted, names));
}

std::vector<std::string> targetsOf(std::span<const Kernel> kernels) {
  std::vector<Target> targets;
  for (const Kernel &kernel : kernels) {
    for (const module::Variant &variant : kernel.variants)
      targets.push_back(variant.target);
    for (const module::RefusedTarget &refusal : kernel.refusals)
      targets.push_back(refusal.target);
  }
  std::sort(targets.begin(), targets.end(), comesBefore);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  std::vector<std::string> texts;
  for (const Target &target : targets)
    texts.push_back(str(target));
  return texts;
}

} // namespace sextant::packager
