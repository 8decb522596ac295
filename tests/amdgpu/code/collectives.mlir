// Reductions, scans, votes and ballots: in registers, and no trip through the shared
// memory's crossbar where the processor can do without.
// RUN: %gfx90a_wave64 | FileCheck %s --check-prefixes=CHECK,G9
// RUN: %gfx1030_wave32 | FileCheck %s --check-prefixes=CHECK,W32
// RUN: %gfx1030_wave64 | FileCheck %s --check-prefixes=CHECK,G10W64
// RUN: %gfx1100_wave32 | FileCheck %s --check-prefixes=CHECK,W32
// RUN: %gfx1201_wave32 | FileCheck %s --check-prefixes=CHECK,W32
// RUN: %gfx1100_wave64 | FileCheck %s --check-prefixes=CHECK,G11W64

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: reduce_row:
  // CHECK: v_add_{{.*}}_dpp {{.*}} quad_perm:[1,0,3,2]
  // CHECK: v_add_{{.*}}_dpp {{.*}} quad_perm:[2,3,0,1]
  // CHECK: v_add_{{.*}}_dpp {{.*}} row_half_mirror
  // CHECK: v_add_{{.*}}_dpp {{.*}} row_mirror
  // CHECK-NOT: {{ds_|scratch_|_dpp|permlane|readlane}}
  // CHECK: s_endpgm
  func.func @reduce_row(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.reduce addi %v tile 4 all : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: reduce_32:
  // CHECK: v_add_f32_dpp {{.*}} quad_perm:[1,0,3,2]
  // CHECK: v_add_f32_dpp {{.*}} quad_perm:[2,3,0,1]
  // CHECK: v_add_f32_dpp {{.*}} row_half_mirror
  // CHECK: v_add_f32_dpp {{.*}} row_mirror
  // G9: ds_swizzle_b32
  // G9-NOT: ds_
  // W32: v_permlanex16_b32
  // W32-NOT: {{ds_|permlane|readlane}}
  // G10W64: v_permlanex16_b32
  // G10W64-NOT: {{ds_|permlane|readlane}}
  // G11W64: v_permlanex16_b32
  // G11W64-NOT: {{ds_|permlane|readlane}}
  // CHECK: s_endpgm
  func.func @reduce_32(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = simt.reduce addf %v tile 5 all : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: reduce_i64:
  // CHECK-COUNT-6: _dpp
  // CHECK-NOT: {{ds_|permlane|readlane|_dpp}}
  // CHECK: s_endpgm
  func.func @reduce_i64(%p: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i64, global>, i32
    %r = simt.reduce mins %v tile 3 all : i64
    simt.store %r, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: scan_row:
  // CHECK: v_add_{{.*}}_dpp {{.*}} row_shr:1 row_mask:0xf bank_mask:0xf
  // CHECK: v_add_{{.*}}_dpp {{.*}} row_shr:2 row_mask:0xf bank_mask:0xf
  // CHECK: v_add_{{.*}}_dpp {{.*}} row_shr:4 row_mask:0xf bank_mask:0xf
  // CHECK: v_add_{{.*}}_dpp {{.*}} row_shr:8 row_mask:0xf bank_mask:0xf
  // CHECK-NOT: {{ds_|scratch_|_dpp|permlane|readlane|cndmask}}
  // CHECK: s_endpgm
  func.func @scan_row(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.scan addi %v tile 4 : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // Sums of reals are of the negatives in turn, so that absent lanes are -0: the move is part
  // of the addition.
  // CHECK-LABEL: scan_32:
  // CHECK: v_subrev_f32_dpp {{.*}} row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl
  // CHECK: v_subrev_f32_dpp {{.*}} row_shr:2 row_mask:0xf bank_mask:0xf bound_ctrl
  // CHECK: v_subrev_f32_dpp {{.*}} row_shr:4 row_mask:0xf bank_mask:0xf bound_ctrl
  // CHECK: v_subrev_f32_dpp {{.*}} row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl
  // G9: v_mov_b32_dpp {{.*}} row_bcast:15 row_mask:0xa
  // G9: v_add_f32
  // G9-NOT: {{ds_|row_}}
  // W32: v_permlanex16_b32 {{.*}}, -1, -1
  // W32: v_cndmask_b32
  // W32-NOT: {{ds_|row_|permlane|readlane}}
  // G10W64: v_permlanex16_b32 {{.*}}, -1, -1
  // G10W64-NOT: {{ds_|row_|permlane|readlane}}
  // G11W64: v_permlanex16_b32 {{.*}}, -1, -1
  // G11W64-NOT: {{ds_|row_|permlane|readlane}}
  // CHECK: s_endpgm
  func.func @scan_32(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = simt.scan addf %v tile 5 : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // Minima and maxima of f32 are those of integers that order alike, one instruction a step.
  // CHECK-LABEL: scan_maxf:
  // CHECK-NOT: v_max_f32
  // CHECK: v_max_i32_dpp {{.*}} row_shr:1 row_mask:0xf bank_mask:0xf
  // CHECK: v_max_i32_dpp {{.*}} row_shr:2 row_mask:0xf bank_mask:0xf
  // CHECK: v_max_i32_dpp {{.*}} row_shr:4 row_mask:0xf bank_mask:0xf
  // CHECK: v_max_i32_dpp {{.*}} row_shr:8 row_mask:0xf bank_mask:0xf
  // G9: v_max_i32_dpp {{.*}} row_bcast:15 row_mask:0xa
  // W32: v_permlanex16_b32 {{.*}}, -1, -1
  // W32: v_max_i32_dpp {{.*}} row_mask:0xa
  // G10W64: v_permlanex16_b32 {{.*}}, -1, -1
  // G10W64: v_max_i32_dpp {{.*}} row_mask:0xa
  // G11W64: v_permlanex16_b32 {{.*}}, -1, -1
  // G11W64: v_max_i32_dpp {{.*}} row_mask:0xa
  // CHECK-NOT: {{ds_|_dpp|permlane|readlane|v_max_f32}}
  // CHECK: s_endpgm
  func.func @scan_maxf(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = simt.scan maxf %v tile 5 : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // 64 bits move in two halves, past no memory.
  // CHECK-LABEL: scan_i64:
  // CHECK-COUNT-8: row_shr:
  // G9-COUNT-2: row_bcast:15 row_mask:0xa
  // W32-COUNT-2: v_permlanex16_b32
  // G10W64-COUNT-2: v_permlanex16_b32
  // G11W64-COUNT-2: v_permlanex16_b32
  // CHECK-NOT: {{ds_|row_|permlane|readlane|scratch_}}
  // CHECK: s_endpgm
  func.func @scan_i64(%p: !simt.buffer<i64, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i64, global>, i32
    %r = simt.scan addi %v tile 5 : i64
    simt.store %r, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // An exclusive scan: one move more.
  // CHECK-LABEL: scan_exclusive:
  // CHECK-COUNT-4: v_or_b32_dpp {{.*}} row_shr:
  // G9: v_or_b32_dpp {{.*}} row_bcast:15 row_mask:0xa
  // G9: v_mov_b32_dpp {{.*}} wave_shr:1
  // G9-NOT: {{ds_|_dpp}}
  // W32: v_permlanex16_b32
  // W32-NOT: {{ds_|permlane|cndmask}}
  // G10W64: v_permlanex16_b32
  // G10W64-NOT: {{ds_|permlane|readlane|cndmask}}
  // G11W64: v_permlanex16_b32
  // G11W64-NOT: {{ds_|permlane|readlane|cndmask}}
  // CHECK: s_endpgm
  func.func @scan_exclusive(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.scan ori %v tile 5 exclusive : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: ballots:
  // G9: v_cmp_gt_i32_e64 s[[[L:[0-9]+]]:[[H:[0-9]+]]], 0, v
  // G9: s_add_i32 {{.*}}, s[[H]], s[[L]]
  // W32: v_cmp_gt_i32_e64 s[[L:[0-9]+]], 0, v
  // W32: v_mov_b32_e32 v{{[0-9]+}}, s[[L]]
  // CHECK: s_endpgm
  func.func @ballots(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %z = arith.constant 0 : i32
    %q = arith.cmpi slt, %v, %z : i32
    %b = simt.ballot %q
    %l = arith.trunci %b : i64 to i32
    %s = arith.constant 32 : i64
    %h = arith.shrui %b, %s : i64
    %m = arith.trunci %h : i64 to i32
    %r = arith.addi %l, %m : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: votes:
  // CHECK-NOT: {{ds_|dpp|permlane|readlane}}
  // CHECK: s_endpgm
  func.func @votes(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %z = arith.constant 0 : i32
    %q = arith.cmpi ne, %v, %z : i32
    %a = simt.vote all %q tile 5
    %o = simt.vote any %q tile 2
    %x = arith.extui %a : i1 to i32
    %y = arith.extui %o : i1 to i32
    %s = arith.constant 1 : i32
    %w = arith.shli %x, %s : i32
    %r = arith.ori %w, %y : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
