// The Vulkan device: enumeration, opening, adoption, and Device.h's calls over Context.
#include "loader/devices/Device.h"
#include "loader/devices/vulkan/Graph.h"
#include "loader/devices/vulkan/Image.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>

namespace sextant::loader {
namespace {

using namespace vulkan;

class VulkanDevice : public Device {
public:
  const DeviceDescription &description() const override { return context.abilities.description; }
  const char *whyOfParent() const override { return context.presence.whyOfParent(); }
  sxt_status allocate(uint64_t bytes, uint64_t &address) override {
    return context.allocate(bytes, address);
  }
  void release(uint64_t address) override { context.release(address); }
  sxt_status checkAddress(uint64_t address) override {
    Place place;
    return context.find(address, 0, place);
  }
  sxt_status wrapNative(void *object, uint64_t bytes, uint64_t &address) override {
    if (!context.adopted)
      return fail(SXT_ERROR_UNSUPPORTED,
                  "%s was opened by the loader, so a VkBuffer of the application's is not its own: "
                  "adopt the application's device",
                  context.name().c_str());
    context.wrap(static_cast<VkBuffer>(object), bytes, address);
    return SXT_OK;
  }
  sxt_status native(uint64_t address, void *&object, uint64_t &offset) override {
    Place place;
    SXT_TRY(context.find(address, 0, place));
    object = place.buffer;
    offset = place.offset;
    return SXT_OK;
  }
  sxt_status allocateHost(uint64_t bytes, void *&pointer) override {
    void *memory = std::malloc(bytes);
    if (!memory)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "no memory for a mapping of %" PRIu64 " bytes", bytes);
    pointer = memory;
    return SXT_OK;
  }
  void releaseHost(void *pointer) override { std::free(pointer); }
  bool hostVisible() const override { return context.abilities.unified; }
  sxt_status createStream(std::unique_ptr<DeviceStream> &stream) override {
    SXT_TRY(context.present());
    auto made = std::make_unique<VulkanStream>(context);
    SXT_TRY(made->start());
    stream = std::move(made);
    return SXT_OK;
  }
  sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) override {
    return createStream(stream);
  }
  sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) override {
    event = std::make_unique<VulkanEvent>(context);
    return SXT_OK;
  }
  sxt_status loadImage(const std::string &format, std::span<const std::byte> bytes,
                       std::unique_ptr<LoadedImage> &image) override {
    if (format != "spirv")
      return fail(SXT_ERROR_BAD_MODULE, "Vulkan devices do not run images of format '%s'",
                  format.c_str());
    return loadSpirv(context, bytes, image);
  }
  sxt_status makeGraph(std::span<const GraphStep> steps,
                       std::unique_ptr<DeviceGraph> &graph) override {
    auto made = std::make_unique<VulkanGraph>(context, steps);
    SXT_TRY(made->record());
    graph = std::move(made);
    return SXT_OK;
  }
  sxt_status synchronize() override { return context.synchronize(); }
  /// The grid is one row, because the task may ask how many blocks there are.
  uint32_t gridThatFills(const LoadedTask &task) const override {
    const Abilities &a = context.abilities;
    uint64_t blocks = uint64_t(a.description.multiprocessors) *
                      std::max(1u, a.threadsPerMultiprocessor / std::max(1u, task.blockDim));
    if (!a.threadsPerMultiprocessor) // unknown: enough for most, and not much for any
      blocks = a.description.rank == Rank::Software ? a.description.multiprocessors * 4u : 1024;
    return static_cast<uint32_t>(
        std::min<uint64_t>(blocks, a.properties.limits.maxComputeWorkGroupCount[0]));
  }

  Context context;
};

VkResult listDevices(const Instance &instance, std::vector<VkPhysicalDevice> &sorted) {
  uint32_t count = 0;
  std::vector<VkPhysicalDevice> devices;
  VkResult result = instance.EnumeratePhysicalDevices(instance.handle, &count, nullptr);
  if (result == VK_SUCCESS) {
    devices.resize(count);
    result = instance.EnumeratePhysicalDevices(instance.handle, &count, devices.data());
    devices.resize(count);
  }
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return result;
  for (Rank rank : ranks)
    for (VkPhysicalDevice device : devices) {
      VkPhysicalDeviceProperties properties;
      instance.GetPhysicalDeviceProperties(device, &properties);
      if (rankOf(properties.deviceType) == rank)
        sorted.push_back(device);
    }
  return VK_SUCCESS;
}

