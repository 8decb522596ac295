// Where a reducing barrier takes several plain ones, subgroups vote whether a thread got to the
// atomic: one barrier is enough. Threads of the first subgroup take sums and votes of all.
// RUN: sextant-opt "%s" "--pass=combine-atomics{votes},simplify" --split-input-file | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @sum
  // CHECK-NOT: simt.barrier
  // CHECK: simt.vote any %{{.*}} tile 5
  // CHECK: simt.reduce addf %{{.*}} tile 5
  // CHECK: simt.store %{{.*}} : !simt.buffer<f32, shared, 8>
  // CHECK: simt.store %{{.*}} : !simt.buffer<i32, shared, 8>
  // CHECK: simt.barrier
  // CHECK-NOT: simt.barrier
  // CHECK: %[[ANY:.*]] = simt.vote any %{{.*}} tile 3
  // CHECK: simt.reduce addf %{{.*}} tile 3
  // CHECK: %[[DOES:.*]] = arith.andi %{{.*}}, %[[ANY]]
  // CHECK: scf.if %[[DOES]]
  // CHECK: simt.atomic_rmw addf
  // CHECK-NOT: simt.{{barrier|atomic_rmw}}
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
}

// -----

module attributes {simt.wave = 64 : i32} {
  // A block of one subgroup needs no memory.
  // CHECK-LABEL: func.func @small
  // CHECK-NOT: simt.{{barrier|shared}}
  // CHECK: simt.vote any %{{.*}} tile 6
  // CHECK-NOT: simt.{{barrier|store}}
  // CHECK: simt.atomic_rmw maxs
  // CHECK: return
  func.func @small(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %in = arith.cmpi slt, %t, %n : i32
    scf.if %in {
      %v = simt.load %x[%t] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw maxs %v, %out[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }
}
