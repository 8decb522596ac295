// Sorts beside the standard library's: what the tests of sorts share. Values are the places that
// the elements came from, so they show whether a sort is stable.
#pragma once

#include "tests/algorithms/Algorithms.h"

#include <cstring>
#include <numeric>

namespace conformance {

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, uint64_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t,
                                          std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;

/// The bits that order a key, as the page of algorithms says: reals by sign and magnitude, so that
/// -0 comes before 0 and NaN last, or first where its sign is set.
template <class T> BitsOf<T> orderOf(T key) {
  using Bits = BitsOf<T>;
  Bits bits;
  std::memcpy(&bits, &key, sizeof bits);
  const Bits sign = Bits(Bits(1) << (8 * sizeof(T) - 1));
  if constexpr (std::is_floating_point_v<T>)
    return bits & sign ? Bits(~bits) : Bits(bits | sign);
  else
    return std::is_signed_v<T> ? Bits(bits ^ sign) : bits;
}

struct SortKernel {
  const char *name;
  unsigned begin, end;
  bool isDescending;
  bool makesPlaces = false; ///< else it gets them
};

template <class T, class Count>
void sortBy(Run &run, const SortKernel &kernel, const std::vector<T> &keys) {
  const size_t n = keys.size();
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<uint64_t> digits(n);
  for (size_t i = 0; i < n; ++i) {
    uint64_t bits = orderOf(keys[i]);
    if (kernel.isDescending)
      bits = ~bits;
    if (kernel.end < 64)
      bits &= (uint64_t(1) << kernel.end) - 1;
    digits[i] = bits >> kernel.begin;
  }
  std::ranges::sort(order, {}, [&](int32_t i) { return std::pair(digits[size_t(i)], i); });
  std::vector<T> sorted(n);
  for (size_t i = 0; i < n; ++i)
    sorted[i] = keys[size_t(order[i])];
  std::vector<int32_t> places(n, -1);
  if (!kernel.makesPlaces)
    std::iota(places.begin(), places.end(), 0);

  auto in = padded(run, keys);
  auto tmp = run.zeros<T>(n + 4);
  auto values = padded(run, places);
  auto tmpValues = run.zeros<int32_t>(n + 4);
  const size_t counts = 256 * ((n + 255) / 256 + 1);
  auto scratch = run.zeros<uint32_t>(counts + counts / 256 + 3);
  run.launch(kernel.name, in, tmp, values, tmpValues, scratch, Count(n));
  expectFront(std::string("keys of ") + kernel.name, in.read(), sorted, T(113));
  expectFront(std::string("values of ") + kernel.name, values.read(), order, int32_t(113));
}

template <class T> std::vector<T> keysOf(Run &run, size_t n, unsigned kind) {
  if (kind == 0)
    return anyBits<T>(run, n);
  std::vector<T> keys(n);
  for (size_t i = 0; i < n; ++i) // few keys; all equal; in reverse
    keys[i] = kind == 1 ? T(run.random() % 5) : kind == 2 ? T(3) : T(n - i);
  return keys;
}

} // namespace conformance
