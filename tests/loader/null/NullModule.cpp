// Writes a module for the null device: the kernels of a module for the CPU, with text as code.
//   sextant-null-module CPU_MODULE OUTPUT
#include "loader/format/Reader.h"
#include "packager/ModuleBuilder.h"

#include <cstdio>

using namespace sextant;

namespace {

module::Status rewrite(const char *from, const char *to) {
  auto reader = module::Reader::fromFile(from);
  if (!reader)
    return reader.error();
  auto info = reader->info();
  auto kernels = reader->kernels();
  if (!info || !kernels)
    return info ? kernels.error() : info.error();
  packager::ModuleBuilder builder(info->compiler, info->options);
  for (const module::Source &source : info->sources)
    builder.addSource(source);
  const std::string_view text = "nothing";
  const uint32_t image = builder.addImage(std::as_bytes(std::span(text)));
  for (const module::Kernel &kernel : *kernels) {
    auto added = builder.addKernel(kernel);
    if (!added)
      return added.error();
    module::Variant variant = kernel.variants.at(0);
    const module::Plan &plan = kernel.plans.at(variant.plan);
    variant.target = {"null", "none", {}, 32};
    variant.format = "null";
    variant.requirements.clear();
    variant.image = image;
    if (auto status = builder.addVariant(*added, plan, variant); !status.ok())
      return status;
  }
  auto bytes = builder.build();
  return bytes ? packager::writeFile(to, *bytes) : bytes.error();
}

} // namespace

int main(int count, char **arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: sextant-null-module CPU_MODULE OUTPUT\n");
    return 2;
  }
  if (auto status = rewrite(arguments[1], arguments[2]); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.message.c_str());
    return 1;
  }
  return 0;
}
