// The CUDA twins of subgroup.py: shuffles and votes by their intrinsics, collectives by CUB.
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

namespace {

constexpr unsigned lanes = 0xffffffff;
constexpr int block = 128, wave = 32, tile = 4;

struct Min {
  template <class T> __device__ T operator()(T a, T b) const { return a < b ? a : b; }
};
struct Max {
  template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Mul {
  template <class T> __device__ T operator()(T a, T b) const { return a * b; }
};
struct And {
  __device__ int operator()(int a, int b) const { return a & b; }
};
struct Or {
  __device__ int operator()(int a, int b) const { return a | b; }
};
struct Xor {
  __device__ int operator()(int a, int b) const { return a ^ b; }
};
struct Add {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};

__device__ int lane() { return threadIdx.x % wave; }
__device__ int index() { return blockIdx.x * block + threadIdx.x; }

template <int width, class T, class Op> __device__ T reduce(T value, Op op) {
  using Reduce = cub::WarpReduce<T, width>;
  __shared__ typename Reduce::TempStorage storage[block / width];
  return Reduce(storage[threadIdx.x / width]).Reduce(value, op);
}

template <int width, class T, class Op> __device__ T reduceAll(T value, Op op) {
  const T total = reduce<width>(value, op);
  return __shfl_sync(lanes, total, 0, width);
}

template <int width, class T, class Op> __device__ T inclusive(T value, Op op) {
  using Scan = cub::WarpScan<T, width>;
  __shared__ typename Scan::TempStorage storage[block / width];
  T result;
  Scan(storage[threadIdx.x / width]).InclusiveScan(value, result, op);
  return result;
}

template <int width, class T, class Op> __device__ T exclusive(T value, T identity, Op op) {
  using Scan = cub::WarpScan<T, width>;
  __shared__ typename Scan::TempStorage storage[block / width];
  T result;
  Scan(storage[threadIdx.x / width]).ExclusiveScan(value, result, identity, op);
  return result;
}

template <int width, class T, class Op> __device__ T segmented(T value, int head, Op op) {
  // In every lane of a segment, its reduction: CUB gives it to the segment's first lane.
  using Reduce = cub::WarpReduce<T, width>;
  __shared__ typename Reduce::TempStorage storage[block / width];
  const T total = Reduce(storage[threadIdx.x / width]).HeadSegmentedReduce(value, head, op);
  const unsigned heads = __ballot_sync(lanes, head) & (lanes >> (wave - 1 - lane()));
  const int first = lane() & ~(width - 1);
  const unsigned mine = heads >> first << first;
  return __shfl_sync(lanes, total, mine ? wave - 1 - __clz(mine) : first);
}

template <int width> __device__ void sort(float &key, int &value) {
  using Sort = cub::WarpMergeSort<float, 1, width, int>;
  __shared__ typename Sort::TempStorage storage[block / width];
  float keys[1] = {key};
  int values[1] = {value};
  Sort(storage[threadIdx.x / width]).Sort(keys, values, [](float a, float b) { return a < b; });
  key = keys[0];
  value = values[0];
}

} // namespace

#define KERNEL extern "C" __global__ void
#define GUARD(n)                                                                                   \
  const int i = index();                                                                           \
  if (i >= n)                                                                                      \
  return

KERNEL sg_elect(const int *src, int n, int *dst) {
  GUARD(n);
  if (lane() == 0)
    dst[i / wave] = src[i];
}
KERNEL sg_shuffle(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = __shfl_sync(lanes, src[i], wave - 1 - lane());
}
KERNEL sg_shuffle_down(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = src[i] + __shfl_down_sync(lanes, src[i], 1);
}
KERNEL sg_shuffle_up(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = src[i] + __shfl_up_sync(lanes, src[i], 1);
}
KERNEL sg_shuffle_xor(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = src[i] + __shfl_xor_sync(lanes, src[i], 2);
}
KERNEL sg_broadcast(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = src[i] - __shfl_sync(lanes, src[i], 3);
}
KERNEL sg_broadcast_first(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = src[i] - __shfl_sync(lanes, src[i], 0);
}
KERNEL sg_ballot(const float *src, int n, int *dst) {
  GUARD(n);
  dst[i] = __popc(__ballot_sync(lanes, src[i] > 0.0f));
}
KERNEL sg_all_true(const int *src, int n, int *dst) {
  GUARD(n);
  dst[i] = __all_sync(lanes, src[i] > 0);
}
KERNEL sg_any_true(const int *src, int n, int *dst) {
  GUARD(n);
  dst[i] = __any_sync(lanes, src[i] > 0);
}
KERNEL sg_all_equal(const int *src, int n, int *dst) {
  GUARD(n);
  dst[i] = __all_sync(lanes, __shfl_sync(lanes, src[i], 0) == src[i]);
}
KERNEL sg_lanemasks(const int *src, int n, unsigned *dst) {
  GUARD(n);
  const unsigned eq = 1u << src[i], lt = eq - 1, le = lt | eq;
  dst[i] = (lt ^ ~lt) + (le ^ ~le) + eq;
}

#define REDUCE(name, Op)                                                                           \
  KERNEL sg_reduce_##name(const float *src, int n, float *dst) {                                   \
    GUARD(n);                                                                                      \
    const float total = reduce<wave>(src[i], Op());                                                \
    if (lane() == 0)                                                                               \
      dst[i / wave] = total;                                                                       \
  }                                                                                                \
  KERNEL sg_reduce_all_##name(const float *src, int n, float *dst) {                               \
    GUARD(n);                                                                                      \
    dst[i] = src[i] - reduceAll<wave>(src[i], Op());                                               \
  }                                                                                                \
  KERNEL sg_segmented_reduce_##name(const float *src, int n, const int *heads, float *dst) {       \
    GUARD(n);                                                                                      \
    dst[i] = segmented<wave>(src[i], heads[i], Op());                                              \
  }
