// The Metal device: facts, opening, adopting. This file is portable; it calls only the functions of
// Driver.h's table.
#include "loader/abi/Features.h"
#include "loader/devices/Device.h"
#include "loader/devices/metal/Image.h"
#include "loader/devices/metal/Stream.h"

#include <algorithm>

namespace sextant::loader {
namespace {

using namespace metal;

sxt_status describeMetal(const Core &core, DeviceDescription &d) {
  DeviceInfo info{};
  SXT_TRY(core.check(core.api.describeDevice(core.device.get(), &info),
                     "the device does not describe itself"));
  info.name[sizeof info.name - 1] = '\0';
  d.name = info.ordinal == ~0u ? "metal" : "metal:" + std::to_string(info.ordinal);
  d.description = info.name;
  d.facts.backend = module::metalFamily.name;
  d.facts.arch = std::to_string(info.languageMajor) + "." + std::to_string(info.languageMinor);
  d.facts.waves = {info.simdWidth};
  if (info.addresses)
    d.facts.features.emplace_back(abi::metalAddresses);
  if (info.family >= 9) // atomic_ulong
    d.facts.features.emplace_back(abi::metalInt64MinMax);
  if (info.family >= 7)
    d.facts.features.emplace_back(abi::metalMatrices);
  d.memoryBytes = info.memoryBytes;
  d.sharedBytes = info.threadgroupBytes;
  d.maxThreadsPerBlock = info.maxThreads;
  constexpr uint32_t usualCores = 8; // as in smaller chips, where the system does not tell
  d.multiprocessors = info.cores ? info.cores : usualCores;
  return SXT_OK;
}

class MetalDevice : public Device {
public:
  explicit MetalDevice(const metal::Functions &api) : core(api) {}

  sxt_status open(Ref<DeviceRef> device, Ref<QueueRef> given) {
    core.device = std::move(device);
    core.name = "metal";
    adopted = std::move(given);
    SXT_TRY(describeMetal(core, facts));
    core.name = facts.name;
    void *contents = nullptr;
    return core.newBuffer(256, core.spare, contents);
  }

  const DeviceDescription &description() const override { return facts; }
  const char *whyOfParent() const override { return core.presence.whyOfParent(); }
  sxt_status allocate(uint64_t bytes, uint64_t &address) override {
    return core.allocate(bytes, address);
  }
  void release(uint64_t address) override { core.release(address); }
  // Nobody calls it, because device memory is host memory.
  sxt_status allocateHost(uint64_t, void *&) override {
    return fail(SXT_ERROR_UNSUPPORTED, "%s maps its buffers themselves", facts.name.c_str());
  }
  void releaseHost(void *) override {}
  bool hostVisible() const override { return true; }

  sxt_status createStream(std::unique_ptr<DeviceStream> &stream) override {
    QueueRef queue = nullptr;
    SXT_TRY(core.check(core.api.newQueue(core.device.get(), &queue), "no command queue"));
    return add(Ref<QueueRef>(core.api, queue), stream);
  }
  sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) override {
    return adopted ? add(std::move(adopted), stream) : createStream(stream);
  }
  sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) override {
    event = std::make_unique<MetalEvent>(core);
    return SXT_OK;
  }

