// Constants with alternatives (`--tune TILE=64,128`): each combination of their values is a variant
// of the kernels whose code depends on it. What loads the module picks the one that was measured to
// be the fastest (loader/format/Tuning.h).
#pragma once

#include "backends/Backend.h"
#include "driver/compile/Units.h"

#include <functional>

namespace sextant {

/// One constant that is tuned.
struct TuneAxis {
  std::string name;
  std::vector<std::string> values; ///< at least one
};

/// Parses the texts of --tune. Throws Refusal: a text that is not NAME=VALUE,VALUE…, a constant
/// that is named twice, a value that a target's name cannot hold.
std::vector<TuneAxis> parseTune(const std::vector<std::string> &texts);

/// True if targets get the variants of a unit: of the default all do, of other combinations those
/// that --tune-targets names.
bool isWantedFor(const CompileRequest &request, const KernelUnit &unit, const Target &target);

/// Throws Refusal if a pattern of --tune-targets names none of the targets.
void checkTuneTargets(const std::vector<std::string> &patterns, const std::vector<Target> &targets);

/// The kinds of a build's targets. Throws Refusal if a pattern of --tune-targets names none.
TargetKinds kindsOf(const CompileRequest &request, const std::vector<Target> &targets);

/// A value for each axis, in the order of the axes. Absent: the constant keeps its default.
using Combination = std::vector<std::optional<std::string>>;

/// The constants that each instance depends on, by the numbers of their axes.
using Dependences = std::map<std::string, std::set<size_t>>;

/// Returns the combinations of these axes for which `isWanted`, those of the last axis side by
/// side. Throws Refusal if there are more than a kernel can have variants.
std::vector<Combination> combinationsOf(const std::vector<TuneAxis> &axes,
                                        const std::set<size_t> &which,
                                        const std::function<bool(const Combination &)> &isWanted);

/// The kernels of a file as they are with one combination.
struct TunedUnits {
  std::vector<KernelUnit> units;
  std::vector<Diagnostic> errors; ///< that hold for every target
};

/// The combinations that the kernels of a file need.
struct TunedFile {
  const std::vector<TuneAxis> &axes;
  std::function<bool(const Combination &)> isWanted;
  Dependences dependences;
  std::map<Combination, TunedUnits> units;
};

/// Puts units for combinations, which have the tuned `kinds` of targets, after those of the same
/// kernels. A combination counts for a kernel if its code differs from that of the default and of
/// all combinations before it; the words of its variants name the constants that make a difference.
/// What only some combinations can have is refused for the others. Reports kernels whose arguments,
/// results or fields depend on a constant that is tuned.
void addTuned(TunedFile tuned, const std::set<TargetFacts> &kinds, std::vector<KernelUnit> &units,
              DiagnosticSink &sink);

} // namespace sextant
