// `sextant compile`: turns options into builds, and builds into files.
#include "driver/commands/Commands.h"
#include "driver/commands/CompileOptions.h"
#include "driver/commands/CompileOutputs.h"
#include "driver/commands/MessageSections.h"
#include "driver/commands/Messages.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <list>

namespace sextant {
namespace {
namespace fs = std::filesystem;

/// The commands that explain the first kinds of errors: "; `sextant help NAME` says more", or
/// nothing.
std::string whatExplains(const std::vector<Diagnostic> &diagnostics) {
  constexpr size_t shown = 3;
  std::vector<std::string> names;
  for (const Diagnostic &diagnostic : diagnostics) {
    const std::string name = problemName(diagnostic.problem);
    if (diagnostic.severity == Severity::Error && names.size() < shown &&
        std::find(names.begin(), names.end(), name) == names.end() && !messageSection(name).empty())
      names.push_back(name);
  }
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "; `sextant help " : ", `sextant help ") + name + "`";
  return text.empty() ? "" : text + (names.size() == 1 ? " says more" : " say more");
}

void print(const DiagnosticSink &sink, const Environment &environment) {
  const bool isText = !environment.messages.json;
  for (const Diagnostic &diagnostic : sink.diagnostics()) {
    say(environment, diagnostic);
    if (isText)
      environment.err << "\n";
  }
  unsigned errors = sink.errorCount();
  if (!errors || !isText)
    return;
  environment.err << errors << (errors == 1 ? " error" : " errors");
  environment.err << (environment.errIsTerminal ? whatExplains(sink.diagnostics()) : "") << "\n";
}

/// Progress: a line that is overwritten on terminals; with --progress, also lines in logs, one a
/// second.
Progress progressLine(const CompileOptionsText &options, Environment &environment) {
  const bool isTerminal = environment.errIsTerminal;
  const MessageRules &rules = environment.messages;
  if ((!isTerminal && !options.progress) || rules.quiet || (isTerminal && rules.json))
    return {};
  using Clock = std::chrono::steady_clock;
  return [&environment, isTerminal, last = Clock::time_point()](size_t done, size_t total,
                                                                const std::string &what) mutable {
    if (what.empty()) {
      if (isTerminal)
        environment.err << "\r\x1b[K" << std::flush;
      return;
    }
    const Clock::time_point now = Clock::now();
    if (now - last < std::chrono::milliseconds(isTerminal ? 40 : 1000))
      return;
    last = now;
    if (environment.messages.json) {
      sayNote(environment, "[" + std::to_string(done) +
                               (total ? "/" + std::to_string(total) : std::string()) + "] " + what);
      return;
    }
    environment.err << (isTerminal ? "\r\x1b[K[" : "[") << done;
    if (total)
      environment.err << "/" << total;
    environment.err << "] " << what << (isTerminal ? "" : "\n") << std::flush;
  };
}

/// Parses `I/N`, counted from 1.
TargetShard parseShard(const std::string &text) {
  unsigned index = 0, count = 0;
  char more = 0;
  if (std::sscanf(text.c_str(), "%u/%u%c", &index, &count, &more) != 2 || index < 1 ||
      index > count || count > 1000)
    throw Refusal(Problem::OptionValueWrong, "--shard '" + text + "' is not of the form I/N",
                  "write 1/4 to 4/4 for the four parts of a build");
  return {index - 1, count};
}

/// A build, and the place of its outputs.
using Plan = std::pair<std::vector<Output>, CompileRequest>;

/// Returns the result of `work`. A refusal gets the place in the manifest that it comes from.
template <typename Work> auto namingOrigin(const std::string &origin, Work work) {
  try {
    return work();
  } catch (const Refusal &refusal) {
    if (origin.empty())
      throw;
    throw Refusal(refusal.problem, origin + ": " + refusal.what(), refusal.fix);
  }
}

/// Calls compile(). Errors without a position get `origin` as their position.
std::vector<CompiledModule> compileFrom(const std::string &origin, const CompileRequest &request,
                                        const Environment &environment, SourceFiles &files,
                                        DiagnosticSink &sink, const Progress &progress,
                                        CacheUse &use) {
  DiagnosticSink own = sinkFor(environment);
  auto forward = [&] {
    for (Diagnostic one : own.diagnostics()) {
      if (!origin.empty() && !one.at.file && one.severity == Severity::Error)
        one.message.insert(0, origin + ": ");
      sink.report(std::move(one));
    }
  };
  try {
    std::vector<CompiledModule> modules = namingOrigin(
        origin, [&] { return compile(request, environment, files, own, progress, &use); });
    forward();
    return modules;
  } catch (const Refusal &) {
    forward();
    throw;
  }
}

/// Reports constants of a manifest that no module knows. Several modules may be given the same
/// constants, of which each may know some. If only some modules are built, the others may know the
/// constants that the manifest gives to all.
void checkSharedConstants(const std::vector<Plan> &plans, const ModuleNames &names, bool isWhole,
                          const std::string &manifest, DiagnosticSink &sink) {
  std::vector<std::string> constants;
  for (const auto &[outputs, request] : plans)
    if (request.sharedConstants)
      constants = request.constants; // the same for all of them
  DiagnosticSink own;
  if (isWhole)
    checkConstants("--const", constants, names, own);
  for (Diagnostic one : own.diagnostics()) {
    one.message.insert(0, manifest + ": ");
    sink.report(std::move(one));
  }
}

/// Translates the options for the pipeline.
CompileRequest requestOf(const CompileOptionsText &options, const std::vector<Output> &outputs,
                         const Environment &environment) {
  CompileRequest request = options.request;
  if (options.outDir.empty())
    request.modules = {options.sources};
  else
    for (const std::string &source : options.sources)
      request.modules.push_back({source});
  if (request.targets.empty())
    request.targets = {"cpu"};
  if (!options.shard.empty()) {
    request.shard = parseShard(options.shard);
    if (options.headerBeside || !options.header.empty())
      throw Refusal(Problem::OptionsExclusive, "a shard gets no header",
                    "`sextant merge` writes it, with --emit-header");
  }
  if (environment.variable)
    request.verifyStages = !environment.variable("SEXTANT_VERIFY_STAGES").value_or("").empty();
  if (options.saveTempsBeside)
    request.saveTemps = fs::path(outputs.front().module).parent_path().string();
  if (options.saveTempsBeside && request.saveTemps.empty())
    request.saveTemps = ".";
  if (!request.saveTemps.empty()) {
    makeFolder(environment, request.saveTemps);
    request.saveTemps = resolvePath(environment, request.saveTemps);
  }
  CacheSettings cache = cacheSettings(options.cache, environment);
  request.cacheFolder = cache.folder;
  request.cacheLimit = cache.limit;
  request.cacheSecret = cache.secret;
  request.remote = cache.remote;
  return request;
}

void printCacheUse(const CacheUse &use, const CompileRequest &request, Environment &environment) {
  environment.err << "cache: ";
  if (request.cacheFolder.empty()) {
    environment.err << "none\n";
    return;
  }
  environment.err << use.hits << " hits, " << use.misses << " misses in " << request.cacheFolder
                  << "\n";
  const RemoteUse &remote = use.remote;
  if (!request.remote.url.empty())
    environment.err << "remote cache: " << remote.hits << " hits, " << remote.misses << " misses, "
                    << remote.errors << " errors, " << remote.sent << " sent\n";
}

void add(CacheUse &to, const CacheUse &use) {
  to.hits += use.hits;
  to.misses += use.misses;
  to.remote.hits += use.remote.hits;
  to.remote.misses += use.remote.misses;
  to.remote.errors += use.remote.errors;
  to.remote.sent += use.remote.sent;
}

/// Writes the files of all builds, or no file at all.
int compileCommand(const CompileOptionsText &options, const CLI::App &command,
                   Environment &environment) {
  std::vector<Build> builds;
  if (options.manifest.empty())
    builds.push_back(buildOfSources(options, environment));
  else
    builds = buildsOfManifest(options, command, environment);

  DiagnosticSink sink = sinkFor(environment);
  SourceFiles files;
  CacheUse cacheUse;
  std::list<Environment> environments; // one a build; outputs point to them
  std::map<std::string, bool> paths;
  std::vector<Plan> plans;
  for (const Build &build : builds) {
    Environment &own = environments.emplace_back(environment);
    own.directory = build.directory;
    namingOrigin(build.origin, [&] {
      std::vector<Output> outputs = planOutputs(build.options, own);
      checkOutputs(outputs, build.options.sources, own, paths);
      CompileRequest request = requestOf(build.options, outputs, own);
      plans.emplace_back(std::move(outputs), std::move(request));
    });
  }
  std::vector<BuiltOutput> built;
  ModuleNames names;
  const Progress progress = progressLine(options, environment);
  try {
    auto own = environments.begin();
    for (size_t index = 0; index < builds.size(); ++index, ++own) {
      auto &[outputs, request] = plans[index];
      CacheUse use;
      request.checkOnly = sink.hasErrors();
      std::vector<CompiledModule> modules =
          compileFrom(builds[index].origin, request, *own, files, sink, progress, use);
      add(cacheUse, use);
      for (size_t number = 0; number < modules.size(); ++number) {
        if (request.sharedConstants)
          names.add(modules[number].names);
        const std::string note = namingOrigin(builds[index].origin, [&] {
          return request.syntaxOnly ? std::string()
                                    : checkBudget(builds[index].options.budget,
                                                  outputs[number].module, modules[number].bytes);
        });
        if (!note.empty())
          sink.report({Severity::Note, {}, note, {}, {}});
        if (!options.manifest.empty())
          modules[number].dependencies.push_back(absolutePath(environment, options.manifest));
        built.push_back({outputs[number], std::move(modules[number]),
                         builds[index].options.embedSymbol, &*own});
      }
    }
  } catch (const Refusal &refusal) {
    // Prints diagnostics in the order found, in the requested format.
    sink.report(errorOf(refusal));
  }
  if (!sink.hasErrors())
    checkSharedConstants(plans, names, options.modules.empty() || command.count("--const") != 0,
                         options.manifest, sink);
  if (!sink.hasErrors()) {
    try {
      for (const BuiltOutput &one : built)
        if (fs::path folder = fs::path(one.output.module).parent_path();
            !folder.empty() && (!options.outDir.empty() || !options.manifest.empty()))
          makeFolder(*one.environment, folder.string());
      writeOutputs(built);
    } catch (const Refusal &refusal) {
      sink.report(errorOf(refusal));
    }
  }
  print(sink, environment);
  if (options.verbose && !environment.messages.json)
    printCacheUse(cacheUse, plans.back().second, environment); // all have the same caches
  return sink.hasErrors() ? 1 : 0;
}

} // namespace

int compileWith(const std::vector<std::string> &arguments, Environment &environment) {
  CLI::App app;
  Actions actions;
  addCompileCommand(app, environment, actions);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  reversed.emplace_back("compile");
  app.parse(std::move(reversed));
  return actions.begin()->second();
}

void addCompileCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<CompileOptionsText>();
  CLI::App *compile = app.add_subcommand("compile", "Compile kernel files to a module");
  addCompileOptions(*compile, *options);
  actions[compile] = [options, compile, &environment] {
    return compileCommand(*options, *compile, environment);
  };
}

} // namespace sextant
