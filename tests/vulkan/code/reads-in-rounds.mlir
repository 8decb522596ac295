// Two arrays may be one memory, and drivers keep what is NonWritable in caches that writes by another
// binding pass by. So what a loop reads, another element in each round, while it writes something else
// is not NonWritable.
// RUN: %spirv | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: OpMemberDecorate %[[EARLY:.*]] 0 NonWritable
  // CHECK-NEXT: OpDecorate %[[X:.*]] DescriptorSet 0
  // CHECK-NEXT: OpDecorate %[[X]] Binding 0
  // CHECK-NOT: NonWritable
  // CHECK: OpMemberDecorate %[[ONE:.*]] 0 NonWritable
  // CHECK-NEXT: OpDecorate %[[Y:.*]] DescriptorSet 0
  // CHECK-NEXT: OpDecorate %[[Y]] Binding 2
  // CHECK-NOT: NonWritable
  // CHECK: OpFunctionEnd
  func.func @rounds(%early: !simt.buffer<f32, global>, %round: !simt.buffer<i32, global>, %one_place: !simt.buffer<f64, global>, %y: !simt.buffer<f32, global>, %n: i32, %flag: i1) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %start = arith.constant 0.0 : f32
    // This loop writes nothing.
    %total = scf.for %k = %zero to %n step %one iter_args(%sum = %start) -> f32 : i32 {
      %v = simt.load %early[%k] : !simt.buffer<f32, global>, i32
      %more = arith.addf %sum, %v : f32
      scf.yield %more : f32
    }
    scf.if %flag {
      scf.for %k = %zero to %n step %one : i32 {
        %v = simt.load %round[%k] : !simt.buffer<i32, global>, i32
        %w = simt.load %one_place[%i] : !simt.buffer<f64, global>, i32
        %f = arith.sitofp %v : i32 to f32
        %g = arith.truncf %w : f64 to f32
        %p = arith.mulf %f, %total : f32
        %q = arith.mulf %p, %g : f32
        scf.if %flag {
          simt.store %q, %y[%k] : !simt.buffer<f32, global>, i32
        }
      }
    }
    return
  }
}
