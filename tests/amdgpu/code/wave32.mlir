// The whole wave's sum and scan at 32 lanes.
// RUN: %gfx1010_wave32 | FileCheck %s
// RUN: %gfx11-generic_wave32 | FileCheck %s
// RUN: %gfx1103_wave32 | FileCheck %s
// RUN: %gfx1200_wave32 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: reduce_wave:
  // CHECK: v_add_f32_dpp {{.*}} quad_perm:[1,0,3,2]
  // CHECK: v_add_f32_dpp {{.*}} quad_perm:[2,3,0,1]
  // CHECK: v_add_f32_dpp {{.*}} row_half_mirror
  // CHECK: v_add_f32_dpp {{.*}} row_mirror
  // CHECK: v_permlanex16_b32
  // CHECK-NOT: {{ds_|permlane|readlane|_dpp}}
  // CHECK: s_endpgm
  func.func @reduce_wave(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %r = simt.reduce addf %v tile 5 : f32
    simt.store %r, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: scan_wave:
  // CHECK-COUNT-4: v_max_i32_dpp {{.*}} row_shr:
  // CHECK: v_permlanex16_b32
  // CHECK: v_max_i32_dpp {{.*}} quad_perm:[0,1,2,3] row_mask:0xa
  // CHECK-NOT: {{ds_|permlane|readlane|_dpp|cndmask}}
  // CHECK: s_endpgm
  func.func @scan_wave(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.scan maxs %v tile 5 : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
