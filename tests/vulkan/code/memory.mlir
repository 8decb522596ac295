// Arguments are bindings and push constants; decorations say what is done with a buffer.
// RUN: %spirv | FileCheck %s

// CHECK: OpEntryPoint GLCompute %{{.*}} "saxpy" %gl_LocalInvocationIndex
// CHECK: OpExecutionMode %{{.*}} LocalSize 64 1 1
// The buffer that is only read, the scalars at their offsets (a 0, flag in 4 bytes 4, n 8),
// the buffer in place.
// CHECK: OpDecorate %[[READ:.*]] Block
// CHECK-NEXT: OpMemberDecorate %[[READ]] 0 Offset 0
// CHECK-NEXT: OpMemberDecorate %[[READ]] 0 NonWritable
// CHECK-NEXT: OpDecorate %[[X:.*]] DescriptorSet 0
// CHECK-NEXT: OpDecorate %[[X]] Binding 0
// CHECK-NEXT: OpDecorate %[[X]] Aliased
// CHECK-NEXT: OpDecorate %[[VALUES:.*]] Block
// CHECK-NEXT: OpMemberDecorate %[[VALUES]] 0 Offset 0
// CHECK-NEXT: OpMemberDecorate %[[VALUES]] 1 Offset 4
// CHECK-NEXT: OpMemberDecorate %[[VALUES]] 2 Offset 8
// CHECK-NEXT: OpDecorate %[[BOTH:.*]] Block
// CHECK-NEXT: OpMemberDecorate %[[BOTH]] 0 Offset 0
// CHECK-NEXT: OpDecorate %[[Y:.*]] DescriptorSet 0
// CHECK-NEXT: OpDecorate %[[Y]] Binding 1
// CHECK-NEXT: OpDecorate %[[Y]] Aliased
// CHECK: OpTypeStruct %float %uint %ulong
// CHECK: OpVariable %_ptr_PushConstant_{{.*}} PushConstant
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: OpAccessChain %_ptr_PushConstant_float %{{.*}} %uint_0
  // CHECK: OpAccessChain %_ptr_PushConstant_uint %{{.*}} %uint_1
  // CHECK: OpINotEqual %bool
  // CHECK: OpUConvert %uint
  // CHECK: OpAccessChain %_ptr_StorageBuffer_float %{{.*}} %uint_0
  // CHECK: OpReturn
  func.func @saxpy(%x: !simt.buffer<f32, global>, %a: f32, %flag: i1, %y: !simt.buffer<f32, global>, %n: i64)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %i = arith.extui %t : i32 to i64
    %j = arith.addi %i, %n : i64
    scf.if %flag {
      %v = simt.load %x[%j] : !simt.buffer<f32, global>, i64
      %w = simt.load %y[%t] : !simt.buffer<f32, global>, i32
      %p = arith.mulf %v, %a : f32
      %s = arith.addf %p, %w : f32
      simt.store %s, %y[%t] : !simt.buffer<f32, global>, i32
    }
    return
  }
}
