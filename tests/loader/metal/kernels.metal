// Sextant: Metal 3.0, kernel saxpy_t0
// The tasks of tests/loader/TestModule.cpp by hand, with the bindings of generated code:
// arrays and hidden buffers in order, then all values packed.
#include <metal_stdlib>
using namespace metal;
struct Values { float a; int n; int m; };
kernel void saxpy_t0(const device float *x [[buffer(0)]], device float *y [[buffer(1)]],
                     constant Values &v [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (int(i) < v.n)
    y[i] = v.a * x[i] + y[i];
}
// Sextant: Metal 3.0, kernel empty_t0
#include <metal_stdlib>
using namespace metal;
kernel void empty_t0() {}
// Sextant: Metal 3.0, kernel chain_t0
#include <metal_stdlib>
using namespace metal;
struct Values { int n; int m; };
kernel void chain_t0(device atomic_int *flags [[buffer(0)]], device atomic_int *order [[buffer(1)]],
                     constant Values &v [[buffer(2)]],
                     uint block [[threadgroup_position_in_grid]]) {
  int before = 0;
  if (block > 0) {
    while (atomic_load_explicit(&flags[block - 1], memory_order_relaxed) == 0) {
    }
    before = atomic_load_explicit(&order[block - 1], memory_order_relaxed) + 1;
  }
  atomic_store_explicit(&order[block], before, memory_order_relaxed);
  atomic_store_explicit(&flags[block], 1, memory_order_relaxed);
}
// Sextant: Metal 3.0, kernel total_t0
#include <metal_stdlib>
using namespace metal;
kernel void total_t0(device long *carry [[buffer(4)]]) { carry[0] = 0; }
// Sextant: Metal 3.0, kernel total_t1
#include <metal_stdlib>
using namespace metal;
struct Values { int n; };
// Metal adds no 64-bit numbers atomically: the first thread does it all.
kernel void total_t1(const device int *src [[buffer(0)]], device long *carry [[buffer(4)]],
                     constant Values &v [[buffer(5)]], uint i [[thread_position_in_grid]]) {
  if (i == 0)
    for (int k = 0; k < v.n; ++k)
      carry[0] += long(src[k]);
}
// Sextant: Metal 3.0, kernel total_t2
#include <metal_stdlib>
using namespace metal;
kernel void total_t2(device int *calls [[buffer(1)]], device long *sum [[buffer(2)]],
                     device float *pair [[buffer(3)]], const device long *carry [[buffer(4)]]) {
  sum[0] = carry[0];
  pair[0] = float(carry[0]);
  pair[1] = -float(carry[0]);
  calls[0] += 1;
}
// Sextant: Metal 3.0, kernel everything_t0
#include <metal_stdlib>
using namespace metal;
// Values of 1 and 2 bytes take 4, zero-extended. The f64 argument and results pass as bits.
struct Values { uint b; uint c; uint s; long l; uint h; ulong d; float m[6]; int n; };
kernel void everything_t0(device long *out [[buffer(0)]], constant Values &v [[buffer(1)]]) {
  out[0] = long(v.b);
  out[1] = long(v.c);
  out[2] = long(v.s);
  out[3] = v.l;
  out[4] = long(v.h);
  out[5] = long(v.d);
  for (int i = 0; i < 6; ++i)
    out[6 + i] = long(v.m[i] * 100.0f);
}
// Sextant: Metal 3.0, kernel grid_t0
#include <metal_stdlib>
using namespace metal;
kernel void grid_t0(device int *out [[buffer(0)]], uint blocks [[threadgroups_per_grid]],
                    uint i [[thread_position_in_grid]]) {
  if (i == 0)
    out[0] = int(blocks);
}
// Sextant: Metal 3.0, kernel sine_t0
#include <metal_stdlib>
using namespace metal;
struct Values { int n; };
kernel void sine_t0(device float *x [[buffer(0)]], constant Values &v [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  if (int(i) < v.n)
    x[i] = precise::sin(x[i]);
}
// Sextant: Metal 3.0, kernel slow_t0
#include <metal_stdlib>
using namespace metal;
struct Values { int ms; int n; };
// Runs past its memory, which Metal and its stand-in report.
kernel void slow_t0(device int *out [[buffer(0)]], constant Values &v [[buffer(1)]]) {
  out[v.ms] = 1;
}
// Sextant: Metal 3.0, kernel many_t0
#include <metal_stdlib>
using namespace metal;
struct Values { long a[100]; int n; };
kernel void many_t0(device long *out [[buffer(0)]], constant Values &v [[buffer(1)]]) {
  long sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += v.a[i] * long(i + 1);
  out[0] = sum;
}
// Sextant: Metal 3.0, kernel plenty_t0
#include <metal_stdlib>
using namespace metal;
struct Values { int n[40]; int step; };
struct Arrays { device int *a[40]; };
kernel void plenty_t0(constant Arrays &t [[buffer(0)]], constant Values &v [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
  for (int k = 0; k < 40; ++k)
    if (int(i) < v.n[k])
      t.a[k][i] += v.step * k + int(i);
}
