// The contract on Vulkan, and a device, a queue and a buffer of the application's.
#include "tests/loader/contract/Contract.h"

#include <cstring>
#include <dlfcn.h>
#include <mutex>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

using namespace sextant;
using namespace sextant::test;

const Subject sextant::test::onVulkan = {
    .backend = "vulkan", .hasGraphs = [] { return true; }, .hasNativeStreams = true};

namespace {

/// The objects of an application: an instance, a device with a few features, a queue, a buffer.
struct Application {
  PFN_vkGetInstanceProcAddr get = nullptr;
  VkInstance instance = nullptr;
  VkPhysicalDevice physical = nullptr;
  VkDevice device = nullptr;
  VkQueue queue = nullptr;
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr;
  VkPhysicalDeviceVulkan12Features twelve{};
  VkPhysicalDeviceVulkan11Features eleven{};
  VkPhysicalDeviceFeatures features{};
  VkDeviceCreateInfo info{};
  VkDeviceQueueCreateInfo queueInfo{};
  float priority = 1;
  static constexpr uint64_t bytes = 4096;

  template <class Function> Function at(const char *name) const {
    auto function = reinterpret_cast<Function>(get(instance, name));
    REQUIRE(function);
    return function;
  }

  Application() {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    REQUIRE(library);
    get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    REQUIRE(get);
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo instanceInfo{};
    instanceInfo.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    instanceInfo.pApplicationInfo = &application;
    REQUIRE(at<PFN_vkCreateInstance>("vkCreateInstance")(&instanceInfo, nullptr, &instance) ==
            VK_SUCCESS);
    uint32_t one = 1;
    VkResult found =
        at<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance, &one, &physical);
    REQUIRE((found == VK_SUCCESS || found == VK_INCOMPLETE));
    makeDevice();
    makeBuffer();
  }

  void makeDevice() {
    // All of 1.1 and 1.2 that is there, as applications are wont to do, but no 64-bit floats.
    twelve.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    eleven.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    eleven.pNext = &twelve;
    VkPhysicalDeviceFeatures2 all{};
    all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    all.pNext = &eleven;
    at<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(physical, &all);
    twelve.bufferDeviceAddressCaptureReplay = VK_FALSE;
    features.shaderInt64 = all.features.shaderInt64;
    features.shaderInt16 = all.features.shaderInt16;
    queueInfo.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queueInfo.queueCount = 1;
    queueInfo.pQueuePriorities = &priority;
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &eleven;
    info.pEnabledFeatures = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queueInfo;
    REQUIRE(at<PFN_vkCreateDevice>("vkCreateDevice")(physical, &info, nullptr, &device) ==
            VK_SUCCESS);
    at<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(device, 0, 0, &queue);
  }

  void makeBuffer() {
    VkBufferCreateInfo bufferInfo{};
    bufferInfo.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    bufferInfo.size = bytes;
    bufferInfo.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                       VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    REQUIRE(at<PFN_vkCreateBuffer>("vkCreateBuffer")(device, &bufferInfo, nullptr, &buffer) ==
            VK_SUCCESS);
    VkMemoryRequirements wants{};
    at<PFN_vkGetBufferMemoryRequirements>("vkGetBufferMemoryRequirements")(device, buffer, &wants);
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.allocationSize = wants.size;
    while (!(wants.memoryTypeBits >> allocate.memoryTypeIndex & 1))
      ++allocate.memoryTypeIndex;
    REQUIRE(at<PFN_vkAllocateMemory>("vkAllocateMemory")(device, &allocate, nullptr, &memory) ==
            VK_SUCCESS);
    REQUIRE(at<PFN_vkBindBufferMemory>("vkBindBufferMemory")(device, buffer, memory, 0) ==
            VK_SUCCESS);
  }

  ~Application() {
    at<PFN_vkDestroyBuffer>("vkDestroyBuffer")(device, buffer, nullptr);
    at<PFN_vkFreeMemory>("vkFreeMemory")(device, memory, nullptr);
    at<PFN_vkDestroyDevice>("vkDestroyDevice")(device, nullptr);
    at<PFN_vkDestroyInstance>("vkDestroyInstance")(instance, nullptr);
  }
};

} // namespace

TEST_CASE("an adopted Vulkan device", "[runs]") {
  Device own = Device::open();
  if (std::string(own.info().backend) != "vulkan") {
    WARN("skipped: the device is not Vulkan");
    return;
  }
  Application app;
  std::mutex mutex;
  sxt_vulkan_context context{};
  context.struct_size = sizeof context;
  context.get_instance_proc_addr = reinterpret_cast<void *>(app.get);
  context.instance = app.instance;
  context.physical_device = app.physical;
  context.device = app.device;
  context.device_info = &app.info;
  context.queue = app.queue;
  context.api_version = VK_API_VERSION_1_2;
  context.lock_queue = [](void *user) { static_cast<std::mutex *>(user)->lock(); };
  context.unlock_queue = [](void *user) { static_cast<std::mutex *>(user)->unlock(); };
  context.user = &mutex;
  {
    Device adopted = Device::adopt("vulkan", &context);
    CHECK(adopted.defaultStream().native() == app.queue);
    Module module = Module::open(Fixture::modulePath());
    Program program(module, adopted);
    Buffer theirs = Buffer::wrapNative(adopted, app.buffer, Application::bytes);
    std::vector<int> values(1000), back(1000);
    std::iota(values.begin(), values.end(), 0);
    check(sxt_buffer_write(theirs.get(), 0, values.data(), 4000, nullptr));
    ArrayView<int> view{theirs.get(), {1000}, 0};
    program.kernel("bump")(adopted.defaultStream(), view);
    Stream second = adopted.createStream();
    Event done(adopted);
    done.record(adopted.defaultStream());
    second.wait(done);
    program.kernel("bump")(second, view);
    check(sxt_buffer_read(theirs.get(), 0, back.data(), 4000, second.get()));
    CHECK(back[0] == 2);
    CHECK(back[999] == 1001);
    void *native = nullptr;
    uint64_t offset = 1;
    check(sxt_buffer_native(theirs.get(), &native, &offset));
    CHECK(native == app.buffer);
    CHECK(offset == 0);
    // It needs the 64-bit floats that the application did not enable.
    Array<double> x(adopted, 3);
    auto [status, message] =
        failureOf([&] { program.kernel("halve")(adopted.defaultStream(), x); });
    CHECK(status == SXT_ERROR_NO_VARIANT);
    CHECK(mentions(message, "needs the feature 'float64', which the device lacks"));
  }
}
