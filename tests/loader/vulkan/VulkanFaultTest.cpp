// The Vulkan device over a stand-in: bad images, the cache on disk, an application's
// device, calls that fail, and drivers that do not start.
#include "VulkanModule.h"
#include "tests/loader/SilentDevice.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

using namespace sextant;
using namespace sextant::test;

extern "C" PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance, const char *name);

namespace {

template <class Function> Function lookUp(const char *name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(nullptr, name));
}

std::string failureOf(std::vector<std::byte> image, sxt_status expected, const char *name) {
  Loaded on("vulkan:0", vulkanOptions(32, std::move(image)));
  sxt_kernel *kernel = nullptr;
  CHECK(sxt_program_kernel(on.program, name, &kernel) == expected);
  return message();
}

} // namespace

TEST_CASE("images that are not what they say") {
  CheckedVulkan checked;
  std::vector<std::byte> image = spirvOutline();
  CHECK(contains(failureOf(image, SXT_ERROR_BAD_MODULE, "absent"), "has no kernel 'absent_t0'"));
  image.resize(image.size() - 8);
  CHECK(contains(failureOf(image, SXT_ERROR_BAD_MODULE, "empty"), "cut short"));
  image.resize(image.size() - 1);
  CHECK(contains(failureOf(image, SXT_ERROR_BAD_MODULE, "empty"), "not SPIR-V"));
  image = spirvOutline();
  image[0] = std::byte{0};
  CHECK(contains(failureOf(image, SXT_ERROR_BAD_MODULE, "empty"), "not SPIR-V"));
  image = spirvOutline();
  image[20] = image[21] = image[22] = image[23] = std::byte{0}; // an instruction of no words
  CHECK(contains(failureOf(image, SXT_ERROR_BAD_MODULE, "empty"), "cut short"));
  CHECK(contains(failureOf(spirvOutline(0x10700), SXT_ERROR_UNSUPPORTED, "empty"),
                 "SPIR-V 1.7, which vulkan:0 (Vulkan 1.3) is too old for"));
}

TEST_CASE("the pipeline cache on disk") {
  CheckedVulkan checked;
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / ("sextant-vulkan-" + std::to_string(getpid()));
  fs::create_directory(folder);
  setenv("SEXTANT_CACHE_DIR", folder.string().c_str(), 1);
  auto run = [] {
    Loaded on("vulkan:0", vulkanOptions());
    (void)on.kernel("empty");
    return std::string(fakeLastImage()); // the code that the driver was given
  };
  CHECK(run() == "");
  std::vector<fs::path> files{fs::directory_iterator(folder), {}};
  REQUIRE(files.size() == 1);
  CHECK(run() == "+compiled");
  CHECK(run() == "+compiled+compiled");
  // Cut short, changed, not ours: passed over, and good again afterwards.
  auto damage = [&](auto change) {
    std::string text;
    {
      std::ifstream in(files[0], std::ios::binary);
      text.assign((std::istreambuf_iterator<char>(in)), {});
    }
    change(text);
    std::ofstream(files[0], std::ios::binary) << text;
    CHECK(run() == "");
    CHECK(run() == "+compiled");
  };
  damage([](std::string &text) { text.pop_back(); });
  damage([](std::string &text) { text.back() ^= 1; });
  damage([](std::string &text) { text[0] ^= 1; });
  damage([](std::string &text) { text = "garbage"; });
  damage([](std::string &text) { text = ""; });
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1);
  // A folder that is not there: a warning, nothing else.
  fs::remove_all(folder);
  CHECK(run() == "");
  unsetenv("SEXTANT_CACHE_DIR");
}

