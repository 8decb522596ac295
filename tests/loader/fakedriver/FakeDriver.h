// Stand-ins for NVIDIA's driver and AMD's HIP runtime: host memory for device memory,
// work done at once, every call recorded, any call made to fail. These control
// functions are exported beside the driver's.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
/// Makes the `after`th next call of that function (0: the next one) return `result`; once.
void fakeFail(const char *function, int result, int after);
/// Every call from the `after`th next one on returns `result`, as of a device that is lost.
void fakeLose(int result, int after);
/// Not 0: the device finishes nothing any more, and no call says so. What would wait for it without
/// end, or touch what it may still use, counts as a misuse.
void fakeSilence(int silent);
/// Forgets failures and calls. Objects stay.
void fakeReset(void);
/// How often a function was called since the last reset.
int fakeCalls(const char *function);
/// The `index`th function that was called since the last reset; null past the last one.
const char *fakeCalled(int index);
/// Allocations, modules, streams, events, contexts that are alive.
int fakeAlive(void);
/// Calls that needed a current context or device and found none, or that of other objects.
int fakeMisuses(void);

/// The last launch.
struct FakeLaunch {
  char name[64];
  unsigned grid, block, sharedBytes;
  void *stream;
  size_t argumentBytes;
  unsigned char arguments[256];
};
const FakeLaunch *fakeLastLaunch(void);
/// Launches that ran since the last reset, those of graphs included.
int fakeLaunchesRun(void);
/// Gives the last launch of that stream since the last reset; how many there were. From any thread.
int fakeLastLaunchOf(void *stream, FakeLaunch *launch);
/// The image that was loaded last begins with this text.
const char *fakeLastImage(void);

/// The graph that was instantiated last: "a b<a [c]<b" for a loop over c after b after a.
const char *fakeLastGraph(void);

// Functions that an application of its own context calls.
int cuCtxGetCurrent(void **context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int hipGetDevice(int *device);
int hipSetDevice(int device);
int hipCtxGetCurrent(void **context);
int hipStreamCreateWithFlags(void **stream, unsigned flags);
int hipStreamDestroy(void *stream);
}
