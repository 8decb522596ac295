// The clock is read as often as the ops say, of the whole device.
// RUN: sextant-opt %s --emit=asm --target=vulkan:1.1/wave32 | FileCheck %s

// CHECK: OpCapability ShaderClockKHR
// CHECK: OpExtension "SPV_KHR_shader_clock"
// CHECK-COUNT-4: OpReadClockKHR %ulong %uint_1
// CHECK-NOT: OpReadClockKHR
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
