// Updates of one place in loops that load: a thread collects them where its loads read other memory,
// and has the place up to date, and updates it there, where one may read it.
// RUN: sextant-opt %s --pass=combine-atomics --split-input-file | FileCheck %s
// RUN: sextant-opt %s "--pass=combine-atomics{shared}" --split-input-file | FileCheck %s
// RUN: sextant-opt %s "--pass=combine-atomics{shared,bindings}" --split-input-file | FileCheck %s --check-prefix=BOUND

module attributes {simt.wave = 32 : i32} {
  // Without addresses, only loops that load nothing.
  // BOUND-NOT: {{simt.address|barrier_reduce}}

  // The first and the last load lie after the place, or before it.
  // CHECK-LABEL: func.func @rows
  // CHECK: %[[LAST:.*]] = arith.subi %arg3
  // CHECK: %[[TO:.*]] = simt.address %arg1
  // CHECK: %[[FROM:.*]] = simt.address %arg0
  // CHECK: %[[D0:.*]] = arith.subi %[[TO]], %[[FROM]] : i64
  // CHECK: arith.cmpi sge, %[[D0]], %c4
  // CHECK: arith.cmpi sle, %[[D0]], %c-4
  // CHECK: %[[TO:.*]] = simt.address %arg1
  // CHECK: %[[FROM:.*]] = simt.address %arg0
  // CHECK: %[[D1:.*]] = arith.subi %[[TO]], %[[FROM]] : i64
  // CHECK: %[[AFTER:.*]] = arith.andi
  // CHECK: %[[BEFORE:.*]] = arith.andi
  // CHECK: %[[APART:.*]] = arith.ori %[[BEFORE]], %[[AFTER]]
  // CHECK: scf.if %[[APART]] {
  // CHECK-NEXT: scf.for
  // CHECK-NOT: atomic_rmw
  // CHECK: } else {
  // CHECK-NOT: scf.for
  // CHECK: scf.if
  // CHECK: simt.atomic_rmw addf
  // CHECK: }
  // CHECK: scf.for
  // CHECK: simt.atomic_rmw addf
  // CHECK: simt.barrier_reduce any
  // CHECK: simt.atomic_rmw addf
  // CHECK-NOT: atomic_rmw
  func.func @rows(%x: !simt.buffer<f32, global>, %out: !simt.buffer<f32, global>, %stride: i32, %n: i32) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %row = arith.muli %t, %stride overflow<nsw> : i32
      %at = arith.addi %row, %j overflow<nsw> : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %old = simt.atomic_rmw addf %v, %out[%c0] : !simt.buffer<f32, global>, i32
    }
    return
  }

  // A sum that may wrap is compared, too. A product that may wrap goes up and down, as does what
  // memory says.
  // CHECK-LABEL: func.func @wraps
  // CHECK: arith.cmpi sle, %{{.*}}, %{{.*}} : i32
  // CHECK: simt.address
  // CHECK-LABEL: func.func @product
  // CHECK-NOT: {{simt.address|barrier_reduce}}
  // CHECK-LABEL: func.func @data
  // CHECK-NOT: {{simt.address|barrier_reduce}}
  func.func @wraps(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %at = arith.addi %t, %j : i32
      %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw maxs %v, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }
  func.func @product(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %at = arith.muli %n, %j : i32
      %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %v, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }
  func.func @data(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %at = simt.load %x[%j] : !simt.buffer<i32, global>, i32
      %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %v, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }

  // Updates stay where a loop stores, has a barrier, after which loads see other threads' updates, or
  // reads the array of the place.
  // CHECK-LABEL: func.func @stores
  // CHECK-NOT: {{simt.address|barrier_reduce}}
  // CHECK-LABEL: func.func @waits
  // CHECK-NOT: {{simt.address|barrier_reduce}}
  // CHECK-LABEL: func.func @reads
  // CHECK-NOT: {{simt.address|barrier_reduce}}
  func.func @stores(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      simt.store %j, %x[%j] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %j, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }
  func.func @waits(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %v = simt.load %x[%j] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %v, %out[%c0] : !simt.buffer<i32, global>, i32
      simt.barrier
    }
    return
  }
  func.func @reads(%out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %v = simt.load %out[%j] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %v, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }

  // The loop that ran yields. The load is of a loop within the loop.
  // CHECK-LABEL: func.func @nested
  // CHECK: scf.for
  // CHECK: %[[SUM:.*]] = scf.if %{{.*}} -> (i32) {
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK: } else {
  // CHECK: simt.atomic_rmw addi
  // CHECK: scf.for
  // CHECK: scf.yield
  // CHECK-NOT: atomic_rmw
  // CHECK: simt.barrier_reduce any
  func.func @nested(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %sum = scf.for %j = %c0 to %n step %c1 iter_args(%before = %c0) -> (i32) : i32 {
        %at = arith.addi %k, %j : i32
        %v = simt.load %x[%at] : !simt.buffer<i32, global>, i32
        %next = arith.addi %before, %v : i32
        scf.yield %next : i32
      }
      %old = simt.atomic_rmw addi %sum, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }

  // CHECK-LABEL: func.func @counts
  // CHECK-NOT: simt.address
  // CHECK: simt.barrier_reduce any
  // BOUND-LABEL: func.func @counts
  // BOUND: scf.for
  // BOUND-NOT: atomic_rmw
  // BOUND: simt.barrier_reduce any
  // BOUND: simt.atomic_rmw addi
  // BOUND-NOT: atomic_rmw
  func.func @counts(%out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %j = %c0 to %n step %c1 : i32 {
      %both = arith.muli %t, %j : i32
      %old = simt.atomic_rmw addi %both, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }
}
