// A stand-in for Metal, as the driver library that SEXTANT_METAL_LIBRARY names: host
// memory, queues that are threads, every call recorded, any call made to fail. Kernels run
// on mslsim, where SEXTANT_MSLSIM_BRIDGE names the library that build.sh made; without it
// they do nothing. What real Metal refuses is counted as a misuse. These functions are
// exported beside the driver's table.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {
/// Makes the `after`th next call of that member of the table (0: the next one) return
/// `result`; once. "run": a command buffer fails while it runs.
void fakeMetalFail(const char *function, int result, int after);
/// Every call from the `after`th next one on returns `result`, as of a device that is lost.
void fakeMetalLose(int result, int after);
/// Forgets failures and calls. Objects stay.
void fakeMetalReset(void);
/// How often a function was called since the last reset.
int fakeMetalCalls(const char *function);
/// The `index`th function that was called since the last reset; null past the last one.
const char *fakeMetalCalled(int index);
/// Objects that are alive, in whatever way they are held.
int fakeMetalAlive(void);
/// Uses that Metal forbids: ranges outside buffers, copies that are not aligned, commands
/// changed after their commit.
int fakeMetalMisuses(void);
/// Command buffers wait before they run until this is called with 0.
void fakeMetalHold(int hold);
/// Limits that the next pipelines tell; 0: the usual.
void fakeMetalPipelineLimits(uint32_t maxThreads, uint32_t simdWidth);
/// For adoption: retained objects, to be given back.
void *fakeMetalDevice(uint32_t ordinal);
void *fakeMetalQueue(uint32_t ordinal);
void fakeMetalRelease(void *object);

/// The last dispatch that was encoded.
struct FakeMetalDispatch {
  char kernel[64];
  uint32_t grid, block, bufferCount, valueBytes;
  bool hasTable;
  const void *addresses[400]; ///< addresses of the first buffers' bytes
  unsigned char values[256];
};
const FakeMetalDispatch *fakeMetalLastDispatch(void);
/// Language version of the last library, as 100 * major + minor.
int fakeMetalLanguage(void);

// For another stand-in on top of this one (tests/simulators/metal/objc). Objects are those of the
// table.

/// The table that sextant_metal_driver returns.
const void *fakeMetalTable(void);
/// Counts objects of its own as alive.
void fakeMetalCountAlive(int change);
/// True if the next call of the function shall fail; then this was it, and lastError says why.
int fakeMetalFails(const char *function);
/// +1: no call of this thread fails; -1 ends that.
void fakeMetalSure(int change);
int fakeMetalHasKernel(void *library, const char *kernel);
/// Calls a function when a command buffer has run, before anybody has waited for it.
void fakeMetalWhenDone(void *commands, void (*call)(void *context), void *context);
/// Signals an event unless a command before it fails: as Metal by itself would.
void fakeMetalSignal(void *commands, void *event, uint64_t value);
uint64_t fakeMetalEventValue(void *event);
void fakeMetalSetEvent(void *event, uint64_t value);
}
