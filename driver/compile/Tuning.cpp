#include "driver/compile/Tuning.h"

#include "frontend/hir/Agreement.h"
#include "frontend/hir/Fingerprint.h"
#include "frontend/spelling/Suggestion.h"
#include "loader/format/Select.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace sextant {
namespace {

constexpr size_t mostAsked = 65536, mostBuilt = 256; ///< combinations

bool isNameOrNumber(const std::string &text) {
  constexpr std::string_view others = "_.-";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           others.find(letter) != others.npos;
  });
}

TuneAxis parseAxis(const std::string &text) {
  const auto refuse = [&](const std::string &why) {
    throw Refusal(Problem::OptionValueWrong, "--tune '" + text + "' " + why,
                  "write NAME=VALUE,VALUE: --tune 'TILE=64,128'");
  };
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    refuse("is not of the form NAME=VALUE,VALUE");
  TuneAxis axis{text.substr(0, equals), {}};
  if (!isNameOrNumber(axis.name))
    refuse("has '" + axis.name + "', which is not a name of a constant");
  for (llvm::StringRef part : llvm::split(llvm::StringRef(text).drop_front(equals + 1), ',')) {
    std::string value = part.trim(' ').str();
    if (!isNameOrNumber(value))
      refuse("has the value '" + value + "', but a value is a number, or a name such as qd.f16");
    if (llvm::is_contained(axis.values, value))
      refuse("has the value '" + value + "' twice");
    axis.values.push_back(std::move(value));
  }
  return axis;
}

/// A kernel's form for each kind of target: the bytes of its code, or that it has none. Units of
/// equal keys have equal variants.
using UnitKey = std::map<TargetFacts, std::string>;

UnitKey keyOf(const KernelUnit &unit, const std::set<TargetFacts> &kinds) {
  UnitKey key;
  for (const auto &[kind, kernel] : unit.byTarget)
    if (kinds.contains(kind)) {
      hir::KernelBytes bytes = hir::bytesOf(*kernel);
      key[kind] = std::move(bytes.code) + bytes.places;
    }
  for (const auto &[kind, why] : unit.refused)
    if (kinds.contains(kind))
      key[kind] = "";
  return key;
}

/// A combination of a kernel.
struct Row {
  const Combination *values;
  KernelUnit unit;
  UnitKey key;
};

/// Returns which axes make a difference, from the default too: without the others, equal values
/// still mean equal code.
/// \param rows the default, which has no values, and all combinations
std::vector<bool> axesThatMatter(const std::vector<Row> &rows, size_t count) {
  std::vector<bool> matters(count, true);
  for (size_t axis = 0; axis < count; ++axis) {
    matters[axis] = false;
    std::map<Combination, const Row *> seen;
    const bool isDetermined = std::all_of(rows.begin(), rows.end(), [&](const Row &row) {
      Combination values;
      for (size_t k = 0; k < count; ++k)
        if (matters[k])
          values.push_back((*row.values)[k]);
      return seen.try_emplace(values, &row).first->second->key == row.key;
    });
    matters[axis] = !isDetermined;
  }
  return matters;
}

/// Takes the unit's counterpart, or makes one that is refused for every target.
KernelUnit counterpart(const KernelUnit &unit, TunedUnits &with,
                       const std::set<TargetFacts> &kinds) {
  for (KernelUnit &other : with.units)
    if (other.instance == unit.instance && other.alternative == unit.alternative)
      return std::move(other);
  KernelUnit none{unit.instance, unit.source, unit.alternative, false, {}, {}, {}};
  std::vector<Diagnostic> why;
  for (const Diagnostic &one : with.errors)
    if (one.kernels.empty() || llvm::is_contained(one.kernels, unit.instance))
      why.push_back(one);
  for (const TargetFacts &kind : kinds)
    none.refused[kind] = why;
  return none;
}

bool matches(const std::string &pattern, const Target &target) {
  return module::matches(pattern, {target.backend, target.arch, target.features, target.wave});
}

bool isTuned(const CompileRequest &request, const Target &target) {
  const auto &patterns = request.tuneTargets;
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string &pattern) { return matches(pattern, target); });
}

/// Returns what of a kernel's outside a combination changes, or "".
std::string disagreementOf(const KernelUnit &unit, const KernelUnit &tuned) {
  for (const auto &[kind, kernel] : tuned.byTarget)
    if (std::string what = hir::disagreement(*unit.byTarget.begin()->second, *kernel);
        !what.empty())
      return what;
  return "";
}

} // namespace

std::vector<TuneAxis> parseTune(const std::vector<std::string> &texts) {
  std::vector<TuneAxis> axes;
  for (const std::string &text : texts) {
    axes.push_back(parseAxis(text));
    for (size_t k = 0; k + 1 < axes.size(); ++k)
      if (axes[k].name == axes.back().name)
        throw Refusal(Problem::OptionValueWrong, "--tune names '" + axes[k].name + "' twice",
                      "give all its values in one");
  }
  return axes;
}

