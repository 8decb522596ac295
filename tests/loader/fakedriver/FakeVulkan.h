// Vulkan as a stand-in: what it did with the last dispatch, and how it behaves.
#pragma once

#include "FakeDriver.h"

extern "C" {
/// The last dispatch that ran.
struct FakeDispatch {
  char name[64];             ///< name of the entry point
  unsigned grid;             ///< blocks of it in x
  unsigned long long blocks; ///< blocks of its launch, with those of earlier dispatches
  unsigned rowLength;        ///< that the code was told
  unsigned requiredSize;     ///< required size of subgroups; 0: not asked for
  unsigned fullSubgroups;
  unsigned bufferCount;
  unsigned long long offsets[16], ranges[16];
  unsigned pushBytes;
  unsigned char push[128];
  unsigned char first[256]; ///< the first bytes of the last buffer
};
const FakeDispatch *fakeLastDispatch(void);
/// Not 0: what is submitted runs when someone waits for it, not before.
void fakeHold(int hold);
/// Runs what was held back.
void fakeRunAll(void);
/// Has another thread call this while the next vkQueueSubmit has taken the work and is not back.
void fakeAfterSubmit(void (*call)(void));
/// Commands that ran since the last reset: dispatches, copies and fills.
int fakeCommandsRun(void);
/// Queues that were submitted to since the last reset.
int fakeQueuesUsed(void);
/// Features that the last vkCreateDevice enabled: names of the structs' types, with
/// spaces, then extensions.
const char *fakeDeviceExtensions(void);
}
