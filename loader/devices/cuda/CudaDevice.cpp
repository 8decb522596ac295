// The CUDA device. Every call that needs a context makes its device's the current
// one and puts the thread's back, unless it is the current one already: then it
// costs one cheap query.
#include "loader/devices/cuda/CudaDevice.h"
#include "loader/devices/cuda/Driver.h"

#include <algorithm>

namespace sextant::loader {
namespace {

using cuda::Driver;

/// A device's context, owned (retained primary context) or adopted.
struct CudaContext {
  const Driver &driver;
  cuda::Context context = nullptr;
  cuda::DeviceId device = 0;
  bool retained = false;

  explicit CudaContext(const Driver &driver) : driver(driver) {}
  CudaContext(const CudaContext &) = delete;
  CudaContext &operator=(const CudaContext &) = delete;
  ~CudaContext() {
    if (retained)
      driver.primaryCtxRelease(device);
  }
};

/// Makes a context current for a scope.
class Current {
public:
  explicit Current(const CudaContext &wanted) : driver(wanted.driver) {
    cuda::Context now = nullptr;
    if (driver.ctxGetCurrent(&now) == cuda::success && now == wanted.context)
      return;
    outcome = driver.ctxPushCurrent(wanted.context);
    pushed = outcome == cuda::success;
  }
  ~Current() {
    cuda::Context popped;
    if (pushed)
      driver.ctxPopCurrent(&popped);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  sxt_status status() const { return driver.check(outcome, "cuCtxPushCurrent"); }

private:
  const Driver &driver;
  cuda::Result outcome = cuda::success;
  bool pushed = false;
};

/// What code asks for itself; tasks that need more get all of theirs with the launch,
/// and then it is LoadedTask::sharedBytes.
constexpr int32_t staticSharedBytes = 48 * 1024;

class CudaImage : public LoadedImage {
public:
  CudaImage(const CudaContext &context, cuda::Module module) : context(context), module(module) {}
  ~CudaImage() override {
    Current current(context);
    context.driver.moduleUnload(module);
  }
  sxt_status findTask(const module::Task &task, const module::BlockLayout & /*layout*/,
                      const module::Resources &resources, LoadedTask &loaded) override {
    Current current(context);
    SXT_TRY(current.status());
    cuda::Function function = nullptr;
    cuda::Result result = context.driver.moduleGetFunction(&function, module, task.symbol.c_str());
    if (result != cuda::success)
      return fail(SXT_ERROR_BAD_MODULE, "the CUDA image has no kernel '%s': %s",
                  task.symbol.c_str(), context.driver.describe(result).c_str());
    loaded = {function, task.blockDim, 0};
    if (resources.sharedBytes <= staticSharedBytes)
      return SXT_OK;
    loaded.sharedBytes = static_cast<uint32_t>(resources.sharedBytes);
    return context.driver.check(context.driver.funcSetAttribute(
                                    function, cuda::maxDynamicSharedBytes, resources.sharedBytes),
                                "cuFuncSetAttribute");
  }

private:
  const CudaContext &context;
  cuda::Module module;
};

class CudaEvent : public DeviceEvent {
public:
  CudaEvent(const CudaContext &context, cuda::Event event) : context(context), event(event) {}
  ~CudaEvent() override {
    Current current(context);
    context.driver.eventDestroy(event);
  }
  sxt_status query() override {
    Current current(context);
    SXT_TRY(current.status());
    cuda::Result result = context.driver.eventQuery(event);
    return result == cuda::errorNotReady ? SXT_ERROR_NOT_READY
                                         : context.driver.check(result, "cuEventQuery");
  }
  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return context.driver.check(context.driver.eventSynchronize(event), "cuEventSynchronize");
  }
  sxt_status elapsedSince(DeviceEvent &begin, double &milliseconds) override {
    Current current(context);
    SXT_TRY(current.status());
    float elapsed = 0;
    cuda::Result result =
        context.driver.eventElapsedTime(&elapsed, static_cast<CudaEvent &>(begin).event, event);
    if (result == cuda::errorNotReady)
      return fail(SXT_ERROR_NOT_READY, "elapsed time of an event that is not reached yet");
    SXT_TRY(context.driver.check(result, "cuEventElapsedTime"));
    milliseconds = static_cast<double>(elapsed);
    return SXT_OK;
  }

  const CudaContext &context;
  cuda::Event event;
};

class CudaStream : public DeviceStream {
public:
  CudaStream(const CudaContext &context, cuda::Stream stream, bool owned)
      : context(context), driver(context.driver), stream(stream), owned(owned) {}
  ~CudaStream() override {
    Current current(context);
    driver.streamSynchronize(stream);
    if (owned)
      driver.streamDestroy(stream);
  }

