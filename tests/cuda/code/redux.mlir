// A reduction of 32-bit integers over the warp is one redux.sync from sm_80 on.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry sums(
  // CHECK: redux.sync.add.s32
  // CHECK: redux.sync.min.s32
  // CHECK: redux.sync.max.u32
  // CHECK: redux.sync.xor.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  func.func @sums(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %a = simt.reduce addi %v tile 5 all : i32
    %b = simt.reduce mins %a tile 5 all : i32
    %c = simt.reduce maxu %b tile 5 : i32
    %d = simt.reduce xori %c tile 5 : i32
    simt.store %d, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
