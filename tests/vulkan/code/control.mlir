// Structured control flow: results and carried values are phis; a loop's continue block
// holds nothing but the way back.
// RUN: sextant-opt %s --target=vulkan:1.1 --emit=asm -O0 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: %[[ENTRY:.*]] = OpLabel
  // CHECK: OpBranch %[[HEADER:.*]]
  // CHECK-NEXT: %[[HEADER]] = OpLabel
  // CHECK-NEXT: %[[I:.*]] = OpPhi %uint %uint_0 %{{.*}} %[[NEXT:.*]] %[[CONTINUE:.*]]
  // CHECK-NEXT: %[[S:.*]] = OpPhi %uint %uint_5 %{{.*}} %[[R:.*]] %[[CONTINUE]]
  // CHECK-NEXT: OpLoopMerge %[[MERGE:.*]] %[[CONTINUE]] None
  // CHECK-NEXT: OpBranch %[[TEST:.*]]
  // CHECK-NEXT: %[[TEST]] = OpLabel
  // CHECK-NEXT: %[[GO:.*]] = OpSLessThan %bool %[[I]]
  // CHECK-NEXT: OpBranchConditional %[[GO]] %[[BODY:.*]] %[[MERGE]]
  // CHECK-NEXT: %[[BODY]] = OpLabel
  // CHECK: OpSelectionMerge %[[JOIN:.*]] None
  // CHECK: %[[JOIN]] = OpLabel
  // CHECK-NEXT: %[[R]] = OpPhi %uint
  // CHECK-NEXT: %[[NEXT]] = OpIAdd %uint %[[I]] %uint_1
  // CHECK-NEXT: OpBranch %[[CONTINUE]]
  // CHECK-NEXT: %[[CONTINUE]] = OpLabel
  // CHECK-NEXT: OpBranch %[[HEADER]]
  // CHECK-NEXT: %[[MERGE]] = OpLabel
  // CHECK: %[[WHILE:.*]] = OpLabel
  // CHECK-NEXT: %[[X:.*]] = OpPhi %uint %[[S]] %[[MERGE]]
  // CHECK: OpStore %{{.*}} %[[X]]
  func.func @flow(%p: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %z = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %five = arith.constant 5 : i32
    %sum = scf.for %i = %z to %n step %one iter_args(%s = %five) -> i32 : i32 {
      %odd = arith.andi %i, %one : i32
      %q = arith.cmpi ne, %odd, %z : i32
      %r = scf.if %q -> i32 {
        %t = simt.load %p[%i] : !simt.buffer<i32, global>, i32
        scf.yield %t : i32
      } else {
        %m = arith.muli %s, %five : i32
        scf.yield %m : i32
      }
      scf.yield %r : i32
    }
    %w = scf.while (%x = %sum) : (i32) -> i32 {
      %q = arith.cmpi sgt, %x, %five : i32
      scf.condition(%q) %x : i32
    } do {
    ^bb0(%a: i32):
      %h = arith.subi %a, %five : i32
      scf.yield %h : i32
    }
    simt.store %w, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
}
