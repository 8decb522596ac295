// A block's index over a number of blocks is divided through f32: blocks of 256 threads have indices
// below 2^23. Those of blocks of 64 threads may be too large.
// RUN: %gfx90a_wave64 | FileCheck %s
// RUN: %gfx942_wave64 | FileCheck %s
// RUN: %gfx1100_wave32 | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: small:
  // CHECK-NOT: mul_hi
  // CHECK: v_rcp
  // CHECK-NOT: mul_hi
  // CHECK: s_endpgm
  func.func @small(%p: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 256 : i32}} {
    %block = simt.block_idx
    %t = simt.thread_idx
    %row = arith.divui %block, %n : i32
    simt.store %row, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: large:
  // CHECK: mul_hi
  // CHECK: s_endpgm
  func.func @large(%p: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %block = simt.block_idx
    %t = simt.thread_idx
    %row = arith.divui %block, %n : i32
    simt.store %row, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
