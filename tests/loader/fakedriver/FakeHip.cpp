// AMD's HIP runtime as of ROCm 5, with two devices: a gfx1100 and a gfx90a. Objects are
// of the device that was current when they were made, and want it current when they are
// used. Code objects that say "broken" after their header do not load. FakeHip6.cpp makes
// a newer runtime of it.
#include "FakeHip.h"
#include "FakeGraph.h"

#include <cstring>

using fake::Object;
using fake::state;

namespace {

thread_local int currentDevice = 0;

/// An object of the current device, or none.
#define NEED_DEVICE(given)                                                                         \
  if (auto *object = static_cast<Object *>(given); object && object->device != currentDevice) {    \
    fake::Inside here;                                                                             \
    ++state().misuses;                                                                             \
    return 400;                                                                                    \
  }

/// hipDeviceProp_t of ROCm 5, as its header has it, up to integrated.
struct PropertiesR0000 {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock;
  int maxThreadsDim[3], maxGridSize[3];
  int clockRate, memoryClockRate, memoryBusWidth;
  size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode,
      clockInstructionRate;
  unsigned arch; // a bit field
  int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
  size_t maxSharedMemoryPerMultiProcessor;
  int isMultiGpuBoard, canMapHostMemory, gcnArch;
  char gcnArchName[256];
  int integrated;
};

} // namespace

const FakeGpu fakeGpus[2] = {
    {"Fake Navi", "gfx1100", size_t(16) << 30, 65536, 32, 1024, 48, 2048},
    {"Fake Aldebaran", "gfx90a:sramecc+:xnack-", size_t(64) << 30, 65536, 64, 1024, 104, 2048}};