TEST_CASE("an application's device, queue and buffer") {
  CheckedVulkan checked;
  auto createDevice = lookUp<PFN_vkCreateDevice>("vkCreateDevice");
  VkInstance instance = nullptr;
  VkInstanceCreateInfo instanceInfo{};
  lookUp<PFN_vkCreateInstance>("vkCreateInstance")(&instanceInfo, nullptr, &instance);
  VkPhysicalDevice devices[5];
  uint32_t count = 5;
  lookUp<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices")(instance, &count, devices);
  VkPhysicalDeviceVulkan12Features twelve{};
  twelve.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  twelve.timelineSemaphore = twelve.shaderInt8 = VK_TRUE;
  VkPhysicalDeviceFeatures plain{};
  plain.shaderInt64 = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &twelve;
  info.pEnabledFeatures = &plain;
  VkDevice theirs = nullptr;
  REQUIRE(createDevice(devices[1], &info, nullptr, &theirs) == VK_SUCCESS);
  VkQueue queue = nullptr;
  lookUp<PFN_vkGetDeviceQueue>("vkGetDeviceQueue")(theirs, 0, 5, &queue);

  int locked = 0, unlocked = 0;
  std::pair<int *, int *> counts(&locked, &unlocked);
  sxt_vulkan_context context{};
  context.struct_size = sizeof context;
  context.instance = instance;
  context.physical_device = devices[1];
  context.device = theirs;
  context.device_info = &info;
  context.queue_family = 0;
  context.api_version = VK_API_VERSION_1_2;
  context.lock_queue = [](void *user) { ++*static_cast<decltype(counts) *>(user)->first; };
  context.unlock_queue = [](void *user) { ++*static_cast<decltype(counts) *>(user)->second; };
  context.user = &counts;
  sxt_adopt_info adopt{sizeof adopt, "vulkan", &context, nullptr};
  sxt_device *device = nullptr;
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_INVALID_ARGUMENT); // no queue
  CHECK(contains(message(), "needs instance, physical device, device, device_info and queue"));
  context.queue = queue;
  context.queue_family = 7;
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_INVALID_ARGUMENT);
  CHECK(contains(message(), "queue family 7 of Fake Modern does not compute"));
  context.queue_family = 0;
  context.api_version = VK_API_VERSION_1_0;
  CHECK(sxt_device_adopt(&adopt, &device) == SXT_ERROR_UNSUPPORTED);
  context.api_version = VK_API_VERSION_1_2;
  need(sxt_device_adopt(&adopt, &device));

  // The features that were enabled, and no subgroup sizes without their control.
  sxt_device_info facts;
  facts.struct_size = sizeof facts;
  need(sxt_device_describe(device, &facts));
  std::vector<std::string> features(facts.features, facts.features + facts.feature_count);
  auto has = [&](const char *word) {
    return std::find(features.begin(), features.end(), word) != features.end();
  };
  CHECK(std::string(facts.arch) == "1.2");
  CHECK(has("int64"));
  CHECK(has("int8"));
  CHECK(!has("float64"));
  CHECK(facts.wave_size_count == 1);
  CHECK(facts.wave_sizes[0] == 16);

  // The application's buffer, and what lies in it.
  VkBuffer buffer = nullptr;
  VkDeviceMemory memory = nullptr;
  VkBufferCreateInfo bufferInfo{};
  bufferInfo.size = 1024;
  VkMemoryAllocateInfo memoryInfo{};
  memoryInfo.allocationSize = 1024;
  REQUIRE(lookUp<PFN_vkCreateBuffer>("vkCreateBuffer")(theirs, &bufferInfo, nullptr, &buffer) ==
          VK_SUCCESS);
  REQUIRE(lookUp<PFN_vkAllocateMemory>("vkAllocateMemory")(theirs, &memoryInfo, nullptr, &memory) ==
          VK_SUCCESS);
  lookUp<PFN_vkBindBufferMemory>("vkBindBufferMemory")(theirs, buffer, memory, 0);
  sxt_buffer *wrapped = nullptr;
  need(sxt_buffer_wrap_native(device, buffer, 1024, &wrapped));
  int32_t value = 42, back = 0;
  fakeReset();
  need(sxt_buffer_write(wrapped, 8, &value, 4, nullptr));
  void *mapped = nullptr;
  lookUp<PFN_vkMapMemory>("vkMapMemory")(theirs, memory, 0, 1024, 0, &mapped);
  std::memcpy(&back, static_cast<char *>(mapped) + 8, 4);
  CHECK(back == 42);
  void *native = nullptr;
  uint64_t offset = 1;
  need(sxt_buffer_native(wrapped, &native, &offset));
  CHECK(native == buffer);
  CHECK(offset == 0);
  CHECK(locked == fakeCalls("vkQueueSubmit"));
  CHECK(locked == unlocked);
  CHECK(locked > 0);

  // Every call submits what it queues.
  uint32_t zero = 0;
  fakeHold(1);
  for (int i = 0; i < 20; ++i)
    need(sxt_buffer_fill(wrapped, 0, 16, &zero, 4, nullptr));
  CHECK(locked == fakeCalls("vkQueueSubmit"));
  CHECK(fakeCalls("vkQueueSubmit") == 21);
  sxt_stream *stream = nullptr;
  need(sxt_device_default_stream(device, &stream));
  need(sxt_stream_native(stream, &native));
  CHECK(native == queue);
  fakeHold(0);
  sxt_buffer_release(wrapped);
  sxt_device_release(device);
  CHECK(fakeCalls("vkDestroyDevice") == 0); // the application's
  lookUp<PFN_vkDestroyBuffer>("vkDestroyBuffer")(theirs, buffer, nullptr);
  lookUp<PFN_vkFreeMemory>("vkFreeMemory")(theirs, memory, nullptr);
  lookUp<PFN_vkDestroyDevice>("vkDestroyDevice")(theirs, nullptr);

  sxt_device *cpu = nullptr;
  need(sxt_device_open("cpu", &cpu));
  CHECK(sxt_buffer_wrap_native(cpu, &value, 4, &wrapped) == SXT_ERROR_UNSUPPORTED);
  CHECK(message() == "memory of cpu is only known by its address");
  sxt_device_release(cpu);
}

