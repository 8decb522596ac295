// An array of a thread that is updated in place at components that differ from lane to lane lies in
// registers: each component has an update of its own, and one of them is kept. Arrays that are
// indexed by a loop, or that are too large, stay in the thread's memory.
// RUN: %ptx_80 | FileCheck %s

module attributes {simt.wave = 32 : i32} {
  // CHECK-LABEL: .entry histogram(
  // CHECK-NOT: .local
  // CHECK-COUNT-9: setp.eq.s32 {{.*}}, [[KEY:%r[0-9]+]], {{[0-8]}};
  // CHECK-NOT: .local
  // CHECK: ret;
  func.func @histogram(%keys: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %own = simt.private : !simt.buffer<i32, private, 9>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c9 = arith.constant 9 : i32
    %thread = simt.thread_idx
    %base = arith.muli %thread, %n : i32
    scf.for %i = %c0 to %c9 step %c1 : i32 {
      simt.store %c0, %own[%i] : !simt.buffer<i32, private, 9>, i32
    }
    scf.for %r = %c0 to %n step %c1 : i32 {
      %at = arith.addi %base, %r : i32
      %key = simt.load %keys[%at] : !simt.buffer<i32, global>, i32
      %inside = arith.minui %key, %c8 : i32
      %old = simt.load %own[%inside] : !simt.buffer<i32, private, 9>, i32
      %new = arith.addi %old, %r : i32
      %is_inside = arith.cmpi ult, %key, %c9 : i32
      scf.if %is_inside {
        simt.store %new, %own[%key] : !simt.buffer<i32, private, 9>, i32
      }
    }
    %first = arith.muli %thread, %c9 : i32
    scf.for %i = %c0 to %c9 step %c1 : i32 {
      %at = arith.addi %first, %i : i32
      %value = simt.load %own[%i] : !simt.buffer<i32, private, 9>, i32
      simt.store %value, %out[%at] : !simt.buffer<i32, global>, i32
    }
    return
  }

  // A quotient of each component would cost too much.
  // CHECK-LABEL: .entry quotients(
  // CHECK: div.s32
  // CHECK-NOT: div.s32
  // CHECK: st.local
  // CHECK: ret;
  func.func @quotients(%keys: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %own = simt.private : !simt.buffer<i32, private, 9>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c9 = arith.constant 9 : i32
    %thread = simt.thread_idx
    %base = arith.muli %thread, %n : i32
    scf.for %i = %c0 to %c9 step %c1 : i32 {
      simt.store %c0, %own[%i] : !simt.buffer<i32, private, 9>, i32
    }
    scf.for %r = %c0 to %n step %c1 : i32 {
      %at = arith.addi %base, %r : i32
      %key = simt.load %keys[%at] : !simt.buffer<i32, global>, i32
      %inside = arith.minui %key, %c8 : i32
      %old = simt.load %own[%inside] : !simt.buffer<i32, private, 9>, i32
      %new = arith.divsi %old, %key : i32
      %is_inside = arith.cmpi ult, %key, %c9 : i32
      scf.if %is_inside {
        simt.store %new, %own[%key] : !simt.buffer<i32, private, 9>, i32
      }
    }
    %first = arith.muli %thread, %c9 : i32
    scf.for %i = %c0 to %c9 step %c1 : i32 {
      %at = arith.addi %first, %i : i32
      %value = simt.load %own[%i] : !simt.buffer<i32, private, 9>, i32
      simt.store %value, %out[%at] : !simt.buffer<i32, global>, i32
    }
    return
  }

  // The same place in all lanes: it comes from the loop, or from one place in memory.
  // CHECK-LABEL: .entry in_order(
  // CHECK: st.local
  // CHECK: ret;
  func.func @in_order(%keys: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %own = simt.private : !simt.buffer<i32, private, 9>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c9 = arith.constant 9 : i32
    %thread = simt.thread_idx
    scf.for %i = %c0 to %c9 step %c1 : i32 {
      simt.store %thread, %own[%i] : !simt.buffer<i32, private, 9>, i32
    }
    scf.for %r = %c0 to %n step %c1 : i32 {
      %key = simt.load %keys[%r] : !simt.buffer<i32, global>, i32
      %old = simt.load %own[%key] : !simt.buffer<i32, private, 9>, i32
      %new = arith.addi %old, %thread : i32
      simt.store %new, %own[%key] : !simt.buffer<i32, private, 9>, i32
    }
    %some = simt.load %own[%n] : !simt.buffer<i32, private, 9>, i32
    simt.store %some, %out[%thread] : !simt.buffer<i32, global>, i32
    return
  }

  // CHECK-LABEL: .entry large(
  // CHECK: st.local
  // CHECK: ret;
  func.func @large(%keys: !simt.buffer<i32, global>, %out: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 32 : i32}} {
    %own = simt.private : !simt.buffer<i64, private, 33>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %one = arith.constant 1 : i64
    %thread = simt.thread_idx
    scf.for %r = %c0 to %n step %c1 : i32 {
      %at = arith.addi %thread, %r : i32
      %key = simt.load %keys[%at] : !simt.buffer<i32, global>, i32
      %old = simt.load %own[%key] : !simt.buffer<i64, private, 33>, i32
      %new = arith.addi %old, %one : i64
      simt.store %new, %own[%key] : !simt.buffer<i64, private, 33>, i32
    }
    %some = simt.load %own[%n] : !simt.buffer<i64, private, 33>, i32
    %word = arith.trunci %some : i64 to i32
    simt.store %word, %out[%thread] : !simt.buffer<i32, global>, i32
    return
  }
}
