// The changes that Metal wants, before SPIR-V is emitted.
// RUN: sextant-opt %s --target=metal:3.2 --emit=none --dump-ir=metal-raise | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @task(
  // CHECK-SAME: %{{.*}}: i64,
  // CHECK-SAME: %{{.*}}: !simt.buffer<i64, global>
  func.func @task(%unused: f64, %wide: !simt.buffer<i64, global>, %p: !simt.buffer<f32, global>)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %sums = simt.shared "sums" : !simt.buffer<f32, shared, 32>
    %block = simt.block_idx
    // CHECK: simt.block_idx {one_row}
    %t = simt.thread_idx
    %i = arith.addi %block, %t : i32
    // CHECK: simt.load {{.*}}relaxed_atomic
    %v = simt.load volatile %p[%i] : !simt.buffer<f32, global>, i32
    // CHECK: simt.atomic_rmw {{.*}}loop
    %old = simt.atomic_rmw addf %v, %sums[%t] : !simt.buffer<f32, shared, 32>, i32
    // CHECK: simt.barrier {coherent}
    simt.barrier
    // CHECK: simt.fence device {semantics = 2376 : i32}
    simt.fence device
    // CHECK: simt.store {{.*}}alias = "sextantMin"
    %c = arith.constant 7 : i64
    %least = simt.atomic_rmw minu %c, %wide[%i] : !simt.buffer<i64, global>, i32
    simt.store volatile %old, %p[%i] : !simt.buffer<f32, global>, i32
    return
  }
}
