// NaN and infinity are their bits, minima are minNum, remainders exact; nothing is said that
// needs fast arithmetic off but the option that the loader sets.
// RUN: %msl_3_0 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: kernel void reals(
  // CHECK-DAG: as_type<float>(0x7f800000u
  // CHECK-DAG: as_type<float>(0x7fc00000u
  // CHECK-DAG: precise::min(
  // CHECK-DAG: precise::max(
  // CHECK-DAG: = sin(
  // CHECK-NOT: fast::
  // CHECK-NOT: fmod(
  func.func @reals(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %inf = arith.constant 0x7F800000 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %z = arith.constant 0.0 : f32
    %isNan = arith.cmpf uno, %v, %z : f32
    %a = arith.select %isNan, %inf, %v : f32
    %isZero = arith.cmpf oeq, %v, %z : f32
    %b = arith.select %isZero, %nan, %a : f32
    %c = arith.minnumf %b, %v : f32
    %d = arith.maxnumf %c, %a : f32
    %e = math.sin %d : f32
    %f = arith.remf %e, %d : f32
    simt.store %f, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: kernel void narrow(
  // CHECK-SAME: device
  func.func @narrow(%a: !simt.buffer<i8, global>, %b: !simt.buffer<i16, global>, %h: !simt.buffer<f16, global>)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %x = simt.load %a[%t] : !simt.buffer<i8, global>, i32
    %w = arith.extsi %x : i8 to i16
    simt.store %w, %b[%t] : !simt.buffer<i16, global>, i32
    %y = simt.load %h[%t] : !simt.buffer<f16, global>, i32
    %s = arith.addf %y, %y : f16
    simt.store %s, %h[%t] : !simt.buffer<f16, global>, i32
    return
  }
}
