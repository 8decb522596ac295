// Prints and verifies SPIR-V between stages.
#include "backends/spirv/Pipeline.h"

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
