// Long math becomes functions: one for each operation, type and set of constants that occurs
// twice. What occurs once, is short, or divides by a power of two stays.
// RUN: sextant-opt %s --pass=outline-math | FileCheck %s

// Functions come before tasks. The constant of a kind is inside.
// CHECK:      func.func private @[[ROOT:sqrt.*]](%[[X:.*]]: f32) -> f32
// CHECK:        math.sqrt %[[X]] : f32
// CHECK:      func.func private @[[THIRD:divf.*]](%[[X:.*]]: f32) -> f32
// CHECK:        %[[THREE:.*]] = arith.constant 3.000000e+00 : f32
// CHECK:        arith.divf %[[X]], %[[THREE]] : f32
// CHECK:      func.func private @[[DIV:divf.*]](%[[X:.*]]: f32, %[[Y:.*]]: f32) -> f32
// CHECK:        arith.divf %[[X]], %[[Y]] : f32
// CHECK-NOT:  func.func private

// CHECK-LABEL: func.func @first(
func.func @first(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f64, global>, %a: f32, %b: f32,
                 %c: f64) attributes {simt.task = {block_dim = 32 : i32}} {
  %t = simt.thread_idx
  %three = arith.constant 3.0 : f32
  %four = arith.constant 4.0 : f32
  %five = arith.constant 5.0 : f32
  // CHECK: %[[A:.*]] = call @[[DIV]](%arg2, %arg3)
  // CHECK: %[[B:.*]] = call @[[DIV]](%arg3, %[[A]])
  // CHECK: %[[C:.*]] = call @[[THIRD]](%[[B]])
  %0 = arith.divf %a, %b : f32
  %1 = arith.divf %b, %0 : f32
  %2 = arith.divf %1, %three : f32
  // CHECK: %[[D:.*]] = arith.divf %[[C]], %cst{{.*}} : f32
  // CHECK: %[[E:.*]] = arith.divf %[[D]], %cst{{.*}} : f32
  // CHECK: %[[F:.*]] = arith.divf %[[E]], %cst{{.*}} : f32
  %3 = arith.divf %2, %four : f32
  %4 = arith.divf %3, %four : f32
  %5 = arith.divf %4, %five : f32
  // CHECK: %[[G:.*]] = math.exp %[[F]] : f32
  // CHECK: %[[H:.*]] = call @[[ROOT]](%[[G]])
  // CHECK: math.absf
  // CHECK: math.absf
  %6 = math.exp %5 : f32
  %7 = math.sqrt %6 : f32
  %8 = math.absf %7 : f32
  %9 = math.absf %1 : f32
  // Doubles have instructions.
  // CHECK: arith.divf %{{.*}} : f64
  // CHECK: arith.divf %{{.*}} : f64
  %10 = arith.divf %c, %c : f64
  %11 = arith.divf %10, %c : f64
  simt.store %8, %p[%t] : !simt.buffer<f32, global>, i32
  simt.store %9, %p[%t] : !simt.buffer<f32, global>, i32
  simt.store %11, %q[%t] : !simt.buffer<f64, global>, i32
  return
}

// CHECK-LABEL: func.func @second(
func.func @second(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f64, global>, %a: f32, %b: f32,
                  %c: f64) attributes {simt.task = {block_dim = 32 : i32}} {
  %t = simt.thread_idx
  %three = arith.constant 3.0 : f32
  // CHECK: call @[[ROOT]](%arg2)
  // CHECK: call @[[THIRD]](
  %0 = math.sqrt %a : f32
  %1 = arith.divf %0, %three : f32
  simt.store %1, %p[%t] : !simt.buffer<f32, global>, i32
  return
}