void enumerateVulkan(std::vector<DeviceDescription> &devices, std::string &why) {
  const Instance *instance = Instance::get(why);
  if (!instance)
    return;
  std::vector<VkPhysicalDevice> found;
  if (VkResult result = listDevices(*instance, found); result != VK_SUCCESS)
    why = "vkEnumeratePhysicalDevices failed: " + describe(result);
  else if (found.empty())
    why = "Vulkan sees no device";
  for (VkPhysicalDevice physical : found) {
    Abilities abilities;
    std::string name = "vulkan:" + std::to_string(devices.size());
    DeviceDescription &d = abilities.description;
    if (survey(*instance, physical, name, abilities) != SXT_OK) {
      d.name = std::move(name); // listed, so that ordinals stay; open() will say why
      d.description = sxt_last_error_message();
      d.facts.backend = module::vulkanFamily.name;
    }
    devices.push_back(std::move(d));
  }
}

sxt_status openVulkan(unsigned ordinal, std::unique_ptr<Device> &device) {
  std::string why;
  const Instance *instance = Instance::get(why);
  if (!instance)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  std::vector<VkPhysicalDevice> devices;
  SXT_TRY(check(listDevices(*instance, devices), "vkEnumeratePhysicalDevices"));
  if (ordinal >= devices.size())
    return fail(SXT_ERROR_NO_DEVICE, "vulkan:%u is gone", ordinal);
  auto opened = std::make_unique<VulkanDevice>();
  SXT_TRY(survey(*instance, devices[ordinal], "vulkan:" + std::to_string(ordinal),
                 opened->context.abilities));
  SXT_TRY(opened->context.create(*instance));
  device = std::move(opened);
  return SXT_OK;
}

sxt_status adoptVulkan(void *context, void *stream, std::unique_ptr<Device> &device) {
  const auto *given = static_cast<const sxt_vulkan_context *>(context);
  if (!given || given->struct_size < sizeof *given)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "to adopt a Vulkan device, 'context' points to an sxt_vulkan_context with its "
                "struct_size set");
  if (!given->instance || !given->physical_device || !given->device || !given->device_info ||
      !given->queue || stream)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "an adopted Vulkan device needs instance, physical device, device, device_info and "
                "queue, and takes no stream");
  Instance instance;
  instance.handle = static_cast<VkInstance>(given->instance);
  instance.GetInstanceProcAddr =
      reinterpret_cast<PFN_vkGetInstanceProcAddr>(given->get_instance_proc_addr);
  std::string why;
  if (!instance.GetInstanceProcAddr)
    instance.GetInstanceProcAddr = findVulkan(why, instance.library);
  if (!instance.GetInstanceProcAddr)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  if (const char *missing = instance.lookUp())
    return fail(SXT_ERROR_DEVICE, "the adopted instance has no %s", missing);
  auto opened = std::make_unique<VulkanDevice>();
  SXT_TRY(surveyAdopted(instance, static_cast<VkPhysicalDevice>(given->physical_device),
                        given->api_version,
                        *static_cast<const VkDeviceCreateInfo *>(given->device_info),
                        given->queue_family, opened->context.abilities));
  SXT_TRY(opened->context.adopt(instance, static_cast<VkDevice>(given->device),
                                static_cast<VkQueue>(given->queue), given->lock_queue,
                                given->unlock_queue, given->user));
  device = std::move(opened);
  return SXT_OK;
}

} // namespace

} // namespace sextant::loader

const sxt_backend sxt_backend_vulkan = {sextant::module::vulkanFamily,
                                        sextant::loader::enumerateVulkan,
                                        sextant::loader::openVulkan, sextant::loader::adoptVulkan};
