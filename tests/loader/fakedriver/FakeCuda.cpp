// NVIDIA's driver with two devices: sm_90 and sm_75. Images that begin with "broken" do
// not load, and say so in the error log.
#include "FakeGraph.h"

#include <cstring>

using fake::Object;
using fake::state;

namespace {

thread_local Object *stack[8];
thread_local int depth = 0;
Object *current() { return depth ? stack[depth - 1] : nullptr; }
int currentDevice() { return current() ? current()->device : 0; }
Object *primary[2];

/// The call needs a context.
#define NEED_CONTEXT                                                                               \
  if (!current()) {                                                                                \
    fake::Inside here;                                                                             \
    ++state().misuses;                                                                             \
    return 201;                                                                                    \
  }

} // namespace

extern "C" {

int cuInit(unsigned) {
  ENTER
  return 0;
}
int cuDriverGetVersion(int *version) {
  ENTER
  *version = 12040;
  return 0;
}
int cuDeviceGetCount(int *count) {
  ENTER
  *count = 2;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  ENTER
  *device = ordinal;
  return ordinal < 2 ? 0 : 101;
}
int cuDeviceGetName(char *name, int length, int device) {
  ENTER
  std::string text = device == 0 ? "Fake Hopper" : "Fake Turing";
  std::strncpy(name, text.c_str(), static_cast<size_t>(length));
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER
  switch (attribute) {
  case 1: // threads a block
    *value = 1024;
    return 0;
  case 8: // shared memory
    *value = 49152;
    return 0;
  case 16: // multiprocessors
    *value = device == 0 ? 132 : 40;
    return 0;
  case 18:
    *value = fake::isIntegrated(device);
    return 0;
  case 39: // threads a multiprocessor
    *value = 2048;
    return 0;
  case 75:
    *value = device == 0 ? 9 : 7;
    return 0;
  case 76:
    *value = device == 0 ? 0 : 5;
    return 0;
  default:
    return 1;
  }
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  ENTER
  *bytes = size_t(16) << 30;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER
  if (!primary[device])
    primary[device] = new Object{"context", device, ""};
  ++state().retained[device];
  *context = primary[device];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) { ENTER_RELEASE((--state().retained[device], 0)) }
int cuCtxGetCurrent(void **context) {
  ENTER
  *context = current();
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  ENTER
  stack[depth++] = static_cast<Object *>(context);
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  NEED_CONTEXT
  ENTER_RELEASE((*context = stack[--depth], 0))
}
int cuCtxGetDevice(int *device) {
  ENTER
  NEED_CONTEXT
  *device = current()->device;
  return 0;
}
int cuCtxSynchronize(void) {
  ENTER
  NEED_CONTEXT
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values) {
  ENTER
  NEED_CONTEXT
  state().lastImage = static_cast<const char *>(image);
  if (state().lastImage.rfind("broken", 0) == 0) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas application ptx input, line 7; fatal");
    return 218;
  }
  *module = fake::make("module", currentDevice());
  return 0;
}
int cuModuleUnload(void *module) {
  NEED_CONTEXT
  ENTER_RELEASE(fake::destroy(module, "module"))
}
int cuModuleGetFunction(void **function, void *, const char *name) {
  ENTER
  NEED_CONTEXT
  Object *found = fake::functionNamed(name);
  if (!found)
    return 500;
  *function = found;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER
  NEED_CONTEXT
  return function && attribute == 8 && value > 48 * 1024 ? 0 : 1;
}
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **parameters, void **extra) {
  ENTER
  NEED_CONTEXT
  return fake::launch(function, {gridX, gridY, gridZ, blockX, blockY, blockZ}, sharedBytes, stream,
                      parameters, extra, nullptr);
}
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  ENTER
  NEED_CONTEXT
  *address = fake::allocate(bytes, currentDevice());
  return *address ? 0 : 2;
}
int cuMemFree_v2(unsigned long long address) {
  NEED_CONTEXT
  ENTER_RELEASE(fake::release(address))
}
int cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  ENTER
  NEED_CONTEXT
  *pointer = reinterpret_cast<void *>(fake::allocate(bytes, currentDevice(), true));
  return *pointer ? 0 : 2;
}
int cuMemFreeHost(void *pointer) {
  NEED_CONTEXT
  ENTER_RELEASE(fake::release(reinterpret_cast<uint64_t>(pointer)))
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *) {
  ENTER
  NEED_CONTEXT
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *) {
  ENTER
  NEED_CONTEXT
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes,
                         void *stream) {
  ENTER
  NEED_CONTEXT
  return fake::work(stream, [=] {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  });
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t count, void *stream) {
  ENTER
  NEED_CONTEXT
  return fake::work(stream, [=] { std::memset(reinterpret_cast<void *>(to), value, count); });
}
int cuMemsetD16Async(unsigned long long to, unsigned short value, size_t count, void *stream) {
  ENTER
  NEED_CONTEXT
  return fake::work(stream, [=] {
    for (size_t i = 0; i < count; ++i)
      reinterpret_cast<unsigned short *>(to)[i] = value;
  });
}
int cuMemsetD32Async(unsigned long long to, unsigned value, size_t count, void *stream) {
  ENTER
  NEED_CONTEXT
  return fake::work(stream, [=] {
    for (size_t i = 0; i < count; ++i)
      reinterpret_cast<unsigned *>(to)[i] = value;
  });
}
/// As an H200's driver answers: a context reaches its own device's memory, and all pinned memory.
int cuPointerGetAttribute(void *value, int attribute, unsigned long long address) {
  ENTER
  NEED_CONTEXT
  const auto *memory = fake::memoryAt(address);
  if (!memory)
    return 1;
  switch (attribute) {
  case 2: // memory type
    *static_cast<unsigned *>(value) = memory->isHost ? 1 : 2;
    return 0;
  case 3: // device pointer
    if (!memory->isHost && memory->device != currentDevice())
      return 1;
    *static_cast<unsigned long long *>(value) = address;
    return 0;
  case 9: // ordinal
    *static_cast<int *>(value) = memory->device;
    return 0;
  default:
    return 1;
  }
}
int cuStreamCreate(void **stream, unsigned flags) {
  ENTER
  NEED_CONTEXT
  Object *made = fake::make("stream", currentDevice());
  made->text = flags == 1 ? "non-blocking" : "";
  *stream = made;
  return 0;
}
int cuStreamGetCtx(void *stream, void **context) {
  ENTER
  *context = primary[static_cast<Object *>(stream)->device];
  return 0;
}
int cuStreamDestroy_v2(void *stream) {
  NEED_CONTEXT
  ENTER_RELEASE(fake::destroyStream(stream))
}
int cuStreamSynchronize(void *stream) {
  ENTER
  NEED_CONTEXT
  return fake::notWhileRecording(stream);
}
int cuStreamWaitEvent(void *, void *, unsigned) {
  ENTER
  NEED_CONTEXT
  return 0;
}
int cuEventCreate(void **event, unsigned) {
  ENTER
  NEED_CONTEXT
  *event = fake::make("event", currentDevice());
  return 0;
}
int cuEventDestroy_v2(void *event) {
  NEED_CONTEXT
  ENTER_RELEASE(fake::destroy(event, "event"))
}
int cuEventRecord(void *, void *) {
  ENTER
  NEED_CONTEXT
  return 0;
}
int cuEventQuery(void *) {
  ENTER
  NEED_CONTEXT
  return 0;
}
int cuEventSynchronize(void *) {
  ENTER
  NEED_CONTEXT
  return 0;
}
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  ENTER
  NEED_CONTEXT
  *milliseconds = 1.5f;
  return 0;
}
int cuGetErrorName(int error, const char **text) {
  *text = error == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 218 ? "CUDA_ERROR_INVALID_PTX"
          : error == 500 ? "CUDA_ERROR_NOT_FOUND"
          : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                         : nullptr;
  return *text ? 0 : 1;
}
int cuGetErrorString(int error, const char **text) {
  *text = error == 700 ? "an illegal memory access was encountered" : nullptr;
  return *text ? 0 : 1;
}

