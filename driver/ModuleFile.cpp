// Opening and writing modules, and finding kernels in them.
#include "driver/ModuleFile.h"

#include <algorithm>
#include <filesystem>

namespace sextant {

module::Reader openModule(const Environment &environment, const std::string &path,
                          module::Trust trust) {
  module::Result<module::Reader> reader =
      module::Reader::fromFile(resolvePath(environment, path), {}, std::move(trust));
  if (!reader)
    throw Refusal(reader.error().message); // which names the file
  return std::move(*reader);
}

void refuse(const module::Status &status) {
  switch (status.code) {
  case module::Code::Truncated:
  case module::Code::Corrupt:
  case module::Code::TooLarge:
  case module::Code::Unsupported:
    throw Damage(status.message);
  default:
    throw Refusal(status.message);
  }
}

packager::Contents readModule(const Environment &environment, const std::string &path) {
  const module::Reader reader = openModule(environment, path);
  module::Result<packager::Contents> contents = packager::contentsOf(reader);
  if (!contents)
    throw Refusal("'" + path + "': " + contents.error().message);
  if (reader.signer())
    environment.err << "sextant: warning: '" << path
                    << "' is signed, what is made of it is not; run `sextant sign`\n";
  return std::move(*contents);
}

void checkOutput(const Environment &environment, const std::string &output,
                 const std::vector<std::string> &inputs) {
  namespace fs = std::filesystem;
  auto key = [&](const std::string &path) {
    return fs::weakly_canonical(fs::absolute(resolvePath(environment, path)));
  };
  for (const std::string &input : inputs)
    if (!output.starts_with("/dev/") && key(input) == key(output))
      throw Refusal("the output '" + output + "' is one of the modules that are read",
                    "write to another file");
}

std::vector<std::byte> buildModule(const Environment &environment, const std::string &path,
                                   const packager::Contents &contents,
                                   const packager::BuildOptions &options, const Budget &budget) {
  const packager::ModuleBuilder builder = require(packager::builderOf(contents));
  std::vector<std::byte> bytes = require(builder.build(options));
  if (const std::string note = checkBudget(budget, path, bytes); !note.empty())
    environment.err << "sextant: note: " << note << "\n";
  return bytes;
}

std::vector<module::Kernel> allKernels(const module::Reader &reader) {
  std::vector<module::Kernel> kernels;
  for (uint32_t index = 0; index < reader.kernelCount(); ++index)
    kernels.push_back(require(reader.kernel(index)));
  std::sort(kernels.begin(), kernels.end(),
            [](const auto &left, const auto &right) { return left.instance < right.instance; });
  return kernels;
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
  if (instances.size() == 1)
    return findKernel(reader, instances.front());
  std::string list;
  for (const std::string &one : instances.empty() ? names : instances)
    list += (list.empty() ? "" : ", ") + one;
  if (!instances.empty())
    throw Refusal("kernel '" + name + "' has several instances", "name one of " + list);
  std::string near = suggestion(name, names);
  throw Refusal("the module has no kernel '" + name + "'",
                near.empty() ? "it holds " + list : near);
}

} // namespace sextant
