// Prints and verifies SPIR-V between stages, and the stages that vulkan and metal share.
#include "backends/spirv/Pipeline.h"
#include "backends/spirv/ScalarWriter.h"

#include "frontend/ir/transforms/Passes.h"

using namespace llvm;
using namespace sextant;
using namespace sextant::spirv;

Expected<std::string> SpirvJob::print(Form form) const {
  if (form != Form::Spirv)
    return Job::print(form);
  std::string all;
  for (const SpirvCode &code : modules) {
    Expected<std::string> text = disassemble(code.words);
    if (!text)
      return text.takeError();
    all += *text;
  }
  return all;
}

Error SpirvJob::verify(Form form) const {
  if (form != Form::Spirv)
    return Job::verify(form);
  for (const SpirvCode &code : modules)
    if (Error error = validate(code.words))
      return error;
  return Error::success();
}

Error sextant::spirv::vectorizeAccesses(SpirvJob &job) {
  auto isAccess = [](simt::BufferType buffer) {
    return buffer.getSpace() == simt::Space::Global && !isNarrowInteger(buffer.getElementType());
  };
  if (job.options.optLevel > 0)
    simt::vectorizeAccesses(job.tasks, {isAccess, nullptr});
  return Error::success();
}