  sxt_status launch(const LoadedTask &task, uint32_t grid, const void *block,
                    size_t blockBytes) override {
    Current current(context);
    SXT_TRY(current.status());
    void *extra[] = {cuda::launchParamBufferPointer, const_cast<void *>(block),
                     cuda::launchParamBufferSize, &blockBytes, cuda::launchParamEnd};
    return driver.check(driver.launchKernel(static_cast<cuda::Function>(task.function), grid, 1, 1,
                                            task.blockDim, 1, 1, task.sharedBytes, stream, nullptr,
                                            blockBytes ? extra : nullptr),
                        "cuLaunchKernel");
  }
  sxt_status write(uint64_t destination, const void *source, size_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.memcpyHtoDAsync(destination, source, bytes, stream),
                        "cuMemcpyHtoDAsync");
  }
  sxt_status read(void *destination, uint64_t source, size_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.memcpyDtoHAsync(destination, source, bytes, stream),
                        "cuMemcpyDtoHAsync");
  }
  sxt_status copy(uint64_t destination, uint64_t source, uint64_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.memcpyDtoDAsync(destination, source, bytes, stream),
                        "cuMemcpyDtoDAsync");
  }
  sxt_status fill(uint64_t destination, uint32_t pattern, unsigned patternBytes,
                  uint64_t bytes) override {
    Current current(context);
    SXT_TRY(current.status());
    switch (patternBytes) {
    case 1:
      return driver.check(
          driver.memsetD8Async(destination, static_cast<unsigned char>(pattern), bytes, stream),
          "cuMemsetD8Async");
    case 2:
      return driver.check(driver.memsetD16Async(destination, static_cast<unsigned short>(pattern),
                                                bytes / 2, stream),
                          "cuMemsetD16Async");
    default:
      return driver.check(driver.memsetD32Async(destination, pattern, bytes / 4, stream),
                          "cuMemsetD32Async");
    }
  }
  sxt_status record(DeviceEvent &event) override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.eventRecord(static_cast<CudaEvent &>(event).event, stream),
                        "cuEventRecord");
  }
  sxt_status wait(DeviceEvent &event) override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.streamWaitEvent(stream, static_cast<CudaEvent &>(event).event, 0),
                        "cuStreamWaitEvent");
  }
  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.streamSynchronize(stream), "cuStreamSynchronize");
  }
  void *native() override { return stream; }

private:
  const CudaContext &context;
  const Driver &driver;
  cuda::Stream stream;
  bool owned;
};

//===--- Facts -------------------------------------------------------------===//

/// The newest PTX that a driver takes: each CUDA release came with one (release notes of
/// the PTX ISA).
module::FactNumber ptxOf(int driverVersion) {
  unsigned major = static_cast<unsigned>(driverVersion) / 1000;
  unsigned minor = static_cast<unsigned>(driverVersion) % 1000 / 10;
  switch (major) {
  case 9: // 9.0: 6.0, 9.1: 6.1, 9.2: 6.2
    return {"ptx", 6, minor};
  case 10: // 10.0: 6.3, 10.1: 6.4, 10.2: 6.5
    return {"ptx", 6, minor + 3};
  case 12: // 12.0: 8.0 … 12.5: 8.5, 12.6: 8.5, 12.7: 8.6, 12.8: 8.7, 12.9: 8.8
    return {"ptx", 8, minor >= 6 ? minor - 1 : minor};
  default: // 11.0: 7.0, 13.0: 9.0 and so on
    return {"ptx", major > 4 ? major - 4 : 0, minor};
  }
}

