// A product that one sum or difference uses is one fma with it.
// RUN: sextant-opt %s --target=vulkan:1.1 --emit=none --dump-ir=vulkan-fuse | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: func.func @task(
  func.func @task(%p: !simt.buffer<f32, global>, %a: f32, %b: f32, %c: f32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    // CHECK: math.fma %arg1, %arg2, %arg3
    %ab = arith.mulf %a, %b : f32
    %sum = arith.addf %ab, %c : f32
    // CHECK: %[[LESS:.*]] = arith.negf %arg1
    // CHECK: math.fma %[[LESS]], %arg3, %arg2
    %ac = arith.mulf %a, %c : f32
    %less = arith.subf %b, %ac : f32
    // CHECK: %[[TWICE:.*]] = arith.mulf %arg2, %arg3
    // CHECK: arith.addf %[[TWICE]], %[[TWICE]]
    %bc = arith.mulf %b, %c : f32
    %twice = arith.addf %bc, %bc : f32
    // Precise ones are not.
    // CHECK: arith.addf %{{.*}}, %arg1
    %square = arith.mulf %b, %b {simt.precise} : f32
    %more = arith.addf %square, %a : f32
    // CHECK: arith.subf %{{.*}}, %arg1
    %cc = arith.mulf %c, %c : f32
    %rest = arith.subf %cc, %a {simt.precise} : f32
    simt.store %more, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %rest, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %sum, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %less, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %twice, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
