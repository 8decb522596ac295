// The plain loops, compiled as a user would: -O3 -march=x86-64-v3.
#include "peers.h"

namespace peers {

void saxpy(float a, const float *x, float *y, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    y[i] = a * x[i] + y[i];
}

void blockReduce(const float *src, float *out, size_t begin, size_t end) {
  for (size_t block = begin; block < end; ++block) {
    float total = 0;
    for (size_t i = 0; i < blockSize; ++i)
      total += src[block * blockSize + i];
    out[block] = total;
  }
}

void blockScan(const int32_t *src, int32_t *out, size_t begin, size_t end) {
  for (size_t block = begin; block < end; ++block) {
    int32_t total = 0;
    for (size_t i = block * blockSize; i < (block + 1) * blockSize; ++i) {
      total += src[i];
      out[i] = total;
    }
  }
}

int32_t sum(const int32_t *src, size_t begin, size_t end) {
  int32_t total = 0;
  for (size_t i = begin; i < end; ++i)
    total += src[i];
  return total;
}

void scan(const int32_t *src, int32_t *out, int32_t before, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    before += src[i];
    out[i] = before;
  }
}

void histogram(const uint8_t *src, int32_t *bins, size_t begin, size_t end) {
  int32_t local[256] = {};
  for (size_t i = begin; i < end; ++i)
    ++local[src[i]];
  for (size_t b = 0; b < 256; ++b)
    __atomic_fetch_add(&bins[b], local[b], __ATOMIC_RELAXED);
}

void mandelbrot(int32_t *out, size_t rows, size_t cols, int32_t limit, size_t begin, size_t end) {
  for (size_t row = begin; row < end; ++row)
    for (size_t col = 0; col < cols; ++col) {
      float cr = -2.0f + 3.0f * float(col) / float(cols);
      float ci = -1.0f + 2.0f * float(row) / float(rows);
      float zr = 0, zi = 0;
      int32_t count = 0;
      while (zr * zr + zi * zi <= 4.0f && count < limit) {
        float next = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = next;
        ++count;
      }
      out[row * cols + col] = count;
    }
}

} // namespace peers
