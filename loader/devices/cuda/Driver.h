// The part of NVIDIA's driver API that HIP does not share, found at run time in libcuda.so.1.
// common/DriverApi.h has the shared part.
#pragma once

#include "loader/devices/common/DriverApi.h"

namespace sextant::loader::cuda {

using namespace driver;
using DeviceId = int;

enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxSharedMemoryPerBlock = 8,
  MultiprocessorCount = 16,
  Integrated = 18,
  MaxThreadsPerMultiprocessor = 39,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
};

enum PointerAttribute : int {
  MemoryType = 2,
  DevicePointer = 3,
  DeviceOrdinal = 9,
};

enum JitOption : int {
  JitErrorLogBuffer = 5,
  JitErrorLogBufferSizeBytes = 6,
};

/// CUDA's own functions: the member, the exported name, the parameters.
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
  F(moduleLoadDataEx, cuModuleLoadDataEx,                                                          \
    (Module * module, const void *image, unsigned count, int *options, void **values))             \
  F(streamGetContext, cuStreamGetCtx, (driver::Stream stream, Context * context))                  \
  F(pointerGetAttribute, cuPointerGetAttribute, (void *value, int attribute, Address address))     \
  F(funcSetAttribute, cuFuncSetAttribute, (Function function, int attribute, int value))           \
  F(getErrorName, cuGetErrorName, (Result error, const char **text))                               \
  F(getErrorString, cuGetErrorString, (Result error, const char **text))

/// Functions of graphs with loops, which came with CUDA 12.4.
#define SXT_CUDA_LOOP_FUNCTIONS(F)                                                                 \
  F(graphCreate, cuGraphCreate, (driver::Graph * graph, unsigned flags))                           \
  F(addKernelNode, cuGraphAddKernelNode,                                                           \
    (driver::GraphNode * node, driver::Graph graph, const driver::GraphNode *after, size_t count,  \
     const void *parameters))                                                                      \
  F(addNode, cuGraphAddNode,                                                                       \
    (driver::GraphNode * node, driver::Graph graph, const driver::GraphNode *after, size_t count,  \
     void *parameters))                                                                            \
  F(handleCreate, cuGraphConditionalHandleCreate,                                                  \
    (uint64_t *handle, driver::Graph graph, Context context, unsigned first, unsigned flags))

struct Driver {
  Api api;
#define SXT_CUDA_MEMBER(member, name, parameters) Call<Result parameters> member;
  SXT_CUDA_FUNCTIONS(SXT_CUDA_MEMBER)
  SXT_CUDA_LOOP_FUNCTIONS(SXT_CUDA_MEMBER)
#undef SXT_CUDA_MEMBER
  int version = 0; ///< the CUDA release that the driver came with, 12040 for 12.4

  /// Returns the driver, which the first call loads and initialises. It is never unloaded. Null if
  /// there is no driver; `why` then gives the reason.
  static const Driver *get(std::string &why);
};

} // namespace sextant::loader::cuda
