// The IR that code generation starts from: a value that lanes share in a loop is copied for
// those that leave it, in the loop; small halves of 64 bits are apart; nothing else changes.
// RUN: sextant-opt %s --target=amdgpu:gfx942 --emit=none --dump-ir=amdgpu-workarounds | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: @leave(
  // CHECK: [[COUNT:%.*]] = phi i32
  // CHECK: [[OWN:%.*]] = call i32 asm "", "=v,0"(i32 [[COUNT]])
  // CHECK: br i1 {{.*}}, label %while, label %endwhile
  // CHECK: store i32 [[OWN]],
  func.func @leave(%table: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %r = scf.while (%k = %zero) : (i32) -> i32 {
      %at = arith.addi %t, %k : i32
      %v = simt.load %table[%at] : !simt.buffer<i32, global>, i32
      %more = arith.cmpi sgt, %v, %zero : i32
      scf.condition(%more) %k : i32
    } do {
    ^bb0(%k: i32):
      %next = arith.addi %k, %one : i32
      scf.yield %next : i32
    }
    simt.store %r, %out[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: @plain(
  // CHECK-NOT: asm
  // CHECK: ret void
  func.func @plain(%x: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %x[%t] : !simt.buffer<i32, global>, i32
    %one = arith.constant 1 : i32
    %odd = arith.ori %n, %one : i32
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %zero to %odd step %one iter_args(%s = %v) -> (i32) : i32 {
      %w = arith.xori %s, %i : i32
      %z = arith.muli %w, %odd : i32
      scf.yield %z : i32
    }
    %small = arith.andi %sum, %odd : i32
    %q = arith.divui %small, %odd : i32
    simt.store %q, %x[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
