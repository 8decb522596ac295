// The cost of barriers. A reducing barrier is one s_barrier and one addition in shared memory,
// whose old value nobody wants, for each wave; and one more s_barrier for a task that has none
// of its own before its first one.
// RUN: %gfx90a_wave64 | FileCheck %s --check-prefixes=CHECK,G9
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,G9
// RUN: %gfx1030_wave32 | FileCheck %s --check-prefixes=CHECK,RDNA
// RUN: %gfx1030_wave64 | FileCheck %s --check-prefixes=CHECK,RDNA
// RUN: %gfx1100_wave32 | FileCheck %s --check-prefixes=CHECK,RDNA
// RUN: %gfx1100_wave64 | FileCheck %s --check-prefixes=CHECK,RDNA
// RUN: %gfx1201_wave32 | FileCheck %s --check-prefixes=CHECK,G12
// RUN: %gfx1201_wave64 | FileCheck %s --check-prefixes=CHECK,G12

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: sync:
  // CHECK: {{ds_write|ds_store}}
  // G9: s_barrier
  // RDNA: s_barrier
  // G12: s_barrier_signal -1
  // G12: s_barrier_wait
  // CHECK-NOT: s_barrier
  // CHECK: s_endpgm
  func.func @sync(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 256 : i32, full_blocks}} {
    %s = simt.shared "s" : !simt.buffer<i32, shared, 256>
    %t = simt.thread_idx
    %c = arith.constant 255 : i32
    simt.store %t, %s[%t] : !simt.buffer<i32, shared, 256>, i32
    simt.barrier
    %o = arith.xori %t, %c : i32
    %w = simt.load %s[%o] : !simt.buffer<i32, shared, 256>, i32
    simt.store %w, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: count:
  // CHECK: s_barrier
  // G12-NEXT: s_barrier_wait
  // CHECK-NOT: s_barrier
  // CHECK: s_bcnt1
  // CHECK: ds_add_u32
  // CHECK-NOT: {{ds_add|ds_cmp}}
  // CHECK: s_barrier
  // G12-NEXT: s_barrier_wait
  // CHECK-NOT: {{ds_add|s_barrier}}
  // CHECK: s_endpgm
  func.func @count(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 256 : i32, full_blocks}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %z = arith.constant 0 : i32
    %q = arith.cmpi ne, %v, %z : i32
    %n = simt.barrier_reduce count %q
    simt.store %n, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // Two more calls, two more barriers.
  // CHECK-LABEL: thrice:
  // CHECK: s_barrier
  // G12-NEXT: s_barrier_wait
  // CHECK-NOT: s_barrier
  // CHECK: ds_add_u32
  // CHECK-NOT: ds_add
  // CHECK: s_barrier
  // G12-NEXT: s_barrier_wait
  // CHECK-NOT: s_barrier
  // CHECK: ds_add_u32
  // CHECK-NOT: ds_add
  // CHECK: s_barrier
  // G12-NEXT: s_barrier_wait
  // CHECK-NOT: s_barrier
  // CHECK: ds_add_u32
  // CHECK-NOT: ds_add
  // CHECK: s_barrier
  // G12-NEXT: s_barrier_wait
  // CHECK-NOT: {{ds_add|s_barrier}}
  // CHECK: s_endpgm
  func.func @thrice(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 256 : i32, full_blocks}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %z = arith.constant 0 : i32
    %q = arith.cmpi ne, %v, %z : i32
    %n = simt.barrier_reduce count %q
    %f = arith.cmpi slt, %v, %n : i32
    %a = simt.barrier_reduce all %f
    %g = arith.cmpi sgt, %v, %a : i32
    %b = simt.barrier_reduce any %g
    %r = arith.addi %a, %b : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // The turn is a scalar, the same for the wave.
  // CHECK-LABEL: rounds:
  // CHECK: s_barrier
  // G12-NEXT: s_barrier_wait
  // CHECK: s_cselect_b32
  // CHECK-NOT: {{readfirstlane|scratch_|buffer_load|buffer_store}}
  // CHECK: s_endpgm
  func.func @rounds(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 256 : i32, full_blocks}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %one = arith.constant 1 : i32
    %z = arith.constant 0 : i32
    %r = scf.while (%x = %v) : (i32) -> i32 {
      %q = arith.cmpi ne, %x, %z : i32
      %n = simt.barrier_reduce any %q
      %go = arith.cmpi ne, %n, %z : i32
      scf.condition(%go) %x : i32
    } do {
    ^bb0(%x: i32):
      %s = arith.shrui %x, %one : i32
      scf.yield %s : i32
    }
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
