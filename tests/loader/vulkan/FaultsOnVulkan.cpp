// Faults of Vulkan drivers: of one with timeline semaphores, and of one with only fences.
#include "VulkanModule.h"
#include "tests/loader/faults/OnDriver.h"

#include <vulkan/vulkan_core.h>

const sextant::test::FaultDriver &sextant::test::faultDriver() {
  static const FaultDriver driver = [] {
    FaultDriver d = onFakeDriver();
    d.devices = {"vulkan:0", "vulkan:1"};
    d.options = [](const char *) { return vulkanOptions(); };
    d.errors = {VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY,
                VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST};
    d.outOfMemory = VK_ERROR_OUT_OF_HOST_MEMORY;
    d.few = "vulkan:1";
    return d;
  }();
  return driver;
}
