#include "packager/Contents.h"
#include "packager/Describe.h"

namespace sextant::packager {

using namespace module;

Result<Contents> contentsOf(const Reader &reader) {
  Contents contents;
  Result<ModuleInfo> info = reader.info();
  if (!info)
    return info.error();
  contents.info = std::move(*info);
  Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  if (!kernels)
    return kernels.error();
  contents.kernels = std::move(*kernels);
  for (uint32_t i = 0; i < reader.imageCount(); ++i) {
    Result<std::vector<std::byte>> image = reader.image(i);
    if (!image)
      return image.error();
    contents.images.push_back(std::move(*image));
  }
  return contents;
}

Plan withSources(Plan plan, const ModuleInfo &info) {
  for (Hidden &buffer : plan.hidden)
    if (buffer.role == Hidden::Field) {
      buffer.source = info.globals[buffer.global].source;
      buffer.global = Hidden::noGlobal;
    }
  return plan;
}

Result<ModuleBuilder> builderOf(const Contents &contents) {
  ModuleBuilder builder(contents.info.compiler, contents.info.options);
  for (const Source &source : contents.info.sources)
    builder.addSource(source);
  for (const Kernel &kernel : contents.kernels) {
    const Result<uint32_t> number = builder.addKernel(kernel);
    if (!number)
      return number.error();
    if (kernel.variants.empty() && !kernel.plans.empty())
      if (Status status =
              builder.addPlan(*number, withSources(kernel.plans.front(), contents.info));
          !status.ok())
        return status;
    for (Variant variant : kernel.variants) {
      const Plan plan = withSources(kernel.plans[variant.plan], contents.info);
      variant.image = builder.addImage(contents.images[variant.image]);
      if (Status status = builder.addVariant(*number, plan, std::move(variant)); !status.ok())
        return status;
    }
    for (const Refusal &refusal : kernel.refusals)
      if (Status status = builder.addRefusal(*number, refusal.target, refusal.reason); !status.ok())
        return status;
  }
  builder.canonicalize();
  return builder;
}

} // namespace sextant::packager
