// Native on integers; on reals where the variant may; a loop of compare-and-swaps else.
// RUN: %spirv | FileCheck %s --check-prefixes=CHECK,LOOP
// RUN: sextant-opt %s --emit=asm --target=vulkan:1.1+float32-atomics | FileCheck %s --check-prefixes=CHECK,ADD

// ADD: OpCapability AtomicFloat32AddEXT
// ADD: OpExtension "SPV_EXT_shader_atomic_float_add"
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: OpAtomicIAdd %uint %{{.*}} %uint_1 %uint_0
  // CHECK: OpAtomicSMin %uint
  // CHECK: OpAtomicExchange %uint
  // CHECK: OpAtomicCompareExchange %uint %{{.*}} %uint_1 %uint_0 %uint_0
  // For the block's memory: the block's scope.
  // CHECK: OpAtomicOr %uint %{{.*}} %uint_2 %uint_0
  // A product has no instruction.
  // CHECK: OpLoopMerge
  // CHECK: OpIMul %uint
  // CHECK: OpAtomicCompareExchange %uint
  // CHECK: OpFunctionEnd
  func.func @integers(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "bits" : !simt.buffer<i32, shared, 4>
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %a = simt.atomic_rmw addi %t, %p[%z] : !simt.buffer<i32, global>, i32
    %b = simt.atomic_rmw mins %a, %p[%z] : !simt.buffer<i32, global>, i32
    %c = simt.atomic_rmw exchange %b, %p[%z] : !simt.buffer<i32, global>, i32
    %d = simt.atomic_cas %c, %t, %p[%z] : !simt.buffer<i32, global>, i32
    %e = simt.atomic_rmw ori %d, %s[%z] : !simt.buffer<i32, shared, 4>, i32
    %f = simt.atomic_rmw muli %e, %p[%z] : !simt.buffer<i32, global>, i32
    return
  }
  // The buffer holds bits where a loop swaps them; a load turns them into a real.
  // CHECK: OpFunction
  // LOOP: OpLoad %uint %{{[0-9]+}}
  // LOOP-NEXT: OpBitcast %float
  // LOOP: OpAtomicLoad %uint
  // LOOP: OpFAdd %float
  // LOOP: OpAtomicCompareExchange %uint
  // ADD: OpLoad %float
  // ADD-NOT: CompareExchange
  // ADD: OpAtomicFAddEXT %float %{{.*}} %uint_1 %uint_0
  // CHECK: OpFunctionEnd
  func.func @sum(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %a = simt.atomic_rmw addf %v, %p[%z] : !simt.buffer<f32, global>, i32
    return
  }
  // A maximum has a feature of its own. A half is swapped with the half beside it, as a word.
  // CHECK: OpFunction
  // By integers, as their bits sort: one operation for each sign, and a loop for a NaN in memory.
  // CHECK: OpIsNan
  // CHECK: %[[SIGN:.*]] = OpSLessThan %bool %{{.*}} %uint_0
  // CHECK: OpBranchConditional %[[SIGN]]
  // CHECK: OpAtomicUMin %uint %{{.*}} %uint_1 %uint_0
  // CHECK: OpAtomicSMax %uint %{{.*}} %uint_1 %uint_0
  // CHECK: OpSGreaterThan %bool %{{.*}} %uint_2139095040
  // CHECK: NMax
  // CHECK: OpAtomicCompareExchange %uint
  // CHECK: OpBitFieldUExtract %uint
  // CHECK: NMax
  // CHECK: OpBitFieldInsert %uint
  // CHECK: OpAtomicCompareExchange %uint
  // CHECK: OpFunctionEnd
  func.func @largest(%p: !simt.buffer<f32, global>, %h: !simt.buffer<f16, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %a = simt.atomic_rmw maxf %v, %p[%z] : !simt.buffer<f32, global>, i32
    %w = simt.load %h[%t] : !simt.buffer<f16, global>, i32
    %b = simt.atomic_rmw maxf %w, %h[%z] : !simt.buffer<f16, global>, i32
    return
  }
  // Bytes in arrays: a loop on the word that holds them, also for what words do in one.
  // CHECK: OpFunction
  // CHECK: OpShiftRightLogical %uint %{{.*}} %uint_2
  // CHECK: OpLoopMerge
  // CHECK: OpBitFieldUExtract %uint %{{.*}} %{{.*}} %uint_8
  // CHECK: OpBitFieldInsert %uint %{{.*}} %{{.*}} %{{.*}} %uint_8
  // CHECK: OpAtomicCompareExchange %uint %{{.*}} %uint_1 %uint_0 %uint_0
  // In the block's memory they are words: `or` is one, a sum wraps.
  // CHECK: OpAtomicOr %uint %{{.*}} %uint_2 %uint_0
  // CHECK: OpLoopMerge
  // CHECK: OpBitwiseAnd %uint %{{.*}} %uint_255
  // CHECK: OpAtomicCompareExchange %uint %{{.*}} %uint_2 %uint_0 %uint_0
  // CHECK: OpFunctionEnd
  func.func @bytes(%p: !simt.buffer<i8, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "bytes" : !simt.buffer<i8, shared, 4>
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i8, global>, i32
    %a = simt.atomic_rmw ori %v, %p[%t] : !simt.buffer<i8, global>, i32
    %b = simt.atomic_rmw ori %a, %s[%t] : !simt.buffer<i8, shared, 4>, i32
    %c = simt.atomic_rmw addi %b, %s[%t] : !simt.buffer<i8, shared, 4>, i32
    return
  }
}
