// A stand-in for NVIDIA's driver: host memory for device memory, work done at once,
// every call recorded, any call made to fail. Its control functions are exported
// beside the driver's.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
/// Makes the `after`th next call of that function (0: the next one) return `result`; once.
void fakeCudaFail(const char *function, int result, int after);
/// Forgets failures and calls. Objects stay.
void fakeCudaReset(void);
/// How often a function was called since the last reset.
int fakeCudaCalls(const char *function);
/// Allocations, modules, streams, events, contexts that are alive.
int fakeCudaAlive(void);
/// Calls that needed a current context and found none, or one of another device.
int fakeCudaMisuses(void);

/// The last launch.
struct FakeCudaLaunch {
  char name[64];
  unsigned grid, block, sharedBytes;
  void *stream;
  size_t argumentBytes;
  unsigned char arguments[256];
};
const FakeCudaLaunch *fakeCudaLastLaunch(void);
/// The image that was loaded last begins with this text.
const char *fakeCudaLastImage(void);

// What an application of its own context calls.
int cuCtxGetCurrent(void **context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
}
