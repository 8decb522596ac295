// Collects and words the findings that Findings.h describes.
#include "driver/compile/Findings.h"

#include <algorithm>

namespace sextant {
namespace {

bool isSamePlace(const Diagnostic &left, const Diagnostic &right) {
  return left.at.file == right.at.file && left.at.begin == right.at.begin;
}

} // namespace

std::string shortList(const std::vector<std::string> &items, size_t most) {
  std::string list;
  for (size_t index = 0; index < items.size() && index < most; ++index)
    list += (index ? ", " : "") + items[index];
  if (items.size() > most)
    list += " and " + std::to_string(items.size() - most) + " more";
  return list;
}

void Findings::add(const Diagnostic &diagnostic, const std::string &target, Severity severity) {
  for (Finding &known : findings)
    if (isSamePlace(known.diagnostic, diagnostic) &&
        known.diagnostic.message == diagnostic.message && known.diagnostic.severity == severity) {
      known.targets.push_back(target);
      return;
    }
  findings.push_back({diagnostic, {target}});
  findings.back().diagnostic.severity = severity;
}

void Findings::report(DiagnosticSink &sink, const std::string &kernel) {
  for (Finding &finding : findings) {
    finding.diagnostic.notes.push_back(
        {Severity::Note,
         {},
         "while building kernel '" + kernel + "' for " + shortList(finding.targets, 4),
         {},
         {}});
    sink.report(std::move(finding.diagnostic));
  }
}

void MissingVariants::add(const std::string &kernel, const Target &target, const Diagnostic &why) {
  for (Missing &known : found)
    if (known.kernels.front() == kernel &&
        (isSamePlace(known.why, why) || known.why.message == why.message)) {
      known.targets.insert(target.str());
      return;
    }
  found.push_back({why, {kernel}, {target.str()}});
}

/// Names a backend or wave size if the set is all of its targets, otherwise the targets.
std::string MissingVariants::describe(const std::set<std::string> &targets) const {
  std::vector<std::string> names, backends, waves;
  std::set<std::string> ofBackends, ofWaves;
  const auto note = [](std::vector<std::string> &list, const std::string &item) {
    if (std::find(list.begin(), list.end(), item) == list.end())
      list.push_back(item);
  };
  for (const Target &target : all)
    if (targets.count(target.str())) {
      note(names, target.str());
      note(backends, target.backend);
      note(waves, std::to_string(target.wave));
    }
  for (const Target &target : all) {
    if (std::find(backends.begin(), backends.end(), target.backend) != backends.end())
      ofBackends.insert(target.str());
    if (std::find(waves.begin(), waves.end(), std::to_string(target.wave)) != waves.end())
      ofWaves.insert(target.str());
  }
  if (names.size() <= 2)
    return shortList(names, 2);
  if (ofBackends == targets)
    return "the " + std::to_string(names.size()) + " targets of " + shortList(backends, 8);
  if (ofWaves == targets) {
    std::sort(waves.begin(), waves.end(), [](const std::string &left, const std::string &right) {
      return std::stoul(left) < std::stoul(right);
    });
    return "the " + std::to_string(names.size()) + " targets of wave size " + shortList(waves, 8);
  }
  return shortList(names, 4);
}

void MissingVariants::report(DiagnosticSink &sink) const {
  // Kernels that fail alike, for the same targets, share one warning.
  std::vector<Missing> merged;
  for (const Missing &one : found) {
    auto known = std::find_if(merged.begin(), merged.end(), [&](const Missing &other) {
      return other.why.message == one.why.message && other.targets == one.targets;
    });
    if (known == merged.end())
      merged.push_back(one);
    else if (std::find(known->kernels.begin(), known->kernels.end(), one.kernels.front()) ==
             known->kernels.end())
      known->kernels.push_back(one.kernels.front());
  }
  constexpr size_t most = 8;
  std::vector<std::string> others;
  for (size_t index = 0; index < merged.size(); ++index) {
    Missing &one = merged[index];
    // If only one more is left, naming it is as short.
    if (index >= most && merged.size() > most + 1) {
      for (const std::string &kernel : one.kernels)
        if (std::find(others.begin(), others.end(), kernel) == others.end())
          others.push_back(kernel);
      continue;
    }
    one.why.severity = Severity::Warning;
    one.why.warning = Warning::MissingVariant;
    one.why.notes.push_back({Severity::Note,
                             {},
                             (one.kernels.size() == 1 ? "kernel " : "kernels ") +
                                 shortList(one.kernels, 4) + ": not built for " +
                                 describe(one.targets),
                             {},
                             {}});
    sink.report(std::move(one.why));
  }
  if (!others.empty())
    sink.warning({}, Warning::MissingVariant,
                 "some targets are left out for kernels " + shortList(others, 8) + " too",
                 "`sextant inspect` on the module lists every reason");
}

} // namespace sextant
