// A product for the test of a round and for the round after it is computed twice where both become
// fmas. Of two such products in one sum, one stays; it is not computed again.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry escape(
  // CHECK: [[LOOP:\$L[_A-Z0-9]+]]:
  // CHECK-COUNT-1: mul.rn.f32
  // CHECK-NOT: mul
  // CHECK: @{{%p[0-9]+}} bra [[LOOP]];
  func.func @escape(%out: !simt.buffer<f32, global>, %a: f32, %b: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4.0 : f32
    %i = simt.thread_idx
    %last:2 = scf.while (%x = %zero, %y = %zero) : (f32, f32) -> (f32, f32) {
      %xx = arith.mulf %x, %x : f32
      %yy = arith.mulf %y, %y : f32
      %length = arith.addf %xx, %yy : f32
      %inside = arith.cmpf olt, %length, %four : f32
      scf.condition(%inside) %x, %y : f32, f32
    } do {
    ^bb0(%x: f32, %y: f32):
      %xx = arith.mulf %x, %x : f32
      %yy = arith.mulf %y, %y : f32
      %difference = arith.subf %xx, %yy : f32
      %u = arith.addf %difference, %a : f32
      %twice = arith.addf %x, %x : f32
      %xy = arith.mulf %twice, %y : f32
      %v = arith.addf %xy, %b : f32
      scf.yield %u, %v : f32, f32
    }
    simt.store %last#0, %out[%i] : !simt.buffer<f32, global>, i32
    return
  }

  // The product also goes to memory: it is computed once.
  // CHECK-LABEL: .entry kept(
  // CHECK: [[LOOP:\$L[_A-Z0-9]+]]:
  // CHECK-COUNT-1: mul.rn.f32
  // CHECK-NOT: mul
  // CHECK: @{{%p[0-9]+}} bra [[LOOP]];
  func.func @kept(%out: !simt.buffer<f32, global>, %a: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %zero = arith.constant 0.0 : f32
    %four = arith.constant 4.0 : f32
    %i = simt.thread_idx
    %last = scf.while (%x = %zero) : (f32) -> f32 {
      %xx = arith.mulf %x, %x : f32
      simt.store volatile %xx, %out[%i] : !simt.buffer<f32, global>, i32
      %inside = arith.cmpf olt, %xx, %four : f32
      scf.condition(%inside) %x : f32
    } do {
    ^bb0(%x: f32):
      %xx = arith.mulf %x, %x : f32
      %u = arith.addf %xx, %a : f32
      scf.yield %u : f32
    }
    simt.store %last, %out[%i] : !simt.buffer<f32, global>, i32
    return
  }
}
