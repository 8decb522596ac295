#include "driver/commands/CallOptions.h"

#include "driver/commands/OneOf.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace sextant {

CallOptions sorted(CallOptions options) {
  if (!options.kernelOption.empty()) {
    if (!options.kernel.empty())
      options.arguments.insert(options.arguments.begin(), options.kernel);
    options.kernel = std::exchange(options.kernelOption, "");
  }
  if (options.kernel.empty())
    throw Refusal(Problem::OptionMissing, "no kernel is named",
                  "name it after the module, or with -k; `sextant inspect " + options.module +
                      "` lists them");
  return options;
}

void addCallOptions(CLI::App &command, CallOptions &options) {
  command.add_option("module", options.module, "the module (.sxt)")->required();
  command.add_option("kernel", options.kernel, "the kernel or instance");
  command.add_option("arguments", options.arguments,
                     "NAME=VALUE for every argument: a number, FILE.npy, zeros:f32[8], "
                     "iota:i32[4,4], random:f32[8], bits:u32[8], const:1.5:f32[8]");
  command.add_option("-k,--kernel", options.kernelOption, "the same as KERNEL, in any place")
      ->type_name("KERNEL");
  command.add_option("--device", options.device,
                     "cpu, cuda, hip:1, …; default: the best usable one");
  command.add_option("--variant", options.variant,
                     "only targets that this names: cuda, sm_90, x86-64-v3/wave8");
  command.add_option("--wave", options.wave, "only variants of this wave size")
      ->check(wholeNumber("--wave", 1));
  command.add_option("--field", options.fields, "NAME=VALUE: fills a field before the launch");
}

void addMeasureOptions(CLI::App &command, MeasureSettings &settings) {
  command.add_option("--samples", settings.samples, "samples of each variant (11)")
      ->check(wholeNumber("--samples", 1, 100000));
  command.add_flag("--fresh", settings.fresh,
                   "give arrays their values again before each launch, as for sorts in place");
}

} // namespace sextant
