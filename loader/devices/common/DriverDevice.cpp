// Images and memory of a device that a driver::Api drives.
#include "loader/devices/common/DriverDevice.h"

#include <algorithm>
#include <cinttypes>

namespace sextant::loader::driver {
namespace {

enum FunctionAttribute : int { MaxDynamicSharedBytes = 8 };

class DriverImage : public LoadedImage {
public:
  explicit DriverImage(const DeviceContext &context) : context(context) {}
  ~DriverImage() override {
    if (!module || context.isGone())
      return;
    Current current(context);
    context.api.moduleUnload.function(module);
  }
  sxt_status findTask(const module::Task &task, const module::BlockLayout & /*layout*/,
                      const module::Resources &resources, LoadedTask &loaded) override {
    const Api &api = context.api;
    Current current(context);
    SXT_TRY(current.status());
    Function function = nullptr;
    Result result = api.moduleGetFunction.function(&function, module, task.symbol.c_str());
    if (result == errorNotFound)
      return fail(SXT_ERROR_BAD_MODULE, "the image has no kernel '%s': %s", task.symbol.c_str(),
                  api.describe(result).c_str());
    SXT_TRY(api.check(result, api.moduleGetFunction.name));
    loaded = {function, task.blockDim, 0};
    if (resources.sharedBytes <= api.staticSharedBytes)
      return SXT_OK;
    // A task that needs more gets all of its shared memory with the launch.
    loaded.sharedBytes = static_cast<uint32_t>(resources.sharedBytes);
    return api(api.funcSetAttribute, function, int(MaxDynamicSharedBytes), resources.sharedBytes);
  }

  const DeviceContext &context;
  Module module = nullptr;
};

class DriverDevice : public Device {
public:
  DriverDevice(std::unique_ptr<DeviceContext> owned, OpenedDevice opened)
      : keep(std::move(owned)), context(*keep), api(context.api), opened(std::move(opened)) {}

  const DeviceDescription &description() const override { return opened.description; }

  const char *whyOfParent() const override { return context.presence.whyOfParent(); }

