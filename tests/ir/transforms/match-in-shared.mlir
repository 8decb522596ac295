// Matches by way of shared memory: one array a task, rows of subgroups, and the lane number
// that is found there instead of the value.
// RUN: sextant-opt %s --pass=match-in-shared | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @both
  // CHECK: %[[S:.*]] = simt.shared "match" : !simt.buffer<i8, shared, 512>
  // CHECK: %[[T:.*]] = simt.thread_idx
  // CHECK: %[[G:.*]] = arith.shrui %[[T]], %c5_i32
  // CHECK: %[[R:.*]] = arith.shli %[[G]], %c8_i32
  // CHECK: %[[D:.*]] = arith.andi %arg1, %c255_i32
  // CHECK: %[[AT:.*]] = arith.addi %[[R]], %[[D]]
  // CHECK: %[[L:.*]] = arith.trunci %{{.*}} : i32 to i8
  // CHECK: simt.store volatile %[[L]], %[[S]][%[[AT]]]
  // CHECK-NEXT: simt.subgroup_barrier
  // CHECK-NEXT: %[[F:.*]] = simt.load volatile %[[S]][%[[AT]]]
  // CHECK: %[[W:.*]] = arith.extui %[[F]] : i8 to i32
  // CHECK: simt.match %[[W]] bits 5
  // CHECK-NOT: simt.shared
  // CHECK: simt.store volatile %{{.*}}, %[[S]]
  // CHECK: simt.match %{{.*}} bits 5
  // CHECK: simt.match %arg1 bits 5
  // CHECK: simt.match %arg1 bits 11
  func.func @both(%a: !simt.buffer<i64, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %0 = simt.match %v bits 8
    %1 = simt.match %v bits 6
    %2 = simt.match %v bits 5
    %3 = simt.match %v bits 11
    %4 = arith.addi %0, %1 : i64
    %5 = arith.addi %2, %3 : i64
    %6 = arith.addi %4, %5 : i64
    simt.store %6, %a[%v] : !simt.buffer<i64, global>, i32
    return
  }
}
