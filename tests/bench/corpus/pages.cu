// The CUDA twins of docs/examples/pages.
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#define KERNEL extern "C" __global__ void

namespace {
constexpr unsigned lanes = 0xffffffff;
__device__ int lane() { return threadIdx.x % 32; }
__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }
} // namespace

__device__ int x;
__device__ float field_of_vec3[3];

KERNEL cas_loop_max(const int *candidates, int n) {
  const int i = index();
  if (i >= n)
    return;
  for (int attempt = 0; attempt < 100000; ++attempt) {
    const int cur = x;
    if (atomicCAS(&x, cur, max(cur, candidates[i])) == cur)
      break;
  }
}

KERNEL reserve(const int *values, int n, int *counter, int *out) {
  const int i = index();
  if (i < n && values[i] > 0)
    out[atomicAdd(&counter[0], 1)] = values[i];
}

KERNEL exchange(int *slots, int n, int *done) {
  const int i = index();
  if (i >= n * 4)
    return;
  const int task = atomicExch(&slots[i % n], -1);
  if (task != -1)
    atomicAdd(&done[task], 1);
}

KERNEL add_vectors(int n) {
  if (index() >= n)
    return;
  for (int c = 0; c < 3; ++c)
    atomicAdd(&field_of_vec3[c], c + 1.0f);
}

KERNEL block_inclusive_add(const int *src, int *out) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ Scan::TempStorage storage;
  int value;
  Scan(storage).InclusiveSum(src[index()], value);
  out[index()] = value;
}

KERNEL publish(const float *src, float *dst) {
  __shared__ volatile float shared;
  __shared__ volatile int flag;
  const int i = index();
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    shared = src[i] * 2.0f;
    __threadfence_block();
    flag = 1;
  } else {
    while (flag == 0)
      ;
  }
  dst[i] = shared;
}

KERNEL block_radix_rank(const unsigned *keys_in, int *ranks_out) {
  using Rank = cub::BlockRadixRankMatch<256, 8, false>;
  __shared__ typename Rank::TempStorage storage;
  unsigned keys[1] = {keys_in[index()]};
  int ranks[1];
  Rank(storage).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned>(0, 8));
  ranks_out[index()] = ranks[0];
}

KERNEL block_reduce_add(const float *src, float *out) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ Reduce::TempStorage storage;
  const float total = Reduce(storage).Sum(src[index()]);
  if (threadIdx.x == 0)
    out[blockIdx.x] = total;
}

KERNEL lookback_scan(const int *src, int *dst, volatile int *partials, volatile int *prefixes,
                     volatile int *flags, int *ticket) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ Scan::TempStorage storage;
  __shared__ int number, before;
  const int tid = threadIdx.x;
  if (tid == 0)
    number = atomicAdd(ticket, 1);
  __syncthreads();
  const int bid = number;
  int value, sum;
  Scan(storage).InclusiveSum(src[bid * 128 + tid], value, sum);
  if (tid == 0) {
    partials[bid] = sum;
    __threadfence();
    flags[bid] = 1;
    int total = 0;
    for (int prev = bid - 1; prev >= 0;) {
      while (flags[prev] == 0)
        __threadfence();
      __threadfence();
      if (flags[prev] == 2) {
        __threadfence();
        total += prefixes[prev];
        prev = -1;
      } else {
        total += partials[prev];
        --prev;
      }
    }
    prefixes[bid] = total + sum;
    __threadfence();
    flags[bid] = 2;
    before = total;
  }
  __syncthreads();
  dst[bid * 128 + tid] = before + value;
}

__device__ bool firstBlock(int *ticket) {
  __shared__ int number;
  if (threadIdx.x == 0)
    number = atomicAdd(ticket, 1);
  __syncthreads();
  return number == 0;
}

KERNEL wait_with_fence(volatile int *flags, volatile int *data, int *ticket, int *out, int n) {
  if (index() >= n)
    return;
  if (firstBlock(ticket)) {
    if (threadIdx.x == 0) {
      data[0] = 42;
      __threadfence();
      flags[0] = 1;
    }
  } else {
    while (flags[0] == 0)
      __threadfence();
    __threadfence();
    out[index()] = data[0];
  }
}

KERNEL wait_with_atomic(int *flags, int *ticket, int *out, int n) {
  if (index() >= n)
    return;
  if (firstBlock(ticket)) {
    if (threadIdx.x == 0)
      atomicOr(&flags[0], 1);
  } else {
    while (atomicOr(&flags[0], 0) == 0)
      ;
    out[index()] = atomicOr(&flags[0], 0);
  }
}

KERNEL wait_with_volatile(volatile int *flags, volatile int *data, int *ticket, int *out, int n) {
  if (index() >= n)
    return;
  if (firstBlock(ticket)) {
    if (threadIdx.x == 0) {
      data[0] = 43;
      __threadfence();
      flags[0] = 1;
    }
  } else {
    while (flags[0] == 0)
      ;
    __threadfence();
    out[index()] = data[0];
  }
}

#define GUARD(n)                                                                                   \
  const int i = index();                                                                           \
  if (i >= n)                                                                                      \
  return

KERNEL broadcast(float *a, int n) {
  GUARD(n);
  a[i] = __shfl_sync(lanes, a[i], 0);
}
KERNEL count_positive(const float *a, int n, unsigned *counts) {
  GUARD(n);
  const unsigned mask = __ballot_sync(lanes, a[i] > 0.0f);
  if (lane() == 0)
    counts[i / 32] = mask;
}
KERNEL cumsum(int *a, int n) {
  GUARD(n);
  using Scan = cub::WarpScan<int>;
  __shared__ Scan::TempStorage storage;
  int value;
  Scan(storage).InclusiveSum(a[i], value);
  a[i] = value;
}
KERNEL identity(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = __shfl_sync(lanes, src[i], lane());
}
KERNEL normalize32(float *a, int n) {
  GUARD(n);
  using Reduce = cub::WarpReduce<float>;
  __shared__ Reduce::TempStorage storage;
  a[i] = a[i] / __shfl_sync(lanes, Reduce(storage).Sum(a[i]), 0);
}
KERNEL reduce4(const float *src, int n, float *dst) {
  GUARD(n);
  float value = src[i];
  value += __shfl_down_sync(lanes, value, 2);
  value += __shfl_down_sync(lanes, value, 1);
  dst[i] = value;
}
KERNEL reverse4(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = __shfl_sync(lanes, src[i], lane() / 4 * 4 + 3 - lane() % 4);
}
KERNEL sort_contacts(float *keys, int *idxs, int n_con) {
  using Sort = cub::WarpMergeSort<float, 1, 32, int>;
  __shared__ Sort::TempStorage storage;
  const int tid = threadIdx.x;
  float key[1] = {tid < n_con ? keys[tid] : 1.0e30f};
  int value[1] = {tid < n_con ? idxs[tid] : -1};
  Sort(storage).Sort(key, value, [](float a, float b) { return a < b; });
  if (tid < n_con) {
    keys[tid] = key[0];
    idxs[tid] = value[0];
  }
}
KERNEL sum32(const float *src, int n, float *dst) {
  GUARD(n);
  using Reduce = cub::WarpReduce<float>;
  __shared__ Reduce::TempStorage storage;
  const float total = Reduce(storage).Sum(src[i]);
  if (lane() == 0)
    dst[i / 32] = total;
}
KERNEL swap_pairs(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = __shfl_sync(lanes, src[i], lane() ^ 1);
}
