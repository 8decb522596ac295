// The functions that NVIDIA's driver API and AMD's HIP share, as a table that is filled in at run
// time: the build needs no vendor's header or library. HIP mirrors the driver API down to the
// numbers of its errors. cuda/ and hip/ fill in a table each, and bring what differs: devices and
// their facts, contexts, images. Types, numbers and signatures are those of the two reference
// manuals.
#pragma once

#include "loader/AtUnload.h"
#include "loader/Error.h"
#include "loader/devices/common/Presence.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sextant::loader::driver {

using Result = int;
using Address = unsigned long long; ///< HIP's is a pointer: of the same size, passed alike
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using Graph = struct GraphTag *;
using GraphExec = struct GraphExecTag *;
using GraphNode = struct GraphNodeTag *;

inline constexpr Result success = 0, errorOutOfMemory = 2, errorDeviceUnavailable = 46,
                        errorNoDevice = 100, errorInvalidDevice = 101, errorNotFound = 500,
                        errorNotReady = 600;

/// Keys of a launch's `extra` list. The key that ends the list is the driver's own.
inline void *const launchParamBufferPointer = reinterpret_cast<void *>(1);
inline void *const launchParamBufferSize = reinterpret_cast<void *>(2);

/// A driver's function, and its exported name for messages.
template <class Signature> struct Call {
  Signature *function = nullptr;
  const char *name = nullptr;
};

/// Every common function: the member, CUDA's and HIP's name, the parameters.
#define SXT_DRIVER_FUNCTIONS(F)                                                                    \
  F(synchronize, cuCtxSynchronize, hipDeviceSynchronize, ())                                       \
  F(moduleUnload, cuModuleUnload, hipModuleUnload, (Module module))                                \
  F(moduleGetFunction, cuModuleGetFunction, hipModuleGetFunction,                                  \
    (Function * function, Module module, const char *name))                                        \
  F(launchKernel, cuLaunchKernel, hipModuleLaunchKernel,                                           \
    (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,           \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, Stream stream, void **parameters,     \
     void **extra))                                                                                \
  F(memAlloc, cuMemAlloc_v2, hipMalloc, (Address * address, size_t bytes))                         \
  F(memFree, cuMemFree_v2, hipFree, (Address address))                                             \
  F(hostAlloc, cuMemHostAlloc, hipHostMalloc, (void **pointer, size_t bytes, unsigned flags))      \
  F(hostFree, cuMemFreeHost, hipHostFree, (void *pointer))                                         \
  F(memcpyHtoD, cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync,                                          \
    (Address destination, const void *source, size_t bytes, Stream stream))                        \
  F(memcpyDtoH, cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync,                                          \
    (void *destination, Address source, size_t bytes, Stream stream))                              \
  F(memcpyDtoD, cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync,                                          \
    (Address destination, Address source, size_t bytes, Stream stream))                            \
  F(memsetD8, cuMemsetD8Async, hipMemsetD8Async,                                                   \
    (Address destination, unsigned char value, size_t count, Stream stream))                       \
  F(memsetD16, cuMemsetD16Async, hipMemsetD16Async,                                                \
    (Address destination, unsigned short value, size_t count, Stream stream))                      \
  F(memsetD32, cuMemsetD32Async, hipMemsetD32Async,                                                \
    (Address destination, unsigned value, size_t count, Stream stream))                            \
  F(streamCreate, cuStreamCreate, hipStreamCreateWithFlags, (Stream * stream, unsigned flags))     \
  F(streamDestroy, cuStreamDestroy_v2, hipStreamDestroy, (Stream stream))                          \
  F(streamSynchronize, cuStreamSynchronize, hipStreamSynchronize, (Stream stream))                 \
  F(streamWaitEvent, cuStreamWaitEvent, hipStreamWaitEvent,                                        \
    (Stream stream, Event event, unsigned flags))                                                  \
  F(eventCreate, cuEventCreate, hipEventCreateWithFlags, (Event * event, unsigned flags))          \
  F(eventDestroy, cuEventDestroy_v2, hipEventDestroy, (Event event))                               \
  F(eventRecord, cuEventRecord, hipEventRecord, (Event event, Stream stream))                      \
  F(eventQuery, cuEventQuery, hipEventQuery, (Event event))                                        \
  F(eventSynchronize, cuEventSynchronize, hipEventSynchronize, (Event event))                      \
  F(eventElapsedTime, cuEventElapsedTime, hipEventElapsedTime,                                     \
    (float *milliseconds, Event begin, Event end))

/// Functions of graphs, which old drivers lack.
#define SXT_GRAPH_FUNCTIONS(F)                                                                     \
  F(captureBegin, cuStreamBeginCapture_v2, hipStreamBeginCapture, (Stream stream, int mode))       \
  F(captureInfo, cuStreamGetCaptureInfo_v2, hipStreamGetCaptureInfo_v2,                            \
    (Stream stream, int *status, unsigned long long *id, Graph *graph, const GraphNode **last,     \
     size_t *count))                                                                               \
  F(captureEnd, cuStreamEndCapture, hipStreamEndCapture, (Stream stream, Graph * graph))           \
  F(instantiate, cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags,                        \
    (GraphExec * executable, Graph graph, unsigned long long flags))                               \
  F(setKernel, cuGraphExecKernelNodeSetParams, hipGraphExecKernelNodeSetParams,                    \
    (GraphExec executable, GraphNode node, const void *parameters))                                \
  F(launchGraph, cuGraphLaunch, hipGraphLaunch, (GraphExec executable, Stream stream))             \
  F(executableDestroy, cuGraphExecDestroy, hipGraphExecDestroy, (GraphExec executable))            \
  F(graphDestroy, cuGraphDestroy, hipGraphDestroy, (Graph graph))

