// Opens and writes modules, and finds kernels in them.
#include "driver/commands/ModuleFile.h"
#include "packager/Describe.h"
#include "packager/Sizes.h"

#include "driver/commands/Messages.h"
#include "driver/host/InstanceName.h"
#include "frontend/spelling/Suggestion.h"
#include "frontend/spelling/Texts.h"

#include <algorithm>

namespace sextant {

/// The name that such an error of a module has.
static Problem problemOf(module::Code code, Problem ofRequest = Problem::ModuleUnreadable) {
  switch (code) {
  case module::Code::Io:
    return Problem::FileUnreadable;
  case module::Code::NotAModule:
  case module::Code::Unsupported:
  case module::Code::Truncated:
  case module::Code::Corrupt:
  case module::Code::TooLarge:
    return Problem::ModuleUnreadable;
  case module::Code::Untrusted:
    return Problem::ModuleNotTrusted;
  default:
    return ofRequest;
  }
}

Refusal refusalOf(const std::string &path, const module::Status &status, std::string fix,
                  Problem ofRequest) {
  return {problemOf(status.code, ofRequest), "'" + path + "': " + status.message, std::move(fix)};
}

module::ReaderLimits readerLimits(const Environment &environment) {
  module::ReaderLimits limits;
  const std::string text = environment.variable("SEXTANT_MAX_DECODED").value_or("");
  if (text.empty())
    return limits;
  const std::optional<uint64_t> bytes = packager::parseByteCount(text);
  if (!bytes || *bytes == 0)
    throw Refusal(Problem::OptionValueWrong,
                  "$SEXTANT_MAX_DECODED is '" + text + "', which is not a number of bytes",
                  "write it like 4GiB");
  limits.maxTotalBytes = limits.maxImageBytes = *bytes;
  return limits;
}

module::Reader openModule(const Environment &environment, const std::string &path,
                          module::Trust trust) {
  // A stream is read into memory, which the environment keeps.
  if (isStream(environment, path)) {
    const std::string &text = readStream(environment, path);
    module::Result<module::Reader> reader = module::Reader::fromMemory(
        std::as_bytes(std::span(text)), readerLimits(environment), std::move(trust));
    if (!reader)
      throw refusalOf(path, reader.error());
    return std::move(*reader);
  }
  module::Result<module::Reader> reader = module::Reader::fromFile(
      resolvePath(environment, path), readerLimits(environment), std::move(trust));
  if (!reader)
    throw Refusal(problemOf(reader.error().code), reader.error().message); // which names the file
  return std::move(*reader);
}

void refuse(const module::Status &status, Problem ofRequest) {
  switch (status.code) {
  case module::Code::Truncated:
  case module::Code::Corrupt:
  case module::Code::TooLarge:
  case module::Code::Unsupported:
    throw Damage(problemOf(status.code), status.message);
  default:
    throw Refusal(problemOf(status.code, ofRequest), status.message);
  }
}

packager::Contents readModule(const Environment &environment, const std::string &path) {
  const module::Reader reader = openModule(environment, path);
  module::Result<packager::Contents> contents = packager::contentsOf(reader);
  if (!contents)
    throw refusalOf(path, contents.error());
  if (reader.signer())
    sayWarning(environment, Warning::Signature,
               "'" + path + "' is signed, what is made of it is not; run `sextant sign`");
  return std::move(*contents);
}

void checkOutput(const Environment &environment, const std::string &output,
                 const std::vector<std::string> &inputs) {
  for (const std::string &input : inputs)
    if (!isStream(environment, output) &&
        fileIdentity(environment, input) == fileIdentity(environment, output))
      throw Refusal(Problem::OutputIsInput,
                    "the output '" + output + "' is one of the modules that are read",
                    "write to another file");
}

std::vector<module::Kernel> allKernels(const module::Reader &reader) {
  return require(packager::kernelsByName(reader));
}

static Requests requestsOf(const module::Reader &reader) {
  const module::Result<std::vector<std::byte>> text = reader.attachment(requestsAttachment);
  if (!text)
    return {}; // no instance has requests
  return parseRequests({reinterpret_cast<const char *>(text->data()), text->size()});
}

module::Kernel findKernel(const module::Reader &reader, const std::string &name) {
  if (module::Result<uint32_t> index = reader.findKernel(name))
    return require(reader.kernel(*index));
  std::vector<module::Kernel> kernels = allKernels(reader);
  std::vector<std::string> instances, names;
  for (const module::Kernel &kernel : kernels) {
    names.push_back(kernel.instance);
    if (kernel.name == name)
      instances.push_back(kernel.instance);
  }
  // Taken from the list, not looked up: if a table is damaged, a look-up may miss names that it
  // holds.
  const Requests requests = requestsOf(reader);
  const std::string meant =
      instances.size() == 1 ? instances.front() : instanceMeant(name, names, requests);
  for (module::Kernel &kernel : kernels)
    if (kernel.instance == meant)
      return std::move(kernel);
  if (!instances.empty())
    throw Refusal(Problem::KernelNotInModule, "kernel '" + name + "' has several instances",
                  "name one of " + joined(instances));
  std::string near = instancesNear(name, names, requests);
  throw Refusal(Problem::KernelNotInModule, "the module has no kernel '" + name + "'",
                near.empty() ? "it holds " + joined(names) : near);
}

std::string instanceOf(const module::Reader &reader, const std::string &name) {
  return name.empty()
             ? require(packager::pickKernel(reader, ""), Problem::KernelNotInModule).instance
             : findKernel(reader, name).instance;
}

} // namespace sextant
