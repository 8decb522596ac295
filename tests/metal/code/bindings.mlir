// Arrays at the indices of their order, the values after the last one; one complete text
// a task, each under its heading.
// RUN: %msl_3_0 | FileCheck %s
// RUN: %msl_2_3 | FileCheck %s --check-prefix=OLD

// CHECK: {{^}}// Sextant: Metal 3.0, kernel first{{$}}
// OLD: {{^}}// Sextant: Metal 2.3, kernel first{{$}}
// CHECK: #include <metal_stdlib>
// CHECK: uint _m0;
// CHECK-NEXT: uint _m1;
// CHECK-NEXT: ulong _m2;
// CHECK-NEXT: ulong _m3;
// CHECK-NEXT: float _m4;
// CHECK: kernel void first(const device {{.*}} {{\[\[}}buffer(0){{]]}}, device {{.*}} {{\[\[}}buffer(2){{]]}}, constant {{_[0-9]+}}& {{.*}} {{\[\[}}buffer(3){{]]}}
// The second text stands alone.
// CHECK: {{^}}// Sextant: Metal 3.0, kernel second{{$}}
// CHECK: #include <metal_stdlib>
// CHECK: kernel void second(device {{.*}} {{\[\[}}buffer(1){{]]}}
// CHECK-NOT: constant
// CHECK-NOT: kernel
module attributes {simt.wave = 32 : i32} {
  // `d` has a place, though Metal has no type for it.
  func.func @first(%a: !simt.buffer<f32, global>, %k: i8, %n: i32, %u: !simt.buffer<i32, global>,
                   %l: i64, %d: f64, %x: f32, %out: !simt.buffer<f32, global>)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %a[%t] : !simt.buffer<f32, global>, i32
    %kw = arith.extsi %k : i8 to i32
    %lw = arith.trunci %l : i64 to i32
    %s = arith.addi %kw, %lw : i32
    %r = arith.sitofp %s : i32 to f32
    %y = arith.mulf %v, %x : f32
    %z = arith.addf %y, %r : f32
    simt.store %z, %out[%n] : !simt.buffer<f32, global>, i32
    return
  }
  func.func @second(%a: !simt.buffer<f32, global>, %k: i8, %n: i32, %u: !simt.buffer<i32, global>,
                    %l: i64, %d: f64, %x: f32, %out: !simt.buffer<f32, global>)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    simt.store %t, %u[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
