// Every op and the task attributes survive printing and parsing.
// RUN: sextant-opt %s | sextant-opt | FileCheck %s

// CHECK: module attributes {simt.wave = 32 : i32}
module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @task_t0
  // CHECK-SAME: !simt.buffer<f32, global>
  // CHECK-SAME: attributes {simt.task = {block_dim = 128 : i32, full_blocks}}
  func.func @task_t0(%a: !simt.buffer<f32, global>, %f: !simt.buffer<i64, global>, %n: i32)
      attributes {simt.task = {block_dim = 128 : i32, full_blocks}} {
    // CHECK: simt.shared "tile" : !simt.buffer<f32, shared, 128>
    %tile = simt.shared "tile" : !simt.buffer<f32, shared, 128>
    // CHECK: simt.private : !simt.buffer<i32, private, 4>
    %own = simt.private : !simt.buffer<i32, private, 4>
    // CHECK: simt.view %{{.*}} : !simt.buffer<f32, global> as !simt.buffer<i16, global>
    %view = simt.view %a : !simt.buffer<f32, global> as !simt.buffer<i16, global>
    // CHECK: simt.thread_idx
    // CHECK: simt.block_idx
    // CHECK: simt.grid_dim
    // CHECK: simt.lane
    %t = simt.thread_idx
    %b = simt.block_idx
    %g = simt.grid_dim
    %l = simt.lane
    %l64 = arith.extui %l : i32 to i64
    // CHECK: simt.load %{{.*}}[%{{.*}}] : !simt.buffer<f32, global>, i32
    %v = simt.load %a[%t] : !simt.buffer<f32, global>, i32
    // CHECK: simt.to_int %{{.*}} : f32 -> i8
    // CHECK: simt.to_int unsigned %{{.*}} : f32 -> i64
    %narrow = simt.to_int %v : f32 -> i8
    %wide = simt.to_int unsigned %v : f32 -> i64
    // CHECK: simt.load volatile %{{.*}}[%{{.*}}] : !simt.buffer<i64, global>, i64
    %w = simt.load volatile %f[%l64] : !simt.buffer<i64, global>, i64
    // CHECK: simt.store %{{.*}}, %{{.*}}[%{{.*}}] : !simt.buffer<f32, shared, 128>, i32
    simt.store %v, %tile[%t] : !simt.buffer<f32, shared, 128>, i32
    // CHECK: simt.store volatile
    simt.store volatile %w, %f[%l64] : !simt.buffer<i64, global>, i64
    simt.store %b, %own[%g] : !simt.buffer<i32, private, 4>, i32
    // CHECK: simt.atomic_rmw addf %{{.*}}, %{{.*}}[%{{.*}}] : !simt.buffer<f32, global>, i32
    %old = simt.atomic_rmw addf %v, %a[%t] : !simt.buffer<f32, global>, i32
    %old1 = simt.atomic_rmw exchange %v, %tile[%t] : !simt.buffer<f32, shared, 128>, i32
    %old2 = simt.atomic_rmw minu %w, %f[%t] : !simt.buffer<i64, global>, i32
    // CHECK: simt.atomic_cas %{{.*}}, %{{.*}}, %{{.*}}[%{{.*}}] : !simt.buffer<i64, global>, i32
    %old3 = simt.atomic_cas %w, %l64, %f[%t] : !simt.buffer<i64, global>, i32
    // CHECK: simt.barrier
    simt.barrier
    %p = arith.cmpi slt, %t, %n : i32
    // CHECK: simt.barrier_reduce count %{{.*}}
    %count = simt.barrier_reduce count %p
    // CHECK: simt.fence device
    simt.fence device
    // CHECK: simt.subgroup_barrier
    simt.subgroup_barrier
    // CHECK: simt.shuffle xor %{{.*}}, %{{.*}} : f32
    %s = simt.shuffle xor %v, %l : f32
    %s1 = simt.shuffle broadcast %w, %n : i64
    // CHECK: simt.ballot
    %m = simt.ballot %p
    // CHECK: simt.match %{{.*}} bits 8
    %same = simt.match %t bits 8
    // CHECK: simt.vote all %{{.*}} tile 5
    %vote = simt.vote all %p tile 5
    // CHECK: simt.reduce addf %{{.*}} tile 3 : f32
    %r = simt.reduce addf %v tile 3 : f32
    // CHECK: simt.reduce minu %{{.*}} tile 5 all : i32
    %r1 = simt.reduce minu %t tile 5 all : i32
    // CHECK: simt.scan addi %{{.*}} tile 5 exclusive : i32
    %x = simt.scan addi %t tile 5 exclusive : i32
    %x1 = simt.scan maxf %v tile 5 : f32
    // CHECK: simt.address %{{.*}}[%{{.*}}] : !simt.buffer<f32, shared, 128>, i32 -> i32
    %at = simt.address %tile[%t] : !simt.buffer<f32, shared, 128>, i32 -> i32
    // CHECK: simt.instruction "two {2}, #;"(%{{.*}}, %{{.*}}) : (i32, f32) -> (f32, i32)
    %i:2 = simt.instruction "two {2}, #;" (%at, %v) : (i32, f32) -> (f32, i32)
    // CHECK: simt.instruction "store [#], #;" memory of_thread(%{{.*}}, %{{.*}}) : (i32, f32) -> ()
    simt.instruction "store [#], #;" memory of_thread (%at, %i#0) : (i32, f32) -> ()
    return
  }
  // CHECK: simt.task = {block_dim = 1 : i32, serial}
  func.func @task_t1(%a: !simt.buffer<f16, global>) attributes {simt.task = {block_dim = 1 : i32, serial}} {
    return
  }
}
