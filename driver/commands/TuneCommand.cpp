// `sextant tune`: measures a kernel's variants on devices of this machine and writes into the
// module which is the fastest, so that loaders run that one.
#include "driver/commands/Budget.h"
#include "driver/commands/CallOptions.h"
#include "driver/commands/Commands.h"
#include "driver/commands/CompressOption.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/OneOf.h"
#include "driver/commands/VariantRules.h"
#include "packager/Tuning.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <thread>

namespace sextant {
namespace {

struct TuneOptions {
  CallOptions call;
  MeasureSettings measure;
  std::string output; ///< empty: the module itself
  std::string tuning; ///< the file that keeps measurements from one build to the next; or empty
  packager::BuildOptions build;
};

/// The arguments as they were given, in an order of their own, so that the same ones are the same
/// text.
std::string argumentsText(std::vector<std::string> arguments) {
  std::sort(arguments.begin(), arguments.end());
  std::string text;
  for (const std::string &argument : arguments)
    text += (text.empty() ? "" : " ") + argument;
  return text;
}

packager::Measurement measureOn(const Chosen &chosen, const Signature &signature,
                                const TuneOptions &options, Environment &environment) {
  writeFields(chosen, options.call, environment);
  HostArguments host = readArguments(signature, options.call, environment);
  const Device::Info device = chosen.device.info();
  const std::vector<sxt_measurement> rows = measure(chosen, signature, host, options.measure);
  printMeasurements(environment.out, signature, device, rows);
  packager::Measurement result{signature.name,
                               std::string(device.backend) + ":" + device.arch,
                               device.description,
                               argumentsText(options.call.arguments),
                               {}};
  for (const sxt_measurement &row : rows)
    if (!row.problem)
      result.milliseconds[row.target] = row.median_ms;
  return result;
}

/// The devices to measure on: the one that is asked for, or all that run the kernel, without
/// drivers that only stand in for a GPU.
std::vector<std::string> devicesFor(const TuneOptions &options, const Environment &environment) {
  if (!options.call.device.empty() || environment.variable("SEXTANT_DEVICE"))
    return {options.call.device};
  std::vector<std::string> names;
  for (const Device::Info &device : Device::all()) {
    names.emplace_back(device.name);
    if (names.back() == "cpu") // software devices follow it
      break;
  }
  return names;
}

std::vector<packager::Measurement> measureAll(const TuneOptions &options,
                                              Environment &environment) {
  const Module module = openForLaunch(environment, options.call.module);
  const Signature signature = findKernel(module, options.call.kernel);
  checkRules(environment, options.call, signature.name);
  std::vector<packager::Measurement> all;
  std::vector<std::string> passed;
  for (const std::string &name : devicesFor(options, environment)) {
    CallOptions call = options.call;
    call.device = name;
    try {
      const Chosen chosen = choose(call, module, signature, environment);
      all.push_back(measureOn(chosen, signature, options, environment));
    } catch (const Error &error) {
      if (!options.call.device.empty() ||
          (error.status() != SXT_ERROR_NO_VARIANT && error.status() != SXT_ERROR_NO_DEVICE))
        throw;
      passed.push_back(name);
    }
  }
  if (all.empty())
    throw Refusal(Problem::DeviceMissing, "no device here runs kernel '" + signature.name + "'",
                  "`sextant explain " + options.call.module + " -k " + signature.name +
                      "` says why; software devices are measured where --device names them");
  return all;
}

/// Reads a file of measurements, which need not be there yet. Throws Refusal.
std::vector<packager::Measurement> readTuning(const TuneOptions &options,
                                              const Environment &environment) {
  if (options.tuning.empty() || !std::filesystem::exists(resolvePath(environment, options.tuning)))
    return {};
  auto all = packager::parseMeasurements(readFile(environment, options.tuning));
  if (!all)
    throw Refusal(Problem::MeasurementsMissing, "'" + options.tuning + "': " + all.error().message,
                  "name another file, or remove this one");
  return std::move(*all);
}

int tuneCommand(TuneOptions options, Environment &environment) {
  options.call = sorted(std::move(options.call));
  const std::string output = options.output.empty() ? options.call.module : options.output;
  if (isStream(environment, output))
    throw Refusal(Problem::OutputIsStream,
                  "'" + output + "' is a stream, which a module cannot be written back to",
                  "name the module to write by -o");
  packager::Contents contents = readModule(environment, options.call.module);
  std::vector<packager::Measurement> known =
      require(packager::measurementsOf(contents), Problem::MeasurementsMissing);
  std::vector<packager::Measurement> kept = readTuning(options, environment);
  const std::vector<packager::Measurement> measured = measureAll(options, environment);
  packager::addAll(known, measured);
  packager::addAll(kept, measured);
  if (!options.tuning.empty())
    writeFile(environment, options.tuning, packager::textOf(kept));
  if (const module::Status status = packager::setMeasurements(contents, known); !status.ok())
    throw Refusal(Problem::ModuleNotBuildable, status.message,
                  "drop old measurements: compile the module again, without --tuning");
  const std::vector<std::byte> bytes =
      buildModule(environment, output, std::move(contents), options.build, {});
  writeFile(environment, output, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  for (const module::Tuned &one : packager::fastestOf(known))
    for (const packager::Measurement &here : measured)
      if (one.kernel == here.kernel && one.device == here.device && one.name == here.name)
        environment.out << one.kernel << " runs as " << one.target << " on " << one.device << " ("
                        << one.name << ") from now on\n";
  return 0;
}

} // namespace

void addTuneCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<TuneOptions>();
  options->build.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App *tune = app.add_subcommand(
      "tune", "Time the variants of a kernel here, and let the module run the fastest");
  addCallOptions(*tune, options->call);
  tune->get_option("--device")
      ->description(
          "cpu, cuda, hip:1, …; default: all that run the kernel, but for software devices");
  addMeasureOptions(*tune, options->measure);
  tune->add_option("-o,--output", options->output,
                   "the module to write; default: the module itself");
  tune->add_option("--tuning", options->tuning,
                   "also add what was measured to this text file: `sextant compile --tuning FILE` "
                   "gives it to the next build")
      ->type_name("FILE");
  tune->add_option("-j,--jobs", options->build.jobs, "worker threads; default: all cores")
      ->check(wholeNumber("--jobs", 1, 1024));
  addCompressOption(*tune, options->build.compression);
  actions[tune] = [options, &environment] {
    return calling([&] { return tuneCommand(*options, environment); });
  };
}

} // namespace sextant
