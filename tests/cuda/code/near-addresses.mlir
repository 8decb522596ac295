// The neighbours of an element of several axes lie a distance from it that the arguments say: their
// addresses are its address plus that. Distances that threads differ in do not
// count, nor do those of indices of 64 bits, which may be too large for 32.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // Products: two for the first address, one for the distance of a plane.
  // CHECK-LABEL: .entry stencil(
  // CHECK: mad.lo.s32 {{%r[0-9]+}}, [[Y:%r[0-9]+]],
  // CHECK: mad.lo.s32 [[INDEX:%r[0-9]+]], {{%r[0-9]+}}, [[Z:%r[0-9]+]],
  // CHECK: mul.wide.s32 [[BYTES:%rd[0-9]+]], [[INDEX]], 4;
  // CHECK: add.s64 [[AT:%rd[0-9]+]], {{%rd[0-9]+}}, [[BYTES]];
  // CHECK: ld.global.f32 {{%f[0-9]+}}, {{.}}[[AT]]];
  // CHECK: mul.lo.s32 [[PLANE:%r[0-9]+]],
  // CHECK: mul.wide.s32 [[FAR:%rd[0-9]+]], [[PLANE]], 4;
  // CHECK: add.s64 [[NEXT:%rd[0-9]+]], [[AT]], [[FAR]];
  // CHECK: ld.global.f32 {{%f[0-9]+}}, {{.}}[[NEXT]]];
  // CHECK-NOT: {{(mad|mul).lo}}
  // CHECK: ld.global.f32
  // CHECK-NOT: {{(mad|mul).lo}}
  // CHECK: ld.global.f32 {{%f[0-9]+}}, {{.}}[[AT]]+4];
  // CHECK-NOT: {{(mad|mul).lo}}
  // CHECK: ret;
  func.func @stencil(%p: !simt.buffer<f32, global>, %ny: i32, %nz: i32, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %c1 = arith.constant 1 : i32
    %i = simt.block_idx
    %j = simt.thread_idx
    %next_i = arith.addi %i, %c1 : i32
    %next_j = arith.addi %j, %c1 : i32
    %next_k = arith.addi %j, %c1 : i32
    %0 = arith.muli %i, %ny : i32
    %1 = arith.addi %0, %j : i32
    %2 = arith.muli %1, %nz : i32
    %here = arith.addi %2, %j : i32
    %3 = arith.muli %next_i, %ny : i32
    %4 = arith.addi %3, %j : i32
    %5 = arith.muli %4, %nz : i32
    %plane = arith.addi %5, %j : i32
    %6 = arith.addi %0, %next_j : i32
    %7 = arith.muli %6, %nz : i32
    %row = arith.addi %7, %j : i32
    %one = arith.addi %2, %next_k : i32
    %a = simt.load %p[%here] : !simt.buffer<f32, global>, i32
    %b = simt.load %p[%plane] : !simt.buffer<f32, global>, i32
    %c = simt.load %p[%row] : !simt.buffer<f32, global>, i32
    %d = simt.load %p[%one] : !simt.buffer<f32, global>, i32
    %ab = arith.addf %a, %b : f32
    %cd = arith.addf %c, %d : f32
    %all = arith.addf %ab, %cd : f32
    simt.store %all, %q[%j] : !simt.buffer<f32, global>, i32
    return
  }

  // CHECK-LABEL: .entry others(
  // CHECK-COUNT-2: mul.lo.s32
  // CHECK-COUNT-2: ld.global.f32
  // CHECK: ret;
  func.func @others(%p: !simt.buffer<f32, global>, %n: i32, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.block_idx
    %j = simt.thread_idx
    %x = arith.muli %i, %n : i32
    %y = arith.muli %j, %n : i32
    %a = simt.load %p[%x] : !simt.buffer<f32, global>, i32
    %b = simt.load %p[%y] : !simt.buffer<f32, global>, i32
    %ab = arith.addf %a, %b : f32
    simt.store %ab, %q[%j] : !simt.buffer<f32, global>, i32
    return
  }

  // CHECK-LABEL: .entry wide(
  // CHECK-NOT: mul.wide.s32
  // CHECK: ret;
  func.func @wide(%p: !simt.buffer<f32, global>, %n: i64, %q: !simt.buffer<f32, global>) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.block_idx
    %i64 = arith.extsi %i : i32 to i64
    %c1 = arith.constant 1 : i64
    %next = arith.addi %i64, %c1 : i64
    %x = arith.muli %i64, %n : i64
    %y = arith.muli %next, %n : i64
    %a = simt.load %p[%x] : !simt.buffer<f32, global>, i64
    %b = simt.load %p[%y] : !simt.buffer<f32, global>, i64
    %ab = arith.addf %a, %b : f32
    simt.store %ab, %q[%i] : !simt.buffer<f32, global>, i32
    return
  }
}
