// Finds Vulkan's loader library and makes the one instance.
#include "loader/devices/vulkan/Driver.h"
#include "loader/AtUnload.h"
#include "loader/devices/common/Presence.h"
#include "loader/system/Library.h"

#include <atomic>
#include <cstring>
#include <memory>

namespace sextant::loader::vulkan {
namespace {

struct Found {
  Instance instance;
  std::string why; ///< empty: usable
  Birth birth;
};

Found *found = nullptr; ///< set once
std::atomic<int> devices{0};
/// An instance owns threads and memory of drivers. It goes with the loader if the system lets it.
void unload() {
  if (!system::mayCallAtUnload() || found->birth.isOfParent() || devices.load() != 0)
    return;
  const Instance &instance = found->instance;
  if (instance.handle && instance.DestroyInstance)
    instance.DestroyInstance(instance.handle, nullptr);
  if (instance.library)
    system::closeLibrary(instance.library);
  delete found;
  found = nullptr;
}

std::string makeInstance(Instance &instance) {
  std::string why;
  instance.GetInstanceProcAddr = findVulkan(why, instance.library);
  if (!instance.GetInstanceProcAddr)
    return why;
  auto global = [&](const char *name) { return instance.GetInstanceProcAddr(nullptr, name); };
  auto enumerateVersion =
      reinterpret_cast<PFN_vkEnumerateInstanceVersion>(global("vkEnumerateInstanceVersion"));
  auto create = reinterpret_cast<PFN_vkCreateInstance>(global("vkCreateInstance"));
  uint32_t version = VK_API_VERSION_1_0;
  if (!create || !enumerateVersion || enumerateVersion(&version) != VK_SUCCESS ||
      version < VK_API_VERSION_1_1)
    return "Vulkan here is older than 1.1";
  auto application = typed<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pEngineName = "Sextant";
  application.apiVersion = newestApi;
  auto info = typed<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  VkResult result = create(&info, nullptr, &instance.handle);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return "Vulkan finds no driver that starts (vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER)";
  if (result != VK_SUCCESS)
    return "Vulkan does not start: vkCreateInstance failed: " + describe(result);
  if (const char *missing = instance.lookUp())
    return std::string("Vulkan here has no ") + missing;
  return "";
}

} // namespace

PFN_vkGetInstanceProcAddr findVulkan(std::string &why, void *&library) {
  library = system::openLibrary(system::libraryNames.vulkan, why);
  if (!library) {
    why.insert(0, "no Vulkan: ");
    return nullptr;
  }
  auto get = system::findFunction<PFN_vkGetInstanceProcAddr>(library, "vkGetInstanceProcAddr");
  if (!get)
    why = "Vulkan's library has no vkGetInstanceProcAddr";
  return get;
}

const Instance *Instance::get(std::string &why) {
  // The end of the process does not destroy it, because other static objects may hold devices until
  // then.
  static const bool usable = [] {
    auto result = std::make_unique<Found>();
    result->why = makeInstance(result->instance);
    if (!result->why.empty())
      log(SXT_LOG_INFO, "%s", result->why.c_str());
    found = result.release();
    atUnload(unload);
    return found->why.empty();
  }();
  why = found->why;
  if (usable && found->birth.isOfParent()) {
    why = driverStays;
    return nullptr;
  }
  return usable ? &found->instance : nullptr;
}

void countDevices(int change) { devices.fetch_add(change); }

namespace {

#define SXT_VULKAN_NAME(name) "vk" #name "\0"
constexpr char instanceNames[] = SXT_VULKAN_INSTANCE_FUNCTIONS(SXT_VULKAN_NAME);
constexpr char deviceNames[] = SXT_VULKAN_DEVICE_FUNCTIONS(SXT_VULKAN_NAME);
#undef SXT_VULKAN_NAME

/// Fills in pointers that are contiguous, in the order of their names. Returns the name of a
/// missing function, or null.
template <class Handle, class Get>
const char *fill(Handle handle, Get get, const char *names, void *pointers) {
  const char *missing = nullptr;
  auto *to = static_cast<std::byte *>(pointers);
  for (; *names; names += std::strlen(names) + 1, to += sizeof(PFN_vkVoidFunction)) {
    PFN_vkVoidFunction function = get(handle, names);
    if (!function)
      missing = names;
    std::memcpy(to, &function, sizeof function);
  }
  return missing;
}

} // namespace

const char *Instance::lookUp() {
  return fill(handle, GetInstanceProcAddr, instanceNames, &DestroyInstance);
}

const char *Functions::lookUp(PFN_vkGetDeviceProcAddr get, VkDevice device, bool timeline,
                              bool addresses) {
  const char *missing = fill(device, get, deviceNames, &DestroyDevice);
  // Devices older than 1.2 have the names of the extension, which end in KHR.
  auto either = [&](auto &function, const char *extension) {
    const std::string core(extension, std::strlen(extension) - 3);
    PFN_vkVoidFunction found = get(device, core.c_str());
    if (!found)
      found = get(device, extension);
    if (!found)
      missing = extension;
    std::memcpy(&function, &found, sizeof function);
  };
  if (timeline) {
    either(WaitSemaphores, "vkWaitSemaphoresKHR");
    either(GetSemaphoreCounterValue, "vkGetSemaphoreCounterValueKHR");
  }
  if (addresses)
    either(GetBufferDeviceAddress, "vkGetBufferDeviceAddressKHR");
  return missing;
}

std::string describe(VkResult result) {
  struct Row {
    VkResult result;
    const char *text;
  };
  static constexpr Row rows[] = {
      {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
      {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
      {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
      {VK_ERROR_DEVICE_LOST,
       "VK_ERROR_DEVICE_LOST (the device was reset: a kernel crashed it or ran too long)"},
      {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"},
      {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT"},
      {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT"},
      {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT"},
      {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"},
      {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS"},
      {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY"},
  };
  for (const Row &row : rows)
    if (row.result == result)
      return row.text;
  return "VkResult " + std::to_string(result);
}

sxt_status failed(VkResult result, const char *call) {
  bool memory = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
                result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS;
  return fail(memory ? SXT_ERROR_OUT_OF_MEMORY : SXT_ERROR_DEVICE, "%s failed: %s", call,
              describe(result).c_str());
}

} // namespace sextant::loader::vulkan
