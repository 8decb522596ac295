// The additions of HIP 6: properties in the larger layout, under a name of their own. The old
// function stays, and fills in the old layout: whoever mixes them up reads nonsense.
#include "FakeHip.h"
#include "FakeState.h"

#include <cstring>

namespace {

/// hipDeviceProp_t of HIP 6, as its header has it. Runs of fields that nothing here sets
/// are arrays.
struct PropertiesR0600 {
  char name[256];
  char uuid[16], luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount;
  int kernelExecTimeoutEnabled, integrated;
  int canMapHostMemoryUpToMaxSurfaceCubemapLayered[42];
  size_t surfaceAlignment;
  int concurrentKernelsUpToPersistingL2CacheMaxSize[12];
  int maxThreadsPerMultiProcessor;
  int streamPrioritiesSupportedUpToHipReserved[133];
  char gcnArchName[256];
  size_t maxSharedMemoryPerMultiProcessor;
  int clockInstructionRateUpToAsicRevision[12];
};
static_assert(sizeof(PropertiesR0600) == 1472);

} // namespace

extern "C" int hipGetDevicePropertiesR0600(void *properties, int device) {
  ENTER
  if (device < 0 || device > 1)
    return 101;
  const FakeGpu &gpu = fakeGpus[device];
  auto &p = *static_cast<PropertiesR0600 *>(properties);
  std::memset(&p, 0x11, sizeof p);
  std::strcpy(p.name, gpu.name);
  std::strcpy(p.gcnArchName, gpu.arch);
  p.totalGlobalMem = gpu.memory;
  p.sharedMemPerBlock = gpu.shared;
  p.warpSize = gpu.wave;
  p.maxThreadsPerBlock = gpu.threads;
  p.multiProcessorCount = gpu.processors;
  p.maxThreadsPerMultiProcessor = gpu.processorThreads;
  p.integrated = fake::isIntegrated(device);
  return 0;
}
