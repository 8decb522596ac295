// Memory that threads exchange values through: volatile, coherent, barriers, fences.
// RUN: %spirv | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: OpMemberDecorate %[[FLAGS:.*]] 0 Coherent
  // CHECK-NEXT: OpMemberDecorate %[[FLAGS]] 0 Volatile
  // Memory that is written and read in a task with a fence is coherent; memory that is only read is not.
  // CHECK: OpMemberDecorate %[[DATA:.*]] 0 Coherent
  // CHECK-NOT: Volatile
  // CHECK: OpMemberDecorate %[[SRC:.*]] 0 NonWritable
  // CHECK-NOT: Coherent
  // CHECK: OpFunction
  // CHECK: OpLoad %uint %{{.*}} Volatile
  // Acquire and release, of buffers and shared memory: 0x8 | 0x40 | 0x100; of the device.
  // CHECK: OpMemoryBarrier %uint_1 %uint_328
  // CHECK: OpControlBarrier %uint_2 %uint_2 %uint_328
  // CHECK: OpMemoryBarrier %uint_2 %uint_328
  // CHECK: OpControlBarrier %uint_3 %uint_3 %uint_328
  // CHECK: OpStore %{{.*}} %uint_0 Volatile
  func.func @exchange(%flags: !simt.buffer<i32, global>, %data: !simt.buffer<i32, global>, %src: !simt.buffer<i32, global>)
      attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    scf.while : () -> () {
      %v = simt.load volatile %flags[%z] : !simt.buffer<i32, global>, i32
      %q = arith.cmpi eq, %v, %z : i32
      scf.condition(%q)
    } do {
      scf.yield
    }
    simt.fence device
    %a = simt.load %data[%t] : !simt.buffer<i32, global>, i32
    %b = simt.load %src[%t] : !simt.buffer<i32, global>, i32
    %c = arith.addi %a, %b : i32
    simt.store %c, %data[%t] : !simt.buffer<i32, global>, i32
    simt.barrier
    simt.fence block
    simt.subgroup_barrier
    simt.store volatile %z, %flags[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // A look at shared memory is an atomic load. A wait also has a fence: drivers remove loops of less.
  // CHECK: OpFunction
  // CHECK: OpAtomicLoad %uint %{{.*}} %uint_2 %uint_0
  // CHECK-NOT: OpMemoryBarrier
  // CHECK: OpLoopMerge
  // CHECK: OpAtomicLoad %uint %{{.*}} %uint_2 %uint_0
  // CHECK-NEXT: OpMemoryBarrier %uint_2 %uint_328
  // CHECK: OpReturn
  func.func @wait(%out: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32, full_blocks}} {
    %flag = simt.shared "flag" : !simt.buffer<i32, shared, 1>
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %first = simt.load volatile %flag[%z] : !simt.buffer<i32, shared, 1>, i32
    simt.store %t, %flag[%z] : !simt.buffer<i32, shared, 1>, i32
    scf.while : () -> () {
      %v = simt.load volatile %flag[%z] : !simt.buffer<i32, shared, 1>, i32
      %q = arith.cmpi eq, %v, %z : i32
      scf.condition(%q)
    } do {
      scf.yield
    }
    %r = arith.sitofp %first : i32 to f32
    simt.store %r, %out[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
