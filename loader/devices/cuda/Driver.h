// The part of NVIDIA's driver API that the loader uses, found at run time in
// libcuda.so.1: no CUDA header or library is needed to build. Types, numbers and
// signatures are those of the driver API's reference manual.
#pragma once

#include "loader/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sextant::loader::cuda {

using Result = int;
using DeviceId = int;
using Address = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;

inline constexpr Result success = 0, errorOutOfMemory = 2, errorNotReady = 600;

enum DeviceAttribute : int {
  maxThreadsPerBlock = 1,
  maxSharedMemoryPerBlock = 8,
  multiprocessorCount = 16,
  maxThreadsPerMultiprocessor = 39,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
};

enum FunctionAttribute : int {
  maxDynamicSharedBytes = 8,
};

enum JitOption : int {
  jitErrorLogBuffer = 5,
  jitErrorLogBufferSizeBytes = 6,
};

/// Keys of cuLaunchKernel's `extra` list.
inline void *const launchParamEnd = nullptr;
inline void *const launchParamBufferPointer = reinterpret_cast<void *>(1);
inline void *const launchParamBufferSize = reinterpret_cast<void *>(2);

/// Every function that is used: the member's name, the exported name, the parameters.
#define SXT_CUDA_FUNCTIONS(F)                                                                      \
  F(init, cuInit, (unsigned flags))                                                                \
  F(driverGetVersion, cuDriverGetVersion, (int *version))                                          \
  F(deviceGetCount, cuDeviceGetCount, (int *count))                                                \
  F(deviceGet, cuDeviceGet, (DeviceId * device, int ordinal))                                      \
  F(deviceGetName, cuDeviceGetName, (char *name, int length, DeviceId device))                     \
  F(deviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, DeviceId device))        \
  F(deviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, DeviceId device))                         \
  F(primaryCtxRetain, cuDevicePrimaryCtxRetain, (Context * context, DeviceId device))              \
  F(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceId device))                            \
  F(ctxGetCurrent, cuCtxGetCurrent, (Context * context))                                           \
  F(ctxPushCurrent, cuCtxPushCurrent_v2, (Context context))                                        \
  F(ctxPopCurrent, cuCtxPopCurrent_v2, (Context * context))                                        \
  F(ctxGetDevice, cuCtxGetDevice, (DeviceId * device))                                             \
  F(ctxSynchronize, cuCtxSynchronize, ())                                                          \
  F(moduleLoadDataEx, cuModuleLoadDataEx,                                                          \
    (Module * module, const void *image, unsigned count, int *options, void **values))             \
  F(moduleUnload, cuModuleUnload, (Module module))                                                 \
  F(moduleGetFunction, cuModuleGetFunction,                                                        \
    (Function * function, Module module, const char *name))                                        \
  F(funcSetAttribute, cuFuncSetAttribute, (Function function, int attribute, int value))           \
  F(launchKernel, cuLaunchKernel,                                                                  \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,           \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters,     \
     void **extra))                                                                                \
  F(memAlloc, cuMemAlloc_v2, (Address * address, size_t bytes))                                    \
  F(memFree, cuMemFree_v2, (Address address))                                                      \
  F(memAllocHost, cuMemAllocHost_v2, (void **pointer, size_t bytes))                               \
  F(memFreeHost, cuMemFreeHost, (void *pointer))                                                   \
  F(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                         \
    (Address destination, const void *source, size_t bytes, Stream stream))                        \
  F(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                         \
    (void *destination, Address source, size_t bytes, Stream stream))                              \
  F(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                         \
    (Address destination, Address source, size_t bytes, Stream stream))                            \
  F(memsetD8Async, cuMemsetD8Async,                                                                \
    (Address destination, unsigned char value, size_t count, Stream stream))                       \
  F(memsetD16Async, cuMemsetD16Async,                                                              \
    (Address destination, unsigned short value, size_t count, Stream stream))                      \
  F(memsetD32Async, cuMemsetD32Async,                                                              \
    (Address destination, unsigned value, size_t count, Stream stream))                            \
  F(streamCreate, cuStreamCreate, (Stream * stream, unsigned flags))                               \
  F(streamDestroy, cuStreamDestroy_v2, (Stream stream))                                            \
  F(streamSynchronize, cuStreamSynchronize, (Stream stream))                                       \
  F(streamWaitEvent, cuStreamWaitEvent, (Stream stream, Event event, unsigned flags))              \
  F(eventCreate, cuEventCreate, (Event * event, unsigned flags))                                   \
  F(eventDestroy, cuEventDestroy_v2, (Event event))                                                \
  F(eventRecord, cuEventRecord, (Event event, Stream stream))                                      \
  F(eventQuery, cuEventQuery, (Event event))                                                       \
  F(eventSynchronize, cuEventSynchronize, (Event event))                                           \
  F(eventElapsedTime, cuEventElapsedTime, (float *milliseconds, Event begin, Event end))           \
  F(getErrorName, cuGetErrorName, (Result error, const char **text))                               \
  F(getErrorString, cuGetErrorString, (Result error, const char **text))

struct Driver {
#define SXT_CUDA_MEMBER(member, name, parameters) Result(*member) parameters = nullptr;
  SXT_CUDA_FUNCTIONS(SXT_CUDA_MEMBER)
#undef SXT_CUDA_MEMBER
  int version = 0; ///< of the CUDA release that the driver came with, 12040 for 12.4

  /// The driver, loaded and initialised at the first call and never unloaded; null
  /// where there is none, and then `why` says the reason.
  static const Driver *get(std::string &why);

  /// SXT_OK, or the call's failure with its name and the driver's text as the last error.
  sxt_status check(Result result, const char *call) const {
    return result == success ? SXT_OK : failed(result, call);
  }
  sxt_status failed(Result result, const char *call) const;
  /// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
  std::string describe(Result result) const;
};

} // namespace sextant::loader::cuda
