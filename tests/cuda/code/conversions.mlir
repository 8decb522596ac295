// Reals to integers that saturate are one instruction. Its NaN is 0 for words of f32; else a
// selection follows. Narrow integers are clamped words.
// RUN: %ptx_75 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry singles(
  // CHECK: cvt.rzi.s32.f32
  // CHECK-NOT: setp
  // CHECK: cvt.rzi.u32.f32
  // CHECK-NOT: setp
  // CHECK: cvt.rzi.s64.f32
  // CHECK: setp.nan.f32
  // CHECK: selp
  // CHECK: ret;
  func.func @singles(%w: !simt.buffer<i32, global>, %d: !simt.buffer<i64, global>, %x: f32, %i: i32, %k: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %a = simt.to_int %x : f32 -> i32
    simt.store %a, %w[%i] : !simt.buffer<i32, global>, i32
    %b = simt.to_int unsigned %x : f32 -> i32
    simt.store %b, %w[%k] : !simt.buffer<i32, global>, i32
    %c = simt.to_int %x : f32 -> i64
    simt.store %c, %d[%i] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry doubles(
  // CHECK-DAG: cvt.rzi.s32.f64
  // CHECK-DAG: cvt.rzi.u64.f64
  // CHECK-DAG: setp.nan.f64
  // CHECK: ret;
  func.func @doubles(%w: !simt.buffer<i32, global>, %d: !simt.buffer<i64, global>, %x: f64, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %a = simt.to_int %x : f64 -> i32
    simt.store %a, %w[%i] : !simt.buffer<i32, global>, i32
    %b = simt.to_int unsigned %x : f64 -> i64
    simt.store %b, %d[%i] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry bytes(
  // CHECK: cvt.rzi.s32.f32
  // CHECK: max.s32 {{.*}}, -128
  // CHECK: min.s32 {{.*}}, 127
  // CHECK: ret;
  func.func @bytes(%p: !simt.buffer<i8, global>, %x: f32, %i: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %a = simt.to_int %x : f32 -> i8
    simt.store %a, %p[%i] : !simt.buffer<i8, global>, i32
    return
  }
}
