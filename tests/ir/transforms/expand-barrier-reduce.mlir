// Reducing barriers as one shared counter a task.
// RUN: sextant-opt %s --pass=expand-barrier-reduce,simplify | FileCheck %s

// CHECK-LABEL: func.func @count
// CHECK: %[[N:.*]] = simt.shared "reducing barrier" : !simt.buffer<i32, shared, 1>
// CHECK-NOT: simt.shared
// CHECK: simt.barrier
// CHECK: scf.if
// CHECK-NEXT: simt.store %{{.*}}, %[[N]]
// CHECK: simt.barrier
// CHECK: scf.if %arg1
// CHECK-NEXT: simt.atomic_rmw addi %{{.*}}, %[[N]]
// CHECK: simt.barrier
// CHECK: %[[R:.*]] = simt.load %[[N]]
// CHECK: simt.store %[[R]], %arg0
// The second, of all: counts who objects.
// CHECK: simt.barrier
// CHECK: %[[NOT:.*]] = arith.xori %arg1
// CHECK: scf.if %[[NOT]]
// CHECK: %[[M:.*]] = simt.load %[[N]]
// CHECK: arith.cmpi eq, %[[M]]
func.func @count(%a: !simt.buffer<i32, global>, %p: i1, %i: i32)
    attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
  %r = simt.barrier_reduce count %p
  simt.store %r, %a[%i] : !simt.buffer<i32, global>, i32
  %s = simt.barrier_reduce all %p
  simt.store %s, %a[%i] : !simt.buffer<i32, global>, i32
  return
}
