// The devices of the stand-in for HIP, which tell their properties in two layouts.
#pragma once

#include <cstddef>

struct FakeGpu {
  const char *name, *arch;
  size_t memory, shared;
  int wave, threads, processors, processorThreads;
};
extern const FakeGpu fakeGpus[2];
