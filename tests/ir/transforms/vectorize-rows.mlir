// RUN: sextant-opt %s --pass=vectorize-rows | FileCheck %s
// A thread that runs over a row loads four elements together, where the row is a multiple of four and
// the array begins at a multiple of 16 bytes; of words eight, where it is a multiple of eight.
module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @dot
  // CHECK: %[[REST8:.*]] = arith.andi %arg2, %c7
  // CHECK: %[[ANY8:.*]] = arith.ori %{{.*}}, %[[REST8]]
  // CHECK: %[[CAN8:.*]] = arith.cmpi eq, %[[ANY8]], %c0
  // CHECK: scf.if %[[CAN8]] -> (f32)
  // CHECK: scf.for %[[K8:.*]] = %c0{{.*}} to %arg2 step %c8{{.*}} iter_args(%[[SUM8:.*]] = %cst)
  // CHECK: %[[X8:.*]]:4 = simt.load_vector %arg0[%[[AT8:.*]]]
  // CHECK: %[[NEXT8:.*]] = arith.addi %[[AT8]], %c1
  // CHECK: %[[Y8:.*]]:4 = simt.load_vector %arg0[%[[NEXT8]]]
  // CHECK-NOT: simt.load
  // CHECK: arith.addf %[[SUM8]], %[[X8]]#0
  // CHECK: %[[LAST8:.*]] = arith.addf %{{.*}}, %[[Y8]]#3
  // CHECK: scf.yield %[[LAST8]]
  // CHECK: } else {
  // CHECK: %[[REST:.*]] = arith.andi %arg2, %c3
  // CHECK: %[[BEGIN:.*]] = simt.address %arg0[%c0
  // CHECK: %[[WORD:.*]] = arith.trunci %[[BEGIN]] : i64 to i32
  // CHECK: %[[ODD:.*]] = arith.andi %[[WORD]], %c15
  // CHECK: %[[ANY:.*]] = arith.ori %[[ODD]], %[[REST]]
  // CHECK: %[[CAN:.*]] = arith.cmpi eq, %[[ANY]], %c0
  // CHECK: scf.if %[[CAN]] -> (f32)
  // CHECK: scf.for %[[K:.*]] = %c0{{.*}} to %arg2 step %c4{{.*}} iter_args(%[[SUM:.*]] = %cst)
  // CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %[[K]] overflow<nsw>
  // CHECK: %[[AT:.*]] = arith.shrsi %[[FIRST]], %c2
  // CHECK: %[[X:.*]]:4 = simt.load_vector %arg0[%[[AT]]]
  // CHECK-NOT: simt.load
  // CHECK: %[[A:.*]] = arith.addf %[[SUM]], %[[X]]#0
  // CHECK: %[[B:.*]] = arith.addf %[[A]], %[[X]]#1
  // CHECK: %[[C:.*]] = arith.addf %[[B]], %[[X]]#2
  // CHECK: %[[D:.*]] = arith.addf %[[C]], %[[X]]#3
  // CHECK: scf.yield %[[D]]
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK: simt.load %arg0
  // CHECK: simt.store
  func.func @dot(%x: !simt.buffer<f32, global>, %out: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
      %row = arith.muli %t, %n overflow<nsw> : i32
      %at = arith.addi %row, %k overflow<nsw> : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    simt.store %sum, %out[%t] : !simt.buffer<f32, global>, i32
    return
  }

  // Two of 64 bits are an access, of positions that take 64 bits as well. The loop begins at the eighth
  // and ends at a constant, and the array's address is known to be a multiple: nothing is tested but
  // the stride. What is stored in place comes last.
  // CHECK-LABEL: func.func @place
  // CHECK-NOT: simt.address
  // CHECK: arith.andi %{{.*}}, %c3
  // CHECK: scf.if
  // CHECK: scf.for %{{.*}} = %c8{{.*}} to %c64{{.*}} step %c4
  // CHECK: arith.shrsi %{{.*}}, %c1
  // CHECK: %[[A:.*]]:2 = simt.load_vector
  // CHECK: %[[B:.*]]:2 = simt.load_vector
  // CHECK: %[[A0:.*]] = arith.addf %[[A]]#0
  // CHECK: %[[A1:.*]] = arith.addf %[[A]]#1
  // CHECK: %[[B0:.*]] = arith.addf %[[B]]#0
  // CHECK: %[[B1:.*]] = arith.addf %[[B]]#1
  // CHECK: simt.store_vector(%[[A0]], %[[A1]])
  // CHECK: simt.store_vector(%[[B0]], %[[B1]])
  // CHECK: } else {
  // CHECK: simt.store
  func.func @place(%x: !simt.buffer<f64, global> {simt.align = 16 : i32}, %n: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %first = arith.constant 8 : i32
    %last = arith.constant 64 : i32
    %c1 = arith.constant 1 : i32
    %wide = arith.extsi %t : i32 to i64
    scf.for %k = %first to %last step %c1 : i32 {
      %row = arith.muli %wide, %n overflow<nsw> : i64
      %column = arith.extsi %k : i32 to i64
      %at = arith.addi %row, %column overflow<nsw> : i64
      %v = simt.load %x[%at] : !simt.buffer<f64, global>, i64
      %next = arith.addf %v, %v : f64
      simt.store %next, %x[%at] : !simt.buffer<f64, global>, i64
    }
    return
  }

  // Another array may be the same memory, unless the loader refuses that.
  // CHECK-LABEL: func.func @two
  // CHECK-NOT: vector
  // CHECK-LABEL: func.func @apart
  // CHECK: %{{.*}}:4 = simt.load_vector %arg0
  // CHECK-NOT: simt.store
  // CHECK: simt.store_vector({{.*}}), %arg1
  func.func @two(%x: !simt.buffer<f32, global>, %y: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %row = arith.muli %t, %n : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %at = arith.addi %row, %k : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      simt.store %v, %y[%at] : !simt.buffer<f32, global>, i32
    }
    return
  }
  func.func @apart(%x: !simt.buffer<f32, global>, %y: !simt.buffer<f32, global> {simt.apart}, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %row = arith.muli %t, %n : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %at = arith.addi %row, %k : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      simt.store %v, %y[%at] : !simt.buffer<f32, global>, i32
    }
    return
  }

  // The second loop's length is a result of the first, which becomes a branch.
  // CHECK-LABEL: func.func @chained
  // CHECK: %[[LAST:.*]]:2 = scf.if
  // CHECK: arith.andi %[[LAST]]#1, %c3
  // CHECK: scf.if
  // CHECK: simt.load_vector
  func.func @chained(%x: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %row = arith.muli %t, %n : i32
    %sums:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %last = %c0) -> (f32, i32) : i32 {
      %at = arith.addi %row, %k : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %next = arith.addf %s, %v : f32
      scf.yield %next, %k : f32, i32
    }
    %sum = scf.for %k = %c0 to %sums#1 step %c1 iter_args(%s = %sums#0) -> (f32) : i32 {
      %at = arith.addi %row, %k : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    simt.store %sum, %x[%t] : !simt.buffer<f32, global>, i32
    return
  }

  // A number of less than 32 bits is tested as a word. A product that wraps is still a multiple.
  // CHECK-LABEL: func.func @narrow
  // CHECK: arith.extsi %{{.*}} : i16 to i32
  // CHECK: scf.if
  // CHECK: arith.shrsi
  // CHECK: simt.load_vector
  func.func @narrow(%x: !simt.buffer<f32, global>, %n: i32, %a: i16) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %row = arith.muli %t, %n : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
      %wide = arith.extsi %a : i16 to i32
      %later = arith.addi %k, %wide : i32
      %at = arith.addi %row, %later : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    simt.store %sum, %x[%t] : !simt.buffer<f32, global>, i32
    return
  }

  // These stay: an element of the iteration before, a row of which threads have other lengths, one that all
  // threads share, one that begins at the second element, and loops in which threads meet.
  // CHECK-LABEL: func.func @before
  // CHECK-NOT: vector
  func.func @before(%x: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %row = arith.muli %t, %n : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %at = arith.addi %row, %k : i32
      %next = arith.addi %at, %c1 : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      simt.store %v, %x[%next] : !simt.buffer<f32, global>, i32
    }
    return
  }
  // CHECK-LABEL: func.func @lengths
  // CHECK-NOT: vector
  func.func @lengths(%x: !simt.buffer<f32, global>, %ends: !simt.buffer<i32, global>, %out: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %end = simt.load %ends[%t] : !simt.buffer<i32, global>, i32
    %row = arith.muli %t, %n : i32
    %sum = scf.for %k = %c0 to %end step %c1 iter_args(%s = %zero) -> (f32) : i32 {
      %at = arith.addi %row, %k : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    simt.store %sum, %out[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: func.func @shared
  // CHECK-NOT: vector
  func.func @shared(%x: !simt.buffer<f32, global>, %out: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
      %v = simt.load %x[%k] : !simt.buffer<f32, global>, i32
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    simt.store %sum, %out[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: func.func @second
  // CHECK-NOT: vector
  func.func @second(%x: !simt.buffer<f32, global>, %out: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %row = arith.muli %t, %n : i32
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) : i32 {
      %here = arith.addi %row, %k : i32
      %at = arith.addi %here, %c1 : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    simt.store %sum, %out[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: func.func @meets
  // CHECK-NOT: vector
  // CHECK: return
  func.func @meets(%x: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %row = arith.muli %t, %n : i32
    scf.for %k = %c0 to %n step %c1 : i32 {
      %at = arith.addi %row, %k : i32
      %v = simt.load %x[%at] : !simt.buffer<f32, global>, i32
      simt.barrier
      simt.store %v, %x[%at] : !simt.buffer<f32, global>, i32
    }
    return
  }
}
