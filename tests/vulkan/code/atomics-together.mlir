// Sums of reals at one place that must stay where they are: lanes that are active together add
// once. So do they in a table of the block where they have one slot. Where atomics on reals are
// loops, the device may lack such operations, and each lane adds by itself.
// RUN: %spirv+float32-atomics+float64-atomics | FileCheck %s
// RUN: %spirv | FileCheck %s --check-prefix=LOOP

// CHECK-DAG: OpCapability GroupNonUniformArithmetic
// CHECK-DAG: OpCapability GroupNonUniformVote
// LOOP-NOT: GroupNonUniform
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: %[[SUM:.*]] = OpGroupNonUniformFAdd %float %uint_3 Reduce
  // CHECK: %[[FIRST:.*]] = OpGroupNonUniformElect %bool %uint_3
  // CHECK: OpBranchConditional %[[FIRST]]
  // CHECK: OpAtomicFAddEXT %float %{{.*}} %uint_1 %uint_0 %[[SUM]]
  // CHECK-NOT: OpAtomicFAddEXT
  // An integer's one, and a minimum, are the driver's.
  // CHECK: OpAtomicIAdd
  // CHECK: OpFunctionEnd
  func.func @looped(%x: !simt.buffer<f32, global>, %out: !simt.buffer<f32, global>, %count: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = simt.load %x[%i] : !simt.buffer<f32, global>, i32
      %old = simt.atomic_rmw addf %v, %out[%c0] : !simt.buffer<f32, global>, i32
      %older = simt.atomic_rmw addi %i, %count[%c0] : !simt.buffer<i32, global>, i32
    }
    return
  }
  // CHECK: OpFunction
  // CHECK: OpGroupNonUniformFAdd %double %uint_3 Reduce
  // CHECK: OpGroupNonUniformElect
  // CHECK: OpAtomicFAddEXT %double
  // CHECK: OpFunctionEnd
  func.func @wide(%x: !simt.buffer<f64, global>, %out: !simt.buffer<f64, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %v = simt.load %x[%i] : !simt.buffer<f64, global>, i32
      %old = simt.atomic_rmw addf %v, %out[%c0] : !simt.buffer<f64, global>, i32
    }
    return
  }
  // In the table: together, or one each; at places apart: one each.
  // CHECK: OpFunction
  // CHECK: %[[SAME:.*]] = OpGroupNonUniformAllEqual %bool %uint_3
  // CHECK: OpBranchConditional %[[SAME]]
  // CHECK: OpGroupNonUniformFAdd %float %uint_3 Reduce
  // CHECK: OpGroupNonUniformElect
  // CHECK: OpAtomicFAddEXT %float %{{.*}} %uint_2 %uint_0
  // CHECK: OpAtomicFAddEXT %float %{{.*}} %uint_2 %uint_0
  // CHECK: OpAtomicFAddEXT %float %{{.*}} %uint_1 %uint_0
  // CHECK: OpFunctionEnd
  func.func @tallied(%x: !simt.buffer<i32, global>, %bins: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 256 : i32}} {
    %b = simt.block_idx
    %g = simt.grid_dim
    %t = simt.thread_idx
    %one = arith.constant 1.0 : f32
    scf.for %turn = %b to %n step %g : i32 {
      %i = arith.addi %turn, %t : i32
      %k = simt.load %x[%i] : !simt.buffer<i32, global>, i32
      %old = simt.atomic_rmw addf %one, %bins[%k] : !simt.buffer<f32, global>, i32
    } {simt.turns}
    return
  }
}
