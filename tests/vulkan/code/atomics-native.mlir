// With every feature: one instruction an operation on reals, but for products, exchanges of f32
// and f64 (of bits everywhere), and memory on which not all operations are instructions.
// RUN: sextant-opt %s --emit=asm --target=vulkan:1.1+float16-atomics+float16-minmax-atomics+float32-atomics+float32-minmax-atomics+float64-atomics+float64-minmax-atomics+shared-float16-atomics+shared-float16-minmax-atomics+shared-float32-minmax-atomics+shared-float64-minmax-atomics | FileCheck %s
// Without: loops, f16 by words, minima and maxima of f32 and f64 by integers.
// RUN: %spirv | FileCheck %s --check-prefix=LOOP

// CHECK-DAG: OpCapability AtomicFloat16AddEXT
// CHECK-DAG: OpCapability AtomicFloat16MinMaxEXT
// CHECK-DAG: OpCapability AtomicFloat32MinMaxEXT
// CHECK-DAG: OpCapability AtomicFloat64AddEXT
// CHECK-DAG: OpCapability AtomicFloat64MinMaxEXT
// CHECK-DAG: OpExtension "SPV_EXT_shader_atomic_float16_add"
// CHECK-DAG: OpExtension "SPV_EXT_shader_atomic_float_min_max"
// LOOP-NOT: OpCapability AtomicFloat
// LOOP-NOT: OpCapability StorageBuffer16BitAccess
module attributes {simt.wave = 32 : i32} {
  // CHECK: OpFunction
  // CHECK-NOT: CompareExchange
  // CHECK: OpAtomicFAddEXT %half %{{.*}} %uint_1 %uint_0
  // A signalling NaN would win: the value is quiet.
  // CHECK: %[[NAN:.*]] = OpIsNan %bool %[[V:.*]]
  // CHECK: %[[QUIET:.*]] = OpSelect %half %[[NAN]] %half_0x1_8p_16 %[[V]]
  // CHECK: OpAtomicFMinEXT %half %{{.*}} %uint_1 %uint_0 %[[QUIET]]
  // CHECK: OpAtomicFMaxEXT %half %{{.*}} %uint_1 %uint_0
  // CHECK: OpAtomicExchange %half %{{.*}} %uint_1 %uint_0
  // Of the block's memory.
  // CHECK: OpAtomicFAddEXT %half %{{.*}} %uint_2 %uint_0
  // CHECK: OpAtomicFMinEXT %half %{{.*}} %uint_2 %uint_0
  // CHECK-NOT: CompareExchange
  // CHECK: OpFunctionEnd
  // LOOP: OpFunction
  // LOOP-COUNT-6: OpAtomicCompareExchange %uint
  // LOOP: OpFunctionEnd
  func.func @halves(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>, %d: !simt.buffer<f64, global>,
      %h: !simt.buffer<f16, global>, %v: f32, %w: f64, %u: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "s" : !simt.buffer<f16, shared, 4>
    %z = arith.constant 0 : i32
    %a = simt.atomic_rmw addf %u, %h[%z] : !simt.buffer<f16, global>, i32
    %b = simt.atomic_rmw minf %a, %h[%z] : !simt.buffer<f16, global>, i32
    %c = simt.atomic_rmw maxf %b, %h[%z] : !simt.buffer<f16, global>, i32
    %g = simt.atomic_rmw exchange %c, %h[%z] : !simt.buffer<f16, global>, i32
    %e = simt.atomic_rmw addf %g, %s[%z] : !simt.buffer<f16, shared, 4>, i32
    %f = simt.atomic_rmw minf %e, %s[%z] : !simt.buffer<f16, shared, 4>, i32
    return
  }
  // CHECK: OpFunction
  // CHECK-NOT: CompareExchange
  // CHECK: OpAtomicFMinEXT %float %{{.*}} %uint_1 %uint_0
  // CHECK: OpAtomicFMaxEXT %float %{{.*}} %uint_2 %uint_0
  // CHECK: OpAtomicFAddEXT %double %{{.*}} %uint_1 %uint_0
  // CHECK: OpAtomicFMaxEXT %double %{{.*}} %uint_1 %uint_0
  // CHECK-NOT: CompareExchange
  // CHECK: OpFunctionEnd
  // LOOP: OpFunction
  // LOOP: OpAtomicUMax %uint %{{.*}} %uint_1
  // LOOP: OpAtomicSMin %uint %{{.*}} %uint_1
  // LOOP: OpAtomicUMin %uint %{{.*}} %uint_2
  // LOOP: OpAtomicSMax %uint %{{.*}} %uint_2
  // LOOP: OpAtomicCompareExchange %ulong
  // LOOP: OpAtomicUMin %ulong %{{.*}} %uint_1
  // LOOP: OpAtomicSMax %ulong %{{.*}} %uint_1
  // LOOP: OpFunctionEnd
  func.func @reals(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>, %d: !simt.buffer<f64, global>,
      %h: !simt.buffer<f16, global>, %v: f32, %w: f64, %u: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "s" : !simt.buffer<f32, shared, 4>
    %z = arith.constant 0 : i32
    %a = simt.atomic_rmw minf %v, %p[%z] : !simt.buffer<f32, global>, i32
    %b = simt.atomic_rmw maxf %a, %s[%z] : !simt.buffer<f32, shared, 4>, i32
    %c = simt.atomic_rmw addf %w, %d[%z] : !simt.buffer<f64, global>, i32
    %e = simt.atomic_rmw maxf %c, %d[%z] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK: OpFunction
  // CHECK: OpAtomicExchange %uint %{{.*}} %uint_1 %uint_0
  // CHECK: OpAtomicExchange %ulong %{{.*}} %uint_2 %uint_0
  // CHECK: OpFMul %float
  // CHECK: OpAtomicCompareExchange %uint
  // CHECK: OpFAdd %float
  // CHECK: OpAtomicCompareExchange %uint
  // CHECK: OpFunctionEnd
  func.func @bits(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>, %d: !simt.buffer<f64, global>,
      %h: !simt.buffer<f16, global>, %v: f32, %w: f64, %u: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "s" : !simt.buffer<f64, shared, 4>
    %z = arith.constant 0 : i32
    %a = simt.atomic_rmw exchange %v, %p[%z] : !simt.buffer<f32, global>, i32
    %b = simt.atomic_rmw exchange %w, %s[%z] : !simt.buffer<f64, shared, 4>, i32
    %c = simt.atomic_rmw mulf %v, %q[%z] : !simt.buffer<f32, global>, i32
    %e = simt.atomic_rmw addf %c, %q[%z] : !simt.buffer<f32, global>, i32
    return
  }
}
