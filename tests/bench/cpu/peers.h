// The code that a user would write instead of a kernel: plain loops over a range of the
// data. The benchmark runs each on as many threads as the CPU device uses.
#pragma once
#include <cstddef>
#include <cstdint>

namespace peers {

constexpr size_t blockSize = 256;

void saxpy(float a, const float *x, float *y, size_t begin, size_t end);
/// Sums of runs of blockSize elements; `begin` and `end` count runs.
void blockReduce(const float *src, float *out, size_t begin, size_t end);
/// Inclusive sums within runs of blockSize elements; `begin` and `end` count runs.
void blockScan(const int32_t *src, int32_t *out, size_t begin, size_t end);
/// The sum of a range, and the sums up to each of its elements, from `before` on.
int32_t sum(const int32_t *src, size_t begin, size_t end);
void scan(const int32_t *src, int32_t *out, int32_t before, size_t begin, size_t end);
/// Adds the range's counts to `bins` (256 of them).
void histogram(const uint8_t *src, int32_t *bins, size_t begin, size_t end);
/// Rows [begin, end) of the escape times over [-2, 1] x [-1, 1].
void mandelbrot(int32_t *out, size_t rows, size_t cols, int32_t limit, size_t begin, size_t end);

} // namespace peers
