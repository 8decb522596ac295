// `sextant extract`: one image of a module, as the toolchain made it.
#include "driver/Commands.h"
#include "driver/ModuleFile.h"
#include "packager/Describe.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

struct ExtractOptions {
  std::string module, kernel, target, output;
};

/// A file name that says what is in it: `saxpy.sm_90.cubin`.
std::string defaultOutput(const std::string &kernel, const packager::Extracted &image) {
  std::string name =
      kernel + "." + image.target.arch + ".wave" + std::to_string(image.target.wave) + ".";
  return name + (image.format == "elf" ? "so" : image.format);
}

int extractCommand(const ExtractOptions &options, Environment &environment) {
  module::Reader reader = openModule(environment, options.module);
  std::string kernel = options.kernel.empty() ? "" : findKernel(reader, options.kernel).instance;
  packager::Extracted image = require(packager::extract(reader, kernel, options.target));
  std::string output = options.output.empty()
                           ? defaultOutput(kernel.empty() ? "module" : kernel, image)
                           : options.output;
  // PTX is text; its terminating NUL is the driver's business.
  size_t size = image.bytes.size();
  if (image.format == "ptx" && size && image.bytes[size - 1] == std::byte(0))
    --size;
  writeFile(environment, output, {reinterpret_cast<const char *>(image.bytes.data()), size});
  if (output != "/dev/stdout")
    environment.out << output << ": " << image.format << " for " << module::str(image.target)
                    << ", " << size << " bytes\n";
  return 0;
}

} // namespace

void addExtractCommand(CLI::App &app, Environment &environment, Action &action) {
  auto options = std::make_shared<ExtractOptions>();
  CLI::App *extract = app.add_subcommand("extract", "Write one image of a module to a file");
  extract->add_option("module", options->module, "the module (.sxt)")->required();
  extract->add_option("-k,--kernel", options->kernel,
                      "the kernel; may be left out if it is the only one");
  extract->add_option("-t,--target", options->target,
                      "cuda:sm_90, x86-64-v3/wave8, …; may be left out if there is one");
  extract->add_option("-o,--output", options->output, "the file; default: made of the names");
  extract->callback([options, &environment, &action] {
    action = [options, &environment] { return extractCommand(*options, environment); };
  });
}

} // namespace sextant
