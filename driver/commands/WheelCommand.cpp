// `sextant wheel`: Python wheels of a module, for `pip install`.
#include "driver/Version.h"
#include "driver/bindings/EmitPython.h"
#include "driver/commands/Budget.h"
#include "driver/commands/Commands.h"
#include "driver/commands/CompressOption.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/OneOf.h"
#include "packager/Thin.h"
#include "packager/Wheel.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>
#include <thread>

namespace sextant {
namespace {
namespace fs = std::filesystem;

struct WheelCommandOptions {
  std::string module, output = ".", name, version = "0.0.0";
  bool thin = false, force = false;
  packager::BuildOptions build;
};

/// A wheel to write.
struct Wheel {
  std::string path;
  std::vector<std::byte> bytes;
};

/// Returns the whole module, once all of it was checked.
std::string checkedModule(const Environment &environment, const std::string &path) {
  const module::Reader reader = openModule(environment, path);
  if (const module::Status status = reader.verify(); !status.ok())
    throw refusalOf(path, status, "compile it again, or get it again");
  return isStream(environment, path) ? readStream(environment, path) : readFile(environment, path);
}

std::string nameOf(const WheelCommandOptions &options, const Environment &environment) {
  if (!options.name.empty())
    return options.name;
  if (isStream(environment, options.module))
    throw Refusal(Problem::OutputUnnamed, "'" + options.module + "' has no name", "pass --name");
  return fs::path(options.module).stem().string();
}

/// Returns the package's name. The distribution's may have an ending more.
std::string packageOf(const std::string &name) {
  const std::string package = require(packager::normalizedName(name), Problem::WheelNameWrong);
  if (const std::string problem = packageNameProblem(package); !problem.empty())
    throw Refusal(Problem::WheelNameWrong,
                  "the package would be called '" + package + "', which " + problem,
                  "pass another --name");
  return package;
}

/// \param name of the distribution, which may differ from the package's
Wheel wheelOf(const WheelCommandOptions &options, const std::string &name,
              const std::string &package, std::string module) {
  const std::string moduleFile = package + ".sxt";
  std::vector<packager::ArchivedFile> files;
  files.push_back({package + "/__init__.py",
                   emitPython(std::as_bytes(std::span(module)), moduleFile, options.version)});
  files.push_back({package + "/py.typed", ""});
  files.push_back({package + "/" + moduleFile, std::move(module)});
  const packager::WheelFacts facts{
      .name = name,
      .version = options.version,
      .summary = "GPU and CPU kernels, compiled ahead of time by Sextant",
      .generator = std::string("sextant ") + compilerVersion(),
      .needs = std::string("sextant-kernels-loader~=") + compilerVersion(),
  };
  const std::string file = packager::wheelFileName(
      require(packager::normalizedName(name), Problem::WheelNameWrong), options.version);
  return {(fs::path(options.output) / file).string(),
          require(packager::wheelOf(facts, std::move(files)), Problem::ModuleNotBuildable)};
}

/// Makes one wheel for each backend that the module has code for, with the code for CPUs as well,
/// for machines without such a GPU. All have every kernel's function.
std::vector<Wheel> thinWheels(const WheelCommandOptions &options, const std::string &name,
                              const std::string &package, const Environment &environment) {
  std::set<std::string> backends;
  const packager::Contents contents = readModule(environment, options.module);
  for (const module::Kernel &kernel : contents.kernels)
    for (const module::Variant &variant : kernel.variants)
      backends.insert(variant.target.backend);
  if (backends.empty())
    throw Refusal(Problem::KernelWithoutCode, "'" + options.module + "': the module has no code",
                  "leave --thin out");
  std::vector<Wheel> wheels;
  for (const std::string &backend : backends) {
    packager::ThinOptions thin;
    std::vector<std::string> keep{backend + ":*"};
    if (backends.count("cpu"))
      keep.push_back("cpu:*");
    thin.keep = require(packager::parsePatterns(keep));
    thin.allowEmptyKernels = true;
    const std::vector<std::byte> bytes = buildModule(
        environment, options.module,
        require(packager::thin(contents, thin), Problem::KernelWithoutCode), options.build, {});
    wheels.push_back(wheelOf(options, name + "-" + backend, package,
                             {reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
  }
  return wheels;
}

/// Writes all of them or nothing.
void writeWheels(const std::vector<Wheel> &wheels, bool force, const Environment &environment) {
  std::error_code code;
  for (const Wheel &wheel : wheels)
    if (!force && fs::exists(resolvePath(environment, wheel.path), code))
      throw Refusal(Problem::FileExists, "'" + wheel.path + "' exists",
                    "pass another --version, since pip keeps what it has of this one, or --force");
  for (size_t written = 0; written < wheels.size(); ++written) {
    const std::vector<std::byte> &bytes = wheels[written].bytes;
    try {
      writeFile(environment, wheels[written].path,
                {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    } catch (const Refusal &) {
      for (size_t index = 0; index < written; ++index)
        fs::remove(resolvePath(environment, wheels[index].path), code);
      throw;
    }
  }
}

int wheelCommand(const WheelCommandOptions &options, Environment &environment) {
  const std::string name = nameOf(options, environment);
  const std::string package = packageOf(name);
  if (const module::Status status = packager::checkVersion(options.version); !status.ok())
    refuse(status, Problem::WheelNameWrong);
  std::string module = checkedModule(environment, options.module);
  std::vector<Wheel> wheels;
  if (options.thin)
    wheels = thinWheels(options, name, package, environment);
  else
    wheels.push_back(wheelOf(options, name, package, std::move(module)));
  writeWheels(wheels, options.force, environment);
  for (const Wheel &wheel : wheels)
    environment.out << wheel.path << "\n";
  return 0;
}

} // namespace

void addWheelCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<WheelCommandOptions>();
  options->build.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App *wheel = app.add_subcommand("wheel", "Make a Python package of a module");
  wheel->add_option("module", options->module, "the module (.sxt)")->required();
  wheel->add_option("-o,--output", options->output,
                    "the folder of the wheel; default: the current one");
  wheel->add_option("--name", options->name,
                    "the distribution's name, which gives the package's; default: the module's");
  wheel->add_option("--version", options->version, "the distribution's version; default: 0.0.0");
  wheel->add_flag("--thin", options->thin,
                  "a wheel for each backend, with its code and that for CPUs: NAME-cuda, "
                  "NAME-amdgpu, NAME-cpu, …");
  wheel->add_flag("--force", options->force, "replace wheels that are there");
  wheel
      ->add_option("-j,--jobs", options->build.jobs, "worker threads of --thin; default: all cores")
      ->check(wholeNumber("--jobs", 1, 1024));
  addCompressOption(*wheel, options->build.compression);
  actions[wheel] = [options, &environment] { return wheelCommand(*options, environment); };
}

} // namespace sextant