extern "C" {

int hipInit(unsigned) {
  ENTER
  return 0;
}
int hipGetDeviceCount(int *count) {
  ENTER
  *count = 2;
  return 0;
}
int hipGetDevice(int *device) {
  ENTER
  *device = currentDevice;
  return 0;
}
int hipSetDevice(int device) {
  ENTER
  if (device < 0 || device > 1)
    return 101;
  currentDevice = device;
  return 0;
}
int hipGetDeviceProperties(void *properties, int device) {
  ENTER
  if (device < 0 || device > 1)
    return 101;
  const FakeGpu &gpu = fakeGpus[device];
  auto &p = *static_cast<PropertiesR0000 *>(properties);
  std::memset(&p, 0x11, sizeof p); // fields that are not asked for are not zero
  std::strcpy(p.name, gpu.name);
  std::strcpy(p.gcnArchName, gpu.arch);
  p.totalGlobalMem = gpu.memory;
  p.sharedMemPerBlock = gpu.shared;
  p.warpSize = gpu.wave;
  p.maxThreadsPerBlock = gpu.threads;
  p.multiProcessorCount = gpu.processors;
  p.maxThreadsPerMultiProcessor = gpu.processorThreads;
  p.integrated = fake::isIntegrated(device);
  return 0;
}

// Contexts are pointers to devices' numbers; a stack of them beside the current device.
static int contexts[2] = {0, 1};
static thread_local int pushed[8], depth = 0;
int hipCtxGetCurrent(void **context) {
  ENTER
  *context = &contexts[currentDevice];
  return 0;
}
int hipCtxPushCurrent(void *context) {
  ENTER
  if (context != &contexts[0] && context != &contexts[1])
    return 201;
  pushed[depth++] = currentDevice;
  currentDevice = *static_cast<int *>(context);
  return 0;
}
int hipCtxPopCurrent(void **context) {
  ENTER
  *context = &contexts[currentDevice];
  currentDevice = pushed[--depth];
  return 0;
}

int hipDeviceSynchronize(void) {
  ENTER
  return 0;
}
int hipModuleLoadData(void **module, const void *image) {
  ENTER
  state().lastImage = static_cast<const char *>(image) + 64;
  if (state().lastImage.rfind("broken", 0) == 0)
    return 209;
  *module = fake::make("module", currentDevice);
  return 0;
}
int hipModuleUnload(void *module) {
  NEED_DEVICE(module)
  ENTER_RELEASE(fake::destroy(module, "module"))
}
int hipModuleGetFunction(void **function, void *module, const char *name) {
  ENTER
  NEED_DEVICE(module)
  Object *found = fake::functionNamed(name);
  if (!found)
    return 500;
  *function = found;
  return 0;
}
int hipModuleLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                          unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                          void *stream, void **parameters, void **extra) {
  ENTER
  NEED_DEVICE(stream)
  return fake::launch(function, {gridX, gridY, gridZ, blockX, blockY, blockZ}, sharedBytes, stream,
                      parameters, extra, reinterpret_cast<void *>(3));
}
int hipMalloc(void **address, size_t bytes) {
  ENTER
  *address = reinterpret_cast<void *>(fake::allocate(bytes, currentDevice));
  return *address ? 0 : 2;
}
int hipFree(void *address) { ENTER_RELEASE(fake::release(reinterpret_cast<uint64_t>(address))) }
int hipHostMalloc(void **address, size_t bytes, unsigned) {
  ENTER
  *address = reinterpret_cast<void *>(fake::allocate(bytes, currentDevice, true));
  return *address ? 0 : 2;
}
int hipHostFree(void *address) { ENTER_RELEASE(fake::release(reinterpret_cast<uint64_t>(address))) }
/// hipPointerAttribute_t, in HIP 5 and 6.
struct PointerAttribute {
  int type, device;
  void *devicePointer, *hostPointer;
  int isManaged;
  unsigned flags;
};
int hipPointerGetAttributes(PointerAttribute *facts, const void *address) {
  ENTER
  const auto *memory = fake::memoryAt(reinterpret_cast<uint64_t>(address));
  // HIP 6 numbers kinds of memory in another way, and knows unregistered memory.
  const int isHip6 = FAKE_VERSION >= 6 ? 1 : 0;
  *facts = {};
  if (!memory) {
    facts->device = -2;
    return isHip6 ? 0 : 1;
  }
  facts->type = isHip6 + (memory->isHost ? 0 : 1);
  facts->device = memory->device;
  return 0;
}
int hipStreamGetDevice(void *stream, int *device) {
  ENTER
  *device = static_cast<Object *>(stream)->device;
  return 0;
}
int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *stream) {
  ENTER
  NEED_DEVICE(stream)
  std::memcpy(to, from, bytes);
  return 0;
}
int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *stream) {
  ENTER
  NEED_DEVICE(stream)
  std::memcpy(to, from, bytes);
  return 0;
}
int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *stream) {
  ENTER
  NEED_DEVICE(stream)
  return fake::work(stream, [=] { std::memcpy(to, from, bytes); });
}
int hipMemsetD8Async(void *to, unsigned char value, size_t count, void *stream) {
  ENTER
  NEED_DEVICE(stream)
  return fake::work(stream, [=] { std::memset(to, value, count); });
}
int hipMemsetD16Async(void *to, unsigned short value, size_t count, void *stream) {
  ENTER
  NEED_DEVICE(stream)
  return fake::work(stream, [=] {
    for (size_t i = 0; i < count; ++i)
      static_cast<unsigned short *>(to)[i] = value;
  });
}
int hipMemsetD32Async(void *to, int value, size_t count, void *stream) {
  ENTER
  NEED_DEVICE(stream)
  return fake::work(stream, [=] {
    for (size_t i = 0; i < count; ++i)
      static_cast<int *>(to)[i] = value;
  });
}
int hipStreamCreateWithFlags(void **stream, unsigned flags) {
  ENTER
  Object *made = fake::make("stream", currentDevice);
  made->text = flags == 1 ? "non-blocking" : "";
  *stream = made;
  return 0;
}
int hipStreamDestroy(void *stream) {
  NEED_DEVICE(stream)
  ENTER_RELEASE(fake::destroyStream(stream))
}
int hipStreamSynchronize(void *stream) {
  ENTER
  NEED_DEVICE(stream)
  return fake::notWhileRecording(stream);
}
int hipStreamWaitEvent(void *stream, void *event, unsigned) {
  ENTER
  NEED_DEVICE(stream)
  NEED_DEVICE(event)
  return 0;
}
int hipEventCreateWithFlags(void **event, unsigned) {
  ENTER
  *event = fake::make("event", currentDevice);
  return 0;
}
int hipEventDestroy(void *event) { ENTER_RELEASE(fake::destroy(event, "event")) }
int hipEventRecord(void *event, void *stream) {
  ENTER
  NEED_DEVICE(event)
  NEED_DEVICE(stream)
  return 0;
}
int hipEventQuery(void *) {
  ENTER
  return 0;
}
int hipEventSynchronize(void *) {
  ENTER
  return 0;
}
int hipEventElapsedTime(float *milliseconds, void *, void *) {
  ENTER
  *milliseconds = 1.5f;
  return 0;
}
const char *hipGetErrorName(int error) {
  return error == 2     ? "hipErrorOutOfMemory"
         : error == 100 ? "hipErrorNoDevice"
         : error == 209 ? "hipErrorNoBinaryForGpu"
         : error == 500 ? "hipErrorNotFound"
         : error == 719 ? "hipErrorLaunchFailure"
                        : "hipErrorUnknown";
}
const char *hipGetErrorString(int error) {
  return error == 719 ? "unspecified launch failure" : nullptr;
}
}
