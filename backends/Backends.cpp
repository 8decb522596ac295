// The list of all backends. To add one, add its folder, its include and its row.
#include "backends/Backend.h"
#include "backends/amdgpu/Amdgpu.h"
#include "backends/cpu/Cpu.h"
#include "backends/cuda/Cuda.h"
#include "backends/metal/Metal.h"
#include "backends/vulkan/Vulkan.h"

llvm::ArrayRef<const sextant::Backend *> sextant::allBackends() {
  static const Backend *const all[] = {
      &cpuBackend(), &cudaBackend(), &amdgpuBackend(), &vulkanBackend(), &metalBackend(),
  };
  return all;
}

const sextant::Backend *sextant::findBackend(llvm::StringRef name) {
  for (const Backend *backend : allBackends())
    if (backend->name() == name)
      return backend;
  return nullptr;
}
