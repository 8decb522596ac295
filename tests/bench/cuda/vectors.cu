// The kernels of vectors.py as one writes them in CUDA C++: float4 in memory.
#include "vectors.h"

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int threads = 256;

__global__ void products(const float4 *x, const float4 *y, float4 *z, int count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= count)
    return;
  float4 b[4];
  for (int k = 0; k < 4; ++k)
    b[k] = y[4 * i + k];
  for (int row = 0; row < 4; ++row) {
    const float4 a = x[4 * i + row];
    z[4 * i + row] = {a.x * b[0].x + a.y * b[1].x + a.z * b[2].x + a.w * b[3].x,
                      a.x * b[0].y + a.y * b[1].y + a.z * b[2].y + a.w * b[3].y,
                      a.x * b[0].z + a.y * b[1].z + a.z * b[2].z + a.w * b[3].z,
                      a.x * b[0].w + a.y * b[1].w + a.z * b[2].w + a.w * b[3].w};
  }
}

__global__ void scale(const float4 *x, float4 *y, float a, int count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= count)
    return;
  const float4 v = x[i], w = y[i];
  y[i] = {a * v.x + w.x, a * v.y + w.y, a * v.z + w.z, a * v.w + w.w};
}

__global__ void scatter(const int *at, const float4 *x, float4 *sums, int count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= count)
    return;
#if __CUDA_ARCH__ >= 900
  atomicAdd(&sums[at[i]], x[i]);
#else
  const float4 v = x[i];
  atomicAdd(&sums[at[i]].x, v.x);
  atomicAdd(&sums[at[i]].y, v.y);
  atomicAdd(&sums[at[i]].z, v.z);
  atomicAdd(&sums[at[i]].w, v.w);
#endif
}

__global__ void tally(const int *x, int *most, int count) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= count)
    return;
  int counts[16] = {};
  unsigned bits = unsigned(x[i]);
  for (int round = 0; round < 32; ++round) {
    ++counts[bits >> 28];
    bits = bits * 1664525 + 1013904223;
  }
  int largest = 0;
  for (int each : counts)
    largest = max(largest, each);
  most[i] = largest;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), int count, void *stream, Arguments... arguments) {
  kernel<<<(count + threads - 1) / threads, threads, 0, static_cast<cudaStream_t>(stream)>>>(
      arguments..., count);
  if (cudaError_t error = cudaGetLastError()) {
    std::fprintf(stderr, "bench: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

const float4 *vectors(const float *p) { return reinterpret_cast<const float4 *>(p); }
float4 *vectors(float *p) { return reinterpret_cast<float4 *>(p); }

} // namespace

void peerProducts(const float *x, const float *y, float *z, int count, void *stream) {
  launch(products, count, stream, vectors(x), vectors(y), vectors(z));
}
void peerScale(const float *x, float *y, float a, int count, void *stream) {
  launch(scale, count, stream, vectors(x), vectors(y), a);
}
void peerTally(const int *x, int *most, int count, void *stream) {
  launch(tally, count, stream, x, most);
}
void peerScatter(const int *at, const float *x, float *sums, int count, void *stream) {
  launch(scatter, count, stream, at, vectors(x), vectors(sums));
}