/// CUDA_KERNEL_NODE_PARAMS_v1 of cuda.h.
struct CUDA_KERNEL_NODE_PARAMS {
  void *func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void **kernelParams, **extra;
};
int cuStreamBeginCapture_v2(void *stream, int mode) {
  ENTER
  NEED_CONTEXT
  return fake::captureBegin(stream, mode);
}
int cuStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph,
                              void *const **last, size_t *count) {
  ENTER
  NEED_CONTEXT
  *id = 1;
  return fake::captureInfo(stream, status, graph, last, count);
}
int cuStreamEndCapture(void *stream, void **graph) {
  ENTER
  NEED_CONTEXT
  return fake::captureEnd(stream, graph);
}
int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
  ENTER
  NEED_CONTEXT
  return fake::instantiate(executable, graph, flags);
}
static int describe(FakeLaunch &launch, const CUDA_KERNEL_NODE_PARAMS &p) {
  return fake::describe(launch, p.func,
                        {p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ},
                        p.sharedMemBytes, nullptr, p.kernelParams, p.extra, nullptr);
}
int cuGraphExecKernelNodeSetParams(void *executable, void *node, const CUDA_KERNEL_NODE_PARAMS *p) {
  ENTER
  NEED_CONTEXT
  FakeLaunch launch{};
  if (int result = describe(launch, *p))
    return result;
  return fake::setKernel(executable, node, launch);
}
int cuGraphCreate(void **graph, unsigned flags) {
  ENTER
  NEED_CONTEXT
  return flags ? 1 : fake::graphCreate(graph);
}
int cuGraphAddKernelNode(void **node, void *graph, void *const *after, size_t count,
                         const CUDA_KERNEL_NODE_PARAMS *p) {
  ENTER
  NEED_CONTEXT
  FakeLaunch launch{};
  if (int result = describe(launch, *p))
    return result;
  return fake::addLaunch(node, graph, after, count, launch);
}
/// A handle says its number, and how many there were.
int cuGraphConditionalHandleCreate(uint64_t *handle, void *graph, void *context, unsigned first,
                                   unsigned flags) {
  ENTER
  NEED_CONTEXT
  static uint64_t count = 0;
  *handle = uint64_t(0xabc) << 32 | ++count;
  return graph && context && first == 0 && flags == 1 ? 0 : 1;
}
/// CUgraphNodeParams of a conditional node.
struct CUgraphNodeParams {
  int type, reserved0[3];
  uint64_t handle;
  int kind;
  unsigned size;
  void **phGraph_out;
  void *context;
  long long reserved1[25], reserved2;
};
int cuGraphAddNode(void **node, void *graph, void *const *after, size_t count,
                   CUgraphNodeParams *p) {
  ENTER
  NEED_CONTEXT
  static void *bodies[64];
  static int next = 0;
  if (p->type != 13 || p->kind != 1 || p->size != 1 || p->handle >> 32 != 0xabc || !p->context)
    return 1;
  p->phGraph_out = &bodies[next++ % 64];
  return fake::addLoop(node, graph, after, count, p->handle, p->phGraph_out);
}
int cuGraphLaunch(void *executable, void *stream) {
  ENTER
  NEED_CONTEXT
  return fake::launchGraph(executable, stream);
}
int cuGraphExecDestroy(void *executable) {
  NEED_CONTEXT
  ENTER_RELEASE(fake::destroyExecutable(executable))
}
int cuGraphDestroy(void *graph) {
  NEED_CONTEXT
  ENTER_RELEASE(fake::destroyGraph(graph))
}
}
