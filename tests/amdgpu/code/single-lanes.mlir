// Where a branch lets one lane through, its atomic is not joined with those of other lanes: nothing
// counts lanes or looks for the first.
// RUN: %gfx942_wave64 | FileCheck %s
// RUN: %gfx1100_wave32 | FileCheck %s
// RUN: %gfx1201_wave32 | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: first:
  // CHECK-NOT: {{mbcnt|bcnt1|readlane}}
  // CHECK: global_atomic_add_f32 v{{[0-9]+}}, v{{[0-9]+}}, s[
  // CHECK-NOT: {{mbcnt|bcnt1|readlane}}
  // CHECK: s_endpgm
  func.func @first(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %value = simt.load %q[%t] : !simt.buffer<f32, global>, i32
    %is = arith.cmpi eq, %t, %zero : i32
    scf.if %is {
      %old = simt.atomic_rmw addf %value, %p[%zero] : !simt.buffer<f32, global>, i32
    }
    return
  }
  // A ticket: the old value is used. The one lane is the last.
  // CHECK-LABEL: ticket:
  // CHECK-NOT: {{mbcnt|bcnt1}}
  // CHECK: global_atomic_add
  // CHECK-NOT: {{mbcnt|bcnt1}}
  // CHECK: s_endpgm
  func.func @ticket(%p: !simt.buffer<i32, global>, %q: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %last = arith.constant 255 : i32
    %is = arith.cmpi eq, %t, %last : i32
    scf.if %is {
      %old = simt.atomic_rmw addi %one, %p[%zero] : !simt.buffer<i32, global>, i32
      simt.store %one, %q[%old] : !simt.buffer<i32, global>, i32
    }
    return
  }
  // One lane of each wave. With a fence, the block does not collect them.
  // CHECK-LABEL: each_wave:
  // CHECK-NOT: {{mbcnt|bcnt1|readlane}}
  // CHECK: global_atomic_add_f32
  // CHECK-NOT: {{mbcnt|bcnt1|readlane}}
  // CHECK: s_endpgm
  func.func @each_wave(%p: !simt.buffer<f32, global>, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %lane = simt.lane
    %zero = arith.constant 0 : i32
    %value = simt.load %q[%t] : !simt.buffer<f32, global>, i32
    %is = arith.cmpi eq, %lane, %zero : i32
    scf.if %is {
      %old = simt.atomic_rmw addf %value, %p[%zero] : !simt.buffer<f32, global>, i32
    }
    simt.fence device
    return
  }
  // Several lanes come here: they are counted.
  // CHECK-LABEL: several:
  // CHECK: mbcnt
  // CHECK: s_endpgm
  func.func @several(%p: !simt.buffer<i32, global>, %q: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %zero = arith.constant 0 : i32
    %few = arith.constant 15 : i32
    %some = arith.andi %t, %few : i32
    %one = arith.constant 1 : i32
    %is = arith.cmpi eq, %some, %zero : i32
    scf.if %is {
      %old = simt.atomic_rmw addi %one, %p[%zero] : !simt.buffer<i32, global>, i32
      simt.store %one, %q[%old] : !simt.buffer<i32, global>, i32
    }
    return
  }
}
