// Where a thread is, the kernel's face, addresses from 32-bit indices (known not to be negative).
// RUN: %gfx90a_wave64 | FileCheck %s
// RUN: %gfx1100_wave32 | FileCheck %s
// RUN: %gfx1201_wave64 | FileCheck %s --check-prefixes=NEW

module attributes {simt.wave = 64 : i32} {
  // The block's index comes with the wave; what the grid's size needs is the one hidden argument.
  // CHECK-LABEL: saxpy:
  // CHECK: v_lshl_or_b32 v{{[0-9]+}}, s{{[0-9]+}}, 8, v0
  // NEW-LABEL: saxpy:
  // NEW: v_lshl_or_b32 v{{[0-9]+}}, ttmp9, 8, v0
  // CHECK: v_cmp
  // CHECK: global_load
  // CHECK: v_fma
  // CHECK-NOT: scratch
  // CHECK: s_endpgm
  func.func @saxpy(%n: i32, %a: f32, %flag: i1, %x: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 256 : i32}} {
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
  // CHECK-LABEL: lanes:
  // CHECK: v_and_b32_e32 v{{[0-9]+}}, {{31|63}}, v0
  // CHECK-NOT: mbcnt
  // CHECK: s_endpgm
  func.func @lanes(%o: !simt.buffer<i32, global>) attributes {simt.task = {block_dim = 96 : i32}} {
    %t = simt.thread_idx
    %g = simt.grid_dim
    %l = simt.lane
    %s = arith.addi %g, %l : i32
    simt.store %s, %o[%t] : !simt.buffer<i32, global>, i32
    return
  }
}
