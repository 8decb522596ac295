// Code that ptxas gets wrong is spelled so that it does not (backends/cuda/PtxasFaults.cpp).
// RUN: %ptx_90 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry least(
  // CHECK-NOT: neg.s32
  // CHECK: not.b32 %[[N:r[0-9]+]], %{{r[0-9]+}};
  // CHECK-NEXT: add.s32 %[[N]], %[[N]], 1;
  // CHECK: min.s32
  // CHECK: min.s32
  // CHECK: ret;
  func.func @least(%p: !simt.buffer<i32, global>, %a: i32, %b: i32, %c: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    %n = arith.subi %z, %c : i32
    %m = arith.minsi %b, %n : i32
    %l = arith.minsi %a, %m : i32
    simt.store %l, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
  // Elsewhere a negation is one.
  // CHECK-LABEL: .entry plain(
  // CHECK: neg.s32
  // CHECK: ret;
  func.func @plain(%p: !simt.buffer<i32, global>, %c: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    %n = arith.subi %z, %c : i32
    simt.store %n, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
}
