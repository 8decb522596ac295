// HIP's graphs, which the stand-in for ROCm 5 does without.
#include "FakeGraph.h"

extern "C" {

/// hipKernelNodeParams of hip_runtime_api.h.
struct hipKernelNodeParams {
  unsigned blockDim[3];
  void **extra;
  void *func;
  unsigned gridDim[3];
  void **kernelParams;
  unsigned sharedMemBytes;
};

int hipStreamBeginCapture(void *stream, int mode) {
  ENTER
  return fake::captureBegin(stream, mode);
}
int hipStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph,
                               void *const **last, size_t *count) {
  ENTER
  *id = 1;
  return fake::captureInfo(stream, status, graph, last, count);
}
int hipStreamEndCapture(void *stream, void **graph) {
  ENTER
  return fake::captureEnd(stream, graph);
}
int hipGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags) {
  ENTER
  return fake::instantiate(executable, graph, flags);
}
int hipGraphExecKernelNodeSetParams(void *executable, void *node,
                                    const hipKernelNodeParams *params) {
  ENTER
  FakeLaunch launch{};
  const unsigned *grid = params->gridDim, *block = params->blockDim;
  if (int result = fake::describe(launch, params->func,
                                  {grid[0], grid[1], grid[2], block[0], block[1], block[2]},
                                  params->sharedMemBytes, nullptr, params->kernelParams,
                                  params->extra, reinterpret_cast<void *>(3)))
    return result;
  return fake::setKernel(executable, node, launch);
}
int hipGraphLaunch(void *executable, void *stream) {
  ENTER
  return fake::launchGraph(executable, stream);
}
int hipGraphExecDestroy(void *executable) { ENTER_RELEASE(fake::destroyExecutable(executable)) }
int hipGraphDestroy(void *graph) { ENTER_RELEASE(fake::destroyGraph(graph)) }
}
