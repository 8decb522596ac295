// Links libdevice if a module calls it.
#include "backends/cuda/Libdevice.h"
#include "backends/Errors.h"
#include "backends/common/LinkBitcode.h"
#include "backends/cuda/Toolkit.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

Error sextant::linkLibdevice(Module &module, bool flushes) {
  std::vector<std::string> called = calledFunctions(module, "__nv_");
  if (called.empty())
    return Error::success();
  const MemoryBuffer *bitcode = libdevice();
  if (!bitcode)
    return fail(called.front() + " needs " + libdeviceMissing());
  // The library reads this through __nvvm_reflect("__CUDA_FTZ").
  module.addModuleFlag(Module::Override, "nvvm-reflect-ftz", uint32_t(flushes));
  return linkBitcode(module, bitcode->getMemBufferRef(), called, "libdevice");
}
