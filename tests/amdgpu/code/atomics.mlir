// Atomics: one instruction where the processor has it, agent scope in global memory (no
// write-back to or from beyond the device), loops of compare-and-swaps elsewhere. Minima and maxima of reals: atomics-minmax.mlir.
// RUN: %gfx906_wave64 | FileCheck %s --check-prefixes=CHECK,F64CAS,F32CAS
// RUN: %gfx90a_wave64 | FileCheck %s --check-prefixes=CHECK,F64ADD,F32ADD
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,F64ADD,F32ADD
// RUN: %gfx1030_wave32 | FileCheck %s --check-prefixes=CHECK,F64CAS,F32CAS
// RUN: %gfx1100_wave32 | FileCheck %s --check-prefixes=CHECK,F64CAS,F32ADD
// RUN: %gfx1201_wave64 | FileCheck %s --check-prefixes=CHECK,F64CAS,F32ADD

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: addi_i32_global:
  // CHECK: global_atomic_add
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @addi_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: addi_i32_shared:
  // CHECK: ds_add
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @addi_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addi %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: addi_i64_global:
  // CHECK: global_atomic_add
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @addi_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: addi_i64_shared:
  // CHECK: ds_add
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @addi_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addi %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: mins_i32_global:
  // CHECK: global_atomic_{{smin|min_i32}}
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @mins_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mins %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: mins_i32_shared:
  // CHECK: ds_min_
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @mins_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw mins %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: maxu_i64_global:
  // CHECK: global_atomic_{{umax|max_u64}}
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @maxu_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxu %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: maxu_i64_shared:
  // CHECK: ds_max_
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @maxu_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw maxu %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: andi_i32_global:
  // CHECK: global_atomic_and
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @andi_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw andi %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: andi_i32_shared:
  // CHECK: ds_and_
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @andi_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw andi %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: xori_i64_global:
  // CHECK: global_atomic_xor
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @xori_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw xori %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: xori_i64_shared:
  // CHECK: ds_xor_
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @xori_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw xori %v, %s[%t] : !simt.buffer<i64, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: exchange_i32_global:
  // CHECK: global_atomic_swap
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @exchange_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: exchange_i32_shared:
  // CHECK: ds_{{wrxchg|storexchg}}_rtn
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @exchange_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<i32, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: exchange_f64_global:
  // CHECK: global_atomic_swap
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @exchange_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: exchange_f64_shared:
  // CHECK: ds_{{wrxchg|storexchg}}_rtn
  // CHECK-NOT: {{cmp_?sw|cmpst|buffer_wbl2|_inv}}
  // CHECK: s_endpgm
  func.func @exchange_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: addf_f32_global:
  // F32ADD: global_atomic_add_f32
  // F32CAS: global_atomic_cmpswap
  // CHECK-NOT: {{buffer_wbl2}}
  // CHECK: s_endpgm
  func.func @addf_f32_global(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addf %v, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: addf_f32_shared:
  // CHECK: ds_add_{{(rtn_)?}}f32
  // CHECK-NOT: cmpst
  // CHECK: s_endpgm
  func.func @addf_f32_shared(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addf %v, %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: addf_f64_global:
  // F64ADD: global_atomic_add_f64
  // F64CAS: global_atomic_cmpswap
  // CHECK: s_endpgm
  func.func @addf_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addf %v, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: addf_f64_shared:
  // F64ADD: ds_add_{{(rtn_)?}}f64
  // F64CAS: ds_{{cmpst|cmpstore}}
  // CHECK: s_endpgm
  func.func @addf_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw addf %v, %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
}
