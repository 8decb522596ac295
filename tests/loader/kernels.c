// Hand-written tasks with the interface of CPU images: the loader's tests need no
// compiler of ours. Built as a shared object that, like an image, needs nothing
// but functions of libm.
#include <stdint.h>

#define TASK(name)                                                                                 \
  __attribute__((visibility("default"))) void name(                                                \
      const void *args, void *shared, uint32_t blockBegin, uint32_t blockEnd, uint32_t gridDim)

static void *at(const void *args, unsigned offset) { return (char *)args + offset; }
#define ARG(type, offset) (*(type *)at(args, offset))

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield" ::: "memory"); // loops of nothing would be left out
#endif
}

// saxpy(a: f32, x: f32[n], y: f32[n]), blocks of 64.
TASK(saxpy_t0) {
  float a = ARG(float, 0);
  const float *x = ARG(const float *, 8);
  int32_t n = ARG(int32_t, 16);
  float *y = ARG(float *, 24);
  for (int64_t i = (int64_t)blockBegin * 64; i < (int64_t)blockEnd * 64 && i < n; ++i)
    y[i] = a * x[i] + y[i];
}

TASK(empty_t0) {}

// chain(flags: i32[n], order: i32[n]), one thread a block: each block waits for the one before
// it, and notes how many ran before.
TASK(chain_t0) {
  int32_t *flags = ARG(int32_t *, 0);
  int32_t *order = ARG(int32_t *, 16);
  for (uint32_t b = blockBegin; b < blockEnd; ++b) {
    if (b)
      while (!__atomic_load_n(&flags[b - 1], __ATOMIC_ACQUIRE))
        relax();
    order[b] = b ? order[b - 1] + 1 : 0;
    __atomic_store_n(&flags[b], 1, __ATOMIC_RELEASE);
  }
}

// total(src: i32[n]) -> (i64, f32 vector of 2), field calls: i32[1]; carry: i64.
// Block: src 0, n 8, calls 16, return0 24, return1 32, carry 40.
TASK(total_t0) { *ARG(int64_t *, 40) = 0; }
TASK(total_t1) { // blocks of 32
  const int32_t *src = ARG(const int32_t *, 0);
  int32_t n = ARG(int32_t, 8);
  int64_t sum = 0;
  for (int64_t i = (int64_t)blockBegin * 32; i < (int64_t)blockEnd * 32 && i < n; ++i)
    sum += src[i];
  __atomic_fetch_add(ARG(int64_t *, 40), sum, __ATOMIC_RELAXED);
}
TASK(total_t2) {
  int64_t sum = *ARG(int64_t *, 40);
  *ARG(int64_t *, 24) = sum;
  ARG(float *, 32)[0] = (float)sum;
  ARG(float *, 32)[1] = -(float)sum;
  ++*ARG(int32_t *, 16);
}

// scratch(out: u64[n]), one thread a block, 200 bytes of shared memory, which it overwrites.
TASK(scratch_t0) {
  uint64_t *out = ARG(uint64_t *, 0);
  for (uint32_t b = blockBegin; b < blockEnd; ++b) {
    volatile unsigned char *bytes = shared;
    for (int i = 0; i < 200; ++i)
      bytes[i] = (unsigned char)(b + i);
    uint64_t sum = 0;
    for (int i = 0; i < 200; ++i)
      sum += bytes[i] == (unsigned char)(b + i);
    out[b] = sum + ((uintptr_t)shared % 64 == 0 ? 1000 : 0);
  }
}

// everything(b: u1, c: i8, s: i16, l: i64, h: u16, d: f64, m: matrix 2x3 f32, out: f64[12]).
// Block: b 0, c 1, s 2, l 8, h 16, d 24, m 32…56, out 56, extent 64.
TASK(everything_t0) {
  double *out = ARG(double *, 56);
  out[0] = ARG(uint8_t, 0);
  out[1] = ARG(int8_t, 1);
  out[2] = ARG(int16_t, 2);
  out[3] = (double)ARG(int64_t, 8);
  out[4] = ARG(uint16_t, 16);
  out[5] = ARG(double, 24);
  for (unsigned i = 0; i < 6; ++i)
    out[6 + i] = ARG(float, 32 + 4 * i);
}

// grid(out: i32[1]): a bound that only the device knows.
TASK(grid_t0) { *ARG(int32_t *, 0) = (int32_t)gridDim; }

// slow(ms: i32, out: i32[1]): works for about that long, then adds one.
TASK(slow_t0) {
  uint64_t steps = (uint64_t)ARG(int32_t, 0) * 20000;
  for (uint64_t i = 0; i < steps; ++i)
    relax();
  int32_t *out = ARG(int32_t *, 8);
  __atomic_store_n(out, *out + 1, __ATOMIC_RELAXED);
}

// await(flag: i32[1], seen: i32[1]): waits until the flag is set, some ten seconds at most, and
// says whether it was.
TASK(await_t0) {
  int32_t *flag = ARG(int32_t *, 0);
  uint64_t left = 200000000;
  while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && --left)
    relax();
  *ARG(int32_t *, 16) = left != 0;
}

// sine(x: f32[n]): x = sin(x), with libm's function.
#ifdef SEXTANT_TEST_OWN_SINE // for systems on which images find no libm; |x| up to 10
static float sinf(float x) {
  double term = x, sum = x;
  for (int i = 2; i < 60; i += 2)
    sum += term *= -(double)x * x / (i * (i + 1));
  return (float)sum;
}
#else
float sinf(float);
#endif
TASK(sine_t0) {
  float *x = ARG(float *, 0);
  int32_t n = ARG(int32_t, 8);
  for (int64_t i = (int64_t)blockBegin * 32; i < (int64_t)blockEnd * 32 && i < n; ++i)
    x[i] = sinf(x[i]);
}

// pace(out: i32[n]): as slow as SEXTANT_TEST_PACE says, which it writes.
#ifndef SEXTANT_TEST_PACE
#define SEXTANT_TEST_PACE 2
#endif
TASK(pace_t0) {
  int32_t *out = ARG(int32_t *, 0);
  for (uint32_t b = blockBegin; b < blockEnd; ++b) {
    for (int i = 0; i < SEXTANT_TEST_PACE * 2000; ++i)
      relax();
    __atomic_store_n(&out[b], SEXTANT_TEST_PACE, __ATOMIC_RELAXED);
  }
}

// work(rounds: i32, out: i32[n]): each block takes as long as the argument says, and is counted.
TASK(work_t0) {
  int32_t rounds = ARG(int32_t, 0);
  int32_t *out = ARG(int32_t *, 8);
  for (uint32_t b = blockBegin; b < blockEnd; ++b) {
    for (int i = 0; i < rounds; ++i)
      relax();
    __atomic_fetch_add(&out[b], 1, __ATOMIC_RELAXED);
  }
}

// many(a0 … a99: i64, out: i64[1]): an argument block of over 800 bytes.
TASK(many_t0) {
  int64_t sum = 0;
  for (unsigned i = 0; i < 100; ++i)
    sum += ARG(int64_t, 8 * i) * (i + 1);
  *ARG(int64_t *, 800) = sum;
}
