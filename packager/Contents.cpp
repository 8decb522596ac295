#include "packager/Contents.h"
#include "loader/format/Try.h"
#include "packager/Describe.h"

#include <map>

namespace sextant::packager {

using namespace module;

Result<Contents> contentsOf(const Reader &reader) {
  Contents contents;
  Result<ModuleInfo> info = reader.info();
  SXT_MODULE_TRY(info);
  contents.info = std::move(*info);
  Result<std::vector<Kernel>> kernels = kernelsByName(reader);
  SXT_MODULE_TRY(kernels);
  contents.kernels = std::move(*kernels);
  Status status = reader.forEachImage([&](uint32_t, const EachImage &image) -> Status {
    Result<std::vector<std::byte>> bytes = image.read();
    SXT_MODULE_TRY(bytes);
    contents.images.push_back(std::move(*bytes));
    return {};
  });
  SXT_MODULE_TRY(status);
  Result<std::vector<std::vector<std::byte>>> attachments = reader.attachments();
  SXT_MODULE_TRY(attachments);
  for (size_t i = 0; i < attachments->size(); ++i)
    contents.attachments.emplace(contents.info.attachments[i].name, std::move((*attachments)[i]));
  contents.info.attachments.clear(); // their packs are the file's
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

Result<ModuleBuilder> builderOf(Contents contents) {
  ModuleBuilder builder(contents.info.compiler, contents.info.options);
  std::map<uint32_t, uint32_t> images; // each is added once, however many variants have it
  for (const Source &source : contents.info.sources)
    builder.addSource(source);
  for (const Global &global : contents.info.globals)
    builder.describeField(global.source, global.name, global.structure);
  for (const Kernel &kernel : contents.kernels) {
    const Result<uint32_t> number = builder.addKernel(kernel);
    SXT_MODULE_TRY(number);
    if (kernel.variants.empty() && !kernel.plans.empty()) {
      const Result<uint32_t> plan =
          builder.addPlan(*number, withSources(kernel.plans.front(), contents.info));
      SXT_MODULE_TRY(plan);
    }
    std::map<uint32_t, uint32_t> plans; // likewise
    for (Variant variant : kernel.variants) {
      if (const auto [known, isNew] = images.try_emplace(variant.image, 0); isNew)
        known->second = builder.addImage(std::move(contents.images[variant.image]));
      variant.image = images[variant.image];
      if (const auto [known, isNew] = plans.try_emplace(variant.plan, 0); isNew) {
        const Result<uint32_t> plan =
            builder.addPlan(*number, withSources(kernel.plans[variant.plan], contents.info));
        SXT_MODULE_TRY(plan);
        known->second = *plan;
      }
      variant.plan = plans[variant.plan];
      SXT_MODULE_TRY(builder.addVariant(*number, std::move(variant)));
    }
    for (const RefusedTarget &refusal : kernel.refusals)
      SXT_MODULE_TRY(builder.addRefusal(*number, refusal.target, refusal.reason));
  }
  for (const auto &[name, bytes] : contents.attachments)
    SXT_MODULE_TRY(builder.attach(name, bytes));
  builder.canonicalize();
  return builder;
}

} // namespace sextant::packager
