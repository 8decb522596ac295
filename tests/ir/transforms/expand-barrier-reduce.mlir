// Reducing barriers: three counters that take turns, one barrier a call, and one at the
// task's start unless it has its own there.
// RUN: sextant-opt %s --pass=expand-barrier-reduce,simplify | FileCheck %s

// CHECK-LABEL: func.func @count
// CHECK: %[[N:.*]] = simt.shared "reducing barrier" : !simt.buffer<i32, shared, 3>
// CHECK-NOT: simt.shared
// CHECK: %[[TURN:.*]] = simt.private : !simt.buffer<i32, private, 1>
// CHECK: simt.store %c0_i32, %[[TURN]][%c0_i32]
// CHECK: scf.if
// CHECK-NEXT: simt.store %c0_i32, %[[N]][%c0_i32]
// CHECK: simt.barrier
// CHECK: %[[T:.*]] = simt.load %[[TURN]]
// CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[T]], %c2_i32
// CHECK: %[[ONE_ON:.*]] = arith.addi %[[T]], %c1_i32
// CHECK: %[[NEXT:.*]] = arith.select %[[WRAPS]], %c0_i32, %[[ONE_ON]]
// CHECK: simt.store %[[NEXT]], %[[TURN]]
// CHECK: scf.if
// CHECK-NEXT: simt.store %c0_i32, %[[N]][%[[NEXT]]]
// CHECK: scf.if %arg1
// CHECK-NEXT: simt.atomic_rmw addi %c1_i32, %[[N]][%[[T]]]
// CHECK: simt.barrier
// CHECK: %[[R:.*]] = simt.load %[[N]][%[[T]]]
// CHECK: simt.store %[[R]], %arg0
// The second, of all: counts who objects.
// CHECK-NOT: simt.barrier
// CHECK: %[[U:.*]] = simt.load %[[TURN]]
// CHECK-NOT: simt.barrier
// CHECK: %[[NOT:.*]] = arith.xori %arg1
// CHECK: scf.if %[[NOT]]
// CHECK: simt.barrier
// CHECK: %[[M:.*]] = simt.load %[[N]][%[[U]]]
// CHECK: arith.cmpi eq, %[[M]]
// CHECK-NOT: simt.barrier
// CHECK: return
func.func @count(%a: !simt.buffer<i32, global>, %p: i1, %i: i32)
    attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
  %r = simt.barrier_reduce count %p
  simt.store %r, %a[%i] : !simt.buffer<i32, global>, i32
  %s = simt.barrier_reduce all %p
  simt.store %s, %a[%i] : !simt.buffer<i32, global>, i32
  return
}

// The task's own barrier does; in a loop, one barrier a round.
// CHECK-LABEL: func.func @rounds
// CHECK: simt.barrier
// CHECK-NOT: simt.barrier
// CHECK: scf.for
// CHECK: simt.atomic_rmw
// CHECK: simt.barrier
// CHECK-NOT: simt.barrier
// CHECK: return
func.func @rounds(%a: !simt.buffer<i32, global>, %p: i1, %n: i32)
    attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
  %z = arith.constant 0 : i32
  %c = arith.constant 1 : i32
  simt.barrier
  scf.for %k = %z to %n step %c : i32 {
    %r = simt.barrier_reduce any %p
    simt.store %r, %a[%k] : !simt.buffer<i32, global>, i32
  }
  return
}

