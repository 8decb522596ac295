// CUB's device-wide algorithms, as algorithms.h declares them.
#include "algorithms.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <cstdio>
#include <cstdlib>

namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "bench: %s\n", cudaGetErrorString(error));
    std::exit(1);
  }
}

template <class T> T *as(void *address) { return static_cast<T *>(address); }

template <class T>
cudaError_t sortKeys(void *t, size_t &bytes, void *in, void *out, int n, cudaStream_t stream) {
  cub::DoubleBuffer<T> keys(as<T>(in), as<T>(out));
  return cub::DeviceRadixSort::SortKeys(t, bytes, keys, n, 0, 8 * sizeof(T), stream);
}

} // namespace

size_t peerRun(Peer peer, void *t, size_t bytes, void *in, void *out, void *more, void *moreOut,
               void *count, int n, void *native) {
  auto s = static_cast<cudaStream_t>(native);
  switch (peer) {
  case Peer::ReduceU32:
    check(cub::DeviceReduce::Sum(t, bytes, as<uint32_t>(in), as<uint32_t>(out), n, s));
    break;
  case Peer::ReduceU64:
    check(cub::DeviceReduce::Sum(t, bytes, as<uint64_t>(in), as<uint64_t>(out), n, s));
    break;
  case Peer::ReduceF32:
    check(cub::DeviceReduce::Sum(t, bytes, as<float>(in), as<float>(out), n, s));
    break;
  case Peer::ScanU32:
    check(cub::DeviceScan::ExclusiveSum(t, bytes, as<uint32_t>(in), as<uint32_t>(out), n, s));
    break;
  case Peer::ScanU64:
    check(cub::DeviceScan::ExclusiveSum(t, bytes, as<uint64_t>(in), as<uint64_t>(out), n, s));
    break;
  case Peer::ScanF32:
    check(cub::DeviceScan::ExclusiveSum(t, bytes, as<float>(in), as<float>(out), n, s));
    break;
  case Peer::SelectU32:
    check(cub::DeviceSelect::Flagged(t, bytes, as<uint32_t>(in), as<int>(more), as<uint32_t>(out),
                                     as<int>(count), n, s));
    break;
  case Peer::SortU32:
    check(sortKeys<uint32_t>(t, bytes, in, out, n, s));
    break;
  case Peer::SortU64:
    check(sortKeys<uint64_t>(t, bytes, in, out, n, s));
    break;
  case Peer::SortF32:
    check(sortKeys<float>(t, bytes, in, out, n, s));
    break;
  case Peer::SortPairs: {
    cub::DoubleBuffer<uint32_t> keys(as<uint32_t>(in), as<uint32_t>(out));
    cub::DoubleBuffer<uint32_t> values(as<uint32_t>(more), as<uint32_t>(moreOut));
    check(cub::DeviceRadixSort::SortPairs(t, bytes, keys, values, n, 0, 32, s));
    break;
  }
  case Peer::HistogramF32:
    check(cub::DeviceHistogram::HistogramEven(t, bytes, as<float>(in), as<int>(out), 257, 0.0f,
                                              1.0f, n, s));
    break;
  }
  return bytes;
}

void peerCopy(void *to, const void *from, size_t bytes, void *stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                        static_cast<cudaStream_t>(stream)));
}
