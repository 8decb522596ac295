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
  // Where reals are computed two at a time, LLVM converts vectors.
  // CHECK-LABEL: pairs:
  // CHECK-NOT: v_cndmask
  // CHECK: s_endpgm
  func.func @pairs(%p: !simt.buffer<f32, global>, %w: !simt.buffer<i32, global>, %i: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %two = arith.constant 2 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %scale = arith.constant 3.0 : f32
    %i0 = arith.shli %i, %two : i32
    %i1 = arith.ori %i0, %one : i32
    %i2 = arith.ori %i0, %two : i32
    %i3 = arith.ori %i0, %three : i32
    %x0 = simt.load %p[%i0] : !simt.buffer<f32, global>, i32
    %x1 = simt.load %p[%i1] : !simt.buffer<f32, global>, i32
    %x2 = simt.load %p[%i2] : !simt.buffer<f32, global>, i32
    %x3 = simt.load %p[%i3] : !simt.buffer<f32, global>, i32
    %y0 = arith.mulf %x0, %scale : f32
    %n0 = simt.to_int %y0 : f32 -> i32
    %y1 = arith.mulf %x1, %scale : f32
    %n1 = simt.to_int %y1 : f32 -> i32
    %y2 = arith.mulf %x2, %scale : f32
    %n2 = simt.to_int %y2 : f32 -> i32
    %y3 = arith.mulf %x3, %scale : f32
    %n3 = simt.to_int %y3 : f32 -> i32
    simt.store %n0, %w[%i0] : !simt.buffer<i32, global>, i32
    simt.store %n1, %w[%i1] : !simt.buffer<i32, global>, i32
    simt.store %n2, %w[%i2] : !simt.buffer<i32, global>, i32
    simt.store %n3, %w[%i3] : !simt.buffer<i32, global>, i32
    return
  }
}
