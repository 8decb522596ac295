// Additions to a vector in memory: four lanes transpose theirs, and each of the four instructions adds
// to neighbours. Where one of the lanes is not active, each lane adds its own elements.
// RUN: %spirv+float32-atomics | FileCheck %s
// RUN: %spirv | FileCheck %s --check-prefix=LOOP

// CHECK-DAG: OpCapability GroupNonUniformBallot
// CHECK-DAG: OpCapability GroupNonUniformShuffle
// LOOP-NOT: GroupNonUniform
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: %[[FIRST:.*]] = OpIMul %uint %{{.*}} %uint_4
  // CHECK: %[[ACTIVE:.*]] = OpGroupNonUniformBallot %v4uint %uint_3 %true
  // CHECK: %[[WORD:.*]] = OpVectorExtractDynamic %uint %[[ACTIVE]]
  // CHECK: %[[TILE:.*]] = OpBitFieldUExtract %uint %[[WORD]] %{{.*}} %uint_4
  // CHECK: %[[ALL:.*]] = OpIEqual %bool %[[TILE]] %uint_15
  // CHECK: OpBranchConditional %[[ALL]]
  // CHECK-COUNT-2: OpGroupNonUniformShuffleXor %float %uint_3 %{{.*}} %uint_1
  // CHECK-COUNT-2: OpGroupNonUniformShuffleXor %float %uint_3 %{{.*}} %uint_2
  // CHECK: %[[OWN:.*]] = OpBitwiseAnd %uint %{{.*}} %uint_3
  // CHECK: %[[HERS:.*]] = OpGroupNonUniformShuffle %uint %uint_3 %[[FIRST]]
  // CHECK: %[[PLACE:.*]] = OpIAdd %uint %[[HERS]] %[[OWN]]
  // CHECK: %[[AT:.*]] = OpAccessChain %_ptr_StorageBuffer_float %{{.*}} %uint_0 %[[PLACE]]
  // CHECK: OpAtomicFAddEXT %float %[[AT]] %uint_1 %uint_0
  // CHECK-COUNT-3: OpAtomicFAddEXT
  // CHECK: OpLabel
  // CHECK-COUNT-4: OpAtomicFAddEXT
  // CHECK-NOT: OpAtomicFAddEXT
  // CHECK: OpFunctionEnd
  func.func @four(%x: !simt.buffer<f32, global>, %at: !simt.buffer<i32, global>, %out: !simt.buffer<f32, global> {simt.align = 16 : i32}) attributes {simt.task = {block_dim = 64 : i32}} {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %c4 = arith.constant 4 : i32
    %t = simt.thread_idx
    %v = simt.load %x[%t] : !simt.buffer<f32, global>, i32
    %p = simt.load %at[%t] : !simt.buffer<i32, global>, i32
    %p0 = arith.muli %p, %c4 : i32
    %p1 = arith.addi %p0, %c1 : i32
    %p2 = arith.addi %p0, %c2 : i32
    %p3 = arith.addi %p0, %c3 : i32
    %w = arith.addf %v, %v : f32
    %0 = simt.atomic_rmw addf %v, %out[%p0] : !simt.buffer<f32, global>, i32
    %1 = simt.atomic_rmw addf %w, %out[%p1] : !simt.buffer<f32, global>, i32
    %2 = simt.atomic_rmw addf %v, %out[%p2] : !simt.buffer<f32, global>, i32
    %3 = simt.atomic_rmw addf %w, %out[%p3] : !simt.buffer<f32, global>, i32
    return
  }
  // Pairs of lanes.
  // CHECK: OpFunction
  // CHECK: OpIEqual %bool %{{.*}} %uint_3
  // CHECK-COUNT-1: OpGroupNonUniformShuffleXor %float %uint_3 %{{.*}} %uint_1
  // CHECK-NOT: ShuffleXor
  // CHECK-COUNT-4: OpAtomicFAddEXT
  // CHECK-NOT: OpAtomicFAddEXT
  // CHECK: OpFunctionEnd
  func.func @two(%x: !simt.buffer<f32, global>, %at: !simt.buffer<i32, global>, %out: !simt.buffer<f32, global> {simt.align = 8 : i32}) attributes {simt.task = {block_dim = 64 : i32}} {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %t = simt.thread_idx
    %v = simt.load %x[%t] : !simt.buffer<f32, global>, i32
    %p = simt.load %at[%t] : !simt.buffer<i32, global>, i32
    %p0 = arith.muli %p, %c2 : i32
    %p1 = arith.addi %p0, %c1 : i32
    %w = arith.addf %v, %v : f32
    %0 = simt.atomic_rmw addf %v, %out[%p0] : !simt.buffer<f32, global>, i32
    %1 = simt.atomic_rmw addf %w, %out[%p1] : !simt.buffer<f32, global>, i32
    return
  }
  // A product of the same array makes bits of it, so that sums are loops. No lane needs another.
  // CHECK: OpFunction
  // CHECK-NOT: OpGroupNonUniform
  // CHECK: OpFunctionEnd
  func.func @bits(%x: !simt.buffer<f32, global>, %at: !simt.buffer<i32, global>, %out: !simt.buffer<f32, global> {simt.align = 8 : i32}) attributes {simt.task = {block_dim = 64 : i32}} {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %t = simt.thread_idx
    %v = simt.load %x[%t] : !simt.buffer<f32, global>, i32
    %p = simt.load %at[%t] : !simt.buffer<i32, global>, i32
    %p0 = arith.muli %p, %c2 : i32
    %p1 = arith.addi %p0, %c1 : i32
    %0 = simt.atomic_rmw addf %v, %out[%p0] : !simt.buffer<f32, global>, i32
    %1 = simt.atomic_rmw addf %v, %out[%p1] : !simt.buffer<f32, global>, i32
    %2 = simt.atomic_rmw mulf %v, %out[%p] : !simt.buffer<f32, global>, i32
    return
  }
}
