// `sextant explain`: which variant of a kernel a device runs, and why not the others.
#include "driver/Commands.h"
#include "driver/ModuleFile.h"
#include "loader/format/Select.h"

#include "sextant/sextant.hpp"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

struct ExplainOptions {
  std::string module, kernel;
  std::vector<std::string> as; ///< devices that are named, not present
};

/// Facts of the devices that are here.
std::vector<std::pair<std::string, module::DeviceFacts>> presentDevices() {
  std::vector<std::pair<std::string, module::DeviceFacts>> devices;
  for (const Device::Info &info : Device::all()) {
    module::DeviceFacts facts;
    facts.backend = info.backend;
    facts.arch = info.arch;
    facts.waves.assign(info.wave_sizes, info.wave_sizes + info.wave_size_count);
    facts.features.assign(info.features, info.features + info.feature_count);
    // What its driver takes is what a driver of its kind takes: the loader asks it.
    if (auto named = module::factsOf(facts.backend + ":" + facts.arch))
      facts.numbers = named->numbers;
    devices.emplace_back(std::string(info.name) + ", " + info.description, facts);
  }
  return devices;
}

void explainKernel(const module::Kernel &kernel, const module::DeviceFacts &facts,
                   std::ostream &out) {
  std::vector<module::Verdict> verdicts = module::select(facts, kernel.variants);
  out << "  " << kernel.instance << "\n";
  bool chosen = false;
  for (const module::Verdict &verdict : verdicts) {
    bool first = verdict.usable && !chosen;
    chosen |= first;
    out << "    "
        << (first            ? "runs    "
            : verdict.usable ? "could   "
                             : "no      ")
        << module::str(kernel.variants[verdict.variant].target) << ": " << verdict.reason << "\n";
  }
  for (const module::Refusal &refusal : kernel.refusals)
    if (refusal.target.backend == facts.backend)
      out << "    missing " << module::str(refusal.target) << ": " << refusal.reason << "\n";
  if (!chosen)
    out << "    nothing runs here\n";
}

int explainCommand(const ExplainOptions &options, Environment &environment) {
  module::Reader reader = openModule(environment, options.module);
  std::vector<module::Kernel> kernels =
      options.kernel.empty() ? allKernels(reader)
                             : std::vector<module::Kernel>{findKernel(reader, options.kernel)};
  std::vector<std::pair<std::string, module::DeviceFacts>> devices;
  for (const std::string &name : options.as) {
    std::optional<module::DeviceFacts> facts = module::factsOf(name);
    if (!facts)
      throw Refusal(
          "unknown device '" + name + "'",
          "name an architecture: sm_86, x86-64-v3, aarch64 (`sextant targets` lists them)");
    devices.emplace_back("a " + facts->backend + " device of " + facts->arch, *facts);
  }
  if (devices.empty())
    devices = presentDevices();
  for (const auto &[name, facts] : devices) {
    environment.out << name << "\n";
    for (const module::Kernel &kernel : kernels)
      explainKernel(kernel, facts, environment.out);
  }
  return 0;
}

} // namespace

void addExplainCommand(CLI::App &app, Environment &environment, Action &action) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App *explain = app.add_subcommand("explain", "Show which variant a device runs, and why");
  explain->add_option("module", options->module, "the module (.sxt)")->required();
  explain->add_option("kernel", options->kernel, "the kernel; default: all");
  explain->add_option("--as", options->as, "a device that is not here: sm_86, x86-64-v3")
      ->allow_extra_args(false);
  explain->callback([options, &environment, &action] {
    action = [options, &environment] {
      try {
        return explainCommand(*options, environment);
      } catch (const Error &error) {
        throw Refusal(error.what());
      }
    };
  });
}

} // namespace sextant
