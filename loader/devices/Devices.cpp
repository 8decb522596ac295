// The list of device backends: a new one is a folder and a row here.
#include "loader/devices/Device.h"
#include "loader/devices/cpu/CpuDevice.h"
#include "loader/devices/cuda/CudaDevice.h"
#include "loader/devices/hip/HipDevice.h"
#include "loader/devices/metal/MetalDevice.h"
#include "loader/devices/vulkan/VulkanDevice.h"

namespace sextant::loader {

std::span<const DeviceBackend *const> deviceBackends() {
  static constexpr const DeviceBackend *backends[] = {
      &cudaBackend, &hipBackend, &metalBackend, &vulkanBackend, &cpuBackend,
  };
  return backends;
}

} // namespace sextant::loader
