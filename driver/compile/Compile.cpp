// The pipeline, top to bottom: targets; files to kernels; kernels to images on a pool of workers;
// images to modules. Results go to slots that were numbered before, so that the bytes do not depend
// on the number of workers.
#include "driver/compile/Compile.h"

#include "driver/Version.h"
#include "driver/cache/CodegenCache.h"
#include "driver/cache/CompilerIdentity.h"
#include "driver/cache/RemoteCache.h"
#include "driver/compile/Codegen.h"
#include "driver/compile/FactVariants.h"
#include "driver/compile/Findings.h"
#include "driver/compile/Frontend.h"
#include "driver/compile/Package.h"
#include "driver/compile/TargetList.h"
#include "driver/compile/Targets.h"
#include "driver/compile/Tuning.h"

#include "backends/Targets.h"
#include "frontend/spelling/Request.h"
#include "frontend/spelling/Suggestion.h"
#include "packager/Tuning.h"
#include "packager/Workers.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace sextant {
namespace {

constexpr unsigned defaultWave = 32;

/// Reports problems with tools ("ptxas not found"), each once.
void reportToolWarnings(const std::vector<Target> &targets, DiagnosticSink &sink) {
  std::set<std::string> seen;
  for (const Target &target : targets) {
    std::string warning = findBackend(target.backend)->toolWarning(target);
    if (!warning.empty() && seen.insert(warning).second)
      sink.warning({}, Warning::MissingTool, warning);
  }
}

/// Checks that every requested instance is one of a function in some file. Others are lost.
void checkRequests(const CompileRequest &request, std::vector<FrontendResult> &modules,
                   DiagnosticSink &sink) {
  std::set<std::string> known;
  for (const FrontendResult &module : modules)
    known.insert(module.functions.begin(), module.functions.end());
  for (const std::string &text : request.kernels)
    if (const std::string file = requestedFile(text), kernel = requestedKernel(text);
        !known.count(file.empty() ? kernel : file + ":" + kernel) &&
        !known.count(file.empty() ? primalOf(kernel) : file + ":" + primalOf(kernel))) {
      sink.report({Severity::Error,
                   {},
                   "--kernel '" + text + "': " +
                       (kernel.empty() ? "it names no kernel"
                                       : (file.empty() ? "no file" : "no file '" + file + "'") +
                                             " has a kernel '" + kernel + "'"),
                   suggestion(kernel, {known.begin(), known.end()}),
                   {},
                   {},
                   Problem::RequestOfUnknownKernel,
                   {text}});
      modules.front().lost.insert(text);
    }
}

/// A job, and the place of its result.
struct Slot {
  size_t module, kernel, target;
  CodegenJob job;
  CodegenResult result;
};

std::string tempsPrefix(const CompileRequest &request, const KernelUnit &unit,
                        const Target &target) {
  if (request.saveTemps.empty())
    return {};
  std::string name = unit.instance + "." + targetOf(unit, target).str();
  // A '+' stays: `gfx90a:xnack+` and `gfx90a:xnack-` are two targets.
  for (char &letter : name)
    if (letter == '/' || letter == ':')
      letter = '-';
  return request.saveTemps + "/" + name;
}

std::vector<Slot> planJobs(const CompileRequest &request,
                           const std::vector<FrontendResult> &modules,
                           const std::vector<Target> &targets) {
  std::vector<Slot> slots;
  std::vector<TargetFacts> facts; // one for each target
  for (const Target &target : targets)
    facts.push_back(factsOf(target));
  for (size_t module = 0; module < modules.size(); ++module)
    for (size_t kernel = 0; kernel < modules[module].kernels.size(); ++kernel)
      for (size_t target = 0; target < targets.size(); ++target) {
        const KernelUnit &unit = modules[module].kernels[kernel];
        auto found = unit.byTarget.find(facts[target]);
        if (found == unit.byTarget.end() || !isWantedFor(request, unit, targets[target]))
          continue;
        Slot slot{module, kernel, target, {}, {}};
        slot.job.kernel = found->second.get();
        slot.job.target = targets[target];
        slot.job.name = nameOf(unit);
        slot.job.options.optLevel = request.optLevel;
        slot.job.options.lineInfo = request.lineInfo;
        slot.job.options.dumpIr = request.dumpIr;
        slot.job.options.verifyStages |= request.verifyStages;
        slot.job.options.saveTemps = tempsPrefix(request, unit, targets[target]);
        slot.job.options.drafts = request.saveTemps.empty() && !request.lineInfo;
        slots.push_back(std::move(slot));
      }
  return slots;
}

/// Bytes that modules carry for their users.
struct AttachedFile {
  std::string name, path, bytes;
};

std::vector<AttachedFile> readAttachments(const CompileRequest &request,
                                          const Environment &environment) {
  std::vector<AttachedFile> files;
  for (const std::string &text : request.attachments) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw Refusal(Problem::NameWithoutEquals,
                    "--attach '" + text + "' is not of the form NAME=FILE");
    const std::string path = text.substr(equals + 1);
    files.push_back({text.substr(0, equals), path, readFile(environment, path)});
  }
  return files;
}

