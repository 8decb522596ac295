// `sextant freeze`: runs a Python program once, whose Quadrants kernels the Python package
// `sextant` records as kernel files with a manifest, and compiles these.
#include "driver/commands/Commands.h"
#include "driver/commands/Messages.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/OneOf.h"
#include "driver/commands/Process.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>

namespace sextant {
namespace {
namespace fs = std::filesystem;

struct FreezeOptions {
  std::string output, sources, python;
  std::vector<std::string> targets, program;
  bool strict = false, fresh = false, recordOnly = false;
  std::string jobs, cacheFolder;
};

/// The exit status of sextant.frozen.record.
enum RecorderStatus : int { Recorded = 0, RecordedInPart = 3 };

/// Returns why this Python cannot record a program; nullopt if it can.
std::optional<Refusal> lackOf(const Environment &environment, const std::string &python) {
  static const char test[] = "import importlib.util as u, sys\n"
                             "lacks = [not u.find_spec(n) for n in ('sextant', 'quadrants')]\n"
                             "sys.exit(40 if lacks[0] else 41 if lacks[1] else 0)";
  int status = 0;
  try {
    status = runProcess(environment, {python, "-c", test}, Problem::PythonUnusable);
  } catch (const Refusal &refusal) {
    return refusal;
  }
  if (status == 40)
    return Refusal(Problem::PythonUnusable,
                   "'" + python + "' has no package `sextant`, which records programs",
                   "`" + python +
                       " -m pip install` its wheel, sextant_kernels_loader-….whl, or name another "
                       "Python: --python; see " +
                       pageName("python-wheels.md"));
  if (status == 41)
    return Refusal(Problem::PythonUnusable,
                   "'" + python + "' has no package `quadrants`, which the program runs under",
                   "`" + python +
                       " -m pip install quadrants==1.3.3`, or name another Python: --python");
  if (status != 0)
    return Refusal(Problem::PythonUnusable,
                   "'" + python + "' does not work: it ends with status " + std::to_string(status),
                   "name another Python: --python");
  return std::nullopt;
}

/// The Pythons that may be meant: that of the active environment, then those of the PATH.
std::vector<std::string> pythons(const Environment &environment) {
  std::vector<std::string> found;
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string folder =
        environment.variable ? environment.variable(name).value_or("") : std::string();
    for (const char *inside : {"bin/python", "Scripts/python.exe", "python.exe"})
      if (std::error_code code; !folder.empty() && fs::exists(fs::path(folder) / inside, code))
        found.push_back((fs::path(folder) / inside).string());
  }
  found.insert(found.end(), {"python3", "python"});
  return found;
}

/// Returns the first Python that can record a program. Throws Refusal about the first one of all,
/// which is the one that the user works with.
std::string pythonOf(const Environment &environment, const std::string &given) {
  std::optional<Refusal> problem;
  for (const std::string &python :
       given.empty() ? pythons(environment) : std::vector<std::string>{given}) {
    std::optional<Refusal> lack = lackOf(environment, python);
    if (!lack)
      return python;
    if (!problem)
      problem = std::move(lack);
  }
  throw *problem;
}

int freezeCommand(FreezeOptions options, Environment &environment) {
  if (isStream(environment, options.output))
    throw Refusal(Problem::OutputIsStream,
                  "a frozen module is written to a file, not to '" + options.output + "'");
  if (std::error_code code;
      !fs::is_regular_file(resolvePath(environment, options.program.front()), code))
    throw Refusal(Problem::FileUnreadable, "there is no program '" + options.program.front() + "'");
  const fs::path output = options.output;
  if (options.sources.empty())
    options.sources = fs::path(output).replace_extension(".frozen").string();
  options.python = pythonOf(environment, options.python);

  const std::string fromSources =
      fs::path(absolutePath(environment, options.output))
          .lexically_proximate(absolutePath(environment, options.sources))
          .string();
  std::vector<std::string> record = {
      options.python, "-m",     "sextant.frozen.record", "--folder", options.sources, "--output",
      fromSources,    "--name", output.stem().string()};
  for (const std::string &target : options.targets)
    record.push_back("--target=" + target);
  if (options.fresh)
    record.emplace_back("--fresh");
  if (environment.messages.json)
    record.emplace_back("--json");
  record.emplace_back("--");
  record.insert(record.end(), options.program.begin(), options.program.end());
  const int recorded = runProcess(environment, record, Problem::PythonUnusable);
  if (recorded != Recorded && recorded != RecordedInPart)
    return 1; // it said why
  if (recorded == RecordedInPart && options.strict) {
    sayError(environment, Problem::KernelWithoutCode,
             "--strict: some kernels are not recorded, so '" + options.output + "' is not built");
    return 1;
  }
  if (options.recordOnly)
    return 0;

  // The program's fields have readable memory around them.
  std::vector<std::string> compile = {"--manifest", options.sources + "/sextant.toml",
                                      "--outside-reads"};
  Environment compiling = environment;
  compiling.messages.leavesKernels = !options.strict;
  if (!options.strict)
    compile.emplace_back("--keep-going");
  if (!options.jobs.empty())
    compile.push_back("-j" + options.jobs);
  if (!options.cacheFolder.empty())
    compile.push_back("--cache-dir=" + options.cacheFolder);
  else if (!environment.variable || environment.variable("SEXTANT_CACHE_DIR").value_or("").empty())
    compile.push_back("--cache-dir=" + options.sources + "/.cache");
  return compileWith(compile, compiling);
}

} // namespace

void addFreezeCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<FreezeOptions>();
  CLI::App *freeze =
      app.add_subcommand("freeze", "Record a Quadrants program, and compile its kernels");
  freeze->add_option("-o,--output", options->output, "the module to write")->required();
  freeze
      ->add_option("-t,--targets", options->targets,
                   "as for `compile`; default: what the manifest has, or this CPU")
      ->delimiter(',');
  freeze->add_option("--sources", options->sources,
                     "the folder of kernel files and sextant.toml; default: OUTPUT's name with "
                     ".frozen. What it has already stays, so several runs add up");
  freeze->add_flag("--fresh", options->fresh, "forget what the folder has");
  freeze->add_option("--python", options->python,
                     "the Python to run the program with; default: the active environment's, or "
                     "the first one on the PATH, that has sextant and quadrants");
  freeze->add_flag("--strict", options->strict, "a kernel that cannot be had is an error");
  freeze->add_flag("--record-only", options->recordOnly, "write the kernel files, build nothing");
  freeze->add_option("-j,--jobs", options->jobs, "worker threads of the compiler")
      ->check(wholeNumber("--jobs", 1, 1024));
  freeze->add_option("--cache-dir", options->cacheFolder,
                     "the compiler's cache; default: SEXTANT_CACHE_DIR, or in the folder");
  freeze
      ->add_option(
          "program", options->program,
          "the Python program, and its arguments: those after its name that are not options "
          "of `freeze`, and all after `--`")
      ->required();
  freeze->allow_extras(); // they are arguments of the program
  actions[freeze] = [options, &environment] { return freezeCommand(*options, environment); };
}

} // namespace sextant
