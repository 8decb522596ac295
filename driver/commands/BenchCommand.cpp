// `sextant bench`: times the variants of a kernel that a device runs, on given arguments, and can
// record which is the fastest.
#include "driver/commands/CallOptions.h"
#include "driver/commands/Commands.h"
#include "driver/commands/VariantRules.h"
#include "driver/host/KernelMeasure.h"
#include "packager/Json.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <sstream>

namespace sextant {
namespace {

struct BenchOptions {
  CallOptions call;
  MeasureSettings measure;
  bool json = false;
  std::string prefer; ///< the file to write the winner to
};

//===--- Output ------------------------------------------------------------===//

std::string jsonOf(const Signature &signature, const Device::Info &device,
                   const std::vector<sxt_measurement> &measurements) {
  packager::JsonWriter json;
  json.beginDocument().member("kernel", signature.name);
  json.key("device").beginObject();
  json.member("name", device.name).member("description", device.description);
  json.member("backend", device.backend).member("arch", device.arch).endObject();
  json.key("variants").beginArray();
  for (const sxt_measurement &m : measurements) {
    json.beginObject().member("target", m.target);
    json.member("selected", m.selected != 0).member("fastest", m.fastest != 0);
    if (m.problem)
      json.member("problem", m.problem);
    else
      json.member("median_ms", m.median_ms)
          .member("minimum_ms", m.minimum_ms)
          .member("spread_ms", m.spread_ms)
          .member("samples", m.samples)
          .member("launches", m.launches);
    json.endObject();
  }
  return json.endArray().endObject().str();
}

//===--- Preferences -------------------------------------------------------===//

/// Returns the file's text with the kernel's line for the device replaced or added. Lines of other
/// kernels and comments stay. Throws Refusal if the file has another format.
std::string withPreference(const std::string &text, const std::string &path,
                           const std::string &kernel, const std::string &device,
                           const std::string &target) {
  std::string result;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> found;
    for (std::string word; words >> word;)
      found.push_back(word);
    if (!found.empty() && found.size() != 3)
      throw Refusal(Problem::MeasurementsMissing,
                    path + ":" + std::to_string(number) +
                        ": this is not a file of preferences, lines of 'KERNEL DEVICE TARGET'",
                    "name another file, or remove this one");
    if (found.empty() || found[0] != kernel || found[1] != device)
      result += line + "\n";
  }
  return result + kernel + " " + device + " " + target + "\n";
}

/// The file is read before anything is measured, so that a wrong file is reported at once.
std::string oldPreferences(const BenchOptions &options, const Environment &environment) {
  if (options.prefer.empty() || !std::filesystem::exists(resolvePath(environment, options.prefer)))
    return "";
  std::string text = readFile(environment, options.prefer);
  (void)withPreference(text, options.prefer, "", "", "");
  return text;
}

//===--- The command -------------------------------------------------------===//

int benchCommand(BenchOptions options, Environment &environment) {
  options.call = sorted(std::move(options.call));
  Module module = openForLaunch(environment, options.call.module);
  Signature signature = findKernel(module, options.call.kernel);
  checkRules(environment, options.call, signature.name);
  HostArguments host = readArguments(signature, options.call, environment);
  std::string preferences = oldPreferences(options, environment);
  Chosen chosen = choose(options.call, module, signature, environment);
  writeFields(chosen, options.call, environment);
  const std::vector<sxt_measurement> measurements =
      measure(chosen, signature, host, options.measure);
  std::string fastest;
  for (const sxt_measurement &one : measurements)
    if (one.fastest)
      fastest = one.target;

  Device::Info device = chosen.device.info();
  if (!options.prefer.empty())
    writeFile(environment, options.prefer,
              withPreference(preferences, options.prefer, signature.name,
                             std::string(device.backend) + ":" + device.arch, fastest));
  if (options.json) {
    environment.out << jsonOf(signature, device, measurements);
    return 0;
  }
  printMeasurements(environment.out, signature, device, measurements);
  return 0;
}

} // namespace

void addBenchCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App *bench = app.add_subcommand("bench", "Time the variants of a kernel that a device runs");
  addCallOptions(*bench, options->call);
  addMeasureOptions(*bench, options->measure);
  bench->add_flag("--json", options->json, "print one JSON object");
  bench->add_option("--prefer", options->prefer,
                    "FILE: write the fastest variant down; with SEXTANT_PREFER=FILE, programs "
                    "then run it");
  actions[bench] = [options, &environment] {
    return calling([&] { return benchCommand(*options, environment); });
  };
}

} // namespace sextant
