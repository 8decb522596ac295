// A loop that reads memory, and whose rounds only the launch tells, runs four of them together: neighbours
// are one load. A loop stays as it is that asks for that, holds a barrier, or calls the library.
// RUN: %gfx90a_wave64 | FileCheck %s
// RUN: %gfx1100_wave32 | FileCheck %s
// RUN: %gfx1201_wave32 | FileCheck %s
// REQUIRES: ocml

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: sum:
  // CHECK: global_load_{{dwordx4|b128}}
  // CHECK: global_load_{{dword|b32}} v
  // CHECK: s_endpgm
  func.func @sum(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant 0.0 : f32
    %row = arith.muli %t, %n : i32
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (f32) : i32 {
      %at = arith.addi %row, %k overflow<nsw> : i32
      %x = simt.load %p[%at] : !simt.buffer<f32, global>, i32
      %more = arith.addf %acc, %x : f32
      scf.yield %more : f32
    }
    simt.store %sum, %q[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: never:
  // CHECK: global_load
  // CHECK-NOT: global_load
  // CHECK: s_endpgm
  func.func @never(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant 0.0 : f32
    %row = arith.muli %t, %n : i32
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (f32) : i32 {
      %at = arith.addi %row, %k overflow<nsw> : i32
      %x = simt.load %p[%at] : !simt.buffer<f32, global>, i32
      %more = arith.addf %acc, %x : f32
      scf.yield %more : f32
    } {simt.unroll = 1 : i32}
    simt.store %sum, %q[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: barrier:
  // CHECK: global_load
  // CHECK-NOT: global_load
  // CHECK: s_endpgm
  func.func @barrier(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %k = %zero to %n step %one : i32 {
      %x = simt.load %p[%k] : !simt.buffer<f32, global>, i32
      simt.store %x, %q[%t] : !simt.buffer<f32, global>, i32
      simt.barrier
    }
    return
  }
  // CHECK-LABEL: library:
  // CHECK: global_load
  // CHECK-NOT: global_load
  // CHECK: s_endpgm
  func.func @library(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant 0.0 : f32
    %row = arith.muli %t, %n : i32
    %sum = scf.for %k = %zero to %n step %one iter_args(%acc = %none) -> (f32) : i32 {
      %at = arith.addi %row, %k overflow<nsw> : i32
      %x = simt.load %p[%at] : !simt.buffer<f32, global>, i32
      %y = math.atan %x : f32
      %more = arith.addf %acc, %y : f32
      scf.yield %more : f32
    }
    simt.store %sum, %q[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
