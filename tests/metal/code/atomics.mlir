// Relaxed atomics. Reals are added by an instruction in device memory from Metal 3.0 on, else
// by a loop of compare-and-swaps on their bits. Volatile accesses are atomic ones.
// RUN: %msl_3_0 | FileCheck %s
// RUN: %msl_2_3 | FileCheck %s --check-prefix=OLD

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: kernel void integers(
  // CHECK: = atomic_fetch_add_explicit((device atomic_uint*)&{{.*}}, memory_order_relaxed);
  // CHECK: = uint(atomic_fetch_max_explicit((device atomic_int*)&{{.*}}, memory_order_relaxed));
  // CHECK: = atomic_exchange_explicit((device atomic_uint*)&
  // CHECK: atomic_compare_exchange_weak_explicit((device atomic_uint*)&
  // CHECK: = atomic_fetch_or_explicit((threadgroup atomic_uint*)&
  func.func @integers(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "bits" : !simt.buffer<i32, shared, 32>
    %t = simt.thread_idx
    %a = simt.atomic_rmw addi %t, %p[%t] : !simt.buffer<i32, global>, i32
    %b = simt.atomic_rmw maxs %a, %p[%t] : !simt.buffer<i32, global>, i32
    %c = simt.atomic_rmw exchange %b, %p[%t] : !simt.buffer<i32, global>, i32
    %d = simt.atomic_cas %c, %b, %p[%t] : !simt.buffer<i32, global>, i32
    %e = simt.atomic_rmw ori %d, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %e, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK: static inline float atomicAdd(volatile device float& place, float value)
  // CHECK: atomic_fetch_add_explicit((volatile device atomic_float*)&place, value, memory_order_relaxed)
  // CHECK-LABEL: kernel void reals(
  // CHECK: = atomicAdd({{.*}}
  // Minima by integers, as bits sort; a loop where a NaN is in memory.
  // CHECK: atomic_fetch_max_explicit((device atomic_uint*)&
  // CHECK: atomic_fetch_min_explicit((device atomic_int*)&
  // CHECK: precise::min(
  // CHECK: atomic_compare_exchange_weak_explicit((device atomic_uint*)&
  // CHECK: atomic_compare_exchange_weak_explicit((threadgroup atomic_uint*)&
  // OLD-NOT: atomic_float
  // OLD-LABEL: kernel void reals(
  // OLD-NOT: atomicAdd(
  // OLD: atomic_compare_exchange_weak_explicit((device atomic_uint*)&
  func.func @reals(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "sums" : !simt.buffer<f32, shared, 32>
    %t = simt.thread_idx
    %v = simt.load %q[%t] : !simt.buffer<f32, global>, i32
    %a = simt.atomic_rmw addf %v, %p[%t] : !simt.buffer<f32, global>, i32
    %b = simt.atomic_rmw minf %a, %q[%t] : !simt.buffer<f32, global>, i32
    %c = simt.atomic_rmw addf %b, %s[%t] : !simt.buffer<f32, shared, 32>, i32
    simt.store %c, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: kernel void spin(
  // CHECK: for (;;)
  // CHECK: atomic_load_explicit((device atomic_uint*)&{{.*}}, memory_order_relaxed);
  // CHECK: atomic_load_explicit((threadgroup atomic_uint*)&{{.*}}, memory_order_relaxed);
  // CHECK: atomic_store_explicit((device atomic_uint*)&{{.*}}, memory_order_relaxed);
  func.func @spin(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "flag" : !simt.buffer<i32, shared, 1>
    %z = arith.constant 0 : i32
    scf.while : () -> () {
      %v = simt.load volatile %p[%z] : !simt.buffer<i32, global>, i32
      %q = arith.cmpi eq, %v, %z : i32
      scf.condition(%q)
    } do {
      scf.yield
    }
    %w = simt.load volatile %s[%z] : !simt.buffer<i32, shared, 1>, i32
    simt.store volatile %w, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
}
