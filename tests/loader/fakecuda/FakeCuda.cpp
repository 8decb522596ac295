// Two devices: sm_90 and sm_75. A kernel of any name exists, but "absent_t0".
// Images that begin with "broken" do not load, and say so in the error log.
#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {

struct Object {
  std::string kind;
  int device = 0;
  std::string text; ///< of images and functions
};

struct State {
  std::recursive_mutex mutex;
  std::map<std::string, int> calls;
  std::map<std::string, std::pair<int, int>> failures; ///< function: result, after
  std::set<Object *> alive;
  std::map<uint64_t, Object *> memory;
  Object *primary[2] = {};
  int retained[2] = {};
  int misuses = 0;
  FakeCudaLaunch last{};
  std::string lastImage;
};
State &state() {
  static State *s = new State;
  return *s;
}

thread_local Object *stack[8];
thread_local int depth = 0;
Object *current() { return depth ? stack[depth - 1] : nullptr; }

Object *make(const char *kind) {
  auto *object = new Object{kind, current() ? current()->device : 0, ""};
  state().alive.insert(object);
  return object;
}
int destroy(Object *object, const char *kind) {
  if (!state().alive.count(object) || object->kind != kind)
    return 400; // invalid handle
  state().alive.erase(object);
  delete object;
  return 0;
}

/// Counts the call; not 0: what it shall return.
int enter(const char *function, bool needsContext = true) {
  State &s = state();
  ++s.calls[function];
  if (needsContext && !current())
    ++s.misuses;
  auto failure = s.failures.find(function);
  if (failure != s.failures.end() && failure->second.second-- == 0) {
    int result = failure->second.first;
    s.failures.erase(failure);
    return result;
  }
  return needsContext && !current() ? 201 : 0;
}

#define ENTER(...)                                                                                 \
  std::lock_guard lock(state().mutex);                                                             \
  if (int result = enter(__func__ __VA_OPT__(, ) __VA_ARGS__))                                     \
    return result;

} // namespace

