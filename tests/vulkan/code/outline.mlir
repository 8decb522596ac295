// Divisions of f32 take a hundred operations; those of a module share a function. Without
// optimisation each has its own code.
// RUN: sextant-opt %s --target=vulkan:1.1 --emit=asm | FileCheck %s
// RUN: sextant-opt %s --target=vulkan:1.1 --emit=asm -O0 | FileCheck %s --check-prefix=PLAIN

// PLAIN-NOT: OpFunctionCall

module attributes {simt.wave = 32 : i32} {
  // CHECK:      %[[DIV:.*]] = OpFunction %float None %{{.*}}
  // CHECK-NEXT: OpFunctionParameter %float
  // CHECK-NEXT: OpFunctionParameter %float
  // CHECK:      OpReturnValue
  // CHECK:      OpFunctionEnd
  // CHECK:      OpFunction %void
  // CHECK:      %[[A:.*]] = OpFunctionCall %float %[[DIV]] %[[X:.*]] %[[Y:.*]]
  // CHECK-NEXT: OpFunctionCall %float %[[DIV]] %[[A]] %[[Y]]
  // CHECK:      OpFunctionEnd
  // CHECK-NOT:  OpFunctionCall
  func.func @divides(%p: !simt.buffer<f32, global>, %a: f32, %b: f32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %0 = arith.divf %a, %b : f32
    %1 = arith.divf %0, %b : f32
    simt.store %1, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // It does not need the function: it gets none when it is isolated.
  func.func @doubles(%p: !simt.buffer<f32, global>, %a: f32, %b: f32)
      attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %0 = arith.addf %a, %b : f32
    simt.store %0, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
}
