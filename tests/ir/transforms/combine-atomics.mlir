// Atomics at one place for the whole block become one for the block, at the task's end.
// RUN: sextant-opt %s --pass=combine-atomics --split-input-file | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // A sum under the guard of the loop.
  // CHECK-LABEL: func.func @sum
  // CHECK-DAG: simt.private : !simt.buffer<f32, private, 1>
  // CHECK-DAG: simt.shared "atomics" : !simt.buffer<f32, shared, 4>
  // CHECK-DAG: arith.constant -0.000000e+00 : f32
  // CHECK: scf.if
  // CHECK: arith.addf
  // CHECK-NOT: simt.atomic_rmw
  // CHECK: %[[ANY:.*]] = simt.barrier_reduce any
  // CHECK: scf.if
  // CHECK: simt.reduce addf %{{.*}} tile 5 : f32
  // CHECK: simt.barrier
  // CHECK: simt.reduce addf %{{.*}} tile 2 : f32
  // CHECK: simt.atomic_rmw addf
  // CHECK-NOT: simt.atomic_rmw
  func.func @sum(%x: !simt.buffer<f32, global>, %out: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %in = arith.cmpi slt, %t, %n : i32
    scf.if %in {
      %v = simt.load %x[%t] : !simt.buffer<f32, global>, i32
      %old = simt.atomic_rmw addf %v, %out[%c0] : !simt.buffer<f32, global>, i32
    }
    return
  }

  // A block of one subgroup needs no shared memory.
  // CHECK-LABEL: func.func @small
  // CHECK-NOT: simt.shared
  // CHECK: simt.reduce maxs
  // CHECK-NOT: simt.barrier{{$}}
  // CHECK: simt.atomic_rmw maxs
  func.func @small(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %b = simt.block_idx
    %v = simt.load %x[%t] : !simt.buffer<i32, global>, i32
    %old = simt.atomic_rmw maxs %v, %out[%b] : !simt.buffer<i32, global>, i32
    return
  }

  // Not where the place is the thread's, where memory is touched after it, where the old value
  // is used, where another operator follows, and where a block is not whole subgroups. Those at one
  // place have a mark then, unless the task tells other blocks something. But in a loop, if that only
  // updates. The place of an iteration has another mark.
  // CHECK-LABEL: func.func @places
  // CHECK-NOT: {{barrier_reduce|one_place}}
  // CHECK-LABEL: func.func @behind
  // CHECK-NOT: barrier_reduce
  // CHECK: simt.atomic_rmw addi {{.*}}simt.one_place
  // CHECK-LABEL: func.func @used
  // CHECK-NOT: barrier_reduce
  // CHECK-LABEL: func.func @looped
  // CHECK: scf.for
  // CHECK-NOT: {{simt.address|atomic_rmw}}
  // CHECK: barrier_reduce any
  // CHECK: simt.atomic_rmw addi
  // CHECK-LABEL: func.func @columns
  // CHECK: scf.for
  // CHECK: simt.atomic_rmw addf {{.*}}simt.often_one_place
  // CHECK: simt.atomic_rmw addf
  // CHECK-NOT: one_place
  // CHECK-LABEL: func.func @odd
  // CHECK-NOT: barrier_reduce
  // CHECK-LABEL: func.func @waits
  // CHECK-NOT: {{barrier_reduce|one_place}}
  func.func @places(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addi %t, %x[%t] : !simt.buffer<i32, global>, i32
    return
  }
  func.func @behind(%x: !simt.buffer<i32, global>, %y: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %old = simt.atomic_rmw addi %t, %x[%c0] : !simt.buffer<i32, global>, i32
    simt.store %t, %y[%t] : !simt.buffer<i32, global>, i32
    return
  }
  func.func @used(%x: !simt.buffer<i32, global>, %y: !simt.buffer<i32, shared, 64>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %old = simt.atomic_rmw addi %t, %x[%c0] : !simt.buffer<i32, global>, i32
    simt.store %old, %y[%t] : !simt.buffer<i32, shared, 64>, i32
    return
  }
  func.func @looped(%x: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %old = simt.atomic_rmw addi %t, %x[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }
  func.func @columns(%x: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1.0 : f32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %old = simt.atomic_rmw addf %one, %x[%i] : !simt.buffer<f32, global>, i32
    }
    scf.for %i = %c0 to %t step %c1 : i32 {
      %old = simt.atomic_rmw addf %one, %x[%i] : !simt.buffer<f32, global>, i32
    }
    return
  }
  func.func @odd(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 48 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %old = simt.atomic_rmw addi %t, %x[%c0] : !simt.buffer<i32, global>, i32
    return
  }
  func.func @waits(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    simt.fence device
    %old = simt.atomic_rmw addi %t, %x[%c0] : !simt.buffer<i32, global>, i32
    return
  }

  // One thread of the block performs it already, and that after the others' sum. Another condition
  // leaves more.
  // CHECK-LABEL: func.func @first
  // CHECK: simt.atomic_rmw addi %{{.*}}, %arg1[%{{[a-z0-9_]*}}] :
  // CHECK: barrier_reduce any
  // CHECK: simt.atomic_rmw addi %{{.*}}, %arg0
  // CHECK-NOT: simt.atomic_rmw
  // CHECK-LABEL: func.func @others
  // CHECK: barrier_reduce any
  func.func @first(%x: !simt.buffer<i32, global>, %y: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0_i32 = arith.constant 0 : i32
    %old = simt.atomic_rmw addi %t, %x[%c0_i32] : !simt.buffer<i32, global>, i32
    %first = arith.cmpi eq, %t, %c0_i32 : i32
    %some = arith.cmpi sgt, %n, %c0_i32 : i32
    %is = arith.andi %some, %first : i1
    scf.if %is {
      %a = simt.atomic_rmw addi %n, %y[%c0_i32] : !simt.buffer<i32, global>, i32
    }
    return
  }
  func.func @others(%y: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0_i32 = arith.constant 0 : i32
    %first = arith.cmpi eq, %t, %c0_i32 : i32
    scf.if %first {
    } else {
      %a = simt.atomic_rmw addi %n, %y[%c0_i32] : !simt.buffer<i32, global>, i32
    }
    return
  }

  // The last of two operators at one place stays after the other one, which is not moved.
  // CHECK-LABEL: func.func @order
  // CHECK: simt.atomic_rmw addi
  // CHECK: barrier_reduce any
  // CHECK: simt.atomic_rmw mins
  // CHECK-NOT: simt.atomic_rmw
  func.func @order(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %a = simt.atomic_rmw addi %t, %x[%c0] : !simt.buffer<i32, global>, i32
    %b = simt.atomic_rmw mins %t, %x[%c0] : !simt.buffer<i32, global>, i32
    return
  }
}