extern "C" {

void fakeCudaFail(const char *function, int result, int after) {
  std::lock_guard lock(state().mutex);
  state().failures[function] = {result, after};
}
void fakeCudaReset(void) {
  std::lock_guard lock(state().mutex);
  state().calls.clear();
  state().failures.clear();
  state().misuses = 0;
}
int fakeCudaCalls(const char *function) {
  std::lock_guard lock(state().mutex);
  return state().calls[function];
}
int fakeCudaAlive(void) {
  std::lock_guard lock(state().mutex);
  return static_cast<int>(state().alive.size() + state().memory.size()) + state().retained[0] +
         state().retained[1];
}
int fakeCudaMisuses(void) { return state().misuses; }
const FakeCudaLaunch *fakeCudaLastLaunch(void) { return &state().last; }
const char *fakeCudaLastImage(void) { return state().lastImage.c_str(); }

int cuInit(unsigned) {
  ENTER(false)
  return 0;
}
int cuDriverGetVersion(int *version) {
  ENTER(false)
  *version = 12040;
  return 0;
}
int cuDeviceGetCount(int *count) {
  ENTER(false)
  *count = 2;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  ENTER(false)
  *device = ordinal;
  return ordinal < 2 ? 0 : 101;
}
int cuDeviceGetName(char *name, int length, int device) {
  ENTER(false)
  std::string text = device == 0 ? "Fake Hopper" : "Fake Turing";
  std::strncpy(name, text.c_str(), static_cast<size_t>(length));
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER(false)
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
  ENTER(false)
  *bytes = size_t(16) << 30;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  ENTER(false)
  Object *&primary = state().primary[device];
  if (!primary)
    primary = new Object{"context", device, ""};
  ++state().retained[device];
  *context = primary;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER(false)
  --state().retained[device];
  return 0;
}
int cuCtxGetCurrent(void **context) {
  ENTER(false)
  *context = current();
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  ENTER(false)
  stack[depth++] = static_cast<Object *>(context);
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  ENTER()
  *context = stack[--depth];
  return 0;
}
int cuCtxGetDevice(int *device) {
  ENTER()
  *device = current()->device;
  return 0;
}
int cuCtxSynchronize(void) {
  ENTER()
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values) {
  ENTER()
  state().lastImage = static_cast<const char *>(image);
  if (state().lastImage.rfind("broken", 0) == 0) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]), "ptxas application ptx input, line 7; fatal");
    return 218;
  }
  *module = make("module");
  return 0;
}
int cuModuleUnload(void *module) {
  ENTER()
  return destroy(static_cast<Object *>(module), "module");
}
int cuModuleGetFunction(void **function, void *, const char *name) {
  ENTER()
  static auto &functions = *new std::map<std::string, Object *>;
  if (std::strcmp(name, "absent_t0") == 0)
    return 500;
  Object *&found = functions[name];
  if (!found)
    found = new Object{"function", 0, name};
  *function = found;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER()
  return function && attribute == 8 && value > 48 * 1024 ? 0 : 1;
}
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **parameters, void **extra) {
  ENTER()
  if (gridX == 0 || gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1 || parameters)
    return 1;
  FakeCudaLaunch &last = state().last;
  last = FakeCudaLaunch{};
  std::strncpy(last.name, static_cast<Object *>(function)->text.c_str(), sizeof last.name - 1);
  last.grid = gridX;
  last.block = blockX;
  last.sharedBytes = sharedBytes;
  last.stream = stream;
  for (void **at = extra; at && *at; at += 2) {
    if (*at == reinterpret_cast<void *>(1))
      std::memcpy(last.arguments, at[1], 64);
    if (*at == reinterpret_cast<void *>(2))
      last.argumentBytes = *static_cast<size_t *>(at[1]);
  }
  return 0;
}
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  ENTER()
  if (bytes > size_t(16) << 30)
    return 2;
  *address = reinterpret_cast<uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  state().memory[*address] = current();
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  ENTER()
  if (!state().memory.erase(address))
    return 1;
  std::free(reinterpret_cast<void *>(address));
  return 0;
}
int cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  ENTER()
  *pointer = std::malloc(bytes);
  state().memory[reinterpret_cast<uint64_t>(*pointer)] = current();
  return 0;
}
int cuMemFreeHost(void *pointer) {
  ENTER()
  state().memory.erase(reinterpret_cast<uint64_t>(pointer));
  std::free(pointer);
  return 0;
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes, void *) {
  ENTER()
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, void *) {
  ENTER()
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes, void *) {
  ENTER()
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t count, void *) {
  ENTER()
  std::memset(reinterpret_cast<void *>(to), value, count);
  return 0;
}
int cuMemsetD16Async(unsigned long long to, unsigned short value, size_t count, void *) {
  ENTER()
  for (size_t i = 0; i < count; ++i)
    reinterpret_cast<unsigned short *>(to)[i] = value;
  return 0;
}
int cuMemsetD32Async(unsigned long long to, unsigned value, size_t count, void *) {
  ENTER()
  for (size_t i = 0; i < count; ++i)
    reinterpret_cast<unsigned *>(to)[i] = value;
  return 0;
}
int cuStreamCreate(void **stream, unsigned) {
  ENTER()
  *stream = make("stream");
  return 0;
}
int cuStreamDestroy_v2(void *stream) {
  ENTER()
  return destroy(static_cast<Object *>(stream), "stream");
}
int cuStreamSynchronize(void *) {
  ENTER()
  return 0;
}
int cuStreamWaitEvent(void *, void *, unsigned) {
  ENTER()
  return 0;
}
int cuEventCreate(void **event, unsigned) {
  ENTER()
  *event = make("event");
  return 0;
}
int cuEventDestroy_v2(void *event) {
  ENTER()
  return destroy(static_cast<Object *>(event), "event");
}
int cuEventRecord(void *, void *) {
  ENTER()
  return 0;
}
int cuEventQuery(void *) {
  ENTER()
  return 0;
}
int cuEventSynchronize(void *) {
  ENTER()
  return 0;
}
int cuEventElapsedTime(float *milliseconds, void *, void *) {
  ENTER()
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
}
