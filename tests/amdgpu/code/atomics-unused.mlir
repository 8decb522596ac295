// Atomics whose old value nobody wants return none: no counter waits for them.
// RUN: %gfx906_wave64 | FileCheck %s --check-prefixes=CHECK,F32CAS,F64CAS
// RUN: %gfx908_wave64 | FileCheck %s --check-prefixes=CHECK,F32ADD,F64CAS
// RUN: %gfx90a_wave64 | FileCheck %s --check-prefixes=CHECK,F32ADD,F64ADD
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,F32ADD,F64ADD
// RUN: %gfx1030_wave32 | FileCheck %s --check-prefixes=CHECK,F32CAS,F64CAS
// RUN: %gfx1100_wave32 | FileCheck %s --check-prefixes=CHECK,F32ADD,F64CAS
// RUN: %gfx1100_wave64 | FileCheck %s --check-prefixes=CHECK,F32ADD,F64CAS
// RUN: %gfx1201_wave32 | FileCheck %s --check-prefixes=CHECK,F32ADD,F64CAS

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: addi_i32_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_add
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @addi_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw addi %v, %p[%i] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: addi_i32_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_add_u32
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @addi_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addi %v, %s[%i] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: addi_i64_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_add
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @addi_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw addi %v, %p[%i] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: addi_i64_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_add_u64
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @addi_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addi %v, %s[%i] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: mins_i32_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_{{s?min}}
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @mins_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw mins %v, %p[%i] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: mins_i32_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_min_i32
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @mins_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw mins %v, %s[%i] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: minu_i32_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_{{u?min}}
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @minu_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw minu %v, %p[%i] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: minu_i32_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_min_u32
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @minu_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw minu %v, %s[%i] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: maxs_i64_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_{{s?max}}
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @maxs_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw maxs %v, %p[%i] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: maxs_i64_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_max_i64
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @maxs_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw maxs %v, %s[%i] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: maxu_i64_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_{{u?max}}
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @maxu_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw maxu %v, %p[%i] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: maxu_i64_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_max_u64
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @maxu_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw maxu %v, %s[%i] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: andi_i32_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_and
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @andi_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw andi %v, %p[%i] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: andi_i32_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_and_b32
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @andi_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw andi %v, %s[%i] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: ori_i64_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_or
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @ori_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw ori %v, %p[%i] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: ori_i64_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_or_b64
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @ori_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw ori %v, %s[%i] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: xori_i32_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_xor
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @xori_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw xori %v, %p[%i] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xori_i32_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_xor_b32
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @xori_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw xori %v, %s[%i] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: exchange_i32_global:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: global_atomic_swap
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @exchange_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw exchange %v, %p[%i] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: addf_f32_global:
  // F32ADD-NOT: {{cmpswap|cmp_swap|glc|sc0|TH_ATOMIC_RETURN}}
  // F32ADD: global_atomic_add_f32
  // F32ADD-NOT: {{cmpswap|cmp_swap|glc|sc0|TH_ATOMIC_RETURN}}
  // F32CAS: global_atomic_cmpswap
  // CHECK: s_endpgm
  func.func @addf_f32_global(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw addf %v, %p[%i] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: addf_f32_shared:
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: ds_add_f32
  // CHECK-NOT: {{_rtn|glc|sc0|TH_ATOMIC_RETURN|cmp_?sw|cmpst}}
  // CHECK: s_endpgm
  func.func @addf_f32_shared(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<f32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addf %v, %s[%i] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: addf_f64_global:
  // F64ADD-NOT: {{cmpswap|glc|sc0}}
  // F64ADD: global_atomic_add_f64
  // F64ADD-NOT: {{cmpswap|glc|sc0}}
  // F64CAS: global_atomic_cmpswap
  // CHECK: s_endpgm
  func.func @addf_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw addf %v, %p[%i] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: addf_f64_shared:
  // F64ADD-NOT: {{_rtn|cmpst}}
  // F64ADD: ds_add_f64
  // F64ADD-NOT: {{_rtn|cmpst}}
  // F64CAS: ds_cmpst
  // CHECK: s_endpgm
  func.func @addf_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<f64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addf %v, %s[%i] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
}