sxt_status describeCuda(const Driver &driver, cuda::DeviceId device, DeviceDescription &d) {
  auto attribute = [&](int which, uint32_t &value) {
    int number = 0;
    SXT_TRY(
        driver.check(driver.deviceGetAttribute(&number, which, device), "cuDeviceGetAttribute"));
    value = static_cast<uint32_t>(number);
    return SXT_OK;
  };
  char name[256] = {};
  SXT_TRY(driver.check(driver.deviceGetName(name, sizeof name - 1, device), "cuDeviceGetName"));
  uint32_t major = 0, minor = 0, shared = 0;
  SXT_TRY(attribute(cuda::computeCapabilityMajor, major));
  SXT_TRY(attribute(cuda::computeCapabilityMinor, minor));
  SXT_TRY(attribute(cuda::maxSharedMemoryPerBlock, shared));
  SXT_TRY(attribute(cuda::multiprocessorCount, d.multiprocessors));
  SXT_TRY(attribute(cuda::maxThreadsPerBlock, d.maxThreadsPerBlock));
  size_t memory = 0;
  SXT_TRY(driver.check(driver.deviceTotalMem(&memory, device), "cuDeviceTotalMem"));
  d.name = "cuda:" + std::to_string(device);
  d.description = name;
  d.facts.backend = "cuda";
  d.facts.arch = "sm_" + std::to_string(major) + std::to_string(minor);
  d.facts.waves = {32};
  d.facts.numbers = {ptxOf(driver.version)};
  d.memoryBytes = memory;
  d.sharedBytes = shared;
  return SXT_OK;
}

//===--- The device --------------------------------------------------------===//

class CudaDevice : public Device {
public:
  explicit CudaDevice(const Driver &driver) : driver(driver), context(driver) {}

  sxt_status open(cuda::DeviceId device) {
    context.device = device;
    SXT_TRY(describe());
    SXT_TRY(driver.check(driver.primaryCtxRetain(&context.context, device),
                         "cuDevicePrimaryCtxRetain"));
    context.retained = true;
    return SXT_OK;
  }

  sxt_status adopt(cuda::Context given, cuda::Stream stream) {
    adopted = true;
    adoptedStream = stream;
    if (!given)
      SXT_TRY(driver.check(driver.ctxGetCurrent(&given), "cuCtxGetCurrent"));
    if (!given)
      return fail(SXT_ERROR_INVALID_ARGUMENT,
                  "no CUDA context was given, and none is current on this thread");
    context.context = given;
    Current current(context);
    SXT_TRY(current.status());
    SXT_TRY(driver.check(driver.ctxGetDevice(&context.device), "cuCtxGetDevice"));
    return describe();
  }

  const DeviceDescription &description() const override { return facts; }

  sxt_status allocate(uint64_t bytes, uint64_t &address) override {
    Current current(context);
    SXT_TRY(current.status());
    cuda::Address allocated = 0;
    cuda::Result result = driver.memAlloc(&allocated, bytes);
    if (result == cuda::errorOutOfMemory)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for a buffer of %llu bytes",
                  facts.name.c_str(), static_cast<unsigned long long>(bytes));
    SXT_TRY(driver.check(result, "cuMemAlloc"));
    address = allocated;
    return SXT_OK;
  }
  void release(uint64_t address) override {
    Current current(context);
    warn(driver.memFree(address), "cuMemFree"); // waits for what uses it
  }
  sxt_status allocateHost(uint64_t bytes, void *&pointer) override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.memAllocHost(&pointer, bytes), "cuMemAllocHost");
  }
  void releaseHost(void *pointer) override {
    Current current(context);
    warn(driver.memFreeHost(pointer), "cuMemFreeHost");
  }

  sxt_status createStream(std::unique_ptr<DeviceStream> &stream) override {
    Current current(context);
    SXT_TRY(current.status());
    // Ordered with the legacy default stream, so that an application's plain
    // cudaMemcpy before a launch and after it does what it looks like.
    constexpr unsigned blockingStream = 0;
    cuda::Stream created = nullptr;
    SXT_TRY(driver.check(driver.streamCreate(&created, blockingStream), "cuStreamCreate"));
    stream = std::make_unique<CudaStream>(context, created, true);
    return SXT_OK;
  }
  sxt_status createDefaultStream(std::unique_ptr<DeviceStream> &stream) override {
    if (!adopted)
      return createStream(stream);
    stream = std::make_unique<CudaStream>(context, adoptedStream, false);
    return SXT_OK;
  }
  sxt_status createEvent(std::unique_ptr<DeviceEvent> &event) override {
    Current current(context);
    SXT_TRY(current.status());
    cuda::Event created = nullptr;
    SXT_TRY(driver.check(driver.eventCreate(&created, 0), "cuEventCreate"));
    event = std::make_unique<CudaEvent>(context, created);
    return SXT_OK;
  }

  sxt_status loadImage(const std::string &format, std::span<const std::byte> bytes,
                       std::unique_ptr<LoadedImage> &image) override {
    bool isPtx = format == "ptx";
    if (!isPtx && format != "cubin")
      return fail(SXT_ERROR_BAD_MODULE, "CUDA devices do not run images of format '%s'",
                  format.c_str());
    // The driver reads PTX up to its NUL.
    if (bytes.empty() || (isPtx && bytes.back() != std::byte{0}))
      return fail(SXT_ERROR_BAD_MODULE, "the %s image is cut short", format.c_str());
    Current current(context);
    SXT_TRY(current.status());
    std::string errorLog(8192, '\0');
    int options[] = {cuda::jitErrorLogBuffer, cuda::jitErrorLogBufferSizeBytes};
    void *values[] = {errorLog.data(), reinterpret_cast<void *>(errorLog.size() - 1)};
    cuda::Module module = nullptr;
    cuda::Result result = driver.moduleLoadDataEx(&module, bytes.data(), 2, options, values);
    if (result == cuda::errorOutOfMemory)
      return fail(SXT_ERROR_OUT_OF_MEMORY, "%s has no memory for the code", facts.name.c_str());
    if (result != cuda::success) {
      errorLog.resize(errorLog.find('\0'));
      return fail(SXT_ERROR_DEVICE, "%s does not load the %s image: %s%s%s", facts.name.c_str(),
                  format.c_str(), driver.describe(result).c_str(), errorLog.empty() ? "" : ": ",
                  errorLog.c_str());
    }
    image = std::make_unique<CudaImage>(context, module);
    return SXT_OK;
  }

  sxt_status synchronize() override {
    Current current(context);
    SXT_TRY(current.status());
    return driver.check(driver.ctxSynchronize(), "cuCtxSynchronize");
  }
  uint32_t gridThatFills(const LoadedTask &task) const override {
    return facts.multiprocessors * std::max(1u, threadsPerMultiprocessor / task.blockDim);
  }

