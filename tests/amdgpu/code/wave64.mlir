// The whole wave's sum and scan at 64 lanes.
// RUN: %gfx906_wave64 | FileCheck %s --check-prefixes=CHECK,G9
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,G9
// RUN: %gfx1036_wave64 | FileCheck %s --check-prefixes=CHECK,G10
// RUN: %gfx1150_wave64 | FileCheck %s --check-prefixes=CHECK,G11
// RUN: %gfx1201_wave64 | FileCheck %s --check-prefixes=CHECK,G11

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: reduce_wave:
  // CHECK: v_add_f32_dpp {{.*}} quad_perm:[1,0,3,2]
  // CHECK: v_add_f32_dpp {{.*}} quad_perm:[2,3,0,1]
  // CHECK: v_add_f32_dpp {{.*}} row_half_mirror
  // CHECK: v_add_f32_dpp {{.*}} row_mirror
  // G9: v_add_f32_dpp {{.*}} row_bcast:15 row_mask:0xf
  // G9: v_add_f32_dpp {{.*}} row_bcast:31 row_mask:0xf
  // G9: v_readlane_b32 {{.*}}, 63
  // G10: v_permlanex16_b32
  // G10-DAG: v_readlane_b32 {{.*}}, 0
  // G10-DAG: v_readlane_b32 {{.*}}, 32
  // G11: v_permlanex16_b32
  // G11: v_permlane64_b32
  // CHECK-NOT: {{ds_|permlane|readlane|_dpp}}
  // CHECK: s_endpgm
  func.func @reduce_wave(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = simt.reduce addf %v tile 6 : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: scan_wave:
  // CHECK-COUNT-4: v_max_i32_dpp {{.*}} row_shr:
  // G9: v_max_i32_dpp {{.*}} row_bcast:15 row_mask:0xa
  // G9: v_max_i32_dpp {{.*}} row_bcast:31 row_mask:0xc
  // G10: v_permlanex16_b32
  // G10: v_max_i32_dpp {{.*}} quad_perm:[0,1,2,3] row_mask:0xa
  // G10: v_readlane_b32 {{.*}}, 31
  // G10: v_max_i32_dpp {{.*}} quad_perm:[0,1,2,3] row_mask:0xc
  // G11: v_permlanex16_b32
  // G11: v_max_i32_dpp {{.*}} quad_perm:[0,1,2,3] row_mask:0xa
  // G11: v_readlane_b32 {{.*}}, 31
  // G11: v_max_i32_dpp {{.*}} quad_perm:[0,1,2,3] row_mask:0xc
  // CHECK-NOT: {{ds_|permlane|readlane|_dpp|cndmask}}
  // CHECK: s_endpgm
  func.func @scan_wave(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.scan maxs %v tile 6 : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
