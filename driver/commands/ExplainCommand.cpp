// `sextant explain`: shows which variant of a kernel a device runs, and why not the others. The
// loader answers for this machine's devices, so that its rules count, environment variables
// included. For devices that are only named, selection answers.
#define SEXTANT_THROWS
#include "driver/commands/Commands.h"
#include "driver/commands/KernelOption.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/NamedDevice.h"
#include "driver/commands/OneOf.h"
#include "driver/commands/VariantRules.h"
#include "driver/host/KernelCall.h"
#include "frontend/spelling/Suggestion.h"
#include "frontend/spelling/Texts.h"
#include "loader/format/Text.h"
#include "packager/Json.h"
#include "packager/Tuning.h"

#include "sextant/sextant.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

namespace sextant {
namespace {

struct ExplainOptions {
  std::string module, kernel, device, variant;
  std::vector<std::string> as; ///< devices that are named, not present
  unsigned wave = 0;
  bool json = false;
};

/// The verdict on one variant.
struct Row {
  module::Target target;
  bool usable = false;
  std::string reason;
  bool runs = false;
};

/// A device in question.
struct Subject {
  std::string name, description, backend, arch;
  std::vector<unsigned> waves;
  std::vector<std::string> features;
  std::string problem; ///< why it cannot be opened, or ""
  /// Returns the rows of a kernel's variants. One of them runs, if any is usable.
  std::function<std::vector<Row>(const module::Kernel &)> ask;
};

/// A number of a device as the loader writes it, "ptx=8.4".
std::string numberText(const module::FactNumber &number) {
  return number.name + "=" + std::to_string(number.major) +
         (number.minor ? "." + std::to_string(number.minor) : "");
}

Subject namedSubject(const std::string &text, const module::SelectRules &rules,
                     const std::vector<module::Tuned> &tuned) {
  const module::DeviceFacts facts = parseNamedDevice(text);
  Subject subject{text,
                  "not asked whether it is here",
                  facts.backend,
                  facts.arch,
                  facts.waves,
                  facts.features,
                  "",
                  {}};
  for (const module::FactNumber &number : facts.numbers)
    if (number.major != 99) // any PTX
      subject.features.push_back(numberText(number));
  subject.ask = [facts, rules, &tuned](const module::Kernel &kernel) {
    const std::vector<module::Verdict> verdicts = module::select(facts, kernel.variants, rules);
    std::vector<Row> rows;
    for (const module::Verdict &verdict : verdicts)
      rows.push_back({kernel.variants[verdict.variant].target, verdict.usable, verdict.reason});
    if (rows.empty() || !rows.front().usable)
      return rows;
    const auto choice =
        module::chooseTuned(tuned, kernel.instance, facts, "", kernel.variants, verdicts);
    Row &chosen = rows[choice ? choice->verdict : 0];
    chosen.runs = true;
    if (choice)
      chosen.reason += "; " + choice->reason;
    return rows;
  };
  return subject;
}

Subject presentSubject(const Device::Info &info, const Module &module,
                       const ExplainOptions &options) {
  Subject subject{info.name, info.description, info.backend, info.arch, {}, {}, "", {}};
  subject.waves.assign(info.wave_sizes, info.wave_sizes + info.wave_size_count);
  subject.features.assign(info.features, info.features + info.feature_count);
  try {
    const Device device = Device::open(info.name);
    auto program = std::make_shared<Program>(module, device, options.variant, options.wave);
    subject.ask = [program](const module::Kernel &kernel) {
      std::map<std::string, module::Target> targets;
      for (const module::Variant &variant : kernel.variants)
        targets[module::str(variant.target)] = variant.target;
      std::vector<Row> rows;
      for (size_t index = 0; index < kernel.variants.size(); ++index) {
        sxt_verdict verdict;
        verdict.struct_size = sizeof verdict;
        check(sxt_program_verdict(program->get(), kernel.instance.c_str(), index, &verdict));
        rows.push_back(
            {targets[verdict.target], verdict.usable != 0, verdict.reason, verdict.selected != 0});
      }
      return rows;
    };
  } catch (const Error &error) {
    subject.problem = error.what();
  }
  return subject;
}

std::vector<Subject> findSubjects(const ExplainOptions &options, const Environment &environment,
                                  const std::vector<module::Tuned> &tuned) {
  std::vector<Subject> subjects;
  module::SelectRules rules;
  rules.wave = options.wave;
  rules.pin = options.variant;
  if (rules.pin.empty())
    rules.pin = environment.variable("SEXTANT_VARIANT").value_or("");
  rules.block(environment.variable("SEXTANT_BLOCK").value_or(""));
  for (const std::string &text : options.as)
    subjects.push_back(namedSubject(text, rules, tuned));
  if (!options.as.empty() && options.device.empty())
    return subjects;

  const Module module = openForLaunch(environment, options.module);
  std::vector<std::string> names;
  for (const Device::Info &info : Device::all()) {
    const std::string name = info.name;
    names.push_back(name);
    if (options.device.empty() || name == options.device || name == options.device + ":0")
      subjects.push_back(presentSubject(info, module, options));
  }
  if (!options.device.empty() && subjects.size() == options.as.size()) {
    const std::string near = suggestion(options.device, names);
    throw Refusal(Problem::DeviceMissing,
                  "this machine has no device '" + options.device + "'; it has " + joined(names),
                  (near.empty() ? "" : near + " ") +
                      "--as NAME explains for a device that is not here");
  }
  return subjects;
}

template <class Items> std::string listed(const Items &items) {
  std::stringstream text;
  for (const auto &item : items)
    text << " " << item;
  return text.str();
}

void printHead(const Subject &subject, std::ostream &out) {
  out << subject.name << ": " << subject.description << "\n  " << subject.backend << " "
      << subject.arch << ", wave" << listed(subject.waves) << "\n";
  if (!subject.features.empty())
    out << "  features:" << listed(subject.features) << "\n";
  if (!subject.problem.empty())
    out << "  cannot be opened: " << subject.problem << "\n";
}

/// Variants for other backends are counted, not listed, because their reason is always the same.
void printKernel(const module::Kernel &kernel, const Subject &subject, const std::vector<Row> &rows,
                 std::ostream &out) {
  out << "  " << kernel.instance << "\n";
  bool runs = false;
  size_t others = 0;
  for (const Row &row : rows) {
    if (row.target.backend != subject.backend) {
      ++others;
      continue;
    }
    runs |= row.runs;
    out << "    "
        << (row.runs     ? "runs    "
            : row.usable ? "could   "
                         : "no      ")
        << module::str(row.target) << ": " << module::printable(row.reason) << "\n";
  }
  for (const module::RefusedTarget &refusal : kernel.refusals)
    if (refusal.target.backend == subject.backend)
      out << "    missing " << module::str(refusal.target) << ": "
          << module::printable(refusal.reason) << "\n";
  if (others)
    out << "    no      " << others << " for other backends\n";
  if (!runs)
    out << "    nothing runs here\n";
}

void putStrings(packager::JsonWriter &json, const char *name,
                const std::vector<std::string> &items) {
  json.key(name).beginArray();
  for (const std::string &item : items)
    json.value(item);
  json.endArray();
}

void putHead(packager::JsonWriter &json, const Subject &subject) {
  json.member("name", subject.name).member("description", subject.description);
  json.member("backend", subject.backend).member("arch", subject.arch);
  json.key("waves").beginArray();
  for (unsigned wave : subject.waves)
    json.value(wave);
  json.endArray();
  putStrings(json, "features", subject.features);
  json.key("problem");
  subject.problem.empty() ? json.null() : json.value(subject.problem);
}

void putKernel(packager::JsonWriter &json, const module::Kernel &kernel,
               const std::vector<Row> &rows) {
  json.beginObject().member("instance", kernel.instance).key("runs");
  const auto chosen =
      std::find_if(rows.begin(), rows.end(), [](const Row &row) { return row.runs; });
  chosen == rows.end() ? json.null() : json.value(module::str(chosen->target));
  json.key("variants").beginArray();
  for (const Row &row : rows)
    json.beginObject()
        .member("target", module::str(row.target))
        .member("usable", row.usable)
        .member("reason", row.reason)
        .endObject();
  json.endArray().key("refusals").beginArray();
  for (const module::RefusedTarget &refusal : kernel.refusals)
    json.beginObject()
        .member("target", module::str(refusal.target))
        .member("reason", refusal.reason)
        .endObject();
  json.endArray().endObject();
}

int explainCommand(const ExplainOptions &options, Environment &environment) {
  const module::Reader reader = openModule(environment, options.module);
  const std::vector<module::Kernel> kernels =
      options.kernel.empty() ? allKernels(reader)
                             : std::vector<module::Kernel>{findKernel(reader, options.kernel)};
  checkRules(kernels, options.variant, options.wave);
  const std::vector<module::Tuned> tuned = require(packager::tunedOf(reader));
  const std::vector<Subject> subjects = findSubjects(options, environment, tuned);
  std::vector<bool> runs(kernels.size());
  packager::JsonWriter json;
  json.beginDocument().member("module", options.module).key("devices").beginArray();
  for (const Subject &subject : subjects) {
    putHead(json.beginObject(), subject);
    json.key("kernels").beginArray();
    if (!options.json)
      printHead(subject, environment.out);
    for (size_t index = 0; subject.ask && index < kernels.size(); ++index) {
      const std::vector<Row> rows = subject.ask(kernels[index]);
      runs[index] = runs[index] ||
                    std::any_of(rows.begin(), rows.end(), [](const Row &row) { return row.runs; });
      if (options.json)
        putKernel(json, kernels[index], rows);
      else
        printKernel(kernels[index], subject, rows, environment.out);
    }
    json.endArray().endObject();
  }
  json.endArray().endObject();
  if (options.json)
    environment.out << json.str();

  std::string idle;
  for (size_t index = 0; index < kernels.size(); ++index)
    if (!runs[index])
      idle += (idle.empty() ? "" : ", ") + kernels[index].instance;
  if (idle.empty())
    return 0;
  throw Refusal(Problem::DeviceMissing, "no device that was asked about runs " + idle);
}

constexpr char asHelp[] =
    "a device that is not here: sm_86, gfx90a:xnack+, x86-64-v3, metal:3.0,\n"
    "vulkan:1.2,subgroup=8..32,no-int64,float32-atomics; facts of Vulkan\n"
    "devices are features (int64 float64 float16 int8 int16 storage8 storage16\n"
    "push8 push16 int64-atomics shared-int64-atomics float32-atomics\n"
    "float64-atomics [shared-]float16-atomics [shared-]float16-minmax-atomics,\n"
    "-float32-, -float64-, memory-model subgroup-basic -vote\n"
    "-ballot -arithmetic -shuffle -shuffle-relative -clustered -extended-types\n"
    "float16-denorms -inf-nan, float32-, float64-, buffer-addresses,\n"
    "cooperative-matrix-mma shared-48k),\n"
    "no-FEATURE, and\n"
    "storage-buffers= shared-bytes= block-threads= push-bytes=";

} // namespace

void addExplainCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App *explain = app.add_subcommand("explain", "Show which variant a device runs, and why");
  explain->add_option("module", options->module, "the module (.sxt)")->required();
  addKernelOption(*explain, options->kernel, "the kernel or instance; default: all");
  explain->add_option("--as", options->as, asHelp);
  explain->add_option("--device", options->device,
                      "a device of this machine (`sextant devices`); default: all of them");
  explain->add_option("--variant", options->variant,
                      "consider only variants that this names: sm_90, gfx1100/wave64, /wave8");
  explain->add_option("--wave", options->wave, "consider only this wave size")
      ->check(wholeNumber("--wave", 1));
  explain->add_flag("--json", options->json, "one JSON object, with every variant");
  explain->footer("Exit status 1: a kernel runs on none of the devices that were asked about.");
  actions[explain] = [options, &environment] {
    return calling([&] {
      return reading(options->module, [&] { return explainCommand(*options, environment); });
    });
  };
}

} // namespace sextant
