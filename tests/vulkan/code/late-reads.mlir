// Two arrays may be one memory, and drivers keep what is NonWritable in caches that writes by another
// binding pass by. So only what a thread reads before it writes anything else is NonWritable.
// RUN: %spirv | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: OpMemberDecorate %[[EARLY:.*]] 0 NonWritable
  // CHECK-NEXT: OpDecorate %[[X:.*]] DescriptorSet 0
  // CHECK-NEXT: OpDecorate %[[X]] Binding 0
  // CHECK-NOT: NonWritable
  // CHECK: OpFunctionEnd
  func.func @late(%early: !simt.buffer<f32, global>, %round: !simt.buffer<i32, global>, %after: !simt.buffer<f64, global>, %y: !simt.buffer<f32, global>, %n: i32, %flag: i1) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = arith.constant 0.0 : f32
    %total = scf.for %k = %zero to %n step %one iter_args(%sum = %start) -> f32 : i32 {
      %v = simt.load %early[%k] : !simt.buffer<f32, global>, i32
      %more = arith.addf %sum, %v : f32
      scf.yield %more : f32
    }
    // The next round reads after this one's store.
    scf.if %flag {
      scf.for %k = %zero to %n step %one : i32 {
        %v = simt.load %round[%k] : !simt.buffer<i32, global>, i32
        %f = arith.sitofp %v : i32 to f32
        %p = arith.mulf %f, %total : f32
        simt.store %p, %y[%k] : !simt.buffer<f32, global>, i32
      }
    }
    // The branch may have written.
    %v = simt.load %after[%i] : !simt.buffer<f64, global>, i32
    %d = arith.truncf %v : f64 to f32
    simt.store %d, %y[%i] : !simt.buffer<f32, global>, i32
    return
  }
}
