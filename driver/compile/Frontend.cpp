// Analyzes each file once for each kind of target that it can tell apart, and joins what the kinds
// say about each kernel.
#include "driver/compile/Frontend.h"
#include "driver/compile/Trees.h"
#include "driver/compile/Tuning.h"

#include "frontend/hir/Agreement.h"
#include "frontend/hir/Types.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

namespace sextant {
namespace {

/// The default type of reals, or of integers, by its name.
hir::Type scalarType(const std::string &name, bool wantFloat) {
  std::string names;
  for (unsigned number = 1; number < abi::scalarTypeEnd; ++number) {
    const auto type = hir::Type(number);
    if (!(wantFloat ? hir::isFloat(type) : hir::isInteger(type)))
      continue;
    if (hir::spell(type) == name)
      return type;
    names += (names.empty() ? "" : ", ") + hir::spell(type);
  }
  throw Refusal(Problem::OptionValueWrong,
                "'" + name + "' is not " + (wantFloat ? "a float" : "an integer") + " type",
                "one of " + names);
}

/// The names of the arguments of each instance.
using ArgumentNames = std::map<std::string, std::set<std::string>>;

/// NAME and value of constants.
using Constants = std::vector<std::pair<std::string, std::string>>;

Constants constantsOf(const std::vector<std::string> &texts) {
  Constants constants;
  for (const std::string &text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw Refusal(Problem::NameWithoutEquals,
                    "--const '" + text + "' is not of the form NAME=VALUE");
    constants.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return constants;
}

SemaOptions semaOptions(const CompileRequest &request, const TargetFacts &target, bool isLarge,
                        const ArgumentNames &kept, const Constants &constants, Trees &trees) {
  SemaOptions options;
  options.target = target;
  options.constants = constants;
  options.defaultInt = scalarType(request.defaultInt, false);
  options.asserts = request.asserts || request.checks;
  options.checks = request.checks;
  options.largeArrays = isLarge;
  options.fastMath = request.fastMath;
  options.outsideReads = request.outsideReads;
  options.keepOverwritten = request.keepOverwritten;
  options.keptMembers = kept;
  options.calls = request.lineInfo;
  options.variables = request.lineInfo && request.optLevel == 0;
  options.defaultFloat = scalarType(request.defaultFloat, true);
  options.library = [&trees](std::string_view name) { return trees.library(name); };
  options.keepText = [&trees](std::string text) -> const SourceFile & {
    return trees.option(std::move(text));
  };
  options.import = [&trees](std::string_view name, const ast::Module &from) {
    return trees.imported(name, from);
  };
  return options;
}

/// A function of a file, or a method: "Simulation.step".
struct FunctionAt {
  SourceRange at;
  std::string name;
};

std::vector<FunctionAt> functionsOf(const ast::Module &tree) {
  std::vector<FunctionAt> functions;
  for (const auto &stmt : tree.body) {
    if (const auto *function = std::get_if<ast::FunctionDef>(&stmt->node))
      functions.push_back({stmt->at, std::string(function->name)});
    if (const auto *type = std::get_if<ast::ClassDef>(&stmt->node))
      for (const auto &member : type->body)
        if (const auto *method = std::get_if<ast::FunctionDef>(&member->node))
          functions.push_back(
              {member->at, std::string(type->name) + "." + std::string(method->name)});
  }
  return functions;
}

/// True if the file has a kernel of that name, or a class that may inherit it.
bool defines(const ast::Module &tree, const std::string &name) {
  const size_t dot = name.find('.');
  return std::any_of(tree.body.begin(), tree.body.end(), [&](const auto &stmt) {
    if (const auto *type = std::get_if<ast::ClassDef>(&stmt->node))
      return dot != std::string::npos && type->name == std::string_view(name).substr(0, dot);
    const auto *function = std::get_if<ast::FunctionDef>(&stmt->node);
    return function && (function->name == name || function->name == primalOf(name));
  });
}

/// The result of analysis for one kind of target.
struct KindResult {
  TargetFacts kind;
  std::set<Fact> asked; ///< facts that it may depend on
  std::vector<std::shared_ptr<const hir::Kernel>> kernels;
  std::vector<Diagnostic> diagnostics;
  /// Instances with errors, and the implementation that has them, or "".
  std::set<std::pair<std::string, std::string>> lost;
};

/// Returns an earlier result that is also valid for `kind`: the two kinds agree in every fact that
/// it asked for. Null if there is no such result.
const KindResult *resultFor(const TargetFacts &kind, const std::vector<KindResult> &results) {
  const auto holds = [&](const KindResult &result) {
    return (!result.asked.contains(Fact::Wave) || result.kind.wave == kind.wave) &&
           (!result.asked.contains(Fact::Backend) || result.kind.backend == kind.backend) &&
           (!result.asked.contains(Fact::SharedLimit) ||
            result.kind.sharedLimit == kind.sharedLimit) &&
           (!result.asked.contains(Fact::MatrixUnit) || result.kind.matrixUnit == kind.matrixUnit);
  };
  const auto found = std::find_if(results.begin(), results.end(), holds);
  return found == results.end() ? nullptr : &*found;
}

/// Returns the arguments that some code of each instance has. Members of structs that a kernel does
/// not use are not arguments, and other code of the kernel may use others.
ArgumentNames argumentsOf(const std::map<Combination, std::vector<KindResult>> &all) {
  ArgumentNames names;
  for (const auto &[values, results] : all)
    for (const KindResult &result : results)
      for (const auto &kernel : result.kernels)
        for (const hir::Argument &argument : kernel->arguments)
          names[kernel->instance].insert(argument.name);
  return names;
}

/// True if all code of each instance has all of its arguments.
bool agree(const std::map<Combination, std::vector<KindResult>> &all, const ArgumentNames &names) {
  for (const auto &[values, results] : all)
    for (const KindResult &result : results)
      for (const auto &kernel : result.kernels)
        if (!kernel->arguments.empty() || names.count(kernel->instance))
          if (kernel->arguments.size() != names.at(kernel->instance).size())
            return false;
  return true;
}

/// Finds the functions that a diagnostic is about, also in files of thousands of functions.
class FunctionFinder {
public:
  explicit FunctionFinder(const ast::Module &tree) : functions(functionsOf(tree)) {
    std::sort(functions.begin(), functions.end(),
              [](const FunctionAt &left, const FunctionAt &right) {
                return left.at.begin < right.at.begin;
              });
  }

  /// Returns the names of the functions that contain the diagnostic, its labels and its notes.
  std::set<std::string_view> of(const Diagnostic &diagnostic) const {
    std::set<std::string_view> names;
    add(diagnostic.at, names);
    for (const Diagnostic &note : diagnostic.notes)
      add(note.at, names);
    for (const Label &label : diagnostic.labels)
      add(label.at, names);
    return names;
  }

private:
  std::vector<FunctionAt> functions; ///< sorted by position

  void add(const SourceRange &at, std::set<std::string_view> &names) const {
    auto after = std::upper_bound(
        functions.begin(), functions.end(), at.begin,
        [](uint32_t position, const FunctionAt &function) { return position < function.at.begin; });
    if (after != functions.begin() && std::prev(after)->at.file == at.file &&
        at.begin < std::prev(after)->at.end)
      names.insert(std::prev(after)->name);
  }
};

/// A set of diagnostics, in which those of other kinds of targets are found again.
using DiagnosticKey =
    std::tuple<Severity, const SourceFile *, uint32_t /*begin*/, std::string /*message*/>;

DiagnosticKey keyOf(const Diagnostic &diagnostic) {
  return {diagnostic.severity, diagnostic.at.file, diagnostic.at.begin, diagnostic.message};
}

/// Returns the instances that have errors for every target.
std::set<std::string> lostOf(const std::vector<KindResult> &results) {
  std::set<std::string> lost;
  for (const auto &[instance, implementation] : results.front().lost)
    if (std::all_of(results.begin(), results.end(), [&](const KindResult &result) {
          return result.lost.contains({instance, implementation});
        }))
      lost.insert(instance);
  return lost;
}

/// Joins the kinds of targets of one file. A diagnostic goes to the sink if it holds for all of
/// them, or if it cannot be attributed to a kernel that some of them have.
void join(std::vector<KindResult> results, const ast::Module &tree, size_t source,
          std::vector<KernelUnit> &units, DiagnosticSink &sink) {
  std::vector<KernelUnit> joined;
  std::map<std::pair<std::string, std::string>, size_t> known; // keys: instance and alternative
  std::map<std::string, size_t> order;                         // the instances'
  for (KindResult &result : results)
    for (auto &kernel : result.kernels) {
      std::string alternative = kernel->isAlternative ? kernel->implementation : "";
      auto [unit, isNew] = known.try_emplace({kernel->instance, alternative}, joined.size());
      if (isNew) {
        order.try_emplace(kernel->instance, order.size());
        joined.push_back({kernel->instance, source, std::move(alternative), false, {}, {}, {}});
      }
      joined[unit->second].byTarget.emplace(result.kind, std::move(kernel));
    }
  // Alternatives follow the first implementation, which some targets may lack.
  const auto placeOf = [&](const KernelUnit &unit) {
    return std::tuple(order.at(unit.instance), !unit.alternative.empty(),
                      known.at({unit.instance, unit.alternative}));
  };
  std::sort(joined.begin(), joined.end(),
            [&](const KernelUnit &a, const KernelUnit &b) { return placeOf(a) < placeOf(b); });

  std::map<DiagnosticKey, size_t> kinds; // how many report it
  std::map<DiagnosticKey, std::set<std::string>> kernels;
  for (const KindResult &result : results) {
    std::set<DiagnosticKey> own;
    for (const Diagnostic &one : result.diagnostics) {
      if (own.insert(keyOf(one)).second)
        ++kinds[keyOf(one)];
      kernels[keyOf(one)].insert(one.kernels.begin(), one.kernels.end());
    }
  }
  std::set<DiagnosticKey> reported;
  auto report = [&](Diagnostic diagnostic) {
    const DiagnosticKey key = keyOf(diagnostic);
    if (!reported.insert(key).second)
      return;
    for (const std::string &kernel : kernels.at(key)) // in their order, then those of other kinds
      if (!llvm::is_contained(diagnostic.kernels, kernel))
        diagnostic.kernels.push_back(kernel);
    sink.report(std::move(diagnostic));
  };
  const FunctionFinder functions(tree);
  for (const KindResult &result : results) {
    std::map<std::string_view, std::vector<KernelUnit *>> lacking; // units without it, by function
    for (KernelUnit &unit : joined)
      if (!unit.byTarget.count(result.kind)) {
        unit.refused[result.kind];
        const hir::Kernel &kernel = *unit.byTarget.begin()->second;
        lacking[kernel.implementation.empty() ? kernel.name : kernel.implementation].push_back(
            &unit);
      }
    for (const Diagnostic &one : result.diagnostics) {
      const bool everywhere = kinds[keyOf(one)] == results.size();
      bool explains = false; // why some kernel is not there, which other kinds have
      if (one.severity == Severity::Error) {
        const std::set<std::string_view> names = functions.of(one);
        for (const auto &[name, units] : lacking)
          for (KernelUnit *unit : units)
            if ((!everywhere && names.count(name)) ||
                llvm::is_contained(one.kernels, unit->instance)) {
              unit->refused[result.kind].push_back(one);
              explains = !everywhere;
            }
      }
      if (!explains)
        report(one);
    }
  }
  for (KernelUnit &unit : joined)
    units.push_back(std::move(unit));
}

std::string describe(const TargetFacts &kind) {
  return kind.backend + " at wave " + std::to_string(kind.wave);
}

/// Reports kernels that are called otherwise for some targets than for others.
void checkAgreement(const std::vector<KernelUnit> &units, DiagnosticSink &sink) {
  for (const KernelUnit &unit : units)
    for (const auto &[kind, kernel] : unit.byTarget) {
      const auto &[firstKind, first] = *unit.byTarget.begin();
      if (std::string what = hir::disagreement(*first, *kernel); !what.empty()) {
        sink.error(kernel->at, Problem::SignatureOfTargetsDiffers,
                   "`" + unit.instance + "` " + what + " for " + describe(kind) + " than for " +
                       describe(firstKind),
                   "arguments, results and fields have to be the same for all targets: a module "
                   "has one signature a kernel");
        break;
      }
    }
}

/// True if launches decide how large an array or a grid of the kernel is.
bool dependsOnLaunch(const hir::Kernel &kernel) {
  return std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const hir::Argument &one) { return one.ndim != 0; }) ||
         std::any_of(kernel.tasks.begin(), kernel.tasks.end(), [](const hir::Task &task) {
           return task.iterations && !task.iterations->isConstant();
         });
}

/// Puts the units for large arrays of one source after those of the same kernels: of the first
/// implementation, which launches that need them take. What both report was reported for the
/// ordinary ones; more can only be errors, by types that are wider.
void addLarge(std::vector<KernelUnit> large, const DiagnosticSink &reported,
              const std::set<std::string> &lost, std::vector<KernelUnit> &units,
              DiagnosticSink &sink) {
  const auto isLost = [&](const std::string &kernel) { return lost.count(kernel) != 0; };
  for (Diagnostic one : reported.diagnostics())
    if (one.severity == Severity::Error &&
        (one.kernels.empty() || !std::all_of(one.kernels.begin(), one.kernels.end(), isLost))) {
      one.notes.push_back(
          {Severity::Note, {}, "in the variant for large arrays (--large-arrays)", {}, {}});
      sink.report(std::move(one));
    }
  std::map<std::string, KernelUnit *> byInstance;
  for (KernelUnit &unit : large)
    if (unit.alternative.empty())
      byInstance[unit.instance] = &unit;
  std::vector<KernelUnit> all;
  for (KernelUnit &unit : units) {
    const auto found = byInstance.find(unit.instance);
    const bool isNeeded = found != byInstance.end() && unit.alternative.empty() &&
                          dependsOnLaunch(*unit.byTarget.begin()->second);
    if (isNeeded)
      for (const auto &[kind, why] : unit.refused) { // said of the ordinary variant
        found->second->byTarget.erase(kind);
        found->second->refused.erase(kind);
      }
    all.push_back(std::move(unit));
    if (isNeeded) {
      found->second->isLarge = true;
      all.push_back(std::move(*found->second));
    }
  }
  units = std::move(all);
}

/// Returns the constants of a combination: those of the build, but for those that are tuned.
Constants withValues(const Constants &constants, const std::vector<TuneAxis> &axes,
                     const Combination &values) {
  Constants all = constants;
  for (size_t axis = 0; axis < axes.size(); ++axis)
    if (values[axis])
      all.emplace_back(axes[axis].name, *values[axis]); // the last one of a name counts
  return all;
}

/// True if all conditions of --tune-where hold. They are expressions over the constants of one of
/// the files, and may name any that is tuned. Throws Refusal for one that means nothing.
/// \param asks is set if the answer depends on the target
bool holdAll(const CompileRequest &request, const TargetFacts &target, const Constants &constants,
             const std::vector<const ast::Module *> &named, Trees &trees, bool &asks) {
  SemaOptions options = semaOptions(request, target, false, {}, constants, trees);
  options.onFact = [&asks](Fact) { asks = true; };
  for (const std::string &condition : request.tuneWhere) {
    std::optional<bool> holds;
    std::string problem;
    for (const ast::Module *file : named)
      if (!holds)
        holds = evaluateCondition(*file, options, condition, problem);
    if (!holds)
      throw Refusal(Problem::OptionValueWrong,
                    "--tune-where '" + condition + "' has no value: " + problem,
                    "write a condition on module constants, as in 'TILE * ITEMS <= 4096'");
    if (!*holds)
      return false;
  }
  return true;
}

/// True if they hold for one of the targets that are tuned, which all get the same combinations.
bool holdAllSomewhere(const CompileRequest &request, const TargetKinds &kinds,
                      const Constants &constants, const std::vector<const ast::Module *> &named,
                      Trees &trees) {
  for (const TargetFacts &kind : kinds.tuned) {
    bool asks = false;
    if (holdAll(request, kind, constants, named, trees, asks))
      return true;
    if (!asks)
      break;
  }
  return kinds.tuned.empty();
}

/// Splits `steps.py:scan[n=4]` into the file, which may be empty, and the instance.
std::pair<std::string_view, std::string_view> splitRequest(std::string_view request) {
  const std::string_view head =
      request.substr(0, std::min(request.find('['), request.find(" as ")));
  const size_t colon = head.rfind(':');
  std::string_view file = colon == head.npos ? "" : head.substr(0, colon);
  request.remove_prefix(colon == head.npos ? 0 : colon + 1);
  request.remove_prefix(std::min(request.find_first_not_of(" \t"), request.size()));
  file.remove_prefix(std::min(file.find_first_not_of(" \t"), file.size()));
  return {file, request};
}

/// True if the request names a kernel of this source. A request without a file matches any source.
bool isFor(const std::string &request, const ast::Module &tree, std::string_view path) {
  const std::string_view file = splitRequest(request).first;
  return (file.empty() || file == path) && defines(tree, requestedKernel(request));
}

/// One file of the build, for all its targets.
struct FileAnalysis {
  const CompileRequest &request;
  const TargetKinds &kinds;
  Trees &trees;
  const ast::Module &tree;
  std::string path;
  const Progress &progress;
  Requests &requests; ///< gets what instances are built for
};

/// \param tuned gets the constants that instances depend on; may be null
std::vector<KindResult> analyzeKinds(const FileAnalysis &file, bool isLarge,
                                     const std::set<TargetFacts> &kinds, const ArgumentNames &kept,
                                     const Constants &constants, TunedFile *tuned) {
  std::vector<KindResult> results;
  for (const TargetFacts &kind : kinds) {
    if (const KindResult *known = resultFor(kind, results)) {
      KindResult same = *known;
      same.kind = kind;
      results.push_back(std::move(same));
      continue;
    }
    DiagnosticSink own;
    SemaOptions options = semaOptions(file.request, kind, isLarge, kept, constants, file.trees);
    if (file.progress)
      options.onKernel = [&, done = size_t(0)](std::string_view kernel) mutable {
        file.progress(done++, 0, "analyzing " + std::string(kernel) + " for " + describe(kind));
      };
    for (const std::string &text : file.request.kernels)
      if (isFor(text, file.tree, file.path))
        options.instantiations.emplace_back(splitRequest(text).second);
    KindResult one{kind, {}, {}, {}, {}};
    options.onFact = [&one](Fact fact) { one.asked.insert(fact); };
    if (tuned && !tuned->axes.empty())
      options.onReads = [&](const std::string &instance, const std::set<std::string> &names) {
        for (size_t axis = 0; axis < tuned->axes.size(); ++axis)
          if (names.contains(tuned->axes[axis].name))
            tuned->dependences[instance].insert(axis);
      };
    options.onRequest = [&file](const std::string &instance, const Request &request) {
      if (const std::string text = canonicalText(request); !text.empty())
        file.requests.emplace(instance, text);
    };
    options.onLost = [&one](const std::string &instance, const std::string &implementation) {
      one.lost.emplace(instance, implementation);
    };
    for (hir::Kernel &kernel : analyze(file.tree, options, own))
      one.kernels.push_back(std::make_shared<const hir::Kernel>(std::move(kernel)));
    one.diagnostics = own.diagnostics();
    results.push_back(std::move(one));
  }
  return results;
}

/// Analyzes the default, then combinations of what the kernels depend on, as far as is known by
/// then: other values may lead to code that depends on more.
std::map<Combination, std::vector<KindResult>> analyzeCombinations(const FileAnalysis &file,
                                                                   const Constants &constants,
                                                                   TunedFile &tuned,
                                                                   const ArgumentNames &kept) {
  std::map<Combination, std::vector<KindResult>> all;
  all[Combination(tuned.axes.size())] =
      analyzeKinds(file, false, file.kinds.all, kept, constants, &tuned);
  for (size_t before = 0; before != all.size();) {
    before = all.size();
    for (const auto &[instance, which] : Dependences(tuned.dependences))
      for (const Combination &values : combinationsOf(tuned.axes, which, tuned.isWanted))
        if (!all.contains(values))
          all[values] = analyzeKinds(file, false, file.kinds.tuned, kept,
                                     withValues(constants, tuned.axes, values), &tuned);
  }
  return all;
}

/// The units of each combination but the default.
void joinTuned(std::map<Combination, std::vector<KindResult>> all, const FileAnalysis &file,
               size_t source, TunedFile &tuned) {
  for (auto &[values, results] : all) {
    if (values == Combination(tuned.axes.size()))
      continue;
    DiagnosticSink reported; // warnings were told of the default
    TunedUnits &with = tuned.units[values];
    join(std::move(results), file.tree, source, with.units, reported);
    for (const Diagnostic &one : reported.diagnostics())
      if (one.severity == Severity::Error)
        with.errors.push_back(one);
  }
}

} // namespace

