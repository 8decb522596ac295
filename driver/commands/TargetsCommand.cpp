// `sextant targets`: lists what this build can compile for.
#include "driver/commands/Commands.h"
#include "driver/compile/Targets.h"
#include "packager/Json.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

void putWaves(packager::JsonWriter &json, const char *name, const std::vector<unsigned> &waves) {
  json.key(name).beginArray();
  for (unsigned wave : waves)
    json.value(wave);
  json.endArray();
}

struct TargetsOptions {
  std::vector<std::string> targets, tuneTargets;
  bool json = false;
};

std::string targetsJson(const std::vector<ArchRow> &rows) {
  packager::JsonWriter json;
  json.beginDocument().key("targets").beginArray();
  for (const ArchRow &arch : rows) {
    json.beginObject().member("target", arch.backend + ":" + arch.arch);
    json.member("backend", arch.backend).member("arch", arch.arch);
    json.member("description", arch.description);
    putWaves(json, "waves", arch.waves);
    putWaves(json, "namedWaves", arch.extraWaves);
    json.member("major", arch.major).member("native", arch.native).endObject();
  }
  return json.endArray().endObject().str();
}

int targetsCommand(const TargetsOptions &options, Environment &environment) {
  const std::vector<ArchRow> rows = listArchs(options.targets, options.tuneTargets);
  if (options.json) {
    environment.out << targetsJson(rows);
    return 0;
  }
  std::string waves, row;
  environment.out << "target                  waves\n";
  for (const ArchRow &arch : rows) {
    row = arch.backend + ":" + arch.arch;
    row.resize(std::max<size_t>(row.size() + 1, 24), ' ');
    waves.clear();
    for (unsigned wave : arch.waves)
      waves += (waves.empty() ? "" : " ") + std::to_string(wave);
    for (unsigned wave : arch.extraWaves)
      waves += " (" + std::to_string(wave) + ")";
    waves.resize(std::max<size_t>(waves.size() + 1, 20), ' ');
    environment.out << row << waves << arch.description << (arch.major ? " (major)" : "")
                    << (arch.native ? " (this machine)" : "") << "\n";
  }
  environment.out << "\nWrite backend:arch[+feature…][/waveN], only an architecture, a backend "
                     "(its major\narchitectures), native (this machine), all-major or all. The "
                     "first wave is the "
                     "default, one in\nparentheses has to be named: /all-waves leaves it out.\n";
  return 0;
}

} // namespace

void addTargetsCommand(CLI::App &app, Environment &environment, Actions &actions) {
  CLI::App *targets = app.add_subcommand("targets", "List what this build can compile for");
  auto options = std::make_shared<TargetsOptions>();
  targets->add_option(
      "-t,--targets", options->targets,
      "only those that this list means, as for `compile`; an unknown one is an error");
  targets->add_option("--tune-targets", options->tuneTargets,
                      "as for `compile`: it is an error if none of the targets is like this one");
  targets->add_flag("--json", options->json, "print one JSON object");
  actions[targets] = [options, &environment] { return targetsCommand(*options, environment); };
}

} // namespace sextant
