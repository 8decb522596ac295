// Products of cooperative matrices are functions that put words into components and take the sums out. The
// module has the Vulkan memory model: what threads share is not private, and barriers make it available
// and visible (0x148 | 0x2000 | 0x4000). SPIRV-Tools show no use of a matrix.
// RUN: %spirv | FileCheck %s
// RUN: %spirv -O0 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: OpCapability VulkanMemoryModel
  // CHECK-DAG: OpCapability CooperativeMatrixKHR
  // CHECK-DAG: OpExtension "SPV_KHR_cooperative_matrix"
  // CHECK-DAG: OpExtension "SPV_KHR_vulkan_memory_model"
  // CHECK: OpMemoryModel Logical Vulkan
  // CHECK-NOT: {{Coherent|Volatile$}}
  // CHECK-DAG: %a_f16_16x16 = OpTypeCooperativeMatrixKHR %half %{{.*}} %uint_16 %uint_16
  // CHECK-DAG: %b_f16_16x16 = OpTypeCooperativeMatrixKHR %half %{{.*}} %uint_16 %uint_16
  // CHECK-DAG: %c_f32_16x16 = OpTypeCooperativeMatrixKHR %float %{{.*}} %uint_16 %uint_16
  // CHECK-DAG: %bfloat16 = OpTypeFloat 16 BFloat16KHR
  // CHECK-DAG: %a_bf16_16x16 = OpTypeCooperativeMatrixKHR %bfloat16
  // CHECK-DAG: %a_u8_16x32 = OpTypeCooperativeMatrixKHR %uchar %{{.*}} %uint_16 %uint_32
  // CHECK-DAG: %b_u8_32x16 = OpTypeCooperativeMatrixKHR %uchar %{{.*}} %uint_32 %uint_16
  // CHECK-DAG: %c_u32_16x16 = OpTypeCooperativeMatrixKHR %uint

  // CHECK: %sextantInstruction0 = OpFunction
  // CHECK: %[[FIRST:.*]] = OpBitcast %v2half %a0
  // CHECK: OpCompositeExtract %half %[[FIRST]] 0
  // CHECK: OpLoad %a_f16_16x16
  // CHECK: OpLoad %b_f16_16x16
  // CHECK: OpLoad %c_f32_16x16
  // CHECK: OpCooperativeMatrixMulAddKHR %c_f32_16x16
  // CHECK: OpStore %r0
  // CHECK: OpStore %r7
  // CHECK: OpFunctionEnd

  // Two matrices on the left, one on the right.
  // CHECK: %sextantInstruction1 = OpFunction
  // CHECK-COUNT-2: OpCooperativeMatrixMulAddKHR %c_f32_16x16
  // CHECK-NOT: OpCooperativeMatrixMulAddKHR
  // CHECK: OpFunctionEnd

  // CHECK: %sextantInstruction2 = OpFunction
  // CHECK: OpBitcast %v4uchar %{{a0|a0_.*}}
  // CHECK: OpCooperativeMatrixMulAddKHR %c_u32_16x16
  // CHECK: OpFunctionEnd

  // CHECK: OpLoad %uint %{{[0-9]+}} NonPrivatePointer
  // CHECK: OpLoad %uint %{{[0-9]+}} Volatile|MakePointerVisible|NonPrivatePointer %uint_1
  // CHECK: OpStore %{{[0-9]+}} %{{[0-9]+}} NonPrivatePointer
  // CHECK: OpControlBarrier %uint_2 %uint_2 %uint_24904
  // CHECK-COUNT-3: OpFunctionCall %void %sextantInstruction
  func.func @products(%x: !simt.buffer<i32, global>, %y: !simt.buffer<f32, global>)
      attributes {simt.task = {block_dim = 32 : i32, full_blocks}} {
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    %t = simt.thread_idx
    %f = arith.constant 1.0 : f32
    %zero = arith.constant 0 : i32
    %w = simt.load %x[%t] : !simt.buffer<i32, global>, i32
    %v = simt.load volatile %x[%zero] : !simt.buffer<i32, global>, i32
    %sum = arith.addi %w, %v : i32
    simt.store %sum, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %u = simt.load %s[%zero] : !simt.buffer<i32, shared, 64>, i32
    %a:8 = simt.instruction "OpCooperativeMatrixMulAddKHR f16 f32 16x16x16 1x1"
      (%u, %u, %u, %u, %w, %w, %w, %w, %f, %f, %f, %f, %f, %f, %f, %f)
      : (i32, i32, i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, f32, f32, f32, f32)
      -> (f32, f32, f32, f32, f32, f32, f32, f32)
    %b:16 = simt.instruction "OpCooperativeMatrixMulAddKHR bf16 f32 16x16x16 2x1"
      (%u, %u, %u, %u, %u, %u, %u, %u, %w, %w, %w, %w,
       %f, %f, %f, %f, %f, %f, %f, %f, %f, %f, %f, %f, %f, %f, %f, %f)
      : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32,
         f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
      -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32)
    %c:8 = simt.instruction "OpCooperativeMatrixMulAddKHR u8 u32 16x16x32 1x1"
      (%u, %u, %u, %u, %w, %w, %w, %w, %u, %u, %u, %u, %u, %u, %u, %u)
      : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)
      -> (i32, i32, i32, i32, i32, i32, i32, i32)
    simt.store %a#0, %y[%t] : !simt.buffer<f32, global>, i32
    simt.store %b#15, %y[%zero] : !simt.buffer<f32, global>, i32
    simt.store %c#7, %x[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
