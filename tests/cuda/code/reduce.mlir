// Reductions and scans. A reduction of 32-bit integers over the warp is one redux.sync from sm_80 on.
// RUN: %ptx_80 | FileCheck %s
// RUN: %ptx_75 | FileCheck %s --check-prefix=OLD

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry sums(
  // OLD-LABEL: .entry sums(
  // OLD-COUNT-10: shfl.sync.bfly
  // OLD-COUNT-10: shfl.sync.down
  // OLD-NOT: shfl
  // OLD: ret;
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
  // Floats, narrower and wider integers, and parts of the warp take log2 shuffles a piece.
  // CHECK-LABEL: .entry trees(
  // CHECK-COUNT-5: shfl.sync.down.b32
  // CHECK-COUNT-3: shfl.sync.bfly.b32
  // CHECK-COUNT-10: shfl.sync.down.b32
  // CHECK-NOT: shfl
  // CHECK: ret;
  func.func @trees(%p: !simt.buffer<f32, global>, %q: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %w = simt.load %q[%t] : !simt.buffer<i64, global>, i32
    %a = simt.reduce addf %v tile 5 : f32
    %b = simt.reduce minf %a tile 3 all : f32
    simt.store %b, %p[%t] : !simt.buffer<f32, global>, i32
    %c = simt.reduce maxs %w tile 5 : i64
    simt.store %c, %q[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // A scan's shuffles tell the lanes without a source themselves.
  // CHECK-LABEL: .entry scans(
  // CHECK: shfl.sync.up.b32 {{.*}}|{{.*}}, 1, 0, -1;
  // CHECK-NOT: setp
  // CHECK-COUNT-4: shfl.sync.up.b32 {{.*}}|
  // CHECK: shfl.sync.up.b32 {{.*}}|{{.*}}, 1, 6144, -1;
  // CHECK-COUNT-3: shfl.sync.up.b32 {{.*}}|
  // CHECK-NOT: shfl
  // CHECK: ret;
  func.func @scans(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %a = simt.scan addi %v tile 5 : i32
    %b = simt.scan maxs %a tile 3 exclusive : i32
    simt.store %b, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
