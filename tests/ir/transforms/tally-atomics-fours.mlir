// Four neighbouring places share a tag: with their totals they take 20 bytes, of 64 for each thread.
// RUN: sextant-opt "%s" "--pass=tally-atomics{fours}" | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @counts
  // CHECK-DAG: %[[TAGS:.*]] = simt.shared "places" : !simt.buffer<i32, shared, 1024>
  // CHECK-DAG: %[[TOTALS:.*]] = simt.shared "totals" : !simt.buffer<i32, shared, 4096>
  // CHECK: scf.for
  // CHECK-NEXT: arith.constant 0
  // CHECK-NEXT: simt.store %{{.*}}, %[[TOTALS]]
  // CHECK: %[[COUNT:.*]] = arith.shrui
  // CHECK: scf.for %{{.*}} = %{{.*}} to %[[COUNT]]
  // CHECK: simt.store %{{.*}}, %[[TAGS]]
  // CHECK: simt.barrier
  // CHECK: %[[PLACE:.*]] = simt.load %arg0
  // CHECK: %[[SLOT:.*]] = arith.andi %[[PLACE]]
  // CHECK: %[[TWO:.*]] = arith.constant 2
  // CHECK: %[[TAG:.*]] = arith.shrui %[[PLACE]], %[[TWO]]
  // CHECK: %[[INDEX:.*]] = arith.shrui %[[SLOT]]
  // CHECK: simt.load volatile %[[TAGS]][%[[INDEX]]]
  // CHECK: simt.atomic_cas %{{.*}}, %[[TAG]], %[[TAGS]][%[[INDEX]]]
  // CHECK: simt.atomic_rmw addi %{{.*}}, %[[TOTALS]][%[[SLOT]]] {simt.often_one_place}
  // CHECK: simt.atomic_rmw addi %{{.*}}, %arg1[%[[PLACE]]]
  // CHECK: simt.barrier
  // CHECK: scf.for %[[S:.*]] =
  // CHECK: %[[OWNER:.*]] = simt.load %[[TAGS]]
  // A neighbour that nothing was added to stays as it is in memory.
  // CHECK: %[[TOTAL:.*]] = simt.load %[[TOTALS]][%[[S]]]
  // CHECK: %[[CHANGED:.*]] = arith.cmpi ne, %[[TOTAL]]
  // CHECK: scf.if %[[CHANGED]]
  // CHECK: %[[FIRST:.*]] = arith.shli %[[OWNER]]
  // CHECK: %[[WHICH:.*]] = arith.andi %[[S]]
  // CHECK: %[[AT:.*]] = arith.ori %[[FIRST]], %[[WHICH]]
  // CHECK: simt.atomic_rmw addi %{{.*}}, %arg1[%[[AT]]]
  // CHECK: return
  func.func @counts(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    %t = simt.thread_idx
    %one = arith.constant 1 : i32
    %dim = arith.constant 512 : i32
    scf.for %turn = %b to %n step %g : i32 {
      %start = arith.muli %turn, %dim : i32
      %i = arith.addi %start, %t : i32
      %k = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %one, %bins[%k] : !simt.buffer<i32, global>, i32
    } {simt.turns}
    return
  }

  // Totals of reals are compared by their bits: 0.0 was added, -0.0 changes nothing.
  // CHECK-LABEL: func.func @reals
  // CHECK: simt.barrier
  // CHECK: simt.barrier
  // CHECK: %[[TOTAL:.*]] = simt.load
  // CHECK: %[[SUM:.*]] = simt.load
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
  // CHECK: %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
  // CHECK: %[[NEUTRAL:.*]] = arith.bitcast %[[NONE]] : f32 to i32
  // CHECK: arith.cmpi ne, %[[BITS]], %[[NEUTRAL]]
  func.func @reals(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    %one = arith.constant 1.0 : f32
    scf.for %turn = %b to %n step %g : i32 {
      %k = simt.load %x[%turn] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addf %one, %bins[%k] : !simt.buffer<f32, global>, i32
    } {simt.turns}
    return
  }
}
