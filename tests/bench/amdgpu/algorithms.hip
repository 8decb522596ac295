// rocPRIM's device-wide algorithms, as algorithms.h declares them; rocprim.sh compiles them.
#include "algorithms.h"

#include <cstdint>
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>
#include <string_view>

namespace {

/// rocPRIM sorts up to 2^20 keys by merging. This is its radix sort at every size, otherwise with
/// the numbers that it chose for the device.
template <class Key, class Value>
struct Radix : rocprim::detail::default_radix_sort_config<ROCPRIM_TARGET_ARCH, Key, Value> {
  static constexpr unsigned int merge_size_limit_blocks = 0;
};

struct Call {
  void *temporary;
  size_t *bytes;
  const PeerArrays &arrays;
  size_t n;
  hipStream_t stream;
  bool *isInOut;

  template <class T> T *in() const { return static_cast<T *>(arrays.in); }
  template <class T> T *out() const { return static_cast<T *>(arrays.out); }

  template <class T> hipError_t reduce() const {
    return rocprim::reduce(temporary, *bytes, in<T>(), out<T>(), T(0), n, rocprim::plus<T>(),
                           stream);
  }
  template <class T> hipError_t scan() const {
    return rocprim::exclusive_scan(temporary, *bytes, in<T>(), out<T>(), T(0), n,
                                   rocprim::plus<T>(), stream);
  }
  hipError_t select() const {
    return rocprim::select(temporary, *bytes, in<uint32_t>(), static_cast<int *>(arrays.more),
                           out<uint32_t>(), static_cast<int *>(arrays.count), n, stream);
  }
  hipError_t histogram() const {
    return rocprim::histogram_even(temporary, *bytes, in<float>(), unsigned(n), out<int>(), 257u,
                                   0.0f, 1.0f, stream);
  }
  template <class T, class Config> hipError_t sort() const {
    rocprim::double_buffer<T> keys(in<T>(), out<T>());
    const hipError_t error =
        rocprim::radix_sort_keys<Config>(temporary, *bytes, keys, n, 0, 8 * sizeof(T), stream);
    *isInOut = keys.current() == out<T>();
    return error;
  }
  template <class Config> hipError_t sortPairs() const {
    using T = uint32_t;
    rocprim::double_buffer<T> keys(in<T>(), out<T>());
    rocprim::double_buffer<T> values(static_cast<T *>(arrays.more),
                                     static_cast<T *>(arrays.moreOut));
    const hipError_t error =
        rocprim::radix_sort_pairs<Config>(temporary, *bytes, keys, values, n, 0, 32, stream);
    *isInOut = keys.current() == out<T>();
    return error;
  }

  hipError_t operator()(std::string_view name) const {
    using rocprim::default_config, rocprim::empty_type;
    if (name == "reduce_u32")
      return reduce<uint32_t>();
    if (name == "reduce_u64")
      return reduce<uint64_t>();
    if (name == "reduce_f32")
      return reduce<float>();
    if (name == "scan_u32")
      return scan<uint32_t>();
    if (name == "scan_u64")
      return scan<uint64_t>();
    if (name == "scan_f32")
      return scan<float>();
    if (name == "select_u32")
      return select();
    if (name == "histogram_f32")
      return histogram();
    if (name == "sort_u32")
      return sort<uint32_t, default_config>();
    if (name == "sort_u64")
      return sort<uint64_t, default_config>();
    if (name == "sort_pairs")
      return sortPairs<default_config>();
    if (name == "sort_u32 radix")
      return sort<uint32_t, Radix<uint32_t, empty_type>>();
    if (name == "sort_u64 radix")
      return sort<uint64_t, Radix<uint64_t, empty_type>>();
    if (name == "sort_pairs radix")
      return sortPairs<Radix<uint32_t, uint32_t>>();
    return hipErrorInvalidValue;
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) PeerRun rocprim_run;
bool rocprim_run(const char *name, void *temporary, size_t *bytes, const PeerArrays *arrays,
                 size_t n, void *stream, bool *isInOut) {
  const Call call{temporary, bytes, *arrays, n, static_cast<hipStream_t>(stream), isInOut};
  return call(name) == hipSuccess;
}
