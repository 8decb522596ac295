// The second half of a short condition has no branch of its own, although its products are fused:
// a loop of one block, whose lanes leave it one by one.
// RUN: %gfx90a_wave64 | FileCheck %s
// RUN: %gfx942_wave64 | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: orbit:
  // CHECK: s_cbranch_execz
  // CHECK-NOT: {{s_and_saveexec|s_cbranch|s_branch}}
  // CHECK: s_cbranch_execnz
  // CHECK-NOT: {{s_and_saveexec|s_cbranch|s_branch}}
  // CHECK: s_endpgm
  func.func @orbit(%limit: i32, %p: !simt.buffer<f32, global>, %q: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %four = arith.constant 4.0 : f32
    %false = arith.constant false
    %c = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %end:3 = scf.while (%x = %c, %y = %c, %n = %zero) : (f32, f32, i32) -> (f32, f32, i32) {
      %more = arith.cmpi slt, %n, %limit : i32
      %on = scf.if %more -> (i1) {
        %xx = arith.mulf %x, %x : f32
        %yy = arith.mulf %y, %y : f32
        %size = arith.addf %xx, %yy : f32
        %near = arith.cmpf olt, %size, %four : f32
        scf.yield %near : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%on) %x, %y, %n : f32, f32, i32
    } do {
    ^bb0(%x: f32, %y: f32, %n: i32):
      %xx = arith.mulf %x, %x : f32
      %yy = arith.mulf %y, %y : f32
      %d = arith.subf %xx, %yy : f32
      %nx = arith.addf %d, %c : f32
      %xy = arith.mulf %x, %y : f32
      %ny = arith.addf %xy, %c : f32
      %nn = arith.addi %n, %one : i32
      scf.yield %nx, %ny, %nn : f32, f32, i32
    }
    simt.store %end#2, %q[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
