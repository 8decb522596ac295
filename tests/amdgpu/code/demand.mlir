// A shuffle up by less than 16 lanes whose sources are used within rows only is one DPP move:
// the lanes that a selection drops do not count. Where one lane wants a source in another row,
// or it is not known, all get theirs.
// RUN: %gfx942_wave64 | FileCheck %s
// RUN: %gfx1030_wave64 | FileCheck %s
// RUN: %gfx1100_wave32 | FileCheck %s
// RUN: %gfx1201_wave64 | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: in_rows:
  // CHECK: row_shr:4
  // CHECK-NOT: {{_dpp|ds_|permlane|lane_b32}}
  // CHECK: s_endpgm
  func.func @in_rows(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %l = simt.lane
    %c4 = arith.constant 4 : i32
    %c15 = arith.constant 15 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %u = simt.shuffle up %v, %c4 : i32
    %x = arith.muli %u, %c15 : i32
    %y = arith.addi %x, %v : i32
    %i = arith.andi %l, %c15 : i32
    %q = arith.cmpi sge, %i, %c4 : i32
    %r = arith.select %q, %y, %v : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // The bound of a minimum.
  // CHECK-LABEL: in_segments:
  // CHECK: row_shr:8
  // CHECK-NOT: {{_dpp|ds_|permlane|lane_b32}}
  // CHECK: s_endpgm
  func.func @in_segments(%p: !simt.buffer<i32, global>, %d: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %l = simt.lane
    %c8 = arith.constant 8 : i32
    %c15 = arith.constant 15 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %n = simt.load %d[%t] : !simt.buffer<i32, global>, i32
    %u = simt.shuffle up %v, %c8 : i32
    %i = arith.andi %l, %c15 : i32
    %m = arith.minsi %n, %i : i32
    %q = arith.cmpi sge, %m, %c8 : i32
    %r = arith.select %q, %u, %v : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // Lane 16 wants lane 12.
  // CHECK-LABEL: one_lane:
  // CHECK: {{ds_|permlane|wave_shr}}
  // CHECK: s_endpgm
  func.func @one_lane(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %l = simt.lane
    %c4 = arith.constant 4 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %u = simt.shuffle up %v, %c4 : i32
    %q = arith.cmpi sge, %l, %c4 : i32
    %r = arith.select %q, %u, %v : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // The selection drops them, another use does not.
  // CHECK-LABEL: also_stored:
  // CHECK: {{ds_|permlane|wave_shr}}
  // CHECK: s_endpgm
  func.func @also_stored(%p: !simt.buffer<i32, global>, %d: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %l = simt.lane
    %c4 = arith.constant 4 : i32
    %c15 = arith.constant 15 : i32
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %u = simt.shuffle up %v, %c4 : i32
    %i = arith.andi %l, %c15 : i32
    %q = arith.cmpi sge, %i, %c4 : i32
    %r = arith.select %q, %u, %v : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %u, %d[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