/// Reads what `sextant tune` has measured. Throws Refusal.
std::vector<packager::Measurement> readTuning(const CompileRequest &request,
                                              const Environment &environment) {
  if (request.tuning.empty())
    return {};
  auto all = packager::parseMeasurements(readFile(environment, request.tuning));
  if (!all)
    throw Refusal(Problem::MeasurementsMissing, "'" + request.tuning + "': " + all.error().message,
                  "name a file that `sextant tune --tuning FILE` wrote");
  return std::move(*all);
}

/// Gives a module what was measured for its kernels.
void attachTuning(const std::vector<packager::Measurement> &all, const FrontendResult &module,
                  Packager &packager) {
  std::set<std::string> instances;
  for (const KernelUnit &unit : module.kernels)
    instances.insert(unit.instance);
  packager::Contents own;
  std::vector<packager::Measurement> ofKernels;
  for (const packager::Measurement &one : all)
    if (instances.contains(one.kernel))
      ofKernels.push_back(one);
  if (const module::Status status = packager::setMeasurements(own, ofKernels); !status.ok())
    throw Refusal(Problem::ModuleNotBuildable, status.message,
                  "name a --tuning file with fewer measurements");
  for (const auto &[name, bytes] : own.attachments)
    packager.attach(name, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

/// Lets a module say what its instances were built for: their names do not tell all of it.
void attachRequests(const FrontendResult &module, Packager &packager) {
  std::set<std::string> built;
  for (const KernelUnit &unit : module.kernels)
    built.insert(unit.instance);
  Requests own;
  for (const auto &[instance, request] : module.requests)
    if (built.count(instance))
      own.emplace(instance, request);
  if (!own.empty())
    packager.attach(requestsAttachment, textOf(own));
}

/// Computes the fingerprints by which the cache knows the kernels of `slots`.
std::map<const hir::Kernel *, Fingerprint> fingerprints(const std::vector<Slot> &slots,
                                                        unsigned jobs) {
  std::map<const hir::Kernel *, Fingerprint> byKernel;
  for (const Slot &slot : slots)
    byKernel.try_emplace(slot.job.kernel);
  std::vector<std::pair<const hir::Kernel *const, Fingerprint> *> rows;
  for (auto &row : byKernel)
    rows.push_back(&row);
  packager::forAll(rows.size(), jobs,
                   [&](size_t index) { rows[index]->second = fingerprintOf(*rows[index]->first); });
  return byKernel;
}

/// For each slot the first one that differs from it in nothing but the wave size. They share a
/// kernel, so nothing in the kernel depends on that.
std::vector<size_t> leadersOf(const std::vector<Slot> &slots) {
  std::map<std::pair<const hir::Kernel *, std::string>, size_t> first;
  std::vector<size_t> leaders;
  for (size_t index = 0; index < slots.size(); ++index) {
    Target target = slots[index].job.target;
    target.wave = 0;
    leaders.push_back(
        first.try_emplace({slots[index].job.kernel, target.str()}, index).first->second);
  }
  return leaders;
}

/// True if a job for another wave size would have the same result. Messages name their target.
bool isForAllWaves(const Slot &slot) {
  return slot.result.ignoresWave && slot.result.diagnostics.empty() &&
         slot.job.options.dumpIr.empty() && slot.job.options.saveTemps.empty();
}

CodegenResult withWave(CodegenResult result, unsigned wave) {
  for (BuiltVariant &variant : result.variants)
    variant.target.wave = wave;
  return result;
}

/// The caches of a build.
struct Caches {
  std::optional<CacheFolder> folder;
  std::optional<RemoteCache> remote; ///< only with a folder
};

/// The most drafts that are completed together: so many that starting a tool for them takes the
/// smaller part of the time.
constexpr size_t mostDrafts = 64;

/// Completes the drafts of results on so many threads, and calls `done(slot)` after each.
template <class Done>
void completeDrafts(const std::vector<Slot *> &slots, unsigned jobs, Done done) {
  const size_t share = std::clamp<size_t>(slots.size() / jobs, 1, mostDrafts);
  packager::forAll((slots.size() + share - 1) / share, jobs, [&](size_t batch) {
    std::vector<CodegenRun> runs;
    const size_t begin = batch * share, end = std::min(begin + share, slots.size());
    for (size_t index = begin; index < end; ++index)
      runs.push_back({&slots[index]->job, &slots[index]->result});
    completeDrafts(runs);
    for (size_t index = begin; index < end; ++index)
      done(*slots[index]);
  });
}

/// Runs all jobs, or takes their results from the caches.
void runJobs(std::vector<Slot> &slots, unsigned jobs, const SourceFiles &files, Caches &caches,
             const Progress &progress) {
  std::map<const hir::Kernel *, Fingerprint> kernels;
  std::optional<CodegenCache> cache;
  if (caches.folder) {
    kernels = fingerprints(slots, jobs);
    cache.emplace(*caches.folder, caches.remote ? &*caches.remote : nullptr, files);
  }
  std::mutex reporting;
  size_t done = 0;
  const std::vector<size_t> leaders = leadersOf(slots);
  const auto makeWorker = [&] { return CodegenWorker(files); };
  const auto isKnown = [&](size_t number) { // the wave size before it has its code
    return leaders[number] != number && isForAllWaves(slots[leaders[number]]);
  };
  const auto runAll = [&](const std::vector<size_t> &numbers) {
    std::vector<std::pair<const CodegenJob *, const Fingerprint *>> expected;
    for (const size_t number : numbers)
      if (cache && !isKnown(number))
        expected.emplace_back(&slots[number].job, &kernels.at(slots[number].job.kernel));
    if (cache)
      cache->expect(expected);
    const auto report = [&](const Slot &slot) {
      if (!progress)
        return;
      std::lock_guard<std::mutex> lock(reporting);
      progress(++done, slots.size(), slot.job.kernel->instance + " " + slot.job.target.str());
    };
    const auto finish = [&](const Slot &slot) {
      if (cache)
        cache->store(slot.job, kernels.at(slot.job.kernel), slot.result);
      report(slot);
    };
    packager::forAll(numbers.size(), jobs, makeWorker, [&](CodegenWorker &worker, size_t index) {
      Slot &slot = slots[numbers[index]];
      if (isKnown(numbers[index])) {
        slot.result = withWave(slots[leaders[numbers[index]]].result, slot.job.target.wave);
        return report(slot);
      }
      if (cache)
        if (std::optional<CodegenResult> known =
                cache->find(slot.job, kernels.at(slot.job.kernel))) {
          slot.result = std::move(*known);
          return report(slot);
        }
      slot.result = worker.run(slot.job);
      if (!hasDrafts(slot.result))
        finish(slot);
    });
    std::vector<Slot *> drafts;
    for (const size_t number : numbers)
      if (hasDrafts(slots[number].result))
        drafts.push_back(&slots[number]);
    std::sort(drafts.begin(), drafts.end(), [](const Slot *left, const Slot *right) {
      return std::pair(left->target, left) < std::pair(right->target, right);
    });
    completeDrafts(drafts, jobs, finish);
  };
  std::vector<size_t> first, others;
  for (size_t index = 0; index < slots.size(); ++index)
    (leaders[index] == index ? first : others).push_back(index);
  runAll(first);
  runAll(others);
  if (progress)
    progress(0, 0, "");
}

void finishCaches(Caches &caches, CacheUse *use, DiagnosticSink &sink) {
  if (!caches.folder)
    return;
  RemoteUse remote;
  if (caches.remote) {
    caches.remote->finish();
    remote = caches.remote->use();
    if (const auto [what, fix] = caches.remote->problem(); !what.empty())
      sink.warning({}, Warning::Cache, what, fix);
  }
  CacheFolder &cache = *caches.folder;
  cache.finish(remote);
  if (use)
    *use = {cache.hitCount(), cache.missCount(), remote};
  if (const FolderTrouble problem = cache.problem(); !problem.what.empty())
    sink.warning({}, Warning::Cache, problem.what, problem.fix);
}

/// Suggests stages whose name is like that one; empty if it is a stage, or none is near.
std::string nearStages(const std::string &name) {
  std::vector<std::string> names;
  for (const StageRow &stage : listStages())
    names.push_back(stage.name);
  if (std::find(names.begin(), names.end(), name) != names.end())
    return {};
  const std::string near = suggestion(name, names);
  return near.empty() ? near : near + " ";
}

/// Prints the requested IR, in the order of the kernels and targets.
void printDumps(const std::vector<Slot> &slots, const CompileRequest &request,
                const Environment &environment, DiagnosticSink &sink) {
  bool any = false;
  for (const Slot &slot : slots) {
    environment.out << slot.result.dump;
    any |= !slot.result.dump.empty();
  }
  if (!any && !request.dumpIr.empty() && !slots.empty())
    sink.warning({}, Warning::UnknownPass,
                 "--dump-ir: no pass '" + request.dumpIr.front() + "' ran for these targets",
                 nearStages(request.dumpIr.front()) + "`sextant compile --help` lists the passes");
}

/// Returns the first error, which says why a target has no code.
std::string firstError(const std::vector<Diagnostic> &diagnostics) {
  for (const Diagnostic &one : diagnostics)
    if (one.severity == Severity::Error)
      return one.message;
  return "refused";
}

/// Returns why the frontend refuses a unit that a target would get; null: it does not.
const std::vector<Diagnostic> *refusalOf(const CompileRequest &request, const KernelUnit &unit,
                                         const Target &target) {
  const auto found = unit.refused.find(factsOf(target));
  return found != unit.refused.end() && isWantedFor(request, unit, target) ? &found->second
                                                                           : nullptr;
}

/// One unit's jobs by target. Null: there is none.
using UnitSlots = std::vector<const Slot *>;

/// Returns the slots of each unit of a module.
std::vector<UnitSlots> slotsOf(const std::vector<Slot> &slots, size_t module,
                               const FrontendResult &frontend, size_t targets) {
  std::vector<UnitSlots> all(frontend.kernels.size(), UnitSlots(targets));
  for (const Slot &slot : slots)
    if (slot.module == module)
      all[slot.kernel][slot.target] = &slot;
  return all;
}

/// Returns for each target whether the kernel has code: that of the unit, or of another
/// implementation, which are its neighbours.
std::vector<bool> coverage(const CompileRequest &request, const std::vector<KernelUnit> &units,
                           size_t index, const std::vector<UnitSlots> &slots,
                           const std::vector<Target> &targets) {
  const KernelUnit &unit = units[index];
  auto isSame = [&](size_t other) { return units[other].instance == unit.instance; };
  size_t begin = index, end = index + 1;
  while (begin > 0 && isSame(begin - 1))
    --begin;
  while (end < units.size() && isSame(end))
    ++end;
  std::vector<bool> covered(targets.size());
  for (size_t other = begin; other < end; ++other)
    for (size_t target = 0; target < targets.size(); ++target)
      if (units[other].isLarge == unit.isLarge)
        covered[target] =
            covered[target] ||
            (request.syntaxOnly
                 ? units[other].byTarget.count(factsOf(targets[target])) != 0
                 : slots[other][target] && !slots[other][target]->result.variants.empty());
  return covered;
}

/// Reports the diagnostics of one unit's jobs. A refusal is an error if it leaves an item of the
/// target list without any code for the kernel. Otherwise the variant is missing, which a warning
/// at the end of the run says. Returns false after an error.
/// \param covered by target: whether the kernel has code
bool judge(const CompileRequest &request, const KernelUnit &unit, const UnitSlots &byTarget,
           const std::vector<bool> &covered, const std::vector<Target> &targets,
           const std::vector<TargetItem> &items, MissingVariants &missing, DiagnosticSink &sink) {
  auto built = [&](const Target &wanted) {
    for (size_t index = 0; index < targets.size(); ++index)
      if (targets[index].str() == wanted.str())
        return bool(covered[index]);
    return false;
  };
  // It is not known here what other shards have built.
  const bool anything = request.shard || std::any_of(targets.begin(), targets.end(), built);
  const bool isPart = request.shard && request.shard->count > 1;
  const bool fatal =
      !isPart &&
      std::any_of(items.begin(), items.end(),
                  [&](const TargetItem &item) {
                    return std::none_of(item.targets.begin(), item.targets.end(), built);
                  }) &&
      !((request.allowMissing || request.keepGoing) && anything);

  Findings findings;
  bool ok = true;
  const std::string name = nameOf(unit);
  for (size_t index = 0; index < targets.size(); ++index) {
    const Slot *slot = byTarget[index];
    const std::vector<Diagnostic> *diagnostics =
        slot ? &slot->result.diagnostics : refusalOf(request, unit, targets[index]);
    if (!diagnostics)
      continue;
    bool isMissing = false;
    for (const Diagnostic &one : *diagnostics) {
      if (unit.isLarge && one.severity != Severity::Error) // told of the ordinary variant
        continue;
      if (fatal || one.severity != Severity::Error)
        findings.add(one, targets[index].str(), one.severity);
      else if (!isMissing) // its first error says enough
        missing.add(name, targets[index], one);
      isMissing |= one.severity == Severity::Error;
      ok &= !fatal || one.severity != Severity::Error;
    }
  }
  sink.setKernel(unit.instance);
  findings.report(sink, name);
  sink.setKernel({});
  return ok;
}

/// Judges all kernels of a module. Those with errors are lost.
/// \param slots of each unit
void judgeAll(const CompileRequest &request, FrontendResult &module,
              const std::vector<UnitSlots> &slots, const std::vector<Target> &targets,
              const std::vector<TargetItem> &items, MissingVariants &missing,
              DiagnosticSink &sink) {
  for (size_t kernel = 0; kernel < module.kernels.size(); ++kernel)
    if (!judge(request, module.kernels[kernel], slots[kernel],
               coverage(request, module.kernels, kernel, slots, targets), targets, items, missing,
               sink))
      module.lost.insert(module.kernels[kernel].instance);
}

/// Says which kernels a build that keeps going leaves out. A module of which nothing is left is an
/// error.
void reportLost(const CompileRequest &request, const std::vector<FrontendResult> &modules,
                DiagnosticSink &sink) {
  if (!request.keepGoing)
    return;
  size_t total = 0;
  Diagnostic note{Severity::Note, {}, {}, {}, {}};
  for (size_t index = 0; index < modules.size(); ++index) {
    const FrontendResult &module = modules[index];
    std::set<std::string> all = module.lost;
    for (const KernelUnit &unit : module.kernels)
      all.insert(unit.instance);
    total += all.size();
    note.kernels.insert(note.kernels.end(), module.lost.begin(), module.lost.end());
    if (all.size() == module.lost.size())
      sink.error({}, Problem::NothingToBuild,
                 "no kernel of '" + request.modules[index].front() + "' is left to build");
  }
  if (note.kernels.empty())
    return;
  note.message = std::to_string(note.kernels.size()) + " of " + std::to_string(total) +
                 " kernels are left out: " + shortList(note.kernels, 8);
  sink.report(std::move(note));
}

} // namespace

namespace {

/// The result of --syntax-only for modules that passed the frontend. It reports kernels for which
/// an item of the target list has no code, as far as that is known without making code. If another
/// target of the item has the kernel, only the build itself can tell.
std::vector<CompiledModule> judgeFrontend(const CompileRequest &request,
                                          std::vector<FrontendResult> modules,
                                          const std::vector<Target> &targets,
                                          const std::vector<TargetItem> &items,
                                          DiagnosticSink &findings, DiagnosticSink &sink) {
  std::vector<CompiledModule> results;
  MissingVariants untold(targets);
  for (FrontendResult &module : modules) {
    const std::vector<UnitSlots> none(module.kernels.size(), UnitSlots(targets.size()));
    judgeAll(request, module, none, targets, items, untold, findings);
    CompiledModule result;
    for (const FrontendResult::Source &source : module.sources)
      if (!source.isStream)
        result.dependencies.push_back(source.path);
    result.names = std::move(module.names);
    results.push_back(std::move(result));
  }
  reportLost(request, modules, sink);
  return sink.hasErrors() ? std::vector<CompiledModule>() : std::move(results);
}

/// A sink for what is found in kernels, whose errors --keep-going tolerates. It does not tolerate
/// warnings that -Werror makes errors, since `sink` does that.
/// \param withWarnings false: drops what an earlier step has already reported
DiagnosticSink kernelSink(const CompileRequest &request, bool withWarnings, DiagnosticSink &sink) {
  return DiagnosticSink([&request, &sink, withWarnings](Diagnostic &one) {
    const bool isError = one.severity == Severity::Error;
    one.isTolerated = isError && request.keepGoing;
    if (isError || withWarnings)
      sink.report(one);
    return true;
  });
}

} // namespace

void checkConstants(const char *option, const std::vector<std::string> &constants,
                    const ModuleNames &names, DiagnosticSink &sink) {
  for (const std::string &text : constants)
    if (std::string name = text.substr(0, text.find('=')); !names.contains(name))
      sink.error({}, Problem::ConstantUnknown,
                 std::string(option) + " '" + text + "': no file has a constant '" + name + "'",
                 suggestion(name, {names.assigned.begin(), names.assigned.end()}));
}

/// True if `one` is `other` with the same features or more.
static bool holds(const Target &one, const Target &other) { // features are in order
  return one.backend == other.backend && one.arch == other.arch && one.wave == other.wave &&
         std::includes(one.features.begin(), one.features.end(), other.features.begin(),
                       other.features.end());
}

/// True if the kernel's job for `target` made a variant that the job for one of `all` targets with
/// more features makes too, here or in another shard. That kernel may have asked for its facts.
static bool isOfOther(const Target &variant, const Target &target, const std::vector<Target> &all,
                      const KernelUnit &unit, const UnitSlots &slots) {
  return std::any_of(all.begin(), all.end(), [&](const Target &other) {
    if (other.features.size() <= target.features.size() || !holds(other, target) ||
        !holds(variant, other) || !unit.byTarget.count(factsOf(other)))
      return false;
    const auto slot = std::find_if(slots.begin(), slots.end(), [&](const Slot *one) {
      return one && one->job.target.str() == other.str();
    });
    if (slot == slots.end())
      return true;
    const std::vector<BuiltVariant> &made = (*slot)->result.variants;
    return std::any_of(made.begin(), made.end(), [&](const BuiltVariant &built) {
      return built.target.str() == variant.str();
    });
  });
}

std::vector<CompiledModule> compile(const CompileRequest &request, const Environment &environment,
                                    SourceFiles &files, DiagnosticSink &sink,
                                    const Progress &progress, CacheUse *cacheUse) {
  Caches caches;
  if (!request.cacheFolder.empty() && request.saveTemps.empty() && request.dumpIr.empty()) {
    caches.folder.emplace(request.cacheFolder, request.cacheLimit, request.cacheSecret);
    compilerIdentity(); // before `native` loads drivers, and the remote cache loads libcurl
  }
  std::vector<TargetItem> items = expandTargets(request.targets);
  const BuildTargets all = withFactVariants(uniqueTargets(items));
  std::vector<Target> targets = all.all;
  const std::vector<AttachedFile> attached = readAttachments(request, environment);
  const std::vector<packager::Measurement> measured = readTuning(request, environment);
  TargetKinds kinds = kindsOf(request, targets); // also in a shard, which has the same kernels
  if (request.shard) {
    // A kernel refused for every target still needs a signature.
    if (request.allowMissing) {
      TargetFacts usual = factsOf(targets.front());
      usual.wave = defaultWave;
      kinds.all.insert(std::move(usual));
    }
    targets = partOf(targets, *request.shard);
  }
  DiagnosticSink findings = kernelSink(request, true, sink);
  DiagnosticSink frontend = kernelSink(request, !request.frontendChecked, sink);
  reportToolWarnings(targets, frontend);

  // Files to typed kernels.
  std::vector<FrontendResult> modules;
  for (const std::vector<std::string> &paths : request.modules)
    modules.push_back(runFrontend(request, paths, kinds, environment, files, frontend, progress));
  for (FrontendResult &module : modules)
    for (KernelUnit &unit : module.kernels)
      dropSameCode(all, unit);
  checkRequests(request, modules, findings);
  // Each file of a build may have some of the constants.
  ModuleNames names;
  bool isBroken = false;
  for (const FrontendResult &module : modules) {
    names.add(module.names);
    isBroken |= module.isBroken;
  }
  if (!request.sharedConstants && !isBroken)
    checkConstants("--const", request.constants, names, sink);
  if (!isBroken)
    checkConstants("--tune", request.tune, names, sink);
  if (sink.hasErrors() || request.checkOnly)
    return {};
  if (request.syntaxOnly)
    return judgeFrontend(request, std::move(modules), targets, items, findings, sink);

  // Kernels to images.
  std::vector<Slot> slots = planJobs(request, modules, targets);
  if (caches.folder && !caches.folder->isRefused() && !request.remote.url.empty())
    caches.remote.emplace(request.remote, request.cacheFolder, request.cacheSecret);
  runJobs(slots, std::max(request.jobs, 1u), files, caches, progress);
  printDumps(slots, request, environment, sink);

  // Images to modules.
  std::vector<CompiledModule> results;
  MissingVariants missing(targets);
  std::vector<std::vector<UnitSlots>> byUnits;
  for (size_t module = 0; module < modules.size(); ++module) {
    byUnits.push_back(slotsOf(slots, module, modules[module], targets.size()));
    judgeAll(request, modules[module], byUnits.back(), targets, items, missing, findings);
  }
  if (!sink.hasErrors())
    missing.report(sink);
  reportLost(request, modules, sink);
  if (sink.hasErrors()) {
    finishCaches(caches, cacheUse, sink);
    return {};
  }
  for (size_t module = 0; module < modules.size(); ++module) {
    Packager packager(request, modules[module]);
    const std::vector<KernelUnit> &units = modules[module].kernels;
    for (size_t kernel = 0; kernel < units.size(); ++kernel) {
      const KernelUnit &unit = units[kernel];
      const UnitSlots &byTarget = byUnits[module][kernel];
      if (modules[module].lost.count(unit.instance))
        continue;
      packager.addKernel(unit);
      for (size_t index = 0; index < targets.size(); ++index) {
        const Slot *slot = byTarget[index];
        if (slot && !slot->result.variants.empty()) {
          for (const BuiltVariant &built : slot->result.variants)
            if (!isOfOther(built.target, targets[index], all.all, unit, byTarget))
              packager.addVariant(*slot->job.kernel, targetOf(unit, built.target), built.image);
        } else if (const auto *why = slot ? &slot->result.diagnostics
                                          : refusalOf(request, unit, targets[index])) {
          packager.addRefusal(targetOf(unit, targets[index]), firstError(*why));
        }
      }
    }
    if (progress)
      progress(module, modules.size(), "compressing");
    for (const AttachedFile &file : attached)
      packager.attach(file.name, file.bytes);
    attachTuning(measured, modules[module], packager);
    attachRequests(modules[module], packager);
    results.push_back(packager.finish(caches.folder ? &*caches.folder : nullptr));
    for (const AttachedFile &file : attached)
      if (!isStream(environment, file.path))
        results.back().dependencies.push_back(file.path);
    if (!request.tuning.empty() && !isStream(environment, request.tuning))
      results.back().dependencies.push_back(request.tuning);
    if (progress)
      progress(0, 0, "");
    results.back().names = std::move(modules[module].names);
  }
  finishCaches(caches, cacheUse, sink);
  return sink.hasErrors() ? std::vector<CompiledModule>() : std::move(results);
}

} // namespace sextant
