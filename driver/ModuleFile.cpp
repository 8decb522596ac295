// Opening modules, and finding kernels in them.
#include "driver/ModuleFile.h"

#include <algorithm>

namespace sextant {

module::Reader openModule(const Environment &environment, const std::string &path) {
  return require(module::Reader::fromFile(resolvePath(environment, path)));
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
