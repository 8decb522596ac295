// One instruction computes two products if both factors come from different banks of registers: a number
// that neighbours share is the first factor of one and the second of the other.
// RUN: %gfx1100_wave32 | FileCheck %s
// RUN: %gfx1201_wave32 | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: scaled:
  // CHECK: v_dual_mul_f32 {{.*}} :: v_dual_mul_f32
  // CHECK: s_endpgm
  func.func @scaled(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %at0 = arith.muli %t, %c4 overflow<nsw> : i32
    %at1 = arith.addi %at0, %c1 overflow<nsw> : i32
    %at2 = arith.addi %at0, %c2 overflow<nsw> : i32
    %at3 = arith.addi %at0, %c3 overflow<nsw> : i32
    %a = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %b:4 = simt.load_vector %q[%t] : !simt.buffer<f32, global>, i32 -> f32, f32, f32, f32
    %0 = arith.mulf %a, %b#0 : f32
    %1 = arith.mulf %a, %b#1 : f32
    %2 = arith.mulf %a, %b#2 : f32
    %3 = arith.mulf %a, %b#3 : f32
    simt.store %0, %q[%at0] : !simt.buffer<f32, global>, i32
    simt.store %1, %q[%at1] : !simt.buffer<f32, global>, i32
    simt.store %2, %q[%at2] : !simt.buffer<f32, global>, i32
    simt.store %3, %q[%at3] : !simt.buffer<f32, global>, i32
    return
  }
}