TEST_CASE("memory runs out, the device is lost") {
  CheckedVulkan checked;
  Loaded on("vulkan:0", vulkanOptions());
  sxt_buffer *buffer = nullptr;
  CHECK(sxt_buffer_create(on.device, uint64_t(2) << 30, &buffer) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(message() == "vulkan:0 has no memory for a buffer of 2147483648 bytes: vkAllocateMemory "
                     "failed: VK_ERROR_OUT_OF_DEVICE_MEMORY");
  CHECK(sxt_buffer_create(on.device, uint64_t(9) << 30, &buffer) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(contains(message(), "it has 8589934592"));
  fakeFail("vkAllocateMemory", VK_ERROR_TOO_MANY_OBJECTS, 0);
  CHECK(sxt_buffer_create(on.device, 16, &buffer) == SXT_ERROR_OUT_OF_MEMORY);
  sxt_kernel *kernel = on.kernel("empty");
  fakeFail("vkQueueSubmit", VK_ERROR_DEVICE_LOST, 0);
  CHECK(sxt_kernel_launch(kernel, nullptr, nullptr, 0) == SXT_ERROR_DEVICE);
  CHECK(contains(message(), "vkQueueSubmit failed: VK_ERROR_DEVICE_LOST (the device was reset"));
  // Lost by what another call submits: the stream whose work it was tells.
  sxt_stream *stream = nullptr, *other = nullptr;
  need(sxt_stream_create(on.device, &stream));
  need(sxt_stream_create(on.device, &other));
  fakeHold(1);
  for (int i = 0; i < 4; ++i)
    need(sxt_kernel_launch(kernel, stream, nullptr, 0));
  fakeFail("vkQueueSubmit", VK_ERROR_OUT_OF_HOST_MEMORY, 0);
  need(sxt_stream_synchronize(other));
  CHECK(sxt_stream_synchronize(stream) == SXT_ERROR_OUT_OF_MEMORY);
  CHECK(message() == "an earlier launch or copy was lost: vkQueueSubmit failed: "
                     "VK_ERROR_OUT_OF_HOST_MEMORY");
  need(sxt_stream_synchronize(stream)); // told once
  need(sxt_kernel_launch(kernel, stream, nullptr, 0));
  fakeFail("vkWaitSemaphores", VK_ERROR_DEVICE_LOST, 0);
  CHECK(sxt_stream_synchronize(stream) == SXT_ERROR_DEVICE);
  fakeHold(0);
  fakeRunAll();
  sxt_stream_release(stream);
  sxt_stream_release(other);
}

TEST_CASE("a device that falls silent") {
  ModuleOptions options = vulkanOptions();
  for (const char *device : {"vulkan:0", "vulkan:1"}) { // timelines, fences
    // The driver says so only to whoever submits.
    fallSilent(
        device, options, [] { fakeFail("vkQueueSubmit", VK_ERROR_DEVICE_LOST, 0); },
        "vkQueueSubmit failed: VK_ERROR_DEVICE_LOST");
    // Or to no one.
    fallSilent(device, options, limitWaits,
               std::string(device) + " did not finish within SEXTANT_WAIT_LIMIT=0.3 seconds");
  }
  need(smallRun("vulkan:0", options));
}

TEST_CASE("a kernel that takes long is waited for") {
  CheckedVulkan checked;
  for (const char *device : {"vulkan:0", "vulkan:1"})
    for (const char *limit : {"", "30"}) {
      setenv("SEXTANT_WAIT_LIMIT", limit, 1);
      Loaded on(device, vulkanOptions());
      sxt_kernel *kernel = on.kernel("empty");
      fakeReset();
      fakeSilence(1);
      const auto begin = std::chrono::steady_clock::now();
      need(sxt_kernel_launch(kernel, nullptr, nullptr, 0));
      std::thread ends([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        fakeSilence(0);
        fakeRunAll();
      });
      CHECK(sxt_device_synchronize(on.device) == SXT_OK);
      ends.join();
      // The launch, and a question after 0.1, 0.2 and 0.4 s; more on a machine that made it wait.
      const auto waited = std::chrono::steady_clock::now() - begin;
      int most = 1;
      for (std::chrono::milliseconds asks(100); asks <= waited; asks *= 2)
        ++most;
      CHECK(fakeCalls("vkQueueSubmit") > 1);
      CHECK(fakeCalls("vkQueueSubmit") <= most);
      need(sxt_kernel_launch(kernel, nullptr, nullptr, 0));
      need(sxt_device_synchronize(on.device));
    }
  unsetenv("SEXTANT_WAIT_LIMIT");
}

TEST_CASE("whichever call fails, nothing leaks and the next try works") {
  for (const char *device : {"vulkan:0", "vulkan:1"}) { // timelines, fences
    // Five buffers are more than the plain one binds; it runs the rest.
    const bool modern = std::string(device) == "vulkan:0";
    auto run = [&] { return smallRun(device, vulkanOptions()); };
    fakeReset();
    if (modern)
      need(run());
    for (const char *function : {"vkEnumeratePhysicalDevices",
                                 "vkEnumerateDeviceExtensionProperties",
                                 "vkCreateDevice",
                                 "vkQueueSubmit",
                                 "vkAllocateMemory",
                                 "vkMapMemory",
                                 "vkCreateBuffer",
                                 "vkBindBufferMemory",
                                 "vkCreateShaderModule",
                                 "vkCreateComputePipelines",
                                 "vkCreatePipelineLayout",
                                 "vkCreatePipelineCache",
                                 "vkCreateDescriptorSetLayout",
                                 "vkCreateDescriptorPool",
                                 "vkAllocateDescriptorSets",
                                 "vkCreateCommandPool",
                                 "vkResetCommandPool",
                                 "vkAllocateCommandBuffers",
                                 "vkBeginCommandBuffer",
                                 "vkEndCommandBuffer",
                                 "vkCreateQueryPool",
                                 "vkGetQueryPoolResults",
                                 "vkCreateSemaphore",
                                 "vkWaitSemaphores",
                                 "vkCreateFence",
                                 "vkWaitForFences"}) {
      for (int after = 0; after < 40; ++after) {
        fakeReset();
        int alive = fakeAlive();
        fakeFail(function, VK_ERROR_OUT_OF_HOST_MEMORY, after);
        sxt_status status = run();
        bool reached = fakeCalls(function) > after;
        INFO(device << ": " << function << " fails at call " << after << ": " << message());
        CHECK(fakeAlive() == alive);
        CHECK(fakeMisuses() == 0);
        if (!reached)
          break;
        if (modern && std::strcmp(function, "vkCreatePipelineCache") != 0)
          CHECK(status != SXT_OK);
      }
    }
    fakeReset();
    if (modern)
      need(run());
  }
}

namespace {
/// The reason why there is no Vulkan device; what needs none works nevertheless.
std::string reason() {
  sxt_device *device = nullptr;
  CHECK(sxt_device_open("vulkan", &device) == SXT_ERROR_NO_DEVICE);
  std::string why = message();
  ModuleOptions options = vulkanOptions();
  options.targets.push_back({"cpu", hostArch(), {}, 32});
  std::vector<std::byte> bytes = makeModule(options);
  sxt_module *module = nullptr;
  need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
  need(sxt_device_open_for(module, &device));
  sxt_device_info info;
  info.struct_size = sizeof info;
  need(sxt_device_describe(device, &info));
  CHECK(std::string(info.name) == "cpu");
  sxt_device_release(device);
  sxt_module_release(module);
  return why;
}
} // namespace

TEST_CASE("a driver is only started for modules with code of its kind", "[.lazy]") {
  auto openFor = [](const ModuleOptions &options) {
    std::vector<std::byte> bytes = makeModule(options);
    sxt_module *module = nullptr;
    sxt_device *device = nullptr;
    need(sxt_module_open_memory(bytes.data(), bytes.size(), &module));
    need(sxt_device_open_for(module, &device));
    sxt_device_info info;
    info.struct_size = sizeof info;
    need(sxt_device_describe(device, &info));
    std::string name = info.name;
    sxt_device_release(device);
    sxt_module_release(module);
    return name;
  };
  CHECK(openFor({}) == "cpu"); // which opens "cpu" by name too
  CHECK(fakeCalls("vkEnumeratePhysicalDevices") == 0);
  CHECK(openFor(vulkanOptions()) == "vulkan:0");
  CHECK(fakeCalls("vkEnumeratePhysicalDevices") > 0);
  // Software Vulkan comes after the CPU, and serves where the CPU has no code.
  ModuleOptions waveOf4 = vulkanOptions(4);
  CHECK(openFor(waveOf4) == "vulkan:4");
  waveOf4.targets.push_back({"cpu", hostArch(), {}, 32});
  CHECK(openFor(waveOf4) == "cpu");
}

TEST_CASE("Vulkan without a driver that starts", "[.incompatible]") {
  CHECK(reason() == "device 'vulkan' cannot be opened: Vulkan finds no driver that starts "
                    "(vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER)");
}
TEST_CASE("an instance that is not made", "[.failing]") {
  CHECK(reason() == "device 'vulkan' cannot be opened: Vulkan does not start: vkCreateInstance "
                    "failed: VK_ERROR_INITIALIZATION_FAILED");
}
TEST_CASE("Vulkan 1.0", "[.old]") {
  CHECK(reason() == "device 'vulkan' cannot be opened: Vulkan here is older than 1.1");
}
TEST_CASE("no device", "[.empty]") {
  CHECK(reason() == "device 'vulkan' cannot be opened: Vulkan sees no device");
}
TEST_CASE("a driver without what the loader needs", "[.partial]") {
  CHECK(reason() == "device 'vulkan' cannot be opened: Vulkan here has no vkCreateDevice");
}
