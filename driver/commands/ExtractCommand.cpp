// `sextant extract`: writes images of a module as the toolchains made them, or as the toolchains'
// fat binaries.
#include "driver/commands/Commands.h"
#include "driver/commands/ExtractAll.h"
#include "driver/commands/FileName.h"
#include "driver/commands/KernelOption.h"
#include "driver/commands/ModuleFile.h"
#include "driver/commands/OneOf.h"
#include "driver/compile/Targets.h"
#include "loader/format/Text.h"
#include "packager/Bundle.h"
#include "packager/Json.h"

#include <CLI/CLI.hpp>

namespace sextant {
namespace {

struct ExtractOptions {
  std::string module, kernel, target, attachment, output, as = "image";
  bool all = false, json = false;
};

/// A file name that describes its content: `saxpy.sm_90.wave32.cubin`.
std::string defaultOutput(const packager::Extracted &image) {
  return fileName(image.kernel + "." + image.target.arch + ".wave" +
                      std::to_string(image.target.wave),
                  extensionOf(image.format));
}

/// \param format the image's format, or the fat binary's name in --as
void write(const ExtractOptions &options, const std::string &output,
           std::span<const std::byte> bytes, const std::string &format, const std::string &what,
           const Environment &environment) {
  writeFile(environment, output, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (output == "-" || output == "/dev/stdout")
    return;
  if (!options.json) {
    environment.out << output << ": " << what << ", " << bytes.size() << " bytes\n";
    return;
  }
  packager::JsonWriter json;
  json.beginDocument().member("file", output).member("format", format);
  environment.out << json.member("bytes", uint64_t(bytes.size())).endObject().str();
}

int extractImage(const ExtractOptions &options, const Environment &environment) {
  const module::Reader reader = openModule(environment, options.module);
  const packager::Extracted image =
      require(packager::extract(reader, instanceOf(reader, options.kernel), options.target),
              Problem::VariantNotInModule);
  write(options, options.output.empty() ? defaultOutput(image) : options.output, fileBytes(image),
        image.format, image.format + " for " + module::str(image.target), environment);
  return 0;
}

/// Puts several images into the fat binary of their own toolchain.
int extractFat(const ExtractOptions &options, const Environment &environment) {
  const bool isBundle = options.as == "bundle";
  const module::Reader reader = openModule(environment, options.module);
  const std::vector<packager::Extracted> images =
      require(packager::extractEach(reader, instanceOf(reader, options.kernel),
                                    !options.target.empty() ? options.target
                                    : isBundle              ? "amdgpu"
                                                            : "cuda"),
              Problem::VariantNotInModule);
  std::string targets;
  for (const packager::Extracted &image : images)
    targets += (targets.empty() ? "" : ", ") + image.target.arch;
  for (const packager::Extracted &image : images)
    if (!isBundle && image.format != "cubin" && image.format != "ptx")
      throw Refusal(Problem::ImageKindWrong, "a fat binary holds cubins and PTX, and " +
                                                 module::str(image.target) + " is " + image.format +
                                                 "; name targets such as --target=cuda");
  const std::vector<std::byte> bytes =
      isBundle ? require(packager::offloadBundle(images), Problem::ImageKindWrong)
               : makeFatbin(images);
  write(options,
        options.output.empty() ? fileName(images.front().kernel, isBundle ? "hipfb" : "fatbin")
                               : options.output,
        bytes, options.as, (isBundle ? "bundle of " : "fat binary of ") + targets, environment);
  return 0;
}

int extractAttachment(const ExtractOptions &options, const Environment &environment) {
  if (!options.kernel.empty() || !options.target.empty() || options.as != "image" || options.all)
    throw Refusal(Problem::OptionsExclusive,
                  "--attachment writes what the module carries, no image",
                  "leave the kernel, --target, --as and --all out");
  const std::vector<std::byte> bytes =
      require(openModule(environment, options.module).attachment(options.attachment),
              Problem::AttachmentNotInModule);
  write(options, options.output.empty() ? fileName(options.attachment, "") : options.output, bytes,
        "attachment", "attachment " + module::printable(options.attachment), environment);
  return 0;
}

int extractCommand(const ExtractOptions &options, Environment &environment) {
  if (!options.attachment.empty())
    return extractAttachment(options, environment);
  if (options.all && options.as != "image")
    throw Refusal(Problem::OptionsExclusive, "--all writes single images", "leave --as out");
  if (options.all && options.output == "-")
    throw Refusal(Problem::OutputIsStream, "--all makes a folder, and -o - is standard output",
                  "name a new folder with -o");
  if (options.all)
    return extractAll(openModule(environment, options.module), options.kernel, options.target,
                      options.output, options.json, environment);
  return options.as == "image" ? extractImage(options, environment)
                               : extractFat(options, environment);
}

} // namespace

void addExtractCommand(CLI::App &app, Environment &environment, Actions &actions) {
  auto options = std::make_shared<ExtractOptions>();
  CLI::App *extract = app.add_subcommand("extract", "Write images of a module to files");
  extract->add_option("module", options->module, "the module (.sxt)")->required();
  addKernelOption(*extract, options->kernel,
                  "the kernel or instance; may be left out if there is one; with --all a pattern "
                  "like 'scan*'");
  extract->add_option("-t,--target", options->target,
                      "cuda:sm_90, x86-64-v3/wave8, …; may be left out if there is one; with --as "
                      "and --all a pattern like 'amdgpu:gfx11*/wave32'");
  extract
      ->add_option("--as", options->as,
                   "image: one, as it is (the default); fatbin: the kernel's cubins and PTX in a "
                   "fat binary, by CUDA's fatbinary; bundle: its code objects in clang's bundle")
      ->check(oneOf("--as", {"image", "fatbin", "bundle"}));
  extract->add_flag("--all", options->all,
                    "every image, into a new folder (-o) with a manifest.json");
  extract->add_option("--attachment", options->attachment,
                      "the bytes that `compile --attach` put into the module by that name");
  extract->add_flag("--json", options->json, "say what was written as one JSON object");
  extract->add_option("-o,--output", options->output, "the file; default: made of the names");
  actions[extract] = [options, &environment] {
    return reading(options->module, [&] { return extractCommand(*options, environment); });
  };
}

} // namespace sextant
