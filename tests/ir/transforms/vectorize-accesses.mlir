// Accesses of neighbouring elements become one, if the buffer's alignment and the index allow it
// and nothing between them may touch the same memory.
// RUN: sextant-opt %s --pass=vectorize-accesses | FileCheck %s

// A vector's components: loads where the first was, stores where the last was.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: %[[I:[a-z0-9]+]]: i32
// CHECK: %[[V:.*]]:4 = simt.load_vector %arg0[%[[I]]]
// CHECK-NOT: simt.load
// CHECK: %[[S:.*]] = arith.addf %[[V]]#0, %[[V]]#3
// CHECK-NOT: simt.store %
// CHECK: simt.store_vector(%[[V]]#3, %[[V]]#2, %[[S]], %[[V]]#0), %arg1[%[[I]]]
func.func @whole(%a: !simt.buffer<f32, global> {simt.align = 16 : i32}, %b: !simt.buffer<f32, global> {simt.align = 16 : i32}, %i: i32) attributes {simt.task = {block_dim = 64 : i32}} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %at = arith.muli %i, %c4 : i32
  %i1 = arith.addi %at, %c1 : i32
  %i2 = arith.addi %at, %c2 : i32
  %i3 = arith.addi %at, %c3 : i32
  %0 = simt.load %a[%at] : !simt.buffer<f32, global>, i32
  %1 = simt.load %a[%i1] : !simt.buffer<f32, global>, i32
  %2 = simt.load %a[%i2] : !simt.buffer<f32, global>, i32
  %3 = simt.load %a[%i3] : !simt.buffer<f32, global>, i32
  %s = arith.addf %0, %3 : f32
  simt.store %3, %b[%at] : !simt.buffer<f32, global>, i32
  simt.store %2, %b[%i1] : !simt.buffer<f32, global>, i32
  simt.store %s, %b[%i2] : !simt.buffer<f32, global>, i32
  simt.store %0, %b[%i3] : !simt.buffer<f32, global>, i32
  return
}

// The middle four of six components are not at a multiple of four: two pairs and two pairs. In
// 8 bytes fit two.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c3
// CHECK: simt.load_vector %arg0[%[[M]]] : {{.*}} -> f32, f32
// CHECK: simt.load_vector %arg0[%{{.*}}] : {{.*}} -> f32, f32
// CHECK-NOT: simt.load
func.func @pairs(%a: !simt.buffer<f32, global> {simt.align = 8 : i32}, %i: i32) -> (f32, f32, f32, f32) attributes {simt.task = {block_dim = 64 : i32}} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c6 = arith.constant 6 : i32
  %at = arith.muli %i, %c6 : i32
  %i1 = arith.addi %at, %c1 : i32
  %i2 = arith.addi %at, %c2 : i32
  %i3 = arith.addi %at, %c3 : i32
  %0 = simt.load %a[%at] : !simt.buffer<f32, global>, i32
  %1 = simt.load %a[%i1] : !simt.buffer<f32, global>, i32
  %2 = simt.load %a[%i2] : !simt.buffer<f32, global>, i32
  %3 = simt.load %a[%i3] : !simt.buffer<f32, global>, i32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// The argument may begin anywhere.
// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: load_vector
func.func @unaligned(%a: !simt.buffer<f32, global>, %i: i32) -> (f32, f32) attributes {simt.task = {block_dim = 64 : i32}} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %at = arith.muli %i, %c2 : i32
  %i1 = arith.addi %at, %c1 : i32
  %0 = simt.load %a[%at] : !simt.buffer<f32, global>, i32
  %1 = simt.load %a[%i1] : !simt.buffer<f32, global>, i32
  return %0, %1 : f32, f32
}

// The elements 2 i + 1 and 2 i + 2 are in two vectors.
// CHECK-LABEL: func.func @astride
// CHECK-NOT: load_vector
func.func @astride(%a: !simt.buffer<f32, global> {simt.align = 16 : i32}, %i: i32) -> (f32, f32) attributes {simt.task = {block_dim = 64 : i32}} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %at = arith.muli %i, %c2 : i32
  %i1 = arith.addi %at, %c1 : i32
  %i2 = arith.addi %at, %c2 : i32
  %0 = simt.load %a[%i1] : !simt.buffer<f32, global>, i32
  %1 = simt.load %a[%i2] : !simt.buffer<f32, global>, i32
  return %0, %1 : f32, f32
}

// Both buffers may be one: a store to the other parts the loads. One to shared memory does not.
// CHECK-LABEL: func.func @between
// CHECK: simt.load %arg0
// CHECK: simt.store %{{.*}}, %arg1
// CHECK: simt.load %arg0
// CHECK: simt.load_vector %arg2
// CHECK: simt.store %{{.*}}, %[[S:.*]][
// CHECK-NOT: simt.load
func.func @between(%a: !simt.buffer<f32, global> {simt.align = 16 : i32}, %b: !simt.buffer<f32, global> {simt.align = 16 : i32}, %c: !simt.buffer<f32, global> {simt.align = 16 : i32}, %i: i32) -> (f32, f32, f32) attributes {simt.task = {block_dim = 64 : i32}} {
  %shared = simt.shared "s" : !simt.buffer<f32, shared, 64>
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %at = arith.muli %i, %c2 : i32
  %i1 = arith.addi %at, %c1 : i32
  %0 = simt.load %a[%at] : !simt.buffer<f32, global>, i32
  simt.store %0, %b[%at] : !simt.buffer<f32, global>, i32
  %1 = simt.load %a[%i1] : !simt.buffer<f32, global>, i32
  %2 = simt.load %c[%at] : !simt.buffer<f32, global>, i32
  simt.store %2, %shared[%i] : !simt.buffer<f32, shared, 64>, i32
  %3 = simt.load %c[%i1] : !simt.buffer<f32, global>, i32
  return %0, %1, %3 : f32, f32, f32
}

