// The kernels of functions.py as one writes them in CUDA C++. nvcc builds them exact, and once more with
// --use_fast_math.
#include "functions.h"

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int threads = 256;
constexpr float rate = 0.02f, spread = 0.3f, softening = 1e-4f;

__device__ float normal(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  const float series =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = expf(-0.5f * x * x) * 0.39894228f * series;
  return x > 0.0f ? 1.0f - tail : tail;
}

__global__ void blackScholes(const float *price, const float *strike, const float *years,
                             float *call, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const float s = price[i], k = strike[i], t = years[i], root = sqrtf(t);
  const float up = (logf(s / k) + (rate + 0.5f * spread * spread) * t) / (spread * root);
  call[i] = s * normal(up) - k * expf(-rate * t) * normal(up - spread * root);
}

__global__ void nbody(const float4 *bodies, float4 *force, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const float4 own = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < count; ++j) {
    const float4 other = bodies[j];
    const float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
    const float near = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
    const float scale = other.w * near * near * near;
    x += dx * scale, y += dy * scale, z += dz * scale;
  }
  force[i] = make_float4(x, y, z, 0.0f);
}

__global__ void mandelbrot(int limit, int *picture, int side) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= side || y >= side)
    return;
  const float cx = -2.0f + 3.0f * x / side, cy = -1.5f + 3.0f * y / side;
  float zx = 0, zy = 0;
  int n = 0;
  while (n < limit && zx * zx + zy * zy < 4.0f) {
    const float next = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = next;
    ++n;
  }
  picture[y * side + x] = n;
}

__global__ void waves(const float *x, float *y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float value = x[i];
  for (int k = 0; k < 16; ++k)
    value = sinf(value) + cosf(value) / (1.0f + value * value);
  y[i] = value;
}

int blocks(int count) { return (count + threads - 1) / threads; }

cudaStream_t on(void *stream) { return static_cast<cudaStream_t>(stream); }

void check() {
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::fprintf(stderr, "functions.cu: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

} // namespace

void peerBlackScholes(const float *price, const float *strike, const float *years, float *call,
                      int count, void *stream) {
  blackScholes<<<blocks(count), threads, 0, on(stream)>>>(price, strike, years, call, count);
  check();
}

void peerNbody(const float *bodies, float *force, int count, void *stream) {
  nbody<<<blocks(count), threads, 0, on(stream)>>>(reinterpret_cast<const float4 *>(bodies),
                                                   reinterpret_cast<float4 *>(force), count);
  check();
}

void peerMandelbrot(int limit, int *picture, int side, void *stream) {
  const dim3 block(32, 8), grid((side + 31) / 32, (side + 7) / 8);
  mandelbrot<<<grid, block, 0, on(stream)>>>(limit, picture, side);
  check();
}

void peerWaves(const float *x, float *y, int count, void *stream) {
  waves<<<blocks(count), threads, 0, on(stream)>>>(x, y, count);
  check();
}
