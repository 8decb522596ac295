// ocml's functions are linked, specialised and inlined, also for processors that are newer
// than the library; what LLVM has itself needs none of it.
// REQUIRES: ocml
// RUN: %gfx90a_wave64 | FileCheck %s
// RUN: %gfx1100_wave32 | FileCheck %s
// RUN: %gfx1201_wave64 | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: sine:
  // CHECK-NOT: {{s_swappc|s_getpc|scratch_|buffer_store}}
  // CHECK: s_endpgm
  func.func @sine(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = math.sin %v : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: power:
  // CHECK-NOT: {{s_swappc|s_getpc|scratch_|buffer_store}}
  // CHECK: s_endpgm
  func.func @power(%p: !simt.buffer<f64, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f64, global>, i32
    %r = math.powf %v, %v : f64
    simt.store %r, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // A half is computed as a float, rounded once.
  // CHECK-LABEL: half:
  // CHECK: v_cvt_f32_f16
  // CHECK: v_cvt_f16_f32
  // CHECK: s_endpgm
  func.func @half(%p: !simt.buffer<f16, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f16, global>, i32
    %r = math.exp %v : f16
    simt.store %r, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // Rounded correctly: more than the one instruction.
  // CHECK-LABEL: root:
  // CHECK: v_sqrt_f32
  // CHECK: v_fma_f32
  // CHECK: s_endpgm
  func.func @root(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = math.sqrt %v : f32
    %w = arith.divf %r, %v : f32
    simt.store %w, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
