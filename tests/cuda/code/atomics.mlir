// Every read-modify-write, in both memories: one instruction where the hardware
// has it, a loop of compare-and-swaps elsewhere. Minima and maxima of reals are those of integers,
// by the sign, and the loop where the element is a NaN.
// RUN: %ptx_75 | FileCheck %s
// RUN: %ptx_90 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry addi_i8_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @addi_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry addi_i16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @addi_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry addi_i32_global(
  // CHECK: atom.global.add.u32
  // CHECK: ret;
  func.func @addi_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry addi_i64_global(
  // CHECK: atom.global.add.u64
  // CHECK: ret;
  func.func @addi_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addi %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry addf_f16_global(
  // CHECK: atom.global.add.noftz.f16
  // CHECK: ret;
  func.func @addf_f16_global(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addf %v, %p[%t] : !simt.buffer<f16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry addf_f32_global(
  // CHECK: atom.global.add.f32
  // CHECK: ret;
  func.func @addf_f32_global(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addf %v, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry addf_f64_global(
  // CHECK: atom.global.add.f64
  // CHECK: ret;
  func.func @addf_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw addf %v, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i8_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @muli_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw muli %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @muli_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw muli %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i32_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @muli_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw muli %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i64_global(
  // CHECK: atom.global.cas.b64
  // CHECK: ret;
  func.func @muli_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw muli %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry mulf_f16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @mulf_f16_global(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mulf %v, %p[%t] : !simt.buffer<f16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry mulf_f32_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @mulf_f32_global(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mulf %v, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry mulf_f64_global(
  // CHECK: atom.global.cas.b64
  // CHECK: ret;
  func.func @mulf_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mulf %v, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i8_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @mins_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mins %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @mins_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mins %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i32_global(
  // CHECK: atom.global.min.s32
  // CHECK: ret;
  func.func @mins_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mins %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i64_global(
  // CHECK: atom.global.min.s64
  // CHECK: ret;
  func.func @mins_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw mins %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i8_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @minu_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw minu %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @minu_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw minu %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i32_global(
  // CHECK: atom.global.min.u32
  // CHECK: ret;
  func.func @minu_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw minu %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i64_global(
  // CHECK: atom.global.min.u64
  // CHECK: ret;
  func.func @minu_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw minu %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry minf_f16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @minf_f16_global(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw minf %v, %p[%t] : !simt.buffer<f16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry minf_f32_global(
  // CHECK-DAG: atom.global.min.s32
  // CHECK-DAG: atom.global.max.u32
  // CHECK-DAG: atom.global.cas.b32
  func.func @minf_f32_global(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw minf %v, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry minf_f64_global(
  // CHECK-DAG: atom.global.min.s64
  // CHECK-DAG: atom.global.max.u64
  // CHECK-DAG: atom.global.cas.b64
  func.func @minf_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw minf %v, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i8_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @maxs_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxs %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @maxs_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxs %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i32_global(
  // CHECK: atom.global.max.s32
  // CHECK: ret;
  func.func @maxs_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxs %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i64_global(
  // CHECK: atom.global.max.s64
  // CHECK: ret;
  func.func @maxs_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxs %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i8_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @maxu_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxu %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @maxu_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxu %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i32_global(
  // CHECK: atom.global.max.u32
  // CHECK: ret;
  func.func @maxu_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxu %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i64_global(
  // CHECK: atom.global.max.u64
  // CHECK: ret;
  func.func @maxu_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxu %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxf_f16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @maxf_f16_global(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxf %v, %p[%t] : !simt.buffer<f16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxf_f32_global(
  // CHECK-DAG: atom.global.max.s32
  // CHECK-DAG: atom.global.min.u32
  // CHECK-DAG: atom.global.cas.b32
  func.func @maxf_f32_global(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxf %v, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxf_f64_global(
  // CHECK-DAG: atom.global.max.s64
  // CHECK-DAG: atom.global.min.u64
  // CHECK-DAG: atom.global.cas.b64
  func.func @maxf_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw maxf %v, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i8_global(
  // CHECK: atom.global.and.b32
  // CHECK: ret;
  func.func @andi_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw andi %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i16_global(
  // CHECK: atom.global.and.b32
  // CHECK: ret;
  func.func @andi_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw andi %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i32_global(
  // CHECK: atom.global.and.b32
  // CHECK: ret;
  func.func @andi_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw andi %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i64_global(
  // CHECK: atom.global.and.b64
  // CHECK: ret;
  func.func @andi_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw andi %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i8_global(
  // CHECK: atom.global.or.b32
  // CHECK: ret;
  func.func @ori_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw ori %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i16_global(
  // CHECK: atom.global.or.b32
  // CHECK: ret;
  func.func @ori_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw ori %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i32_global(
  // CHECK: atom.global.or.b32
  // CHECK: ret;
  func.func @ori_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw ori %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i64_global(
  // CHECK: atom.global.or.b64
  // CHECK: ret;
  func.func @ori_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw ori %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i8_global(
  // CHECK: atom.global.xor.b32
  // CHECK: ret;
  func.func @xori_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw xori %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i16_global(
  // CHECK: atom.global.xor.b32
  // CHECK: ret;
  func.func @xori_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw xori %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i32_global(
  // CHECK: atom.global.xor.b32
  // CHECK: ret;
  func.func @xori_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw xori %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i64_global(
  // CHECK: atom.global.xor.b64
  // CHECK: ret;
  func.func @xori_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw xori %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i8_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @exchange_i8_global(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<i8, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @exchange_i16_global(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<i16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i32_global(
  // CHECK: atom.global.exch.b32
  // CHECK: ret;
  func.func @exchange_i32_global(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i64_global(
  // CHECK: atom.global.exch.b64
  // CHECK: ret;
  func.func @exchange_i64_global(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_f16_global(
  // CHECK: atom.global.cas.b32
  // CHECK: ret;
  func.func @exchange_f16_global(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<f16, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_f32_global(
  // CHECK: atom.global.exch.b32
  // CHECK: ret;
  func.func @exchange_f32_global(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<f32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_f64_global(
  // CHECK: atom.global.exch.b64
  // CHECK: ret;
  func.func @exchange_f64_global(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_rmw exchange %v, %p[%t] : !simt.buffer<f64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry addi_i8_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @addi_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw addi %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry addi_i16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @addi_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw addi %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry addi_i32_shared(
  // CHECK: atom.shared.add.u32
  // CHECK: ret;
  func.func @addi_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw addi %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry addi_i64_shared(
  // CHECK: atom.shared.add.u64
  // CHECK: ret;
  func.func @addi_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw addi %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry addf_f16_shared(
  // CHECK: atom.shared.add.noftz.f16
  // CHECK: ret;
  func.func @addf_f16_shared(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f16, shared, 32>
    %old = simt.atomic_rmw addf %v, %s[%t] : !simt.buffer<f16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry addf_f32_shared(
  // CHECK: atom.shared.add.f32
  // CHECK: ret;
  func.func @addf_f32_shared(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f32, shared, 32>
    %old = simt.atomic_rmw addf %v, %s[%t] : !simt.buffer<f32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry addf_f64_shared(
  // CHECK: atom.shared.add.f64
  // CHECK: ret;
  func.func @addf_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f64, shared, 32>
    %old = simt.atomic_rmw addf %v, %s[%t] : !simt.buffer<f64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i8_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @muli_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw muli %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @muli_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw muli %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i32_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @muli_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw muli %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry muli_i64_shared(
  // CHECK: atom.shared.cas.b64
  // CHECK: ret;
  func.func @muli_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw muli %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry mulf_f16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @mulf_f16_shared(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f16, shared, 32>
    %old = simt.atomic_rmw mulf %v, %s[%t] : !simt.buffer<f16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry mulf_f32_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @mulf_f32_shared(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f32, shared, 32>
    %old = simt.atomic_rmw mulf %v, %s[%t] : !simt.buffer<f32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry mulf_f64_shared(
  // CHECK: atom.shared.cas.b64
  // CHECK: ret;
  func.func @mulf_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f64, shared, 32>
    %old = simt.atomic_rmw mulf %v, %s[%t] : !simt.buffer<f64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i8_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @mins_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw mins %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @mins_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw mins %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i32_shared(
  // CHECK: atom.shared.min.s32
  // CHECK: ret;
  func.func @mins_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw mins %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry mins_i64_shared(
  // CHECK: atom.shared.min.s64
  // CHECK: ret;
  func.func @mins_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw mins %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i8_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @minu_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw minu %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @minu_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw minu %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i32_shared(
  // CHECK: atom.shared.min.u32
  // CHECK: ret;
  func.func @minu_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw minu %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry minu_i64_shared(
  // CHECK: atom.shared.min.u64
  // CHECK: ret;
  func.func @minu_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw minu %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry minf_f16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @minf_f16_shared(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f16, shared, 32>
    %old = simt.atomic_rmw minf %v, %s[%t] : !simt.buffer<f16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry minf_f32_shared(
  // CHECK-DAG: atom.shared.min.s32
  // CHECK-DAG: atom.shared.max.u32
  // CHECK-DAG: atom.shared.cas.b32
  func.func @minf_f32_shared(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f32, shared, 32>
    %old = simt.atomic_rmw minf %v, %s[%t] : !simt.buffer<f32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry minf_f64_shared(
  // CHECK-DAG: atom.shared.min.s64
  // CHECK-DAG: atom.shared.max.u64
  // CHECK-DAG: atom.shared.cas.b64
  func.func @minf_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f64, shared, 32>
    %old = simt.atomic_rmw minf %v, %s[%t] : !simt.buffer<f64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i8_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @maxs_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw maxs %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @maxs_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw maxs %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i32_shared(
  // CHECK: atom.shared.max.s32
  // CHECK: ret;
  func.func @maxs_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw maxs %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxs_i64_shared(
  // CHECK: atom.shared.max.s64
  // CHECK: ret;
  func.func @maxs_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw maxs %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i8_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @maxu_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw maxu %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @maxu_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw maxu %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i32_shared(
  // CHECK: atom.shared.max.u32
  // CHECK: ret;
  func.func @maxu_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw maxu %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxu_i64_shared(
  // CHECK: atom.shared.max.u64
  // CHECK: ret;
  func.func @maxu_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw maxu %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxf_f16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @maxf_f16_shared(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f16, shared, 32>
    %old = simt.atomic_rmw maxf %v, %s[%t] : !simt.buffer<f16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxf_f32_shared(
  // CHECK-DAG: atom.shared.max.s32
  // CHECK-DAG: atom.shared.min.u32
  // CHECK-DAG: atom.shared.cas.b32
  func.func @maxf_f32_shared(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f32, shared, 32>
    %old = simt.atomic_rmw maxf %v, %s[%t] : !simt.buffer<f32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry maxf_f64_shared(
  // CHECK-DAG: atom.shared.max.s64
  // CHECK-DAG: atom.shared.min.u64
  // CHECK-DAG: atom.shared.cas.b64
  func.func @maxf_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f64, shared, 32>
    %old = simt.atomic_rmw maxf %v, %s[%t] : !simt.buffer<f64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i8_shared(
  // CHECK: atom.shared.and.b32
  // CHECK: ret;
  func.func @andi_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw andi %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i16_shared(
  // CHECK: atom.shared.and.b32
  // CHECK: ret;
  func.func @andi_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw andi %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i32_shared(
  // CHECK: atom.shared.and.b32
  // CHECK: ret;
  func.func @andi_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw andi %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry andi_i64_shared(
  // CHECK: atom.shared.and.b64
  // CHECK: ret;
  func.func @andi_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw andi %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i8_shared(
  // CHECK: atom.shared.or.b32
  // CHECK: ret;
  func.func @ori_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw ori %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i16_shared(
  // CHECK: atom.shared.or.b32
  // CHECK: ret;
  func.func @ori_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw ori %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i32_shared(
  // CHECK: atom.shared.or.b32
  // CHECK: ret;
  func.func @ori_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw ori %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry ori_i64_shared(
  // CHECK: atom.shared.or.b64
  // CHECK: ret;
  func.func @ori_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw ori %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i8_shared(
  // CHECK: atom.shared.xor.b32
  // CHECK: ret;
  func.func @xori_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw xori %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i16_shared(
  // CHECK: atom.shared.xor.b32
  // CHECK: ret;
  func.func @xori_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw xori %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i32_shared(
  // CHECK: atom.shared.xor.b32
  // CHECK: ret;
  func.func @xori_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw xori %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry xori_i64_shared(
  // CHECK: atom.shared.xor.b64
  // CHECK: ret;
  func.func @xori_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw xori %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i8_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @exchange_i8_shared(%p: !simt.buffer<i8, global>, %v: i8) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i8, shared, 32>
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<i8, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i8, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @exchange_i16_shared(%p: !simt.buffer<i16, global>, %v: i16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i16, shared, 32>
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<i16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i16, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i32_shared(
  // CHECK: atom.shared.exch.b32
  // CHECK: ret;
  func.func @exchange_i32_shared(%p: !simt.buffer<i32, global>, %v: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_i64_shared(
  // CHECK: atom.shared.exch.b64
  // CHECK: ret;
  func.func @exchange_i64_shared(%p: !simt.buffer<i64, global>, %v: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_f16_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK: ret;
  func.func @exchange_f16_shared(%p: !simt.buffer<f16, global>, %v: f16) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f16, shared, 32>
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<f16, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f16, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_f32_shared(
  // CHECK: atom.shared.exch.b32
  // CHECK: ret;
  func.func @exchange_f32_shared(%p: !simt.buffer<f32, global>, %v: f32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f32, shared, 32>
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<f32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f32, global>, i32
    return
  }
  // CHECK-LABEL: .entry exchange_f64_shared(
  // CHECK: atom.shared.exch.b64
  // CHECK: ret;
  func.func @exchange_f64_shared(%p: !simt.buffer<f64, global>, %v: f64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<f64, shared, 32>
    %old = simt.atomic_rmw exchange %v, %s[%t] : !simt.buffer<f64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<f64, global>, i32
    return
  }
  // CHECK-LABEL: .entry cas_i32_global(
  // CHECK: atom.global.cas.b32
  // CHECK-NOT: atom
  // CHECK: ret;
  func.func @cas_i32_global(%p: !simt.buffer<i32, global>, %v: i32, %w: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_cas %v, %w, %p[%t] : !simt.buffer<i32, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry cas_i32_shared(
  // CHECK: atom.shared.cas.b32
  // CHECK-NOT: atom
  // CHECK: ret;
  func.func @cas_i32_shared(%p: !simt.buffer<i32, global>, %v: i32, %w: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i32, shared, 32>
    %old = simt.atomic_cas %v, %w, %s[%t] : !simt.buffer<i32, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i32, global>, i32
    return
  }
  // CHECK-LABEL: .entry cas_i64_global(
  // CHECK: atom.global.cas.b64
  // CHECK-NOT: atom
  // CHECK: ret;
  func.func @cas_i64_global(%p: !simt.buffer<i64, global>, %v: i64, %w: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %old = simt.atomic_cas %v, %w, %p[%t] : !simt.buffer<i64, global>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
  // CHECK-LABEL: .entry cas_i64_shared(
  // CHECK: atom.shared.cas.b64
  // CHECK-NOT: atom
  // CHECK: ret;
  func.func @cas_i64_shared(%p: !simt.buffer<i64, global>, %v: i64, %w: i64) attributes {simt.task = {block_dim = 32 : i32}} {
    %t = simt.thread_idx
    %s = simt.shared "s" : !simt.buffer<i64, shared, 32>
    %old = simt.atomic_cas %v, %w, %s[%t] : !simt.buffer<i64, shared, 32>, i32
    simt.store %old, %p[%t] : !simt.buffer<i64, global>, i32
    return
  }
}
