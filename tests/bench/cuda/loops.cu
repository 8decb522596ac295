// A loop as a conditional node of a CUDA graph, by hand: the kernel that counts the rounds tells
// the node whether there is another one.
#include "loops.h"

#include <cstdio>
#include <cstdlib>

struct PeerLoop {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
};

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "bench: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

__global__ void begin(int *left, int rounds) { *left = rounds; }

__global__ void body(float *x, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size)
    x[i] = 0.5f * x[i] + 1.0f;
}

__global__ void count(int *left, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, --*left != 0);
}

cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNode_t *after, void *kernel, int blocks,
                    int threads, void **arguments) {
  cudaKernelNodeParams node = {};
  node.func = kernel;
  node.gridDim = dim3(blocks);
  node.blockDim = dim3(threads);
  node.kernelParams = arguments;
  cudaGraphNode_t made;
  check(cudaGraphAddKernelNode(&made, graph, after, after ? 1 : 0, &node));
  return made;
}

} // namespace

PeerLoop *peerLoop(float *x, int size, int *left, int rounds) {
  auto *loop = new PeerLoop;
  check(cudaGraphCreate(&loop->graph, 0));
  cudaGraphConditionalHandle handle;
  check(cudaGraphConditionalHandleCreate(&handle, loop->graph, 1, cudaGraphCondAssignDefault));
  void *beginArguments[] = {&left, &rounds};
  cudaGraphNode_t first = add(loop->graph, nullptr, (void *)begin, 1, 1, beginArguments);
  cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
  node.conditional.handle = handle;
  node.conditional.type = cudaGraphCondTypeWhile;
  node.conditional.size = 1;
  cudaGraphNode_t conditional;
#if CUDART_VERSION >= 13000
  check(cudaGraphAddNode(&conditional, loop->graph, &first, nullptr, 1, &node));
#else
  check(cudaGraphAddNode(&conditional, loop->graph, &first, 1, &node));
#endif
  cudaGraph_t round = node.conditional.phGraph_out[0];
  void *bodyArguments[] = {&x, &size};
  cudaGraphNode_t work = add(round, nullptr, (void *)body, (size + 255) / 256, 256, bodyArguments);
  void *countArguments[] = {&left, &handle};
  add(round, &work, (void *)count, 1, 1, countArguments);
  check(cudaGraphInstantiate(&loop->executable, loop->graph, 0));
  return loop;
}

void peerRun(PeerLoop *loop, void *stream) {
  check(cudaGraphLaunch(loop->executable, static_cast<cudaStream_t>(stream)));
}

void peerRelease(PeerLoop *loop) {
  check(cudaGraphExecDestroy(loop->executable));
  check(cudaGraphDestroy(loop->graph));
  delete loop;
}
