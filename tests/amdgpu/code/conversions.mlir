// Reals to words that saturate, with 0 for NaN, are one instruction; narrow integers are clamped
// words. An integer that became a real is not taken back as it was.
// RUN: %gfx90a_wave64 | FileCheck %s
// RUN: %gfx1100_wave64 | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: words:
  // CHECK-NOT: v_cmp
  // CHECK-NOT: v_cndmask
  // CHECK-DAG: v_cvt_i32_f32
  // CHECK-DAG: v_cvt_u32_f64
  // CHECK: s_endpgm
  func.func @words(%w: !simt.buffer<i32, global>, %x: f32, %y: f64, %i: i32, %k: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %a = simt.to_int %x : f32 -> i32
    simt.store %a, %w[%i] : !simt.buffer<i32, global>, i32
    %b = simt.to_int unsigned %y : f64 -> i32
    simt.store %b, %w[%k] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: bytes:
  // CHECK: v_cvt_i32_f32
  // CHECK: v_med3_i32
  // CHECK: s_endpgm
  func.func @bytes(%p: !simt.buffer<i8, global>, %x: f32, %i: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %a = simt.to_int %x : f32 -> i8
    simt.store %a, %p[%i] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: of_integer:
  // CHECK: v_cvt_f64_i32
  // CHECK: v_cvt_i32_f64
  // CHECK: s_endpgm
  func.func @of_integer(%w: !simt.buffer<i32, global>, %n: i64, %i: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %x = arith.sitofp %n : i64 to f64
    %a = simt.to_int %x : f64 -> i32
    simt.store %a, %w[%i] : !simt.buffer<i32, global>, i32
    return
  }
}
