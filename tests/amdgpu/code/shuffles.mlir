// The instructions of each shuffle: by a constant, something cheaper than ds_bpermute wherever the
// hardware has it; by anything else, what reaches the whole wave.
// RUN: %gfx900_wave64 | FileCheck %s --check-prefixes=CHECK,G9
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,G9
// RUN: %gfx1010_wave32 | FileCheck %s --check-prefixes=CHECK,G10W32
// RUN: %gfx10-3-generic_wave32 | FileCheck %s --check-prefixes=CHECK,G10W32
// RUN: %gfx1030_wave64 | FileCheck %s --check-prefixes=CHECK,G10W64
// RUN: %gfx1100_wave32 | FileCheck %s --check-prefixes=CHECK,G11W32
// RUN: %gfx1201_wave32 | FileCheck %s --check-prefixes=CHECK,G11W32
// RUN: %gfx1151_wave64 | FileCheck %s --check-prefixes=CHECK,G11W64
// RUN: %gfx12-generic_wave64 | FileCheck %s --check-prefixes=CHECK,G11W64

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: xor_1:
  // G9: v_mov_b32_dpp {{.*}} quad_perm:[1,0,3,2]
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_mov_b32_dpp {{.*}} quad_perm:[1,0,3,2]
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_mov_b32_dpp {{.*}} quad_perm:[1,0,3,2]
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_mov_b32_dpp {{.*}} quad_perm:[1,0,3,2]
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_mov_b32_dpp {{.*}} quad_perm:[1,0,3,2]
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @xor_1(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 1 : i32
    %r = simt.shuffle xor %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xor_3:
  // G9: v_mov_b32_dpp {{.*}} quad_perm:[3,2,1,0]
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_mov_b32_dpp {{.*}} quad_perm:[3,2,1,0]
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_mov_b32_dpp {{.*}} quad_perm:[3,2,1,0]
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_mov_b32_dpp {{.*}} quad_perm:[3,2,1,0]
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_mov_b32_dpp {{.*}} quad_perm:[3,2,1,0]
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @xor_3(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 3 : i32
    %r = simt.shuffle xor %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xor_4:
  // G9: v_mov_b32_dpp {{.*}} row_half_mirror
  // G9: v_mov_b32_dpp {{.*}} quad_perm:[3,2,1,0]
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_mov_b32_dpp {{.*}} row_xmask:4
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_mov_b32_dpp {{.*}} row_xmask:4
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_mov_b32_dpp {{.*}} row_xmask:4
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_mov_b32_dpp {{.*}} row_xmask:4
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @xor_4(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 4 : i32
    %r = simt.shuffle xor %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xor_8:
  // G9: v_mov_b32_dpp {{.*}} row_ror:8
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_mov_b32_dpp {{.*}} row_xmask:8
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_mov_b32_dpp {{.*}} row_xmask:8
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_mov_b32_dpp {{.*}} row_xmask:8
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_mov_b32_dpp {{.*}} row_xmask:8
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @xor_8(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 8 : i32
    %r = simt.shuffle xor %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xor_15:
  // G9: v_mov_b32_dpp {{.*}} row_mirror
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_mov_b32_dpp {{.*}} row_xmask:15
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_mov_b32_dpp {{.*}} row_xmask:15
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_mov_b32_dpp {{.*}} row_xmask:15
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_mov_b32_dpp {{.*}} row_xmask:15
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @xor_15(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 15 : i32
    %r = simt.shuffle xor %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xor_16:
  // G9: ds_swizzle_b32 {{.*}} offset:swizzle(SWAP,16)
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_permlanex16_b32
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_permlanex16_b32
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_permlanex16_b32
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_permlanex16_b32
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @xor_16(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 16 : i32
    %r = simt.shuffle xor %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xor_21:
  // G9: ds_swizzle_b32
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_permlanex16_b32
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_permlanex16_b32
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_permlanex16_b32
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_permlanex16_b32
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @xor_21(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 21 : i32
    %r = simt.shuffle xor %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: up_1:
  // G9: v_mov_b32_dpp {{.*}} wave_shr:1
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_permlanex16_b32
  // G10W32: v_mov_b32_dpp {{.*}} row_shr:1 
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64-DAG: v_readlane_b32 {{.*}}, 31
  // G10W64-DAG: v_permlanex16_b32
  // G10W64: v_writelane_b32 {{.*}}, 32
  // G10W64: v_mov_b32_dpp {{.*}} row_shr:1 
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_permlanex16_b32
  // G11W32: v_mov_b32_dpp {{.*}} row_shr:1 
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_permlane64_b32
  // G11W64: v_permlanex16_b32
  // G11W64: v_mov_b32_dpp {{.*}} row_shr:1 
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @up_1(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 1 : i32
    %r = simt.shuffle up %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: down_2:
  // G9: v_mov_b32_dpp {{.*}} wave_shl:1
  // G9: v_mov_b32_dpp {{.*}} wave_shl:1
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_permlanex16_b32
  // G10W32: v_mov_b32_dpp {{.*}} row_shl:2 
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_permlanex16_b32
  // G11W32: v_mov_b32_dpp {{.*}} row_shl:2 
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_permlane64_b32
  // G11W64: v_permlanex16_b32
  // G11W64: v_mov_b32_dpp {{.*}} row_shl:2 
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @down_2(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 2 : i32
    %r = simt.shuffle down %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: down_16:
  // G9: ds_bpermute_b32
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_permlanex16_b32
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: ds_write_b32
  // G10W64: ds_read_b32
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_permlanex16_b32
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_permlane64_b32
  // G11W64: v_permlanex16_b32
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @down_16(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 16 : i32
    %r = simt.shuffle down %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: up_8:
  // G9: ds_bpermute_b32
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_permlanex16_b32
  // G10W32: v_mov_b32_dpp {{.*}} row_shr:8 
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: ds_write_b32
  // G10W64: ds_read_b32
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_permlanex16_b32
  // G11W32: v_mov_b32_dpp {{.*}} row_shr:8 
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_permlane64_b32
  // G11W64: v_permlanex16_b32
  // G11W64: v_mov_b32_dpp {{.*}} row_shr:8 
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @up_8(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 8 : i32
    %r = simt.shuffle up %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: broadcast_5:
  // G9: v_readlane_b32 {{.*}}, 5
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_readlane_b32 {{.*}}, 5
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_readlane_b32 {{.*}}, 5
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_readlane_b32 {{.*}}, 5
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_readlane_b32 {{.*}}, 5
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @broadcast_5(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 5 : i32
    %r = simt.shuffle broadcast %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: index_31:
  // G9: v_readlane_b32 {{.*}}, 31
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_readlane_b32 {{.*}}, 31
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_readlane_b32 {{.*}}, 31
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_readlane_b32 {{.*}}, 31
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_readlane_b32 {{.*}}, 31
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @index_31(%p: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %c = arith.constant 31 : i32
    %r = simt.shuffle index %v, %c : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: broadcast_any:
  // G9: v_readlane_b32
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: v_readlane_b32
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: v_readlane_b32
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: v_readlane_b32
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64: v_readlane_b32
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @broadcast_any(%p: !simt.buffer<i32, global>, %l: i32) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.shuffle broadcast %v, %l : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: index_uniform:
  // G9: ds_bpermute_b32
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: ds_bpermute_b32
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: ds_write_b32
  // G10W64: ds_read_b32
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: ds_bpermute_b32
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64-DAG: v_permlane64_b32
  // G11W64-DAG: ds_bpermute_b32
  // G11W64-DAG: ds_bpermute_b32
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @index_uniform(%p: !simt.buffer<i32, global>, %l: i32) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %r = simt.shuffle index %v, %l : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: index_divergent:
  // G9: ds_bpermute_b32
  // G9-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W32: ds_bpermute_b32
  // G10W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G10W64: ds_write_b32
  // G10W64: ds_read_b32
  // G10W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W32: ds_bpermute_b32
  // G11W32-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // G11W64-DAG: v_permlane64_b32
  // G11W64-DAG: ds_bpermute_b32
  // G11W64-DAG: ds_bpermute_b32
  // G11W64-NOT: {{ds_|permlane|readlane|dpp|writelane}}
  // CHECK: s_endpgm
  func.func @index_divergent(%p: !simt.buffer<i32, global>, %q: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 128 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<i32, global>, i32
    %l = simt.load %q[%t] : !simt.buffer<i32, global>, i32
    %r = simt.shuffle index %v, %l : i32
    simt.store %r, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
