// The record of a fault, and what the threads of a block agree on.
// RUN: sextant-opt %s --pass="expand-checks,simplify" --split-input-file | FileCheck %s

// The first fault gets the record: site, block, thread, both values in halves. Nothing else
// is asked for than an atomic add on 32 bits.
// CHECK-LABEL: func.func @bounds
// CHECK-SAME: %[[OK:.*]]: i1, %[[INDEX:.*]]: i64, %[[SIZE:.*]]: i64, %[[F:.*]]: !simt.buffer
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[SITE:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK: %[[BAD:.*]] = arith.xori %[[OK]]
// CHECK: scf.if %[[BAD]] {
// CHECK-NEXT: %[[OLD:.*]] = simt.atomic_rmw addi %[[ONE]], %[[F]][%[[ZERO]]]
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[OLD]], %[[ZERO]]
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-DAG: %[[BLOCK:.*]] = simt.block_idx
// CHECK-DAG: %[[THREAD:.*]] = simt.thread_idx
// CHECK: simt.store %[[SITE]], %[[F]][%[[ONE]]]
// CHECK-NEXT: simt.store %[[BLOCK]],
// CHECK-NEXT: simt.store %[[THREAD]],
// CHECK-COUNT-3: simt.store
// CHECK: simt.store %{{.*}}, %[[F]][%[[SEVEN]]]
// CHECK-NOT: simt.check
func.func @bounds(%ok: i1, %index: i64, %size: i64, %faults: !simt.buffer<i32, global>)
    attributes {simt.task = {block_dim = 64 : i32}} {
  simt.check %ok, %faults site 3 (%index, %size) : !simt.buffer<i32, global>
  return
}

// -----

// A condition that is known to hold costs nothing.
// CHECK-LABEL: func.func @known
// CHECK-NEXT: return
func.func @known(%faults: !simt.buffer<i32, global>)
    attributes {simt.task = {block_dim = 64 : i32}} {
  %true = arith.constant true
  simt.check %true, %faults site 1 : !simt.buffer<i32, global>
  return
}

// -----

// A condition from memory: all of the 64 threads go, or nobody does.
// CHECK-LABEL: func.func @voted
// CHECK-DAG: %[[ALL:.*]] = arith.constant 64 : i32
// CHECK: %[[C:.*]] = arith.cmpi
// CHECK: %[[N:.*]] = simt.barrier_reduce count %[[C]]
// CHECK: %[[EVERY:.*]] = arith.cmpi eq, %[[N]], %[[ALL]]
// CHECK: %[[NONE:.*]] = arith.cmpi eq, %[[N]], %{{.*}}
// CHECK: %[[SAME:.*]] = arith.ori %[[EVERY]], %[[NONE]]
// CHECK: arith.ori %[[SAME]], %[[C]]
// CHECK: simt.atomic_rmw
// CHECK: scf.if %[[EVERY]] {
// CHECK-NEXT: simt.barrier
func.func @voted(%x: !simt.buffer<i32, global>, %faults: !simt.buffer<i32, global>)
    attributes {simt.task = {block_dim = 64 : i32}} {
  %t = simt.thread_idx
  %v = simt.load %x[%t] : !simt.buffer<i32, global>, i32
  %c = arith.cmpi sgt, %v, %t : i32
  %agreed = simt.agree %c, %faults site 4 : i1, !simt.buffer<i32, global>
  scf.if %agreed {
    simt.barrier
  }
  return
}

// -----

// A number of iterations is compared with thread 0's, in both halves.
// CHECK-LABEL: func.func @trips
// CHECK: %[[SHARED:.*]] = simt.shared "agreement" : !simt.buffer<i32, shared, 2>
// CHECK: %[[N:.*]] = simt.load %{{.*}} : !simt.buffer<i64, global>
// CHECK: scf.if
// CHECK-COUNT-2: simt.store %{{.*}}, %[[SHARED]]
// CHECK: simt.barrier
// CHECK-COUNT-2: simt.load %[[SHARED]]
// CHECK: simt.barrier_reduce all
// CHECK: %[[AGREED:.*]] = arith.select %{{.*}}, %[[N]], %{{.*}} : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[AGREED]]
func.func @trips(%x: !simt.buffer<i64, global>, %faults: !simt.buffer<i32, global>)
    attributes {simt.task = {block_dim = 64 : i32}} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %t = simt.thread_idx
  %n = simt.load %x[%t] : !simt.buffer<i64, global>, i32
  %agreed = simt.agree %n, %faults site 4 : i64, !simt.buffer<i32, global>
  scf.for %i = %zero to %agreed step %one : i64 {
    simt.barrier
  }
  return
}

// -----

// Arguments, the block's index, and what loops make of them, are the same in all threads: no
// vote. One more loop-carried value that comes from the thread's index does no harm.
// CHECK-LABEL: func.func @uniform
// CHECK-NOT: barrier_reduce
// CHECK-NOT: simt.agree
// CHECK: return
func.func @uniform(%n: i32, %x: !simt.buffer<i32, global>, %faults: !simt.buffer<i32, global>)
    attributes {simt.task = {block_dim = 64 : i32}} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %b = simt.block_idx
  %t = simt.thread_idx
  %limit = arith.addi %n, %b : i32
  %r:2 = scf.while (%k = %limit, %sum = %t) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi sgt, %k, %zero : i32
    %agreed = simt.agree %more, %faults site 1 : i1, !simt.buffer<i32, global>
    scf.condition(%agreed) %k, %sum : i32, i32
  } do {
  ^bb0(%k: i32, %sum: i32):
    simt.barrier
    %next = arith.shrsi %k, %one : i32
    %more = arith.addi %sum, %k : i32
    scf.yield %next, %more : i32, i32
  }
  simt.store %r#1, %x[%t] : !simt.buffer<i32, global>, i32
  return
}

// -----

// A value that some threads assign in a branch of theirs is not.
// CHECK-LABEL: func.func @assigned
// CHECK: simt.barrier_reduce count
func.func @assigned(%n: i32, %faults: !simt.buffer<i32, global>)
    attributes {simt.task = {block_dim = 64 : i32}} {
  %zero = arith.constant 0 : i32
  %t = simt.thread_idx
  %p = arith.cmpi slt, %t, %n : i32
  %flag = scf.if %p -> (i32) {
    scf.yield %n : i32
  } else {
    scf.yield %zero : i32
  }
  %c = arith.cmpi eq, %flag, %zero : i32
  %agreed = simt.agree %c, %faults site 1 : i1, !simt.buffer<i32, global>
  scf.if %agreed {
    simt.barrier
  }
  return
}

// -----

// A block of one thread agrees with itself.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: barrier_reduce
// CHECK: return
func.func @alone(%c: i1, %faults: !simt.buffer<i32, global>)
    attributes {simt.task = {block_dim = 1 : i32, serial}} {
  %agreed = simt.agree %c, %faults site 1 : i1, !simt.buffer<i32, global>
  scf.if %agreed {
    simt.barrier
  }
  return
}