std::string requestedKernel(const std::string &request) {
  const auto [file, instance] = splitRequest(request);
  std::string name(instance.substr(0, std::min(instance.find('['), instance.find(" as "))));
  name.erase(name.find_last_not_of(" \t") + 1);
  return name;
}

std::string requestedFile(const std::string &request) {
  return std::string(splitRequest(request).first);
}

FrontendResult runFrontend(const CompileRequest &request, const std::vector<std::string> &paths,
                           const TargetKinds &kinds, const Environment &environment,
                           SourceFiles &files, DiagnosticSink &sink, const Progress &progress) {
  FrontendResult result;
  Trees trees(environment, files, sink);
  std::vector<const ast::Module *> named;
  for (const std::string &path : paths) {
    const ast::Module *tree = trees.named(path);
    if (llvm::is_contained(named, tree))
      throw Refusal(Problem::NamedTwice, "'" + path + "' is named twice",
                    "name each kernel file once");
    named.push_back(tree);
  }
  Constants constants = constantsOf(request.constants);
  const std::vector<TuneAxis> axes = parseTune(request.tune);
  if (!constants.empty() || !axes.empty()) {
    std::vector<std::string> given;
    for (const auto &[name, value] : constants)
      given.push_back(name);
    for (const TuneAxis &axis : axes)
      given.push_back(axis.name);
    result.names = trees.names(named, given);
  }
  // A constant that no file assigns has to have some value. One that is given keeps that.
  for (const TuneAxis &axis : axes)
    if (!result.names.assigned.contains(axis.name))
      constants.insert(constants.begin(), {axis.name, axis.values.front()});
  std::map<Combination, bool> wanted; // kernels ask again for those that they share
  const auto isWanted = [&](const Combination &values) {
    const auto [known, isNew] = wanted.try_emplace(values);
    if (isNew)
      known->second =
          holdAllSomewhere(request, kinds, withValues(constants, axes, values), named, trees);
    return known->second;
  };
  for (size_t source = 0; source < named.size(); ++source) {
    const FileAnalysis file{
        request,  kinds,          trees, *named[source], trees.sources[source].path,
        progress, result.requests};
    TunedFile tuned{axes, isWanted, {}, {}};
    auto all = analyzeCombinations(file, constants, tuned, {});
    const ArgumentNames arguments = argumentsOf(all);
    if (!agree(all, arguments))
      all = analyzeCombinations(file, constants, tuned, arguments);
    const Combination usual(axes.size());
    std::vector<KindResult> results = std::move(all[usual]);
    std::vector<KernelUnit> units, large;
    std::set<std::string> lost = lostOf(results);
    join(std::move(results), *named[source], source, units, sink);
    checkAgreement(units, sink);
    if (request.largeArrays && !sink.hasErrors()) {
      DiagnosticSink reported;
      std::vector<KindResult> largeResults =
          analyzeKinds(file, true, kinds.all, arguments, constants, nullptr);
      const std::set<std::string> lostToo = lostOf(largeResults);
      join(std::move(largeResults), *named[source], source, large, reported);
      addLarge(std::move(large), reported, lost, units, sink);
      lost.insert(lostToo.begin(), lostToo.end());
    }
    if (!axes.empty() && !sink.hasErrors()) {
      joinTuned(std::move(all), file, source, tuned);
      addTuned(std::move(tuned), kinds.tuned, units, sink);
    }
    if (named[source]->isBroken)
      for (const KernelUnit &unit : units)
        lost.insert(unit.instance);
    std::erase_if(units, [&](const KernelUnit &unit) { return lost.count(unit.instance) != 0; });
    std::move(units.begin(), units.end(), std::back_inserter(result.kernels));
    result.lost.merge(lost);
  }
  if (progress)
    progress(0, 0, "");
  result.sources = trees.sources;
  result.isBroken = trees.isBroken;
  for (size_t source = 0; source < named.size(); ++source) {
    for (FunctionAt &function : functionsOf(*named[source]))
      result.functions.insert(std::move(function.name));
    for (const std::string &text : request.kernels)
      if (const std::string &path = trees.sources[source].path; isFor(text, *named[source], path))
        result.functions.insert({requestedKernel(text), path + ":" + requestedKernel(text)});
  }
  if (result.kernels.empty() && !sink.errorCount())
    sink.error({}, Problem::NothingToBuild, "'" + paths.front() + "' holds no kernel to build",
               "mark a function with @qd.kernel, or name an instance of a template kernel: "
               "--kernel 'scan[dtype=qd.i32]'");
  return result;
}

} // namespace sextant
