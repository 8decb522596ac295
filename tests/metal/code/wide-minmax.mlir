// Metal's only 64-bit atomics, which SPIRV-Cross has not: minima and maxima whose old value
// nobody asks for.
// RUN: %msl_3_0 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: kernel void wide(
  // CHECK: atomic_min_explicit((device atomic_ulong*)&sextantMin0._m0[{{.*}}], {{_[0-9]+}}, memory_order_relaxed);
  // CHECK: atomic_max_explicit((device atomic_ulong*)&sextantMax0._m0[{{.*}}], 7ul, memory_order_relaxed);
  // CHECK-NOT: sextantMin0._m0{{.*}} =
  // CHECK-NOT: sextantMax0._m0{{.*}} =
  func.func @wide(%p: !simt.buffer<i64, global>, %q: !simt.buffer<i64, global>)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %seven = arith.constant 7 : i64
    %v = simt.load %q[%t] : !simt.buffer<i64, global>, i32
    %a = simt.atomic_rmw minu %v, %p[%t] : !simt.buffer<i64, global>, i32
    %b = simt.atomic_rmw maxu %seven, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
}