private:
  sxt_status describe() {
    SXT_TRY(describeCuda(driver, context.device, facts));
    int threads = 0;
    SXT_TRY(driver.check(
        driver.deviceGetAttribute(&threads, cuda::maxThreadsPerMultiprocessor, context.device),
        "cuDeviceGetAttribute"));
    threadsPerMultiprocessor = static_cast<uint32_t>(threads);
    return SXT_OK;
  }
  void warn(cuda::Result result, const char *call) const {
    if (result != cuda::success)
      log(SXT_LOG_WARNING, "%s: %s failed: %s", facts.name.c_str(), call,
          driver.describe(result).c_str());
  }

  const Driver &driver;
  CudaContext context;
  DeviceDescription facts;
  uint32_t threadsPerMultiprocessor = 1024;
  bool adopted = false;
  cuda::Stream adoptedStream = nullptr;
};

void enumerateCuda(std::vector<DeviceDescription> &devices, std::string &why) {
  const Driver *driver = Driver::get(why);
  if (!driver)
    return;
  int count = 0;
  if (cuda::Result result = driver->deviceGetCount(&count); result != cuda::success) {
    why = "cuDeviceGetCount failed: " + driver->describe(result);
    return;
  }
  if (count == 0)
    why = "the NVIDIA driver sees no device";
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cuda::DeviceId device = 0;
    DeviceDescription d;
    d.name = "cuda:" + std::to_string(ordinal);
    d.facts.backend = "cuda";
    if (driver->check(driver->deviceGet(&device, ordinal), "cuDeviceGet") != SXT_OK ||
        describeCuda(*driver, device, d) != SXT_OK)
      d.description =
          sxt_last_error_message(); // listed, so that ordinals stay; open() will say why
    devices.push_back(std::move(d));
  }
}

sxt_status openCuda(unsigned ordinal, std::unique_ptr<Device> &device) {
  std::string why;
  const Driver *driver = Driver::get(why);
  if (!driver)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  cuda::DeviceId id = 0;
  SXT_TRY(driver->check(driver->deviceGet(&id, static_cast<int>(ordinal)), "cuDeviceGet"));
  auto opened = std::make_unique<CudaDevice>(*driver);
  SXT_TRY(opened->open(id));
  device = std::move(opened);
  return SXT_OK;
}

sxt_status adoptCuda(void *context, void *stream, std::unique_ptr<Device> &device) {
  std::string why;
  const Driver *driver = Driver::get(why);
  if (!driver)
    return fail(SXT_ERROR_NO_DEVICE, "%s", why.c_str());
  auto opened = std::make_unique<CudaDevice>(*driver);
  SXT_TRY(opened->adopt(static_cast<cuda::Context>(context), static_cast<cuda::Stream>(stream)));
  device = std::move(opened);
  return SXT_OK;
}

} // namespace

const DeviceBackend cudaBackend = {"cuda", enumerateCuda, openCuda, adoptCuda};

} // namespace sextant::loader
