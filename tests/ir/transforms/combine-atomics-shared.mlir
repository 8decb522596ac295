// Atomics at one place become one for the block through shared memory: no operation on lanes, so
// the code is the same for all wave sizes, and blocks of any size have it.
// RUN: sextant-opt "%s" "--pass=combine-atomics{shared},simplify" --split-input-file | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // 16 of 256 threads combine 16 values each, and the first thread theirs.
  // CHECK-LABEL: func.func @sum
  // CHECK-NOT: simt.{{lane|reduce|shuffle}}
  // CHECK: %[[SUMS:.*]] = simt.shared "atomics" : !simt.buffer<f32, shared, 256>
  // CHECK: simt.store %{{.*}}, %[[SUMS]][%[[T:.*]]]
  // CHECK: simt.barrier_reduce any
  // CHECK: arith.cmpi ult, %[[T]], %c16_i32
  // CHECK: scf.if
  // CHECK-COUNT-16: simt.load %[[SUMS]]
  // CHECK-NOT: simt.load
  // CHECK: simt.store %{{.*}}, %[[SUMS]][%[[T]]]
  // CHECK: simt.barrier
  // CHECK: scf.if
  // CHECK-COUNT-16: simt.load %[[SUMS]]
  // CHECK-NOT: simt.load
  // CHECK: simt.atomic_rmw addf
  // CHECK-NOT: simt.{{lane|reduce|atomic_rmw}}
  // CHECK: return
  func.func @sum(%x: !simt.buffer<f32, global>, %out: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %in = arith.cmpi slt, %t, %n : i32
    scf.if %in {
      %v = simt.load %x[%t] : !simt.buffer<f32, global>, i32
      %old = simt.atomic_rmw addf %v, %out[%c0] : !simt.buffer<f32, global>, i32
    }
    return
  }

  // 8 of 100 threads combine 12 or 13 values each. A value that is not there changes nothing.
  // CHECK-LABEL: func.func @odd
  // CHECK: %[[SUMS:.*]] = simt.shared "atomics" : !simt.buffer<i32, shared, 100>
  // CHECK: scf.if
  // CHECK-COUNT-12: arith.maxsi
  // CHECK: simt.barrier
  // CHECK: scf.if
  // CHECK-COUNT-7: arith.maxsi
  // CHECK: simt.atomic_rmw maxs
  func.func @odd(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 100 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %old = simt.atomic_rmw maxs %t, %x[%c0] : !simt.buffer<i32, global>, i32
    return
  }

  // One thread a block has nothing to combine.
  // CHECK-LABEL: func.func @one
  // CHECK-NOT: {{shared|barrier}}
  // CHECK: simt.atomic_rmw addi
  func.func @one(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 1 : i32}} {
    %c0 = arith.constant 0 : i32
    %old = simt.atomic_rmw addi %c0, %x[%c0] : !simt.buffer<i32, global>, i32
    return
  }
}
