// Emits a module of tasks, task by task, and collects what it needs of the device.
#include "backends/spirv/FunctionWriter.h"
#include "backends/spirv/Instructions.h"

using namespace sextant;
using namespace sextant::spirv;

/// The capabilities of every Vulkan 1.1 device.
static constexpr uint64_t sharedGuaranteed = 16384;
static constexpr unsigned threadsGuaranteed = 128;

/// SPIR-V for a pipeline must have an entry point. Code without tasks gets one that nobody uses.
static void emitNothing(Writer &w) {
  const Id function = w.beginFunction();
  w.effect(spv::OpReturn, {});
  w.endFunction();
  w.entryPoint(function, "nothing", {}, 1);
}

std::optional<SpirvCode> sextant::spirv::emit(mlir::ModuleOp module, const SpirvOptions &options) {
  ModuleCode code(options, simt::getWaveSize(module));
  uint64_t shared = 0;
  unsigned threads = 1;
  bool hasTasks = false;
  for (auto task : module.getOps<mlir::func::FuncOp>()) {
    if (task.isPrivate()) {
      if (failed(FunctionWriter(code, task).emitCallee()))
        return std::nullopt;
      continue;
    }
    hasTasks = true;
    if (failed(FunctionWriter(code, task).emitTask()))
      return std::nullopt;
    shared = std::max(shared, sharedBytes(task, options));
    threads = std::max(threads, simt::getTaskInfo(task)->blockDim);
  }
  if (!hasTasks)
    emitNothing(code.w);
  if (shared > sharedGuaranteed)
    code.w.require(std::string(abi::numbers::sharedBytes) + ">=" + std::to_string(shared));
  if (threads > threadsGuaranteed)
    code.w.require(std::string(abi::numbers::blockThreads) + ">=" + std::to_string(threads));
  return SpirvCode{code.w.finish(options.version),
                   {code.w.requirements().begin(), code.w.requirements().end()},
                   textsOf(code)};
}
