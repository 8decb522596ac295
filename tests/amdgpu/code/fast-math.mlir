// Kernels with fast math have the instruction for sines of f32. Those of f16 are reduced first.
// REQUIRES: ocml
// RUN: %gfx90a_wave64 | FileCheck %s

module attributes {simt.wave = 64 : i32, simt.fast_math} {
  // CHECK-LABEL: single:
  // CHECK-NOT: v_fma
  // CHECK: v_sin_f32
  // CHECK: s_endpgm
  func.func @single(%p: !simt.buffer<f32, global>, %x: f32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %sin = math.sin %x : f32
    simt.store %sin, %p[%c0] : !simt.buffer<f32, global>, i32
    return
  }

  // CHECK-LABEL: half:
  // CHECK-NOT: v_sin_f32
  // CHECK: v_fma
  // CHECK-NOT: v_sin_f32
  // CHECK: s_endpgm
  func.func @half(%p: !simt.buffer<f16, global>, %x: f16) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %sin = math.sin %x : f16
    simt.store %sin, %p[%c0] : !simt.buffer<f16, global>, i32
    return
  }
}
