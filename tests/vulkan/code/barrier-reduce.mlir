// A barrier that reduces is a counter in shared memory: one barrier and one atomic a call, and
// one barrier at the task's start.
// RUN: %spirv | FileCheck %s

// CHECK: OpVariable %_ptr_Workgroup_
// CHECK: OpControlBarrier
// CHECK-NOT: OpControlBarrier
// CHECK: OpAtomicIAdd %uint %{{.*}} %uint_2 %uint_0 %uint_1
// CHECK: OpControlBarrier
// CHECK-NOT: {{OpControlBarrier|OpAtomic}}
// CHECK: OpFunctionEnd
module attributes {simt.wave = 32 : i32} {
  func.func @count(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %q = arith.cmpi ne, %v, %z : i32
    %n = simt.barrier_reduce count %q
    simt.store %n, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