/// The names of SXT_DRIVER_FUNCTIONS in order: one column of the list.
extern const char *const cudaNames[], *const hipNames[];
extern const char *const cudaGraphNames[], *const hipGraphNames[];

/// A launch in a graph. `extra` is the same list as in a launch.
struct KernelNode {
  Function function = nullptr;
  unsigned grid = 0, block = 0, sharedBytes = 0;
  void **extra = nullptr;
};

struct Api {
#define SXT_DRIVER_MEMBER(member, cuda, hip, parameters) Call<Result parameters> member;
  SXT_DRIVER_FUNCTIONS(SXT_DRIVER_MEMBER)
#undef SXT_DRIVER_MEMBER

#define SXT_DRIVER_MEMBER(member, cuda, hip, parameters) Call<Result parameters> member;
  SXT_GRAPH_FUNCTIONS(SXT_DRIVER_MEMBER)
#undef SXT_DRIVER_MEMBER
  bool hasGraphs = false;

  // The parts that differ between drivers.
  /// Calls setKernel with the driver's own struct.
  Result (*setNode)(GraphExec executable, GraphNode node, const KernelNode &kernel) = nullptr;
  /// Makes a graph, or adds a launch, or a loop, to one, after the nodes `after`. Null if the
  /// driver has no loops in graphs.
  Result (*graphCreate)(Graph *graph) = nullptr;
  Result (*addLaunch)(Graph graph, std::span<const GraphNode> after, const KernelNode &kernel,
                      GraphNode &node) = nullptr;
  Result (*addLoop)(Graph graph, std::span<const GraphNode> after, Context context, GraphNode &node,
                    Graph &body, uint64_t &handle) = nullptr;
  void *launchParamEnd = nullptr;
  /// The current context. The call is cheap, as it comes before every other call.
  Result (*getCurrent)(Context *context) = nullptr;
  Result (*pushCurrent)(Context context) = nullptr;
  /// \param context the one that was current before; a driver with a stack stores there what it
  /// pops
  Result (*popCurrent)(Context *context) = nullptr;
  /// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
  std::string (*describe)(Result result) = nullptr;
  /// Returns true if it is memory of a device that the current context cannot reach, and which
  /// device. False also if the driver does not know the address.
  /// \param device the current one
  bool (*isForeign)(Address address, int device, int &owner) = nullptr;
  /// Returns true if a stream that the application made is another context's.
  bool (*isOthersStream)(Stream stream, Context context) = nullptr;
  /// Loads an image into the current context. `device` is its name, for messages.
  sxt_status (*loadModule)(const char *device, const std::string &format,
                           std::span<const std::byte> bytes, Module &module) = nullptr;
  /// Lets a kernel have more shared memory than `staticSharedBytes`, which code may ask for itself.
  /// Null if code may ask for all that there is.
  Call<Result(Function function, int attribute, int value)> funcSetAttribute;
  int32_t staticSharedBytes = INT32_MAX;

  /// Looks up all common functions. Returns the name of a missing one, or null.
  const char *resolve(void *library, const char *const *names);
  /// Looks up the functions of graphs. Sets hasGraphs if none is missing.
  void resolveGraphs(void *library, const char *const *names);

  /// Returns SXT_OK, or fails with the call's name and the driver's text.
  sxt_status check(Result result, const char *call) const {
    return result == success ? SXT_OK : failed(result, call);
  }
  sxt_status failed(Result result, const char *call) const;
  template <class Signature, class... Arguments>
  sxt_status operator()(const Call<Signature> &call, Arguments... arguments) const {
    return check(call.function(arguments...), call.name);
  }
};

/// The process's one driver of a kind. It goes with the loader, and its library is never unloaded.
template <class Driver> struct Found {
  Driver driver;
  std::string why; ///< empty: usable
  Birth birth;

  static Found &only() {
    static Found *found = [] {
      atUnload([] { delete &only(); });
      return new Found;
    }();
    return *found;
  }
  /// Returns the driver, which `load` fills in at the first call. Null if that failed with a
  /// reason.
  static const Driver *get(std::string (*load)(Driver &), std::string &why) {
    static const bool usable = [&] {
      only().why = load(only().driver);
      if (!only().why.empty())
        log(SXT_LOG_INFO, "%s", only().why.c_str());
      return only().why.empty();
    }();
    why = only().why;
    if (usable && only().birth.isOfParent()) {
      why = driverStays;
      return nullptr;
    }
    return usable ? &only().driver : nullptr;
  }
};

/// Returns "name" for an exported "name_v2".
std::string plainName(const char *name);

} // namespace sextant::loader::driver
