// Some tasks of kernels.c as AMD GPUs run them, for the loader's tests on amdsim.
// Parameters are the argument block's: arrays are a pointer and their extents, hidden
// buffers follow.
#define TASK(threads) __kernel __attribute__((reqd_work_group_size(threads, 1, 1))) void

static uint threadOf(uint blockDim) {
  return __builtin_amdgcn_workgroup_id_x() * blockDim + __builtin_amdgcn_workitem_id_x();
}

TASK(64) saxpy_t0(float a, __global const float *x, int n, __global float *y, int m) {
  int i = threadOf(64);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

TASK(1) empty_t0(void) {}

TASK(1) chain_t0(__global int *flags, int n, __global int *order, int m) {
  int b = threadOf(1);
  if (b)
    while (!__scoped_atomic_load_n(&flags[b - 1], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE))
      __builtin_amdgcn_s_sleep(1);
  order[b] = b ? order[b - 1] + 1 : 0;
  __scoped_atomic_store_n(&flags[b], 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
}

TASK(1) total_t0(__global const int *src, int n, __global int *calls, __global long *sum0,
                 __global float *pair, __global long *carry) {
  *carry = 0;
}
TASK(32) total_t1(__global const int *src, int n, __global int *calls, __global long *sum0,
                  __global float *pair, __global long *carry) {
  int i = threadOf(32);
  if (i < n)
    __scoped_atomic_fetch_add(carry, (long)src[i], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
TASK(1) total_t2(__global const int *src, int n, __global int *calls, __global long *sum0,
                 __global float *pair, __global long *carry) {
  *sum0 = *carry;
  pair[0] = (float)*carry;
  pair[1] = -(float)*carry;
  ++*calls;
}

TASK(1) scratch_t0(__global ulong *out, int n) {
  __local volatile uchar bytes[200];
  uint b = threadOf(1);
  for (int i = 0; i < 200; ++i)
    bytes[i] = (uchar)(b + i);
  ulong sum = 0;
  for (int i = 0; i < 200; ++i)
    sum += bytes[i] == (uchar)(b + i);
  out[b] = sum;
}

TASK(1) everything_t0(uchar b, char c, short s, long l, ushort h, double d, float m0, float m1,
                      float m2, float m3, float m4, float m5, __global double *out, int n) {
  out[0] = b;
  out[1] = c;
  out[2] = s;
  out[3] = (double)l;
  out[4] = h;
  out[5] = d;
  out[6] = m0;
  out[7] = m1;
  out[8] = m2;
  out[9] = m3;
  out[10] = m4;
  out[11] = m5;
}

// The wave size that runs; PACE steps of work.
TASK(1) pace_t0(__global int *out, int n) {
  for (volatile int i = 0; i < PACE; ++i)
    ;
  out[threadOf(1)] = __builtin_amdgcn_wavefrontsize();
}
