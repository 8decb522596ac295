// One reduction serves the sine and the cosine of an angle. A cosine of another angle has its own.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry turn(
  // CHECK: ld.global.f32
  // CHECK: ld.global.f32
  // CHECK: mul{{.*}}.f32 %{{.*}}, 0f3F22F983
  // CHECK-NOT: 0f3F22F983
  // CHECK: ret;
  // CHECK-LABEL: .entry turns(
  // CHECK-COUNT-2: 0f3F22F983
  // CHECK: ret;
  func.func @turn(%x: !simt.buffer<f32, global>, %y: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %a = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %s = math.sin %a : f32
    %c = math.cos %a : f32
    %b = simt.load %y[%i] : !simt.buffer<f32, global>, i32
    %scaled = arith.mulf %b, %c : f32
    %sum = arith.addf %s, %scaled : f32
    simt.store %sum, %x[%i] : !simt.buffer<f32, global>, i32
    return
  }
  func.func @turns(%x: !simt.buffer<f32, global>, %y: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %a = simt.load %x[%i] : !simt.buffer<f32, global>, i32
    %b = simt.load %y[%i] : !simt.buffer<f32, global>, i32
    %s = math.sin %a : f32
    %c = math.cos %b : f32
    %sum = arith.addf %s, %c : f32
    simt.store %sum, %x[%i] : !simt.buffer<f32, global>, i32
    return
  }
}
