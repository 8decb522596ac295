// The kernels of grids.py as one writes them in CUDA C++: grids of two and three dimensions, block
// sums by shuffles before one atomic, waits that sleep.
#include "grids.h"

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int threads = 256;

__global__ void stencil(const float *x, float *y, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int j = blockIdx.y * blockDim.y + threadIdx.y + 1, i = blockIdx.z + 1;
  if (k >= n - 1 || j >= n - 1)
    return;
  const size_t row = n, plane = size_t(n) * n, at = i * plane + j * row + k;
  y[at] = x[at - plane] + x[at + plane] + x[at - row] + x[at + row] + x[at - 1] + x[at + 1] -
          6.0f * x[at];
}

__global__ void blur(const float *x, float *y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int i = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (i >= n - 1 || j >= n - 1)
    return;
  float total = 0;
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b)
      total += x[size_t(i + a) * n + j + b];
  y[size_t(i) * n + j] = total * (1.0f / 9.0f);
}

template <class T> __device__ T blockSum(T value) {
  __shared__ T sums[threads / 32];
  for (int d = 16; d > 0; d /= 2)
    value += __shfl_down_sync(~0u, value, d);
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < threads / 32 ? sums[threadIdx.x] : T(0);
  for (int d = threads / 64; d > 0; d /= 2)
    value += __shfl_down_sync(~0u, value, d);
  return value;
}

__global__ void total(const float *x, float *out, int count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  const float sum = blockSum(i < count ? x[i] : 0.0f);
  if (threadIdx.x == 0)
    atomicAdd(out, sum);
}

/// Each thread adds a row, and the block what its threads have.
__global__ void rows(const float *x, int side, float *out) {
  const int i = blockIdx.x * threads + threadIdx.x;
  float own = 0;
  for (int j = 0; i < side && j < 64; ++j)
    own += x[size_t(i) * side + j];
  const float sum = blockSum(own);
  if (threadIdx.x == 0)
    atomicAdd(out, sum);
}

/// One atomic a thread that finds something: few do.
__global__ void seldom(const int *x, int least, int *out, int count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < count && x[i] > least)
    atomicAdd(out, 1);
}

__global__ void scaled(const float *x, float *y, int count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i < count)
    y[i] = 1.0f / float(count) * x[i];
}

constexpr int aggregateKnown = 1, prefixKnown = 2;

__global__ void scan(const int4 *x, int4 *y, int *ticket, volatile int *states, volatile int *sums,
                     volatile int *prefixes) {
  __shared__ int shared[2], warps[threads / 32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0)
    shared[0] = atomicAdd(ticket, 1);
  __syncthreads();
  const int number = shared[0];
  const int4 v = x[number * threads + t];
  const int own = v.x + v.y + v.z + v.w;
  int sum = own;
  for (int d = 1; d < 32; d *= 2) {
    const int below = __shfl_up_sync(~0u, sum, d);
    sum += lane >= d ? below : 0;
  }
  if (lane == 31)
    warps[warp] = sum;
  __syncthreads();
  int before = sum - own;
  for (int w = 0; w < warp; ++w)
    before += warps[w];
  if (t == threads - 1) {
    const int aggregate = before + own;
    int prefix = 0;
    if (number > 0) {
      sums[number] = aggregate;
      __threadfence();
      atomicExch(const_cast<int *>(states) + number, aggregateKnown);
      for (int at = number - 1; at >= 0;) {
        int state = states[at];
        while (state == 0) {
          __nanosleep(100);
          state = states[at];
        }
        __threadfence();
        if (state == prefixKnown) {
          prefix += prefixes[at];
          break;
        }
        prefix += sums[at--];
      }
    }
    prefixes[number] = prefix + aggregate;
    __threadfence();
    atomicExch(const_cast<int *>(states) + number, prefixKnown);
    shared[1] = prefix;
  }
  __syncthreads();
  const int base = shared[1] + before;
  y[number * threads + t] = {base + v.x, base + v.x + v.y, base + v.x + v.y + v.z, base + own};
}

void checkLaunch() {
  if (cudaError_t error = cudaGetLastError()) {
    std::fprintf(stderr, "bench: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

cudaStream_t native(void *stream) { return static_cast<cudaStream_t>(stream); }
constexpr dim3 tile(32, 8);
int tiles(int side, unsigned width) { return (side - 2 + int(width) - 1) / int(width); }
int blocksOf(int count) { return (count + threads - 1) / threads; }

} // namespace

void peerStencil(const float *x, float *y, int side, void *stream) {
  const dim3 blocks(tiles(side, tile.x), tiles(side, tile.y), side - 2);
  stencil<<<blocks, tile, 0, native(stream)>>>(x, y, side);
  checkLaunch();
}
void peerBlur(const float *x, float *y, int side, void *stream) {
  const dim3 blocks(tiles(side, tile.x), tiles(side, tile.y));
  blur<<<blocks, tile, 0, native(stream)>>>(x, y, side);
  checkLaunch();
}
void peerTotal(const float *x, float *out, int count, void *stream) {
  total<<<blocksOf(count), threads, 0, native(stream)>>>(x, out, count);
  checkLaunch();
}
void peerRows(const float *x, int side, float *out, void *stream) {
  rows<<<blocksOf(side), threads, 0, native(stream)>>>(x, side, out);
  checkLaunch();
}
void peerSeldom(const int *x, int least, int *out, int count, void *stream) {
  seldom<<<blocksOf(count), threads, 0, native(stream)>>>(x, least, out, count);
  checkLaunch();
}
void peerScaled(const float *x, float *y, int count, void *stream) {
  scaled<<<blocksOf(count), threads, 0, native(stream)>>>(x, y, count);
  checkLaunch();
}
void peerScan(const int *x, int *y, int *work, int blocks, void *stream) {
  cudaMemsetAsync(work, 0, sizeof(int) * size_t(1 + blocks), native(stream));
  scan<<<blocks, threads, 0, native(stream)>>>(reinterpret_cast<const int4 *>(x),
                                               reinterpret_cast<int4 *>(y), work, work + 1,
                                               work + 1 + blocks, work + 1 + 2 * blocks);
  checkLaunch();
}