  sxt_status loadImage(const std::string &format, std::span<const std::byte> bytes,
                       std::unique_ptr<LoadedImage> &image) override {
    if (format != "msl")
      return fail(SXT_ERROR_BAD_MODULE, "Metal devices do not run images of format '%s'",
                  format.c_str());
    auto made = std::make_unique<MetalImage>(
        core, std::string(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
    SXT_TRY(made->open());
    image = std::move(made);
    return SXT_OK;
  }

  sxt_status synchronize() override {
    std::lock_guard lock(streamsMutex);
    sxt_status status = SXT_OK;
    for (MetalStream *stream : streams)
      if (sxt_status one = stream->synchronize(); status == SXT_OK)
        status = one;
    return status;
  }
  uint32_t gridThatFills(const LoadedTask &task) const override {
    constexpr uint32_t threadsPerCore = 2048; // more than run at once on any core so far
    return facts.multiprocessors * std::max(1u, threadsPerCore / task.blockDim);
  }

private:
  /// A stream that the device's synchronize() knows while it lives.
  class ListedStream : public MetalStream {
  public:
    ListedStream(MetalDevice &device, Ref<QueueRef> queue, Ref<EventRef> timeline)
        : MetalStream(device.core, std::move(queue), std::move(timeline)), device(device) {
      std::lock_guard lock(device.streamsMutex);
      device.streams.push_back(this);
    }
    ~ListedStream() override {
      std::lock_guard lock(device.streamsMutex);
      std::erase(device.streams, this);
    }

  private:
    MetalDevice &device;
  };
  sxt_status add(Ref<QueueRef> queue, std::unique_ptr<DeviceStream> &stream) {
    EventRef timeline = nullptr;
    SXT_TRY(core.check(core.api.newEvent(core.device.get(), &timeline), "no event"));
    stream =
        std::make_unique<ListedStream>(*this, std::move(queue), Ref<EventRef>(core.api, timeline));
    return SXT_OK;
  }

  Core core;
  DeviceDescription facts;
  Ref<QueueRef> adopted;
  std::mutex streamsMutex;
  std::vector<MetalStream *> streams;
};

/// Returns Metal's functions. Null without a driver, and in the child of a fork if the parent has
/// used it.
const metal::Functions *driverHere(std::string &why) {
  static const Birth birth;
  const metal::Functions *api = metal::driver(why);
  if (!api || !birth.isOfParent())
    return api;
  why = driverStays;
  return nullptr;
}

void enumerateMetal(std::vector<DeviceDescription> &devices, std::string &why) {
  const metal::Functions *api = driverHere(why);
  if (!api)
    return;
  uint32_t count = api->deviceCount();
  if (count == 0)
    why = "Metal sees no GPU of Apple's family 7 (M1, A14) or newer";
  for (uint32_t ordinal = 0; ordinal < count; ++ordinal) {
    DeviceDescription d;
    Core core(*api);
    core.name = "metal:" + std::to_string(ordinal);
    DeviceRef device = nullptr;
    sxt_status status = core.check(api->openDevice(ordinal, &device), "the device does not open");
    core.device = {*api, device};
    if (status != SXT_OK || describeMetal(core, d) != SXT_OK) {
      // The device is listed, so that ordinals stay. open() will say why it cannot be used.
      d.facts.backend = module::metalFamily.name;
      d.description = sxt_last_error_message();
    }
    d.name = core.name;
    devices.push_back(std::move(d));
  }
}

sxt_status openMetal(unsigned ordinal, std::unique_ptr<Device> &device) {
  std::string why;
  const metal::Functions *api = driverHere(why);
  if (!api)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  DeviceRef found = nullptr;
  Core core(*api);
  core.name = "metal:" + std::to_string(ordinal);
  SXT_TRY(core.check(api->openDevice(ordinal, &found), "the device does not open"));
  auto opened = std::make_unique<MetalDevice>(*api);
  SXT_TRY(opened->open(Ref<DeviceRef>(*api, found), {}));
  device = std::move(opened);
  return SXT_OK;
}

sxt_status adoptMetal(void *context, void *stream, std::unique_ptr<Device> &device) {
  std::string why;
  const metal::Functions *api = driverHere(why);
  if (!api)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  if (!context)
    return fail(SXT_ERROR_INVALID_ARGUMENT,
                "a Metal device to adopt is an id<MTLDevice>, not null");
  auto opened = std::make_unique<MetalDevice>(*api);
  SXT_TRY(opened->open(share(*api, static_cast<DeviceRef>(context)),
                       stream ? share(*api, static_cast<QueueRef>(stream)) : Ref<QueueRef>()));
  device = std::move(opened);
  return SXT_OK;
}

} // namespace

} // namespace sextant::loader

const sxt_backend sxt_backend_metal = {sextant::module::metalFamily,
                                       sextant::loader::enumerateMetal, sextant::loader::openMetal,
                                       sextant::loader::adoptMetal};
