// Measures what bulk copies (TMA) would give `block.memcpy_async`: tiles go to shared memory by loads and
// stores, by cp.async, and by cp.async.bulk, the next tile while this one is read once or eight
// times. Prints medians of 20 launches over 1 GiB. By itself: it needs sm_90, and no loader.
//
//   nvcc -O3 -std=c++17 -arch=sm_90 bulk.cu -o bulk && ./bulk
//
// PTX ISA 8.0: cp.async, cp.async.bulk, mbarrier.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum Way { Loads, Async, Bulk };
constexpr int threads = 256;

__device__ uint32_t sharedAddress(const void *at) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

/// Starts to copy a tile; all threads call it.
template <Way way, int elements>
__device__ void start(const float4 *from, float4 *to, uint64_t *barrier) {
  if (way == Loads)
    for (int i = threadIdx.x; i < elements; i += threads)
      to[i] = from[i];
  if (way == Async)
    for (int i = threadIdx.x; i < elements; i += threads)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to + i)),
                   "l"(from + i));
  if (way == Bulk && threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)),
                 "r"(elements * 16));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(sharedAddress(to)),
        "l"(from), "r"(elements * 16), "r"(sharedAddress(barrier))
        : "memory");
  }
}

/// Waits for the tile before the last one that was started.
template <Way way> __device__ void await(uint64_t *barrier, int phase) {
  if (way == Async)
    asm volatile("cp.async.wait_group 1;");
  for (uint32_t done = way != Bulk; !done;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(sharedAddress(barrier)), "r"(phase)
                 : "memory");
  __syncthreads();
}

template <Way way, int elements, int reads>
__global__ void sums(const float4 *x, float *out, int tiles) {
  extern __shared__ __align__(128) float4 staged[];
  __shared__ __align__(8) uint64_t barriers[2];
  if (way == Bulk && threadIdx.x == 0) {
    for (uint64_t &barrier : barriers)
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(sharedAddress(&barrier)));
    asm volatile("fence.proxy.async.shared::cta;");
  }
  __syncthreads();
  const auto next = [&](int tile, int slot) {
    if (tile < tiles)
      start<way, elements>(x + size_t(tile) * elements, staged + slot * elements, barriers + slot);
    if (way == Async)
      asm volatile("cp.async.commit_group;");
  };
  float sum = 0;
  int slot = 0, phase = 0;
  next(blockIdx.x, 0);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    next(tile + gridDim.x, slot ^ 1);
    await<way>(barriers + slot, phase);
    for (int read = 0; read < reads; ++read)
      for (int i = threadIdx.x; i < elements; i += threads) {
        const float4 v = staged[slot * elements + (i + read * 33) % elements];
        sum += v.x * v.y + v.z * v.w;
      }
    __syncthreads();
    phase ^= slot;
    slot ^= 1;
  }
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

/// The median in ms; `total` gets the sum of all.
template <Way way, int elements, int reads>
float timeOf(const float4 *x, float *out, size_t count, double &total) {
  const auto kernel = sums<way, elements, reads>;
  const int bytes = 2 * elements * 16;
  int blocks = 0, processors = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes);
  blocks *= processors;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int round = 0; round < 23; ++round) {
    float ms = 0;
    cudaEventRecord(begin);
    kernel<<<blocks, threads, bytes>>>(x, out, int(count / elements));
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    if (round > 2)
      times.push_back(ms);
  }
  std::vector<float> parts(size_t(blocks) * threads);
  cudaMemcpy(parts.data(), out, parts.size() * sizeof(float), cudaMemcpyDeviceToHost);
  total = 0;
  for (float part : parts)
    total += part;
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
    std::printf("%s\n", cudaGetErrorString(error));
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

template <int elements, int reads> void row(const float4 *x, float *out, size_t count) {
  double totals[3];
  const float loads = timeOf<Loads, elements, reads>(x, out, count, totals[0]);
  const float async = timeOf<Async, elements, reads>(x, out, count, totals[1]);
  const float bulk = timeOf<Bulk, elements, reads>(x, out, count, totals[2]);
  const bool agree = totals[0] == totals[1] && totals[0] == totals[2];
  std::printf("| %d KiB, read %d times | %.4f | %.4f | %.4f | %.3f |%s\n", elements * 16 / 1024,
              reads, loads, async, bulk, async / bulk, agree ? "" : " SUMS DIFFER");
}

int main() {
  const size_t count = (size_t(1) << 30) / sizeof(float4);
  float4 *x = nullptr;
  float *out = nullptr;
  cudaMalloc(&x, count * sizeof(float4));
  cudaMalloc(&out, 4 << 20);
  std::vector<float> numbers(count * 4);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = float(i % 7) - 3;
  cudaMemcpy(x, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice);
  std::printf(
      "| tile | loads | cp.async | cp.async.bulk | cp.async / bulk |\n|---|---|---|---|---|\n");
  row<256, 1>(x, out, count);
  row<512, 1>(x, out, count);
  row<1024, 1>(x, out, count);
  row<2048, 1>(x, out, count);
  row<4096, 1>(x, out, count);
  row<512, 8>(x, out, count);
  row<1024, 8>(x, out, count);
  row<2048, 8>(x, out, count);
}
