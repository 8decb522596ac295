// As many buffers as Metal binds: 30 arrays, and the values at the last index.
// RUN: %msl_3_0 | FileCheck %s

// CHECK-NOT: sextantTable
// CHECK: kernel void full(device {{_[0-9]+}}& {{_[0-9]+}} {{\[\[}}buffer(29){{]]}}, constant {{_[0-9]+}}& {{_[0-9]+}} {{\[\[}}buffer(30){{]]}}
module attributes {simt.wave = 32 : i32} {
  func.func @full(
      %a0: !simt.buffer<i32, global>, %a1: !simt.buffer<i32, global>,
      %a2: !simt.buffer<i32, global>, %a3: !simt.buffer<i32, global>,
      %a4: !simt.buffer<i32, global>, %a5: !simt.buffer<i32, global>,
      %a6: !simt.buffer<i32, global>, %a7: !simt.buffer<i32, global>,
      %a8: !simt.buffer<i32, global>, %a9: !simt.buffer<i32, global>,
      %a10: !simt.buffer<i32, global>, %a11: !simt.buffer<i32, global>,
      %a12: !simt.buffer<i32, global>, %a13: !simt.buffer<i32, global>,
      %a14: !simt.buffer<i32, global>, %a15: !simt.buffer<i32, global>,
      %a16: !simt.buffer<i32, global>, %a17: !simt.buffer<i32, global>,
      %a18: !simt.buffer<i32, global>, %a19: !simt.buffer<i32, global>,
      %a20: !simt.buffer<i32, global>, %a21: !simt.buffer<i32, global>,
      %a22: !simt.buffer<i32, global>, %a23: !simt.buffer<i32, global>,
      %a24: !simt.buffer<i32, global>, %a25: !simt.buffer<i32, global>,
      %a26: !simt.buffer<i32, global>, %a27: !simt.buffer<i32, global>,
      %a28: !simt.buffer<i32, global>, %a29: !simt.buffer<i32, global>, %n: i32)
      attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    simt.store %n, %a29[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
