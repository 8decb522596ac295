// Code that SPIR-V leaves undefined does not happen; what may be approximate is not.
// RUN: %spirv | FileCheck %s

// Nothing is contracted, or folded as if there were no NaN.
// CHECK: OpDecorate %[[SUM:.*]] NoContraction
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // A divisor that is 0, or -1 under the least number, becomes 1.
  // CHECK: %[[ZERO:.*]] = OpIEqual %bool %[[D:.*]] %uint_0
  // CHECK: %[[LEAST:.*]] = OpIEqual %bool %{{.*}} %uint_2147483648
  // CHECK: %[[SAFE:.*]] = OpSelect %uint %{{.*}} %uint_1 %[[D]]
  // CHECK: %[[Q:.*]] = OpSDiv %uint %{{.*}} %[[SAFE]]
  // The remainder of negative numbers comes from the quotient.
  // CHECK-NOT: OpSRem
  // CHECK: OpIMul %uint
  // CHECK: OpISub %uint
  // CHECK: OpBitwiseAnd %uint %{{.*}} %uint_31
  // CHECK: OpShiftRightArithmetic %uint
  // CHECK: FindUMsb
  // CHECK: OpFunctionEnd
  func.func @integers(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %w = simt.load %p[%z] : !simt.buffer<i32, global>, i32
    %a = arith.divsi %v, %w : i32
    %b = arith.remsi %a, %v : i32
    %c = arith.shrsi %b, %w : i32
    %d = math.ctlz %c : i32
    simt.store %d, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK: OpFunction
  // CHECK: %[[SUM]] = OpFAdd %float
  // CHECK: NMin %
  // CHECK: OpIsNan %bool
  // Division is exact arithmetic on bits, by a power of two a product.
  // CHECK: OpFMul %float %{{.*}} %float_0_25
  // CHECK: OpFDiv %float %float_1
  // CHECK: OpUMod
  // CHECK: OpFunctionEnd
  func.func @reals(%p: !simt.buffer<f32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %four = arith.constant 4.0 : f32
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %w = simt.load %p[%z] : !simt.buffer<f32, global>, i32
    %a = arith.addf %v, %w : f32
    %b = arith.minnumf %a, %w : f32
    %q = arith.cmpf uno, %b, %v : f32
    %c = arith.select %q, %v, %b : f32
    %d = arith.divf %c, %four : f32
    %e = arith.divf %d, %w : f32
    %f = arith.remf %e, %v : f32
    simt.store %f, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // A product that nothing else uses becomes part of the sum.
  // CHECK: OpFunction
  // CHECK: %[[F:.*]] = OpExtInst %float %{{.*}} Fma %[[A:[0-9]+]] %[[A]] %[[B:[0-9]+]]
  // CHECK-NEXT: %[[N:.*]] = OpFNegate %float %[[F]]
  // CHECK-NEXT: %[[G:.*]] = OpExtInst %float %{{.*}} Fma %[[N]] %[[B]] %[[A]]
  // CHECK-NEXT: %[[P:.*]] = OpFMul %float %[[G]] %[[G]]
  // CHECK-NEXT: OpFAdd %float %[[P]] %[[P]]
  // CHECK: OpFunctionEnd
  func.func @fused(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %z = arith.constant 0 : i32
    %a = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %b = simt.load %p[%z] : !simt.buffer<f32, global>, i32
    %c = arith.mulf %a, %a : f32
    %d = arith.addf %b, %c : f32
    %e = arith.mulf %d, %b : f32
    %f = arith.subf %a, %e : f32
    %g = arith.mulf %f, %f : f32
    %h = arith.addf %g, %g : f32
    simt.store %h, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // No function of GLSL's but those that are exact.
  // CHECK: OpFunction
  // CHECK-NOT: {{Sin|Exp|Pow}} %
  // CHECK: OpFunctionEnd
  func.func @functions(%p: !simt.buffer<f64, global>, %s: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f64, global>, i32
    %w = simt.load %s[%t] : !simt.buffer<f32, global>, i32
    %a = math.sin %v : f64
    %b = math.powf %a, %v : f64
    %c = math.exp %w : f32
    simt.store %b, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %c, %s[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
