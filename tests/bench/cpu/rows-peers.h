// The code that a user would write in C++ with OpenMP instead of the kernels of rows.py.
#pragma once
#include <cstddef>
#include <cstdint>

namespace rows {

void setThreads(int count);
void stencil7(const float *x, float *y, int n, int m, int l);
void blur3(const float *x, float *y, int n, int m);
void transform(const float *x, float *y, int n, int m);
/// Sums of four elements.
void reduce4(const float *x, float *y, int count);
void saxpy(float a, const float *x, float *y, int count);
/// Positions and velocities of three elements each.
void particles(float *pos, float *vel, const float *mass, float dt, int count);
float total(const float *x, int count);
void bins(const int32_t *x, int32_t *out, int size, int count);
void matmul(const float *a, const float *b, float *c, int n);
void spmv(const int32_t *begin, const int32_t *column, const float *value, const float *x, float *y,
          int rows);
void transpose(const float *x, float *y, int n);
/// Products of 4 by 4 matrices.
void product4(const float *x, const float *y, float *z, int count);
/// Rows are handed out one after another, or each thread has as many.
void mandelbrot(int32_t *out, int rows, int cols, int limit, bool isDynamic);
/// One pass of a radix sort, by the low byte.
void radixPass(const uint32_t *keys, uint32_t *out, int count);
void steps(float *out, int size, int count);

} // namespace rows