  sxt_status allocate(uint64_t bytes, uint64_t &address) override {
    Current current(context);
    SXT_TRY(current.status());
    Address allocated = 0;
    // Kernels reach beyond the last element, but not beyond the aligned 16 bytes that it lies in:
    // atomics on 16-bit elements change whole words, and AMD's scalar loads of 12 bytes read 16.
    constexpr uint64_t granule = 16;
    const Result result =
        bytes <= UINT64_MAX - (granule - 1)
            ? api.memAlloc.function(&allocated, (bytes + granule - 1) / granule * granule)
            : errorOutOfMemory;
    if (result == errorOutOfMemory)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for a buffer of %" PRIu64 " bytes",
                  opened.description.name.c_str(), bytes);
    SXT_TRY(api.check(result, api.memAlloc.name));
    address = allocated;
    return SXT_OK;
  }
  void release(uint64_t address) override {
    (void)settle();
    Current current(context);
    if (!context.isGone())
      warn(api.memFree.function(address), api.memFree.name); // waits for the work that uses it
  }
  sxt_status checkAddress(uint64_t address) override {
    Current current(context);
    SXT_TRY(current.status());
    int owner = 0;
    return api.isForeign(address, context.device, owner)
               ? fail(SXT_ERROR_INVALID_ARGUMENT,
                      "address 0x%" PRIx64 " is memory of device %d, which %s does not reach",
                      address, owner, opened.description.name.c_str())
               : SXT_OK;
  }
  sxt_status allocateHost(uint64_t bytes, void *&pointer) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.hostAlloc, &pointer, bytes, 0u);
  }
  void releaseHost(void *pointer) override {
    Current current(context);
    if (!context.isGone())
      warn(api.hostFree.function(pointer), api.hostFree.name);
  }

  sxt_status createStream(std::unique_ptr<DeviceStream> &stream) override {
    Current current(context);
    SXT_TRY(current.status());
    // The stream is ordered with the legacy default stream, so that an application's plain
    // cudaMemcpy before and after a launch does what it looks like.
    constexpr unsigned blockingStream = 0;
    return createStream(blockingStream, stream);
  }
  sxt_status wrapStream(void *native, std::unique_ptr<DeviceStream> &stream) override {
    // The drivers' own default streams, of small numbers, are those of the current context.
    if (reinterpret_cast<uintptr_t>(native) > 2) {
      Current current(context);
      SXT_TRY(current.status());
      if (api.isOthersStream(static_cast<Stream>(native), context.context))
        return fail(SXT_ERROR_INVALID_ARGUMENT,
                    "the stream to wrap belongs to another device than "
                    "%s, or to another context",
                    opened.description.name.c_str());
    }
    stream = driver::wrapStream(context, static_cast<Stream>(native), false);
    return SXT_OK;
  }
  sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) override {
    if (!opened.adopted)
      return createStream(stream);
    return wrapStream(opened.stream, stream);
  }
  sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) override {
    Current current(context);
    SXT_TRY(current.status());
    Event created = nullptr;
    SXT_TRY(api(api.eventCreate, &created, 0u));
    event = wrapEvent(context, created);
    return SXT_OK;
  }

  sxt_status loadImage(const std::string &format, std::span<const std::byte> bytes,
                       std::unique_ptr<LoadedImage> &image) override {
    Current current(context);
    SXT_TRY(current.status());
    auto made = std::make_unique<DriverImage>(context);
    SXT_TRY(api.loadModule(opened.description.name.c_str(), format, bytes, made->module));
    image = std::move(made);
    return SXT_OK;
  }

  sxt_status makeGraph(std::span<const GraphStep> steps,
                       std::unique_ptr<DeviceGraph> &graph) override {
    if (!api.hasGraphs)
      return SXT_OK;
    Current current(context);
    SXT_TRY(current.status());
    // The recording must not see other threads' work in the legacy default stream.
    constexpr unsigned nonBlockingStream = 1;
    std::unique_ptr<DeviceStream> recorder;
    SXT_TRY(createStream(nonBlockingStream, recorder));
    return driver::makeGraph(context, *recorder, steps, graph);
  }

  sxt_status makeSchedule(std::span<const GraphStep> tasks, std::span<const abi::Span> spans,
                          std::vector<uint64_t> &handles,
                          std::unique_ptr<DeviceGraph> &graph) override {
    if (!api.hasGraphs || !api.addLoop)
      return SXT_OK;
    Current current(context);
    SXT_TRY(current.status());
    return driver::makeSchedule(context, tasks, spans, handles, graph);
  }

  sxt_status synchronize() override {
    SXT_TRY(settle());
    Current current(context);
    SXT_TRY(current.status());
    return api(api.synchronize); // also for streams that are not ordered with the null stream
  }
  uint32_t gridThatFills(const LoadedTask &task) const override {
    return opened.description.multiprocessors *
           std::max(1u, opened.threadsPerMultiprocessor / task.blockDim);
  }

private:
  sxt_status settle() {
    return guarded([&] {
      Current current(context);
      SXT_TRY(current.status());
      return context.settle(nullptr);
    });
  }
  sxt_status createStream(unsigned flags, std::unique_ptr<DeviceStream> &stream) {
    Stream created = nullptr;
    SXT_TRY(api(api.streamCreate, &created, flags));
    stream = driver::wrapStream(context, created, true);
    return SXT_OK;
  }
  void warn(Result result, const char *call) const {
    if (result != success && logs(SXT_LOG_WARNING))
      (void)guarded([&] {
        log(SXT_LOG_WARNING, "%s: %s failed: %s", opened.description.name.c_str(),
            plainName(call).c_str(), api.describe(result).c_str());
        return SXT_OK;
      });
  }

  std::unique_ptr<DeviceContext> keep;
  const DeviceContext &context;
  const Api &api;
  OpenedDevice opened;
};

} // namespace

std::unique_ptr<Device> makeDevice(std::unique_ptr<DeviceContext> context, OpenedDevice opened) {
  return std::make_unique<DriverDevice>(std::move(context), std::move(opened));
}

} // namespace sextant::loader::driver
