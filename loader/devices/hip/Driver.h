// The part of AMD's HIP runtime that the loader uses and CUDA has otherwise, found at
// run time in libamdhip64.so; what the two have in common is common/DriverApi.h.
#pragma once

#include "loader/devices/common/DriverApi.h"

namespace sextant::loader::hip {

using namespace driver;

/// HIP's own functions: the member, the exported name, the type.
#define SXT_HIP_FUNCTIONS(F)                                                                       \
  F(init, hipInit, Result(unsigned flags))                                                         \
  F(getDeviceCount, hipGetDeviceCount, Result(int *count))                                         \
  F(getDevice, hipGetDevice, Result(int *device))                                                  \
  F(setDevice, hipSetDevice, Result(int device))                                                   \
  F(moduleLoadData, hipModuleLoadData, Result(Module *module, const void *image))                  \
  F(getErrorName, hipGetErrorName, const char *(Result error))                                     \
  F(getErrorString, hipGetErrorString, const char *(Result error))

/// What the loader reads of hipDeviceProp_t.
struct Properties {
  std::string name, arch; ///< "AMD Radeon RX 7900 XTX", "gfx90a:sramecc+:xnack-"
  uint64_t memoryBytes = 0, sharedBytes = 0;
  uint32_t waveSize = 0, threadsPerBlock = 0, multiprocessors = 0, threadsPerMultiprocessor = 0;
};

struct Driver {
  Api api;
#define SXT_HIP_MEMBER(member, name, type) Call<type> member;
  SXT_HIP_FUNCTIONS(SXT_HIP_MEMBER)
#undef SXT_HIP_MEMBER
  /// HIP 6 and newer fill in a larger struct, under another name; ROCm 5 has only the
  /// small one.
  Call<Result(void *properties, int device)> getDeviceProperties;
  bool largeProperties = false;
  // Contexts are deprecated and may go; only an application that adopts one needs them.
  Call<Result(Context context)> ctxPushCurrent;
  Call<Result(Context *context)> ctxPopCurrent;

  sxt_status properties(int device, Properties &properties) const;

  /// The runtime, loaded and initialised at the first call and never unloaded; null
  /// where there is none, and then `why` says the reason.
  static const Driver *get(std::string &why);
};

/// Devices stand in for contexts: the handle of one, never null.
inline Context contextOf(int device) {
  return reinterpret_cast<Context>(static_cast<uintptr_t>(device) + 1);
}

} // namespace sextant::loader::hip
