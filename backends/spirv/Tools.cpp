// SPIRV-Tools: the optimiser, the validator and the disassembler, in process.
#include "backends/Errors.h"
#include "backends/spirv/Spirv.h"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <spirv/unified1/spirv.hpp>

using namespace llvm;
using namespace sextant;

static constexpr spv_target_env environment = SPV_ENV_VULKAN_1_1;

/// Keeps the messages of the tools, with the position in the words.
static spvtools::MessageConsumer keepIn(std::string &text) {
  return [&text](spv_message_level_t level, const char *, const spv_position_t &at,
                 const char *message) {
    if (level > SPV_MSG_ERROR)
      return;
    text += (text.empty() ? "" : "\n");
    text += message;
    if (at.index)
      text += " (word " + std::to_string(at.index) + ")";
  };
}

/// True if a load is volatile. A loop that only waits consists of such loads, and dead code
/// elimination does not see that they matter.
static bool hasVolatileLoad(ArrayRef<uint32_t> words) {
  constexpr size_t headerWords = 5, accessAt = 4;
  for (size_t at = headerWords; at < words.size();) {
    uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
    if (opcode == spv::OpLoad && length > accessAt &&
        (words[at + accessAt] & uint32_t(spv::MemoryAccessVolatileMask)))
      return true;
    at += std::max(length, 1u);
  }
  return false;
}

Expected<spirv::Words> sextant::spirv::optimize(const Words &words, unsigned level) {
  if (level == 0)
    return words;
  std::string messages;
  spvtools::Optimizer optimizer(environment);
  optimizer.SetMessageConsumer(keepIn(messages));
  // MLIR has folded and merged already. These passes clean up after the emitter's own code.
  optimizer.RegisterPass(spvtools::CreateLocalRedundancyEliminationPass())
      .RegisterPass(spvtools::CreateSimplificationPass());
  if (!hasVolatileLoad(words))
    optimizer.RegisterPass(spvtools::CreateAggressiveDCEPass());
  optimizer.RegisterPass(spvtools::CreateCompactIdsPass());
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  Words result;
  if (!optimizer.Run(words.data(), words.size(), &result, options))
    return fail("the SPIR-V optimiser refuses the code: " + messages);
  return result;
}

Error sextant::spirv::validate(ArrayRef<uint32_t> words) {
  std::string messages;
  spvtools::SpirvTools tools(environment);
  tools.SetMessageConsumer(keepIn(messages));
  if (tools.Validate(words.data(), words.size()))
    return Error::success();
  return fail("the SPIR-V is not valid: " + messages);
}

Expected<std::string> sextant::spirv::disassemble(ArrayRef<uint32_t> words) {
  std::string messages, text;
  spvtools::SpirvTools tools(environment);
  tools.SetMessageConsumer(keepIn(messages));
  Words copy(words.begin(), words.end());
  if (tools.Disassemble(
          copy, &text, SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES))
    return text;
  return fail("this is not SPIR-V: " + messages);
}