// A load between two stores sees what the first wrote. So does whoever waits at a barrier.
// CHECK-LABEL: func.func @updates
// CHECK-NOT: store_vector
// CHECK-NOT: add_vector
func.func @updates(%a: !simt.buffer<f32, global> {simt.align = 16 : i32}, %b: !simt.buffer<f32, global>, %i: i32) -> f32 attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %at = arith.muli %i, %c2 : i32
  %i1 = arith.addi %at, %c1 : i32
  %v = arith.constant 1.0 : f32
  simt.store %v, %a[%at] : !simt.buffer<f32, global>, i32
  %0 = simt.load %b[%at] : !simt.buffer<f32, global>, i32
  simt.store %v, %a[%i1] : !simt.buffer<f32, global>, i32
  simt.barrier
  simt.store %v, %a[%at] : !simt.buffer<f32, global>, i32
  %1 = simt.atomic_rmw addf %v, %a[%at] : !simt.buffer<f32, global>, i32
  %2 = simt.atomic_rmw addf %v, %a[%i1] : !simt.buffer<f32, global>, i32
  return %2 : f32
}

// Additions whose old values nobody wants.
// CHECK-LABEL: func.func @additions
// CHECK: simt.atomic_add_vector(%arg2, %arg3), %arg0[%arg1]
// CHECK-NOT: atomic_rmw addf
// CHECK: simt.atomic_rmw minf
func.func @additions(%a: !simt.buffer<f32, global> {simt.align = 8 : i32}, %i: i32, %x: f32, %y: f32) attributes {simt.task = {block_dim = 64 : i32}} {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %at = arith.muli %i, %c2 : i32
  %i1 = arith.addi %at, %c1 : i32
  %0 = simt.atomic_rmw addf %x, %a[%at] : !simt.buffer<f32, global>, i32
  %1 = simt.atomic_rmw addf %y, %a[%i1] : !simt.buffer<f32, global>, i32
  %2 = simt.atomic_rmw minf %x, %a[%at] : !simt.buffer<f32, global>, i32
  %3 = simt.atomic_rmw minf %y, %a[%i1] : !simt.buffer<f32, global>, i32
  return
}

// Volatile accesses stay as they are. Constants are indices as well.
// CHECK-LABEL: func.func @constants
// CHECK: simt.load volatile
// CHECK: simt.load volatile
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: simt.load_vector %arg0[%[[TWO]]]
func.func @constants(%a: !simt.buffer<f32, global> {simt.align = 16 : i32}) -> (f32, f32) attributes {simt.task = {block_dim = 1 : i32, serial}} {
  %c4 = arith.constant 4 : i32
  %c5 = arith.constant 5 : i32
  %0 = simt.load volatile %a[%c4] : !simt.buffer<f32, global>, i32
  %1 = simt.load volatile %a[%c5] : !simt.buffer<f32, global>, i32
  %2 = simt.load %a[%c4] : !simt.buffer<f32, global>, i32
  %3 = simt.load %a[%c5] : !simt.buffer<f32, global>, i32
  return %2, %3 : f32, f32
}

// A view begins where its buffer begins, and is as aligned. What one of them writes the other may
// read.
// CHECK-LABEL: func.func @views
// CHECK: %[[W:.*]] = simt.view %arg0
// CHECK: simt.load_vector %[[W]][%{{.*}}] : {{.*}} -> f32, f32
// CHECK: %[[L:.*]] = simt.load %[[W]]
// CHECK: simt.store %{{.*}}, %arg0
// CHECK: simt.load %[[W]]
func.func @views(%a: !simt.buffer<i8, global> {simt.align = 8 : i32}, %i: i32, %one: i8) -> (f32, f32, f32, f32) attributes {simt.task = {block_dim = 64 : i32}} {
  %v = simt.view %a : !simt.buffer<i8, global> as !simt.buffer<f32, global>
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c6 = arith.constant 6 : i32
  %at = arith.muli %i, %c6 : i32
  %i1 = arith.addi %at, %c1 : i32
  %i2 = arith.addi %at, %c2 : i32
  %i3 = arith.addi %at, %c3 : i32
  %0 = simt.load %v[%at] : !simt.buffer<f32, global>, i32
  %1 = simt.load %v[%i1] : !simt.buffer<f32, global>, i32
  %2 = simt.load %v[%i2] : !simt.buffer<f32, global>, i32
  simt.store %one, %a[%i3] : !simt.buffer<i8, global>, i32
  %3 = simt.load %v[%i3] : !simt.buffer<f32, global>, i32
  return %0, %1, %2, %3 : f32, f32, f32, f32
}
