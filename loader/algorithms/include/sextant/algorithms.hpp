/// sextant/algorithms.h for C++17: typed arrays, and results or exceptions as in sextant.hpp.
///
///   sextant::Algorithms algorithms(sextant::Module::open("sextant-algorithms.sxt"), device);
///   algorithms.sort(stream, keys, values);
///
/// `temporary` is memory for a call to use instead of the stream's. Types that have no kernels do
/// not compile. Ownership, threads and errors are as algorithms.h says.
#pragma once

#include "sextant/algorithms.h"
#include "sextant/sextant.hpp"

namespace sextant {
#ifdef SEXTANT_THROWS
inline namespace throwing {
#else
inline namespace results {
#endif

class Algorithms {
public:
  Algorithms() = default;
  static Result<Algorithms> create(const Module &module, const Device &device) {
    sxt_algorithms *made = nullptr;
    if (sxt_status status = sxt_algorithms_create(module.get(), device.get(), &made))
      return detail::failed(status);
    return Algorithms(made);
  }
#ifdef SEXTANT_THROWS
  Algorithms(const Module &module, const Device &device) : Algorithms(create(module, device)) {}
#endif
  /// The C handle, which stays this object's.
  sxt_algorithms *get() const noexcept { return handle.get(); }

  /// Sorts the keys, stably.
  template <class K>
  Result<void> sort(const Stream &stream, const Array<K> &keys,
                    sxt_buffer *temporary = nullptr) const {
    return sortKeys(stream, keys, false, temporary);
  }
  template <class K>
  Result<void> sortDescending(const Stream &stream, const Array<K> &keys,
                              sxt_buffer *temporary = nullptr) const {
    return sortKeys(stream, keys, true, temporary);
  }
  /// Sorts the keys, and the values with them, of which there have to be as many.
  template <class K, class V>
  Result<void> sort(const Stream &stream, const Array<K> &keys, const Array<V> &values,
                    sxt_buffer *temporary = nullptr) const {
    return sortPairs(stream, keys, values, false, temporary);
  }
  template <class K, class V>
  Result<void> sortDescending(const Stream &stream, const Array<K> &keys, const Array<V> &values,
                              sxt_buffer *temporary = nullptr) const {
    return sortPairs(stream, keys, values, true, temporary);
  }

  /// Stores the fold of `in` to `out[0]`.
  template <class T>
  Result<void> reduce(const Stream &stream, sxt_algorithms_operator op, const Array<T> &in,
                      const Array<T> &out, sxt_buffer *temporary = nullptr) const {
    hasKernels<T>();
    const sxt_argument from = toArgument(in), to = toArgument(out);
    const sxt_algorithms_place at = place(stream, temporary);
    return check(sxt_algorithms_reduce(handle.get(), &at, op, &from, &to));
  }
  template <class T>
  Result<void> sum(const Stream &stream, const Array<T> &in, const Array<T> &out) const {
    return reduce(stream, SXT_ALGORITHMS_ADD, in, out);
  }

  /// Stores the sum of the elements before each to `out`; `inclusiveSum`, up to each.
  template <class T>
  Result<void> exclusiveSum(const Stream &stream, const Array<T> &in, const Array<T> &out,
                            sxt_buffer *temporary = nullptr) const {
    return scan(stream, in, out, false, temporary);
  }
  template <class T>
  Result<void> inclusiveSum(const Stream &stream, const Array<T> &in, const Array<T> &out,
                            sxt_buffer *temporary = nullptr) const {
    return scan(stream, in, out, true, temporary);
  }

  /// Stores the elements whose flag is not 0 to the front of `out`, and their number to `count[0]`.
  /// Elements are any of 4 or 8 bytes.
  template <class T>
  Result<void> select(const Stream &stream, const Array<T> &in, const Array<int32_t> &flags,
                      const Array<T> &out, const Array<int32_t> &count,
                      sxt_buffer *temporary = nullptr) const {
    const sxt_argument from = asBits(in), chosen = toArgument(flags), to = asBits(out),
                       number = toArgument(count);
    const sxt_algorithms_place at = place(stream, temporary);
    return check(sxt_algorithms_select(handle.get(), &at, &from, &chosen, &to, &number));
  }

private:
  explicit Algorithms(sxt_algorithms *made) : handle(made) {}

  static sxt_algorithms_place place(const Stream &stream, sxt_buffer *temporary) {
    return {sizeof(sxt_algorithms_place), stream.get(), nullptr, temporary};
  }
  template <class T> static void hasKernels() {
    static_assert(std::is_same_v<T, int32_t> || std::is_same_v<T, uint32_t> ||
                      std::is_same_v<T, float> || std::is_same_v<T, int64_t> ||
                      std::is_same_v<T, uint64_t> || std::is_same_v<T, double>,
                  "elements are int32_t, uint32_t, float, int64_t, uint64_t or double");
  }
  /// The array as one of unsigned integers.
  template <class T> static sxt_argument asBits(const Array<T> &array) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "elements have 4 or 8 bytes");
    sxt_argument argument = sxt_make_array1(
        array.buffer().get(), sizeof(T) == 4 ? SXT_DTYPE_U32 : SXT_DTYPE_U64, array.shape()[0]);
    return argument;
  }
  template <class K>
  Result<void> sortKeys(const Stream &stream, const Array<K> &keys, bool isDescending,
                        sxt_buffer *temporary) const {
    hasKernels<K>();
    const sxt_argument array = toArgument(keys);
    const sxt_algorithms_place at = place(stream, temporary);
    return check(sxt_algorithms_sort(handle.get(), &at, &array, nullptr, isDescending));
  }
  template <class K, class V>
  Result<void> sortPairs(const Stream &stream, const Array<K> &keys, const Array<V> &values,
                         bool isDescending, sxt_buffer *temporary) const {
    hasKernels<K>();
    if (keys.shape()[0] != values.shape()[0])
      return detail::failed(SXT_ERROR_INVALID_ARGUMENT, "a sort has as many values as keys");
    const sxt_argument array = toArgument(keys), moved = asBits(values);
    const sxt_algorithms_place at = place(stream, temporary);
    return check(sxt_algorithms_sort(handle.get(), &at, &array, &moved, isDescending));
  }
  template <class T>
  Result<void> scan(const Stream &stream, const Array<T> &in, const Array<T> &out, bool isInclusive,
                    sxt_buffer *temporary) const {
    hasKernels<T>();
    const sxt_argument from = toArgument(in), to = toArgument(out);
    const sxt_algorithms_place at = place(stream, temporary);
    return check(sxt_algorithms_sum_scan(handle.get(), &at, &from, &to, isInclusive));
  }

  detail::Handle<sxt_algorithms, sxt_algorithms_release> handle;
};

} // inline namespace results, or throwing
} // namespace sextant
