// Minima and maxima of reals are minNum and maxNum: of gfx12's own instructions for f32, else of
// an integer's, signed for values without a sign and unsigned for those with. Only where the
// old element is a NaN that such an order keeps comes a loop of compare-and-swaps.
// RUN: %gfx906_wave64 | FileCheck %s --check-prefixes=CHECK,INT
// RUN: %gfx90a_wave64 | FileCheck %s --check-prefixes=CHECK,INT
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,INT
// RUN: %gfx1030_wave32 | FileCheck %s --check-prefixes=CHECK,INT
// RUN: %gfx1100_wave64 | FileCheck %s --check-prefixes=CHECK,INT
// RUN: %gfx1201_wave32 | FileCheck %s --check-prefixes=CHECK,NUM
// RUN: %gfx1201_wave64 | FileCheck %s --check-prefixes=CHECK,NUM

module attributes {simt.wave = 64 : i32} {
  // CHECK-LABEL: minf_f32_global:
  // INT-NOT: cmps
  // INT-DAG: global_atomic_{{(smin|min_i32)}}
  // INT-DAG: global_atomic_{{(umax|max_u32)}}
  // INT: v_cmp{{x?_[gl]t_[iu]}}32
  // INT: s_cbranch_execz
  // INT: global_atomic_cmpswap
  // NUM-NOT: cmps
  // NUM: global_atomic_min_num_f32
  // NUM-NOT: {{cmps|TH_ATOMIC_RETURN|_rtn}}
  // CHECK: s_endpgm
  func.func @minf_f32_global(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw minf %v, %p[%i] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: minf_f32_shared:
  // INT-NOT: cmps
  // INT-DAG: ds_min_rtn_i32
  // INT-DAG: ds_max_rtn_u32
  // INT: v_cmp{{x?_[gl]t_[iu]}}32
  // INT: s_cbranch_execz
  // INT: ds_cmpst
  // NUM-NOT: cmps
  // NUM: ds_min_num_f32
  // NUM-NOT: {{cmps|TH_ATOMIC_RETURN|_rtn}}
  // CHECK: s_endpgm
  func.func @minf_f32_shared(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<f32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw minf %v, %s[%i] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: maxf_f32_global:
  // INT-NOT: cmps
  // INT-DAG: global_atomic_{{(smax|max_i32)}}
  // INT-DAG: global_atomic_{{(umin|min_u32)}}
  // INT: v_cmp{{x?_[gl]t_[iu]}}32
  // INT: s_cbranch_execz
  // INT: global_atomic_cmpswap
  // NUM-NOT: cmps
  // NUM: global_atomic_max_num_f32
  // NUM-NOT: {{cmps|TH_ATOMIC_RETURN|_rtn}}
  // CHECK: s_endpgm
  func.func @maxf_f32_global(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw maxf %v, %p[%i] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: maxf_f32_shared:
  // INT-NOT: cmps
  // INT-DAG: ds_max_rtn_i32
  // INT-DAG: ds_min_rtn_u32
  // INT: v_cmp{{x?_[gl]t_[iu]}}32
  // INT: s_cbranch_execz
  // INT: ds_cmpst
  // NUM-NOT: cmps
  // NUM: ds_max_num_f32
  // NUM-NOT: {{cmps|TH_ATOMIC_RETURN|_rtn}}
  // CHECK: s_endpgm
  func.func @maxf_f32_shared(%p: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f32, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<f32, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw maxf %v, %s[%i] : !simt.buffer<f32, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<f32, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: minf_f64_global:
  // CHECK-NOT: cmps
  // CHECK-DAG: global_atomic_{{(smin|min_i64)}}
  // CHECK-DAG: global_atomic_{{(umax|max_u64)}}
  // CHECK: v_cmp{{x?_[gl]t_[iu]}}64
  // CHECK: s_cbranch_execz
  // CHECK: global_atomic_cmpswap
  // CHECK: s_endpgm
  func.func @minf_f64_global(%p: !simt.buffer<f64, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f64, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw minf %v, %p[%i] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: minf_f64_shared:
  // CHECK-NOT: cmps
  // CHECK-DAG: ds_min_rtn_i64
  // CHECK-DAG: ds_max_rtn_u64
  // CHECK: v_cmp{{x?_[gl]t_[iu]}}64
  // CHECK: s_cbranch_execz
  // CHECK: ds_cmpst
  // CHECK: s_endpgm
  func.func @minf_f64_shared(%p: !simt.buffer<f64, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f64, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<f64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw minf %v, %s[%i] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: maxf_f64_global:
  // CHECK-NOT: cmps
  // CHECK-DAG: global_atomic_{{(smax|max_i64)}}
  // CHECK-DAG: global_atomic_{{(umin|min_u64)}}
  // CHECK: v_cmp{{x?_[gl]t_[iu]}}64
  // CHECK: s_cbranch_execz
  // CHECK: global_atomic_cmpswap
  // CHECK: s_endpgm
  func.func @maxf_f64_global(%p: !simt.buffer<f64, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f64, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %old = simt.atomic_rmw maxf %v, %p[%i] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: maxf_f64_shared:
  // CHECK-NOT: cmps
  // CHECK-DAG: ds_max_rtn_i64
  // CHECK-DAG: ds_min_rtn_u64
  // CHECK: v_cmp{{x?_[gl]t_[iu]}}64
  // CHECK: s_cbranch_execz
  // CHECK: ds_cmpst
  // CHECK: s_endpgm
  func.func @maxf_f64_shared(%p: !simt.buffer<f64, global>) attributes {simt.task = {block_dim = 64 : i32}} {
    %t = simt.thread_idx
    %v = simt.load %p[%t] : !simt.buffer<f64, global>, i32
    %k = arith.constant 7 : i32
    %i = arith.andi %t, %k : i32
    %s = simt.shared "s" : !simt.buffer<f64, shared, 64>
    simt.store %v, %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %old = simt.atomic_rmw maxf %v, %s[%i] : !simt.buffer<f64, shared, 64>, i32
    simt.barrier
    %x = simt.load %s[%t] : !simt.buffer<f64, shared, 64>, i32
    simt.store %x, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
}
