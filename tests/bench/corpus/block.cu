// The CUDA twins of block.py: barriers by their intrinsics, collectives by CUB.
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace {

constexpr int block = 256;

struct Add {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Min {
  template <class T> __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
struct Max {
  template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Compose {
  __device__ float operator()(float a, float b) const { return a + b + a * b; }
};

template <class T, class Op> __device__ T reduce(T value, Op op) {
  using Reduce = cub::BlockReduce<T, block>;
  __shared__ typename Reduce::TempStorage storage;
  return Reduce(storage).Reduce(value, op);
}

template <class T, class Op> __device__ T reduceAll(T value, Op op) {
  __shared__ T total;
  const T first = reduce(value, op);
  if (threadIdx.x == 0)
    total = first;
  __syncthreads();
  return total;
}

template <class T, class Op> __device__ T inclusive(T value, Op op) {
  using Scan = cub::BlockScan<T, block>;
  __shared__ typename Scan::TempStorage storage;
  T result;
  Scan(storage).InclusiveScan(value, result, op);
  return result;
}

template <class T, class Op> __device__ T exclusive(T value, T identity, Op op) {
  using Scan = cub::BlockScan<T, block>;
  __shared__ typename Scan::TempStorage storage;
  T result;
  Scan(storage).ExclusiveScan(value, result, identity, op);
  return result;
}

} // namespace

#define KERNEL extern "C" __global__ void
#define INDEX const int i = blockIdx.x * block + threadIdx.x

KERNEL bl_sync_all_nonzero(const int *src, int *dst) {
  INDEX;
  dst[i] = __syncthreads_and(src[i] > 0);
}
KERNEL bl_sync_any_nonzero(const int *src, int *dst) {
  INDEX;
  dst[i] = __syncthreads_or(src[i] > 0);
}
KERNEL bl_sync_count_nonzero(const int *src, int *dst) {
  INDEX;
  dst[i] = __syncthreads_count(src[i] > 0);
}

#define REDUCE(name, all, Op)                                                                      \
  KERNEL name(const float *src, float *dst) {                                                      \
    INDEX;                                                                                         \
    const float total = reduce(src[i], Op());                                                      \
    if (threadIdx.x == 0)                                                                          \
      dst[i / block] = total;                                                                      \
  }                                                                                                \
  KERNEL all(const float *src, float *dst) {                                                       \
    INDEX;                                                                                         \
    dst[i] = src[i] - reduceAll(src[i], Op());                                                     \
  }
REDUCE(bl_reduce, bl_reduce_all, Compose)
REDUCE(bl_reduce_add, bl_reduce_all_add, Add)
REDUCE(bl_reduce_min, bl_reduce_all_min, Min)
REDUCE(bl_reduce_max, bl_reduce_all_max, Max)

#define SCAN(inclusiveName, exclusiveName, T, Op, identity)                                        \
  KERNEL inclusiveName(const T *src, T *dst) {                                                     \
    INDEX;                                                                                         \
    dst[i] = inclusive(src[i], Op());                                                              \
  }                                                                                                \
  KERNEL exclusiveName(const T *src, T *dst) {                                                     \
    INDEX;                                                                                         \
    dst[i] = exclusive(src[i], T(identity), Op());                                                 \
  }
SCAN(bl_inclusive_scan, bl_exclusive_scan, float, Compose, 0)
SCAN(bl_inclusive_add, bl_exclusive_add, int, Add, 0)
SCAN(bl_inclusive_min, bl_exclusive_min, int, Min, 0x7fffffff)
SCAN(bl_inclusive_max, bl_exclusive_max, int, Max, -0x7fffffff - 1)

KERNEL bl_radix_rank(const unsigned *src, int *dst) {
  INDEX;
  using Rank = cub::BlockRadixRankMatch<block, 8, false>;
  __shared__ typename Rank::TempStorage storage;
  unsigned keys[1] = {src[i]};
  int ranks[1];
  Rank(storage).RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned>(0, 8));
  dst[i] = ranks[0];
}
