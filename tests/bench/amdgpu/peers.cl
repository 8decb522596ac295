// Peers of the AMD benchmark's kernels: the same algorithms in OpenCL C, compiled by
// clang. Arrays come as a pointer and their extents.
#define KERNEL __attribute__((reqd_work_group_size(128, 1, 1))) kernel void
typedef global const float *In;
typedef global float *Out;

KERNEL row_sums(In x, int rows, int cols, Out out, int n) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float total = 0;
  for (int col = 0; col < cols; ++col)
    total += x[row * cols + col];
  out[row] = total;
}

KERNEL softmax(In x, int rows, int cols, global float *out, int outRows, int outCols) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float most = x[row * cols];
  for (int col = 0; col < cols; ++col)
    most = fmax(most, x[row * cols + col]);
  float total = 0;
  for (int col = 0; col < cols; ++col) {
    float e = exp(x[row * cols + col] - most);
    out[row * outCols + col] = e;
    total += e;
  }
  float scale = 1 / total;
  for (int col = 0; col < cols; ++col)
    out[row * outCols + col] *= scale;
}

KERNEL layernorm(In x, int rows, int cols, Out out, int outRows, int outCols) {
  int row = get_global_id(0);
  if (row >= rows)
    return;
  float total = 0;
  for (int col = 0; col < cols; ++col)
    total += x[row * cols + col];
  float mean = total / cols;
  float squares = 0;
  for (int col = 0; col < cols; ++col) {
    float d = x[row * cols + col] - mean;
    squares += d * d;
  }
  float scale = 1 / sqrt(squares / cols + 1e-5f);
  for (int col = 0; col < cols; ++col)
    out[row * outCols + col] = (x[row * cols + col] - mean) * scale;
}

KERNEL transpose(In x, int rows, int cols, Out out, int outRows, int outCols) {
  int at = get_global_id(0);
  if (at >= rows * cols)
    return;
  int i = at / cols, j = at % cols;
  out[j * outCols + i] = x[i * cols + j];
}

KERNEL stencil(In x, int rows, int cols, Out out, int outRows, int outCols) {
  int at = get_global_id(0);
  if (at >= rows * cols)
    return;
  int i = at / cols, j = at % cols;
  if (i > 0 && j > 0 && i < rows - 1 && j < cols - 1)
    out[i * outCols + j] = x[(i - 1) * cols + j] + x[(i + 1) * cols + j] + x[i * cols + j - 1] +
                           x[i * cols + j + 1] - 4 * x[i * cols + j];
}

static float normal(float x) {
  float k = 1 / (1 + 0.2316419f * fabs(x));
  float tail =
      exp(-0.5f * x * x) * 0.39894228f * k *
      (0.31938153f +
       k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return x > 0 ? 1 - tail : tail;
}

KERNEL black_scholes(In price, int n, In strike, int n1, In years, int n2, Out call, int n3) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float s = price[i], t = years[i], root = sqrt(t);
  float d1 = (log(s / strike[i]) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root);
  float d2 = d1 - 0.3f * root;
  call[i] = s * normal(d1) - strike[i] * exp(-0.02f * t) * normal(d2);
}

KERNEL matmul(In a, int rows, int inner, In b, int bRows, int cols, Out c, int cRows, int cCols) {
  int at = get_global_id(0), across = cols / 4;
  if (at >= rows / 4 * across)
    return;
  int bi = at / across, bj = at % across;
  float acc[4][4] = {};
  for (int k = 0; k < inner; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        acc[i][j] += a[(bi * 4 + i) * inner + k] * b[k * cols + bj * 4 + j];
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      c[(bi * 4 + i) * cCols + bj * 4 + j] = acc[i][j];
}

KERNEL mat4_product(global const float4 *a, int n, global const float4 *b, int n1,
                    global float4 *c, int n2) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float4 b0 = b[i * 4], b1 = b[i * 4 + 1], b2 = b[i * 4 + 2], b3 = b[i * 4 + 3];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    float4 row = a[i * 4 + r];
    c[i * 4 + r] = row.x * b0 + row.y * b1 + row.z * b2 + row.w * b3;
  }
}

KERNEL nbody(global const float4 *body, int n, global float4 *force, int n1) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float4 p = body[i];
  float x = 0, y = 0, z = 0;
  for (int k = 0; k < n; ++k) {
    float4 q = body[k];
    float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
    float r = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.01f), s = q.w * r * r * r;
    x += dx * s;
    y += dy * s;
    z += dz * s;
  }
  force[i] = (float4)(x, y, z, 0);
}
