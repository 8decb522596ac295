// Structured control flow: results and carried values become phis.
// RUN: sextant-opt %s --target=cuda:compute_75 -O0 --dump-ir=cuda-llvm --emit=none | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: @flow(
  // CHECK: for:
  // CHECK-NEXT: %[[I:.*]] = phi i32 [ 0, %entry ], [ %{{.*}}, %join ]
  // CHECK-NEXT: %[[S:.*]] = phi i32 [ 5, %entry ], [ %[[J:.*]], %join ]
  // CHECK: icmp slt i32 %[[I]], %{{.*}}
  // CHECK: join:
  // CHECK-NEXT: %[[J]] = phi i32 [ %{{.*}}, %then ], [ %{{.*}}, %else ]
  // CHECK: while:
  // CHECK-NEXT: phi i32 [ %[[S]], %endfor ]
  // CHECK: br i1 %{{.*}}, label %do, label %endwhile
  func.func @flow(%p: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %sum = scf.for %i = %z to %n step %one iter_args(%s = %five) -> i32 : i32 {
      %odd = arith.andi %i, %one : i32
      %q = arith.cmpi ne, %odd, %z : i32
      %r = scf.if %q -> i32 {
        %a = arith.addi %s, %i : i32
        scf.yield %a : i32
      } else {
        %m = arith.muli %s, %five : i32
        scf.yield %m : i32
      }
      scf.yield %r : i32
    }
    %w:2 = scf.while (%x = %sum) : (i32) -> (i32, i32) {
      %q = arith.cmpi sgt, %x, %five : i32
      %y = arith.addi %x, %one : i32
      scf.condition(%q) %x, %y : i32, i32
    } do {
    ^bb0(%a: i32, %b: i32):
      %h = arith.subi %a, %five : i32
      scf.yield %h : i32
    }
    simt.store %w#0, %p[%z] : !simt.buffer<i32, global>, i32
    simt.store %w#1, %p[%one] : !simt.buffer<i32, global>, i32
    return
  }
}
