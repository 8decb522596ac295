// The loops, compiled as a user would: clang -O3 -march=native -fopenmp.
#include "rows-peers.h"
#include "peers.h"

#include <algorithm>
#include <array>
#include <omp.h>
#include <utility>
#include <vector>

namespace rows {

void setThreads(int count) { omp_set_num_threads(count); }

void stencil7(const float *x, float *y, int n, int m, int l) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      auto row = [&](int a, int b) { return x + (size_t(a) * m + b) * l; };
      const float *here = row(i, j);
      const float *up = row(std::max(i - 1, 0), j), *down = row(std::min(i + 1, n - 1), j);
      const float *left = row(i, std::max(j - 1, 0)), *right = row(i, std::min(j + 1, m - 1));
      float *out = y + (size_t(i) * m + j) * l;
      auto one = [&](int k) {
        float s = up[k] + down[k] + left[k] + right[k];
        s += here[std::max(k - 1, 0)] + here[std::min(k + 1, l - 1)];
        out[k] = 0.5f * here[k] + s / 12.0f;
      };
      one(0);
      for (int k = 1; k < l - 1; ++k) // without clamps, so that it becomes vector code
        one(k);
      one(l - 1);
    }
}

void blur3(const float *x, float *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const float *rows[3];
    for (int d = 0; d < 3; ++d)
      rows[d] = x + size_t(std::clamp(i + d - 1, 0, n - 1)) * m;
    float *out = y + size_t(i) * m;
    auto one = [&](int j) {
      const int left = std::max(j - 1, 0), right = std::min(j + 1, m - 1);
      float s = 0;
      for (const float *row : rows)
        s += row[left] + row[j] + row[right];
      out[j] = s / 9.0f;
    };
    one(0);
    for (int j = 1; j < m - 1; ++j)
      one(j);
    one(m - 1);
  }
}

void transform(const float *x, float *y, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[size_t(i) * m + j] = 2.0f * x[size_t(i) * m + j] + 1.0f;
}

void reduce4(const float *x, float *y, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    y[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
}

void saxpy(float a, const float *x, float *y, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    y[i] = a * x[i] + y[i];
}

void particles(float *pos, float *vel, const float *mass, float dt, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i) {
    vel[3 * i + 2] -= 9.81f * dt * mass[i];
    for (int c = 0; c < 3; ++c)
      pos[3 * i + c] += dt * vel[3 * i + c];
  }
}

float total(const float *x, int count) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (int i = 0; i < count; ++i)
    sum += x[i];
  return sum;
}

void bins(const int32_t *x, int32_t *out, int size, int count) {
#pragma omp parallel for reduction(+ : out[ : size])
  for (int i = 0; i < count; ++i)
    ++out[x[i]];
}

/// Four rows of `c` at a time, a run of columns in registers.
void matmul(const float *a, const float *b, float *c, int n) {
  constexpr int rows = 4, cols = 64;
#pragma omp parallel for collapse(2)
  for (int y = 0; y < n; y += rows)
    for (int x = 0; x < n; x += cols) {
      float s[rows][cols] = {};
      for (int k = 0; k < n; ++k)
        for (int r = 0; r < rows; ++r)
          for (int j = 0; j < cols; ++j)
            s[r][j] += a[size_t(y + r) * n + k] * b[size_t(k) * n + x + j];
      for (int r = 0; r < rows; ++r)
        std::copy_n(s[r], cols, c + size_t(y + r) * n + x);
    }
}

void spmv(const int32_t *begin, const int32_t *column, const float *value, const float *x, float *y,
          int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    float s = 0;
    for (int k = begin[row]; k < begin[row + 1]; ++k)
      s += value[k] * x[column[k]];
    y[row] = s;
  }
}

void transpose(const float *x, float *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      y[size_t(i) * n + j] = x[size_t(j) * n + i];
}

void product4(const float *x, const float *y, float *z, int count) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    for (int row = 0; row < 16; row += 4) {
      float s[4] = {};
      for (int k = 0; k < 4; ++k)
        for (int col = 0; col < 4; ++col)
          s[col] += x[16 * i + row + k] * y[16 * i + 4 * k + col];
      std::copy_n(s, 4, z + 16 * i + row);
    }
}

void mandelbrot(int32_t *out, int rows, int cols, int limit, bool isDynamic) {
  auto one = [=](int row) {
    peers::mandelbrot(out, size_t(rows), size_t(cols), limit, size_t(row), size_t(row) + 1);
  };
  if (isDynamic) {
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < rows; ++row)
      one(row);
  } else {
#pragma omp parallel for
    for (int row = 0; row < rows; ++row)
      one(row);
  }
}

void radixPass(const uint32_t *keys, uint32_t *out, int count) {
  std::vector<std::array<int, 256>> places(static_cast<size_t>(omp_get_max_threads()));
#pragma omp parallel num_threads(int(places.size()))
  {
    const int part = omp_get_thread_num(), parts = int(places.size());
    const int begin = int(int64_t(count) * part / parts),
              end = int(int64_t(count) * (part + 1) / parts);
    std::array<int, 256> own{};
    for (int i = begin; i < end; ++i)
      ++own[keys[i] & 255];
    places[size_t(part)] = own;
#pragma omp barrier
#pragma omp single
    for (int digit = 0, at = 0; digit < 256; ++digit)
      for (std::array<int, 256> &each : places)
        at += std::exchange(each[size_t(digit)], at);
    own = places[size_t(part)];
    for (int i = begin; i < end; ++i)
      out[own[keys[i] & 255]++] = keys[i];
  }
}

void steps(float *out, int size, int count) {
#pragma omp parallel for
  for (int i = 0; i < size; ++i) {
    float value = out[i];
    for (int step = 0; step < count; ++step)
      value = value * 0.5f + 1.0f;
    out[i] = value;
  }
}

} // namespace rows
