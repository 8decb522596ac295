// The clock is read as often as the ops say: before the loop, in it, and twice after it. gfx11 has
// a clock of 100 MHz. gfx12 reads the upper half twice, for the case that it changes.
// RUN: %gfx906_wave64 | FileCheck %s --check-prefixes=CHECK,MEMTIME
// RUN: %gfx942_wave64 | FileCheck %s --check-prefixes=CHECK,MEMTIME
// RUN: %gfx1030_wave32 | FileCheck %s --check-prefixes=CHECK,MEMTIME
// RUN: %gfx1100_wave32 | FileCheck %s --check-prefixes=CHECK,REALTIME
// RUN: %gfx1201_wave64 | FileCheck %s --check-prefixes=CHECK,CYCLES

// CHECK-LABEL: clocks:
// MEMTIME-COUNT-4: s_memtime
// MEMTIME-NOT: s_memtime
// REALTIME-COUNT-4: s_sendmsg_rtn_b64 {{.*}}MSG_RTN_GET_REALTIME
// REALTIME-NOT: s_sendmsg_rtn
// CYCLES-COUNT-4: s_getreg_b32 {{.*}}HW_REG_SHADER_CYCLES_LO
// CYCLES-NOT: SHADER_CYCLES_LO
module attributes {simt.wave = 64 : i32} {
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
