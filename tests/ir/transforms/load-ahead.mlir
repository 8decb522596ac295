// RUN: sextant-opt %s --pass=load-ahead | FileCheck %s
// A thread loads for four turns before it updates anything, and its last turn follows from the bound.
module {
  // CHECK-LABEL: func.func @sums
  // CHECK: %[[THREAD:.*]] = simt.thread_idx
  // CHECK: %[[LESS:.*]] = arith.subi %arg2, %{{.*}} : i32
  // CHECK: %[[MOST:.*]] = arith.subi %[[LESS]], %{{.*}} : i32
  // CHECK: %[[TURNS:.*]] = arith.shrsi %[[MOST]], %c9_i32
  // CHECK: %[[ALL:.*]] = arith.addi %[[TURNS]], %{{.*}} : i32
  // CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[ALL]] : i32
  // CHECK: %[[COUNT:.*]] = arith.subi %[[END]], %[[FIRST:.*]] : i32
  // CHECK: %[[SOME:.*]] = arith.maxsi %[[COUNT]], %{{.*}} : i32
  // CHECK: %[[WHOLE:.*]] = arith.andi %[[SOME]], %c-4_i32
  // CHECK: %[[OTHERS:.*]] = arith.addi %[[FIRST]], %[[WHOLE]] : i32
  // CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[OTHERS]] step %c4_i32
  // CHECK-NOT: scf.if
  // CHECK-COUNT-4: simt.load %arg0
  // CHECK-NOT: simt.load %arg0
  // CHECK-COUNT-4: simt.store
  // CHECK: scf.for %{{.*}} = %[[OTHERS]] to %[[END]] step
  // CHECK-NOT: scf.if
  // CHECK: simt.load %arg0
  // CHECK: simt.store
  // CHECK: return
  func.func @sums(%x: !simt.buffer<f32, global>, %turns: i32, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %sum = simt.private : !simt.buffer<f32, private, 1>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %dim = arith.constant 512 : i32
    %b = simt.block_idx
    %first = arith.muli %b, %turns : i32
    %last = arith.addi %first, %turns : i32
    scf.for %turn = %first to %last step %one : i32 {
      %start = arith.muli %turn, %dim : i32
      %t = simt.thread_idx
      %i = arith.addi %start, %t : i32
      %is_one = arith.cmpi slt, %i, %n : i32
      scf.if %is_one {
        %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
        %old = simt.load %sum[%zero] : !simt.buffer<f32, private, 1>, i32
        %new = arith.addf %old, %v : f32
        simt.store %new, %sum[%zero] : !simt.buffer<f32, private, 1>, i32
      }
    } {simt.turns}
    return
  }

  // Loads of what a turn updates itself stay, and those of volatile memory; five loads are too many
  // for four turns. A test with something before it stays.
  // CHECK-LABEL: func.func @own
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK-LABEL: func.func @told
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK-LABEL: func.func @many
  // CHECK-COUNT-1: scf.for
  // CHECK-NOT: scf.for
  // CHECK-LABEL: func.func @before
  // CHECK: scf.if
  func.func @own(%n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %sum = simt.private : !simt.buffer<i32, private, 1>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %turn = %zero to %n step %one : i32 {
      %old = simt.load %sum[%zero] : !simt.buffer<i32, private, 1>, i32
      %new = arith.addi %old, %turn : i32
      simt.store %new, %sum[%zero] : !simt.buffer<i32, private, 1>, i32
    } {simt.turns}
    return
  }
  func.func @told(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %turn = %zero to %n step %one : i32 {
      %v = simt.load volatile %x[%turn] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %v, %out[%zero] : !simt.buffer<i32, global>, i32
    } {simt.turns}
    return
  }
  func.func @many(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %turn = %zero to %n step %one : i32 {
      %v = simt.load %x[%turn] : !simt.buffer<i32, global>, i32
      %w = simt.load %x[%v] : !simt.buffer<i32, global>, i32
      %a = simt.load %x[%w] : !simt.buffer<i32, global>, i32
      %b = simt.load %x[%a] : !simt.buffer<i32, global>, i32
      %c = simt.load %x[%b] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addi %c, %out[%zero] : !simt.buffer<i32, global>, i32
    } {simt.turns}
    return
  }
  func.func @before(%x: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 512 : i32}} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %dim = arith.constant 512 : i32
    %t = simt.thread_idx
    scf.for %turn = %zero to %n step %one : i32 {
      %start = arith.muli %turn, %dim : i32
      %i = arith.addi %start, %t : i32
      simt.store %one, %x[%i] : !simt.buffer<i32, global>, i32
      %is_one = arith.cmpi slt, %i, %n : i32
      scf.if %is_one {
        %old = simt.atomic_rmw addi %i, %out[%zero] : !simt.buffer<i32, global>, i32
      }
    } {simt.turns}
    return
  }
}
