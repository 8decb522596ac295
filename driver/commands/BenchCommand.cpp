// `sextant bench`: times the variants of a kernel that a device runs, on given arguments, and can
// record which is the fastest.
#include "driver/commands/CallOptions.h"
#include "driver/commands/Commands.h"
#include "packager/Json.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <sstream>

namespace sextant {
namespace {

struct BenchOptions {
  CallOptions call;
  unsigned samples = 11;
  bool json = false;
  std::string prefer; ///< the file to write the winner to
};

//===--- Output ------------------------------------------------------------===//

std::string milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f ms", value);
  return text;
}

std::string noteOn(const sxt_measurement &m) {
  if (m.problem)
    return m.problem;
  if (m.fastest)
    return m.selected ? "selected, fastest" : "fastest";
  return m.selected ? "selected" : "";
}

void printTable(std::ostream &out, const std::vector<sxt_measurement> &measurements) {
  std::vector<std::vector<std::string>> rows = {
      {"variant", "median", "min", "spread", "launches", ""}};
  for (const sxt_measurement &m : measurements) {
    auto time = [&](double value) { return m.problem ? "-" : milliseconds(value); };
    rows.push_back(
        {m.target, time(m.median_ms), time(m.minimum_ms), time(m.spread_ms),
         m.problem ? "-" : std::to_string(m.samples) + " x " + std::to_string(m.launches),
         noteOn(m)});
  }
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  for (const auto &row : rows) {
    std::string line = "  ";
    for (size_t column = 0; column < row.size(); ++column) {
      std::string blanks(widths[column] - row[column].size(), ' ');
      bool isText = column == 0 || column + 1 == row.size();
      line += isText ? row[column] + blanks : blanks + row[column];
      line += "  ";
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

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
      throw Refusal(path + ":" + std::to_string(number) +
                        ": this is no file of preferences, lines of 'KERNEL DEVICE TARGET'",
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
  HostArguments host = readArguments(signature, options.call, environment);
  std::string preferences = oldPreferences(options, environment);
  Chosen chosen = choose(options.call, module, signature, environment);
  writeFields(chosen, options.call, environment);
  DeviceArguments arguments = upload(chosen.device, signature, host);

  auto given = sized<sxt_measure_options>();
  given.samples = options.samples;
  size_t count = 0;
  require(sxt_program_measure(chosen.program.get(), signature.name.c_str(), nullptr,
                              arguments.list.data(), arguments.list.size(), &given, &count));
  std::vector<sxt_measurement> measurements(count, sized<sxt_measurement>());
  std::string fastest;
  for (size_t index = 0; index < count; ++index) {
    require(sxt_program_measurement(chosen.program.get(), signature.name.c_str(), index,
                                    &measurements[index]));
    if (measurements[index].fastest)
      fastest = measurements[index].target;
  }

  Device::Info device = chosen.device.info();
  if (!options.prefer.empty())
    writeFile(environment, options.prefer,
              withPreference(preferences, options.prefer, signature.name,
                             std::string(device.backend) + ":" + device.arch, fastest));
  if (options.json) {
    environment.out << jsonOf(signature, device, measurements);
    return 0;
  }
  environment.out << signature.name << " on " << device.name << " (" << device.description << ", "
                  << device.arch << "), times of one launch\n";
  printTable(environment.out, measurements);
  return 0;
}

} // namespace

void addBenchCommand(CLI::App &app, Environment &environment, Action &action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App *bench = app.add_subcommand("bench", "Time the variants of a kernel that a device runs");
  addCallOptions(*bench, options->call);
  bench->add_option("--samples", options->samples, "samples of each variant (11)")
      ->check(CLI::Range(1, 100000));
  bench->add_flag("--json", options->json, "print one JSON object");
  bench->add_option("--prefer", options->prefer,
                    "FILE: write the fastest variant down; with SEXTANT_PREFER=FILE, programs "
                    "then run it");
  bench->callback([options, &environment, &action] {
    action = [options, &environment] {
      try {
        return benchCommand(*options, environment);
      } catch (const Error &error) {
        throw Refusal(error.what());
      }
    };
  });
}

} // namespace sextant
