// Where half of a subgroup of 64 lanes takes part, collectives of the subgroup are about that half.
// RUN: sextant-opt %s --pass=check-barriers | FileCheck %s

module attributes {simt.wave = 64 : i32} {
  // Half of a subgroup of 64, of code that is written for 32 lanes: those of tiles and between two
  // lanes stay, those of the subgroup are about that half.
  // CHECK-LABEL: @half(
  // CHECK: simt.ballot
  // CHECK: simt.shuffle down
  // CHECK: simt.reduce addf %{{.*}} tile 4
  // CHECK: simt.reduce addf %{{.*}} tile 5
  // CHECK: simt.scan addf %{{.*}} tile 5
  // CHECK: simt.vote any %{{.*}} tile 5
  // CHECK: simt.reduce addf %{{.*}} tile 6
  func.func @half(%v: f32, %p: i1) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %first = arith.cmpi ult, %t, %c32 : i32
    scf.if %first {
      %b = simt.ballot %p
      %d = simt.shuffle down %v, %c16 : f32
      %0 = simt.reduce addf %v tile 4 all : f32
      %1 = simt.reduce addf %v tile 6 all : f32
      %2 = simt.scan addf %v tile 6 : f32
      %3 = simt.vote any %p tile 6
    } else {
      // Here are whole subgroups, too.
    }
    %all = simt.reduce addf %v tile 6 all : f32
    return
  }
}
