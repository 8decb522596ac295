// Divisions and roots of f32 by integers: 24 bits and the nearest remainder, and where an operand or
// the result is not a normal number, 25 bits.
// RUN: %spirv | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK: OpLogicalOr %bool
  // CHECK: %[[RARE:.*]] = OpLogicalOr %bool
  // CHECK-NOT: FindUMsb
  // CHECK: OpFDiv %float %float_1
  // CHECK: OpSelect %float %{{.*}} %float_16777216 %float_8388608
  // CHECK: OpConvertFToS
  // CHECK: Floor
  // CHECK-NOT: FindUMsb
  // CHECK: OpBranchConditional %[[RARE]]
  // CHECK: OpLabel
  // CHECK-COUNT-2: FindUMsb
  // CHECK: OpSelect %float %{{.*}} %float_33554432 %float_16777216
  // CHECK: OpFunctionEnd
  func.func @quotient(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %x = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %y = simt.load %q[%t] : !simt.buffer<f32, global>, i32
    %z = arith.divf %x, %y : f32
    simt.store %z, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK: OpFunction
  // CHECK-NOT: FindUMsb
  // CHECK: InverseSqrt
  // CHECK: OpBranchConditional
  // CHECK: OpLabel
  // CHECK: FindUMsb
  // CHECK: Sqrt
  // CHECK: OpFunctionEnd
  func.func @root(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %x = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %z = math.sqrt %x : f32
    simt.store %z, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
