// Where blocks take turns, updates at data-dependent places go through a table of the block.
// RUN: sextant-opt %s --pass=tally-atomics --split-input-file | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @counts
  // CHECK-DAG: %[[TAGS:.*]] = simt.shared "places" : !simt.buffer<i32, shared, 4096>
  // CHECK-DAG: %[[TOTALS:.*]] = simt.shared "totals" : !simt.buffer<i32, shared, 4096>
  // CHECK: scf.for
  // CHECK-DAG: simt.store %{{.*}}, %[[TAGS]]
  // CHECK-DAG: simt.store %{{.*}}, %[[TOTALS]]
  // CHECK: simt.barrier
  // CHECK: scf.for
  // CHECK: %[[PLACE:.*]] = simt.load %arg0
  // CHECK: %[[SLOT:.*]] = arith.andi %[[PLACE]]
  // CHECK: simt.load volatile %[[TAGS]][%[[SLOT]]]
  // CHECK: simt.atomic_cas %{{.*}}, %[[PLACE]], %[[TAGS]][%[[SLOT]]]
  // CHECK: simt.atomic_rmw addi %{{.*}}, %[[TOTALS]][%[[SLOT]]] {simt.often_one_place}
  // CHECK: simt.atomic_rmw addi %{{.*}}, %arg1[%[[PLACE]]]
  // CHECK: simt.barrier
  // CHECK: scf.for
  // CHECK: %[[TAG:.*]] = simt.load %[[TAGS]]
  // CHECK: %[[TOTAL:.*]] = simt.load %[[TOTALS]]
  // CHECK: simt.atomic_rmw addi %[[TOTAL]], %arg1[%[[TAG]]]
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

  // Smaller blocks and wider elements have fewer slots; what changes no sum is -0.0.
  // CHECK-LABEL: func.func @reals
  // CHECK-DAG: simt.shared "places" : !simt.buffer<i32, shared, 512>
  // CHECK-DAG: simt.shared "totals" : !simt.buffer<f64, shared, 512>
  // CHECK-DAG: arith.constant -0.000000e+00 : f64
  // CHECK: simt.atomic_rmw addf %{{.*}} {simt.often_one_place}
  func.func @reals(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<f64, global>, %n: i32) attributes {simt.task = {block_dim = 128 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    %t = simt.thread_idx
    %one = arith.constant 1.0 : f64
    scf.for %turn = %b to %n step %g : i32 {
      %i = arith.addi %turn, %t : i32
      %k = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addf %one, %bins[%k] : !simt.buffer<f64, global>, i32
    } {simt.turns}
    return
  }

  // Not where blocks take no turns, where memory is touched after the update, where the old value
  // is used, where two updates are of one array, at a place of the thread's, and at a place of 64
  // bits.
  // CHECK-LABEL: func.func @plain
  // CHECK-NOT: simt.shared
  // CHECK-LABEL: func.func @behind
  // CHECK-NOT: simt.shared
  // CHECK-LABEL: func.func @used
  // CHECK-NOT: simt.shared
  // CHECK-LABEL: func.func @twice
  // CHECK-COUNT-2: simt.shared
  // CHECK-NOT: simt.shared
  // CHECK-LABEL: func.func @own
  // CHECK-NOT: simt.shared
  // CHECK-LABEL: func.func @wide
  // CHECK-NOT: simt.shared
  func.func @plain(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %t = simt.thread_idx
    %k = simt.load %x[%t] : !simt.buffer<i32, global>, i32
    %old = simt.atomic_rmw addi %n, %bins[%k] : !simt.buffer<i32, global>, i32
    return
  }
  func.func @behind(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    scf.for %turn = %b to %n step %g : i32 {
      %k = simt.load %x[%turn] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %n, %bins[%k] : !simt.buffer<i32, global>, i32
      simt.store %n, %x[%turn] : !simt.buffer<i32, global>, i32
    } {simt.turns}
    return
  }
  func.func @used(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    scf.for %turn = %b to %n step %g : i32 {
      %k = simt.load %x[%turn] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %n, %bins[%k] : !simt.buffer<i32, global>, i32
      %older = simt.atomic_rmw addi %old, %bins[%k] : !simt.buffer<i32, global>, i32
    } {simt.turns}
    return
  }
  // The last one still goes through the table.
  func.func @twice(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    scf.for %turn = %b to %n step %g : i32 {
      %k = simt.load %x[%turn] : !simt.buffer<i32, global>, i32
      %next = arith.addi %k, %n : i32
      %old = simt.atomic_rmw addi %n, %bins[%k] : !simt.buffer<i32, global>, i32
      %older = simt.atomic_rmw addi %n, %bins[%next] : !simt.buffer<i32, global>, i32
    } {simt.turns}
    return
  }
  func.func @own(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    scf.for %turn = %b to %n step %g : i32 {
      %old = simt.atomic_rmw addi %n, %bins[%turn] : !simt.buffer<i32, global>, i32
    } {simt.turns}
    return
  }
  func.func @wide(%x: !simt.buffer<i64, global>, %bins: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    scf.for %turn = %b to %n step %g : i32 {
      %k = simt.load %x[%turn] : !simt.buffer<i64, global>, i32
      %old = simt.atomic_rmw addi %n, %bins[%k] : !simt.buffer<i32, global>, i64
    } {simt.turns}
    return
  }
}
