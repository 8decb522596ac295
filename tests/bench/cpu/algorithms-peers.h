// Peers that users would take on a CPU instead of qd.algorithms: libstdc++'s parallel algorithms
// over TBB, and a radix sort by hand. All use as many threads as `useThreads` says.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peers {

/// For all functions below, until it is called again.
void useThreads(unsigned count);

uint32_t reduce(const uint32_t *x, size_t n);
float reduce(const float *x, size_t n);
/// std::exclusive_scan from 0.
void scan(const uint32_t *x, uint32_t *out, size_t n);
void scan(const uint64_t *x, uint64_t *out, size_t n);
/// std::copy_if of the elements whose flag is set; returns how many.
size_t select(const uint32_t *x, const int32_t *flags, uint32_t *out, size_t n);
/// std::sort.
void sort(uint32_t *keys, size_t n);
void sort(uint64_t *keys, size_t n);
void sort(float *keys, size_t n);
/// std::sort of pairs, by key and then by value: as a stable sort if values ascend.
struct Pair {
  uint32_t key, value;
};
void sort(Pair *pairs, size_t n);
/// A sort by hand: digits of 8 bits from the lowest up; each thread counts and moves one part. The
/// result is in `keys`. `values` may be null.
void radixSort(uint32_t *keys, uint32_t *tmp, uint32_t *values, uint32_t *tmpValues, size_t n);
void radixSort(uint64_t *keys, uint64_t *tmp, size_t n);

} // namespace peers