REDUCE(add, Add)
REDUCE(min, Min)
REDUCE(max, Max)

#define SCAN(name, T, Op, identity)                                                                \
  KERNEL sg_inclusive_##name(const T *src, int n, T *dst) {                                        \
    GUARD(n);                                                                                      \
    dst[i] = inclusive<wave>(src[i], Op());                                                        \
  }                                                                                                \
  KERNEL sg_exclusive_##name(const T *src, int n, T *dst) {                                        \
    GUARD(n);                                                                                      \
    dst[i] = exclusive<wave>(src[i], T(identity), Op());                                           \
  }
SCAN(add, float, Add, 0)
SCAN(mul, float, Mul, 1)
SCAN(min, float, Min, __int_as_float(0x7f800000))
SCAN(max, float, Max, __int_as_float(0xff800000))
SCAN(and, int, And, -1)
SCAN(or, int, Or, 0)
SCAN(xor, int, Xor, 0)

KERNEL sg_bitonic_sort_kv(const float *src, int n, int *values, float *dst) {
  GUARD(n);
  float key = src[i];
  int value = values[i];
  sort<wave>(key, value);
  dst[i] = key;
  values[i] = value;
}

KERNEL sg_all_equal_tiled(const int *src, int n, int *dst) {
  GUARD(n);
  const unsigned same = __ballot_sync(lanes, __shfl_sync(lanes, src[i], 0, tile) == src[i]);
  dst[i] = (same >> (lane() & ~(tile - 1)) & 15) == 15;
}
KERNEL sg_any_true_tiled(const int *src, int n, int *dst) {
  GUARD(n);
  const unsigned set = __ballot_sync(lanes, src[i] > 0);
  dst[i] = (set >> (lane() & ~(tile - 1)) & 15) != 0;
}
KERNEL sg_reduce_add_tiled(const float *src, int n, float *dst) {
  GUARD(n);
  const float total = reduce<tile>(src[i], Add());
  if (lane() % tile == 0)
    dst[i / tile] = total;
}
KERNEL sg_reduce_all_max_tiled(const float *src, int n, float *dst) {
  GUARD(n);
  dst[i] = src[i] - reduceAll<tile>(src[i], Max());
}
KERNEL sg_inclusive_add_tiled(const int *src, int n, int *dst) {
  GUARD(n);
  dst[i] = inclusive<tile>(src[i], Add());
}
KERNEL sg_exclusive_add_tiled(const int *src, int n, int *dst) {
  GUARD(n);
  dst[i] = exclusive<tile>(src[i], 0, Add());
}
KERNEL sg_segmented_reduce_add_tiled(const float *src, int n, const int *heads, float *dst) {
  GUARD(n);
  dst[i] = segmented<tile>(src[i], heads[i], Add());
}
KERNEL sg_bitonic_sort_kv_tiled(const float *src, int n, int *values, float *dst) {
  GUARD(n);
  float key = src[i];
  int value = values[i];
  sort<tile>(key, value);
  dst[i] = key;
  values[i] = value;
}
