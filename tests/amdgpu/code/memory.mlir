// Barriers, fences and volatile accesses: what caches and counters are told.
// RUN: %gfx90a_wave64 | FileCheck %s --check-prefixes=CHECK,G90A
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,G942
// RUN: %gfx1030_wave32 | FileCheck %s --check-prefixes=CHECK,G10
// RUN: %gfx1100_wave64 | FileCheck %s --check-prefixes=CHECK,G11

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: exchange:
  // CHECK: {{ds_write|ds_store}}
  // CHECK: s_waitcnt {{.*}}lgkmcnt(0)
  // CHECK: s_barrier
  // G10: buffer_gl0_inv
  // G11: buffer_gl0_inv
  // CHECK: {{ds_read|ds_load}}
  // CHECK: s_endpgm
  func.func @exchange(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 256 : i32}} {
    %s = simt.shared "s" : !simt.buffer<i32, shared, 256>
    %t = simt.thread_idx
    %c = arith.constant 255 : i32
    %v = simt.load %x[%t] : !simt.buffer<i32, global>, i32
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 256>, i32
    simt.barrier
    %o = arith.xori %t, %c : i32
    %w = simt.load %s[%o] : !simt.buffer<i32, shared, 256>, i32
    simt.store %w, %x[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // One wave needs no barrier instruction.
  // CHECK-LABEL: one_wave:
  // CHECK-NOT: s_barrier
  // CHECK: s_endpgm
  func.func @one_wave(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %t = simt.thread_idx
    %c = arith.constant 31 : i32
    %v = simt.load %x[%t] : !simt.buffer<i32, global>, i32
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.barrier
    %o = arith.xori %t, %c : i32
    %w = simt.load %s[%o] : !simt.buffer<i32, shared, 32>, i32
    simt.store %w, %x[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: device_fence:
  // CHECK: global_store
  // G942: buffer_wbl2 sc1
  // CHECK: s_waitcnt
  // G90A: buffer_wbinvl1_vol
  // G942: buffer_inv sc1
  // G10: buffer_gl1_inv
  // G11: buffer_gl1_inv
  // CHECK: global_store
  // CHECK: s_endpgm
  func.func @device_fence(%x: !simt.buffer<i32, global>, %f: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    simt.store %t, %x[%t] : !simt.buffer<i32, global>, i32
    simt.fence device
    simt.store volatile %t, %f[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // Past the caches that other processors do not see.
  // CHECK-LABEL: volatile_load:
  // G90A: global_load_dword {{.*}} glc
  // G942: global_load_dword {{.*}} sc0 sc1
  // G10: global_load_dword {{.*}} glc dlc
  // G11: global_load_b32 {{.*}} glc dlc
  // CHECK: s_endpgm
  func.func @volatile_load(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load volatile %x[%t] : !simt.buffer<i32, global>, i32
    simt.store %v, %x[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // The lanes of a wave are together already.
  // CHECK-LABEL: wave_fences:
  // CHECK-NOT: {{s_barrier|buffer_|_inv}}
  // CHECK: s_endpgm
  func.func @wave_fences(%x: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    simt.store %t, %x[%t] : !simt.buffer<i32, global>, i32
    simt.fence subgroup
    simt.subgroup_barrier
    simt.store %t, %x[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
