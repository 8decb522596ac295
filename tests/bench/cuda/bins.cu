// The kernels of bins.py as one writes them in CUDA C++: an atomic a thread; bins of each block in
// shared memory, added at its end; CUB's histogram.
#include "bins.h"

#include <cub/device/device_histogram.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

struct One {
  __device__ int operator[](int) const { return 1; }
};

template <class T, class V> __global__ void plain(const int *x, V v, T *bins, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(bins + x[i], T(v[i]));
}

template <class T, class V>
__global__ void shared(const int *x, V v, T *bins, int extent, int count) {
  extern __shared__ int memory[];
  T *own = reinterpret_cast<T *>(memory);
  for (int k = threadIdx.x; k < extent; k += blockDim.x)
    own[k] = 0;
  __syncthreads();
  const int stride = gridDim.x * blockDim.x;
#pragma unroll 4
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    atomicAdd(own + x[i], T(v[i]));
  __syncthreads();
  for (int k = threadIdx.x; k < extent; k += blockDim.x)
    if (own[k] != 0)
      atomicAdd(bins + k, own[k]);
}

void checkLaunch() {
  if (cudaError_t error = cudaGetLastError()) {
    std::fprintf(stderr, "bench: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

cudaStream_t native(void *stream) { return static_cast<cudaStream_t>(stream); }

int multiprocessors() {
  static const int count = [] {
    int number = 0;
    cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, 0);
    return number;
  }();
  return count;
}

template <class T, class V>
void runPlain(const int *x, V v, T *bins, int count, void *stream) {
  constexpr int threads = 256;
  plain<<<(count + threads - 1) / threads, threads, 0, native(stream)>>>(x, v, bins, count);
  checkLaunch();
}
template <class T, class V>
void runShared(const int *x, V v, T *bins, int extent, int count, void *stream) {
  constexpr int threads = 1024, blocksEach = 2;
  const int blocks = std::min((count + threads - 1) / threads, multiprocessors() * blocksEach);
  shared<<<blocks, threads, size_t(extent) * sizeof(T), native(stream)>>>(x, v, bins, extent,
                                                                         count);
  checkLaunch();
}

} // namespace

void peerPlainCounts(const int *x, int *bins, int count, void *stream) {
  runPlain(x, One(), bins, count, stream);
}
void peerPlainSums(const int *x, const int *v, int *bins, int count, void *stream) {
  runPlain(x, v, bins, count, stream);
}
void peerPlainSums(const int *x, const float *v, float *bins, int count, void *stream) {
  runPlain(x, v, bins, count, stream);
}
void peerSharedCounts(const int *x, int *bins, int extent, int count, void *stream) {
  runShared(x, One(), bins, extent, count, stream);
}
void peerSharedSums(const int *x, const int *v, int *bins, int extent, int count, void *stream) {
  runShared(x, v, bins, extent, count, stream);
}
void peerSharedSums(const int *x, const float *v, float *bins, int extent, int count,
                    void *stream) {
  runShared(x, v, bins, extent, count, stream);
}
void peerLibraryCounts(void *memory, size_t &bytes, const int *x, int *bins, int extent, int count,
                       void *stream) {
  cub::DeviceHistogram::HistogramEven(memory, bytes, x, bins, extent + 1, 0, extent, count,
                                      native(stream));
  checkLaunch();
}
