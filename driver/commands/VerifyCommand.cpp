// `sextant verify`: checks every record and image of modules, and that they hold what they must.
#include "driver/commands/Budget.h"
#include "driver/commands/Commands.h"
#include "driver/commands/KeyFiles.h"
#include "driver/commands/Messages.h"
#include "driver/commands/ModuleFile.h"
#include "packager/Json.h"
#include "packager/Require.h"

#include <CLI/CLI.hpp>
#include <optional>

namespace sextant {
namespace {

struct VerifyOptions {
  std::vector<std::string> modules, publicKeys;
  Budget budget;
  bool json = false;
};

/// The problems of one module. The module is good if there are none.
struct Findings {
  std::string path;
  size_t bytes = 0;
  std::string note;
  std::optional<Refusal> refusal; ///< damage, or a budget that is exceeded
  std::vector<packager::Missing> missing;

  bool good() const { return !refusal && missing.empty(); }
};

Findings verifyModule(const VerifyOptions &options, const std::vector<packager::Pattern> &patterns,
                      const std::string &path, const Environment &environment) {
  Findings findings;
  findings.path = path;
  try {
    const module::Reader reader =
        openModule(environment, path, trustIn(environment, options.publicKeys));
    const std::string file = readFile(environment, path);
    findings.bytes = file.size();
    const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
    if (module::Status status = reader.verify(); !status.ok())
      throw refusalOf(path, status);
    findings.missing = packager::findMissing(allKernels(reader), patterns);
    Budget others = options.budget;
    others.require.clear();
    findings.note = checkBudget(others, path, bytes);
  } catch (const Refusal &refusal) {
    findings.refusal = refusal;
  }
  return findings;
}

void print(const Findings &findings, Environment &environment) {
  if (findings.good())
    environment.out << findings.path << ": good\n";
  if (!findings.note.empty())
    sayNote(environment, findings.note);
  if (findings.refusal)
    say(environment, errorOf(*findings.refusal));
  for (const packager::Missing &missing : findings.missing)
    say(environment,
        errorOf({Problem::BudgetExceeded, "'" + findings.path + "': " + str(missing)}));
}

void putJson(packager::JsonWriter &json, const Findings &findings) {
  json.beginObject().member("module", findings.path).member("bytes", findings.bytes);
  json.member("good", findings.good()).key("error");
  findings.refusal ? json.value(findings.refusal->what()) : json.null();
  json.key("note");
  findings.note.empty() ? json.null() : json.value(findings.note);
  json.key("missing").beginArray();
  for (const packager::Missing &missing : findings.missing) {
    json.beginObject().member("require", missing.pattern).key("kernel");
    missing.kernel.empty() ? json.null() : json.value(missing.kernel);
    json.member("reason", missing.reason).endObject();
  }
  json.endArray().endObject();
}

int verifyCommand(const VerifyOptions &options, Environment &environment) {
  const auto patterns =
      require(packager::parsePatterns(options.budget.require), Problem::OptionValueWrong);
  packager::JsonWriter json;
  json.beginDocument().key("modules").beginArray();
  bool good = true;
  for (const std::string &path : options.modules) {
    const Findings findings = verifyModule(options, patterns, path, environment);
    good &= findings.good();
    if (options.json)
      putJson(json, findings);
    else
      print(findings, environment);
  }
  json.endArray().endObject();
  if (options.json)
    environment.out << json.str();
  return good ? 0 : 1;
}

} // namespace

void addVerifyCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App *verify = app.add_subcommand("verify", "Check modules for damage and completeness");
  verify->add_option("modules", options->modules, "the modules (.sxt)")->required();
  verify->add_option("--public-key", options->publicKeys,
                     "a trusted public key; refuse modules that no given key signed");
  addBudgetOptions(*verify, options->budget);
  verify->add_flag("--json", options->json, "what was found, as one JSON object");
  actions[verify] = [options, &environment] { return verifyCommand(*options, environment); };
}

} // namespace sextant
