// Images, events, streams and memory behind a driver::Api.
#include "loader/devices/common/DriverDevice.h"

#include <algorithm>

namespace sextant::loader::driver {
namespace {

enum FunctionAttribute : int { maxDynamicSharedBytes = 8 };

class DriverImage : public LoadedImage {
public:
  DriverImage(const DeviceContext &context, Module module) : context(context), module(module) {}
  ~DriverImage() override {
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
    if (result != success)
      return fail(SXT_ERROR_BAD_MODULE, "the image has no kernel '%s': %s", task.symbol.c_str(),
                  api.describe(result).c_str());
    loaded = {function, task.blockDim, 0};
    if (resources.sharedBytes <= api.staticSharedBytes)
      return SXT_OK;
    // Tasks that need more get all of theirs with the launch.
    loaded.sharedBytes = static_cast<uint32_t>(resources.sharedBytes);
    return api(api.funcSetAttribute, function, int(maxDynamicSharedBytes), resources.sharedBytes);
  }

private:
  const DeviceContext &context;
  Module module;
};

class DriverEvent : public DeviceEvent {
public:
  DriverEvent(const DeviceContext &context, Event event)
      : context(context), api(context.api), event(event) {}
  ~DriverEvent() override {
    Current current(context);
    api.eventDestroy.function(event);
  }
  sxt_status query() override {
    Current current(context);
    SXT_TRY(current.status());
    Result result = api.eventQuery.function(event);
    return result == errorNotReady ? SXT_ERROR_NOT_READY : api.check(result, api.eventQuery.name);
  }
  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.eventSynchronize, event);
  }
  sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) override {
    Current current(context);
    SXT_TRY(current.status());
    float elapsed = 0;
    Result result =
        api.eventElapsedTime.function(&elapsed, static_cast<DriverEvent &>(begin).event, event);
    if (result == errorNotReady)
      return fail(SXT_ERROR_NOT_READY, "elapsed time of an event that is not reached yet");
    SXT_TRY(api.check(result, api.eventElapsedTime.name));
    milliseconds = static_cast<double>(elapsed);
    return SXT_OK;
  }

  const DeviceContext &context;
  const Api &api;
  Event event;
};

class DriverStream : public DeviceStream {
public:
  DriverStream(const DeviceContext &context, Stream stream, bool owned)
      : context(context), api(context.api), stream(stream), owned(owned) {}
  ~DriverStream() override {
    Current current(context);
    api.streamSynchronize.function(stream);
    if (owned)
      api.streamDestroy.function(stream);
  }

  sxt_status launch(const LoadedTask &task, uint32_t grid, const void *block,
                    size_t blockBytes) override {
    Current current(context);
    SXT_TRY(current.status());
    void *extra[] = {launchParamBufferPointer, const_cast<void *>(block), launchParamBufferSize,
                     &blockBytes, api.launchParamEnd};
    return api(api.launchKernel, static_cast<Function>(task.function), grid, 1u, 1u, task.blockDim,
               1u, 1u, task.sharedBytes, stream, nullptr, blockBytes ? extra : nullptr);
  }
  sxt_status write(uint64_t destination, const void *source, size_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.memcpyHtoD, destination, source, bytes, stream);
  }
  sxt_status read(void *destination, uint64_t source, size_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.memcpyDtoH, destination, source, bytes, stream);
  }
  sxt_status copy(uint64_t destination, uint64_t source, uint64_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.memcpyDtoD, destination, source, bytes, stream);
  }
  sxt_status fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                  uint64_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    switch (patternBytes) {
    case 1:
      return api(api.memsetD8, destination, static_cast<unsigned char>(pattern), bytes, stream);
    case 2:
      return api(api.memsetD16, destination, static_cast<unsigned short>(pattern), bytes / 2,
                 stream);
    default:
      return api(api.memsetD32, destination, pattern, bytes / 4, stream);
    }
  }
  sxt_status record(DeviceEvent &event) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.eventRecord, static_cast<DriverEvent &>(event).event, stream);
  }
  sxt_status wait(DeviceEvent &event) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.streamWaitEvent, stream, static_cast<DriverEvent &>(event).event, 0u);
  }
  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.streamSynchronize, stream);
  }
  void *native() override { return stream; }

private:
  const DeviceContext &context;
  const Api &api;
  Stream stream;
  bool owned;
};

class DriverDevice : public Device {
public:
  DriverDevice(std::unique_ptr<DeviceContext> owned, OpenedDevice opened)
      : keep(std::move(owned)), context(*keep), api(context.api), opened(std::move(opened)) {}

  const DeviceDescription &description() const override { return opened.description; }

  sxt_status allocate(uint64_t bytes, uint64_t &address) override {
    Current current(context);
    SXT_TRY(current.status());
    Address allocated = 0;
    // Whole words, for elements of 16 bits that are changed atomically by their words.
    Result result = api.memAlloc.function(&allocated, (bytes + 3) / 4 * 4);
    if (result == errorOutOfMemory)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for a buffer of %llu bytes",
                  opened.description.name.c_str(), static_cast<unsigned long long>(bytes));
    SXT_TRY(api.check(result, api.memAlloc.name));
    address = allocated;
    return SXT_OK;
  }
  void release(uint64_t address) override {
    Current current(context);
    warn(api.memFree.function(address), api.memFree.name); // waits for what uses it
  }
  sxt_status allocateHost(uint64_t bytes, void *&pointer) override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.hostAlloc, &pointer, bytes, 0u);
  }
  void releaseHost(void *pointer) override {
    Current current(context);
    warn(api.hostFree.function(pointer), api.hostFree.name);
  }

  sxt_status createStream(std::unique_ptr<DeviceStream> &stream) override {
    Current current(context);
    SXT_TRY(current.status());
    // Ordered with the legacy default stream, so that an application's plain
    // cudaMemcpy before a launch and after it does what it looks like.
    constexpr unsigned blockingStream = 0;
    Stream created = nullptr;
    SXT_TRY(api(api.streamCreate, &created, blockingStream));
    stream = std::make_unique<DriverStream>(context, created, true);
    return SXT_OK;
  }
  sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) override {
    if (!opened.adopted)
      return createStream(stream);
    stream = std::make_unique<DriverStream>(context, opened.stream, false);
    return SXT_OK;
  }
  sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) override {
    Current current(context);
    SXT_TRY(current.status());
    Event created = nullptr;
    SXT_TRY(api(api.eventCreate, &created, 0u));
    event = std::make_unique<DriverEvent>(context, created);
    return SXT_OK;
  }

  sxt_status loadImage(const std::string &format, std::span<const std::byte> bytes,
                       std::unique_ptr<LoadedImage> &image) override {
    Current current(context);
    SXT_TRY(current.status());
    Module module = nullptr;
    SXT_TRY(api.loadModule(opened.description.name.c_str(), format, bytes, module));
    image = std::make_unique<DriverImage>(context, module);
    return SXT_OK;
  }

  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return api(api.synchronize);
  }
  uint32_t gridThatFills(const LoadedTask &task) const override {
    return opened.description.multiprocessors *
           std::max(1u, opened.threadsPerMultiprocessor / task.blockDim);
  }

private:
  void warn(Result result, const char *call) const {
    if (result != success)
      log(SXT_LOG_WARNING, "%s: %s failed: %s", opened.description.name.c_str(),
          plainName(call).c_str(), api.describe(result).c_str());
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
