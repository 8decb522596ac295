// Four iterations a step of short loops whose count is known at their beginning. LLVM would take two
// of these. A loop that says how many it wants has that. All 64 iterations of a sum are one block.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry sums(
  // CHECK-COUNT-4: div.rn.f32
  // CHECK: bra
  // CHECK-LABEL: .entry two(
  // CHECK-COUNT-2: div.rn.f32
  // CHECK-NOT: div
  // CHECK: bra
  func.func @sums(%x: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (f32) : i32 {
      %v0 = simt.load %x[%i] : !simt.buffer<f32, global>, i32
      %q = arith.divf %v0, %before : f32
      %a0 = arith.mulf %q, %v0 {simt.precise} : f32
      %b0 = arith.addf %a0, %before {simt.precise} : f32
      %a1 = arith.mulf %b0, %v0 {simt.precise} : f32
      %b1 = arith.addf %a1, %before {simt.precise} : f32
      %a2 = arith.mulf %b1, %v0 {simt.precise} : f32
      %b2 = arith.addf %a2, %before {simt.precise} : f32
      %a3 = arith.mulf %b2, %v0 {simt.precise} : f32
      %b3 = arith.addf %a3, %before {simt.precise} : f32
      %a4 = arith.mulf %b3, %v0 {simt.precise} : f32
      %b4 = arith.addf %a4, %before {simt.precise} : f32
      %a5 = arith.mulf %b4, %v0 {simt.precise} : f32
      %b5 = arith.addf %a5, %before {simt.precise} : f32
      %a6 = arith.mulf %b5, %v0 {simt.precise} : f32
      %b6 = arith.addf %a6, %before {simt.precise} : f32
      %a7 = arith.mulf %b6, %v0 {simt.precise} : f32
      %b7 = arith.addf %a7, %before {simt.precise} : f32
      %a8 = arith.mulf %b7, %v0 {simt.precise} : f32
      %b8 = arith.addf %a8, %before {simt.precise} : f32
      %a9 = arith.mulf %b8, %v0 {simt.precise} : f32
      %b9 = arith.addf %a9, %before {simt.precise} : f32
      scf.yield %b9 : f32
    }
    simt.store %sum, %x[%t] : !simt.buffer<f32, global>, i32
    return
  }
  func.func @two(%x: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %zero) -> (f32) : i32 {
      %v0 = simt.load %x[%i] : !simt.buffer<f32, global>, i32
      %q = arith.divf %v0, %before : f32
      %a0 = arith.mulf %q, %v0 {simt.precise} : f32
      %b0 = arith.addf %a0, %before {simt.precise} : f32
      %a1 = arith.mulf %b0, %v0 {simt.precise} : f32
      %b1 = arith.addf %a1, %before {simt.precise} : f32
      %a2 = arith.mulf %b1, %v0 {simt.precise} : f32
      %b2 = arith.addf %a2, %before {simt.precise} : f32
      %a3 = arith.mulf %b2, %v0 {simt.precise} : f32
      %b3 = arith.addf %a3, %before {simt.precise} : f32
      %a4 = arith.mulf %b3, %v0 {simt.precise} : f32
      %b4 = arith.addf %a4, %before {simt.precise} : f32
      %a5 = arith.mulf %b4, %v0 {simt.precise} : f32
      %b5 = arith.addf %a5, %before {simt.precise} : f32
      %a6 = arith.mulf %b5, %v0 {simt.precise} : f32
      %b6 = arith.addf %a6, %before {simt.precise} : f32
      %a7 = arith.mulf %b6, %v0 {simt.precise} : f32
      %b7 = arith.addf %a7, %before {simt.precise} : f32
      %a8 = arith.mulf %b7, %v0 {simt.precise} : f32
      %b8 = arith.addf %a8, %before {simt.precise} : f32
      %a9 = arith.mulf %b8, %v0 {simt.precise} : f32
      %b9 = arith.addf %a9, %before {simt.precise} : f32
      scf.yield %b9 : f32
    } {simt.unroll = 2 : i32}
    simt.store %sum, %x[%t] : !simt.buffer<f32, global>, i32
    return
  }

  // From an odd element on: else it would be a row (vectorize-rows.mlir).
  // CHECK-LABEL: .entry whole(
  // CHECK-COUNT-64: ld.global.f32
  // CHECK-NOT: {{ld.global|bra}}
  // CHECK: ret;
  func.func @whole(%x: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %c1 = arith.constant 1 : i32
    %c65 = arith.constant 65 : i32
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c1 to %c65 step %c1 iter_args(%before = %zero) -> (f32) : i32 {
      %row = arith.muli %t, %n overflow<nsw> : i32
      %at = arith.addi %row, %i overflow<nsw> : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %next = arith.addf %before, %v : f32
      scf.yield %next : f32
    }
    simt.store %sum, %x[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
