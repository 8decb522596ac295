// Barriers are Metal's, a reducing one counts in shared memory. Fences are something else: they
// stay what they are, with their scopes.
// RUN: %msl_3_2 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: kernel void barriers(
  // CHECK: threadgroup uint {{_[0-9]+}}[64];
  // CHECK: threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  // CHECK-NOT: threadgroup_barrier(
  // CHECK: = atomic_fetch_add_explicit((threadgroup atomic_uint*)&
  // CHECK: threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  // CHECK: simdgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  // CHECK-NOT: atomic_thread_fence
  func.func @barriers(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %s = simt.shared "tile" : !simt.buffer<i32, shared, 64>
    %t = simt.thread_idx
    %last = arith.constant 63 : i32
    %z = arith.constant 0 : i32
    simt.store %t, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %m = arith.subi %last, %t : i32
    %v = simt.load %s[%m] : !simt.buffer<i32, shared, 64>, i32
    %q = arith.cmpi ne, %v, %z : i32
    %n = simt.barrier_reduce count %q
    simt.subgroup_barrier
    simt.store %n, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: kernel void fences(
  // CHECK-NOT: _barrier
  // CHECK: atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_device);
  // CHECK-NOT: _barrier
  // CHECK: atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_threadgroup);
  // CHECK-NOT: _barrier
  // CHECK: atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_simdgroup);
  // CHECK-NOT: _barrier
  func.func @fences(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %q = arith.cmpi eq, %t, %z : i32
    scf.if %q {
      simt.store %t, %p[%t] : !simt.buffer<i32, global>, i32
      simt.fence device
      simt.store %z, %p[%t] : !simt.buffer<i32, global>, i32
      simt.fence block
      simt.store %t, %p[%t] : !simt.buffer<i32, global>, i32
      simt.fence subgroup
    }
    return
  }
}
