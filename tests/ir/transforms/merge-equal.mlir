// Ops that compute the same are merged; reads only in one block, and where nothing writes between.
// RUN: sextant-opt %s --pass=simplify | FileCheck %s

// CHECK-LABEL: func.func @reads
// CHECK: %[[A:.*]] = simt.load %arg0[%arg1]
// CHECK-NEXT: %[[B:.*]] = arith.addi %[[A]], %[[A]]
// CHECK-NEXT: simt.store %[[B]], %arg0[%arg1]
// CHECK-NEXT: %[[C:.*]] = simt.load %arg0[%arg1]
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[D:.*]] = simt.load %arg0[%arg1]
// CHECK-NEXT: %[[E:.*]] = arith.addi %[[D]], %[[C]]
// CHECK-NEXT: simt.store %[[E]], %arg0[%arg1]
// CHECK-NEXT: }
// CHECK-NEXT: %[[F:.*]] = simt.load %arg0[%arg1]
// CHECK-NEXT: simt.barrier
// CHECK-NEXT: %[[G:.*]] = simt.load %arg0[%arg1]
// CHECK-NEXT: %[[H:.*]] = arith.addi %[[F]], %[[G]]
// CHECK-NEXT: simt.store %[[H]], %arg0[%arg1]
func.func @reads(%a: !simt.buffer<i32, global>, %i: i32, %p: i1)
    attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
  %0 = simt.load %a[%i] : !simt.buffer<i32, global>, i32
  %1 = simt.load %a[%i] : !simt.buffer<i32, global>, i32
  %2 = arith.addi %0, %1 : i32
  simt.store %2, %a[%i] : !simt.buffer<i32, global>, i32
  %3 = simt.load %a[%i] : !simt.buffer<i32, global>, i32
  scf.if %p {
    %4 = simt.load %a[%i] : !simt.buffer<i32, global>, i32
    %5 = arith.addi %4, %3 : i32
    simt.store %5, %a[%i] : !simt.buffer<i32, global>, i32
  }
  %6 = simt.load %a[%i] : !simt.buffer<i32, global>, i32
  simt.barrier
  %7 = simt.load %a[%i] : !simt.buffer<i32, global>, i32
  %8 = arith.addi %6, %7 : i32
  simt.store %8, %a[%i] : !simt.buffer<i32, global>, i32
  return
}

// A block knows the values that are computed around it. Values of a block are not known after it. A write in a branch stands between the reads around it.
// CHECK-LABEL: func.func @nested
// CHECK: %[[PLACE:.*]] = arith.muli %arg1, %arg1
// CHECK-NEXT: %[[B:.*]] = scf.if
// CHECK-NEXT: %[[IN:.*]] = simt.load %arg0[%[[PLACE]]]
// CHECK-NEXT: %[[MORE:.*]] = arith.addi %[[IN]], %arg1
// CHECK: %[[SUM:.*]] = arith.addi %[[B]], %arg1
// CHECK-NEXT: %[[A:.*]] = simt.load %arg0[%[[PLACE]]]
// CHECK-NEXT: %[[C:.*]] = arith.addi %[[SUM]], %[[A]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: simt.store %[[A]], %arg0[%[[C]]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[D:.*]] = simt.load %arg0[%[[PLACE]]]
// CHECK-NEXT: simt.store %[[D]], %arg0[%arg1]
func.func @nested(%a: !simt.buffer<i32, global>, %i: i32, %p: i1)
    attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
  %place = arith.muli %i, %i : i32
  %0 = scf.if %p -> (i32) {
    %same = arith.muli %i, %i : i32
    %1 = simt.load %a[%same] : !simt.buffer<i32, global>, i32
    %2 = arith.addi %1, %i : i32
    scf.yield %2 : i32
  } else {
    scf.yield %i : i32
  }
  %3 = arith.addi %0, %i : i32
  %4 = simt.load %a[%place] : !simt.buffer<i32, global>, i32
  %5 = arith.addi %3, %4 : i32
  scf.if %p {
    simt.store %4, %a[%5] : !simt.buffer<i32, global>, i32
  }
  %6 = simt.load %a[%place] : !simt.buffer<i32, global>, i32
  simt.store %6, %a[%i] : !simt.buffer<i32, global>, i32
  return
}
