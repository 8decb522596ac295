// snippet: loader-api.md cpp 8
// compiled: it needs a Vulkan device of the application
#define SEXTANT_THROWS
#include <sextant/sextant.hpp>
#include <vulkan/vulkan_core.h>

int main() {
  VkInstance instance = nullptr;
  VkPhysicalDevice physicalDevice = nullptr;
  VkDevice device = nullptr;
  VkDeviceCreateInfo deviceCreateInfo = {};
  VkQueue queue = nullptr;
  VkBuffer vertexBuffer = nullptr;
  const uint32_t family = 0;
  const uint64_t bytes = 64;
  SNIPPET
}
