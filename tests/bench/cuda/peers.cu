// CUB's block and warp collectives, one element a thread, built by nvcc where the
// benchmark runs.
#include "peers.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cuda.h>

namespace {

__global__ void blockReduceKernel(const float *src, float *out) {
  using Reduce = cub::BlockReduce<float, peers::block>;
  __shared__ typename Reduce::TempStorage storage;
  float total = Reduce(storage).Sum(src[blockIdx.x * peers::block + threadIdx.x]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = total;
}

__global__ void blockScanKernel(const int *src, int *out) {
  using Scan = cub::BlockScan<int, peers::block>;
  __shared__ typename Scan::TempStorage storage;
  int i = blockIdx.x * peers::block + threadIdx.x;
  int value;
  Scan(storage).InclusiveSum(src[i], value);
  out[i] = value;
}

__global__ void warpReduceKernel(const float *src, float *out) {
  using Reduce = cub::WarpReduce<float>;
  __shared__ typename Reduce::TempStorage storage[peers::block / 32];
  int i = blockIdx.x * peers::block + threadIdx.x;
  float total = Reduce(storage[threadIdx.x / 32]).Sum(src[i]);
  if (threadIdx.x % 32 == 0)
    out[i / 32] = total;
}

__global__ void touchKernel(int *out, int count, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = value;
}

cudaStream_t asStream(void *stream) { return static_cast<cudaStream_t>(stream); }

} // namespace

void peers::blockReduce(const float *src, float *out, int count, void *stream) {
  blockReduceKernel<<<count / block, block, 0, asStream(stream)>>>(src, out);
}

void peers::blockScan(const int *src, int *out, int count, void *stream) {
  blockScanKernel<<<count / block, block, 0, asStream(stream)>>>(src, out);
}

void peers::warpReduce(const float *src, float *out, int count, void *stream) {
  warpReduceKernel<<<count / block, block, 0, asStream(stream)>>>(src, out);
}

bool peers::bareTouch(int *out, int count, int value, void *stream) {
  static CUfunction function = [] {
    cudaFunction_t found = nullptr;
    if (cudaGetFuncBySymbol(&found, reinterpret_cast<const void *>(touchKernel)) != cudaSuccess)
      return CUfunction(nullptr);
    return reinterpret_cast<CUfunction>(found);
  }();
  struct {
    int *out;
    int count, value;
  } arguments{out, count, value};
  size_t size = sizeof arguments;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  return function && cuLaunchKernel(function, (count + 31) / 32, 1, 1, 32, 1, 1, 0,
                                    static_cast<CUstream>(stream), nullptr, extra) == CUDA_SUCCESS;
}
