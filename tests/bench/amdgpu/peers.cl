// Peers of the AMD benchmark's kernels: the same algorithms in OpenCL C, compiled by
// clang. Arrays come as a pointer and their extents.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
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

// Blocks have two or three dimensions.
#define GRID(x, y) __attribute__((reqd_work_group_size(x, y, 1))) kernel void
#define BLOCK(d) ((int)__builtin_amdgcn_workgroup_id_##d())
#define THREAD(d) ((int)__builtin_amdgcn_workitem_id_##d())

GRID(256, 1) total(In x, int n, Out out, int n1) {
  local float sums[8];
  const int waves = 256 / __builtin_amdgcn_wavefrontsize();
  int t = THREAD(x), i = BLOCK(x) * 256 + t;
  float v = sub_group_reduce_add(i < n ? x[i] : 0);
  sums[t / __builtin_amdgcn_wavefrontsize()] = v; // all lanes store: for one, clang 19 loses half of v
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t != 0)
    return;
  v = sums[0];
  for (int k = 1; k < waves; ++k)
    v += sums[k];
  __opencl_atomic_fetch_add((global atomic_float *)out, v, memory_order_relaxed,
                            memory_scope_device);
}

GRID(256, 1) particles(float dt, Out velocity, int n, Out place, int n1) {
  int i = BLOCK(x) * 256 + THREAD(x);
  if (i >= n)
    return;
  float v[3] = {velocity[3 * i], velocity[3 * i + 1], velocity[3 * i + 2]}, p[3];
  v[1] -= 9.8f * dt;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    p[c] = place[3 * i + c] + v[c] * dt;
    if (p[c] < 0 || p[c] > 1) {
      v[c] = -0.9f * v[c];
      p[c] = fmin(fmax(p[c], 0.0f), 1.0f);
    }
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    velocity[3 * i + c] = v[c];
    place[3 * i + c] = p[c];
  }
}

GRID(32, 8) transpose_tiles(In x, int rows, int cols, Out out, int outRows, int outCols) {
  local float tile[32][33];
  int tx = THREAD(x), ty = THREAD(y), bx = BLOCK(x), by = BLOCK(y);
#pragma unroll
  for (int k = 0; k < 4; ++k)
    tile[ty + 8 * k][tx] = x[(by * 32 + ty + 8 * k) * cols + bx * 32 + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
  for (int k = 0; k < 4; ++k)
    out[(bx * 32 + ty + 8 * k) * outCols + by * 32 + tx] = tile[tx][ty + 8 * k];
}

GRID(64, 4) mandelbrot(int limit, Out out, int rows, int cols) {
  int x = BLOCK(x) * 64 + THREAD(x), y = BLOCK(y) * 4 + THREAD(y);
  if (x >= cols || y >= rows)
    return;
  float cx = -2 + 3.0f * x / cols, cy = -1.5f + 3.0f * y / rows, zx = 0, zy = 0;
  int n = 0;
  while (n < limit && zx * zx + zy * zy < 4) {
    float t = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = t;
    ++n;
  }
  out[y * cols + x] = n;
}

GRID(64, 4) stencil7(In x, int nx, int ny, int nz, Out out, int mx, int my, int mz) {
  int k = BLOCK(x) * 64 + THREAD(x) + 1, j = BLOCK(y) * 4 + THREAD(y) + 1, i = BLOCK(z) + 1;
  if (i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;
  int at = (i * ny + j) * nz + k;
  out[at] = 0.5f * x[at] + 0.25f * (x[at - ny * nz] + x[at + ny * nz] + x[at - nz] + x[at + nz] +
                                    x[at - 1] + x[at + 1]);
}

GRID(256, 1) lower_bound(In table, int size, In keys, int n, Out places, int n1) {
  int i = BLOCK(x) * 256 + THREAD(x);
  if (i >= n)
    return;
  float wanted = keys[i];
  int low = 0, high = size;
  while (low < high) {
    int middle = (low + high) / 2;
    if (table[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  places[i] = low;
}
