// Cholesky factors of many small matrices, by hand: a row of a tile a thread, a warp a matrix, as
// tiles.py has it; and two matrices of 16x16 a warp.
#include "tiles.h"

namespace {

constexpr unsigned all = 0xffffffffu;

template <int N> __device__ void factor(float (&row)[N], int lane, int width) {
#pragma unroll
  for (int k = 0; k < N; ++k) {
    float own = lane == k ? fmaxf(row[k], 1e-6f) : row[k];
    const float inverse = rsqrtf(__shfl_sync(all, own, k, width));
    const float scaled = own * inverse, twice = scaled * inverse;
    row[k] = scaled;
#pragma unroll
    for (int j = k + 1; j < N; ++j)
      row[j] -= twice * __shfl_sync(all, own, j, width);
  }
#pragma unroll
  for (int k = 1; k < N; ++k)
    row[k] = lane >= k ? row[k] : 0.0f;
}

template <int N> __device__ void load(float (&row)[N], const float *from) {
#pragma unroll
  for (int k = 0; k < N; ++k)
    row[k] = from[k];
}
template <int N> __device__ void store(const float (&row)[N], float *to) {
#pragma unroll
  for (int k = 0; k < N; ++k)
    to[k] = row[k];
}

/// `width`: threads a matrix, 32 or 16.
__global__ void cholesky16(float *a, int count, int width) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % width;
  const int matrix = thread / width;
  if (matrix >= count)
    return;
  float row[16] = {};
  float *at = a + size_t(matrix) * 256 + lane * 16;
  if (lane < 16)
    load(row, at);
  factor(row, lane, width);
  if (lane < 16)
    store(row, at);
}

__global__ void cholesky64(float *a, int count) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % 32;
  if (thread / 32 >= count)
    return;
  float *matrix = a + size_t(thread / 32) * 4096;
  for (int block = 0; block < 2; ++block) {
    const int k0 = block * 32;
    float *at = matrix + (k0 + lane) * 64 + k0;
    float row[32];
    load(row, at);
    for (int j = 0; j < k0; ++j) {
      const float v = matrix[(k0 + lane) * 64 + j];
#pragma unroll
      for (int k = 0; k < 32; ++k)
        row[k] -= v * __shfl_sync(all, v, k);
    }
    factor(row, lane, 32);
    store(row, at);
    if (block == 0) {
      float below[32];
      load(below, at + 32 * 64);
#pragma unroll
      for (int k = 0; k < 32; ++k) {
        const float x = below[k] / __shfl_sync(all, row[k], k);
        below[k] = x;
#pragma unroll
        for (int j = k + 1; j < 32; ++j)
          below[j] -= x * __shfl_sync(all, row[k], j);
      }
      store(below, at + 32 * 64);
    }
  }
}

} // namespace

void peerCholesky16(float *a, int count, int width, void *stream) {
  const int threads = count * width;
  cholesky16<<<(threads + 127) / 128, 128, 0, static_cast<cudaStream_t>(stream)>>>(a, count, width);
}

void peerCholesky64(float *a, int count, void *stream) {
  cholesky64<<<(count * 32 + 63) / 64, 64, 0, static_cast<cudaStream_t>(stream)>>>(a, count);
}
