// Past 48 KiB, a task's shared memory comes with its launch.
// RUN: %ptx_75 | FileCheck %s

// CHECK: .extern .shared .align 16 .b8 sextant_launch_shared[];
module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry large(
  // CHECK-DAG: add.s64 {{.*}}, 40000;
  // CHECK-DAG: mov.u64 {{.*}}, sextant_launch_shared;
  func.func @large(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %a = simt.shared "first" : !simt.buffer<f32, shared, 10000>
    %b = simt.shared "second" : !simt.buffer<f32, shared, 5000>
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %v, %a[%t] : !simt.buffer<f32, shared, 10000>, i32
    simt.store %v, %b[%t] : !simt.buffer<f32, shared, 5000>, i32
    simt.barrier
    %last = arith.constant 63 : i32
    %o = arith.subi %last, %t : i32
    %x = simt.load %a[%o] : !simt.buffer<f32, shared, 10000>, i32
    %y = simt.load %b[%o] : !simt.buffer<f32, shared, 5000>, i32
    %s = arith.addf %x, %y : f32
    simt.store %s, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry small(
  // CHECK: .shared .align 16 .b8 small_shared0[256];
  func.func @small(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %a = simt.shared "own" : !simt.buffer<f32, shared, 64>
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %v, %a[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %last = arith.constant 63 : i32
    %o = arith.subi %last, %t : i32
    %x = simt.load %a[%o] : !simt.buffer<f32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
