#include "algorithms-peers.h"

#include <algorithm>
#include <array>
#include <execution>
#include <memory>
#include <numeric>
#include <omp.h>
#include <tbb/global_control.h>
#include <vector>

namespace peers {

namespace {
std::unique_ptr<tbb::global_control> limit;
constexpr auto policy = std::execution::par_unseq;
} // namespace

void useThreads(unsigned count) {
  limit.reset();
  limit =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, count);
  omp_set_num_threads(int(count));
}

uint32_t reduce(const uint32_t *x, size_t n) { return std::reduce(policy, x, x + n, uint32_t(0)); }
float reduce(const float *x, size_t n) { return std::reduce(policy, x, x + n, 0.0f); }

void scan(const uint32_t *x, uint32_t *out, size_t n) {
  std::exclusive_scan(policy, x, x + n, out, uint32_t(0));
}
void scan(const uint64_t *x, uint64_t *out, size_t n) {
  std::exclusive_scan(policy, x, x + n, out, uint64_t(0));
}

size_t select(const uint32_t *x, const int32_t *flags, uint32_t *out, size_t n) {
  // The flag of an element lies as far into `flags` as the element into `x`.
  return size_t(std::copy_if(policy, x, x + n, out,
                             [=](const uint32_t &each) { return flags[&each - x] != 0; }) -
                out);
}

void sort(uint32_t *keys, size_t n) { std::sort(policy, keys, keys + n); }
void sort(uint64_t *keys, size_t n) { std::sort(policy, keys, keys + n); }
void sort(float *keys, size_t n) { std::sort(policy, keys, keys + n); }
void sort(Pair *pairs, size_t n) {
  std::sort(policy, pairs, pairs + n, [](const Pair &a, const Pair &b) {
    return a.key != b.key ? a.key < b.key : a.value < b.value;
  });
}

namespace {

template <class Key>
void radixSortOf(Key *keys, Key *tmp, uint32_t *values, uint32_t *tmpValues, size_t n) {
  constexpr size_t radix = 256;
  std::vector<std::array<size_t, radix>> counts;
  counts.resize(size_t(omp_get_max_threads()));
  for (unsigned shift = 0; shift < 8 * sizeof(Key); shift += 8) {
#pragma omp parallel num_threads(int(counts.size()))
    {
      const size_t part = size_t(omp_get_thread_num()), parts = counts.size();
      const size_t begin = n * part / parts, end = n * (part + 1) / parts;
      std::array<size_t, radix> own{};
      for (size_t i = begin; i < end; ++i)
        ++own[keys[i] >> shift & (radix - 1)];
      counts[part] = own;
#pragma omp barrier
#pragma omp single
      {
        size_t sum = 0;
        for (size_t digit = 0; digit < radix; ++digit)
          for (auto &each : counts)
            sum += std::exchange(each[digit], sum);
      }
      own = counts[part];
      for (size_t i = begin; i < end; ++i) {
        const size_t at = own[keys[i] >> shift & (radix - 1)]++;
        tmp[at] = keys[i];
        if (values)
          tmpValues[at] = values[i];
      }
    }
    std::swap(keys, tmp);
    std::swap(values, tmpValues);
  }
}

} // namespace

void radixSort(uint32_t *keys, uint32_t *tmp, uint32_t *values, uint32_t *tmpValues, size_t n) {
  radixSortOf(keys, tmp, values, tmpValues, n);
}
void radixSort(uint64_t *keys, uint64_t *tmp, size_t n) {
  radixSortOf(keys, tmp, nullptr, nullptr, n);
}

} // namespace peers
