// A product and a sum of the kernel become one fma. libdevice's do not, whose power computes
// what rounding lost: the products that it has are rounded, and ptxas does not fuse those.
// REQUIRES: libdevice
// RUN: %ptx_75 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry ours(
  // CHECK-NOT: mul
  // CHECK: fma.rn.f32
  // CHECK: ret;
  func.func @ours(%p: !simt.buffer<f32, global>, %x: f32, %y: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %i0 = arith.constant 0 : i32
    %product = arith.mulf %x, %y : f32
    %sum = arith.addf %product, %x : f32
    simt.store %sum, %p[%i0] : !simt.buffer<f32, global>, i32
    func.return
  }
  // CHECK-LABEL: .entry precise(
  // CHECK-NOT: fma
  // CHECK: mul.rn.f32
  // CHECK: add.rn.f32
  // CHECK: mul.rn.f32
  // CHECK: sub.rn.f32
  // CHECK-NOT: fma
  // CHECK: ret;
  func.func @precise(%p: !simt.buffer<f32, global>, %x: f32, %y: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %i0 = arith.constant 0 : i32
    %product = arith.mulf %x, %y {simt.precise} : f32
    %sum = arith.addf %product, %x : f32
    %square = arith.mulf %y, %y : f32
    %less = arith.subf %square, %sum {simt.precise} : f32
    simt.store %less, %p[%i0] : !simt.buffer<f32, global>, i32
    func.return
  }
  // CHECK-LABEL: .entry power(
  // CHECK-NOT: mul.f32
  // CHECK-NOT: add.f32
  // CHECK: mul.rn.f32
  // CHECK-NOT: mul.f32
  // CHECK-NOT: add.f32
  // CHECK: ret;
  func.func @power(%p: !simt.buffer<f32, global>, %x: f32, %y: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %i0 = arith.constant 0 : i32
    %power = math.powf %x, %y : f32
    simt.store %power, %p[%i0] : !simt.buffer<f32, global>, i32
    func.return
  }
}
