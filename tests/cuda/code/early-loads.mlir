// Loads stand before the first quotient, root or division of 64 bits of their block of code, since
// ptxas moves none over the branches that it makes of these. So they do before the first function of
// libdevice, which branches. Those after a store, or whose address depends on what was computed, stay.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry root(
  // CHECK: ld.global.f32
  // CHECK: ld.global.f32
  // CHECK: sqrt.rn.f32
  // CHECK: div.rn.f32
  // CHECK: st.global.f32
  // CHECK: ld.global.f32
  // CHECK: ret;
  func.func @root(%x: !simt.buffer<f32, global>, %y: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %j = arith.addi %i, %n : i32
    %a = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %root = math.sqrt %a : f32
    %b = simt.load %y[%j] : !simt.buffer<f32, global>, i32
    %quotient = arith.divf %root, %b : f32
    simt.store %quotient, %x[%i] : !simt.buffer<f32, global>, i32
    %c = simt.load %y[%i] : !simt.buffer<f32, global>, i32
    %sum = arith.addf %c, %quotient : f32
    simt.store %sum, %x[%j] : !simt.buffer<f32, global>, i32
    return
  }

  // CHECK-LABEL: .entry place(
  // CHECK: div.rn.f32
  // CHECK: ld.global.f32
  // CHECK: ret;
  func.func @place(%x: !simt.buffer<f32, global>, %a: f32, %b: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %quotient = arith.divf %a, %b : f32
    %at = arith.fptosi %quotient : f32 to i32
    %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
    simt.store %v, %x[%i] : !simt.buffer<f32, global>, i32
    return
  }

  // CHECK-LABEL: .entry wide(
  // CHECK: ld.global.u64
  // CHECK: div.u64
  // CHECK: ret;
  func.func @wide(%x: !simt.buffer<i64, global>, %a: i64, %b: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %quotient = arith.divui %a, %b : i64
    %v = simt.load %x[%i] : !simt.buffer<i64, global>, i32
    %sum = arith.addi %v, %quotient : i64
    simt.store %sum, %x[%i] : !simt.buffer<i64, global>, i32
    return
  }

  // The second load does not wait for the exponential.
  // CHECK-LABEL: .entry call(
  // CHECK: ld.global.f32
  // CHECK: ld.global.f32
  // CHECK: ex2.approx
  // CHECK: ret;
  func.func @call(%x: !simt.buffer<f32, global>, %y: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %a = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %s = math.exp %a : f32
    %b = simt.load %y[%i] : !simt.buffer<f32, global>, i32
    %sum = arith.addf %s, %b : f32
    simt.store %sum, %x[%i] : !simt.buffer<f32, global>, i32
    return
  }

  // No more than 16 words move.
  // CHECK-LABEL: .entry many(
  // CHECK-COUNT-8: ld.global.f64
  // CHECK-NOT: ld.global
  // CHECK: div.rn.f32
  // CHECK-COUNT-2: ld.global.f64
  // CHECK: ret;
  func.func @many(%x: !simt.buffer<f64, global>, %y: !simt.buffer<f32, global>, %a: f32, %b: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %quotient = arith.divf %a, %b : f32
    %wide = arith.extf %quotient : f32 to f64
    %c32 = arith.constant 32 : i32
    %0 = simt.load %x[%i] : !simt.buffer<f64, global>, i32
    %i1 = arith.addi %i, %c32 : i32
    %1 = simt.load %x[%i1] : !simt.buffer<f64, global>, i32
    %i2 = arith.addi %i1, %c32 : i32
    %2 = simt.load %x[%i2] : !simt.buffer<f64, global>, i32
    %i3 = arith.addi %i2, %c32 : i32
    %3 = simt.load %x[%i3] : !simt.buffer<f64, global>, i32
    %i4 = arith.addi %i3, %c32 : i32
    %4 = simt.load %x[%i4] : !simt.buffer<f64, global>, i32
    %i5 = arith.addi %i4, %c32 : i32
    %5 = simt.load %x[%i5] : !simt.buffer<f64, global>, i32
    %i6 = arith.addi %i5, %c32 : i32
    %6 = simt.load %x[%i6] : !simt.buffer<f64, global>, i32
    %i7 = arith.addi %i6, %c32 : i32
    %7 = simt.load %x[%i7] : !simt.buffer<f64, global>, i32
    %i8 = arith.addi %i7, %c32 : i32
    %8 = simt.load %x[%i8] : !simt.buffer<f64, global>, i32
    %i9 = arith.addi %i8, %c32 : i32
    %9 = simt.load %x[%i9] : !simt.buffer<f64, global>, i32
    %s0 = arith.addf %wide, %0 : f64
    %s1 = arith.addf %s0, %1 : f64
    %s2 = arith.addf %s1, %2 : f64
    %s3 = arith.addf %s2, %3 : f64
    %s4 = arith.addf %s3, %4 : f64
    %s5 = arith.addf %s4, %5 : f64
    %s6 = arith.addf %s5, %6 : f64
    %s7 = arith.addf %s6, %7 : f64
    %s8 = arith.addf %s7, %8 : f64
    %s9 = arith.addf %s8, %9 : f64
    simt.store %s9, %x[%i] : !simt.buffer<f64, global>, i32
    return
  }
}
