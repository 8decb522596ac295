// The part of AMD's HIP runtime that CUDA does not share, found at run time in libamdhip64.so.
// common/DriverApi.h has the shared part.
#pragma once

#include "loader/devices/common/DriverApi.h"

namespace sextant::loader::hip {

using namespace driver;

/// hipPointerAttribute_t.
struct PointerAttributes {
  int type = -1, device = -1;
  void *devicePointer = nullptr, *hostPointer = nullptr;
  int isManaged = 0;
  unsigned flags = 0;
};

/// HIP's own functions: the member, the exported name, the type.
#define SXT_HIP_FUNCTIONS(F)                                                                       \
  F(init, hipInit, Result(unsigned flags))                                                         \
  F(getDeviceCount, hipGetDeviceCount, Result(int *count))                                         \
  F(getDevice, hipGetDevice, Result(int *device))                                                  \
  F(setDevice, hipSetDevice, Result(int device))                                                   \
  F(moduleLoadData, hipModuleLoadData, Result(Module *module, const void *image))                  \
  F(pointerGetAttributes, hipPointerGetAttributes,                                                 \
    Result(PointerAttributes *attributes, const void *address))                                    \
  F(getErrorName, hipGetErrorName, const char *(Result error))                                     \
  F(getErrorString, hipGetErrorString, const char *(Result error))

/// The part of hipDeviceProp_t that the loader reads.
struct Properties {
  std::string name, arch; ///< "AMD Radeon RX 7900 XTX", "gfx90a:sramecc+:xnack-"
  uint64_t memoryBytes = 0, sharedBytes = 0;
  uint32_t waveSize = 0, threadsPerBlock = 0, multiprocessors = 0, threadsPerMultiprocessor = 0;
  int32_t integrated = 0; ///< not 0: a GPU in the processor
};

struct Driver {
  Api api;
#define SXT_HIP_MEMBER(member, name, type) Call<type> member;
  SXT_HIP_FUNCTIONS(SXT_HIP_MEMBER)
#undef SXT_HIP_MEMBER
  /// HIP 6 and newer fill in a larger struct, under another name. ROCm 5 has only the small one.
  Call<Result(void *properties, int device)> getDeviceProperties;
  bool largeProperties = false;
  Call<Result(driver::Stream stream, int *device)> streamGetDevice; ///< null in early ROCm 5
  // Contexts are deprecated and may disappear. Only an application that adopts one needs them.
  Call<Result(Context context)> ctxPushCurrent;
  Call<Result(Context *context)> ctxPopCurrent;

  sxt_status properties(int device, Properties &properties) const;

  /// Returns the runtime, which the first call loads and initialises. It is never unloaded. Null if
  /// there is no runtime; `why` then gives the reason.
  static const Driver *get(std::string &why);
};

/// A device stands in for its context: this is the handle of a device, never null.
inline Context contextOf(int device) {
  return reinterpret_cast<Context>(static_cast<uintptr_t>(device) + 1);
}

} // namespace sextant::loader::hip
