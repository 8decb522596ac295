// Subgroup operations are one function each; 64-bit values move as pairs; none of them is put
// into an expression that some lanes skip.
// RUN: %msl_3_0 | FileCheck %s
// RUN: %msl_2_3 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: kernel void moves(
  // CHECK-SAME: thread_index_in_simdgroup
  // CHECK: = spvSubgroupShuffleXor({{_[0-9]+}}, 1u);
  // CHECK: = spvSubgroupShuffleUp({{_[0-9]+}}, 2u);
  // CHECK: = spvSubgroupShuffleDown({{_[0-9]+}}, 4u);
  // CHECK: = spvSubgroupBroadcast({{_[0-9]+}}, 3u);
  // CHECK: = spvSubgroupShuffle({{_[0-9]+}}, gl_SubgroupInvocationID);
  func.func @moves(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %lane = simt.lane
    %1 = arith.constant 1 : i32
    %2 = arith.constant 2 : i32
    %3 = arith.constant 3 : i32
    %4 = arith.constant 4 : i32
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %a = simt.shuffle xor %v, %1 : f32
    %b = simt.shuffle up %a, %2 : f32
    %c = simt.shuffle down %b, %4 : f32
    %d = simt.shuffle broadcast %c, %3 : f32
    %e = simt.shuffle index %d, %lane : f32
    simt.store %e, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: kernel void wide(
  // CHECK: uint2 [[PAIR:_[0-9]+]] = as_type<uint2>(
  // CHECK: uint2 [[MOVED:_[0-9]+]] = spvSubgroupShuffleUp([[PAIR]], 1u);
  // CHECK: ulong [[VALUE:_[0-9]+]] = as_type<ulong>([[MOVED]]);
  // CHECK: = {{_[0-9]+}} ? [[VALUE]] : 
  func.func @wide(%p: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %lane = simt.lane
    %1 = arith.constant 1 : i32
    %0 = arith.constant 0 : i64
    %v = simt.load %p[%t] : !simt.buffer<i64, global>, i32
    %a = simt.shuffle up %v, %1 : i64
    %q = arith.cmpi uge, %lane, %1 : i32
    %r = arith.select %q, %a, %0 : i64
    simt.store %r, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: kernel void reductions(
  // CHECK: = simd_sum(
  // CHECK: = uint(simd_max(int(
  // CHECK: = simd_or(
  // CHECK: = simd_prefix_inclusive_sum(
  // CHECK: = simd_all(
  // CHECK: = simd_any(
  // CHECK: = spvSubgroupBallot(
  func.func @reductions(%p: !simt.buffer<i32, global>, %f: !simt.buffer<f32, global>,
                        %m: !simt.buffer<i64, global>)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %0 = arith.constant 0 : i32
    %x = simt.load %f[%t] : !simt.buffer<f32, global>, i32
    %s = simt.reduce addf %x tile 5 all : f32
    simt.store %s, %f[%t] : !simt.buffer<f32, global>, i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %a = simt.reduce maxs %v tile 5 all : i32
    %b = simt.reduce ori %a tile 5 : i32
    %c = simt.scan addi %b tile 5 : i32
    %q = arith.cmpi ne, %c, %0 : i32
    %d = simt.vote all %q tile 5
    %e = simt.vote any %d tile 5
    %g = simt.ballot %e
    simt.store %g, %m[%t] : !simt.buffer<i64, global>, i32
    simt.store %c, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // A value that a loop carries is a variable.
  // CHECK-LABEL: kernel void carried(
  // CHECK: float [[SUM:_[0-9]+]] = simd_sum(
  // CHECK: ? [[SUM]] :
  func.func @carried(%f: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %lane = simt.lane
    %0 = arith.constant 0 : i32
    %1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %x = simt.load %f[%t] : !simt.buffer<f32, global>, i32
    %s = scf.for %k = %0 to %n step %1 iter_args(%a = %x) -> (f32) : i32 {
      %b = arith.mulf %a, %a : f32
      scf.yield %b : f32
    }
    %sum = simt.reduce addf %s tile 5 all : f32
    %first = arith.cmpi eq, %lane, %0 : i32
    %v = arith.select %first, %sum, %zero : f32
    simt.store %v, %f[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
