// The lowest bit of a word is compared with 0: ptxas makes one instruction of that.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry odd(
  // CHECK: and.b32 [[BIT:%r[0-9]+]], [[WORD:%r[0-9]+]], 1;
  // CHECK: setp.{{eq|ne}}.b32 {{%p[0-9]+}}, [[BIT]], 0;
  // CHECK-NOT: {{, 1;$}}
  // CHECK: ret;
  func.func @odd(%x: !simt.buffer<i32, global>, %a: i32, %b: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %i = simt.thread_idx
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = simt.load %x[%i] : !simt.buffer<i32, global>, i32
    %bit = arith.andi %v, %c1 : i32
    %is = arith.cmpi eq, %bit, %c0 : i32
    %chosen = arith.select %is, %a, %b : i32
    simt.store %chosen, %x[%i] : !simt.buffer<i32, global>, i32
    return
  }
}
