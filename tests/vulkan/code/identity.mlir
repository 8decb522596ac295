// Where a thread is: inputs of the device, and arithmetic on them.
// RUN: %spirv | FileCheck %s

// Blocks may come in rows, whose length the loader sets: 0, one row, where it does not.
// CHECK-DAG: OpDecorate %[[ROW:.*]] SpecId 0
// CHECK-DAG: OpDecorate %[[PLACE:.*]] BuiltIn WorkgroupId
// CHECK-DAG: %[[ROW]] = OpSpecConstant %uint 0
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: OpLoad %uint %gl_LocalInvocationIndex
  // CHECK: %[[BLOCK:.*]] = OpLoad %v3uint %[[PLACE]]
  // CHECK: %[[Y:.*]] = OpCompositeExtract %uint %[[BLOCK]] 1
  // CHECK: %[[BEFORE:.*]] = OpIMul %uint %[[Y]] %[[ROW]]
  // CHECK: %[[X:.*]] = OpCompositeExtract %uint %[[BLOCK]] 0
  // CHECK: OpIAdd %uint %[[BEFORE]] %[[X]]
  // CHECK: OpFunctionEnd
  func.func @place(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %b = simt.block_idx
    simt.store %b, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