bool isWantedFor(const CompileRequest &request, const KernelUnit &unit, const Target &target) {
  return unit.tuned.empty() || isTuned(request, target);
}

/// Suggests targets of the build.
static std::string nearTargets(const std::string &pattern, const std::vector<Target> &targets) {
  std::vector<std::string> names;
  for (const Target &target : targets)
    names.push_back(target.str());
  const std::string near = targetSuggestion(pattern, names);
  return near.empty() ? "name some of them: cuda, sm_90, gfx1100/wave32" : near;
}

void checkTuneTargets(const std::vector<std::string> &patterns,
                      const std::vector<Target> &targets) {
  for (const std::string &pattern : patterns)
    if (std::none_of(targets.begin(), targets.end(),
                     [&](const Target &target) { return matches(pattern, target); }))
      throw Refusal(Problem::OptionValueWrong,
                    "--tune-targets '" + pattern + "' matches no target of the build",
                    nearTargets(pattern, targets));
}

TargetKinds kindsOf(const CompileRequest &request, const std::vector<Target> &targets) {
  checkTuneTargets(request.tuneTargets, targets);
  TargetKinds kinds;
  for (const Target &target : targets) {
    kinds.all.insert(factsOf(target));
    if (isTuned(request, target))
      kinds.tuned.insert(factsOf(target));
  }
  return kinds;
}

std::vector<Combination> combinationsOf(const std::vector<TuneAxis> &axes,
                                        const std::set<size_t> &which,
                                        const std::function<bool(const Combination &)> &isWanted) {
  const auto limit = [](size_t count, size_t most, const std::string &what) {
    if (count > most)
      throw Refusal(Problem::OptionValueWrong,
                    "--tune: more than " + std::to_string(most) + " combinations of values" + what,
                    "give fewer values, or leave combinations out by --tune-where");
  };
  if (which.empty())
    return {};
  std::vector<Combination> all(1, Combination(axes.size()));
  for (size_t axis : which) {
    std::vector<Combination> longer;
    for (const Combination &one : all)
      for (const std::string &value : axes[axis].values) {
        longer.push_back(one);
        longer.back()[axis] = value;
      }
    all = std::move(longer);
    limit(all.size(), mostAsked, "");
  }
  std::erase_if(all, [&](const Combination &one) { return !isWanted(one); });
  limit(all.size(), mostBuilt, " are left, each a variant of one kernel");
  return all;
}

namespace {

/// Returns the variants of one kernel: a unit for each combination whose code is its own.
std::vector<KernelUnit> alternativesOf(const KernelUnit &unit, TunedFile &tuned,
                                       const std::set<TargetFacts> &kinds, DiagnosticSink &sink) {
  const Combination usual(tuned.axes.size());
  std::vector<Row> rows;
  rows.push_back({&usual, {}, keyOf(unit, kinds)});
  const std::vector<Combination> combinations =
      combinationsOf(tuned.axes, tuned.dependences[unit.instance], tuned.isWanted);
  for (const Combination &values : combinations) {
    rows.push_back({&values, counterpart(unit, tuned.units.at(values), kinds), {}});
    rows.back().key = keyOf(rows.back().unit, kinds);
  }
  const std::vector<bool> matters = axesThatMatter(rows, tuned.axes.size());
  std::set<UnitKey> seen; // the default's first
  std::vector<KernelUnit> all;
  for (Row &row : rows) {
    if (!seen.insert(row.key).second || row.values == &usual)
      continue;
    for (size_t axis = 0; axis < tuned.axes.size(); ++axis)
      if (matters[axis])
        row.unit.tuned.push_back(tuned.axes[axis].name + "=" + *(*row.values)[axis]);
    if (std::string what = disagreementOf(unit, row.unit); !what.empty())
      sink.error(unit.byTarget.begin()->second->at, Problem::SignatureOfValuesDiffers,
                 "`" + unit.instance + "` " + what + " with " + row.unit.tuned.front() +
                     ", a constant that is tuned",
                 "arguments, results and fields have to be the same for all alternatives: use "
                 "another constant for them");
    else
      all.push_back(std::move(row.unit));
  }
  return all;
}

} // namespace

void addTuned(TunedFile tuned, const std::set<TargetFacts> &kinds, std::vector<KernelUnit> &units,
              DiagnosticSink &sink) {
  std::vector<KernelUnit> all, pending; // the latter go after the unit for large arrays
  const auto flush = [&] {
    std::move(pending.begin(), pending.end(), std::back_inserter(all));
    pending.clear();
  };
  for (KernelUnit &unit : units) {
    if (!unit.isLarge) {
      flush();
      pending = alternativesOf(unit, tuned, kinds, sink);
    }
    all.push_back(std::move(unit));
  }
  flush();
  units = std::move(all);
}

} // namespace sextant
