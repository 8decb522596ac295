// The clock is read as often as the ops say: before the loop, in it, and twice after it.
// RUN: %ptx_75 | FileCheck %s
// RUN: %ptx_90 | FileCheck %s

// CHECK-COUNT-4: mov.u64 {{.*}}, %clock64;
// CHECK-NOT: %clock64
module attributes {simt.wave = 32 : i32} {
  func.func @clocks(%p: !simt.buffer<i64, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
    %first = simt.clock
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.for %k = %zero to %n step %one : i32 {
      %now = simt.clock
      simt.store %now, %p[%k] : !simt.buffer<i64, global>, i32
    } {simt.unroll = 1 : i32}
    %unused = simt.clock
    %last = simt.clock
    %spent = arith.subi %last, %first : i64
    simt.store %spent, %p[%n] : !simt.buffer<i64, global>, i32
    return
  }
}
