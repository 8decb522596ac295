// Where a thread is, the guard, the kernel's face, 64-bit addresses from 32-bit indices (known not to be negative).
// RUN: %ptx_75 | FileCheck %s
// RUN: %ptx_90 | FileCheck %s --check-prefixes=CHECK,NEW

// NEW: .version 7.8
// NEW: .target sm_90
// CHECK: .visible .entry saxpy_t0(
// CHECK-NEXT: .param .u32 saxpy_t0_param_0,
// CHECK-NEXT: .param .f32 saxpy_t0_param_1,
// CHECK-NEXT: .param .u8 saxpy_t0_param_2,
// CHECK-NEXT: .param .u64 saxpy_t0_param_3
// CHECK: .maxntid 256, 1, 1
// CHECK-DAG: mov.u32 {{.*}}, %ctaid.x;
// CHECK-DAG: mov.u32 {{.*}}, %tid.x;
// CHECK: setp.ge.s32
// CHECK: bra
// CHECK: mul.wide.u32 {{.*}}, 4;
// CHECK: ld.global.f32
// CHECK: fma.rn.f32
// CHECK: st.global.f32
module attributes {simt.wave = 32 : i32} {
  func.func @saxpy_t0(%n: i32, %a: f32, %flag: i1, %x: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 256 : i32}} {
    %b = simt.block_idx
    %t = simt.thread_idx
    %c = arith.constant 256 : i32
    %0 = arith.muli %b, %c : i32
    %i = arith.addi %0, %t : i32
    %in = arith.cmpi slt, %i, %n : i32
    %go = arith.andi %in, %flag : i1
    scf.if %in {
      %xv = simt.load %x[%i] : !simt.buffer<f32, global>, i32
      %p = arith.mulf %a, %xv : f32
      %s = arith.addf %p, %xv : f32
      %r = arith.select %go, %s, %a : f32
      simt.store %r, %x[%i] : !simt.buffer<f32, global>, i32
    }
    return
  }
  // CHECK: .entry where_t0(
  // CHECK: .maxntid 96, 1, 1
  // CHECK-DAG: %nctaid.x
  // CHECK-DAG: and.b32 {{.*}}, 31;
  func.func @where_t0(%o: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 96 : i32}} {
    %t = simt.thread_idx
    %g = simt.grid_dim
    %l = simt.lane
    %s = arith.addi %g, %l : i32
    simt.store %s, %o[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
