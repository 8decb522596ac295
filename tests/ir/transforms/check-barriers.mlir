// Barriers that threads provably do not reach together, and those that pass.
// RUN: sextant-opt %s --pass=check-barriers --split-input-file --verify-diagnostics

func.func @first_half() attributes {simt.task = {block_dim = 64 : i32}} {
  %t = simt.thread_idx
  %c = arith.constant 32 : i32
  %p = arith.cmpi slt, %t, %c : i32
  // expected-note@+1 {{the condition depends on the thread's index}}
  scf.if %p {
    // expected-error@+1 {{block barrier in divergent control flow}}
    simt.barrier
  }
  return
}

// -----

// The same condition holds in every thread of a smaller block.
func.func @always() attributes {simt.task = {block_dim = 32 : i32}} {
  %t = simt.thread_idx
  %c = arith.constant 32 : i32
  %p = arith.cmpi slt, %t, %c : i32
  scf.if %p {
    simt.barrier
  }
  return
}

// -----

module attributes {simt.wave = 8 : i32} {
  func.func @elected() attributes {simt.task = {block_dim = 16 : i32}} {
    %l = simt.lane
    %c = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    %h = arith.divui %l, %two : i32
    %p = arith.cmpi eq, %h, %c : i32
    // expected-note@+1 {{the condition depends on the thread's index}}
    scf.if %p {
    } else {
      // expected-error@+1 {{block barrier in divergent control flow}}
      %n = simt.barrier_reduce count %p
    }
    return
  }
}

// -----

func.func @loop() attributes {simt.task = {block_dim = 4 : i32}} {
  %t = simt.thread_idx
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-note@+1 {{the number of iterations depends on the thread's index}}
  scf.for %k = %c0 to %t step %c1 : i32 {
    // expected-error@+1 {{block barrier in divergent control flow}}
    simt.barrier
  }
  return
}

// -----

// Each thread starts elsewhere, but all run four times.
func.func @shifted() attributes {simt.task = {block_dim = 4 : i32}} {
  %t = simt.thread_idx
  %c4 = arith.constant 4 : i32
  %c1 = arith.constant 1 : i32
  %end = arith.addi %t, %c4 : i32
  scf.for %k = %t to %end step %c1 : i32 {
    simt.barrier
  }
  return
}

// -----

// A value that depends on arguments or memory may be the same everywhere.
func.func @unknown(%a: !simt.buffer<i32, global>, %n: i32) attributes {simt.task = {block_dim = 64 : i32}} {
  %t = simt.thread_idx
  %p = arith.cmpi slt, %t, %n : i32
  scf.if %p {
    simt.barrier
  }
  %v = simt.load %a[%t] : !simt.buffer<i32, global>, i32
  %q = arith.cmpi slt, %v, %n : i32
  scf.if %q {
    simt.barrier
  }
  return
}

// -----

func.func @serial() attributes {simt.task = {block_dim = 1 : i32, serial}} {
  %t = simt.thread_idx
  %c = arith.constant 1 : i32
  %p = arith.cmpi slt, %t, %c : i32
  scf.if %p {
    simt.barrier
  }
  return
}

// -----

module attributes {simt.wave = 8 : i32} {
  // Half of each subgroup is an error; the first of two subgroups is fine.
  func.func @subgroups(%v: f32) attributes {simt.task = {block_dim = 16 : i32}} {
    %l = simt.lane
    %t = simt.thread_idx
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %half = arith.cmpi ult, %l, %c4 : i32
    // expected-note@+1 {{the condition depends on the thread's index}}
    scf.if %half {
      // expected-error@+1 {{subgroup operation in divergent control flow: lanes of the subgroup do not all reach it; compute it before the branch, in all lanes, and use its result inside}}
      %s = simt.shuffle down %v, %c4 : f32
    }
    // expected-note@+1 {{the condition depends on the thread's index}}
    scf.if %half {
      // expected-error@+1 {{subgroup operation in divergent control flow}}
      %m = simt.match %t bits 3
    }
    %first = arith.cmpi ult, %t, %c8 : i32
    scf.if %first {
      %s = simt.shuffle down %v, %c4 : f32
    }
    return
  }
}

// -----

module attributes {simt.wave = 64 : i32} {
  // All lanes of one subgroup and half of another: no tile is both.
  func.func @more(%v: f32) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %c96 = arith.constant 96 : i32
    %some = arith.cmpi ult, %t, %c96 : i32
    // expected-note@+1 {{the condition depends on the thread's index}}
    scf.if %some {
      // expected-error@+1 {{subgroup operation in divergent control flow}}
      %s = simt.reduce addf %v tile 6 all : f32
    }
    return
  }

  // Lanes that nothing brings together, and less than 32 of them.
  func.func @few(%v: f32, %n: i32) attributes {simt.task = {block_dim = 256 : i32}} {
    %t = simt.thread_idx
    %c16 = arith.constant 16 : i32
    %c32 = arith.constant 32 : i32
    %some = arith.cmpi ult, %t, %c16 : i32
    // expected-note@+1 {{the condition depends on the thread's index}}
    scf.if %some {
      // expected-error@+1 {{subgroup operation in divergent control flow}}
      %s = simt.reduce addf %v tile 4 all : f32
    }
    %first = arith.cmpi ult, %t, %c32 : i32
    // expected-note@+1 {{the condition depends on the thread's index}}
    scf.if %first {
      // expected-error@+1 {{subgroup operation in divergent control flow}}
      %m = simt.match %n bits 3
    }
    return
  }
}
